"""A self-healing camera: reopens its source for as long as it takes, and never ends the service."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

from companion.kernel.messages import message
from companion.vision.frame import Frame
from hardware.cameras.base import Camera, CameraEnded, CameraError

log = logging.getLogger(__name__)

FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 10.0


Status = Literal["ok", "lost", "ended", "none"]


@dataclass(frozen=True, slots=True)
class CameraStatus:
    """How a camera is.

    Attributes:
        state: ``ok`` pictures come; ``lost`` none do, it is being opened again; ``ended`` the file is over.
        text: a sentence for people.
        since: when that began, by the camera's clock (seconds).
    """

    state: Status
    text: str
    since: float


class SteadyCamera(Camera):
    """Wraps a source; `read` returns None while it is away and never raises.

    Frame times and numbers keep growing across a reopening. One thread reads; any may read `status`.

    Args:
        opener: opens the source; may raise CameraError. Called at the first read, not before.
        name: what to call it until it is open.
        camera: the source, if it is open already.
        clock: seconds, never going back.
        silent_after_s: a source that gives nothing for so long is closed and opened again.
    """

    def __init__(
        self,
        opener: Callable[[], Camera],
        *,
        name: str = "camera",
        camera: Camera | None = None,
        clock: Callable[[], float] = time.monotonic,
        silent_after_s: float = 10.0,
    ) -> None:
        self.name = name
        self._opener = opener
        self._clock = clock
        self._silent_after_s = silent_after_s
        self._camera = camera
        self._stop = threading.Event()
        self._wait_s = FIRST_WAIT_S
        self._try_at = clock()
        self._last_frame_at = clock()
        self._t, self._number, self._base_t, self._base_number = 0.0, -1, 0.0, 0
        self._status = CameraStatus("lost", message("{camera} is being opened.", camera=name), clock())
        self.reopened, self._arrived_before = 0, 0
        self._is_calm = False

    @property
    def status(self) -> CameraStatus:
        """How it is now."""
        return self._status

    @property
    def arrived(self) -> int:
        """Number of frames received, including ones never decoded."""
        return self._arrived_before + self._arrived_now()

    @property
    def is_film(self) -> bool:  # type: ignore[override]
        """Whether the source may show the same picture again and again."""
        return self._camera is not None and self._camera.is_film

    @property
    def remedy(self) -> str:
        """Advice for the user when no more frames arrive."""
        return super().remedy if self._camera is None else self._camera.remedy

    def _arrived_now(self) -> int:
        return int(getattr(self._camera, "arrived", self._number - self._base_number + 1))

    def read(self, timeout_s: float) -> Frame | None:
        """Return the newest picture, None if none came in time or the source is away."""
        if self._status.state == "ended" or self._stop.is_set():
            self._stop.wait(timeout_s)
            return None
        if self._camera is None and not self._open(timeout_s):
            return None
        return self._read(timeout_s)

    def calm(self, is_calm: bool) -> None:
        """Pass on that nothing moves, or that something does; holds for a source that is opened later, too."""
        self._is_calm = is_calm
        if self._camera is not None:
            self._camera.calm(is_calm)

    def close(self) -> None:
        """Close the source; `read` returns at once from now on."""
        self._stop.set()
        self._let_go()

    def _open(self, timeout_s: float) -> bool:
        wait = self._try_at - self._clock()
        if wait > timeout_s:
            self._stop.wait(timeout_s)
            return False
        if wait > 0 and self._stop.wait(wait):
            return False
        try:
            self._camera = self._opener()
        except CameraError as error:
            self._lose(error.message)
            return False
        if self._stop.is_set():  # closed while it was being opened
            self._let_go()
            return False
        self._camera.calm(self._is_calm)
        self.name = self._camera.name
        self._base_t, self._base_number = self._t + 1e-3 if self._number >= 0 else 0.0, self._number + 1
        self._last_frame_at = self._clock()
        return True

    def _read(self, timeout_s: float) -> Frame | None:
        assert self._camera is not None
        try:
            frame = self._camera.read(timeout_s)
        except CameraEnded as end:
            self._let_go()
            self._set("ended", end.message)
            return None
        except CameraError as error:
            self._lose(error.message)
            return None
        if frame is None:
            self._check_silence()
            return None
        return self._passed_on(frame)

    def _passed_on(self, frame: Frame) -> Frame:
        self._last_frame_at = self._clock()
        self._wait_s = FIRST_WAIT_S
        if self._status.state != "ok":
            if self._number >= 0:
                self.reopened += 1
            self._set("ok", message("{camera} sends pictures.", camera=self.name))
        self._t, self._number = self._base_t + frame.t, self._base_number + frame.number
        return replace(frame, t=self._t, number=self._number)

    def _check_silence(self) -> None:
        silent_s = self._clock() - self._last_frame_at
        if silent_s > self._silent_after_s:
            self._lose(
                message(
                    "{camera} has sent no picture for {seconds} s. Check its cable.",
                    camera=self.name,
                    seconds=f"{silent_s:.0f}",
                )
            )

    def _lose(self, text: str) -> None:
        self._let_go()
        self._try_at = self._clock() + self._wait_s
        self._wait_s = min(2 * self._wait_s, LONGEST_WAIT_S)
        self._set("lost", text)

    def _let_go(self) -> None:
        if self._camera is not None:
            self._arrived_before += self._arrived_now()
        camera, self._camera = self._camera, None
        if camera is not None:
            camera.close()

    def _set(self, state: Status, text: str) -> None:
        if (state, text) != (self._status.state, self._status.text):
            log.log(logging.INFO if state == "ok" else logging.WARNING, "%s", text)
            since = self._status.since if state == self._status.state else self._clock()
            self._status = CameraStatus(state, text, since)
