"""Whether something on the table has a card's outline, told from its shape alone and the cards that were read."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from companion.objects.geometry import POKER, TAROT, CardGeometry
from companion.vision.frame import Gray, Image, Points
from companion.vision.live.change import Box

_KEPT: Final = 60
_SHORT: Final = (
    0.86,
    1.32,
)  # of a card's width: bridge cards are 57 mm; a deck is nearer to the camera, and shows a side
_LONG: Final = (0.88, 1.25)
_ODD: Final = 0.14
_SQUARE: Final = 0.86  # of its bounding rectangle's area
_FILLED: Final = 0.35
_FREE_PROPORTIONS: Final = (0.56, 0.84)  # where no card was read yet
_FREE_SHARE: Final = (0.045, 0.3)  # the short side, of the picture's height
_SLACK_MM: Final = 5.0
_LEAST_MM: Final = 9.0
_UNDER: Final = 0.85
_TAROT: Final = 1.55  # height to width: above it is no poker card, however tilted
_SAMPLES: Final = 15
_STEP_LEVELS: Final = 12
_ACROSS: Final = (1.5, 2.0, 2.5)  # px from an edge


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """One connected thing.

    Attributes:
        mask: uint8 (h, w) of the whole picture, 255 on it.
        contour: its outer edge, int32 (N, 1, 2).
        box: round it.
    """

    mask: Gray
    contour: np.ndarray
    box: Box


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A card's outline that explains a shape. ``seen`` is a quad round what shows of it."""

    outline: Points
    seen: Points


def shape_of(mask: Gray, least_px: float) -> Iterator[Shape]:
    """Yield the connected things of a mask that have an area of ``least_px`` at least.

    A thing's edge is blurred, so that the mask reaches a pixel too far; the contour does not.
    """
    core = np.asarray(cv2.erode(mask, np.ones((3, 3), np.uint8)), np.uint8)
    contours, _ = cv2.findContours(core, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    for contour in contours:
        if cv2.contourArea(contour) < least_px:
            continue
        own = np.zeros_like(mask)
        cv2.drawContours(own, [contour], -1, 255, cv2.FILLED)
        own = np.asarray(cv2.dilate(own, np.ones((3, 3), np.uint8)), np.uint8)
        x, y, w, h = cv2.boundingRect(own)
        yield Shape(np.asarray(cv2.bitwise_and(own, mask), np.uint8), contour, (x, y, x + w, y + h))


class Gauge:
    """How large a card is in the picture, and where: learnt from the cards that were read."""

    def __init__(self) -> None:
        self._read: deque[tuple[Points, np.ndarray, CardGeometry]] = deque(maxlen=_KEPT)

    def note(self, outline: Points) -> None:
        """A card was read with this outline, (4, 2) px, clockwise from its own top left."""
        across = float(np.linalg.norm(outline[1] - outline[0]) + np.linalg.norm(outline[2] - outline[3])) / 2
        down = float(np.linalg.norm(outline[3] - outline[0]) + np.linalg.norm(outline[2] - outline[1])) / 2
        geometry = TAROT if down > _TAROT * max(across, 1e-6) else POKER
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
        """Return how many pixels an area has, about."""
        if not self._read:
            return (_FREE_SHARE[0] * size[1]) ** 2
        return area_mm2 * float(np.median([abs(np.linalg.det(k[1])) for k in self._read]))

    def fit(self, shape: Shape, above: Sequence[Points], beside: Sequence[Points]) -> Fit | None:
        """Return the card that a shape may be, whole or partly hidden.

        Args:
            above: outlines of the cards that may lie upon it.
            beside: outlines of other such things, which may look the same where they overlap.
        """
        middle = shape.contour.reshape(-1, 2).mean(axis=0)
        near = self._near(middle)
        if near is None:
            return _fit_freely(shape)
        to_px, geometry = near
        points = shape.contour.reshape(-1, 2).astype(np.float64) @ np.linalg.inv(to_px).T
        found = _fit_whole(points.astype(np.float32), geometry)
        share = cv2.countNonZero(shape.mask[shape.box[1] : shape.box[3], shape.box[0] : shape.box[2]])
        if found is not None:
            outline = np.asarray(found @ to_px.T, np.float32)
            return Fit(outline, outline) if share >= _FILLED * cv2.contourArea(outline) else None
        hidden = [np.asarray(o, np.float64) @ np.linalg.inv(to_px).T for o in (*above, *beside)]
        hidden = [o for o in hidden if _do_touch(o, points)]
        part = _fit_part(points.astype(np.float32), hidden, geometry) if hidden else None
        if part is None:
            return None
        outline, seen = (np.asarray(p @ to_px.T, np.float32) for p in part)
        return Fit(outline, seen)


def _upright(outline: Points) -> Points:
    """Return the outline from the end of a long side on, so that its first side is short."""
    first, second = np.linalg.norm(outline[1] - outline[0]), np.linalg.norm(outline[2] - outline[1])
    return outline if first <= second else np.roll(outline, -1, axis=0)


def _fit_freely(shape: Shape) -> Fit | None:
    """Judge by proportions alone: no card was read yet."""
    hull = cv2.convexHull(shape.contour)
    rect = cv2.minAreaRect(hull)
    short, long = sorted(rect[1])
    height = shape.mask.shape[0]
    if long <= 0 or not _FREE_PROPORTIONS[0] <= short / long <= _FREE_PROPORTIONS[1]:
        return None
    if not _FREE_SHARE[0] * height <= short <= _FREE_SHARE[1] * height:
        return None
    if cv2.contourArea(hull) < _SQUARE * short * long:
        return None
    outline = _upright(np.asarray(cv2.boxPoints(rect), np.float32))
    return Fit(outline, outline)


def _fit_whole(points: Points, geometry: CardGeometry) -> Points | None:
    """Return the rectangle (mm) round points if it is as large as a card and they fill it."""
    hull = cv2.convexHull(points)
    rect = cv2.minAreaRect(hull)
    short, long = sorted(rect[1])
    if not _SHORT[0] * geometry.width <= short <= _SHORT[1] * geometry.width:
        return None
    if not _LONG[0] * geometry.height <= long <= _LONG[1] * geometry.height:
        return None
    if cv2.contourArea(hull) < _SQUARE * short * long or abs(short / long - geometry.width / geometry.height) > _ODD:
        return None
    return _upright(np.asarray(cv2.boxPoints(rect), np.float32))


def _do_touch(outline: np.ndarray, points: np.ndarray) -> bool:
    quad = np.asarray(outline, np.float32)
    step = max(1, len(points) // 40)
    near = (cv2.pointPolygonTest(quad, (float(x), float(y)), True) > -_SLACK_MM for x, y in points[::step])
    return sum(near) >= 3


def _fit_part(points: Points, hidden: Sequence[np.ndarray], geometry: CardGeometry) -> tuple[Points, Points] | None:
    """Return the card (mm) of which a shape is what shows beside others, and a quad round the shape."""
    best: tuple[float, Points, Points] | None = None
    for angle in _angles(points):
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, s], [-s, c]])
        flat = points @ turn.T
        low, high = flat.min(axis=0), flat.max(axis=0)
        if min(high - low) < _LEAST_MM:
            continue
        others = [np.asarray(o @ turn.T, np.float32) for o in hidden]
        contour = np.asarray(flat, np.float32)
        for width, height in ((geometry.width, geometry.height), (geometry.height, geometry.width)):
            for corner in _placings(low, high, (width, height)):
                share = _explained(contour, others, corner, (width, height))
                if share >= _UNDER and (best is None or share > best[0]):
                    best = (share, _rect(corner, (width, height)) @ turn, _rect(low, tuple(high - low)) @ turn)
    return None if best is None else (_upright(best[1]), np.asarray(best[2], np.float32))


