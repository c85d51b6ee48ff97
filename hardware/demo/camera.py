"""The camera above the demo table."""

import time
from collections.abc import Callable

from companion.kernel.messages import message
from companion.plugins.demo import Filmed
from companion.vision.frame import Frame
from hardware.cameras.base import Camera, CameraLost


class DemoCamera(Camera):
    """Takes pictures of a demo table in real time, or as fast as they are asked for.

    Args:
        table: what it films.
        fps: pictures a second; a slow reader misses some, as with a real camera.
        paced: False gives the next picture at once, 1 / fps of table time later.
        clock: seconds, never going back.
        sleep: waits so many seconds.
    """

    name = message("The demo table")

    def __init__(
        self,
        table: Filmed,
        fps: float = 30.0,
        *,
        paced: bool = True,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if table.camera_lost:
            raise CameraLost.saying("The demo camera is unplugged. It comes back by itself.")
        self.table = table
        self._fps = fps
        self._paced = paced
        self._clock = clock
        self._sleep = sleep
        self._opened = clock()
        self._start = table.now
        self._number = -1
        self._closed = False

    def read(self, timeout_s: float) -> Frame | None:
        """Return the newest picture, None if none is due within the timeout.

        Raises:
            CameraLost: somebody 'unplugged' it, or it was closed.
        """
        if self._closed or self.table.camera_lost:
            raise CameraLost.saying("The demo camera was unplugged. It comes back by itself.")
        number = self._number + 1
        if self._paced:
            wait = self._opened + number / self._fps - self._clock()
            if wait > timeout_s:
                self._sleep(timeout_s)
                return None
            if wait > 0:
                self._sleep(wait)
            number = max(number, int((self._clock() - self._opened) * self._fps))
        self._number = number
        t = number / self._fps
        return Frame(self.table.picture(self._start + t), t, number)

    def close(self) -> None:
        """Stop taking pictures."""
        self._closed = True
