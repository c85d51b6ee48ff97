"""Detects off-axis views of a twenty-faced die while the camera's axis is unknown.

From 21 degrees off the vertical a neighboring face may be more frontal than the upper one and is then read in its
place; from 30 degrees this happens on half of all dice. The cues are the die's contact with the table, its shadow and
the orientation of its faces. A small network sees all of them in one crop, rotated so that the number to be read is
upright.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.dice.boxes import CROP_SIDE, DieBox, crop_of
from companion.vision.frame import Image

OFF_AXIS_OUTPUTS: Final = ("hazard", "aside")
CONTEXT_PX: Final = 112
CONTEXT_SIDE: Final = 7 / 3
"""Side of the square around the die, in die sizes."""
UPRIGHT_PX: Final = 96
"""Side of the network's input, rotated upright."""


@dataclass(frozen=True, slots=True)
class OffAxis:
    """The network's output, as log-odds.

    Attributes:
        wrong_face: that the most frontal face is not the upper one.
        off_axis: that the camera stands more than 16 degrees off the vertical.
    """

    wrong_face: float
    off_axis: float


def context_crop(image: Image, die: DieBox, up_deg: float) -> Image:
    """Return a crop of a die and its surroundings, the number upright, uint8 (96, 96, 3).

    Args:
        up_deg: direction of the top of the number, clockwise from the top of the image.
    """
    return rotate_upright(crop_of(image, die, scale=CONTEXT_SIDE / CROP_SIDE, side_px=CONTEXT_PX), up_deg)


def rotate_upright(
    context: Image, up_deg: float, *, shift_px: tuple[float, float] = (0.0, 0.0), is_mirrored: bool = False
) -> Image:
    """Return the center, uint8 (96, 96, 3), of a context crop, uint8 (112, 112, 3): rotated, shifted, mirrored."""
    middle = ((CONTEXT_PX - 1) / 2,) * 2
    where = np.asarray(cv2.getRotationMatrix2D(middle, up_deg, 1.0), np.float64)
    where[:, 2] += np.array(shift_px) + (UPRIGHT_PX - CONTEXT_PX) / 2
    if is_mirrored:
        where[0] *= -1
        where[0, 2] += UPRIGHT_PX - 1
    size = (UPRIGHT_PX, UPRIGHT_PX)
    return np.asarray(cv2.warpAffine(context, where, size, borderMode=cv2.BORDER_REFLECT), np.uint8)


def off_axis_of(outputs: Mapping[str, NDArray[np.float32]]) -> OffAxis:
    """Return the log-odds for one crop from the network's outputs, each (1, 1)."""
    wrong_face, off_axis = (float(outputs[name][0, 0]) for name in OFF_AXIS_OUTPUTS)
    return OffAxis(wrong_face, off_axis)
