"""A camera for tests: shows given pictures and records its calls."""

from collections.abc import Iterable

from companion.vision.frame import Frame
from hardware.cameras.base import Camera, CameraEnded, CameraLost
from hardware.cameras.pixels import Image


class FakeCamera(Camera):
    """Shows pictures in order, then ends.

    Args:
        shows: pictures; None for a timeout; or an error to raise.
        fps: frame rate, for their timestamps.
    """

    def __init__(
        self, shows: Iterable[Image | CameraLost | CameraEnded | None], *, fps: float = 30.0, name: str = "fake"
    ) -> None:
        self.name = name
        self._shows = list(shows)
        self._fps = fps
        self._number = 0
        self.timeouts: list[float] = []
        self.closed = 0

    def read(self, timeout_s: float) -> Frame | None:
        """Return the next picture.

        Raises:
            CameraEnded: all pictures were shown.
        """
        self.timeouts.append(timeout_s)
        if not self._shows:
            raise CameraEnded("The fake camera has shown everything.")
        show = self._shows.pop(0)
        if isinstance(show, (CameraLost, CameraEnded)):
            raise show
        if show is None:
            return None
        self._number += 1
        return Frame(show, (self._number - 1) / self._fps, self._number - 1)

    def close(self) -> None:
        """Count the calls."""
        self.closed += 1
