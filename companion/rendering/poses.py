"""Die orientation as unit quaternions ``(w, x, y, z)``, the world's z axis pointing up from the table."""

from math import acos, cos, degrees, radians, sin
from typing import Final

import numpy as np

from companion.rendering.solids import Points, Solid

UP: Final = np.array([0.0, 0.0, 1.0])


def turn(axis: Points, degree: float) -> Points:
    """Return the quaternion of a rotation around an axis, counter-clockwise seen from its tip."""
    half = radians(degree) / 2
    return np.array([cos(half), *(sin(half) * axis / np.linalg.norm(axis))])


def after(second: Points, first: Points) -> Points:
    """Return the rotation `first` followed by `second`."""
    w, v = second[0], second[1:]
    x, u = first[0], first[1:]
    return np.array([w * x - v @ u, *(w * u + x * v + np.cross(v, u))])


def matrix(pose: Points) -> Points:
    """Return the rotation matrix (3, 3) of a unit quaternion."""
    w, x, y, z = pose
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def between(start: Points, end: Points) -> Points:
    """Return the shortest rotation of one unit vector onto another."""
    axis = np.cross(start, end)
    if np.linalg.norm(axis) < 1e-9:
        away = np.array([1.0, 0, 0]) if abs(start[0]) < 0.9 else np.array([0, 1.0, 0])
        return turn(np.cross(start, away), 0.0 if start @ end > 0 else 180.0)
    return turn(axis, degrees(acos(float(np.clip(start @ end, -1, 1)))))


def resting(die: Solid, face: int, yaw_deg: float = 0.0) -> Points:
    """Return a pose with this face on top; a d4, which has no top face, rests on it instead."""
    upward = die.normals[face] if die.opposite(face) is not None else -die.normals[face]
    return after(turn(UP, yaw_deg), between(upward, UP))


def leaning(pose: Points, degree: float, towards_deg: float) -> Points:
    """Return the pose tipped over by an angle, with the top moving towards an azimuth (0 is x, 90 is y)."""
    way = radians(towards_deg)
    return after(turn(np.array([-sin(way), cos(way), 0.0]), degree), pose)


def top_face(die: Solid, pose: Points) -> tuple[int, float]:
    """Return the uppermost face, and its angle off the vertical in degrees.

    >>> from companion.rendering.solids import solid
    >>> die = solid("d20")
    >>> face, off = top_face(die, leaning(resting(die, 7, 33.0), 5.0, 100.0))
    >>> face, round(off, 6)
    (7, 5.0)
    """
    upward = die.normals @ matrix(pose).T @ UP
    face = int(upward.argmax())
    return face, degrees(acos(float(np.clip(upward[face], -1, 1))))
