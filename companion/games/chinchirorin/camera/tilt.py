"""How the camera is tilted, and which dice have a clear upper face: what the rim and all dice's turns tell together.

A die at rest leans towards the middle of the bowl as the slope under it does, and a little aside where it touches
another. One that stands on an edge or a corner has no face that is clearly the upper one. Neither the tilt nor the
slope is known: all that may be are weighed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import asin, atan2, cos, degrees, hypot, log, radians, sin, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.games.chinchirorin.camera.rim import Rim
from companion.games.chinchirorin.camera.turns import fourth

Vector = tuple[float, float]
"""Right and down the picture."""
Floats = NDArray[np.float64]
_STEP, _HALF = 0.04, 24
_SIDE: Final = _STEP * np.arange(-_HALF, _HALF + 1)
_WAYS: Final = np.stack(np.meshgrid(_SIDE, _SIDE, indexing="ij"), axis=-1)
"""Parts to the right and down of unit vectors towards the camera."""
_LONG: Final = np.hypot(*np.moveaxis(_WAYS, -1, 0))
_SEEN: Final = _LONG < 0.97
_TOWARDS: Final = np.dstack([_WAYS, np.sqrt(np.clip(1 - _LONG**2, 0, 1))])
_FOURTH: Final = fourth(_TOWARDS)
_UPS: Final = _WAYS[_LONG < 0.62]
_UPWARDS: Final = np.column_stack([_UPS, np.sqrt(1 - (_UPS**2).sum(axis=1))])
_INWARD: Final = np.arange(-0.24, 0.66, 0.08)
_ASIDE: Final = np.arange(-0.2, 0.21, 0.08)
"""How an upper face may lean: towards the bowl's middle as it seems, and across. Farther out the camera sees a die from
its inner side."""
SURE: Final = 25.0  # how much a turn is trusted: its agreement with a direction by that of one 12 degrees off
_FLATTER, _ODD, _OFTEN_ODD = 0.025, 0.09, 0.15  # how well it is known how flat a rim is: usually, and now and then
_UP: Final = 0.35  # of any camera's way up: standard deviation of a unit vector's part
_SLOPE, _SLOPES_VARY, _LEVEL = 0.42, 0.3, 0.03  # on the rim, in a straight line from the middle: mean, and deviation
_ASIDE_VARIES, _ASIDE_LEVEL = 0.12, 0.03
_TIPPED: Final = 0.05  # of dice, before they are seen
_CLEAR: Final = cos(radians(35))  # the height of a face that is clearly the upper one is more
_HIGHEST: Final = 1 / sqrt(3)  # a die's highest face is never lower: it stands on a corner then
_LEANS: Final = np.stack(np.meshgrid(_INWARD, _ASIDE, indexing="ij"), axis=-1).reshape(-1, 2)
_SPARE: Final = 20  # steps around all ways, which the largest lean does not reach beyond
_WIDE: Final = len(_SIDE) + 2 * _SPARE
_UP_AT: Final = (np.rint(_UPS / _STEP).astype(int) + _HALF + _SPARE) @ (_WIDE, 1)
_HIGH: Final = np.pad(_TOWARDS[..., 2], _SPARE).ravel().astype(np.float32)
_COARSE: Final = slice(None, None, 2)  # of all directions: a turn is not known better
_NEVER: Final = -1e3


@dataclass(frozen=True, slots=True, eq=False)
class Turned:
    """A die's middle in the picture, and how it is turned there (15, see `turns`)."""

    at: Vector
    turn: NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Tilt:
    """The way up in the picture; of each die the chance of a clear upper face, and where that then looks.

    That is right and down the picture and towards the camera: a unit vector, shorter where it is not sure.
    """

    up: Vector
    clear: tuple[float, ...]
    upper: tuple[NDArray[np.floating], ...] = ()


def tilt_of(rim: Rim, dice: Sequence[Turned]) -> Tilt:
    """Return how the camera is tilted, on the mean; the rim leaves open which of two ways."""
    chances = _by_rim(rim) - (_UPS**2).sum(axis=1) / (2 * _UP**2)
    each = [_Resting(rim, die) for die in dice]
    mixed = [np.logaddexp(die.fits + log(1 - _TIPPED), die.tipped + log(_TIPPED)) for die in each]
    chances = chances + sum(mixed, np.zeros(len(_UPS)))
    chances = np.exp(chances - chances.max())
    chances /= chances.sum()
    clear = [chances * np.exp(die.fits + log(1 - _TIPPED) - both) for die, both in zip(each, mixed, strict=True)]
    x, y = chances @ _UPS
    upper = tuple(die.upper(shares) for die, shares in zip(each, clear, strict=True))
    return Tilt((float(x), float(y)), tuple(float(shares.sum()) for shares in clear), upper)


def up_of(rim: Rim) -> Vector:
    """Return which way is up in the picture, as a rim tells it.

    >>> up_of(Rim((0.0, 0.0), 2.0, 1.0, 0.0, 30.0, 0.0))
    (0.0, -0.5)
    """
    far = sin(radians(rim.tilt_deg))
    return round(far * sin(radians(rim.away_deg)), 9), round(-far * cos(radians(rim.away_deg)), 9)


