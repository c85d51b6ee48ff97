"""The camera above the demo table."""

import time
from collections.abc import Callable

from companion.kernel.messages import message
from companion.plugins.demo import PictureSource
from companion.vision.frame import Frame
from hardware.cameras.base import Camera, CameraLost


class DemoCamera(Camera):
    """Films a demo table in real time, or as fast as frames are read.

    Args:
        table: the demo table.
        fps: frame rate; a slow reader misses frames, as with a real camera.
        paced: True films in real time; False returns the next frame at once, with the table's time advanced by 1 / fps.
        clock: monotonic seconds.
        sleep: waits for a number of seconds.

    Raises:
        CameraLost: the table simulates an unplugged camera.
    """

    name = message("The demo table")

    def __init__(
        self,
        table: PictureSource,
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
        """Return the newest frame, or None if none is due within the timeout.

        Raises:
            CameraLost: the table simulates an unplugged camera, or the camera was closed.
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
        """Stop filming. May be called twice."""
        self._closed = True
