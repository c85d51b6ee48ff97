"""Bounding boxes of dice, and the crops taken from them by all later steps."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Image, to_gray

CROP_PX: Final = 96
CROP_SIDE: Final = 1.25
"""Side of a crop, in die sizes."""
CONFIDENT_SCORE: Final = 0.5
"""Minimum score of a confident detection. Below it are objects that look like a die only at close range: a knuckle, or
a round mark in a printed ring."""

_CHANGED: Final = 3.5  # mean gray levels over the patch: noise causes 1, a shift by 4 % of the die's size 5
_THUMB: Final = 48

Box = tuple[int, int, int, int]
"""x, y, width, height, px."""


@dataclass(frozen=True, slots=True)
class DieBox:
    """A detected die.

    Attributes:
        box: bounding box, px.
        score: detection confidence, 0 to 1.

    >>> DieBox((10, 20, 40, 36), 0.9).size_px
    40
    """

    box: Box
    score: float

    @property
    def size_px(self) -> int:
        """The larger side of the box."""
        return max(self.box[2], self.box[3])

    @property
    def center(self) -> tuple[float, float]:
        x, y, w, h = self.box
        return x + w / 2, y + h / 2


def crop_of(image: Image, die: DieBox, *, scale: float = 1.0, side_px: int = CROP_PX) -> Image:
    """Return the square crop around a die, uint8 (side_px, side_px, 3) BGR; the image border is replicated.

    Args:
        scale: 1.0 is the scale the network was trained with.
    """
    side = max(4.0, CROP_SIDE * die.size_px * scale)
    patch = square_of(image, die.center, side)
    way = cv2.INTER_AREA if patch.shape[0] > side_px else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(patch, (side_px, side_px), interpolation=way), np.uint8)


def square_of(image: Image, center: tuple[float, float], side: float) -> Image:
    """Return a square of about this side around a point; the image border is replicated."""
    half = side / 2
    x0, y0 = round(center[0] - half), round(center[1] - half)
    x1, y1 = max(x0 + 1, round(center[0] + half)), max(y0 + 1, round(center[1] + half))
    h, w = image.shape[:2]
    inside = image[max(0, y0) : max(1, min(h, y1)), max(0, x0) : max(1, min(w, x1))]
    if inside.size == 0:
        inside = image[min(max(y0, 0), h - 1) :, min(max(x0, 0), w - 1) :][:1, :1]
    around = (max(0, -y0), max(0, y1 - h), max(0, -x0), max(0, x1 - w))
    if not any(around):
        return inside
    return np.asarray(cv2.copyMakeBorder(inside, *around, cv2.BORDER_REPLICATE), np.uint8)


def gray_patch(image: Image, box: Box, side_px: int = _THUMB) -> NDArray[np.float32]:
    """Return a blurred gray patch of a die's box, float32 (side_px, side_px), to compare with `has_changed`."""
    gray = to_gray(crop_of(image, DieBox(box, 1.0), side_px=side_px))
    return np.asarray(cv2.GaussianBlur(gray, (3, 3), 0), np.float32)


def has_changed(before: NDArray[np.float32], now: NDArray[np.float32], most: float = _CHANGED) -> bool:
    """Return whether two patches (see `gray_patch`) differ by more than the lighting.

    The detected boxes of a resting die cannot be compared instead: they jitter, as its shadow is now included, now not.
    """
    change = before - now
    return float(np.mean(np.abs(change - np.median(change)))) > most


def has_moved(before: Image, now: Image, box: Box) -> bool:
    """Return whether a die's box shows something else than in the picture a moment ago."""
    return before.shape != now.shape or has_changed(gray_patch(before, box), gray_patch(now, box))


def overlap(a: Box, b: Box) -> float:
    """Return the intersection over the smaller box's area.

    >>> overlap((0, 0, 10, 10), (5, 0, 20, 10))
    0.5
    """
    wide = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    high = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    if wide <= 0 or high <= 0:
        return 0.0
    return wide * high / max(1, min(a[2] * a[3], b[2] * b[3]))


def iou(a: Box, b: Box) -> float:
    """Return the intersection over union of two boxes.

    >>> iou((0, 0, 10, 10), (0, 0, 20, 10))
    0.5
    """
    shared = overlap(a, b) * min(a[2] * a[3], b[2] * b[3])
    return shared / max(1.0, a[2] * a[3] + b[2] * b[3] - shared)
