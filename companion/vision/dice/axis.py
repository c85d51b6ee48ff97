"""The camera's axis: dice seen off-axis by a known axis are rectified before they are read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.dice.boxes import Box
from companion.vision.dice.faces.upright import CLOSE_CROP_PX, DIE_PX
from companion.vision.frame import Image
from companion.vision.sightings import Point

UPPER_FACE_HEIGHT: Final = 0.4
"""Height of the upper face above a die's center, in die sizes; a d20's is 0.41, a d6's 0.35 to 0.5."""
MAX_TILT_DEG: Final = 35.0
"""Maximum tilt of the camera's axis from nadir to read dice."""
MAX_SEEN_DEG: Final = 42.0
"""Maximum viewing angle of a single die, larger at the far edge of the picture. Of 960 rendered dice seen at 34 to 46
degrees, half of them with an axis error of four degrees, 882 are answered, none wrong."""
VIEW_DEG: Final = 55.0
"""Default horizontal angle of view. Raspberry Pi cameras have 54 to 66, most webcams 50 to 70; the 598 dice
photographed by one webcam fit one axis per picture best at 48 to 58, hardly worse at 66, and far worse at 0."""
_MIN_TILT_DEG: Final = 4.0  # below this it is indistinguishable from an uneven mat
_LENS_OBSERVABLE_DEG: Final = 10.0
"""Minimum tilt to estimate the angle of view from a mat; nearer to nadir it is hardly observable."""
_VIEWS_DEG: Final = (25.0, 120.0)  # estimates from a mat outside this range are errors
_MIN_DISTANCE: Final = 12.0
"""Minimum distance of the camera, in die sizes: if a die appears nearer, the picture is a cropped part of the view."""
_STEP: Final = 0.01  # relative to the distance to the vanishing line: step over which the scale is compared


@dataclass(frozen=True, slots=True)
class Lens:
    """Pinhole projection with square pixels.

    Attributes:
        width: picture width at distance one, twice the tangent of half the horizontal angle of view; 0 for orthographic
            projection.
        principal_point: as shares of the picture's width and height.
    """

    width: float
    principal_point: Point = (0.5, 0.5)

    @classmethod
    def of_view(cls, view_deg: float | None) -> Lens:
        """Return the lens with this horizontal angle of view; the default one if None.

        >>> Lens.of_view(90.0)
        Lens(width=2.0, principal_point=(0.5, 0.5))
        """
        return cls(round(2 * float(np.tan(np.radians(VIEW_DEG if view_deg is None else view_deg) / 2)), 6))

    @property
    def view_deg(self) -> float:
        """The horizontal angle of view.

        >>> round(Lens.of_view(66.0).view_deg, 3)
        66.0
        """
        return 2 * float(np.degrees(np.arctan(self.width / 2)))

    def within(self, part: tuple[float, float, float, float]) -> Lens:
        """Return the lens for a part of the picture: left, top, width, height as shares.

        >>> Lens(1.0).within((0.5, 0.0, 0.5, 1.0))
        Lens(width=0.5, principal_point=(0.0, 0.5))
        """
        left, top, width, height = part
        x, y = self.principal_point
        return Lens(self.width * width, ((x - left) / width, (y - top) / height))

    def slope(self, place: Point, shape: tuple[int, ...], size_px: float = 0.0) -> Point:
        """Return the slope of the ray to an image point: its offset from the line of sight at distance one.

        Args:
            place: px.
            shape: the picture's height and width.
            size_px: size of a die there; see `_MIN_DISTANCE`.
        """
        height, width = shape[:2]
        each = self.width / max(width, self.width * _MIN_DISTANCE * size_px)
        return (place[0] - self.principal_point[0] * width) * each, (place[1] - self.principal_point[1] * height) * each


DEFAULT_LENS: Final = Lens.of_view(None)
ORTHOGRAPHIC: Final = Lens(0.0)
"""For pictures rendered without perspective."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The camera's orientation towards the table.

    Attributes:
        tilt_deg: angle between the line of sight and the table's normal; 0 looks straight down.
        towards_deg: azimuth of the camera in the image; 0 is right, 90 up.
        lens: for the picture, or the part of it in which dice are read.
    """

    tilt_deg: float
    towards_deg: float = 0.0
    lens: Lens = DEFAULT_LENS

    def within(self, part: tuple[float, float, float, float]) -> Axis:
        """Return the axis for a part of the picture: left, top, width, height as shares."""
        return replace(self, lens=self.lens.within(part))

    def at(self, box: Box, shape: tuple[int, ...]) -> Slant:
        """Return the view of a die with this box (px) in a picture of this height and width."""
        x, y, w, h = box
        return self.along(self.lens.slope((x + w / 2, y + h / 2), shape, max(w, h)))

    def along(self, slope: Point = (0.0, 0.0)) -> Slant:
        """Return the view along a ray of this slope.

        >>> round(Axis(0.0).along((1.0, 0.0)).tilt_deg)
        45
        """
        t, w = np.radians(self.tilt_deg), np.radians(self.towards_deg)
        straight = np.array([0.0, 0.0, -1.0])  # x right, y down, z into the picture
        normal = np.array([-np.sin(t) * np.cos(w), np.sin(t) * np.sin(w), -np.cos(t)])
        ray = np.array([*slope, 1.0])
        tilt = float(np.degrees(np.arccos(min(1.0, -(normal @ ray) / float(np.linalg.norm(ray))))))
        # weak perspective around the ray: an offset (x, y, z) projects to (x, y) - z * slope
        seen = np.hstack([np.eye(2), -ray[:2, None]])
        face = seen @ (np.eye(3)[:2] - np.outer(normal[:2], normal + straight) / (1 - normal[2])).T
        ways, lengths, _ = np.linalg.svd(face)
        larger = float(np.sqrt(1 + max(slope[0] ** 2, slope[1] ** 2)))  # a ball's box grows off the line of sight
        return Slant(tilt, ways @ np.diag(lengths) @ ways.T / larger, UPPER_FACE_HEIGHT * (seen @ normal) / larger)


