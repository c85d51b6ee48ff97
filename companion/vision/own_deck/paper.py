"""Detects paper on a cloth, with its straight edges and corners: possible cards.

The cloth's color and illumination are fitted by a quadratic surface for each channel; paper is what is lighter than
that in all channels. White paper on a white cloth is not found.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Image

Vector = NDArray[np.float64]
Surface = NDArray[np.float32]

_LARGE_PX: Final = 500  # longer side above which a picture is halved
_COARSE_PX: Final = 160  # longer side of the picture on which the cloth is fitted
_FIT_ITERATIONS: Final = 6
_CLOTH: Final = (0.8, 1.2)  # level of cloth relative to the fitted surface
_MIN_LIGHTNESS: Final = 1.18  # level of paper relative to the cloth
_MIN_EDGE_PX: Final = 14.0  # of the reduced picture; shorter edges have no reliable direction
_POLYGON_PX: Final = 1.6  # of the reduced picture; tolerance of the polygon approximation
_MAX_JOIN_GAP_PX: Final = 22.0  # of the picture; gap between two edges on one line
_MAX_CORNER_GAP_PX: Final = 22.0  # of the reduced picture; from an edge's end to the corner
_MAX_ROUNDING_PX: Final = 16.0  # of the reduced picture; longest edge within a rounded corner
_MAX_SKIPPED: Final = 3
_CORNER_COSINES: Final = (np.cos(np.radians(62)), np.cos(np.radians(118)))
_MIN_AREA: Final = 900.0
_SHARE_PX: Final = 4  # pixels per pixel of the masks of which shares are measured


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """A straight edge of a paper's outline, clockwise: the paper is on its right.

    Attributes:
        start, end: px (x, y), on the fitted line.
    """

    start: Vector
    end: Vector

    @property
    def along(self) -> Vector:
        """The direction, a unit vector."""
        step = self.end - self.start
        return np.asarray(step / max(1e-9, float(np.linalg.norm(step))))

    @property
    def length(self) -> float:
        return float(np.linalg.norm(self.end - self.start))


@dataclass(frozen=True, slots=True, eq=False)
class Corner:
    """Two edges that meet at about a right angle, clockwise; ``at`` is the intersection of their lines."""

    at: Vector
    before: Edge
    after: Edge


@dataclass(frozen=True, slots=True, eq=False)
class Paper:
    """A connected piece of paper: its edges and convex corners in order, clockwise.

    Attributes:
        area: px².
        corners: the corner at the end of each edge; None if there is no convex right angle.
        outline: the contour, (n, 2) px.
    """

    area: float
    edges: tuple[Edge, ...]
    corners: tuple[Corner | None, ...]
    outline: NDArray[np.float32]


def share_on_paper(papers: Sequence[Paper], quad: Vector, size: tuple[int, int]) -> float:
    """Return the share of a quad's visible part, in a picture of (width, height), that lies on paper.

    On paper is what lies in the convex hull of a piece: dark print may cut deep into its outline.
    """
    low = np.maximum(np.floor(quad.min(axis=0)), 0)
    w, h = np.maximum((np.minimum(np.ceil(quad.max(axis=0)), size) - low) / _SHARE_PX, 0).astype(int).tolist()
    here, there = np.zeros((h + 1, w + 1), np.uint8), np.zeros((h + 1, w + 1), np.uint8)
    cv2.fillConvexPoly(here, np.round((quad - low) / _SHARE_PX).astype(np.int32), 1)
    for paper in papers:
        cv2.fillConvexPoly(there, cv2.convexHull(np.round((paper.outline - low) / _SHARE_PX).astype(np.int32)), 1)
    return float((here & there).sum()) / max(1.0, float(here.sum()))


def find_papers(image: Image) -> tuple[Paper, ...]:
    """Return the pieces of paper in a picture, uint8 (H, W, 3)."""
    if min(image.shape[:2]) < 32:
        return ()
    shrink = 2 if max(image.shape[:2]) > _LARGE_PX else 1
    small = image if shrink == 1 else cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    mask = paper_mask(np.asarray(small, np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    found = [_paper(_clockwise(contour), shrink) for contour in contours if _is_large(contour)]
    return tuple(paper for paper in found if paper is not None)


def paper_mask(image: Image) -> NDArray[np.uint8]:
    """Return the mask of the paper, uint8 (H, W), 255 on paper; print may leave holes."""
    lightness = _lightness(image)
    light = lightness[lightness > _MIN_LIGHTNESS]
    if light.size < _MIN_AREA:
        return np.zeros(lightness.shape, np.uint8)
    level = max(_MIN_LIGHTNESS, float(np.sqrt(np.percentile(light, 75))))
    mask = (lightness > level).astype(np.uint8) * 255
    whole = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))  # closes lines printed along the rim
    return np.asarray(cv2.morphologyEx(whole, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)


def _lightness(image: Image) -> Surface:
    """Return the level of each pixel relative to the cloth, the minimum over the channels."""
    h, w = image.shape[:2]
    shrink = max(1.0, max(h, w) / _COARSE_PX)
    coarse = cv2.resize(image, (round(w / shrink), round(h / shrink)), interpolation=cv2.INTER_AREA).astype(np.float32)
    cloth = cv2.resize(_cloth(coarse), (w, h), interpolation=cv2.INTER_LINEAR)
    ratio = cv2.divide(image.astype(np.float32) + 4, cloth + 4)
    blue, green, red = cv2.split(ratio)
    return np.asarray(cv2.min(cv2.min(blue, green), red), np.float32)


def _cloth(coarse: Surface) -> Surface:
    """Return the cloth's color at every pixel: a quadratic surface fitted to the pixels that are not paper."""
    h, w = coarse.shape[:2]
    gray = coarse.mean(axis=2)
    level, _ = cv2.threshold(gray.astype(np.uint8), 0, 255, cv2.THRESH_OTSU)
    is_cloth = gray <= level
    y, x = np.mgrid[-1 : 1 : complex(h), -1 : 1 : complex(w)]
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1).reshape(-1, 6)
    flat = coarse.reshape(-1, 3)
    fitted = flat
    for _ in range(_FIT_ITERATIONS):
        there = is_cloth.ravel()
        if int(there.sum()) < 60:
            break
        found, *_ = np.linalg.lstsq(terms[there], flat[there], rcond=None)
        fitted = np.maximum(terms @ found, 2.0).astype(np.float32)
        ratio = (flat + 4).mean(axis=1) / (fitted + 4).mean(axis=1)
        is_cloth = ((ratio > _CLOTH[0]) & (ratio < _CLOTH[1])).reshape(h, w)
    return np.asarray(fitted.reshape(h, w, 3), np.float32)


