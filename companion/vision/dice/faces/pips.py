"""Counts a d6's pips by classical vision: blobs that differ in color from the body, in one of the six patterns.

Independent of the network, so agreement of both is stronger evidence than either alone.
"""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.dice.boxes import CROP_SIDE, DieBox, crop_of
from companion.vision.frame import Image

_SIDE: Final = 192
_DIE: Final = _SIDE / CROP_SIDE
_REACH: Final = 0.40  # maximum distance of the upper face's pips from the center, in die sizes
_AREA: Final = (0.0035, 0.10)  # range of a pip's area, in squared die sizes
_ROUND: Final = 0.62  # minimum share of its enclosing circle that a pip fills
_MIN_CONTRAST: Final = 22.0
_TWO: Final = (1.6, 4.0)  # area range of two or three merged pips, gaps included, in pip areas
_OFF: Final = 0.17  # maximum displacement of a pip, relative to the pattern's size
_CENTERED: Final = 0.14  # maximum offset of the pattern from the center, in die sizes

Spots = NDArray[np.float64]
"""(n, 2), pip centers relative to the die's center, in die sizes."""
_NONE: Final[Spots] = np.zeros((0, 2))


def count_pips(image: Image, die: DieBox) -> int | None:
    """Return the number of pips on the upper face; None if ambiguous."""
    crop = crop_of(image, die, side_px=_SIDE)
    counts = {count for spots in _both_ways(crop) if (count := pattern_of(spots)) is not None}
    return counts.pop() if len(counts) == 1 else None


def _both_ways(crop: Image) -> list[Spots]:
    """Return the blobs segmented by color, and by lightness alone: a shadow misleads at most one of them."""
    smooth = cv2.GaussianBlur(crop, (5, 5), 0)
    lab = cv2.cvtColor(smooth, cv2.COLOR_BGR2LAB).astype(np.float32)
    body = np.median(lab[_disc(0.30)], axis=0)
    far = np.linalg.norm((lab - body) * (1.0, 1.2, 1.2), axis=2)
    return [_spots(np.clip(far, 0, 255).astype(np.uint8)), _spots(np.abs(lab[..., 0] - body[0]).astype(np.uint8))]


def _disc(radius: float) -> NDArray[np.bool_]:
    y, x = np.mgrid[0:_SIDE, 0:_SIDE] - (_SIDE - 1) / 2
    return np.asarray(np.hypot(x, y) < radius * _DIE)


def _spots(difference: NDArray[np.uint8]) -> Spots:
    """Return the round blobs that differ from the body."""
    inside = _disc(0.46)
    values = difference[inside].reshape(-1, 1)
    level = max(_MIN_CONTRAST, cv2.threshold(values, 0, 255, cv2.THRESH_OTSU)[0])
    raw = ((difference > level) & inside).astype(np.uint8)
    mask = cv2.morphologyEx(raw, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    found = [spot for contour in contours if (spot := _pip(contour)) is not None]
    if not found:
        return _NONE
    usual = float(np.median([area for _, _, area in found]))
    spots = np.array([(x, y) for x, y, area in found if 0.4 * usual < area < 2.5 * usual]).reshape(-1, 2)
    if len(spots) == 2 and any(_may_be_two_pips(contour, usual) for contour in contours):
        return _NONE  # a six with merged pips, of which one per row is separate
    return spots


def _may_be_two_pips(contour: cv2.typing.MatLike, usual: float) -> bool:
    """Return whether a contour near the center is elongated and as large as two pips: large pips may merge."""
    (x, y), radius = cv2.minEnclosingCircle(contour)
    area = cv2.contourArea(cv2.convexHull(contour))
    is_near = np.hypot(x - _SIDE / 2, y - _SIDE / 2) < _REACH * _DIE
    return bool(is_near and area < _ROUND * np.pi * radius**2 and _TWO[0] < area / _DIE**2 / usual < _TWO[1])


def _pip(contour: cv2.typing.MatLike) -> tuple[float, float, float] | None:
    """Return the center and area of a round blob, in die sizes; None for any other contour."""
    (x, y), radius = cv2.minEnclosingCircle(contour)
    area = cv2.contourArea(cv2.convexHull(contour))
    share = area / _DIE**2
    x, y = (x - _SIDE / 2) / _DIE, (y - _SIDE / 2) / _DIE
    if not _AREA[0] < share < _AREA[1] or area < _ROUND * np.pi * radius**2 or np.hypot(x, y) > _REACH:
        return None
    return float(x), float(y), float(share)


def pattern_of(spots: Spots) -> int | None:
    """Return the face of a d6 with this pip pattern, (n, 2) around the die's center; None if there is none.

    >>> pattern_of(np.array([[-0.2, -0.2], [0.0, 0.0], [0.2, 0.2]]))
    3
    >>> pattern_of(np.array([[-0.2, -0.2], [0.1, 0.0], [0.2, -0.2]])) is None
    True
    """
    n = len(spots)
    if not 1 <= n <= 6 or np.linalg.norm(spots.mean(axis=0)) > _CENTERED:
        return None
    if n == 1:
        return 1
    size = 2 * float(np.linalg.norm(spots - spots.mean(axis=0), axis=1).max())
    if not 0.25 < size < 0.85:
        return None
    fits = {2: _two, 3: _three, 4: _four, 5: _five, 6: _six}[n]
    return n if fits(spots - spots.mean(axis=0), _OFF * size) else None


def _two(spots: Spots, off: float) -> bool:
    return True


def _three(spots: Spots, off: float) -> bool:
    """Return whether three pips are collinear, one in the center."""
    middle = int(np.linalg.norm(spots, axis=1).argmin())
    ends = np.delete(spots, middle, axis=0)
    return bool(np.linalg.norm(spots[middle]) < off and np.linalg.norm(ends.sum(axis=0)) < off)


def _four(spots: Spots, off: float) -> bool:
    """Return whether four pips form a rectangle: point-symmetric and equidistant from the center."""
    far = np.linalg.norm(spots, axis=1)
    opposite = [min(np.linalg.norm(spot + other) for other in spots) for spot in spots]
    sides = np.sort([np.linalg.norm(spots[0] - spots[i]) for i in (1, 2, 3)])
    return bool(np.ptp(far) < off and max(opposite) < off and sides[0] > 0.3 * sides[2])


def _five(spots: Spots, off: float) -> bool:
    """Return whether five pips form a rectangle and its center."""
    middle = int(np.linalg.norm(spots, axis=1).argmin())
    return bool(np.linalg.norm(spots[middle]) < off) and _four(np.delete(spots, middle, axis=0), off)


def _six(spots: Spots, off: float) -> bool:
    """Return whether six pips form two rows of three: four corners and the midpoints of the longer sides."""
    order = np.argsort(np.linalg.norm(spots, axis=1))
    between, corners = spots[order[:2]], spots[order[2:]]
    if not _four(corners, off) or np.linalg.norm(between.sum(axis=0)) > off:
        return False
    near = np.argsort(np.linalg.norm(corners - between[0], axis=1))[:2]
    return bool(np.linalg.norm(corners[near].mean(axis=0) - between[0]) < off)
