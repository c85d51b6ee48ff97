"""Reads a wheel's ring of pockets: its type, its rotation, and the position of its zero.

The ring is unrolled into a strip with a column per angle and a row per radius. It is cross-correlated with the known
order of red and black of both wheels; green determines the start. The same correlation corrects the ring's geometry.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.roulette.camera.finding import Floats, Plane, redness
from companion.games.roulette.wheel import RIMS, Wheel, color_of
from companion.vision.frame import Image

STEPS: Final = 24
"""Columns of the strip for each pocket."""
ROWS: Final = 72
INNERMOST: Final = 0.52
OUTERMOST: Final = 1.48
"""Radii of the strip's first and last row; the ring's is 1."""
_COLUMNS: Final[Mapping[Wheel, int]] = {wheel: len(rim) * STEPS for wheel, rim in RIMS.items()}
_SEARCH: Final = 888
_BANDS: Final = 12
_SECTORS: Final = 24
_MAX_SHIFT: Final = 12  # rows
_ROUNDS, _MAX_ROUNDS = 2, 6
_CENTERED: Final = 0.01  # of the ring's radius
_RED_BANDS: Final = 3  # number of bands used for the fit
_STRAIGHT: Final = (0.0,) * 6
_MIN_FIT: Final = 0.25
_AMID: Final = 0.2  # of the ring's radius
_Plan = tuple[tuple[tuple[int, int], float, int], ...]
_FINE: Final[_Plan] = (((0, 1), 0.015, 3), ((4, 5), 0.04, 2), ((2, 3), 0.012, 2), ((0, 1), 0.006, 2))
"""Search plan: the pair of corrections, the step, and the number of steps to either side."""
_COARSE: Final[_Plan] = (((0, 1), 0.03, 5), ((0, 1), 0.015, 2), ((2, 3), 0.012, 2), ((4, 5), 0.06, 1))


@dataclass(frozen=True, slots=True, eq=False)
class Ring:
    """The ring of pockets, independent of its rotation.

    Attributes:
        plane: the ring's plane.
        wheel: type of the wheel.
        bend: angle corrections: coefficients of cos a, sin a, cos 2a, sin 2a; and of cos a and sin a per radius.
        score: correlation with the order of red and black, up to 1.
    """

    plane: Plane
    wheel: Wheel
    bend: tuple[float, ...]
    score: float

    @property
    def off(self) -> float:
        """Estimated error of its center, in its radii."""
        return max(abs(self.bend[0]), abs(self.bend[1]))

    def maps(self) -> tuple[NDArray[np.int16], NDArray[np.uint16]]:
        """Return the maps for `cv2.remap` that unroll the ring."""
        return _maps(self.plane, self.bend, _COLUMNS[self.wheel])


@dataclass(frozen=True, slots=True, eq=False)
class Strip:
    """An unrolled ring, rotated so that the zero's pocket comes first.

    Attributes:
        colors: uint8 (rows, pockets, steps, 3) BGR.
        wheel: type of the wheel.
        turn: column at which the zero's pocket began before the rotation.
        fit: correlation with the order of red and black, up to 1.
        rows: bool (rows,), those where red and black alternate.
        zero: lead of the zero's green over the greenest red or black pocket, as a share of the zero's green.
        wrong: number of pockets with the wrong color.
    """

    colors: Image
    wheel: Wheel
    turn: int
    fit: float
    rows: NDArray[np.bool_]
    zero: float
    wrong: tuple[int, ...]

    @property
    def rim(self) -> tuple[str, ...]:
        """The pockets, clockwise from the zero."""
        return RIMS[self.wheel]

    @property
    def is_amid(self) -> bool:
        """Whether red and black alternate around the strip's middle row: otherwise the ring's size is wrong."""
        return bool(self.rows.any()) and abs(float(radii()[self.rows].mean()) - 1) < _AMID


def radii() -> Floats:
    """Return the radius of each row of the strip."""
    return np.linspace(INNERMOST, OUTERMOST, ROWS, dtype=np.float32)


def find_ring(picture: Image, plane: Plane) -> Ring | None:
    """Fit the order of red and black to a ring, and the ring's geometry to the order; None without a fit."""
    rows = _red_rows(picture, plane, _STRAIGHT)
    bands = _bands(rows).reshape(_BANDS, -1, 2).mean(2)
    score, bend, wheel = max((_bent(bands, wheel, _COARSE) for wheel in RIMS), key=lambda fit: fit[0])
    ring = Ring(plane, wheel, bend, score)
    best: Ring | None = None
    for done in range(_MAX_ROUNDS):
        if ring.score < _MIN_FIT or (done >= _ROUNDS and ring.off < _CENTERED):
            break
        plane = _recentered(ring, _red_rows(picture, ring.plane, ring.bend))
        better = _rounded(plane, _red_rows(picture, plane, _STRAIGHT), wheel)
        score, bend, _ = _bent(_bands(_red_rows(picture, better, _STRAIGHT)), wheel, _FINE)
        ring = Ring(better, wheel, bend, score)
        if best is None or ring.score - ring.off > best.score - best.off:
            best = ring
    return best


