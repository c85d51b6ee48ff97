"""Throws into the demo bowl: resting poses of three dice, and their trajectories."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, hypot, pi, radians, sin
from random import Random
from typing import Final, Literal

import cv2
import numpy as np

from companion.games.chinchirorin.demo.scene import BOWL, EDGE_MM, FlyingDie, lying, shown_by
from companion.rendering.bowls.shapes import Array, Pose, lifted, overlap, tipped
from companion.rendering.poses import after, turn
from companion.rendering.solids import Points

Ends = Literal["flat", "out", "cocked", "two"]
"""End of a throw: all dice flat in the bowl, one outside, one on its edge, or one still in the hand."""
DICE: Final = 3
_APART: Final = 1.3  # minimum centre distance of dice, in edges
_WIDE: Final = 0.62  # share of the bowl's radius in which dice come to rest
_HOP_MM: Final = 34.0
_SWIRL_MM: Final = 26.0


@dataclass(frozen=True, slots=True, eq=False)
class Thrown:
    """Resting dice: poses and values; None for a die on its edge."""

    poses: tuple[Pose, ...] = ()
    values: tuple[int | None, ...] = ()

    @property
    def out(self) -> int:
        """Number of dice outside the bowl."""
        return sum(hypot(pose.middle[0], pose.middle[1]) > BOWL.radius for pose in self.poses)

    @property
    def shown(self) -> tuple[int, ...] | Literal["out"] | None:
        """Values of three flat dice from left to right, ``out``, or None if the throw does not count."""
        if self.out:
            return "out"
        flat = sorted((pose.middle[0], value) for pose, value in zip(self.poses, self.values, strict=True) if value)
        return tuple(value for _, value in flat) if len(flat) == DICE else None


def come_to_rest(values: Sequence[int], ends: Ends, rng: Random) -> Thrown:
    """Return random resting poses for dice with these values."""
    poses: list[Pose] = []
    for place, value in enumerate(values):
        is_last = place == len(values) - 1
        if not (is_last and ends == "two"):
            poses.append(_place(value, poses, rng, is_out=is_last and ends == "out"))
    shown: list[int | None] = [shown_by(pose.turn) for pose in poses]
    if ends == "cocked":
        leaning = tipped(poses[-1], radians(44), rng.uniform(0, 2 * pi))
        poses[-1], shown[-1] = lifted(BOWL, leaning, poses[:-1]), None
    return Thrown(tuple(poses), tuple(shown))


def nudged(thrown: Thrown, rng: Random) -> Thrown:
    """Return the dice after one of them was knocked over."""
    which = rng.randrange(len(thrown.poses))
    others = [pose for place, pose in enumerate(thrown.poses) if place != which]
    value = rng.choice([value for value in range(1, 7) if value != thrown.values[which]])
    poses, values = list(thrown.poses), list(thrown.values)
    poses[which], values[which] = _place(value, others, rng, is_out=False), value
    return Thrown(tuple(poses), tuple(values))


def _place(value: int, others: Sequence[Pose], rng: Random, *, is_out: bool) -> Pose:
    while True:
        way = rng.uniform(0, 2 * pi)
        far = BOWL.radius + rng.uniform(1.2, 1.9) if is_out else BOWL.radius * _WIDE * rng.random() ** 0.5
        pose = lying(value, far * cos(way), far * sin(way), rng.uniform(0, 2 * pi))
        if pose is not None and all(_is_apart(pose, other) for other in others):
            return pose


def _is_apart(pose: Pose, other: Pose) -> bool:
    away = float(np.linalg.norm(pose.middle[:2] - other.middle[:2]))
    return away >= _APART and not overlap(pose, other)


# ---- trajectories


@dataclass(frozen=True, slots=True, eq=False)
class Flight:
    """A die's trajectory from the hand (mm, y down in the image) to its resting pose."""

    start: tuple[float, float]
    end: Pose
    axis: Points
    spin_deg: float
    swirl_mm: float

    def at(self, share: float) -> FlyingDie:
        """Return the die after a share of its trajectory, 0 to 1."""
        left = (1 - min(max(share, 0.0), 1.0)) ** 1.7
        x, y, z = (float(v) * EDGE_MM for v in self.end.middle)
        dx, dy = self.start[0] - x, self.start[1] + y
        aside = self.swirl_mm * sin(pi * left) / max(1.0, hypot(dx, dy))
        height = _HOP_MM * left * abs(cos(2.5 * pi * share))
        turned = after(turn(self.axis, self.spin_deg * left), quaternion(self.end.turn))
        return FlyingDie(x + dx * left - dy * aside, -y + dy * left + dx * aside, z + height, turned)


def flights(thrown: Thrown, start: tuple[float, float], rng: Random) -> tuple[Flight, ...]:
    """Return the trajectories of dice that leave the hand together."""
    return tuple(
        Flight(
            (start[0] + rng.uniform(-14, 14), start[1] + rng.uniform(-14, 14)),
            pose,
            np.array([rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(0.1, 1)]),
            rng.uniform(500, 1100),
            rng.choice((-1, 1)) * _SWIRL_MM,
        )
        for pose in thrown.poses
    )


def quaternion(matrix: Array) -> Points:
    """Return the unit quaternion of a rotation matrix.

    >>> [float(v) for v in quaternion(np.eye(3))]
    [1.0, 0.0, 0.0, 0.0]
    """
    axis = np.asarray(cv2.Rodrigues(matrix)[0], np.float64).ravel()
    angle = float(np.linalg.norm(axis))
    return turn(axis, float(np.degrees(angle))) if angle > 1e-9 else np.array([1.0, 0.0, 0.0, 0.0])
