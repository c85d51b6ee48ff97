"""Detects a hand reaching into a still picture, and the tray around the dice."""

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.dice.boxes import CONFIDENT_SCORE, Box, DieBox
from companion.vision.dice.finding.segments import grounds, shrunk
from companion.vision.frame import Image, Points

_SIDE: Final = 320
_MIN_HAND: Final = 0.012  # share of the picture
_MAX_HAND: Final = 0.6
_THICK: Final = 0.018  # minimum half-width of a finger relative to the picture's shorter side
_FINGER: Final = 0.17  # the same relative to the smallest die: 14 mm next to a die of 40; lines and digits are thinner
_ARM: Final = 2.2  # minimum width of an arm, in finger widths
_APART: Final = 16.0  # minimum color distance of a hand to the background
_TINTED: Final = 7.0  # minimum chroma distance: excludes shadows
_SKIN_CR: Final = (136, 178)
_SKIN_CB: Final = (84, 127)
_PALE, _MAX_SATURATED = 0.3, 0.72  # saturation limits of skin; red felt and orange leather exceed them
_SATURATED_RED: Final = 0.5  # maximum saturation of red skin
_PALER: Final = 0.02  # decrease per degree of hue towards pink
_SHADED: Final = 0.03
"""Minimum deviation of a hand from even lighting, relative to its mean lightness: fingers are round. Of 225
photographed hands the least shaded has 0.075, 0.047 in a third of the light; printed skin-colored discs have 0.012 to
0.014."""
_OUTLINED, _OUTLINE = 12.0, 0.85
"""Minimum color distance across the outline, and minimum share of the outline, and of its far end, that has it. A hand
has an end, while a skin-colored part of a wooden table or a tray's frame fades into the rest. Of 383 photographed hands
the lowest shares are 0.89 and 0.91."""
_DEEP: Final = 0.12  # minimum reach into the picture, as a share of its side
_FAR_IN, _PART = 0.25, 0.75  # of the picture; of the edge: the back of a hand is wider at the edge than it is long
_MIN_TRAY: Final = 0.15  # share of the picture
_EMPTY_TRAY: Final = 0.3  # share of the picture if no die lies in it: a phone next to the dice is no tray
_DICE_IN_TRAY: Final = 8.0  # minimum area of a tray, in areas of a die's box
_OPENED: Final = (5, 13)  # px, opening kernels: for hands; for fingers that touch the tray's narrow frame
_RING: Final = (0.1, 0.3)  # in die sizes: ring around it that shows the background, beyond its edge and shadow
_SAME_GROUND: Final = (45.0, 12.0)  # tolerance in lightness and chroma: the background in light and shade
_MIN_GROUND: Final = 0.2  # share of the picture: a busy print has no uniform background
_NEAR_PX: Final = 4  # px of the downscaled picture: window on both sides of an outline
_RIM: Final = 0.03  # maximum width of a tray's wall relative to the picture's shorter side
_STRAIGHT: Final = 0.88  # minimum share of its fitted rectangle or circle that a tray fills


def has_hand(picture: Image, dice: Sequence[DieBox] = (), tray: Points | None = None) -> bool:
    """Return whether a skin-colored region reaches in from the edge of a picture, (H, W, 3) BGR.

    Only regions that differ in color from the background count, as a wooden table is no hand. Confident detections of
    dice are excluded; weaker ones may be knuckles. A hand extends over the background that the dice lie on, while the
    table around a tray does not.

    Args:
        dice: the detected dice: a finger is not much thinner than the smallest.
        tray: outline of a visible tray, px (n, 2): a hand reaches into it, the table around it does not.
    """
    small = shrunk(picture, _SIDE)
    lab = cv2.cvtColor(small, cv2.COLOR_BGR2LAB).astype(np.float32)
    skin = _skin(small)
    scale = small.shape[1] / picture.shape[1]
    for die in dice:
        if die.score >= CONFIDENT_SCORE:
            skin &= ~_box_mask(die.box, scale, 0.0, skin.shape)
    inside = _ground_around(lab, dice, scale) if tray is None else _filled(tray * scale, skin.shape)
    least = max(_THICK * min(skin.shape), _FINGER * scale * min((die.size_px for die in dice), default=0))
    soft = np.asarray(cv2.GaussianBlur(lab, (5, 5), 0), np.float32)
    return any(_reaches_in(skin & _differs(lab, ground), least, inside, soft) for ground in grounds(lab))


