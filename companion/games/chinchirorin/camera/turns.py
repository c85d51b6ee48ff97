"""How a cube is turned, as numbers that are the same whichever of its faces is which.

They are the part of degree four of where its faces look: the sum over its axes of the fourth power of how much a
direction agrees with one is 1 for a face, 1/2 for an edge, 1/3 for a corner. A network can learn such numbers even
where it cannot tell a die's faces apart, and where it doubts, they lean towards the mean of all turns.
"""

from itertools import product
from math import factorial, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

Directions = NDArray[np.floating]
"""Unit vectors in the last axis: right, down, towards the camera."""
_POWERS: Final = tuple(powers for powers in product(range(5), repeat=3) if sum(powers) == 4)
_WEIGHTS: Final = np.array([sqrt(factorial(4) / (factorial(a) * factorial(b) * factorial(c))) for a, b, c in _POWERS])
TURN: Final = len(_POWERS)
"""Numbers of a turn."""


def fourth(directions: Directions) -> NDArray[np.float32]:
    """Return directions (..., 3) to the fourth power, (..., 15); products of these are powers of their agreement."""
    powers = np.stack([np.prod(directions ** np.array(powers), axis=-1) for powers in _POWERS], axis=-1)
    return np.asarray(powers * _WEIGHTS, np.float32)


def turn_of(axes: Directions) -> NDArray[np.float32]:
    """Return the turn (..., 15) of cubes by three of their faces' normals (..., 3, 3).

    >>> turn = turn_of(np.eye(3))
    >>> [round(float(each), 3) for each in fourth(np.array([[1, 0, 0], [0.6, 0, 0.8]])) @ turn]
    [1.0, 0.539]
    """
    return np.asarray(fourth(axes).sum(axis=-2), np.float32)


def turned_back(turn: NDArray[np.floating], to: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return a turn as seen before its picture was turned by a matrix (2, 2)."""
    whole = np.eye(3)
    whole[:2, :2] = to
    return np.asarray(_FROM_SOME @ (fourth(_SOME @ whole.T) @ turn), np.float32)


_SOME: Final = np.array([way for way in product((-1, 0, 1, 2), repeat=3) if any(way)], float)
_FROM_SOME: Final = np.linalg.pinv(fourth(_SOME))
UPRIGHT: Final = turn_of(np.eye(3))
"""Of a cube with a face towards the camera."""
