"""Draws recognized objects on the camera picture, so that the dealer sees what was recognized.

Each state has its own color, line style and label: no one needs to distinguish red from green.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np

from companion.vision.frame import Image, Points
from companion.vision.sightings import Quad

MarkKind = Literal["counted", "seen", "tag", "stranger", "asked", "token"]
Color = tuple[int, int, int]

PICTURE_WIDTH: Final = 1280
_JPEG_QUALITY: Final = 80
# Blue, green, red: the Okabe-Ito palette, which is safe for color-blind people.
_COLORS: Final[dict[MarkKind, Color]] = {
    "counted": (115, 158, 0),
    "seen": (233, 180, 86),
    "tag": (66, 228, 240),
    "stranger": (0, 94, 213),
    "asked": (0, 159, 230),
    "token": (167, 121, 204),
}
_DASHED: Final = ("tag", "asked")
_FONT: Final = cv2.FONT_HERSHEY_DUPLEX


@dataclass(frozen=True, slots=True)
class Mark:
    """An annotation of one object.

    Attributes:
        outline: pixels of the full picture.
        label: short, plain ASCII; empty for an outline alone.
        kind: `counted` solid; `seen` thin; `tag` and `asked` dashed; `stranger` crossed out.
    """

    outline: Quad
    label: str
    kind: MarkKind


def annotate(image: Image, marks: Sequence[Mark], banner: str = "", width: int = PICTURE_WIDTH) -> Image:
    """Return a smaller copy of the picture with the marks drawn on it.

    Args:
        image: uint8 (H, W, 3) BGR; not modified.
        banner: a line at the top that concerns the whole picture.
        width: of the copy, px; smaller pictures are not enlarged.
    """
    height, full = image.shape[:2]
    scale = min(1.0, width / max(1, full))
    size = (max(1, round(full * scale)), max(1, round(height * scale)))
    picture = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    for mark in marks:
        _draw(picture, np.array(mark.outline, np.float32) * scale, mark)
    if banner:
        _write(picture, banner, (size[0] // 2, 22), 28, (40, 40, 40))
    return picture


def to_jpeg(image: Image, quality: int = _JPEG_QUALITY) -> bytes:
    """Return a picture as JPEG.

    Raises:
        ValueError: the picture is empty.
    """
    if image.size == 0:
        raise ValueError("an empty picture cannot be written as JPEG")
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise ValueError(f"a picture of shape {image.shape} cannot be written as JPEG")
    return data.tobytes()


def _draw(picture: Image, outline: Points, mark: Mark) -> None:
    color = _COLORS[mark.kind]
    points = outline.round().astype(np.int32)
    thick = 2 if mark.kind == "seen" else 4
    if mark.kind in _DASHED:
        for a, b in zip(points, np.roll(points, -1, axis=0), strict=True):
            _dashes(picture, a, b, color, thick)
    else:
        cv2.polylines(picture, [points], True, color, thick, cv2.LINE_AA)
    if mark.kind == "stranger":
        for a, b in ((0, 2), (1, 3)):
            cv2.line(picture, _xy(points[a]), _xy(points[b]), color, thick, cv2.LINE_AA)
    if not mark.label:
        return
    wide = float(np.linalg.norm(outline[1] - outline[0]))
    top = outline[np.argsort(outline[:, 1])[:2]].mean(axis=0)  # the edge that shows most in a staggered row of cards
    _write(picture, mark.label, (int(top[0]), int(top[1]) + 14), max(16, round(0.26 * wide)), color)


def _dashes(picture: Image, a: Points, b: Points, color: Color, thick: int) -> None:
    length = float(np.linalg.norm(b - a))
    steps = max(1, int(length / 14))
    for i in range(0, steps, 2):
        start, end = a + (b - a) * (i / steps), a + (b - a) * ((i + 1) / steps)
        cv2.line(picture, _xy(start), _xy(end), color, thick, cv2.LINE_AA)


def _write(picture: Image, text: str, middle: tuple[int, int], tall_px: int, color: Color) -> None:
    """Write a line of text on a plate of this color, shifted to fit into the picture."""
    plain = text.encode("ascii", "replace").decode()
    scale = tall_px / 30
    (w, h), below = cv2.getTextSize(plain, _FONT, scale, 1)
    height, width = picture.shape[:2]
    x = int(np.clip(middle[0] - w // 2, 3, max(3, width - w - 3)))
    y = int(np.clip(middle[1] + h // 2, h + 3, max(h + 3, height - below - 3)))
    cv2.rectangle(picture, (x - 4, y - h - 4), (x + w + 4, y + below), color, -1)
    dark = sum(color) < 300
    cv2.putText(picture, plain, (x, y), _FONT, scale, (255, 255, 255) if dark else (0, 0, 0), 1, cv2.LINE_AA)


def _xy(point: Points) -> tuple[int, int]:
    return int(point[0]), int(point[1])
