"""A camera for tests: shows the pictures it was given and records its calls."""

from collections.abc import Iterable

from companion.vision.frame import Frame
from hardware.cameras.base import Camera, CameraEnded, CameraLost
from hardware.cameras.pixels import Image


class FakeCamera(Camera):
    """Shows pictures in order, then ends.

    Args:
        shows: a picture; None for 'nothing came in time'; or the error to raise.
        fps: how far apart they are in time.
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
            CameraEnded: all have been shown.
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
        """Count how often it was closed."""
        self.closed += 1
