"""Finds the ball in an unrolled ring, as an outlier among the pockets of the same color.

The ball's color is unknown. Each pocket is compared with its nearest neighbors of the same color, which have the same
frets, the same shadow of the rim and nearly the same light; differences that occur in every pocket, such as the
numbers, are discounted. A ball is round with a sharp edge; the reflection of a lamp fades out.
"""

from dataclasses import dataclass
from functools import cache
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
"""Pockets of one color that are compared."""
_BESIDE: Final = 0.24  # radii of the ring; reach of bare pockets beyond the numbers
_FRETS: Final = 4.0  # standard errors
_MARGIN: Final = 9  # rows
_SIZES: Final = (0.042, 0.055, 0.068)
"""Radii of balls, in radii of the ring."""
_ROOM: Final = 0.08  # radii of the ring; width of a band without numbers that holds a ball
_MIN_INK: Final = 10.0
_SECTORS: Final = 12
_MAX_BLOBS: Final = 3


@dataclass(frozen=True, slots=True)
class Blob:
    """A foreign object in the ring.

    Attributes:
        place: angle, in pockets clockwise from the start of the zero's pocket; 3.5 is the center of the fourth.
        radius: distance of its center from the axis, in radii of the ring.
        size: its own radius, in radii of the ring.
        contrast: difference in strangeness from its surroundings, gray levels.
        fading: strangeness of the surroundings relative to its own; about 0 for a sharp edge.
        round: share of directions in which it has an edge.
        steep: relative drop across its edge, up to 1: high for a ball, low for a reflection.
    """

    place: float
    radius: float
    size: float
    contrast: float
    fading: float
    round: float
    steep: float

    @property
    def looks_like_a_ball(self) -> bool:
        """Whether it is round, with an edge all around."""
        return self.round >= 0.75 and self.fading <= 0.35


