"""A thread that drains a device's buffer and keeps only the newest frame, so that readers never get a stale one.

While the table is at rest (`GrabbedCamera.set_idle`) most frames are not decoded; decoding is most of an idle table's
CPU load.
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
SkipFrame = Callable[[], bool]
IDLE_DECODE_INTERVAL_S: Final = 0.07
"""Minimum time between decoded frames at rest: 5 to 8 frames/s at 10, 15 or 30 fps, enough to notice a hand."""


class Grabber:
    """Calls ``grab`` in a loop on its own thread.

    Args:
        name: the camera's name, for messages and the thread.
        grab: returns the next frame's pixels, or None at the end of the stream. It may block.
        remedy: returns the advice for a device that has stopped sending.
        skip: consumes the next frame without decoding it; returns False at the end of the stream.
        stalled_after_s: a device silent for this long counts as lost.
    """

    def __init__(
        self,
        name: str,
        grab: Grab,
        *,
        skip: SkipFrame | None = None,
        remedy: Callable[[], str] = lambda: "",
        stalled_after_s: float = 3.0,
    ) -> None:
        self._name = name
        self._grab, self._skip, self._remedy = grab, skip, remedy
        self.arrived = 0
        "Number of frames received, including skipped ones."
        self.min_interval_s = 0.0
        "Minimum time between decoded frames; earlier ones are skipped."
        self._stalled_after_s = stalled_after_s
        self._start = self._last = time.monotonic()
        self._condition = threading.Condition()
        self._newest: Frame | None = None
        self._returned = -1
        self._failure = ""
        self._stop = threading.Event()
        self._release: Callable[[], None] | None = None
        self._thread = threading.Thread(target=self._run, name=f"camera {name}", daemon=True)
        self._thread.start()

    def read(self, timeout_s: float) -> Frame | None:
        """Return the newest frame that was not returned before, or None after the timeout.

        Raises:
            CameraLost: the device failed or has been silent for too long.
        """
        with self._condition:
            self._condition.wait_for(self._has_result, timeout_s)
            frame = self._newest
            if frame is not None and frame.number > self._returned:
                self._returned = frame.number
                return frame
            if self._failure:
                raise CameraLost(self._failure)
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
        """Stop the thread and release the device.

        The grabbing thread calls ``release`` itself, because drivers crash if a device is released during a read.
        If it is stuck in the device for longer than ``wait_s``, it does so when the call returns; an unreleased device
        could not be opened again.
        """
        with self._condition:
            self._release = release
        self._stop.set()
        self._thread.join(wait_s)

    def _has_result(self) -> bool:
        return bool(self._failure) or (self._newest is not None and self._newest.number > self._returned)

    def _run(self) -> None:
        self._grab_until_stopped()
        self._stop.wait()  # after a failure, the device stays open until `stop` provides its release function
        with self._condition:
            release, self._release = self._release, None
        if release is not None:
            release()

    def _grab_until_stopped(self) -> None:
        number = 0
        while not self._stop.is_set():
            if self._skip_frame():
                self.arrived += 1
                continue
            image, why = self._try_grab()
            with self._condition:
                if image is None:
                    self._failure = why
                    self._condition.notify_all()
                    return
                self._last = time.monotonic()
                self.arrived += 1
                self._newest = Frame(image, self._last - self._start, number)
                self._condition.notify_all()
            number += 1

    def _skip_frame(self) -> bool:
        """Skip a frame if the last decoded one is recent. Return whether one was skipped.

        Failures are left to the next grab, which reports them.
        """
        if self._skip is None or time.monotonic() - self._last >= self.min_interval_s:
            return False
        try:
            return self._skip()
        except Exception:  # drivers raise arbitrary exceptions
            return False

    def _try_grab(self) -> tuple[Image | None, str]:
        try:
            image, error = self._grab(), ""
        except Exception as raised:  # drivers raise arbitrary exceptions; the reader gets a CameraLost
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
    """A device read by a `Grabber`. A subclass opens it, calls `_start`, and implements `_grab` and `_release`."""

    _grabber: Grabber
    _closed = False

    def read(self, timeout_s: float) -> Frame | None:
        """Return the newest frame that was not returned before, or None after the timeout.

        Raises:
            CameraLost: the device was unplugged, stopped sending, or was closed.
        """
        if self._closed:
            raise CameraLost.saying("{camera} is closed. Open it again.", camera=self.name)
        return self._grabber.read(timeout_s)

    def close(self) -> None:
        """Stop the thread and release the device. May be called twice."""
        if not self._closed:
            self._closed = True
            self._grabber.stop(self._release)

    @property
    def arrived(self) -> int:
        """Number of frames received from the device, including skipped ones."""
        return self._grabber.arrived

    def set_idle(self, is_idle: bool) -> None:
        self._grabber.min_interval_s = IDLE_DECODE_INTERVAL_S if is_idle else 0.0

    def _start(self, stalled_after_s: float = 3.0, skip: SkipFrame | None = None) -> None:
        self._grabber = Grabber(
            self.name, self._grab, skip=skip, remedy=lambda: self.remedy, stalled_after_s=stalled_after_s
        )

    @abstractmethod
    def _grab(self) -> Image | None:
        """Return the device's next frame, waiting for it; None at the end of the stream."""

    @abstractmethod
    def _release(self) -> None:
        """Release the device."""