def _is_large(contour: np.ndarray) -> bool:
    return float(cv2.contourArea(contour)) >= _MIN_AREA


def _paper(outline: np.ndarray, shrink: int) -> Paper | None:
    """Return a piece of paper from its outline, (N, 2) px of the reduced picture, clockwise."""
    rough = cv2.approxPolyDP(outline.reshape(-1, 1, 2), _POLYGON_PX, True).reshape(-1, 2)
    at = {tuple(point): i for i, point in enumerate(outline.tolist())}
    stops = [at[tuple(point)] for point in rough.tolist()]
    stops = sorted(set(stops))
    if len(stops) < 3:
        return None
    edges = []
    for a, b in pairwise([*stops, stops[0] + len(outline)]):
        piece = outline[np.arange(a, b + 1) % len(outline)]
        edge = _edge(piece, shrink)
        if edge is not None:
            edges.append(edge)
    edges = _joined(edges)
    if not edges:
        return None
    corners = _unique_corners([_corner_after(i, edges, shrink) for i in range(len(edges))])
    area = float(cv2.contourArea(outline)) * shrink * shrink
    return Paper(area, tuple(edges), corners, (outline.astype(np.float32) + 0.5) * shrink - 0.5)


def _unique_corners(corners: Sequence[Corner | None]) -> tuple[Corner | None, ...]:
    """Return the corners; of several before the same edge only the one with the longest edge before it."""
    best: dict[int, Corner] = {}
    for corner in corners:
        if corner is not None:
            other = best.get(id(corner.after))
            if other is None or other.before.length < corner.before.length:
                best[id(corner.after)] = corner
    return tuple(c if c is not None and best[id(c.after)] is c else None for c in corners)


def _corner_after(i: int, edges: Sequence[Edge], shrink: int) -> Corner | None:
    """Return the corner at the end of an edge; the short edges of a rounded corner are skipped."""
    for k in range(1, min(_MAX_SKIPPED, len(edges)) + 1):
        following = edges[(i + k) % len(edges)]
        corner = _corner(edges[i], following, shrink)
        if corner is not None or following.length > _MAX_ROUNDING_PX * shrink:
            return corner
    return None


def _edge(piece: np.ndarray, shrink: int) -> Edge | None:
    if float(np.linalg.norm(piece[-1] - piece[0])) < _MIN_EDGE_PX:
        return None
    margin = max(1, min(len(piece) // 5, 8))
    middle = piece[margin:-margin].astype(np.float32)
    if len(middle) < 5:
        return None
    vx, vy, x, y = cv2.fitLine(middle, cv2.DIST_HUBER, 0, 0.01, 0.01).ravel().astype(float)
    base, along = np.array([x, y]), np.array([vx, vy])
    ends = [base + along * float(np.dot(p - base, along)) for p in (piece[0], piece[-1])]
    start, end = ((p + 0.5) * shrink - 0.5 for p in ends)
    return Edge(start, end)


def _joined(edges: Sequence[Edge]) -> list[Edge]:
    """Return the edges; consecutive ones on the same line are joined."""
    out: list[Edge] = []
    for edge in edges:
        if out and _is_one_line(out[-1], edge):
            out[-1] = Edge(out[-1].start, edge.end)
        else:
            out.append(edge)
    if len(out) > 2 and _is_one_line(out[-1], out[0]):
        out[0] = Edge(out.pop().start, out[0].end)
    return out


def _is_one_line(a: Edge, b: Edge) -> bool:
    across = np.array([-a.along[1], a.along[0]])
    off = max(abs(float(np.dot(p - a.end, across))) for p in (b.start, b.end))
    near = float(np.linalg.norm(b.start - a.end)) < _MAX_JOIN_GAP_PX
    return near and off < 2.5 and float(np.dot(a.along, b.along)) > 0.985


def _corner(a: Edge, b: Edge, shrink: int) -> Corner | None:
    cosine = float(np.dot(a.along, b.along))
    turn = float(a.along[0] * b.along[1] - a.along[1] * b.along[0])
    if not _CORNER_COSINES[1] < cosine < _CORNER_COSINES[0] or turn <= 0:
        return None
    step = b.start - a.start
    along = float(step[0] * b.along[1] - step[1] * b.along[0]) / turn
    at = a.start + along * a.along
    if (
        float(np.linalg.norm(at - a.end)) > _MAX_CORNER_GAP_PX * shrink
        or float(np.linalg.norm(at - b.start)) > _MAX_CORNER_GAP_PX * shrink
    ):
        return None
    return Corner(at, a, b)


def _clockwise(contour: np.ndarray) -> np.ndarray:
    outline = contour.reshape(-1, 2)
    return outline if cv2.contourArea(contour, oriented=True) > 0 else outline[::-1]
