"""Detects card-like objects without a readable code: bright rectangles of a card's shape and size.

Tuned for precision: paper, a phone or the edge of a mat must not worry the dealer, so an object counts only if it has
a card's proportions and size, straight edges, the brightness of paper, and print.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from companion.objects.geometry import CARD_GEOMETRY
from companion.vision.frame import Gray, Points
from companion.vision.sightings import Quad, to_points, to_quad

_WORK_PX: Final = 960  # the longer side of the picture that is searched
_PROPORTIONS: Final = tuple(g.width / g.height for g in CARD_GEOMETRY.values())


def unread_cards(gray: Gray, taken: Sequence[Quad], cards: Sequence[Quad]) -> tuple[Quad, ...]:
    """Return the outlines of card-like things that nothing was read of.

    Args:
        gray: uint8 (H, W).
        taken: where something was read; nothing is reported there.
        cards: outlines of cards that were read: another card is about as large. Without any, the
            camera's distance is unknown and nothing is reported.
    """
    if not cards or min(gray.shape) < 40:
        return ()
    scale = min(1.0, _WORK_PX / max(gray.shape))
    small = np.asarray(cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    area = float(np.median([cv2.contourArea(to_points(q)) for q in cards])) * scale * scale
    mask = np.zeros(small.shape, np.uint8)
    for quad in taken:
        cv2.fillConvexPoly(mask, np.round(to_points(quad) * scale).astype(np.int32), 255)
    found = [_card_shape(contour, area) for contour in _bright_things(small)]
    good = [p for p in found if p is not None and _is_card(small, mask, p)]
    return tuple(to_quad(points / scale) for points in good)


def _bright_things(small: Gray) -> Sequence[np.ndarray]:
    """Contours of what is brighter than its surroundings: paper on cloth or wood."""
    level, _ = cv2.threshold(small, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    bright = (small > level).astype(np.uint8)
    closed = cv2.morphologyEx(bright, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    contours, _ = cv2.findContours(closed, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return contours


def _card_shape(contour: np.ndarray, area: float) -> Points | None:
    """Return the contour's four corners if it has a card's size, proportions and straight edges."""
    size = cv2.contourArea(contour)
    if not 0.7 * area < size < 1.5 * area:
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
