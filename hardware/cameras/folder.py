"""A folder of images as a camera."""

import logging
import re
import time
from collections.abc import Callable
from pathlib import Path

from companion.kernel.errors import os_reason
from companion.vision.frame import Frame
from hardware.cameras.base import Camera, CameraEnded, CameraError, CameraLost
from hardware.cameras.pixels import IMAGE_SUFFIXES, Image, read_image

log = logging.getLogger(__name__)


class FolderCamera(Camera):
    """Plays a folder's images in natural order of their names; unreadable ones are skipped with a warning.

    Args:
        path: the folder.
        fps: images per second; 0: as fast as they are read.
        loop: whether to restart at the end.

    Attributes:
        skipped: file names of the unreadable images, in order.

    Raises:
        CameraError: the folder is unreadable or has no images.
    """

    may_repeat_frames = True

    def __init__(
        self, path: Path, *, fps: float = 1.0, loop: bool = False, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.name = str(path)
        self._files = list_pictures(path)
        self._fps, self._loop, self._sleep = fps, loop, sleep
        self._position = 0
        self._number = 0
        self._wait_s = 0.0
        self._closed = False
        self.skipped: list[str] = []

    def read(self, timeout_s: float) -> Frame | None:
        """Return the next image, or None if it is not due within the timeout.

        Raises:
            CameraEnded: all images have been played.
            CameraLost: the camera was closed, or no image can be read.
        """
        if self._closed:
            raise CameraLost.saying("{camera} is closed. Open it again.", camera=self.name)
        wait = min(self._wait_s, timeout_s)
        self._sleep(wait)
        self._wait_s -= wait
        if self._wait_s > 1e-9:
            return None
        image = self._next_image()
        number = self._number
        self._number += 1
        self._wait_s = 1 / self._fps if self._fps else 0.0
        return Frame(image, number / (self._fps or 30.0), number)

    def close(self) -> None:
        """End reading. May be called twice."""
        self._closed = True

    def _next_image(self) -> Image:
        unreadable = 0
        while unreadable < len(self._files):
            if self._position >= len(self._files):
                if not self._loop:
                    break
                self._position = 0
            path = self._files[self._position]
            self._position += 1
            try:
                return read_image(path)
            except CameraError as error:
                unreadable += 1
                self.skipped.append(path.name)
                log.warning("%s", error)
        if unreadable and not self._number:
            raise CameraLost.saying(
                "None of the {n} pictures in {folder} can be read. Copy them again.", n=unreadable, folder=self.name
            )
        raise CameraEnded.saying("All pictures in {folder} have been shown.", folder=self.name)


def list_pictures(path: Path) -> list[Path]:
    """Return a folder's image files in natural order: ``2.png`` before ``10.png``.

    Raises:
        CameraError: the folder is unreadable or has no images.
    """
    try:
        files = [p for p in path.iterdir() if p.suffix.lower() in IMAGE_SUFFIXES and p.is_file()]
    except OSError as error:
        raise CameraError.saying(
            "The folder {folder} cannot be read ({error}). Check the path.", folder=str(path), error=os_reason(error)
        ) from error
    if not files:
        kinds = ", ".join(sorted(IMAGE_SUFFIXES))
        raise CameraError.saying(
            "There is no picture in the folder {folder}. Put files there that end in {kinds}.",
            folder=str(path),
            kinds=kinds,
        )
    return sorted(files, key=lambda p: [int(s) if s.isdigit() else s.lower() for s in re.split(r"(\d+)", p.name)])
