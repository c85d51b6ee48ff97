"""Detects card-like objects without a readable code: bright rectangles of a card's shape and size.

Tuned for precision: paper, a phone or the edge of a mat must cause no warning, so an object counts only if it has a
card's proportions and size, straight edges, the brightness of paper, and print.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import cv2
import numpy as np

from companion.objects.geometry import CARD_GEOMETRY
from companion.vision.frame import Gray, Points
from companion.vision.sightings import Quad, to_points, to_quad

_WORK_PX: Final = 960  # longer side of the picture that is searched
_MIN_CARD_PX: Final = 30
_EDGE_QUANTILES: Final = (0.90, 0.93, 0.96)  # shares of a picture with weaker edges than the cards on its cloth
_PROPORTIONS: Final = tuple(g.width / g.height for g in CARD_GEOMETRY.values())


def unread_cards(gray: Gray, taken: Sequence[Quad], cards: Sequence[Quad]) -> tuple[Quad, ...]:
    """Return the outlines of cards without any reading.

    Args:
        gray: uint8 (H, W).
        taken: outlines of everything that was read; nothing is reported there.
        cards: outlines of cards that were read: other cards are about as large. Without any, the distance of the camera
            is unknown and nothing is reported.
    """
    if not cards or min(gray.shape) < 40:
        return ()
    small, scale = _small(gray)
    area = float(np.median([cv2.contourArea(to_points(q)) for q in cards])) * scale * scale
    mask = np.zeros(small.shape, np.uint8)
    for quad in taken:
        cv2.fillConvexPoly(mask, np.round(to_points(quad) * scale).astype(np.int32), 255)
    found = [_card_shape(contour, (0.7 * area, 1.5 * area)) for contour in _bright_contours(small)]
    good = [p for p in found if p is not None and _is_card(small, mask, p)]
    return tuple(to_quad(points / scale) for points in good)


def card_shapes(gray: Gray) -> tuple[Quad, ...]:
    """Return the outlines of objects with a card's proportions, brighter or with more edges than their surroundings.

    These are only candidates: many are not cards.
    """
    if min(gray.shape) < 40:
        return ()
    small, scale = _small(gray)
    contours = (*_bright_contours(small), *_edge_contours(small))
    found = [_card_shape(contour, (_MIN_CARD_PX**2, small.size / 2)) for contour in contours]
    return tuple(to_quad(points / scale) for points in found if points is not None)


def _small(gray: Gray) -> tuple[Gray, float]:
    """Return the reduced picture that is searched, and its scale."""
    scale = min(1.0, _WORK_PX / max(gray.shape))
    return np.asarray(cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8), scale


def _bright_contours(small: Gray) -> Sequence[np.ndarray]:
    """Return contours of objects brighter than their surroundings: paper on cloth or wood."""
    level, _ = cv2.threshold(small, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    bright = (small > level).astype(np.uint8)
    closed = cv2.morphologyEx(bright, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    contours, _ = cv2.findContours(closed, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return contours


def _edge_contours(small: Gray) -> Iterator[np.ndarray]:
    """Yield contours of regions with more edges than their surroundings: print on any ground."""
    soft = cv2.GaussianBlur(small, (0, 0), 1.5)
    edges = cv2.magnitude(cv2.Sobel(soft, cv2.CV_32F, 1, 0), cv2.Sobel(soft, cv2.CV_32F, 0, 1))
    for level in np.quantile(edges[::2, ::2], _EDGE_QUANTILES):
        closed = cv2.morphologyEx((edges > level).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
        contours, _ = cv2.findContours(
            cv2.erode(closed, np.ones((5, 5), np.uint8)), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE
        )
        yield from contours


def _card_shape(contour: np.ndarray, area: tuple[float, float]) -> Points | None:
    """Return the four corners of a contour with straight edges and a card's proportions, or None.

    Args:
        area: minimum and maximum area, px².
    """
    size = cv2.contourArea(contour)
    if not area[0] < size < area[1]:
        return None
    rect = cv2.minAreaRect(contour)
    short, long = sorted(rect[1])
    if long <= 0 or size < 0.92 * short * long:
        return None
    if min(abs(short / long - p) for p in _PROPORTIONS) > 0.07:
        return None
    return np.asarray(cv2.boxPoints(rect), np.float32)


def _is_card(small: Gray, taken: Gray, points: Points) -> bool:
    inside = np.zeros(small.shape, np.uint8)
    cv2.fillConvexPoly(inside, np.round(points).astype(np.int32), 255)
    if cv2.countNonZero(cv2.bitwise_and(inside, taken)) > 0.1 * cv2.countNonZero(inside):
        return False
    core = cv2.erode(inside, np.ones((7, 7), np.uint8))
    around = cv2.dilate(inside, np.ones((13, 13), np.uint8)) - cv2.dilate(inside, np.ones((5, 5), np.uint8))
    if not core.any() or not around.any():
        return False
    paper = float(np.percentile(small[core > 0], 70))
    cloth = float(np.median(small[around > 0]))
    ink = float(np.mean(small[core > 0] < 0.7 * paper))
    return paper > 1.35 * cloth + 10 and 0.03 < ink < 0.7
