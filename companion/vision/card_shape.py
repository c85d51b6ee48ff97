"""Fits a card's outline to a shape on the table, whole or partly covered.

The size of a card in the picture is known from the cards that were read; without any, only proportions are checked.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from companion.objects.geometry import POKER, TAROT, CardGeometry
from companion.vision.frame import Gray, Image, Points
from companion.vision.live.change import Box

_CARDS_KEPT: Final = 60
# Limits of the sides relative to a card's. Bridge cards are 57 mm wide; a deck is nearer to the camera, and its side
# shows.
_WIDTH_LIMITS: Final = (0.86, 1.32)
_HEIGHT_LIMITS: Final = (0.88, 1.25)
_ASPECT_TOLERANCE: Final = 0.14  # of width by height
_MIN_RECTANGULARITY: Final = 0.86  # share of the bounding rectangle's area
_MIN_FILL: Final = 0.35  # share of the outline that the shape's mask must fill
_FREE_ASPECTS: Final = (0.56, 0.84)  # width by height, before the first card was read
_FREE_WIDTHS: Final = (0.045, 0.3)  # width relative to the picture's height, before the first card was read
_TOLERANCE_MM: Final = 5.0
_MIN_SIDE_MM: Final = 9.0
_MIN_EXPLAINED: Final = 0.85  # share of a card's area that shows or may be covered
_TAROT_ASPECT: Final = 1.55  # height by width that no poker card reaches, however tilted
_EDGE_SAMPLES: Final = 15  # points along each side
_EDGE_LEVELS: Final = 12
_EDGE_OFFSETS_PX: Final = (1.5, 2.0, 2.5)  # distances from an edge at which both sides are sampled


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """One connected component of a mask.

    Attributes:
        mask: uint8 (h, w) of the whole picture, 255 inside the shape.
        contour: the outer edge, int32 (N, 1, 2).
        box: the bounding box.
    """

    mask: Gray
    contour: np.ndarray
    box: Box


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A card fitted to a shape.

    Attributes:
        outline: float32 (4, 2), of the whole card, px.
        seen: float32 (4, 2), of the part that shows.
    """

    outline: Points
    seen: Points


