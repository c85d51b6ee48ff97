"""Pinhole model of the demo table's camera: projects table coordinates in millimetres to pixels.

Table coordinates: x to the right, y towards the dealer (down in the image), z up from the felt. The origin is the
point on the felt at the centre of the image.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_FOCAL_OF_WIDTH = 0.77  # focal length / image width of a Raspberry Pi Camera Module 3: 66 degrees horizontally


@dataclass(frozen=True, slots=True)
class Pinhole:
    """An ideal camera above the dealer's side of the table, slightly tilted.

    Args:
        size: image width and height, px.
        px_per_mm: scale at the centre of the image.
        tilt_deg: tilt from looking straight down.
        roll_deg: rotation about the optical axis, from imperfect mounting.
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
        """Projection matrix (3, 4) from homogeneous table coordinates (mm) to homogeneous pixels."""
        tilt, roll = math.radians(self.tilt_deg), math.radians(self.roll_deg)
        distance = self.focal_px / self.px_per_mm
        right = np.array([1.0, 0.0, 0.0])
        down = np.array([0.0, math.cos(tilt), -math.sin(tilt)])
        ahead = np.array([0.0, -math.sin(tilt), -math.cos(tilt)])
        turned = math.cos(roll) * right + math.sin(roll) * down
        down = math.cos(roll) * down - math.sin(roll) * right
        rows = np.vstack([turned, down, ahead])
        outer = np.hstack([rows, (rows @ (ahead * distance))[:, None]])  # camera centre: -ahead * distance
        width, height = self.size
        inner = np.array([[self.focal_px, 0, width / 2], [0, self.focal_px, height / 2], [0, 0, 1.0]])
        result: Array = inner @ outer
        return result

    def project(self, points_mm: Array) -> Array:
        """Project table points, (N, 3) x, y, z in mm, to pixels, (N, 2)."""
        homogeneous = np.hstack([points_mm, np.ones((len(points_mm), 1))]) @ self.matrix.T
        result: Array = homogeneous[:, :2] / homogeneous[:, 2:]
        return result

    def plane(self, z_mm: float = 0.0) -> Array:
        """Return the homography (3, 3) from the plane at height z, (x, y) in mm, to pixels."""
        m = self.matrix
        result: Array = np.column_stack([m[:, 0], m[:, 1], m[:, 2] * z_mm + m[:, 3]])
        return result


class TelephotoCamera(Pinhole):
    """A camera with a longer focal length, for a tray, a bowl or a wheel."""

    @cached_property
    def focal_px(self) -> float:
        return 1.62 * self.size[0]
