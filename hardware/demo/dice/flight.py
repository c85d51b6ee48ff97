"""Animation of a thrown die: it flies, bounces, rolls, strikes the walls and comes to rest on a face.

No physics engine: the path is computed backwards from the resting pose, so that place and face are exactly those
drawn at random. The die rolls without slipping, hops ever lower, and slows down as on cloth.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from companion.rendering.poses import after, leaning, matrix, resting, turn
from companion.rendering.solids import Points, Solid

Point = tuple[float, float]
_SLOWING: Final = 1.75
_HOPS: Final = (0.16, 0.36, 0.54, 0.68, 0.78)  # shares of the time at which it touches the cloth
_HEIGHTS_MM: Final = (30.0, 22.0, 12.0, 6.0, 2.5)


@dataclass(frozen=True, slots=True, eq=False)
class DiePose:
    """Where a die is: its middle in mm (z up from the cloth, 0 as it lies), and its turn."""

    x: float
    y: float
    z: float
    turn: Points


@dataclass(frozen=True, slots=True, eq=False)
class Flight:
    """A throw. ``corners`` is its way over the cloth from the hand to the rest, mm; ``seconds`` its length."""

    solid: Solid
    radius_mm: float
    corners: tuple[Point, ...]
    end: Points
    spin_deg: float
    seconds: float

    def at(self, t: float) -> DiePose:
        """Return the die so long after the throw; after its end it lies."""
        share = min(max(t / self.seconds, 0.0), 1.0)
        gone = 1 - (1 - share) ** _SLOWING
        pose, x, y = self._rolled(gone)
        if share < 1.0:
            pose = after(turn(np.array([0.0, 0.0, 1.0]), self.spin_deg * (1 - gone)), pose)
        return DiePose(x, y, self._rise(pose) + _hop(share), pose)

    def _rolled(self, gone: float) -> tuple[Points, float, float]:
        """Roll back from the rest over the part of the way that is still to come."""
        left = self.length * (1 - gone)
        pose = self.end
        x, y = self.corners[-1]
        for start, end in zip(self.corners[-2::-1], self.corners[:0:-1], strict=True):
            step = math.dist(start, end)
            way = ((end[0] - start[0]) / step, (end[1] - start[1]) / step)
            part = min(step, left)
            axis = np.array([way[1], way[0], 0.0])  # picture y points down, the world's up: the die rolls forwards
            pose = after(turn(axis, -math.degrees(part / (0.9 * self.radius_mm))), pose)
            x, y = end[0] - way[0] * part, end[1] - way[1] * part
            left -= part
            if left <= 0:
                break
        return pose, x, y

    def _rise(self, pose: Points) -> float:
        """How much higher the middle is than when the die lies flat."""
        low = float((self.solid.vertices @ matrix(pose).T)[:, 2].min())
        flat = float((self.solid.vertices @ matrix(self.end).T)[:, 2].min())
        return (flat - low) * self.radius_mm

    @property
    def end_normal(self) -> Points:
        """The direction in the die's own axes that points up at the end."""
        return np.asarray(matrix(self.end).T @ np.array([0.0, 0.0, 1.0]))

    @property
    def length(self) -> float:
        return sum(math.dist(a, b) for a, b in zip(self.corners, self.corners[1:], strict=False))


def _hop(share: float) -> float:
    """Height of the hop at a share of the time; nothing towards the end."""
    starts = (0.0, *_HOPS)
    for height, start, end in zip(_HEIGHTS_MM, starts, starts[1:], strict=False):
        if start <= share < end:
            inside = (share - start) / (end - start)
            return height * 4 * inside * (1 - inside) if start else height * (1 - inside * inside)
    return 0.0


def plan_flight(
    die: Solid, radius_mm: float, face: int, start: Point, inner: tuple[float, float], rng: random.Random
) -> Flight:
    """Return a throw from a hand that ends with this face up, somewhere well inside the tray.

    Args:
        inner: half of the tray's width and height, mm.
    """
    margin = radius_mm * 1.25
    half = (inner[0] - margin, inner[1] - margin)
    wall = (-half[0], rng.uniform(-0.7, 0.3) * half[1])
    ends = (rng.uniform(-0.72, 0.35) * half[0], rng.uniform(-0.72, 0.72) * half[1])
    corners: Sequence[Point] = (start, wall, ends) if rng.random() < 0.7 else (start, ends)
    pose = resting(die, face, rng.uniform(0, 360))
    return Flight(die, radius_mm, tuple(corners), pose, rng.uniform(-160, 160), rng.uniform(1.15, 1.6))


def nudged(pose: DiePose, die: Solid, radius_mm: float, rng: random.Random) -> Flight:
    """Return a short roll onto a face beside the one on top, as when somebody knocks against the die."""
    upward = die.normals @ matrix(pose.turn).T
    top = int(upward[:, 2].argmax())
    face = rng.choice(die.neighbours(top))
    way = rng.uniform(0, 2 * math.pi)
    end = (pose.x + 9 * math.cos(way), pose.y + 9 * math.sin(way))
    return Flight(die, radius_mm, ((pose.x, pose.y), end), resting(die, face, rng.uniform(0, 360)), 0.0, 0.3)


def leaned(pose: Points, rng: random.Random) -> Points:
    """Return a pose tipped against a wall, halfway between two faces."""
    return leaning(pose, rng.uniform(17, 23), rng.uniform(0, 360))
