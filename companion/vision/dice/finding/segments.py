"""Segments dice from a plain background by color: compact, convex regions.

Independent of the network. On a plain tray it finds every die with sharp edges; on a busy background it also finds
false positives, which the network rejects.
"""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.dice.boxes import Box
from companion.vision.frame import Image

_SIDE: Final = 480  # maximum longer side of the segmented picture
_RIM: Final = 0.06  # border width relative to the shorter side; the bare background is sampled there
_NOISE: Final = 4.0
_MIN_LEVEL: Final = 11.0
_WIDE: Final = 1.45  # maximum aspect ratio of a die's outline
_FULL: Final = 0.88  # minimum share of its convex hull
_ROUND: Final = 0.55  # minimum share of its enclosing circle
_MOST: Final = 0.97  # maximum size relative to the picture's shorter side
_RIDGE: Final = np.float32(1e-3)

Labels = NDArray[np.float32]


def segments(picture: Image, least_px: float) -> list[Box]:
    """Return the boxes of regions that differ from the background and have a die's outline, px, largest first.

    Args:
        picture: uint8 (H, W, 3) BGR.
        least_px: minimum size.
    """
    small = cv2.medianBlur(shrunk(picture, _SIDE), 3)
    scale = small.shape[1] / picture.shape[1]
    lab = cv2.cvtColor(small, cv2.COLOR_BGR2LAB).astype(np.float32)
    masks = [mask for ground in grounds(lab) for mask in _standing_out(lab, ground)]
    outlines = [box for mask in masks for box in _dice_in(mask, max(8.0, least_px * scale))]
    boxes = [_enlarged(box, 1 / scale) for box in outlines]
    return sorted(boxes, key=lambda box: -box[2] * box[3])


def shrunk(picture: Image, side: int) -> Image:
    """Return the picture with its longer side at most this long."""
    scale = min(1.0, side / max(picture.shape[:2]))
    size = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
    return smaller(picture, size)


def smaller(picture: Image, size: tuple[int, int]) -> Image:
    """Return a downscaled copy, (width, height) px; repeated halving first takes a fraction of the time."""
    while picture.shape[1] >= 2 * size[0] and picture.shape[0] >= 2 * size[1]:
        half = picture.shape[1] // 2, picture.shape[0] // 2
        picture = np.asarray(cv2.resize(picture, half, interpolation=cv2.INTER_AREA), np.uint8)
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def grounds(lab: Labels) -> list[Labels]:
    """Return background estimates: smooth surfaces fitted to the picture's border and to the whole picture."""
    h, w = lab.shape[:2]
    rim = np.ones((h, w), np.bool_)
    edge = max(2, round(_RIM * min(h, w)))
    rim[edge:-edge, edge:-edge] = False
    everywhere = np.ones((h, w), np.bool_)
    return [_smooth_through(lab, rim), _smooth_through(lab, everywhere)]


def _smooth_through(lab: Labels, known: NDArray[np.bool_]) -> Labels:
    """Robustly fit a paraboloid to each channel, rejecting outliers."""
    h, w = lab.shape[:2]
    y, x = np.mgrid[-1 : 1 : h * 1j, -1 : 1 : w * 1j]
    terms = np.stack([np.ones_like(x), x, y, x * y, x * x, y * y], axis=-1).astype(np.float32)
    rows = np.flatnonzero(known)[:: max(1, int(known.sum()) // 4000)]
    a, b = terms.reshape(-1, 6)[rows], lab.reshape(-1, 3)[rows]
    kept = np.abs(b - np.median(b, axis=0)).max(axis=1) <= max(30.0, 2 * _spread(b))
    for _ in range(4):
        if kept.sum() < 60:
            break
        some = a[kept]
        found = np.linalg.solve(some.T @ some + _RIDGE * np.eye(6, dtype=np.float32), some.T @ b[kept])
        off = np.abs(b - a @ found).max(axis=1)
        kept = off <= max(3 * _NOISE, 2.5 * float(np.median(off)))
    else:
        return np.asarray(terms @ found, np.float32)
    return np.broadcast_to(np.median(b, axis=0), lab.shape).astype(np.float32)


def _spread(values: Labels) -> float:
    return float(np.median(np.abs(values - np.median(values, axis=0)).max(axis=1)))


def _standing_out(lab: Labels, ground: Labels) -> list[NDArray[np.uint8]]:
    """Return foreground masks: low threshold, Otsu's, twice the low one, and by color alone (ignores shadows)."""
    off = lab - ground
    light, chroma = np.abs(off[..., 0]), np.linalg.norm(off[..., 1:], axis=2)
    both = np.hypot(0.8 * light, 1.4 * chroma)
    quiet = float(np.percentile(both, 30))
    low = max(_MIN_LEVEL, 3 * quiet)
    levels = [low, max(low, _otsu(both)), 2 * low]
    return [_closed(both > level) for level in levels] + [_closed(chroma > max(6.0, _otsu(chroma)))]


def _otsu(values: Labels) -> float:
    return float(cv2.threshold(np.clip(values, 0, 255).astype(np.uint8), 0, 255, cv2.THRESH_OTSU)[0])


def _closed(mask: NDArray[np.bool_]) -> NDArray[np.uint8]:
    shape = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5))
    closed = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, shape)
    return np.asarray(cv2.morphologyEx(closed, cv2.MORPH_OPEN, shape), np.uint8)


def _dice_in(mask: NDArray[np.uint8], least_px: float) -> list[Box]:
    contours, above = cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)  # also inside a tray's frame
    outer = [contour for contour, each in zip(contours, above[0], strict=True) if each[3] < 0] if contours else []
    return [box for contour in outer if (box := _die_like(contour, least_px, mask.shape)) is not None]


def _die_like(contour: cv2.typing.MatLike, least_px: float, shape: tuple[int, ...]) -> Box | None:
    """Return the box of an outline that may be a die's, None otherwise."""
    x, y, w, h = cv2.boundingRect(contour)
    if max(w, h) < least_px or max(w, h) > _MOST * min(shape):
        return None
    hull = cv2.convexHull(contour)
    area = float(cv2.contourArea(hull))
    _, radius = cv2.minEnclosingCircle(hull)
    wide = cv2.minAreaRect(hull)[1]
    if max(wide) > _WIDE * max(1.0, min(wide)) or area < _ROUND * np.pi * radius**2:
        return None
    return (x, y, w, h) if cv2.contourArea(contour) > _FULL * area else None


def _enlarged(box: Box, scale: float) -> Box:
    x, y, w, h = (round(v * scale) for v in box)
    return x, y, max(1, w), max(1, h)
