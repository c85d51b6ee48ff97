"""Estimates off-axis viewing from the ellipses of round containers: rims and rings that dice lie in.

A die alone cannot show it: from 42 degrees off-axis a d20's neighboring face is as frontal as the upper face is from
above, in the same outline.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.dice.boxes import DieBox
from companion.vision.dice.finding.segments import shrunk
from companion.vision.frame import Image

OFF_AXIS_ASPECT: Final = 0.92
"""Aspect ratio (minor by major axis) of a circle seen 23 degrees off-axis; from 21 a face other than the upper one is
read. Of 66 cups and bowls photographed from above the least round has 0.93."""
_MIN_ASPECT: Final = 0.7
"""45 degrees off-axis; below this aspect ratio it is more likely an oval object, or two sides of a rectangle."""
_SIDE: Final = 480
_CONTAINER_SIZE: Final = 1.8  # minimum major axis of a container, in die sizes
_MIN_ARC_PX: Final = 40
_SPLIT_ARC_PX: Final = 120  # contours this long are also fitted by halves: at a crossing they follow the wrong edge
_PARTS: Final = 6
_EDGES: Final = ((0, 30), (1, 14), (2, 14))  # channel of LAB, Canny threshold
_POINTS: Final = 90
_MIN_SUPPORT: Final = 0.55  # share of the ellipse on edges; other objects hide part of it
_NEAR_PX: Final = 1.5
_ALONG_COS: Final = 0.9  # minimum cosine between the normals of edge and ellipse
_ANGLES: Final = np.linspace(0, 2 * np.pi, _POINTS, endpoint=False)


def container_aspect(picture: Image, dice: Sequence[DieBox]) -> float | None:
    """Return the median aspect ratio, minor by major axis, of the ellipses that contain dice; None without any.

    Args:
        picture: uint8 (H, W, 3) BGR.
    """
    if not dice:
        return None
    small = shrunk(picture, _SIDE)
    scale = small.shape[1] / picture.shape[1]
    edges = _Edges.of(small)
    least = _CONTAINER_SIZE * scale * min(die.size_px for die in dice)
    fitted = _ellipses(edges.lines, least, max(small.shape))
    ellipses = [ellipse for ellipse in fitted if edges.support_of(ellipse) > _MIN_SUPPORT]
    middles = [(die.center[0] * scale, die.center[1] * scale, _CONTAINER_SIZE * scale * die.size_px) for die in dice]
    aspects = [e.aspect for x, y, size in middles for e in ellipses if e.long >= size and e.contains(x, y)]
    return float(np.median(aspects)) if aspects else None


@dataclass(frozen=True, slots=True)
class _Ellipse:
    """Center, diameters along its two axes, and the angle of the first from the image's x axis."""

    x: float
    y: float
    across: float
    along: float
    turned_deg: float

    @property
    def long(self) -> float:
        return max(self.across, self.along)

    @property
    def aspect(self) -> float:
        return min(self.across, self.along) / self.long

    def contains(self, x: float, y: float) -> bool:
        u, v = np.array([x - self.x, y - self.y]) @ self._axes().T
        return bool((2 * u / self.across) ** 2 + (2 * v / self.along) ** 2 < 1)

    def outline(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return points along it (n, 2) and the outward normals there (n, 2)."""
        circle = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)
        out = circle / np.array([self.across, self.along]) @ self._axes()
        points = circle * np.array([self.across / 2, self.along / 2]) @ self._axes() + (self.x, self.y)
        return points, out / np.linalg.norm(out, axis=1, keepdims=True)

    def _axes(self) -> NDArray[np.float64]:
        turn = np.radians(self.turned_deg)
        return np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])


@dataclass(frozen=True, slots=True, eq=False)
class _Edges:
    """The edges of a picture, with a distance transform.

    Attributes:
        lines: uint8 (h, w), 255 on edges.
        away: float32 (h, w), distance to the nearest edge pixel, px.
        nearest: int32 (h, w), label of that edge pixel.
        out: float32 (n, 2), gradient direction by label.
    """

    lines: NDArray[np.uint8]
    away: NDArray[np.float32]
    nearest: NDArray[np.int32]
    out: NDArray[np.float32]

    @classmethod
    def of(cls, small: Image) -> _Edges:
        lab = np.asarray(cv2.GaussianBlur(cv2.cvtColor(small, cv2.COLOR_BGR2LAB), (5, 5), 0))
        each = [cv2.Canny(np.ascontiguousarray(lab[..., k]), steep, 2.2 * steep) for k, steep in _EDGES]
        lines = np.asarray(np.maximum.reduce(each), np.uint8)
        away, nearest = cv2.distanceTransformWithLabels(
            np.asarray(255 - lines, np.uint8), cv2.DIST_L2, 3, labelType=cv2.DIST_LABEL_PIXEL
        )
        on = lines > 0
        x, y = cv2.Sobel(lab, cv2.CV_32F, 1, 0)[on], cv2.Sobel(lab, cv2.CV_32F, 0, 1)[on]
        rows, steepest = np.arange(len(x)), (x * x + y * y).argmax(axis=1)
        way = np.stack([x[rows, steepest], y[rows, steepest]], axis=1)
        out = np.zeros((int(nearest.max()) + 1, 2), np.float32)
        out[nearest[on]] = way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-6)
        return cls(lines, np.asarray(away, np.float32), np.asarray(nearest, np.int32), out)

    def support_of(self, ellipse: _Ellipse) -> float:
        """Return the share of an ellipse that lies on edges along it."""
        points, out = ellipse.outline()
        x, y = np.round(points).astype(np.int64).T
        inside = (x >= 0) & (y >= 0) & (x < self.lines.shape[1]) & (y < self.lines.shape[0])
        x, y = x[inside], y[inside]
        runs_along = np.abs(np.sum(self.out[self.nearest[y, x]] * out[inside], axis=1)) > _ALONG_COS
        return float(((self.away[y, x] <= _NEAR_PX) & runs_along).sum()) / _POINTS


def _ellipses(lines: NDArray[np.uint8], least: float, side: int) -> Iterator[_Ellipse]:
    """Fit ellipses to edge contours; yield those of plausible size and aspect ratio for a circular container."""
    contours, _ = cv2.findContours(lines, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    for arc in (arc for contour in contours for arc in _arcs(contour)):
        (x, y), (across, along), turned_deg = cv2.fitEllipseDirect(arc)
        if not np.isfinite([x, y, across, along]).all() or min(across, along) <= 0:
            continue
        ellipse = _Ellipse(x, y, across, along, turned_deg)
        if least <= ellipse.long <= 1.3 * side and ellipse.aspect >= _MIN_ASPECT:
            yield ellipse


def _arcs(contour: cv2.typing.MatLike) -> Iterator[cv2.typing.MatLike]:
    count = len(contour)
    if count < _MIN_ARC_PX:
        return
    yield contour
    if count >= _SPLIT_ARC_PX:
        half = count // 2
        for start in range(0, count - half + 1, max(1, count // _PARTS)):
            yield contour[start : start + half]
