"""Whether the camera looks from aside, by the round things that dice lie in: their rims, or rings, are ellipses then.

A die alone cannot tell: from 42 degrees aside a d20 shows the face beside the upper one as frontally as the upper face
is seen from above, in the same outline.
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
"""An ellipse's short by its long side from 23 degrees aside on; from 21 on another face than the upper one is read.
Of 66 cups and bowls photographed from above the least round has 0.93."""
_LEAST_ASPECT: Final = 0.7
"""45 degrees off-axis; below it the ellipse is more likely an oval object, or two sides of a rectangle."""
_SIDE: Final = 480
_CONTAINER_SIZE: Final = 1.8  # of a die's size: what it lies in
_LEAST_ARC_PX: Final = 40
_SPLIT_ARC_PX: Final = 120  # a line this long is tried in halves too: where another crosses it, it goes astray
_PARTS: Final = 6
_EDGES: Final = ((0, 30), (1, 14), (2, 14))  # channels of LAB, and how steep their edges are
_POINTS: Final = 90
_LEAST_SUPPORT: Final = 0.55  # of an ellipse: what else lies there hides a part
_NEAR_PX: Final = 1.5
_ALONG_COS: Final = 0.9  # cosine of the angle between an edge and the ellipse where it runs along that
_ANGLES: Final = np.linspace(0, 2 * np.pi, _POINTS, endpoint=False)


def container_aspect(picture: Image, dice: Sequence[DieBox]) -> float | None:
    """Return how round the round things look that dice lie in: an ellipse's short by its long side; None without any.

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
    ellipses = [ellipse for ellipse in fitted if edges.support_of(ellipse) > _LEAST_SUPPORT]
    middles = [(die.center[0] * scale, die.center[1] * scale, _CONTAINER_SIZE * scale * die.size_px) for die in dice]
    aspects = [e.aspect for x, y, size in middles for e in ellipses if e.long >= size and e.contains(x, y)]
    return float(np.median(aspects)) if aspects else None


@dataclass(frozen=True, slots=True)
class _Ellipse:
    """Its middle, its diameters along its own two axes, and how far the first is turned from the picture's right."""

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
        """Return points along it (n, 2), and there the directions straight out of it (n, 2)."""
        circle = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)
        out = circle / np.array([self.across, self.along]) @ self._axes()
        points = circle * np.array([self.across / 2, self.along / 2]) @ self._axes() + (self.x, self.y)
        return points, out / np.linalg.norm(out, axis=1, keepdims=True)

    def _axes(self) -> NDArray[np.float64]:
        turn = np.radians(self.turned_deg)
        return np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])


@dataclass(frozen=True, slots=True, eq=False)
class _Edges:
    """A picture's edges.

    Attributes:
        lines: uint8 (h, w), 255 where an edge is.
        away: float32 (h, w), how far the nearest is, px.
        nearest: int32 (h, w), its number.
        out: float32 (n, 2), which way the colors change at each, by its number.
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
        """Return along how much of an ellipse an edge runs."""
        points, out = ellipse.outline()
        x, y = np.round(points).astype(np.int64).T
        inside = (x >= 0) & (y >= 0) & (x < self.lines.shape[1]) & (y < self.lines.shape[0])
        x, y = x[inside], y[inside]
        runs_along = np.abs(np.sum(self.out[self.nearest[y, x]] * out[inside], axis=1)) > _ALONG_COS
        return float(((self.away[y, x] <= _NEAR_PX) & runs_along).sum()) / _POINTS


def _ellipses(lines: NDArray[np.uint8], least: float, side: int) -> Iterator[_Ellipse]:
    """Fit ellipses that may be round things seen from above or aside, at least so large, to a picture's lines."""
    contours, _ = cv2.findContours(lines, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    for arc in (arc for contour in contours for arc in _arcs(contour)):
        (x, y), (across, along), turned_deg = cv2.fitEllipseDirect(arc)
        if not np.isfinite([x, y, across, along]).all() or min(across, along) <= 0:
            continue
        ellipse = _Ellipse(x, y, across, along, turned_deg)
        if least <= ellipse.long <= 1.3 * side and ellipse.aspect >= _LEAST_ASPECT:
            yield ellipse


def _arcs(contour: cv2.typing.MatLike) -> Iterator[cv2.typing.MatLike]:
    count = len(contour)
    if count < _LEAST_ARC_PX:
        return
    yield contour
    if count >= _SPLIT_ARC_PX:
        half = count // 2
        for start in range(0, count - half + 1, max(1, count // _PARTS)):
            yield contour[start : start + half]