def shapes_in(mask: Gray, min_area: float) -> Iterator[Shape]:
    """Yield the connected components of a mask that have at least ``min_area`` pixels.

    Blurred edges make a mask a pixel too large on each side; the contour is corrected for that.
    """
    core = np.asarray(cv2.erode(mask, np.ones((3, 3), np.uint8)), np.uint8)
    contours, _ = cv2.findContours(core, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    for contour in contours:
        if cv2.contourArea(contour) < min_area:
            continue
        own = np.zeros_like(mask)
        cv2.drawContours(own, [contour], -1, 255, cv2.FILLED)
        own = np.asarray(cv2.dilate(own, np.ones((3, 3), np.uint8)), np.uint8)
        x, y, w, h = cv2.boundingRect(own)
        yield Shape(np.asarray(cv2.bitwise_and(own, mask), np.uint8), contour, (x, y, x + w, y + h))


class CardFitter:
    """Fits cards to shapes, with the size and perspective of the nearest card that was read."""

    def __init__(self) -> None:
        self._read: deque[tuple[Points, np.ndarray, CardGeometry]] = deque(maxlen=_CARDS_KEPT)

    def learn(self, outline: Points) -> None:
        """Learn from a card that was read: outline (4, 2) px, clockwise from the card's own top left."""
        across = float(np.linalg.norm(outline[1] - outline[0]) + np.linalg.norm(outline[2] - outline[3])) / 2
        down = float(np.linalg.norm(outline[3] - outline[0]) + np.linalg.norm(outline[2] - outline[1])) / 2
        geometry = TAROT if down > _TAROT_ASPECT * max(across, 1e-6) else POKER
        x = (outline[1] - outline[0] + outline[2] - outline[3]) / 2 / geometry.width
        y = (outline[3] - outline[0] + outline[2] - outline[1]) / 2 / geometry.height
        to_px = np.column_stack([x, y]).astype(np.float64)
        if abs(float(np.linalg.det(to_px))) > 1e-6:
            self._read.append((np.asarray(outline.mean(axis=0), np.float32), to_px, geometry))

    def _near(self, middle: Points) -> tuple[np.ndarray, CardGeometry] | None:
        if not self._read:
            return None
        _, to_px, geometry = min(self._read, key=lambda k: float(np.square(k[0] - middle).sum()))
        return to_px, geometry

    def area_px(self, area_mm2: float, size: tuple[int, int]) -> float:
        """Return the approximate size in pixels of an area in mm²; of a smallest card before the first was read.

        Args:
            size: (width, height) of the picture.
        """
        if not self._read:
            return (_FREE_WIDTHS[0] * size[1]) ** 2
        return area_mm2 * float(np.median([abs(np.linalg.det(k[1])) for k in self._read]))

    def fit(self, shape: Shape, above: Sequence[Points], beside: Sequence[Points]) -> Fit | None:
        """Return the card that explains a shape, whole or partly covered; None if no card does.

        Args:
            above: outlines of cards that may lie on it.
            beside: outlines of other unread objects, which may look the same where they overlap.
        """
        middle = shape.contour.reshape(-1, 2).mean(axis=0)
        near = self._near(middle)
        if near is None:
            return _fit_by_aspect(shape)
        to_px, geometry = near
        points = shape.contour.reshape(-1, 2).astype(np.float64) @ np.linalg.inv(to_px).T
        found = _fit_whole(points.astype(np.float32), geometry)
        share = cv2.countNonZero(shape.mask[shape.box[1] : shape.box[3], shape.box[0] : shape.box[2]])
        if found is not None:
            outline = np.asarray(found @ to_px.T, np.float32)
            return Fit(outline, outline) if share >= _MIN_FILL * cv2.contourArea(outline) else None
        covers = [np.asarray(o, np.float64) @ np.linalg.inv(to_px).T for o in (*above, *beside)]
        covers = [o for o in covers if _is_near(o, points)]
        part = _fit_covered_part(points.astype(np.float32), covers, geometry) if covers else None
        if part is None:
            return None
        outline, seen = (np.asarray(p @ to_px.T, np.float32) for p in part)
        return Fit(outline, seen)


def _upright(outline: Points) -> Points:
    """Return an outline rotated by a corner if needed, so that its first side is a short one."""
    first, second = np.linalg.norm(outline[1] - outline[0]), np.linalg.norm(outline[2] - outline[1])
    return outline if first <= second else np.roll(outline, -1, axis=0)


def _fit_by_aspect(shape: Shape) -> Fit | None:
    """Fit by proportions alone, before the first card was read."""
    hull = cv2.convexHull(shape.contour)
    rect = cv2.minAreaRect(hull)
    short, long = sorted(rect[1])
    height = shape.mask.shape[0]
    if long <= 0 or not _FREE_ASPECTS[0] <= short / long <= _FREE_ASPECTS[1]:
        return None
    if not _FREE_WIDTHS[0] * height <= short <= _FREE_WIDTHS[1] * height:
        return None
    if cv2.contourArea(hull) < _MIN_RECTANGULARITY * short * long:
        return None
    outline = _upright(np.asarray(cv2.boxPoints(rect), np.float32))
    return Fit(outline, outline)


def _fit_whole(points: Points, geometry: CardGeometry) -> Points | None:
    """Return the bounding rectangle (mm) of points if it has a card's size and the points fill it."""
    hull = cv2.convexHull(points)
    rect = cv2.minAreaRect(hull)
    short, long = sorted(rect[1])
    if not _WIDTH_LIMITS[0] * geometry.width <= short <= _WIDTH_LIMITS[1] * geometry.width:
        return None
    if not _HEIGHT_LIMITS[0] * geometry.height <= long <= _HEIGHT_LIMITS[1] * geometry.height:
        return None
    if (
        cv2.contourArea(hull) < _MIN_RECTANGULARITY * short * long
        or abs(short / long - geometry.width / geometry.height) > _ASPECT_TOLERANCE
    ):
        return None
    return _upright(np.asarray(cv2.boxPoints(rect), np.float32))


def _is_near(outline: np.ndarray, points: np.ndarray) -> bool:
    quad = np.asarray(outline, np.float32)
    step = max(1, len(points) // 40)
    near = (cv2.pointPolygonTest(quad, (float(x), float(y)), True) > -_TOLERANCE_MM for x, y in points[::step])
    return sum(near) >= 3


def _fit_covered_part(
    points: Points, covers: Sequence[np.ndarray], geometry: CardGeometry
) -> tuple[Points, Points] | None:
    """Return the partly covered card (mm) whose visible part is the shape, and a quad around that part."""
    best: tuple[float, Points, Points] | None = None
    for angle in _edge_angles(points):
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, s], [-s, c]])
        flat = points @ turn.T
        low, high = flat.min(axis=0), flat.max(axis=0)
        if min(high - low) < _MIN_SIDE_MM:
            continue
        others = [np.asarray(o @ turn.T, np.float32) for o in covers]
        contour = np.asarray(flat, np.float32)
        for width, height in ((geometry.width, geometry.height), (geometry.height, geometry.width)):
            for corner in _placements(low, high, (width, height)):
                share = _explained_share(contour, others, corner, (width, height))
                if share >= _MIN_EXPLAINED and (best is None or share > best[0]):
                    best = (share, _rect(corner, (width, height)) @ turn, _rect(low, tuple(high - low)) @ turn)
    return None if best is None else (_upright(best[1]), np.asarray(best[2], np.float32))


