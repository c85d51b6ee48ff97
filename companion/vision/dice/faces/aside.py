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

ASIDE_OUTPUTS: Final = ("hazard", "aside")
AROUND_PX: Final = 112
AROUND: Final = 7 / 3
"""Side of the square round a die that is looked at, in its sizes."""
TURNED_PX: Final = 96
"""Side of what the network takes of it, turned upright."""


@dataclass(frozen=True, slots=True)
class Aside:
    """What the network says, as log-odds.

    Attributes:
        hazard: that the most frontal face is not the upper one.
        aside: that the camera stands more than 16 degrees off the vertical.
    """

    hazard: float
    aside: float


def around_crop(image: Image, die: DieBox, up_deg: float) -> Image:
    """Return a die and what lies around it, its number upright, uint8 (96, 96, 3).

    Args:
        up_deg: where the number's head points, clockwise from the picture's upper side.
    """
    return turned_upright(crop_of(image, die, scale=AROUND / CROP_SIDE, side_px=AROUND_PX), up_deg)


def turned_upright(
    around: Image, up_deg: float, *, shift_px: tuple[float, float] = (0.0, 0.0), is_mirrored: bool = False
) -> Image:
    """Return the middle, uint8 (96, 96, 3), of a die's surroundings, uint8 (112, 112, 3): turned, moved, mirrored."""
    middle = ((AROUND_PX - 1) / 2,) * 2
    where = np.asarray(cv2.getRotationMatrix2D(middle, up_deg, 1.0), np.float64)
    where[:, 2] += np.array(shift_px) + (TURNED_PX - AROUND_PX) / 2
    if is_mirrored:
        where[0] *= -1
        where[0, 2] += TURNED_PX - 1
    size = (TURNED_PX, TURNED_PX)
    return np.asarray(cv2.warpAffine(around, where, size, borderMode=cv2.BORDER_REFLECT), np.uint8)


def aside_of(outputs: Mapping[str, NDArray[np.float32]]) -> Aside:
    """Return what the network says about one crop, from its outputs, each (1, 1)."""
    hazard, aside = (float(outputs[name][0, 0]) for name in ASIDE_OUTPUTS)
    return Aside(hazard, aside)