@dataclass(frozen=True, slots=True, eq=False)
class Slant:
    """The view of one die.

    Attributes:
        tilt_deg: angle between the ray to it and the table's normal.
        flat: (2, 2), affine map from its upper face to the image, without rotation, in sizes of its box.
        shift: (2,), offset of its upper face from its center in the image, likewise.
    """

    tilt_deg: float
    flat: NDArray[np.float64]
    shift: NDArray[np.float64]

    def rectifying(self) -> NDArray[np.float64]:
        """Return the affine map (2, 3) from pixels of the rectified close crop to pixels of the original."""
        middle = np.full(2, (CLOSE_CROP_PX - 1) / 2)
        return np.hstack([self.flat, (middle - self.flat @ middle + self.shift * DIE_PX)[:, None]])


def axis_of_plane(to_px: NDArray[np.float64], shape: tuple[int, ...]) -> Axis:
    """Return the camera's axis from the homography of a plane.

    At the image center the homography is nearly affine: it foreshortens one direction by the cosine of the tilt, and
    the scale grows towards the camera.

    Args:
        to_px: (3, 3) homography from plane units, x right and y down, to pixels.
        shape: the picture's height and width.

    >>> axis_of_plane(np.diag([2.0, 2.0, 1.0]), (480, 640)).tilt_deg
    0.0
    >>> round(axis_of_plane(np.diag([2.0, 1.6, 1.0]), (480, 640)).tilt_deg)
    37
    """
    middle = np.array([shape[1] / 2, shape[0] / 2])
    x, y, w = np.linalg.inv(to_px) @ (*middle, 1.0)
    there = np.array([x, y]) / w
    directions, lengths, own = np.linalg.svd(_stretch(to_px, there))
    tilt = float(np.degrees(np.arccos(min(1.0, lengths[1] / lengths[0]))))
    if tilt < _MIN_TILT_DEG:
        return Axis(0.0)
    depth = abs(float(to_px[2] @ (*there, 1.0)))
    step = own[1] * _STEP * depth / max(1e-9, float(np.hypot(*to_px[2, :2])))
    nearer = [abs(float(np.linalg.det(_stretch(to_px, there + way * step)))) for way in (1, -1)]
    dx, dy = directions[:, 1] * (1 if nearer[0] >= nearer[1] else -1)
    lens = _lens_of_plane(to_px, middle) if tilt > _LENS_OBSERVABLE_DEG else DEFAULT_LENS
    return Axis(tilt, float(np.degrees(np.arctan2(-dy, dx)) % 360), lens)


def _lens_of_plane(to_px: NDArray[np.float64], middle: NDArray[np.float64]) -> Lens:
    """Return the lens for which the plane's two axes are orthogonal and of equal scale.

    Hartley and Zisserman, Multiple View Geometry, 2nd edition, section 8.8: two equations for the focal length.
    """
    (a, b), (c, d) = (to_px[:2, :2] - np.outer(middle, to_px[2, :2])) / middle[0]  # half the picture's width is one
    e, f = to_px[2, :2]
    on_plane, across = np.array([a * b + c * d, a * a + c * c - b * b - d * d]), np.array([e * f, e * e - f * f])
    squared = -float(on_plane @ across) / max(1e-30, float(across @ across))
    if squared <= 0 or not _VIEWS_DEG[0] < (view := 2 * np.degrees(np.arctan(1 / np.sqrt(squared)))) < _VIEWS_DEG[1]:
        return DEFAULT_LENS
    return Lens.of_view(float(view))


def _stretch(to_px: NDArray[np.float64], there: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Jacobian (2, 2) of a homography at a point of its plane."""
    u, v, w = to_px @ (*there, 1.0)
    return np.asarray((to_px[:2, :2] - np.outer((u / w, v / w), to_px[2, :2])) / w)


def seen_from_above(crop: Image, slant: Slant) -> Image:
    """Return a close crop, uint8 (208, 208, 3), rectified: the upper face centered and not foreshortened."""
    if slant.tilt_deg <= 0:
        return crop
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    size = (CLOSE_CROP_PX, CLOSE_CROP_PX)
    return np.asarray(
        cv2.warpAffine(crop, slant.rectifying(), size, flags=flags, borderMode=cv2.BORDER_REFLECT), np.uint8
    )
