"""How the camera is tilted, and which dice have a clear upper face: what the rim and all dice's turns tell together.

A die at rest leans towards the middle of the bowl as the slope under it does, and hardly ever aside; a few lean on
another one, any way. One that stands on an edge or a corner has no face that is clearly the upper one. Neither the
tilt nor the slope is known: all that may be are weighed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import asin, atan2, cos, degrees, hypot, log, pi, radians, sin, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.games.chinchirorin.camera.rim import Rim
from companion.games.chinchirorin.camera.turns import fourth

Vector = tuple[float, float]
"""Right and down the picture."""
Floats = NDArray[np.floating]
SURE: Final = 25.0  # how much a turn is trusted: its agreement with a direction by that of one 12 degrees off
_STEP: Final = 0.05
_SIDE: Final = _STEP * np.arange(-round(1 / _STEP), round(1 / _STEP) + 1)
_WAYS: Final = np.stack(np.meshgrid(_SIDE, _SIDE, indexing="ij"), axis=-1).reshape(-1, 2)
_LONG: Final = np.hypot(_WAYS[:, 0], _WAYS[:, 1])


def _upwards(ways: Floats) -> NDArray[np.float32]:
    """Return unit vectors whose parts to the right and down are given, (n, 3)."""
    return np.column_stack([ways, np.sqrt(np.maximum(1 - (ways**2).sum(axis=1), 0.01))]).astype(np.float32)


_TOWARDS: Final = _upwards(_WAYS[_LONG < 0.97])
"""Directions in which a face may look that the camera sees."""
_FOURTH: Final = fourth(_TOWARDS)
_AREA: Final = np.log(_STEP**2 / _TOWARDS[:, 2])  # of a sphere's part that each of them stands for
_UPS: Final = _WAYS[_LONG < 0.62]
_NEAR: Final = 0.06  # how far outwards up seems to lead on the rim, which is seen from its inner side
_FLATTER, _ODD, _OFTEN_ODD = 0.025, 0.09, 0.15  # how well it is known how flat a rim is: usually, and now and then
_UP: Final = 0.35  # of any camera's way up: standard deviation of a unit vector's part
_FACING, _FACES = 1.5, 0.1  # log-odds that a picture's upper side leads away from a camera that is tilted by so much
_UNLIKELY: Final = 10.0  # log-odds against a way up that is left out
_UNLIKE, _MOST = 7.0, 160  # the same of a direction of a face, and how many are weighed
# How dice lie that MuJoCo dropped into chance bowls: parts of the unit vector of a lean, on the mean. Inwards, in the
# bowl's middle, and more from there on; across, in the middle, and more on the rim.
_MIDDLE, _SLOPE, _AS_STEEP = 0.05, 0.15, 0.3
_LEVEL, _TURNED = 0.015, 0.05
_OUTWARD: Final = 0.02  # outwards, where the slope is none
_ANY: Final = 0.08  # of dice that lean any way, on others
_TIPPED: Final = 0.05  # of dice without a clear upper face
_CLEAR: Final = cos(radians(40))  # the height of a face that is clearly the upper one is more
_HIGHEST: Final = 1 / sqrt(3)  # a die's highest face is never lower: it stands on a corner then
_NEVER: Final = 1e-30


@dataclass(frozen=True, slots=True, eq=False)
class Turned:
    """A die's middle in the picture, and how it is turned there (15, see `turns`)."""

    at: Vector
    turn: Floats


@dataclass(frozen=True, slots=True)
class Tilt:
    """The way up in the picture; of each die the chance of a clear upper face, and where that then looks.

    That is right and down the picture and towards the camera: a unit vector, shorter where it is not sure.
    """

    up: Vector
    clear: tuple[float, ...]
    upper: tuple[Floats, ...] = ()


