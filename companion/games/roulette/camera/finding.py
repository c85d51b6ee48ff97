"""Finds a roulette wheel in a picture: the intersection of its pockets' borders, and the ring that they fill.

Straight lines stay straight under perspective, so the borders between red and black pockets all point at one pixel, the
ring's center. That needs neither a complete rim nor a known size or tilt.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Image

Floats = NDArray[np.float32]

_CELL_PX: Final = 4
REACH_PX: Final = 340
"""Radius of the largest ring: a wheel of 700 px with a margin."""
_NEAREST_PX: Final = 18
_DIRECTIONS: Final = 16
_MIN_STEP: Final = 25.0  # gray levels over the filter's eight
_MIN_SHARE: Final = 0.12  # of the strongest edge
_PART_PX: Final = 32
_MAX_EDGES: Final = 12_000
_PEAKS: Final = 4
_MIN_EDGES: Final = 150
_INSIDE: Final = 0.65  # radii of the ring; inner limit of its band
_OUTSIDE: Final = 1.4
_SURE_AWAY: Final = 0.03  # perspective from which the nearer side is certain
_TILTS: Final = (1.0, 0.96, 0.91, 0.86, 0.81, 0.76)


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Pixels where red begins or ends.

    Attributes:
        at: float32 (n, 2), pixels (x, y).
        along: float32 (n, 2), unit vectors along the edge.
    """

    at: Floats
    along: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """The perspective map between the picture and the ring's plane, where its radius is 1 and its center ``middle``.

    A pixel p off the middle is at ``flat @ p / (1 - far @ p)`` on the ring's plane.
    """

    middle: Floats
    flat: Floats
    far: Floats

    def to_plane(self, points: Floats) -> Floats:
        """Return where pixels (n, 2) are on the plane, float32 (n, 2)."""
        off = points - self.middle
        return np.asarray(off @ self.flat.T / (1 - off @ self.far)[:, None], np.float32)

    def to_picture(self, points: Floats) -> Floats:
        """Return the pixels of points (n, 2) on the plane, float32 (n, 2)."""
        off = points @ np.linalg.inv(self.flat).T
        return np.asarray(self.middle + off / (1 + off @ self.far)[:, None], np.float32)

    def enlarged(self, zoom: float) -> Plane:
        """Return the plane in a picture magnified by ``zoom``."""
        middle = (self.middle + 0.5) * zoom - 0.5
        return Plane(middle.astype(np.float32), self.flat / np.float32(zoom), self.far / np.float32(zoom))

    @property
    def lean(self) -> Floats:
        """Parallax: apparent shift on the plane per unit of height above it.

        A tilted circle is ambiguous about its nearer side; perspective resolves that.
        """
        turned, sizes, axes = np.linalg.svd(self.flat)
        slope = np.sqrt(max(0.0, (sizes[0] / sizes[1]) ** 2 - 1))
        away = float(self.far @ axes[0]) * self.radius_px
        return np.asarray(turned[:, 0] * slope * np.clip(away / _SURE_AWAY, -1, 1), np.float32)

    @property
    def radius_px(self) -> float:
        """The ring's mean radius in the picture."""
        return float(1 / np.sqrt(abs(np.linalg.det(self.flat))))


def redness(picture: Image) -> Floats:
    """Return how red each pixel is, float32 (H, W): about 0 for black, white and metal, below it for green."""
    blue, green, red = cv2.split(picture)
    other = cv2.addWeighted(blue, 0.5, green, 0.5, 0)
    return np.asarray(cv2.subtract(red, other, dtype=cv2.CV_32F), np.float32)