def _differs(lab: NDArray[np.float32], ground: NDArray[np.float32]) -> NDArray[np.bool_]:
    off = lab - ground
    tinted = np.hypot(off[..., 1], off[..., 2]) > _TINTED
    return np.asarray(tinted & (_distance(off) > _APART))


def _distance(off: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the perceptual distance of LAB differences (..., 3); lightness counts less, as shadows change it."""
    return np.asarray(np.linalg.norm(off * (0.5, 1.3, 1.3), axis=-1), np.float32)


def _skin(small: Image) -> NDArray[np.bool_]:
    soft = np.asarray(cv2.GaussianBlur(small, (5, 5), 0), np.uint8)
    _, cr, cb = cv2.split(cv2.cvtColor(soft, cv2.COLOR_BGR2YCrCb))
    red = (cr >= _SKIN_CR[0]) & (cr <= _SKIN_CR[1])
    return np.asarray(red & (cb >= _SKIN_CB[0]) & (cb <= _SKIN_CB[1]) & _is_dull(soft), np.bool_)


def _is_dull(picture: Image) -> NDArray[np.bool_]:
    """Return a mask of colors no more saturated than skin of the same hue."""
    hue, saturation, _ = cv2.split(cv2.cvtColor(picture, cv2.COLOR_BGR2HSV))
    deg = (hue.astype(np.float32) * 2 + 180) % 360 - 180
    most = np.clip(_SATURATED_RED + _PALER * deg, _PALE, _MAX_SATURATED)
    return np.asarray(saturation < 255 * most, np.bool_)


def _ground_around(lab: NDArray[np.float32], dice: Sequence[DieBox], scale: float) -> NDArray[np.bool_] | None:
    """Return a mask of the background around the dice, convex hull, in a downscaled picture (h, w, 3).

    The hull includes objects that extend over the background. None if it has no uniform color, or without dice.
    """
    found = np.zeros(lab.shape[:2], np.uint8)
    for box in (die.box for die in dice):
        ring = _box_mask(box, scale, _RING[1], found.shape) & ~_box_mask(box, scale, _RING[0], found.shape)
        if not ring.any():
            continue
        off = np.abs(lab - np.median(lab[ring], axis=0))
        matching = (off[..., 0] < _SAME_GROUND[0]) & (np.hypot(off[..., 1], off[..., 2]) < _SAME_GROUND[1])
        opened = cv2.morphologyEx(matching.astype(np.uint8), cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
        _, labels = cv2.connectedComponents(opened)
        adjacent = np.unique(labels[ring & (opened > 0)])
        outline = cv2.findNonZero(np.isin(labels, adjacent[adjacent > 0]).astype(np.uint8))
        if outline is not None:
            cv2.fillConvexPoly(found, cv2.convexHull(outline), 1)
    return found.astype(np.bool_) if found.mean() > _MIN_GROUND else None


def _box_mask(box: Box, scale: float, more: float, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    x, y, w, h = box
    room = more * max(w, h)
    mask = np.zeros(shape[:2], np.bool_)
    top, left = max(0, round((y - room) * scale)), max(0, round((x - room) * scale))
    mask[top : max(0, round((y + h + room) * scale)), left : max(0, round((x + w + room) * scale))] = True
    return mask


def _filled(outline: Points, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return a mask of the outline's interior, eroded by the wall's width."""
    mask = np.zeros(shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(outline).astype(np.int32)], 1)
    rim = max(3, round(_RIM * min(shape[:2]))) | 1
    return cv2.erode(mask, np.ones((rim, rim), np.uint8)).astype(np.bool_)


