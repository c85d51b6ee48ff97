"""Pinhole model of the demo table's camera: table millimetres to pixels, at any height above the felt.

Table coordinates: x to the right, y towards the dealer (down in the picture), z up from the felt; the
origin is at the picture's centre.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_FOCAL_OF_WIDTH = 0.77  # a Raspberry Pi camera module 3: 66 degrees across


@dataclass(frozen=True, slots=True)
class Pinhole:
    """An ideal camera above the dealer's side of the table, tilted a little.

    Args:
        size: picture width and height, px.
        px_per_mm: scale in the middle of the picture.
        tilt_deg: 0 is straight down.
        roll_deg: how crooked it was screwed on.
    """

    size: tuple[int, int]
    px_per_mm: float
    tilt_deg: float = 7.0
    roll_deg: float = -0.7

    @property
    def focal_px(self) -> float:
        return _FOCAL_OF_WIDTH * self.size[0]

    @property
    def matrix(self) -> Array:
        """(3, 4): homogeneous table point (mm) to homogeneous pixel."""
        tilt, roll = math.radians(self.tilt_deg), math.radians(self.roll_deg)
        distance = self.focal_px / self.px_per_mm
        right = np.array([1.0, 0.0, 0.0])
        down = np.array([0.0, math.cos(tilt), -math.sin(tilt)])
        ahead = np.array([0.0, -math.sin(tilt), -math.cos(tilt)])
        turned = math.cos(roll) * right + math.sin(roll) * down
        down = math.cos(roll) * down - math.sin(roll) * right
        rows = np.vstack([turned, down, ahead])
        outer = np.hstack([rows, (rows @ (ahead * distance))[:, None]])  # the camera sits at -ahead * distance
        width, height = self.size
        inner = np.array([[self.focal_px, 0, width / 2], [0, self.focal_px, height / 2], [0, 0, 1.0]])
        result: Array = inner @ outer
        return result

    def project(self, points_mm: Array) -> Array:
        """Return where table points appear.

        Args:
            points_mm: (N, 3) x, y, z.

        Returns:
            (N, 2) pixels.
        """
        homogeneous = np.hstack([points_mm, np.ones((len(points_mm), 1))]) @ self.matrix.T
        result: Array = homogeneous[:, :2] / homogeneous[:, 2:]
        return result

    def plane(self, z_mm: float = 0.0) -> Array:
        """Return the (3, 3) homography from (x, y) mm at height z to pixels."""
        m = self.matrix
        result: Array = np.column_stack([m[:, 0], m[:, 1], m[:, 2] * z_mm + m[:, 3]])
        return result


class LongLens(Pinhole):
    """A camera with a longer lens, straight above a tray, a bowl or a wheel."""

    @cached_property
    def focal_px(self) -> float:
        return 1.62 * self.size[0]
