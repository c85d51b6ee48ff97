"""A camera that does not look straight down: where its axis is known, dice are set upright before they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.dice.faces.upright import DIE_PX, NEAR_PX
from companion.vision.frame import Image

UPPER_FACE: Final = 0.4
"""Height of the upper face over a die's middle, in sizes of the die; a d20's is 0.41, a d6's 0.35 to 0.5."""
MOST_TILT_DEG: Final = 35.0
"""Farther from the table's axis no die is read."""


@dataclass(frozen=True, slots=True)
class Axis:
    """How a camera looks at the table.

    Attributes:
        tilt_deg: angle between the line of sight and the table's normal; 0 looks straight down.
        towards_deg: the direction in the picture in which the camera stands off; 0 is the picture's right, 90 its
            upper side.
    """

    tilt_deg: float
    towards_deg: float = 0.0

    def rectifying(self) -> NDArray[np.float64]:
        """Return where (2, 3) a close crop shows what it would show at a pixel if it were seen from above."""
        t, w = np.radians(self.tilt_deg), np.radians(self.towards_deg)
        up = np.array([-np.cos(w), np.sin(w)])
        flat = np.eye(2) - (1 - np.cos(t)) * np.outer(up, up)
        middle = np.full(2, (NEAR_PX - 1) / 2)
        shift = UPPER_FACE * DIE_PX * np.sin(t) * up
        return np.hstack([flat, (middle - flat @ middle + shift)[:, None]])


def seen_from_above(near: Image, axis: Axis) -> Image:
    """Return a close crop, uint8 (208, 208, 3), with the upper face in its middle and as wide as it is high."""
    if axis.tilt_deg <= 0:
        return near
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    size = (NEAR_PX, NEAR_PX)
    return np.asarray(
        cv2.warpAffine(near, axis.rectifying(), size, flags=flags, borderMode=cv2.BORDER_REFLECT), np.uint8
    )