def _recentered(ring: Ring, rows: Floats) -> Plane:
    """Return the plane around the corrected center, with the mean radius of the alternating rows."""
    a, b = ring.bend[:2]
    middle = ring.plane.to_picture(np.array([[-b, a]], np.float32))[0]
    _, each = _turn_of(rows, ring.wheel)
    radius = radii()[each >= 0.5 * each.max()].mean()
    return replace(ring.plane, middle=middle, flat=ring.plane.flat / radius)


def _rounded(plane: Plane, rows: Floats, wheel: Wheel) -> Plane:
    """Return the plane on which red and black alternate at the same radii in all directions."""
    turn, _ = _turn_of(rows, wheel)
    matching = rows * np.roll(_pattern(wheel, rows.shape[1]), turn)
    wide = np.hstack([matching, matching[:, : _SEARCH // _SECTORS]])
    sectors = cv2.blur(wide, (_SEARCH // _SECTORS * 2 + 1, 3))[:, :_SEARCH][:, :: _SEARCH // _SECTORS].T.copy()
    angle = np.arange(len(sectors)) * (2 * np.pi / len(sectors))
    sectors = np.maximum(sectors, 0).astype(np.float32)
    model = np.stack([np.ones_like(angle), np.cos(angle), np.sin(angle), np.cos(2 * angle), np.sin(2 * angle)], 1)
    weight, typical = np.ones(len(sectors)), sectors.mean(0)
    for _ in range(3):
        off, found = _row_shifts(sectors, typical)
        for _ in range(4):
            solved = np.linalg.lstsq(model * (weight * found)[:, None], off * weight * found, rcond=None)[0]
            miss = np.abs(off - model @ solved)
            weight = 1 / (1 + (miss / max(1.0, 2 * float(np.median(miss)))) ** 2)
        fitted = model @ solved
        typical = np.mean([np.roll(one, -round(by)) for one, by in zip(sectors, fitted, strict=True)], axis=0)
    _, c1, s1, c2, s2 = solved * (OUTERMOST - INNERMOST) / (ROWS - 1)
    far = plane.far - plane.flat.T @ np.array([c1, s1])
    flat = (np.eye(2) - np.array([[c2, s2], [s2, -c2]])) @ plane.flat
    return Plane(plane.middle, flat.astype(np.float32), far.astype(np.float32))


def _row_shifts(sectors: NDArray[Any], typical: NDArray[Any]) -> tuple[Floats, Floats]:
    """Return each sector's outward shift against the typical one, in rows, and its certainty."""
    reach = range(-_MAX_SHIFT, _MAX_SHIFT + 1)
    padded = np.pad(typical, _MAX_SHIFT)
    size = np.linalg.norm(sectors, axis=1) * np.linalg.norm(typical) + 1e-3
    sums = np.stack([sectors @ padded[_MAX_SHIFT - by :][: len(typical)] for by in reach], 1) / size[:, None]
    at = np.clip(sums.argmax(1), 1, len(reach) - 2)
    each = np.arange(len(sectors))
    low, mid, high = sums[each, at - 1], sums[each, at], sums[each, at + 1]
    bend = np.minimum(low + high - 2 * mid, -1e-6)
    part = np.clip((low - high) / (2 * bend), -0.5, 0.5)
    return (at - _MAX_SHIFT + part).astype(np.float32), np.maximum(mid, 0.0)


def _turn_of(rows: Floats, wheel: Wheel) -> tuple[int, Floats]:
    """Return the column of the best correlation with the order, and each row's correlation there."""
    columns = rows.shape[1]
    pattern = np.conj(np.fft.rfft(_pattern(wheel, columns)))
    each = np.fft.irfft(np.fft.rfft(rows, axis=1) * pattern, columns, axis=1) / columns
    turn = int(np.maximum(each, 0).sum(0).argmax())
    return turn, np.asarray(each[:, turn], np.float32)


def _red_rows(picture: Image, plane: Plane, bend: tuple[float, ...]) -> Floats:
    """Return a ring's locally normalized redness, float32 (rows, columns)."""
    strip = np.asarray(cv2.remap(picture, *_maps(plane, bend, _SEARCH), cv2.INTER_LINEAR), np.uint8)
    return _alternating(np.maximum(redness(strip), 0), _SEARCH)


def _bands(rows: Floats) -> Floats:
    return np.asarray(rows.reshape(_BANDS, ROWS // _BANDS, -1).mean(1), np.float32)


def unroll(picture: Image, ring: Ring, maps: tuple[NDArray[np.int16], NDArray[np.uint16]]) -> Strip:
    """Return the unrolled ring in a picture."""
    wheel, columns = ring.wheel, _COLUMNS[ring.wheel]
    strip = np.asarray(cv2.remap(picture, *maps, cv2.INTER_LINEAR), np.uint8)
    reds = redness(strip)
    bands = _alternating(np.maximum(reds, 0), columns)
    turn, each = _turn_of(bands, wheel)
    use = each > 0.45
    if use.sum() < 3:
        use = each > 0.3
    greens = np.maximum(redness(strip[..., [0, 2, 1]]), -20)  # greenness: redness with swapped channels
    turn, zero, wrong = _anchor(reds, greens, use, wheel, turn)
    fit = float(each[use].mean()) if use.any() else 0.0
    colors = np.roll(strip, -turn, 1).reshape(ROWS, columns // STEPS, STEPS, 3)
    return Strip(colors, wheel, turn, fit, use, zero, wrong)


def _anchor(
    reds: Floats, greens: Floats, rows: NDArray[np.bool_], wheel: Wheel, turn: int
) -> tuple[int, float, tuple[int, ...]]:
    """Find the zero among the pockets: red and black must fit, and it must be the greenest."""
    pockets = len(RIMS[wheel])
    if not rows.any():
        return turn, 0.0, tuple(range(pockets))
    inner, some = slice(STEPS // 5, STEPS - STEPS // 5, 2), np.nonzero(rows)[0][::2]

    def levels(values: Floats) -> Floats:
        part = np.roll(values[some], -turn, 1).reshape(-1, pockets, STEPS)[:, :, inner]
        return np.asarray(np.median(part, axis=(0, 2)), np.float32)

    red, green = levels(reds), levels(greens)
    is_red, is_green = _colors(wheel)
    greenness = (green - np.median(green)) / max(4.0, float(np.ptp(green)))
    cut = (np.sort(red)[-18:].mean() + np.sort(red)[: pockets - 18].mean()) / 2
    spread = max(3.0, float(np.abs(red - cut).mean()))
    signs = np.clip((red - cut) / spread, -1, 1)
    turned = (np.arange(pockets)[:, None] + np.arange(pockets)) % pockets
    scores = signs[turned] @ np.where(is_red, 1, -1) / pockets + 2 * greenness[turned][:, is_green].mean(1)
    first = int(np.argmax(scores))
    seen, green_seen = np.roll(signs, -first), np.roll(green, -first)
    wrong = np.nonzero((seen > 0) != is_red)[0]
    other = float(green_seen[~is_green].max())
    own = float(green_seen[is_green].min())
    level = float(np.median(green_seen))
    zero = (own - other) / max(own - level, 6.0)
    columns = pockets * STEPS
    return (turn + first * STEPS) % columns, zero, tuple(int(k) for k in wrong)


# ---- the order of red and black


@cache
def _colors(wheel: Wheel) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which pockets are red and which are green, clockwise from the zero."""
    names = np.array([color_of(pocket) for pocket in RIMS[wheel]])
    return names == "red", names == "green"


@cache
def _pattern(wheel: Wheel, columns: int) -> Floats:
    """Return the red pattern around the wheel (1 for red, -1 otherwise), with mean 0 and deviation 1."""
    pocket = (np.arange(columns) * len(RIMS[wheel]) // columns).astype(np.int64)
    signs = np.where(_colors(wheel)[0][pocket], 1.0, -1.0)
    signs -= signs.mean()
    return np.asarray(signs / signs.std(), np.float32)


def color_patterns(wheel: Wheel, columns: int) -> tuple[Floats, Floats]:
    """Return matched filters for red and green around the wheel, each float32 (columns,); a match gives about 1."""
    is_green = np.repeat(_colors(wheel)[1], columns // len(RIMS[wheel]))
    green = np.where(is_green, 1 / is_green.sum(), -1 / (~is_green).sum())
    return _pattern(wheel, columns) / np.float32(columns), green.astype(np.float32)


def _alternating(reds: Floats, columns: int) -> Floats:
    """Return each row's locally normalized redness, about -1 to 1."""
    near = columns // 37 * 4 + 1
    wide = np.hstack([reds[:, -near:], reds, reds[:, :near]])
    mean = cv2.blur(wide, (near, 1))
    square = cv2.blur(wide * wide, (near, 1))
    spread = np.sqrt(np.maximum(square - mean * mean, 0)) + 8
    return np.asarray(np.clip((wide - mean) / spread, -1.5, 1.5)[:, near:-near], np.float32)


def _bent(bands: Floats, wheel: Wheel, plan: _Plan) -> tuple[float, tuple[float, ...], Wheel]:
    """Return the best fit of a wheel to a strip, and the angle corrections for it."""
    spread = np.linspace(INNERMOST, OUTERMOST, _BANDS, dtype=np.float32) - 1
    bend, best = np.zeros(len(_STRAIGHT)), -1.0
    for (i, k), step, reach in plan:
        offsets = np.arange(-reach, reach + 1) * step
        tries = np.repeat(bend[None], len(offsets) ** 2, 0)
        tries[:, i] += np.repeat(offsets, len(offsets))
        tries[:, k] += np.tile(offsets, len(offsets))
        scores = _scores(bands, tries, spread, wheel)
        at = int(scores.argmax())
        if scores[at] > best + 1e-4:
            best, bend = float(scores[at]), tries[at]
    return best, tuple(float(b) for b in bend), wheel


def _scores(bands: Floats, bends: NDArray[np.float64], spread: Floats, wheel: Wheel) -> Floats:
    """Return the best correlation with the order over all rotations, for each set of corrections."""
    columns = bands.shape[1]
    angle = np.arange(columns) * (2 * np.pi / columns)
    waves = np.stack([np.cos(angle), np.sin(angle), np.cos(2 * angle), np.sin(2 * angle)])
    flat = bends[:, :4] @ waves
    slope = bends[:, 4:] @ waves[:2]
    shift = flat[:, None] + slope[:, None] * spread[None, :, None]
    index = np.rint((angle + shift) * (columns / (2 * np.pi))).astype(np.int32) % columns
    moved = bands[np.arange(len(bands))[None, :, None], index]
    pattern = np.conj(np.fft.rfft(_pattern(wheel, columns)))
    each = np.fft.irfft(np.fft.rfft(moved, axis=2) * pattern, columns, axis=2) / columns
    strongest = np.partition(each, -_RED_BANDS, axis=1)[:, -_RED_BANDS:].mean(1)
    return np.asarray(strongest.max(1), np.float32)


# ---- unrolling


def _maps(plane: Plane, bend: tuple[float, ...], columns: int) -> tuple[NDArray[np.int16], NDArray[np.uint16]]:
    angle = ((np.arange(columns) + 0.5) * (2 * np.pi / columns))[None]
    radius = radii()[:, None]
    a, b, c, d, e, f = bend
    turned = (
        angle
        + (a + e * (radius - 1)) * np.cos(angle)
        + (b + f * (radius - 1)) * np.sin(angle)
        + c * np.cos(2 * angle)
        + d * np.sin(2 * angle)
    )
    points = np.stack([radius * np.cos(turned), radius * np.sin(turned)], -1).reshape(-1, 2).astype(np.float32)
    at = plane.to_picture(points).reshape(ROWS, columns, 2)
    one, two = cv2.convertMaps(at[..., 0], at[..., 1], cv2.CV_16SC2)
    return np.asarray(one, np.int16), np.asarray(two, np.uint16)
