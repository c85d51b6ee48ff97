"""How the camera is tilted: what the rim tells, corrected by which way the upper faces of the dice look.

A die that lies flat looks straight up, or leans towards the middle of the bowl as the slope under it does. Three dice
that agree on this are better evidence than the rim; one that fits neither the others nor the rim may be cocked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import asin, atan2, cos, degrees, hypot, radians, sin
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.games.chinchirorin.camera.rim import Rim

Vector = tuple[float, float]
"""Right and down the picture."""
_FACE: Final = 0.14  # how well the way is known that a face looks: standard deviation of a unit vector's part
_RIM: Final = 0.12  # the same of the way up that the rim tells
_UP: Final = 0.3  # the same of any camera's
_SLOPE, _SLOPES = 0.45, 0.25  # of bowls at their rim, by its radius: mean, and how they differ
_ROUNDS: Final = 4


@dataclass(frozen=True, slots=True)
class Facing:
    """A die's middle in the picture, and the unit vector out of its upper face as the picture shows it."""

    at: Vector
    up: Vector


@dataclass(frozen=True, slots=True)
class Tilt:
    """The way up in the picture, and how far each die is off what it should show there (0: not at all)."""

    up: Vector
    off: tuple[float, ...]


def tilt_of(rim: Rim, dice: Sequence[Facing]) -> Tilt:
    """Return how the camera is tilted, most likely; the rim leaves open which of two ways.

    A die that fits badly counts less.
    """
    x, y = up_of(rim)
    return min((_fitted((sign * x, sign * y), rim, dice) for sign in (1, -1)), key=lambda found: found[0])[1]


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


def _fitted(up: Vector, rim: Rim, dice: Sequence[Facing]) -> tuple[float, Tilt]:
    """Return the cost and the most likely tilt near one; a bowl's slope grows with the way from its middle."""
    places = np.array([_place(rim, die.at) for die in dice]).reshape(-1, 2)
    faces = np.array([die.up for die in dice]).reshape(-1, 2)
    weights, unit = np.ones(len(dice)), np.eye(3)
    off, found = np.zeros(len(dice)), np.array([*up, _SLOPE])
    for _ in range(_ROUNDS):
        rows = [_rows(places, faces, np.sqrt(weights) / _FACE),
                (unit[:2] / _RIM, np.array(up) / _RIM), (unit[:2] / _UP, np.zeros(2)),
                (unit[2:] / _SLOPES, np.array([_SLOPE / _SLOPES]))]  # fmt: skip
        a, b = np.concatenate([row[0] for row in rows]), np.concatenate([row[1] for row in rows])
        found = np.linalg.lstsq(a, b, rcond=None)[0]
        off = np.hypot(*(faces - found[:2] + found[2] * places).T)
        weights = 1 / (1 + (off / (2 * _FACE)) ** 2)
    cost = float(((a @ found - b) ** 2).sum())
    return cost, Tilt((float(found[0]), float(found[1])), tuple(map(float, off)))


def _rows(
    places: NDArray[np.floating], faces: NDArray[np.floating], weights: NDArray[np.floating]
) -> tuple[NDArray[np.floating], NDArray[np.floating]]:  # fmt: skip
    """Return the equations of the way up (2) and the slope: a face looks up, and inwards by the slope at its place."""
    n = len(places)
    a = np.zeros((n, 2, 3))
    a[:, 0, 0] = a[:, 1, 1] = 1
    a[:, :, 2] = -places
    return (a * weights[:, None, None]).reshape(2 * n, 3), (faces * weights[:, None]).reshape(2 * n)


def _place(rim: Rim, at: Vector) -> Vector:
    """Return where a point lies, off the middle of the rim, as if seen from above: 1 long on the rim."""
    turn, dx, dy = radians(rim.turn_deg), at[0] - rim.center[0], at[1] - rim.center[1]
    along = 2 * (dx * cos(turn) + dy * sin(turn)) / rim.longer
    across = 2 * (dy * cos(turn) - dx * sin(turn)) / rim.shorter
    return along * cos(turn) - across * sin(turn), along * sin(turn) + across * cos(turn)