def tilt_of(rim: Rim, dice: Sequence[Turned]) -> Tilt:
    """Return how the camera is tilted, on the mean; the rim leaves open which of two ways."""
    ups, odds = _ways_up(rim)
    each = [_Resting(rim, die, ups) for die in dice]
    for die in each:
        odds = odds + np.log(die.total)
    chances = np.exp(odds - odds.max())
    chances /= chances.sum()
    x, y = chances @ ups
    found = [die.lies(chances) for die in each]
    return Tilt((float(x), float(y)), tuple(clear for clear, _ in found), tuple(upper for _, upper in found))


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


def _ways_up(rim: Rim) -> tuple[Floats, Floats]:
    """Return the ways up (n, 2) that a rim does not rule out, and their log-odds."""
    odds = _by_rim(rim) - (_UPS**2).sum(axis=1) / (2 * _UP**2) - _FACING * np.clip(_UPS[:, 1] / _FACES, 0, 1)
    may_be = odds > odds.max() - _UNLIKELY
    return _UPS[may_be], odds[may_be]


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
    """How well a die fits some ways up (n, 2): ``total`` (n,), as a likelihood."""

    def __init__(self, rim: Rim, die: Turned, ups: Floats) -> None:
        place = np.array(_place(rim, die.at))
        far = hypot(*place)
        fits = SURE * (_FOURTH @ die.turn) + _AREA
        likely = np.flatnonzero(fits > fits.max() - _UNLIKE)
        likely = likely[:: -(-len(likely) // _MOST)]
        self._faces = _TOWARDS[likely]
        leans, self._is_clear = _leans(
            _upwards(ups + _NEAR * place), self._faces, place / max(far, 1e-6), min(far, 1.0)
        )
        self._each = leans * np.exp(fits[likely] - fits.max()).astype(np.float32)
        self.total = self._each.sum(axis=1) + _NEVER

    def lies(self, chances: Floats) -> tuple[float, Floats]:
        """Return the chance of a clear upper face, and where that looks, by how likely each way up is."""
        shares = np.einsum("i,ij->j", (chances / self.total).astype(np.float32), self._each * self._is_clear)
        clear = float(shares.sum())
        return clear, shares @ self._faces / max(clear, _NEVER)


def _leans(ups: Floats, faces: Floats, out: Floats, far: float) -> tuple[Floats, NDArray[np.bool_]]:
    """Return how often dice lie so that faces (m, 3) are the upper one for some ways up (n, 3), and whether clearly.

    Both are (n, m); the first is a density over directions.

    Args:
        out: the way outwards in the picture (2,). far: how far out the die lies: 1 on the rim.
    """
    height = ups @ faces.T
    share = (height + faces[:, 2]) / (1 + ups[:, 2:])
    right, down = faces[:, 0] - ups[:, :1] * share, faces[:, 1] - ups[:, 1:2] * share  # as if up led to the camera
    x, y = out.astype(np.float32)
    inward, aside = -(x * right + y * down), np.abs(x * down - y * right)
    slope = np.float32(_MIDDLE + _SLOPE * min(far / _AS_STEEP, 1.0))
    turned = np.float32(_LEVEL + _TURNED * far)
    usual = np.exp(-np.where(inward > 0, inward / slope, inward / np.float32(-_OUTWARD)) - aside / turned)
    is_clear = height > _CLEAR
    any_way = np.where(is_clear, _ANY / (2 * pi * (1 - _CLEAR)), _TIPPED / (2 * pi * (_CLEAR - _HIGHEST)))
    often = np.float32((1 - _ANY - _TIPPED) / ((slope + _OUTWARD) * 2 * turned))
    return often * usual + any_way.astype(np.float32) * (height > _HIGHEST), is_clear


def _place(rim: Rim, at: Vector) -> Vector:
    """Return where a point lies, off the middle of the rim, as if seen from above: 1 long on the rim."""
    turn, dx, dy = radians(rim.turn_deg), at[0] - rim.center[0], at[1] - rim.center[1]
    along = 2 * (dx * cos(turn) + dy * sin(turn)) / rim.longer
    across = 2 * (dy * cos(turn) - dx * sin(turn)) / rim.shorter
    return along * cos(turn) - across * sin(turn), along * sin(turn) + across * cos(turn)
