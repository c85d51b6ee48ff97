"""A camera that can be unplugged: the kernel's test driver vivid, bound and unbound while the table reads from it.

It shows a test pattern, so nothing can be laid before it. v4l2loopback shows the table, but cannot be unplugged.
"""

import time
from pathlib import Path
from typing import Final

from hardware.harness import steps as s
from hardware.harness.rig import RigError

DRIVER: Final = Path("/sys/bus/platform/drivers/vivid")
DEVICE: Final = "vivid.0"


class PatternWorld:
    """See `hardware.harness.gpiosim.world.LoopWorld`: the same two methods.

    Args:
        driver: the driver's folder in sysfs.
    """

    node: Final = "/dev/video0"
    size: Final = (640, 360)

    def __init__(self, driver: Path = DRIVER) -> None:
        self._driver = driver
        self._bind(True)

    def move(self, step: s.Step) -> float:
        """Tear the camera out, or put it in again.

        Raises:
            RigError: it cannot be done, or the step is another.
        """
        if not isinstance(step, s.Camera):
            raise RigError('The test pattern shows no cards. Leave out world = "pattern", or the step.')
        self._bind(step.camera == "back")
        return time.monotonic()

    def close(self) -> None:
        """Leave it plugged in. May be called twice."""
        self._bind(True)

    def _bind(self, wanted: bool) -> None:
        if (self._driver / DEVICE).exists() == wanted:
            return
        try:
            (self._driver / ("bind" if wanted else "unbind")).write_text(DEVICE)
        except OSError as error:
            raise RigError(f"vivid cannot be {'bound' if wanted else 'unbound'}: {error}. Is it loaded?") from error