def find_edges(picture: Image, *, everywhere: bool = True) -> Edges:
    """Return the strongest edges of red in a picture, uint8 (H, W, 3) BGR.

    Args:
        everywhere: take the strongest of each tile instead of the whole picture: a printed layout has more edges than a
            wheel.
    """
    blue, green, bright = cv2.split(picture)
    red = cv2.subtract(bright, cv2.max(blue, green), dtype=cv2.CV_32F)  # wood has more green than blue
    red = cv2.GaussianBlur(red, (0, 0), 1.0)
    dx, dy = cv2.Sobel(red, cv2.CV_32F, 1, 0, ksize=3), cv2.Sobel(red, cv2.CV_32F, 0, 1, ksize=3)
    size = cv2.magnitude(dx, dy)
    ys, xs = np.nonzero(size > max(_MIN_STEP, _MIN_SHARE * float(np.percentile(size[::3, ::3], 99.7))))
    if len(xs) > _MAX_EDGES:
        parts = (ys // _PART_PX) * (size.shape[1] // _PART_PX + 1) + xs // _PART_PX
        keep = _strongest(size[ys, xs], parts if everywhere else np.zeros_like(parts))
        ys, xs = ys[keep], xs[keep]
    along = np.stack([-dy[ys, xs], dx[ys, xs]], 1) / size[ys, xs][:, None]
    return Edges(np.stack([xs, ys], 1).astype(np.float32), along.astype(np.float32))


def _strongest(values: NDArray[Any], parts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the indices of the highest values of each part."""
    order = np.lexsort((-values, parts))
    first = np.searchsorted(parts[order], parts[order])
    each = max(1, _MAX_EDGES // max(1, len(np.unique(parts))))
    return order[np.arange(len(order)) - first < each]


def middles(edges: Edges, size: tuple[int, int]) -> list[Floats]:
    """Return the pixels where edges of many directions intersect, best first (Hough voting).

    Args:
        size: width and height of the picture.
    """
    if len(edges.at) < _MIN_EDGES:
        return []
    w, h = size[0] // _CELL_PX + 1, size[1] // _CELL_PX + 1
    out = np.arange(_NEAREST_PX, REACH_PX, _CELL_PX).astype(np.float32)
    steps = np.concatenate([-out, out])
    spots = ((edges.at[:, None] + edges.along[:, None] * steps[None, :, None]) / _CELL_PX).astype(np.int32)
    angle = np.arctan2(edges.along[:, 1], edges.along[:, 0]) % np.pi
    direction = (angle * (_DIRECTIONS / np.pi)).astype(np.int32) % _DIRECTIONS
    x, y = spots[..., 0], spots[..., 1]
    inside = (x >= 0) & (x < w) & (y >= 0) & (y < h)
    cells = (direction[:, None] * h + y) * w + x
    votes = np.bincount(cells[inside], minlength=_DIRECTIONS * w * h).reshape(_DIRECTIONS, h, w)
    total = np.zeros((h, w), np.float32)
    for one in votes:
        # the logarithm limits the votes of one long straight edge
        total += np.log1p(cv2.blur(one.astype(np.float32), (5, 5)))
    return list(_peaks(total))


def _peaks(total: Floats) -> Iterator[Floats]:
    total = total.copy()
    for _ in range(_PEAKS):
        _, best, _, (x, y) = cv2.minMaxLoc(total)
        if best <= 0:
            return
        yield np.array([(x + 0.5) * _CELL_PX, (y + 0.5) * _CELL_PX], np.float32)
        cv2.circle(total, (x, y), 6, 0.0, -1)


def find_plane(edges: Edges, middle: Floats) -> Plane | None:
    """Return the plane of the ring of pockets around a center, or None without a ring."""
    radial = _radial(edges, middle, 0.25)
    plane = None
    for skew in (0.15, 0.12, 0.1, 0.1):
        if radial.sum() < _MIN_EDGES:
            return None
        middle = _meeting(edges.at[radial], edges.along[radial], middle)
        radial = _radial(edges, middle, skew)
        if plane is not None:
            radii = np.linalg.norm(replace(plane, middle=middle).to_plane(edges.at), axis=1)
            radial &= (radii > _INSIDE) & (radii < _OUTSIDE)
        if radial.sum() < _MIN_EDGES:
            return None
        plane = _ring(edges.at[radial] - middle, middle)
        if plane is None:
            return None
    return plane


def _radial(edges: Edges, middle: Floats, skew: float) -> NDArray[np.bool_]:
    """Return which edges point at a center."""
    off = edges.at - middle
    distance = np.linalg.norm(off, axis=1)
    miss = np.abs(off[:, 0] * edges.along[:, 1] - off[:, 1] * edges.along[:, 0])
    return np.asarray((miss < skew * distance) & (distance > _NEAREST_PX) & (distance < REACH_PX))


def _meeting(at: Floats, along: Floats, middle: Floats) -> Floats:
    """Return the intersection of the lines through edges, by robust least squares."""
    normal = np.stack([-along[:, 1], along[:, 0]], 1)
    for _ in range(4):
        off = at - middle
        miss = (normal * off).sum(1)
        reach = np.linalg.norm(off, axis=1)
        weight = 1 / (1 + (miss / (0.05 * reach + 1)) ** 2) / np.maximum(reach, 1)
        left = (normal * weight[:, None]).T @ normal
        middle = middle + np.linalg.solve(left + 1e-6 * np.eye(2), (normal * weight[:, None]).T @ (normal * off).sum(1))
    return middle.astype(np.float32)


def _ring(off: Floats, middle: Floats) -> Plane | None:
    """Fit an ellipse to the band that radial edges fill."""
    best, plane = 0.0, None
    for tilt in _TILTS:
        for turn in [k * np.pi / 8 for k in range(8)] if tilt < 1 else [0.0]:
            flat = _stretch(tilt, turn)
            radii = np.linalg.norm(off @ flat.T, axis=1)
            counts = np.bincount((np.log(radii) * 16).astype(np.int32), minlength=100).astype(np.float32)
            peak = cv2.blur(counts[None], (3, 1))[0]
            if peak.max() > best:
                best, plane = float(peak.max()), (flat, float(np.exp((peak.argmax() + 0.5) / 16)))
    if plane is None:
        return None
    return _bent(off, middle, plane[0] / plane[1])


def _bent(off: Floats, middle: Floats, flat: NDArray[np.floating[Any]]) -> Plane | None:
    """Refine the ellipse to the band's center line in all directions, with perspective."""
    far = np.zeros(2)
    for reach in (0.4, 0.3, 0.25, 0.22):
        on = off @ flat.T / (1 - off @ far)[:, None]
        radii, angle = np.linalg.norm(on, axis=1), np.arctan2(on[:, 1], on[:, 0])
        sector = ((angle + np.pi) * (36 / (2 * np.pi))).astype(np.int32) % 36
        near = np.abs(radii - 1) < reach
        points = []
        for s in range(36):
            mine = near & (sector == s)
            if mine.sum() >= 4:
                points.append(
                    off[mine][np.argsort(radii[mine])[[mine.sum() // 4, mine.sum() // 2, 3 * mine.sum() // 4]]].mean(0)
                )
        if len(points) < 16:
            return None
        found = _conic(np.array(points))
        if found is None:
            return None
        flat, far = found
    return Plane(middle, flat.astype(np.float32), far.astype(np.float32))


def _conic(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Fit |flat p| = 1 - far p to points: a circle about the origin's preimage, seen in perspective."""
    scale = float(np.abs(points).max())
    x, y = (points / scale).T
    rows = np.stack([x * x, 2 * x * y, y * y, 2 * x, 2 * y], 1)
    weight = np.ones(len(x))
    for _ in range(4):
        a, b, c, d, e = np.linalg.lstsq(rows * weight[:, None], weight, rcond=None)[0]
        miss = np.abs(rows @ np.array([a, b, c, d, e]) - 1)
        weight = 1 / (1 + (miss / max(0.02, 1.5 * float(np.median(miss)))) ** 2)
    far = np.array([d, e])
    form = np.array([[a, b], [b, c]]) + np.outer(far, far)
    values, vectors = np.linalg.eigh(form)
    if values[0] <= 0 or values[0] / values[1] < 0.4:
        return None
    flat = (vectors * np.sqrt(values)) @ vectors.T
    return flat / scale, far / scale


def _stretch(tilt: float, turn: float) -> Floats:
    c, s = np.cos(turn), np.sin(turn)
    turned = np.array([[c, s], [-s, c]])
    return np.asarray(turned.T @ np.diag([1.0, 1 / tilt]) @ turned, np.float32)