def _reaches_in(
    found: NDArray[np.bool_], least: float, inside: NDArray[np.bool_] | None, lab: NDArray[np.float32]
) -> bool:
    """Return whether regions of this half-width reach in over one or two edges, into the tray or over the background.

    Args:
        lab: smoothed LAB picture (h, w, 3).
    """
    mask = found.astype(np.uint8)
    opened = (cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((n, n), np.uint8)) for n in _OPENED)
    return any(_parts_come_in(parts, least, inside, lab) for parts in opened)


def _parts_come_in(
    mask: cv2.typing.MatLike, least: float, inside: NDArray[np.bool_] | None, lab: NDArray[np.float32]
) -> bool:
    h, w = mask.shape
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    area = 0
    for i in range(1, count):
        own = labels == i
        wide = _half_width(own if inside is None else own & inside)
        is_wide = wide >= (_ARM * least if _crosses(own) else least)
        if is_wide and _comes_in(own) and _is_shaded(own, lab[..., 0]) and _ends(own, lab):
            area += int(stats[i, cv2.CC_STAT_AREA])
    return bool(_MIN_HAND * h * w <= area <= _MAX_HAND * h * w)


def _is_shaded(own: NDArray[np.bool_], light: cv2.typing.MatLike) -> bool:
    """Return whether its lightness deviates from a linear gradient, as on round objects and unlike prints."""
    inner = cv2.erode(own.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    y, x = np.nonzero(inner if inner.any() else own)
    plane = np.column_stack([x, y, np.ones(len(x))])
    values = light[y, x].astype(np.float64)
    evenly = plane @ np.linalg.lstsq(plane, values, rcond=None)[0]
    return float((values - evenly).std()) > _SHADED * float(values.mean())


def _ends(own: NDArray[np.bool_], lab: NDArray[np.float32]) -> bool:
    """Return whether a region that reaches in has a distinct outline, also at its far end."""
    own_px, three = own.astype(np.uint8), np.ones((3, 3), np.uint8)
    within = cv2.erode(own_px, three)
    inside, outside = within.astype(np.float32), 1 - cv2.dilate(own_px, np.ones((5, 5), np.uint8)).astype(np.float32)
    differs = _distance(_mean_near(lab, inside) - _mean_near(lab, outside)) > _OUTLINED
    h, w = own.shape
    y, x = np.mgrid[:h, :w]
    away = np.minimum.reduce([far for far, edge in zip((y, h - 1 - y, x, w - 1 - x), _edges(own), strict=True)
                              if edge.any()])  # fmt: skip
    rim = own & (within == 0) & (np.minimum.reduce([y, h - 1 - y, x, w - 1 - x]) >= _NEAR_PX)
    far = rim & (away >= np.percentile(away[own], 75))
    return all(differs[part].mean() > _OUTLINE for part in (rim, far) if part.any())


def _mean_near(lab: NDArray[np.float32], where: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the mean color around each pixel over the pixels of a mask, 0 or 1."""
    side = (2 * _NEAR_PX + 1,) * 2
    count = cv2.boxFilter(where, -1, side, normalize=False)
    return np.asarray(
        cv2.boxFilter(lab * where[..., None], -1, side, normalize=False) / np.maximum(count, 1)[..., None]
    )


def _edges(own: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], ...]:
    """Return which pixels of the top, bottom, left and right edge a region covers."""
    along = ((own[:2], 0), (own[-2:], 0), (own[:, :2], 1), (own[:, -2:], 1))
    return tuple(np.asarray(strip.any(axis=axis), np.bool_) for strip, axis in along)


def _crosses(own: NDArray[np.bool_]) -> bool:
    """Return whether it spans two opposite edges, as arms and many printed lines do."""
    top, bottom, left, right = (edge.any() for edge in _edges(own))
    return bool((top and bottom) or (left and right))


def _half_width(mask: NDArray[np.bool_]) -> float:
    return float(cv2.distanceTransform(mask.astype(np.uint8), cv2.DIST_L2, 3).max())


def _comes_in(own: NDArray[np.bool_]) -> bool:
    """Return whether it enters over one or two edges, longer than wide there (unlike a tray's frame) or far."""
    rows, columns = np.flatnonzero(own.any(axis=1)), np.flatnonzero(own.any(axis=0))
    deep, wide = len(rows) / own.shape[0], len(columns) / own.shape[1]
    reach = ((len(rows), deep), (len(rows), deep), (len(columns), wide), (len(columns), wide))
    at_edges = [(edge, length, share) for edge, (length, share) in zip(_edges(own), reach, strict=True)]
    touched = [(int(edge.sum()), length, share, edge.size) for edge, length, share in at_edges if edge.any()]
    if len(touched) == 1:
        ((n, length, share, side),) = touched
        return share > _DEEP and (n < length or (share > _FAR_IN and n < _PART * side))
    return len(touched) == 2 and all(n < length and share > _DEEP for n, length, share, _ in touched)


def find_tray(picture: Image, dice: Sequence[DieBox]) -> Points | None:
    """Return the tray's inner outline, float32 (n, 2), px; None if no complete tray is visible.

    Args:
        dice: the detected dice: a tray is much larger than any of them.
    """
    small = shrunk(picture, _SIDE)
    scale = picture.shape[1] / small.shape[1]
    gray = cv2.GaussianBlur(cv2.cvtColor(small, cv2.COLOR_BGR2LAB), (5, 5), 0)
    edges = np.maximum.reduce([cv2.Canny(np.ascontiguousarray(gray[..., k]), 20, 50) for k in range(3)])
    closed = cv2.morphologyEx(edges, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8))
    contours, _ = cv2.findContours(closed, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    least = max(
        [_MIN_TRAY * small.shape[0] * small.shape[1]] + [_DICE_IN_TRAY * (d.size_px / scale) ** 2 for d in dice]
    )
    trays = [tray for c in contours if cv2.contourArea(c) > least and (tray := _tray_of(c, small.shape)) is not None]
    if not trays:
        return None
    tray = np.asarray(min(trays, key=cv2.contourArea) * scale, np.float32)
    is_large = cv2.contourArea(tray) > _EMPTY_TRAY * picture.shape[0] * picture.shape[1]
    return tray if is_large or any(not is_off_tray(die, tray) for die in dice) else None


def _tray_of(contour: cv2.typing.MatLike, shape: tuple[int, ...]) -> Points | None:
    """Return the rectangle or circle fitted to a contour (a die at the wall dents it), None for another shape."""
    x, y, w, h = cv2.boundingRect(contour)
    if x <= 1 or y <= 1 or x + w >= shape[1] - 1 or y + h >= shape[0] - 1:
        return None  # the picture's border
    area = cv2.contourArea(contour)
    corners = cv2.boxPoints(cv2.minAreaRect(contour))
    if area > _STRAIGHT * cv2.contourArea(corners):
        return np.asarray(corners, np.float32)
    (x0, y0), radius = cv2.minEnclosingCircle(contour)
    turn = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    circle = np.stack([x0 + radius * np.cos(turn), y0 + radius * np.sin(turn)], axis=1).astype(np.float32)
    return circle if area > _STRAIGHT * np.pi * radius**2 else None


def is_off_tray(die: DieBox, tray: Points) -> bool:
    """Return whether a die lies outside the tray or on its rim."""
    return cv2.pointPolygonTest(tray, die.center, True) < -0.1 * die.size_px