def find_blobs(strip: Strip, where: NDArray[np.bool_]) -> tuple[Blob, ...]:
    """Return the outliers in the rows where a ball can rest, strongest first."""
    if not where.any():
        return ()
    rows = np.nonzero(where)[0]
    begin, end = max(0, rows[0] - _MARGIN), min(ROWS, rows[-1] + 1 + _MARGIN)
    odd = oddness(strip, begin, end)
    wide = np.hstack([odd[:, -STEPS:], odd, odd[:, :STEPS]])
    sums = [_contrast(wide, size, len(strip.rim)) for size in _SIZES]
    best = np.maximum.reduce(sums)[:, STEPS:-STEPS]
    best[~where[begin:end]] = 0
    blobs = []
    for _ in range(_MAX_BLOBS):
        _, value, _, (x, y) = cv2.minMaxLoc(best)
        if value <= 0:
            break
        size = max(range(len(_SIZES)), key=lambda k: float(sums[k][y, x + STEPS]))
        blob = _blob(odd, x, y, _SIZES[size], begin, len(strip.rim))
        row = min(ROWS - 1, round((blob.radius - INNERMOST) / _ROW))
        if where[max(0, row - 1) : row + 2].any():
            blobs.append(blob)
        around = np.arange(x - _HALF * 3 // 4, x + _HALF * 3 // 4 + 1) % odd.shape[1]
        best[max(0, y - _MARGIN) : y + _MARGIN, around] = 0
    return tuple(blobs)


def pocket_rows(strip: Strip) -> NDArray[np.bool_]:
    """Return the rows in which a resting ball's center can lie, bool (rows,).

    Pockets are either red and black themselves, or bare metal beside their numbers, recognizable by the frets.
    """
    red = np.nonzero(strip.rows)[0]
    if not len(red):
        return np.zeros(ROWS, np.bool_)
    index = np.arange(ROWS)
    inside = (index >= red[0]) & (index <= red[-1])
    near = (index >= red[0] - round(_BESIDE / _ROW)) & (index <= red[-1] + round(_BESIDE / _ROW))
    where = inside | (near & _wide_runs(_fretted_rows(strip)))
    plain = _widest_run(where & ~_printed_rows(strip, inside))  # excludes remnants beyond the numbers
    return plain if plain.sum() * _ROW > _ROOM else np.asarray(where, np.bool_)


def _widest_run(rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Keep only the longest run of rows.

    >>> _widest_run(np.array([True, False, True, True])).tolist()
    [False, False, True, True]
    """
    run = np.cumsum(~rows)
    sizes = np.bincount(run[rows], minlength=1)
    return np.asarray(rows & (run == sizes.argmax()), np.bool_)


def _wide_runs(rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Keep only runs of rows wide enough for a ball."""
    kernel = np.ones((1, round(_ROOM / _ROW)), np.uint8)
    return np.asarray(cv2.morphologyEx(rows.astype(np.uint8)[None], cv2.MORPH_OPEN, kernel)[0] > 0, np.bool_)


def _printed_rows(strip: Strip, red: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the rows that contain the numbers of most pockets, where no ball rests."""
    gray = strip.colors.max(-1)[:, :, STEPS // 4 : -STEPS // 4].astype(np.float32)
    ink = np.median(gray.max(2) - gray.mean(2), axis=1)
    full = float(ink[red].max())
    return np.asarray((ink > max(_MIN_INK, 0.4 * full)) & red)


def _fretted_rows(strip: Strip) -> NDArray[np.bool_]:
    """Return the rows in which borders between pockets differ from their centers consistently all around the wheel."""
    colors = strip.colors.astype(np.float32)
    borders = (colors[:, :, :2].mean(2) + colors[:, :, -2:].mean(2)) / 2
    more = borders - colors[:, :, _HALF // 2 : -_HALF // 2].mean(2)
    usual = median(more)
    spread = 1.5 * median(np.abs(more - usual)) + 0.5
    clear = np.abs(usual / spread).max((1, 2)) * np.sqrt(len(strip.rim))
    return np.asarray(cv2.medianBlur(clear[None].astype(np.float32), 3)[0] > _FRETS)


# ---- outliers


def oddness(strip: Strip, begin: int = 0, end: int = ROWS) -> Floats:
    """Return the deviation of each half-step from the pockets of its color, float32 (rows, pockets * 12)."""
    pockets, rows = len(strip.rim), end - begin
    colors = strip.colors[begin:end].reshape(rows, -1, 3).astype(np.float32)
    flat = np.asarray(cv2.resize(colors, (pockets * _HALF, rows), interpolation=cv2.INTER_AREA), np.float32)
    halves = flat.reshape(rows, pockets, _HALF, 3)
    names = np.array([color_of(pocket) for pocket in strip.rim])
    odd = np.zeros((rows, pockets, _HALF), np.float32)
    for color in ("red", "black"):
        mine = np.nonzero(names == color)[0]
        odd[:, mine] = _unlike(halves[:, mine], _typical(halves[:, mine]))
    usual = median(odd)
    odd -= usual + 3 * median(np.abs(odd - usual))
    green = names == "green"
    # the green zero has no counterpart: it is compared with all pockets
    plain = halves - np.median(halves[:, :, 2:-2], axis=(0, 2), keepdims=True)
    unlike = _unlike(plain, median(plain))
    usual = np.percentile(unlike[:, ~green], 70, axis=1)[:, None]
    odd[:, green] = unlike[:, green] - 1.5 * usual
    return np.asarray(np.maximum(odd - 6, 0).reshape(rows, -1), np.float32)


def median(values: Floats) -> Floats:
    """Return the median along the second axis, keeping it; five times as fast as `np.median`.

    >>> median(np.float32([[3, 1, 2]])).tolist()
    [[2.0]]
    """
    ordered = np.sort(np.moveaxis(values, 1, -1), axis=-1)
    return np.asarray(np.moveaxis(ordered[..., values.shape[1] // 2 :][..., :1], -1, 1), np.float32)


def _unlike(colors: Floats, typical: Floats) -> Floats:
    return unlikeness(colors - typical, 0.3)


def unlikeness(more: Floats, dark: float) -> Floats:
    """Return the channels' mean excess brightness; darker values, perhaps shadows, are weighted with ``dark``."""
    odd = np.maximum(more, -np.float32(dark) * more)
    return np.asarray((odd[..., 0] + odd[..., 1] + odd[..., 2]) / np.float32(3), np.float32)


def _typical(colors: Floats) -> Floats:
    """Return the running median over neighboring pockets of one color, float32 of the same shape."""
    reach = _NEAR // 2
    ring = np.concatenate([colors[:, -reach:], colors, colors[:, :reach]], 1)
    a, b, c, d, e, f, g = (ring[:, k : k + colors.shape[1]] for k in range(_NEAR))
    return _middle(_middle(a, b, c), d, _middle(e, f, g))


def _middle(a: Floats, b: Floats, c: Floats) -> Floats:
    """Return the median of three arrays; applied twice it approximates that of seven, 20 times as fast."""
    return np.asarray(np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c)), np.float32)


# ---- round shapes


def _contrast(odd: Floats, size: float, pockets: int) -> Floats:
    """Return the difference between the means over a disc and over the ring around it, for each place."""
    inside, outside = kernels(size, pockets)
    within = cv2.filter2D(odd, cv2.CV_32F, inside, borderType=cv2.BORDER_CONSTANT)
    about = cv2.filter2D(odd, cv2.CV_32F, outside, borderType=cv2.BORDER_CONSTANT)
    return np.asarray(within - about, np.float32)


@cache
def kernels(size: float, pockets: int) -> tuple[Floats, Floats]:
    """Return the averaging kernels of a disc and of the ring around it."""
    column = 2 * np.pi / pockets / _HALF * 0.95
    high, wide = int(1.7 * size / _ROW), int(1.7 * size / column)
    y, x = np.mgrid[-high : high + 1, -wide : wide + 1]
    away = np.hypot(y * _ROW, x * column) / size
    inside, outside = (away < 0.9).astype(np.float32), ((away > 1.2) & (away < 1.7)).astype(np.float32)
    return inside / inside.sum(), outside / outside.sum()


def _blob(odd: Floats, x: int, y: int, size: float, begin: int, pockets: int) -> Blob:
    """Measure the blob at a place."""
    step = 2 * np.pi / pockets
    reach = int(2.0 * size / _ROW) + 1, int(2.0 * size / step * _HALF) + 2
    rows = np.arange(max(0, y - reach[0]), min(len(odd), y + reach[0] + 1))
    columns = np.arange(x - reach[1], x + reach[1] + 1)
    part = odd[rows][:, columns % odd.shape[1]]
    mid_x, mid_y = float(x), float(y)
    for _ in range(3):
        radius = INNERMOST + (begin + mid_y) * _ROW
        dx, dy = (columns - mid_x)[None] * (step / _HALF * radius), ((rows - mid_y) * _ROW)[:, None]
        away = np.hypot(dx, dy) / size
        weight = np.where(away < 1.3, np.maximum(part - 0.3 * float(part.max()), 0), 0)
        total = float(weight.sum()) + 1e-6
        mid_x, mid_y = float((weight.sum(0) * columns).sum()) / total, float((weight.sum(1) * rows).sum()) / total
    within = float(part[away < 0.8].mean()) if (away < 0.8).any() else 0.0
    ring = (away > 1.25) & (away < 1.75)
    sector = ((np.arctan2(dy + 0 * dx, dx + 0 * dy) + np.pi) * (_SECTORS / (2 * np.pi))).astype(np.int32) % _SECTORS
    counts = np.bincount(sector[ring], minlength=_SECTORS)
    sums = np.bincount(sector[ring], part[ring], _SECTORS)
    about = sums[counts > 0] / counts[counts > 0]
    outside = float(about.mean()) if len(about) else 0.0
    core, rim, beyond = (
        float(part[some].mean()) if some.any() else 0.0
        for some in (away < 0.55, (away > 0.65) & (away < 0.95), (away > 1.1) & (away < 1.45))
    )
    return Blob(
        (mid_x + 0.5) / _HALF % pockets,
        INNERMOST + (begin + mid_y) * _ROW,
        size,
        within - outside,
        outside / max(within, 1e-3),
        float((about < 0.5 * within).sum()) / _SECTORS,
        (rim - beyond) / max(core, 1e-3),
    )
