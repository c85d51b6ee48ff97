"""A camera that can be unplugged: the kernel's test driver vivid, bound and unbound while the table reads from it.

It shows only a test pattern, without cards. v4l2loopback can show the table, but cannot be unplugged.
"""

import time
from pathlib import Path
from typing import Final

from hardware.harness import steps as s
from hardware.harness.rig import RigError

DRIVER: Final = Path("/sys/bus/platform/drivers/vivid")
DEVICE: Final = "vivid.0"


class PatternWorld:
    """A replacement for `hardware.harness.gpiosim.world.LoopbackWorld`, with the same methods.

    Args:
        driver: the driver's folder in sysfs.
    """

    node: Final = "/dev/video0"
    size: Final = (640, 360)

    def __init__(self, driver: Path = DRIVER) -> None:
        self._driver = driver
        self._bind(True)

    def move(self, step: s.Step) -> float:
        """Unplug the camera or plug it in again; return when it was finished.

        Raises:
            RigError: this failed, or it is another step.
        """
        if not isinstance(step, s.Camera):
            raise RigError('The test pattern shows no cards. Leave out world = "pattern", or the step.')
        self._bind(step.camera == "back")
        return time.monotonic()

    def close(self) -> None:
        """Plug the camera in for the next scenario. May be called twice."""
        self._bind(True)

    def _bind(self, wanted: bool) -> None:
        if (self._driver / DEVICE).exists() == wanted:
            return
        try:
            (self._driver / ("bind" if wanted else "unbind")).write_text(DEVICE)
        except OSError as error:
            raise RigError(f"vivid cannot be {'bound' if wanted else 'unbound'}: {error}. Is it loaded?") from error