def _angles(points: Points) -> list[float]:
    """Return the directions of a shape's longest straight edges."""
    rough = cv2.approxPolyDP(points.reshape(-1, 1, 2), 3.0, True).reshape(-1, 2)
    edges = np.roll(rough, -1, axis=0) - rough
    lengths = np.linalg.norm(edges, axis=1)
    longest = np.argsort(-lengths)[:3]
    return [float(np.arctan2(edges[i][1], edges[i][0])) for i in longest if lengths[i] > 25.0]


def _placings(low: np.ndarray, high: np.ndarray, size: tuple[float, float]) -> list[tuple[float, float]]:
    """Return where a card's low corner may be: what shows lies at its one end or its other, or fills it."""
    ways: list[list[float]] = []
    fills = 0
    for a, b, length in zip(low, high, size, strict=True):
        if b - a > length + _SLACK_MM:
            return []
        if b - a > length - _SLACK_MM:
            fills += 1
            ways.append([float((a + b - length) / 2)])
        else:
            ways.append([float(a), float(b - length)])
    return [(x, y) for x in ways[0] for y in ways[1]] if fills else []


def _rect(corner: Sequence[float] | np.ndarray, size: Sequence[float]) -> Points:
    x, y = float(corner[0]), float(corner[1])
    w, h = float(size[0]), float(size[1])
    return np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]], np.float32)


def _explained(
    contour: Points, others: Sequence[Points], corner: tuple[float, float], size: tuple[float, float]
) -> float:
    """Return the share of a card's place that either shows or may be hidden; 0 if too little is hidden."""
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


def steps(picture: Image, outline: Points, above: Sequence[Points], levels: int = _STEP_LEVELS) -> list[float]:
    """Return for each side the share along which the picture changes across it: something's edge is there.

    A few pixels on either side are compared by their median, so that a printed line beside the edge tells nothing.

    Args:
        picture: uint8 (h, w, 3).
        outline: (4, 2) px, clockwise or not.
        above: outlines of what lies upon it; the edge does not show there. A side of which nothing shows is left out.
        levels: what counts as a change.
    """
    h, w = picture.shape[:2]
    middle = outline.mean(axis=0)
    shares = []
    for a, b in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        out = np.array([b[1] - a[1], a[0] - b[0]]) / max(1e-6, float(np.linalg.norm(b - a)))
        out = out if float(np.dot(out, (a + b) / 2 - middle)) > 0 else -out
        along = np.linspace(0, 1, _SAMPLES + 2)[1:-1, None]
        at = np.array([p for p in a + (b - a) * along if not _is_under(p, above)]).reshape(-1, 1, 2)
        across = np.array(_ACROSS)[None, :, None] * out
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
