"""Shape of a bowl's inside, and resting poses of dice in it without overlaps."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_STEPS: Final = 256
_TOUCH: Final = 0.01  # tolerated overlap of touching dice, in edges
_SIGNS: Final = np.array(list(product((-0.5, 0.5), repeat=3)))


@dataclass(frozen=True)
class Bowl:
    """A round bowl on a table; its inside is concave throughout.

    Attributes:
        radius: of the inside at the rim.
        height: of the rim above the table.
        depth: from the rim down to the middle of the floor, at most the height.
        power: 2 is a round bowl; larger ones have a flatter floor and a steeper wall.
        flat: share of the radius with a level floor.
        lip: width of the rim.
        foot: radius of the outside at the table, relative to that at the rim.
    """

    radius: float
    height: float
    depth: float
    power: float = 2.0
    flat: float = 0.0
    lip: float = 0.2
    foot: float = 0.6

    @cached_property
    def profile(self) -> tuple[Array, Array, Array]:
        """Sampled radii with the inside's height and slope."""
        r = np.linspace(0, self.radius, _STEPS)
        along = np.clip((r / self.radius - self.flat) / (1 - self.flat), 0, 1)
        z = self.height - self.depth + self.depth * along**self.power
        return r, z, np.gradient(z, r)

    def inside(self, x: Array, y: Array) -> Array:
        """Return the height of the inside at some points."""
        r, z, _ = self.profile
        return np.asarray(np.interp(np.hypot(x, y), r, z))

    def slope(self, r: NDArray[np.floating]) -> Array:
        """Return the slope of the inside at some radii."""
        return np.asarray(np.interp(r, self.profile[0], self.profile[2]))


@dataclass(frozen=True, eq=False)
class Pose:
    """Pose of a die: its centre, and the rotation (3, 3) from its own axes to the world's."""

    middle: Array
    turn: Array

    @property
    def corners(self) -> Array:
        return np.asarray(_SIGNS @ self.turn.T + self.middle)


def upright(axis: int, sign: int, yaw: float) -> Array:
    """Return a rotation that makes one of the die's axes, with a sign, point up."""
    up = np.zeros(3)
    up[axis] = sign
    side = np.zeros(3)
    side[(axis + 1) % 3] = 1
    own = np.stack([side, np.cross(up, side), up])  # rows: the axes that become x, y, z
    c, s = np.cos(yaw), np.sin(yaw)
    return np.asarray(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ own)


def rest(bowl: Bowl, x: float, y: float, turn: Array) -> Pose | None:
    """Return the pose of a die resting on the bowl's inside around a point; None if the wall is in the way.

    Args:
        turn: its rotation on a level floor.
    """
    tilt = np.eye(3)
    base = _SIGNS @ turn.T
    base = base[base[:, 2] < 0] * (1, 1, 0)
    for _ in range(6):
        at = base @ tilt.T
        a = np.column_stack([at[:, :2], np.ones(4)])
        dx, dy, _ = np.linalg.lstsq(a, bowl.inside(at[:, 0] + x, at[:, 1] + y), rcond=None)[0]
        tilt = _tilted(np.array([-dx, -dy, 1.0]))
    at = base @ tilt.T
    z = float((bowl.inside(at[:, 0] + x, at[:, 1] + y) - at[:, 2]).max())
    pose = Pose(np.array([x, y, z]) + 0.5 * tilt[:, 2], tilt @ turn)
    return pose if _is_clear(bowl, pose) else None


def _tilted(normal: Array) -> Array:
    """Return the smallest rotation of the z axis onto a direction."""
    n = normal / np.linalg.norm(normal)
    v = np.array([-n[1], n[0], 0.0])
    k = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.asarray(np.eye(3) + k + k @ k / (1 + n[2]))


def _is_clear(bowl: Bowl, pose: Pose) -> bool:
    corners = pose.corners
    far = np.hypot(corners[:, 0], corners[:, 1])
    low = corners[:, 2] < bowl.height
    return bool((far[low] < bowl.radius).all() and (corners[low, 2] > bowl.inside(*corners[low, :2].T) - 0.05).all())


def tipped(pose: Pose, angle: float, towards: float) -> Pose:
    """Return the pose tipped over by an angle, with the top moving towards a direction (radians)."""
    axis = np.array([-np.sin(towards), np.cos(towards), 0.0])
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    turn = np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k
    return Pose(pose.middle, turn @ pose.turn)


def lifted(bowl: Bowl, pose: Pose, others: Sequence[Pose]) -> Pose:
    """Return the pose raised until it is clear of the bowl and the other dice."""
    corners = pose.corners
    below = bowl.inside(corners[:, 0], corners[:, 1]) - corners[:, 2]
    z = float(below.max())
    for _ in range(60):
        raised = Pose(pose.middle + np.array([0, 0, z]), pose.turn)
        if not any(overlap(raised, other) for other in others):
            return raised
        z += 0.04
    return raised


def overlap(a: Pose, b: Pose) -> bool:
    """Whether two dice overlap (separating axis test)."""
    between = b.middle - a.middle
    crossed = np.cross(a.turn.T[:, None], b.turn.T[None]).reshape(-1, 3)
    axes = np.concatenate([a.turn.T, b.turn.T, crossed[np.linalg.norm(crossed, axis=1) > 1e-6]])
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    reach = 0.5 * (abs(axes @ a.turn).sum(axis=1) + abs(axes @ b.turn).sum(axis=1))
    return bool((abs(axes @ between) < reach - _TOUCH).all())


def beside(
    bowl: Bowl, others: Sequence[Pose], turn: Array, towards: float, at: Array, gap: float
) -> Pose | None:  # fmt: skip
    """Return a die pushed sideways towards a point until it touches another one, then moved back by a gap."""
    way = np.array([np.cos(towards), np.sin(towards)])
    found = None
    for far in np.arange(2.4, 0.5, -0.03):
        pose = rest(bowl, float(at[0] + way[0] * far), float(at[1] + way[1] * far), turn)
        if pose is not None and any(overlap(pose, other) for other in others):
            break
        found = None if pose is None else far
    if found is None:
        return None
    pose = rest(bowl, float(at[0] + way[0] * (found + gap)), float(at[1] + way[1] * (found + gap)), turn)
    return None if pose is None or any(overlap(pose, other) for other in others) else pose
