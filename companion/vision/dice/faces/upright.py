"""The two network inputs for a die: the whole die as it lies, and the number on its upper face, rotated upright."""

from typing import Final

import cv2
import numpy as np

from companion.vision.dice.boxes import CROP_PX, CROP_SIDE, DieBox, crop_of
from companion.vision.frame import Image

DIE_PX: Final = 128
"""Longer side of the die's box in a close crop."""
CLOSE_CROP_PX: Final = 208
"""Side of a close crop: the die and its surroundings."""
NUMBER_PX: Final = 64
"""Side of a number crop."""
NUMBER_SIDE: Final = 0.56
"""Side of a number crop, in die sizes: a d20's upper face except its corners."""
UP_BINS: Final = 36
"""Orientation bins; bin 0 is the top of the image, the others follow clockwise."""
AT_SCALE: Final = 10.0
"""The network's position outputs are in tenths of the die's size."""
NUMBER_CLASSES: Final = 21
"""1 to 20, and "no upright number"."""


def close_crop(image: Image, die: DieBox) -> Image:
    """Return a close crop of a die, uint8 (208, 208, 3) BGR, the die 128 pixels wide and centered."""
    return crop_of(image, die, scale=CLOSE_CROP_PX / (DIE_PX * CROP_SIDE), side_px=CLOSE_CROP_PX)


def whole_crop(crop: Image, *, turn_deg: float = 0.0, scale: float = 1.0) -> Image:
    """Return the network's whole-die input, uint8 (96, 96, 3), from a close crop, rotated counter-clockwise."""
    side = round(CLOSE_CROP_PX * CROP_PX / (DIE_PX * CROP_SIDE))
    small = np.asarray(cv2.resize(crop, (side, side), interpolation=cv2.INTER_AREA), np.uint8)
    middle = ((side - 1) / 2, (side - 1) / 2)
    return _cut(small, middle, turn_deg, scale, CROP_PX)


def number_crop(
    crop: Image, up_deg: float, at: tuple[float, float] = (0.0, 0.0), *, scale: float = 1.0
) -> Image:  # fmt: skip
    """Return the upper face's number, rotated upright, uint8 (64, 64, 3), from a close crop.

    Args:
        up_deg: direction of the top of the number, clockwise from the top of the image.
        at: the face's center relative to the crop's center, in die sizes.
    """
    middle = ((CLOSE_CROP_PX - 1) / 2 + at[0] * DIE_PX, (CLOSE_CROP_PX - 1) / 2 + at[1] * DIE_PX)
    return _cut(crop, middle, up_deg, scale * NUMBER_PX / (NUMBER_SIDE * DIE_PX), NUMBER_PX)


def _cut(image: Image, middle: tuple[float, float], turn_deg: float, scale: float, side: int) -> Image:
    where = np.asarray(cv2.getRotationMatrix2D(middle, turn_deg, scale), np.float64)
    where[:, 2] += (side - 1) / 2 - np.array(middle)
    cut = cv2.warpAffine(image, where, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(cut, np.uint8)
