"""A thread that drains a device's queue and keeps only the newest picture, so that nobody sees an old one.

While nothing moves (`GrabbedCamera.calm`) only some pictures are decoded: that is most of what an idle table costs.
"""

import threading
import time
from abc import abstractmethod
from collections.abc import Callable
from typing import Final

from companion.kernel.messages import message
from companion.vision.frame import Frame
from hardware.cameras.base import Camera, CameraLost
from hardware.cameras.pixels import Image

Grab = Callable[[], Image | None]
Skip = Callable[[], bool]
CALM_GAP_S: Final = 0.07
"""Once so long is over the picture after the next is unpacked: 5 to 8 a second, of 10, 15 or 30, see a hand come."""


class Grabber:
    """Calls ``grab`` over and over on its own thread.

    Args:
        name: of the source, for messages and the thread.
        grab: returns the next picture; None when there is none any more. It may block.
        remedy: says what to do when no pictures come any more.
        skip: takes the next picture from the device without unpacking it; False when there is none any more.
        stalled_after_s: a device that gives nothing for so long counts as lost.
    """

    def __init__(
        self,
        name: str,
        grab: Grab,
        *,
        skip: Skip | None = None,
        remedy: Callable[[], str] = lambda: "",
        stalled_after_s: float = 3.0,
    ) -> None:
        self._name = name
        self._grab, self._skip, self._remedy = grab, skip, remedy
        self.arrived = 0
        "How many pictures came, skipped ones included."
        self.gap_s = 0.0
        "Pictures that come sooner after the one before are skipped."
        self._stalled_after_s = stalled_after_s
        self._start = self._last = time.monotonic()
        self._changed = threading.Condition()
        self._newest: Frame | None = None
        self._given = -1
        self._gone = ""
        self._stop = threading.Event()
        self._release: Callable[[], None] | None = None
        self._thread = threading.Thread(target=self._run, name=f"camera {name}", daemon=True)
        self._thread.start()

    def read(self, timeout_s: float) -> Frame | None:
        """Return the newest picture that was not returned before, None if none came in time.

        Raises:
            CameraLost: the device failed, or has been silent for too long.
        """
        with self._changed:
            self._changed.wait_for(self._has_news, timeout_s)
            frame = self._newest
            if frame is not None and frame.number > self._given:
                self._given = frame.number
                return frame
            if self._gone:
                raise CameraLost(self._gone)
            silent_s = time.monotonic() - self._last
        if silent_s > self._stalled_after_s:
            raise CameraLost.saying(
                "{camera} has sent no picture for {seconds} s. {remedy}",
                camera=self._name,
                seconds=f"{silent_s:.0f}",
                remedy=self._remedy(),
            )
        return None

    def stop(self, release: Callable[[], None], wait_s: float = 1.0) -> None:
        """End the thread, and let the device go: never under the thread that reads it, as drivers crash of that.

        A thread that is stuck in the device does it itself when it comes back: one that is still held could not be
        opened again.
        """
        with self._changed:
            self._release = release
        self._stop.set()
        self._thread.join(wait_s)

    def _has_news(self) -> bool:
        return bool(self._gone) or (self._newest is not None and self._newest.number > self._given)

    def _run(self) -> None:
        self._pump()
        self._stop.wait()  # the device failed: it is held until somebody says how it is let go
        with self._changed:
            release, self._release = self._release, None
        if release is not None:
            release()

    def _pump(self) -> None:
        number = 0
        while not self._stop.is_set():
            if self._is_skipped():
                self.arrived += 1
                continue
            image, why = self._try_grab()
            with self._changed:
                if image is None:
                    self._gone = why
                    self._changed.notify_all()
                    return
                self._last = time.monotonic()
                self.arrived += 1
                self._newest = Frame(image, self._last - self._start, number)
                self._changed.notify_all()
            number += 1

    def _is_skipped(self) -> bool:
        """Whether a picture was there that nobody needs; a device that fails says so at the next grab."""
        if self._skip is None or time.monotonic() - self._last >= self.gap_s:
            return False
        try:
            return self._skip()
        except Exception:  # whatever a driver throws
            return False

    def _try_grab(self) -> tuple[Image | None, str]:
        try:
            image, error = self._grab(), ""
        except Exception as raised:  # whatever a driver raises: the service continues, the reader is notified
            image, error = None, str(raised) or type(raised).__name__
        if image is not None:
            return image, ""
        if not error:
            return None, message(
                "{camera} stopped sending pictures. {remedy}", camera=self._name, remedy=self._remedy()
            )
        return None, message(
            "{camera} failed ({error}). {remedy}", camera=self._name, error=error, remedy=self._remedy()
        )


class GrabbedCamera(Camera):
    """A device that a `Grabber` empties. A subclass opens it, calls `_start`, and says how to grab and to release."""

    _grabber: Grabber
    _closed = False

    def read(self, timeout_s: float) -> Frame | None:
        """Return the newest picture, None if none came in time.

        Raises:
            CameraLost: it is unplugged, has ended, is silent for seconds, or was closed.
        """
        if self._closed:
            raise CameraLost.saying("{camera} is closed. Open it again.", camera=self.name)
        return self._grabber.read(timeout_s)

    def close(self) -> None:
        """Let the device go. May be called twice."""
        if not self._closed:
            self._closed = True
            self._grabber.stop(self._release)

    @property
    def arrived(self) -> int:
        """Number of frames sent by the device, including ones never decoded."""
        return self._grabber.arrived

    def calm(self, is_calm: bool) -> None:
        self._grabber.gap_s = CALM_GAP_S if is_calm else 0.0

    def _start(self, stalled_after_s: float = 3.0, skip: Skip | None = None) -> None:
        self._grabber = Grabber(
            self.name, self._grab, skip=skip, remedy=lambda: self.remedy, stalled_after_s=stalled_after_s
        )

    @abstractmethod
    def _grab(self) -> Image | None:
        """Wait for the device's next picture; None when it has ended."""

    @abstractmethod
    def _release(self) -> None:
        """Let the device go."""
