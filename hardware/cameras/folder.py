"""A folder of pictures as a camera."""

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
    """Shows a folder's pictures in the order of their names; numbers in names count as numbers.

    A picture that cannot be read is skipped with a warning.

    Args:
        path: the folder.
        fps: pictures a second, 0 as fast as they are read.
        loop: starts again at the end.

    Raises:
        CameraError: there is no such folder, or no picture in it.
    """

    is_film = True

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
        """Return the next picture, None if it is not due within the timeout.

        Raises:
            CameraEnded: all have been shown.
            CameraLost: the camera was closed, or none of the files is left.
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
        """Stop showing pictures."""
        self._closed = True

    def _next_image(self) -> Image:
        broken = 0
        while broken < len(self._files):
            if self._position >= len(self._files):
                if not self._loop:
                    break
                self._position = 0
            path = self._files[self._position]
            self._position += 1
            try:
                return read_image(path)
            except CameraError as error:
                broken += 1
                self.skipped.append(path.name)
                log.warning("%s", error)
        if broken and not self._number:
            raise CameraLost.saying(
                "None of the {n} pictures in {folder} can be read. Copy them again.", n=broken, folder=self.name
            )
        raise CameraEnded.saying("All pictures in {folder} have been shown.", folder=self.name)


def list_pictures(path: Path) -> list[Path]:
    """Return a folder's picture files: ``2.png`` before ``10.png``.

    Raises:
        CameraError: there is no such folder, or no picture in it.
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
