"""Where the camera's axis is not known: whether a die with twenty faces may be seen from aside.

From 21 degrees off the vertical a neighbour may face the camera more than the upper face does, and is then read; from
30 degrees on it does so on half of all dice. What betrays it is where the die stands, its shadow, and how its faces are
turned. A small network looks at all of these, the number that would be read upright.
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
"""Side of the square round a die that is looked at, in its sizes."""
UPRIGHT_PX: Final = 96
"""Side of what the network takes of it, turned upright."""


@dataclass(frozen=True, slots=True)
class OffAxis:
    """What the network says, as log-odds.

    Attributes:
        wrong_face: that the most frontal face is not the upper one.
        aside: that the camera stands more than 16 degrees off the vertical.
    """

    wrong_face: float
    off_axis: float


def context_crop(image: Image, die: DieBox, up_deg: float) -> Image:
    """Return a die and what lies around it, its number upright, uint8 (96, 96, 3).

    Args:
        up_deg: where the number's head points, clockwise from the picture's upper side.
    """
    return rotate_upright(crop_of(image, die, scale=CONTEXT_SIDE / CROP_SIDE, side_px=CONTEXT_PX), up_deg)


def rotate_upright(
    around: Image, up_deg: float, *, shift_px: tuple[float, float] = (0.0, 0.0), is_mirrored: bool = False
) -> Image:
    """Return the middle, uint8 (96, 96, 3), of a die's surroundings, uint8 (112, 112, 3): turned, moved, mirrored."""
    middle = ((CONTEXT_PX - 1) / 2,) * 2
    where = np.asarray(cv2.getRotationMatrix2D(middle, up_deg, 1.0), np.float64)
    where[:, 2] += np.array(shift_px) + (UPRIGHT_PX - CONTEXT_PX) / 2
    if is_mirrored:
        where[0] *= -1
        where[0, 2] += UPRIGHT_PX - 1
    size = (UPRIGHT_PX, UPRIGHT_PX)
    return np.asarray(cv2.warpAffine(around, where, size, borderMode=cv2.BORDER_REFLECT), np.uint8)


def off_axis_of(outputs: Mapping[str, NDArray[np.float32]]) -> OffAxis:
    """Return what the network says about one crop, from its outputs, each (1, 1)."""
    wrong_face, off_axis = (float(outputs[name][0, 0]) for name in OFF_AXIS_OUTPUTS)
    return OffAxis(wrong_face, off_axis)
