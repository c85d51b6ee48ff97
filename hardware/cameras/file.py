"""A video file or a still image as a camera."""

import time
from collections.abc import Callable
from pathlib import Path

import cv2

from companion.kernel.errors import os_reason
from companion.vision.frame import Frame
from hardware.cameras.base import Camera, CameraEnded, CameraError, CameraLost
from hardware.cameras.pixels import Image, as_bgr, read_image

_DEFAULT_FPS = 30.0


class VideoFile(Camera):
    """Plays a video in real time, or as fast as it is read.

    Args:
        path: the video file.
        paced: True plays in real time and drops frames if the reader is too slow; False returns every frame.
        loop: whether to restart at the end.

    Raises:
        CameraError: the file is missing, unreadable or not a video.
    """

    may_repeat_frames = True

    def __init__(
        self,
        path: Path,
        *,
        paced: bool = True,
        loop: bool = False,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = str(path)
        self._path = path
        self._paced, self._loop = paced, loop
        self._clock, self._sleep = clock, sleep
        self._capture = _open_video(path)
        fps = self._capture.get(cv2.CAP_PROP_FPS)
        self.fps = fps if 0 < fps <= 1000 else _DEFAULT_FPS
        self.frame_count = max(0, int(self._capture.get(cv2.CAP_PROP_FRAME_COUNT)))
        self._next = 0
        self._frames_in_pass = 0  # frames played since the start of the file; `_next` counts on across loops
        self._start: float | None = None
        self._closed = False

    def read(self, timeout_s: float) -> Frame | None:
        """Return the frame that is due, or None if none is due within the timeout.

        Raises:
            CameraEnded: the end of the video was reached.
            CameraLost: the camera was closed, or a looped file was deleted.
            CameraError: the video has no frame that can be decoded.
        """
        if self._closed:
            raise CameraLost.saying("{camera} is closed. Open it again.", camera=self.name)
        if self._paced and not self._wait_until_due(timeout_s):
            return None
        image = self._decode()
        number = self._next
        self._next += 1
        return Frame(image, number / self.fps, number)

    def close(self) -> None:
        """Close the file. May be called twice."""
        if not self._closed:
            self._closed = True
            self._capture.release()

    def _wait_until_due(self, timeout_s: float) -> bool:
        now = self._clock()
        if self._start is None:
            self._start = now
        wait = self._start + self._next / self.fps - now
        if wait > timeout_s:
            self._sleep(timeout_s)
            return False
        if wait > 0:
            self._sleep(wait)
        else:
            self._skip(int(-wait * self.fps))
        return True

    def _skip(self, count: int) -> None:
        """Drop up to ``count`` frames, but never the last one."""
        for _ in range(count):
            if self.frame_count and self._frames_in_pass >= self.frame_count - 1:
                return
            if not self._capture.grab():
                return
            self._next += 1
            self._frames_in_pass += 1

    def _decode(self) -> Image:
        ok, image = self._capture.read()
        if not ok and self._loop and self._frames_in_pass:
            self._capture.release()
            self._capture, self._frames_in_pass = self._reopen(), 0
            ok, image = self._capture.read()
        if not ok:
            if not self._next:
                raise CameraError.saying(
                    "{camera} holds no frame that can be decoded. Record or copy it again.", camera=self.name
                )
            raise CameraEnded.saying("{camera} is over after {n} frames.", camera=self.name, n=self._next)
        self._frames_in_pass += 1
        return as_bgr(image)

    def _reopen(self) -> cv2.VideoCapture:
        try:
            return _open_video(self._path)
        except CameraError as error:
            raise CameraLost.saying("{camera} was there and is gone. Put the file back.", camera=self.name) from error


class StillImage(Camera):
    """Repeats one image, like a camera above a table where nothing moves.

    Raises:
        CameraError: the file is missing or not an image.
    """

    may_repeat_frames = True

    def __init__(self, path: Path, *, fps: float = 10.0, sleep: Callable[[float], None] = time.sleep) -> None:
        self.name = str(path)
        self._image = read_image(path)
        self._fps, self._sleep = fps, sleep
        self._number = 0
        self._closed = False

    def read(self, timeout_s: float) -> Frame | None:
        """Return the image at ``fps``, or None if the timeout is shorter than a frame interval.

        Raises:
            CameraLost: the camera was closed.
        """
        if self._closed:
            raise CameraLost.saying("{camera} is closed. Open it again.", camera=self.name)
        if self._number:
            self._sleep(min(timeout_s, 1 / self._fps))
            if timeout_s < 1 / self._fps:
                return None
        frame = Frame(self._image.copy(), self._number / self._fps, self._number)
        self._number += 1
        return frame

    def close(self) -> None:
        """End reading. May be called twice."""
        self._closed = True


def _open_video(path: Path) -> cv2.VideoCapture:
    if not path.is_file():
        raise CameraError.saying("There is no file {file}. Check the path.", file=str(path))
    try:
        with path.open("rb"):
            pass
    except OSError as error:
        raise CameraError.saying(
            "{file} cannot be read ({error}). Check its permissions.", file=str(path), error=os_reason(error)
        ) from error
    capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    if not capture.isOpened():
        raise CameraError.saying(
            "{file} is no video that can be played; it may be cut short. Use MP4, AVI or MKV.", file=str(path)
        )
    return capture
