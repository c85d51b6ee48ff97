"""A camera that does not look straight down: where its axis is known, dice are set upright before they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.dice.faces.upright import DIE_PX, NEAR_PX
from companion.vision.frame import Image
from companion.vision.sightings import Point

UPPER_FACE: Final = 0.4
"""Height of the upper face over a die's middle, in sizes of the die; a d20's is 0.41, a d6's 0.35 to 0.5."""
MOST_TILT_DEG: Final = 35.0
"""Farther from the table's axis no die is read."""
_LEAST_TILT_DEG: Final = 4.0  # less cannot be told from the unevenness of a mat
_STEP: Final = 0.01  # of the distance to the vanishing line, over which the scale is compared


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


def axis_at(to_px: NDArray[np.float64], place: Point) -> Axis:
    """Return how the camera looks at a place of a plane whose map to the picture is known.

    Around the place the map is nearly affine: it shortens lengths in one direction only, by the cosine of the tilt, and
    enlarges what is nearer to the camera.

    Args:
        to_px: (3, 3) homography from the plane's own units, x right and y down, to pixels.
        place: in pixels.

    >>> axis_at(np.diag([2.0, 2.0, 1.0]), (100.0, 50.0))
    Axis(tilt_deg=0.0, towards_deg=0.0)
    >>> round(axis_at(np.diag([2.0, 1.6, 1.0]), (100.0, 50.0)).tilt_deg)
    37
    """
    x, y, w = np.linalg.inv(to_px) @ (*place, 1.0)
    there = np.array([x, y]) / w
    directions, lengths, own = np.linalg.svd(_stretch(to_px, there))
    tilt = float(np.degrees(np.arccos(min(1.0, lengths[1] / lengths[0]))))
    if tilt < _LEAST_TILT_DEG:
        return Axis(0.0)
    depth = abs(float(to_px[2] @ (*there, 1.0)))
    step = own[1] * _STEP * depth / max(1e-9, float(np.hypot(*to_px[2, :2])))
    nearer = [abs(float(np.linalg.det(_stretch(to_px, there + way * step)))) for way in (1, -1)]
    dx, dy = directions[:, 1] * (1 if nearer[0] >= nearer[1] else -1)
    return Axis(tilt, float(np.degrees(np.arctan2(-dy, dx)) % 360))


def _stretch(to_px: NDArray[np.float64], there: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the derivative (2, 2) of a homography at a place of its plane."""
    u, v, w = to_px @ (*there, 1.0)
    return np.asarray((to_px[:2, :2] - np.outer((u / w, v / w), to_px[2, :2])) / w)


def seen_from_above(near: Image, axis: Axis) -> Image:
    """Return a close crop, uint8 (208, 208, 3), with the upper face in its middle and as wide as it is high."""
    if axis.tilt_deg <= 0:
        return near
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    size = (NEAR_PX, NEAR_PX)
    return np.asarray(
        cv2.warpAffine(near, axis.rectifying(), size, flags=flags, borderMode=cv2.BORDER_REFLECT), np.uint8
    )