def _edge_angles(points: Points) -> list[float]:
    """Return the directions (radians) of a shape's three longest straight edges above 25 mm."""
    rough = cv2.approxPolyDP(points.reshape(-1, 1, 2), 3.0, True).reshape(-1, 2)
    edges = np.roll(rough, -1, axis=0) - rough
    lengths = np.linalg.norm(edges, axis=1)
    longest = np.argsort(-lengths)[:3]
    return [float(np.arctan2(edges[i][1], edges[i][0])) for i in longest if lengths[i] > 25.0]


def _placements(low: np.ndarray, high: np.ndarray, size: tuple[float, float]) -> list[tuple[float, float]]:
    """Return possible positions of a card's lowest corner: the visible part fills one side and touches an end.

    Args:
        low, high: corners of the visible part, mm.
        size: (width, height) of the card in this orientation, mm.
    """
    ways: list[list[float]] = []
    fills = 0
    for a, b, length in zip(low, high, size, strict=True):
        if b - a > length + _TOLERANCE_MM:
            return []
        if b - a > length - _TOLERANCE_MM:
            fills += 1
            ways.append([float((a + b - length) / 2)])
        else:
            ways.append([float(a), float(b - length)])
    return [(x, y) for x in ways[0] for y in ways[1]] if fills else []


def _rect(corner: Sequence[float] | np.ndarray, size: Sequence[float]) -> Points:
    x, y = float(corner[0]), float(corner[1])
    w, h = float(size[0]), float(size[1])
    return np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]], np.float32)


def _explained_share(
    contour: Points, others: Sequence[Points], corner: tuple[float, float], size: tuple[float, float]
) -> float:
    """Return the share of a card's area that shows or may be covered.

    It is 0 if less than 5 % of the card is uncovered, or less than 75 % of that shows.
    """
    w, h = round(size[0]), round(size[1])
    seen, hidden = np.zeros((h, w), np.uint8), np.zeros((h, w), np.uint8)
    cv2.fillPoly(seen, [np.round(contour - corner).astype(np.int32)], 255)
    for other in others:
        cv2.fillConvexPoly(hidden, np.round(other - corner).astype(np.int32), 255)
    free = cv2.countNonZero(cv2.bitwise_not(hidden))
    shown = cv2.countNonZero(cv2.bitwise_and(seen, cv2.bitwise_not(hidden)))
    if free < 0.05 * w * h or shown < 0.75 * free:
        return 0.0
    return cv2.countNonZero(cv2.bitwise_or(seen, hidden)) / (w * h)


def edge_shares(picture: Image, outline: Points, above: Sequence[Points], levels: int = _EDGE_LEVELS) -> list[float]:
    """Return for each side of an outline the share along which the picture shows an edge.

    Compares medians of a few pixels on both sides, so that a line printed beside the edge does not count.

    Args:
        picture: uint8 (h, w, 3).
        outline: (4, 2) px, clockwise or not.
        above: outlines of what lies on it and hides the edge. Sides that are completely hidden are left out.
        levels: contrast of an edge, in levels of a color channel.
    """
    h, w = picture.shape[:2]
    middle = outline.mean(axis=0)
    shares = []
    for a, b in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        out = np.array([b[1] - a[1], a[0] - b[0]]) / max(1e-6, float(np.linalg.norm(b - a)))
        out = out if float(np.dot(out, (a + b) / 2 - middle)) > 0 else -out
        along = np.linspace(0, 1, _EDGE_SAMPLES + 2)[1:-1, None]
        at = np.array([p for p in a + (b - a) * along if not _is_under(p, above)]).reshape(-1, 1, 2)
        across = np.array(_EDGE_OFFSETS_PX)[None, :, None] * out
        inner, outer = np.round(at - across).astype(int), np.round(at + across).astype(int)
        both = np.concatenate([inner, outer], axis=1)
        fits = ((both >= 0) & (both < (w, h))).all(axis=(1, 2))
        if not fits.any():
            continue
        inside = np.median(picture[inner[fits, :, 1], inner[fits, :, 0]].astype(int), axis=1)
        outside = np.median(picture[outer[fits, :, 1], outer[fits, :, 0]].astype(int), axis=1)
        shares.append(float((np.abs(inside - outside).max(axis=1) > levels).mean()))
    return shares


def _is_under(point: Points, above: Sequence[Points]) -> bool:
    x, y = float(point[0]), float(point[1])
    return any(cv2.pointPolygonTest(np.asarray(quad, np.float32), (x, y), True) > -2 for quad in above)
