"""How the camera is tilted, and which dice lie on a face: what the rim and the turns of all dice tell together.

A die that lies looks up, or leans towards the middle of the bowl as the slope under it does; one that stands on an edge
or a corner has no face that does. Neither the tilt nor the slope is known: all that may be are weighed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import asin, atan2, cos, degrees, hypot, log, radians, sin
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
_SLOPES: Final = np.arange(-0.24, 0.66, 0.08)
"""Of what lies in a bowl, towards its middle, as it seems: farther out the camera sees a die from its inner side."""
SURE: Final = 25.0  # how much a turn is trusted: its agreement with a direction by that of one 12 degrees off
_FLATTER, _ODD, _OFTEN_ODD = 0.025, 0.09, 0.15  # how well it is known how flat a rim is: usually, and now and then
_UP: Final = 0.35  # of any camera's way up: standard deviation of a unit vector's part
_SLOPE, _SLOPES_VARY, _LEVEL = 0.42, 0.3, 0.03  # on the rim, in a straight line from the middle: mean, and deviation
_TIPPED: Final = 0.05  # of dice, before they are seen
_NEVER: Final = -1e3


@dataclass(frozen=True, slots=True, eq=False)
class Turned:
    """A die's middle in the picture, and how it is turned there (15, see `turns`)."""

    at: Vector
    turn: NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Tilt:
    """The way up in the picture; of each die the chance that it lies on a face, and where its upper one then looks.

    That is right and down the picture and towards the camera: a unit vector, shorter where it is not sure.
    """

    up: Vector
    lies: tuple[float, ...]
    upper: tuple[NDArray[np.floating], ...] = ()


def tilt_of(rim: Rim, dice: Sequence[Turned]) -> Tilt:
    """Return how the camera is tilted, on the mean; the rim leaves open which of two ways."""
    chances = _by_rim(rim) - (_UPS**2).sum(axis=1) / (2 * _UP**2)
    each = [_Lying(rim, die) for die in dice]
    mixed = [np.logaddexp(die.fits + log(1 - _TIPPED), die.tipped + log(_TIPPED)) for die in each]
    chances = chances + sum(mixed, np.zeros(len(_UPS)))
    chances = np.exp(chances - chances.max())
    chances /= chances.sum()
    lying = [chances * np.exp(die.fits + log(1 - _TIPPED) - both) for die, both in zip(each, mixed, strict=True)]
    x, y = chances @ _UPS
    upper = tuple(die.upper(shares) for die, shares in zip(each, lying, strict=True))
    return Tilt((float(x), float(y)), tuple(float(shares.sum()) for shares in lying), upper)


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


class _Lying:
    """How well a die fits each way up if it lies (`fits`), and how well if it does not (`tipped`): logarithms."""

    def __init__(self, rim: Rim, die: Turned) -> None:
        agrees = np.where(_SEEN, SURE * (_FOURTH @ die.turn), _NEVER)
        place = np.array(_place(rim, die.at))
        far = hypot(*place)
        slopes = -((_SLOPES - _SLOPE * far) ** 2) / (2 * (_LEVEL + _SLOPES_VARY * min(far, 1.0)) ** 2)
        ways = _UPS[:, None] - _SLOPES[:, None] * (place / max(far, 1e-6))
        at = np.rint(ways / _STEP).astype(int) + _HALF
        is_in = ((at >= 0) & (at <= 2 * _HALF)).all(axis=-1)
        self._at = tuple(np.moveaxis(np.clip(at, 0, 2 * _HALF), -1, 0))
        self._each = np.where(is_in, agrees[self._at], _NEVER) + slopes - _log_sum(slopes)
        self.fits = _log_sum(self._each)
        self.tipped = float(_log_sum(agrees[_SEEN])) - log(_SEEN.sum())

    def upper(self, chances: Floats) -> NDArray[np.floating]:
        """Return where its upper face looks, on the mean, by how likely each way up is."""
        shares = chances[:, None] * np.exp(self._each - self.fits[:, None])
        return np.asarray(np.tensordot(shares / shares.sum(), _TOWARDS[self._at], axes=2))


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
