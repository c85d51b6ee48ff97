"""Opens pictures and videos for `companion read`; the type is detected from the content, not the name."""

import io
import os
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from PIL import Image as Pillow

from companion.kernel.errors import CompanionError
from companion.vision.frame import Frame, Image
from companion.vision.picture_size import excess

_PICTURE_STARTS: Final = (
    b"\xff\xd8\xff",  # JPEG
    b"\x89PNG",
    b"BM",
    b"II*\0",  # TIFF
    b"MM\0*",
    b"P5",  # PGM, PPM
    b"P6",
)
_PICTURE_NAMES: Final = {".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".ppm", ".pgm"}
_SPARE_FRAMES: Final = 2  # containers may report a frame or two too many
_NEITHER: Final = "The file is no picture or video that can be read, or it is cut short. Take or copy it again."


class UnreadableFile(CompanionError):
    """A file that is missing, broken, or not a picture or video."""


@dataclass(frozen=True, slots=True)
class Video:
    """An open video."""

    capture: cv2.VideoCapture
    frames: int  # from the container; 0 if unknown

    def __iter__(self) -> Iterator[Frame]:
        """Yield the frames with their times.

        Raises:
            UnreadableFile: the video is truncated.
        """
        rate = self.capture.get(cv2.CAP_PROP_FPS) or 30.0
        number, last = 0, -1.0
        try:
            while True:
                ok, image = self.capture.read()
                if not ok or image is None:
                    break
                t = self.capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
                t = t if t > last else number / rate
                last = t = max(t, last)
                yield Frame(np.asarray(image, np.uint8), round(t, 4), number)
                number += 1
        finally:
            self.capture.release()
        if number == 0:
            raise UnreadableFile(_NEITHER)
        if number < 0.97 * self.frames - _SPARE_FRAMES:
            raise UnreadableFile(
                f"The video breaks off after {number} of {self.frames} frames. Copy or record it again."
            )


def open_file(path: Path) -> Image | Video:
    """Return a picture's pixels, or an open video.

    Raises:
        UnreadableFile: the file is missing, empty, broken, or neither.
    """
    try:
        with path.open("rb") as file:
            start = file.read(32)
            if is_picture(start):
                return _picture(start + file.read())
    except OSError as error:
        reason = error.strerror or str(error)
        raise UnreadableFile(f"The file cannot be opened ({reason}). Check its name and permissions.") from error
    if not start:
        raise UnreadableFile("The file is empty. Copy or take it again.")
    return _video(path)


def is_picture(start: bytes) -> bool:
    """Whether a file that starts with these bytes is a still picture.

    >>> is_picture(b"RIFF....WEBPVP8 "), is_picture(b"RIFF....AVI LIST")
    (True, False)
    """
    return start.startswith(_PICTURE_STARTS) or (start[:4] == b"RIFF" and start[8:12] == b"WEBP")


def files_of(path: Path) -> list[Path]:
    """Return a folder's pictures in their natural order (2 before 10), or the path itself.

    Raises:
        UnreadableFile: the folder has no pictures.
    """
    if not path.is_dir():
        return [path]
    found = [p for p in path.iterdir() if p.suffix.lower() in _PICTURE_NAMES and p.is_file()]
    if not found:
        raise UnreadableFile("The folder has no pictures. Name one with .jpg or .png files in it.")
    return sorted(found, key=_natural)


def _natural(path: Path) -> list[tuple[int, str]]:
    parts = re.split(r"(\d+)", path.name.lower())
    return [(int(p), "") if p.isdecimal() else (-1, p) for p in parts]


def _picture(data: bytes) -> Image:
    _check_whole(data)
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error as error:
        raise UnreadableFile("The picture is too large or broken. Take or copy it again.") from error
    if image is None:
        raise UnreadableFile("The picture is broken. Take or copy it again.")
    return np.asarray(image, np.uint8)


def _check_whole(data: bytes) -> None:
    """Check with Pillow that a picture is complete and not too large; OpenCV silently decodes truncated ones.

    Raises:
        UnreadableFile: the picture is truncated or too large.
    """
    try:
        if much := excess(data):
            raise UnreadableFile(f"The picture has {much}. Make it smaller, or take it again.")
        with warnings.catch_warnings(action="ignore"), Pillow.open(io.BytesIO(data)) as picture:
            picture.load()
    except (OSError, SyntaxError, ValueError) as error:
        raise UnreadableFile("The picture is cut short or broken. Take or copy it again.") from error


def _video(path: Path) -> Video:
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # our own error message suffices
    if not _is_utf8(path):  # OpenCV crashes the process on such names (signal 11)
        raise UnreadableFile("The file's name is not UTF-8, and videos with such names cannot be opened. Rename it.")
    capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    if not capture.isOpened():
        raise UnreadableFile(_NEITHER)
    count = capture.get(cv2.CAP_PROP_FRAME_COUNT)
    return Video(capture, int(count) if 0 < count < 1e8 else 0)


def _is_utf8(path: Path) -> bool:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True
