"""Encodes a cube's orientation independently of which face is which, as a network can learn it.

The encoding is the degree-four part of the cube's face directions: the sum over its axes of the fourth power of the dot
product with a direction is 1 for a face, 1/2 for an edge and 1/3 for a corner. A network can learn it even if it cannot
tell a die's faces apart, and an uncertain network tends to the mean of all orientations.
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
SIZE: Final = len(_POWERS)
"""Numbers in an encoding."""


def quartic(directions: Directions) -> NDArray[np.float32]:
    """Return the quartic features (..., 15) of directions (..., 3): their dot products are fourth powers of cosines."""
    powers = np.stack([np.prod(directions ** np.array(powers), axis=-1) for powers in _POWERS], axis=-1)
    return np.asarray(powers * _WEIGHTS, np.float32)


def encoded(axes: Directions) -> NDArray[np.float32]:
    """Return the encoded orientation (..., 15) of cubes, from three of their faces' normals (..., 3, 3).

    >>> orientation = encoded(np.eye(3))
    >>> [round(float(each), 3) for each in quartic(np.array([[1, 0, 0], [0.6, 0, 0.8]])) @ orientation]
    [1.0, 0.539]
    """
    return np.asarray(quartic(axes).sum(axis=-2), np.float32)


def rotated_back(orientation: NDArray[np.floating], rotation: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return an encoded orientation before its picture was rotated by a matrix (2, 2)."""
    whole = np.eye(3)
    whole[:2, :2] = rotation
    return np.asarray(_FROM_SAMPLES @ (quartic(_SAMPLES @ whole.T) @ orientation), np.float32)


_SAMPLES: Final = np.array([way for way in product((-1, 0, 1, 2), repeat=3) if any(way)], float)
_FROM_SAMPLES: Final = np.linalg.pinv(quartic(_SAMPLES))
UPRIGHT: Final = encoded(np.eye(3))
"""The orientation of a cube with a face towards the camera."""
