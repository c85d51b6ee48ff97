"""Finds the ball in an unrolled ring: what is unlike the pockets of the same color round about.

Nothing is known of the ball's color. Each pocket is compared with the nearest ones of its color, which have the same
frets, the same shadow of the rim and nearly the same light; what differs in every pocket, such as the numbers, counts
less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.roulette.camera.finding import Floats
from companion.games.roulette.camera.rotor import INNERMOST, OUTERMOST, ROWS, STEPS, Strip
from companion.games.roulette.wheel import color_of

_ROW: Final = (OUTERMOST - INNERMOST) / (ROWS - 1)
_HALF: Final = STEPS // 2
_NEAR: Final = 7
"""So many pockets of a color are compared."""
_NARROW: Final = 0.22  # a ring no wider than this holds the numbers alone
_BARE: Final = 0.24
_EDGE: Final = 0.06
_WIDE: Final = 0.55
"""The ball's width in pockets, at the radius 1."""


@dataclass(frozen=True, slots=True)
class Blob:
    """Something in the ring that is not part of it.

    Attributes:
        place: in pockets clockwise from where the zero's pocket begins; 3.5 is the middle of the fourth.
        radius: of its middle, in radii of the ring.
        strength: how much it stands out, in gray levels.
        wide, high: its size, in pockets and in radii.
        filled: how much of its box it fills, to 1.
    """

    place: float
    radius: float
    strength: float
    wide: float
    high: float
    filled: float


def find_blobs(strip: Strip) -> tuple[Blob, Blob | None]:
    """Return what stands out most in a ring, and what comes next elsewhere."""
    odd = oddness(strip)
    odd[~_pocket_rows(strip)] = 0
    high = max(3, round(_WIDE * 2 * np.pi / len(strip.rim) / _ROW)) | 1
    wide = round(_WIDE * _HALF) | 1
    ring = np.hstack([odd[:, -_HALF * 2 :], odd, odd[:, : _HALF * 2]])
    sums = cv2.boxFilter(ring, cv2.CV_32F, (wide, high), borderType=cv2.BORDER_CONSTANT)[:, _HALF * 2 : -_HALF * 2]
    first = _blob(odd, sums, high, wide)
    around = np.arange(-_HALF * 5 // 4, _HALF * 5 // 4 + 1) + int(first.place * _HALF)
    sums[:, around % odd.shape[1]] = 0
    return first, _blob(odd, sums, high, wide) if sums.max() > 0 else None


def _pocket_rows(strip: Strip) -> NDArray[np.bool_]:
    """Say in which rows a ball's middle may be: in pockets that are red and black, or that lie inside such numbers."""
    red = np.nonzero(strip.rows)[0]
    if not len(red):
        return np.zeros(ROWS, np.bool_)
    first, last = int(red[0]), int(red[-1])
    first -= round((_BARE if (last - first) * _ROW < _NARROW else _EDGE) / _ROW)
    rows = np.arange(ROWS)
    return np.asarray((rows >= first) & (rows <= last))


def oddness(strip: Strip) -> Floats:
    """Return how unlike its like each part of the ring is, float32 (rows, pockets * 12)."""
    pockets = len(strip.rim)
    halves = strip.colors.reshape(ROWS, pockets, _HALF, 2, 3).astype(np.float32).mean(3)
    odd = np.zeros((ROWS, pockets, _HALF), np.float32)
    names = np.array([color_of(pocket) for pocket in strip.rim])
    for color in ("red", "black"):
        mine = np.nonzero(names == color)[0]
        odd[:, mine] = _unlike(halves[:, mine], _typical(halves[:, mine]))
    green = np.nonzero(names == "green")[0]
    for pocket in green:
        level = np.median(halves[strip.rows][:, pocket, 2:-2], axis=(0, 1))
        odd[:, pocket] = _unlike(halves[:, pocket], np.broadcast_to(level, halves[:, pocket].shape))
    usual = np.median(odd, axis=1, keepdims=True)
    spread = np.median(np.abs(odd - usual), axis=1, keepdims=True)
    odd = np.maximum(odd - usual - 3 * spread - 8, 0)
    return np.asarray(odd.reshape(ROWS, -1), np.float32)


def _unlike(colors: Floats, typical: Floats) -> Floats:
    """Return how much brighter in any channel something is than usual; a shadow is darker, and counts less."""
    more = colors - typical
    return np.asarray(np.maximum(more, 0).sum(-1) + 0.3 * np.maximum(-more, 0).sum(-1), np.float32) / 3


def _typical(colors: Floats) -> Floats:
    """Return the median of each pocket and the nearest of its color, float32 of the same shape."""
    reach = _NEAR // 2
    ring = np.concatenate([colors[:, -reach:], colors, colors[:, :reach]], 1)
    windows = np.lib.stride_tricks.sliding_window_view(ring, _NEAR, axis=1)
    return np.asarray(np.partition(windows, reach, axis=-1)[..., reach], np.float32)


def _blob(odd: Floats, sums: Floats, high: int, wide: int) -> Blob:
    """Return the blob at the highest sum: its middle, size and strength."""
    _, best, _, (x, y) = cv2.minMaxLoc(sums)
    columns = odd.shape[1]
    rows = np.arange(max(0, y - high), min(ROWS, y + high + 1))
    around = np.arange(x - wide, x + wide + 1)
    part = odd[rows][:, around % columns]
    for _ in range(3):
        weight = np.maximum(part - 0.35 * float(np.percentile(part, 95)), 0)
        total = max(float(weight.sum()), 1e-6)
        mid_x = float((weight.sum(0) * around).sum()) / total
        mid_y = float((weight.sum(1) * rows).sum()) / total
        inside = np.hypot((around[None] - mid_x) / wide, (rows[:, None] - mid_y) / high) < 0.8
        part = np.where(inside, part, 0)
    deviation_x = np.sqrt(float((weight.sum(0) * (around - mid_x) ** 2).sum()) / total)
    deviation_y = np.sqrt(float((weight.sum(1) * (rows - mid_y) ** 2).sum()) / total)
    on = weight > 0
    box = max(1.0, (4 * deviation_x) * (4 * deviation_y) * np.pi / 4)
    return Blob(
        (mid_x + 0.5) / _HALF % (columns / _HALF),
        INNERMOST + mid_y * _ROW,
        best / (wide * high),
        4 * deviation_x / _HALF,
        4 * deviation_y * _ROW,
        float(on.sum()) / box,
    )
