"""A camera frame, and validation of its array."""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
"""uint8 (H, W, 3), BGR."""

Gray = NDArray[np.uint8]
"""uint8 (H, W)."""

Points = NDArray[np.float32]
"""float32 (N, 2), pixels (x, y)."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture.

    Attributes:
        image: uint8 (H, W, 3), BGR; never modified.
        t: seconds since the source's start, monotonic.
        number: index of the frame in the source.
    """

    image: Image
    t: float
    number: int


def check_image(image: Any) -> Image:
    """Return the array if it is a picture (it may be empty).

    Raises:
        ValueError: it is not a uint8 (H, W, 3) array.

    >>> check_image(np.zeros((480, 640), np.float32))
    Traceback (most recent call last):
    ...
    ValueError: frame must be uint8 (H, W, 3), got float32 (480, 640)
    """
    if not isinstance(image, np.ndarray):
        raise ValueError(f"frame must be uint8 (H, W, 3), got {type(image).__name__}")
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3:
        raise ValueError(f"frame must be uint8 (H, W, 3), got {image.dtype} {image.shape}")
    return image


def median_of(gray: Gray) -> float:
    """Return the median level of a picture; much faster than sorting.

    >>> median_of(np.array([[1, 200], [3, 4]], np.uint8))
    3.5
    """
    counts = np.cumsum(cv2.calcHist([gray], [0], None, [256], [0.0, 256.0]))
    middle = counts[-1] / 2
    low, high = np.searchsorted(counts, middle, "left"), np.searchsorted(counts, middle, "right")
    return float(low + min(high, 255)) / 2


def to_gray(image: Image) -> Gray:
    """Return the picture's brightness, uint8 (H, W).

    >>> to_gray(np.zeros((0, 4, 3), np.uint8)).shape
    (0, 4)
    """
    if image.size == 0:
        return np.zeros(image.shape[:2], np.uint8)
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