def told(rim: Rim, tilt: Tilt) -> Rim:
    """Return the rim with another tilt than it seemed to have."""
    x, y = tilt.up
    return replace(rim, tilt_deg=degrees(asin(min(0.99, hypot(x, y)))), away_deg=degrees(atan2(x, -y)))


def _by_rim(rim: Rim) -> Floats:
    """Return how well each way up fits the rim: how much flatter than a circle it is, and which way; logarithms."""
    narrow = 2 * radians(rim.turn_deg + 90)
    is_flat = (1 - rim.shorter / rim.longer) * np.array([cos(narrow), sin(narrow)])
    way = 2 * np.arctan2(_UPS[:, 1], _UPS[:, 0])
    flat = (1 - np.sqrt(1 - (_UPS**2).sum(axis=1)))[:, None] * np.stack([np.cos(way), np.sin(way)], axis=1)
    off = ((flat - is_flat) ** 2).sum(axis=1) / 2
    odd = log(_OFTEN_ODD * _FLATTER**2 / _ODD**2)
    return np.asarray(np.logaddexp(log(1 - _OFTEN_ODD) - off / _FLATTER**2, odd - off / _ODD**2))


class _Resting:
    """How well a die fits each way up if a face is clearly its upper one (`fits`), and if none is (`tipped`).

    Both are logarithms.
    """

    def __init__(self, rim: Rim, die: Turned) -> None:
        agrees = np.where(_SEEN, SURE * (_FOURTH @ die.turn), _NEVER)
        place = np.array(_place(rim, die.at))
        far = hypot(*place)
        inward = -((_INWARD - _SLOPE * far) ** 2) / (2 * (_LEVEL + _SLOPES_VARY * min(far, 1.0)) ** 2)
        aside = -abs(_ASIDE) / (_ASIDE_LEVEL + _ASIDE_VARIES * min(far, 1.0))
        leans = (inward[:, None] + aside).ravel()
        leans = (leans - _log_sum(leans)).astype(np.float32)
        out_x, out_y = place / max(far, 1e-6)
        steps = np.rint(_LEANS @ np.array([[-out_x, -out_y], [-out_y, out_x]]) / _STEP).astype(int)
        self._off = _STEP * steps
        self._at = _UP_AT[:, None] + steps @ (_WIDE, 1)
        self._high = _HIGH.take(self._at)
        heights = ((_UPS**2).sum(axis=1)[:, None] + _UPS @ self._off.T).astype(np.float32)
        heights += _UPWARDS[:, 2:].astype(np.float32) * self._high
        around = np.pad(agrees.astype(np.float32), _SPARE, constant_values=_NEVER).ravel()
        self._each = np.where(heights > _CLEAR, around.take(self._at), np.float32(_NEVER)) + leans
        self.fits = _log_sum(self._each)
        self.tipped = _log_mean(agrees[_COARSE, _COARSE].ravel(), _unclear())

    def upper(self, chances: Floats) -> NDArray[np.floating]:
        """Return where its upper face looks, on the mean, by how likely each way up is."""
        shares = chances.astype(np.float32)[:, None] * np.exp(self._each - self.fits[:, None])
        shares /= shares.sum()
        x, y = shares.sum(axis=1) @ _UPS + shares.sum(axis=0) @ self._off
        return np.array([x, y, (shares * self._high).sum()])


@cache
def _unclear() -> NDArray[np.float32]:
    """Return where the highest face may look of a die that has no clear upper one: shares (ways up, directions)."""
    towards, is_seen = _TOWARDS[_COARSE, _COARSE].reshape(-1, 3), _SEEN[_COARSE, _COARSE].ravel()
    heights = _UPWARDS @ towards.T
    area = np.where(is_seen, 1 / np.maximum(towards[:, 2], _STEP), 0)  # of a sphere's part that is seen as large
    shares = ((heights <= _CLEAR) & (heights >= _HIGHEST)) * area
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float32)


def _log_mean(values: NDArray[np.floating], shares: NDArray[np.float32]) -> Floats:
    """Return the logarithms of the means of powers by some shares (n, values)."""
    most = values.max()
    powers = np.exp(values - most).astype(np.float32)
    means = np.einsum("ij,j->i", shares, powers)  # a product would wake threads, which takes longer
    return np.asarray(most + np.log(means + 1e-30))


def _log_sum(values: NDArray[np.floating]) -> Floats:
    """Return the logarithm of the sum of powers along the last axis."""
    most = values.max(axis=-1)
    return np.asarray(most + np.log(np.exp(values - most[..., None]).sum(axis=-1)))


def _place(rim: Rim, at: Vector) -> Vector:
    """Return where a point lies, off the middle of the rim, as if seen from above: 1 long on the rim."""
    turn, dx, dy = radians(rim.turn_deg), at[0] - rim.center[0], at[1] - rim.center[1]
    along = 2 * (dx * cos(turn) + dy * sin(turn)) / rim.longer
    across = 2 * (dy * cos(turn) - dx * sin(turn)) / rim.shorter
    return along * cos(turn) - across * sin(turn), along * sin(turn) + across * cos(turn)
