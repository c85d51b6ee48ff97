"""A self-healing camera: retries until its source can be opened again, so that no camera error ends the service."""

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

FIRST_RETRY_DELAY_S: Final = 0.5
"""Delay before the first attempt to reopen; doubled after each failure."""
MAX_RETRY_DELAY_S: Final = 10.0

Status = Literal["ok", "lost", "ended", "none"]


@dataclass(frozen=True, slots=True)
class CameraStatus:
    """The state of a camera.

    Attributes:
        state: ``ok``: frames arrive; ``lost``: they do not, and it is being reopened; ``ended``: the end of the file
            was reached; ``none``: the table has no camera.
        text: a sentence for display.
        since: when this state began, seconds of the camera's clock.
    """

    state: Status
    text: str
    since: float


class ReconnectingCamera(Camera):
    """Wraps a source; `read` never raises, and returns None while the source is unavailable.

    Frame times and numbers keep increasing when the source is reopened. `read` is for one thread, `status` for any.

    Args:
        opener: opens the source; may raise CameraError. First called by `read`.
        name: display name until the source is open.
        camera: the source, if it is already open.
        clock: monotonic seconds.
        silent_after_s: a source silent for this long is closed and reopened.

    Attributes:
        reopened: how often frames resumed after an interruption.
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
        self._retry_delay_s = FIRST_RETRY_DELAY_S
        self._retry_at = clock()
        self._last_frame_at = clock()
        self._t, self._number, self._base_t, self._base_number = 0.0, -1, 0.0, 0
        self._status = CameraStatus("lost", message("{camera} is being opened.", camera=name), clock())
        self.reopened, self._arrived_before = 0, 0
        self._is_idle = False

    @property
    def status(self) -> CameraStatus:
        """The current state."""
        return self._status

    @property
    def arrived(self) -> int:
        """Number of frames received from all sources, including skipped ones."""
        return self._arrived_before + self._arrived_from_source()

    @property
    def may_repeat_frames(self) -> bool:  # type: ignore[override]
        """Whether identical frames are legitimate, as from a file or folder."""
        return self._camera is not None and self._camera.may_repeat_frames

    @property
    def remedy(self) -> str:
        """Advice for the user when no more frames arrive."""
        return super().remedy if self._camera is None else self._camera.remedy

    def _arrived_from_source(self) -> int:
        return int(getattr(self._camera, "arrived", self._number - self._base_number + 1))

    def read(self, timeout_s: float) -> Frame | None:
        """Return the newest frame, or None if none arrived in time or the source is unavailable."""
        if self._status.state == "ended" or self._stop.is_set():
            self._stop.wait(timeout_s)
            return None
        if self._camera is None and not self._open(timeout_s):
            return None
        return self._read(timeout_s)

    def set_idle(self, is_idle: bool) -> None:
        """Set whether the table is at rest, for the current source and those opened later."""
        self._is_idle = is_idle
        if self._camera is not None:
            self._camera.set_idle(is_idle)

    def close(self) -> None:
        """Close the source; `read` returns None at once from now on."""
        self._stop.set()
        self._close_source()

    def _open(self, timeout_s: float) -> bool:
        wait = self._retry_at - self._clock()
        if wait > timeout_s:
            self._stop.wait(timeout_s)
            return False
        if wait > 0 and self._stop.wait(wait):
            return False
        try:
            self._camera = self._opener()
        except CameraError as error:
            self._disconnect(error.message)
            return False
        if self._stop.is_set():  # closed while it was being opened
            self._close_source()
            return False
        self._camera.set_idle(self._is_idle)
        self.name = self._camera.name
        self._base_t, self._base_number = self._t + 1e-3 if self._number >= 0 else 0.0, self._number + 1
        self._last_frame_at = self._clock()
        return True

    def _read(self, timeout_s: float) -> Frame | None:
        assert self._camera is not None
        try:
            frame = self._camera.read(timeout_s)
        except CameraEnded as end:
            self._close_source()
            self._set_status("ended", end.message)
            return None
        except CameraError as error:
            self._disconnect(error.message)
            return None
        if frame is None:
            self._check_silence()
            return None
        return self._renumbered(frame)

    def _renumbered(self, frame: Frame) -> Frame:
        self._last_frame_at = self._clock()
        self._retry_delay_s = FIRST_RETRY_DELAY_S
        if self._status.state != "ok":
            if self._number >= 0:
                self.reopened += 1
            self._set_status("ok", message("{camera} sends pictures.", camera=self.name))
        self._t, self._number = self._base_t + frame.t, self._base_number + frame.number
        return replace(frame, t=self._t, number=self._number)

    def _check_silence(self) -> None:
        silence_s = self._clock() - self._last_frame_at
        if silence_s > self._silent_after_s:
            self._disconnect(
                message(
                    "{camera} has sent no picture for {seconds} s. Check its cable.",
                    camera=self.name,
                    seconds=f"{silence_s:.0f}",
                )
            )

    def _disconnect(self, text: str) -> None:
        self._close_source()
        self._retry_at = self._clock() + self._retry_delay_s
        self._retry_delay_s = min(2 * self._retry_delay_s, MAX_RETRY_DELAY_S)
        self._set_status("lost", text)

    def _close_source(self) -> None:
        if self._camera is not None:
            self._arrived_before += self._arrived_from_source()
        camera, self._camera = self._camera, None
        if camera is not None:
            camera.close()

    def _set_status(self, state: Status, text: str) -> None:
        if (state, text) != (self._status.state, self._status.text):
            log.log(logging.INFO if state == "ok" else logging.WARNING, "%s", text)
            since = self._status.since if state == self._status.state else self._clock()
            self._status = CameraStatus(state, text, since)
