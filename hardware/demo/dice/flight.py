"""Animation of a thrown die: it flies, bounces, rolls, hits the walls and comes to rest on a face.

There is no physics simulation: the path is computed backwards from the resting pose, so that the die ends exactly at
the randomly drawn place and face. It rolls without slipping, hops lower each time, and slows down as on cloth.
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
_DECELERATION_EXPONENT: Final = 1.75
_TOUCHDOWNS: Final = (0.16, 0.36, 0.54, 0.68, 0.78)  # times of touchdown as fractions of the flight's duration
_HOP_HEIGHTS_MM: Final = (30.0, 22.0, 12.0, 6.0, 2.5)


@dataclass(frozen=True, slots=True, eq=False)
class DiePose:
    """The pose of a die: its centre in mm and its rotation; z is the height above the resting position."""

    x: float
    y: float
    z: float
    turn: Points


@dataclass(frozen=True, slots=True, eq=False)
class Flight:
    """A throw.

    Attributes:
        solid: the die's shape.
        radius_mm: distance from the die's centre to its corners.
        corners: the path over the cloth from the hand to the resting place, mm.
        end: the rotation at rest.
        spin_deg: additional rotation about the vertical axis during the flight.
        seconds: duration.
    """

    solid: Solid
    radius_mm: float
    corners: tuple[Point, ...]
    end: Points
    spin_deg: float
    seconds: float

    def at(self, t: float) -> DiePose:
        """Return the die's pose ``t`` seconds after the throw; after the end, its resting pose."""
        progress = min(max(t / self.seconds, 0.0), 1.0)
        travelled = 1 - (1 - progress) ** _DECELERATION_EXPONENT
        pose, x, y = self._roll(travelled)
        if progress < 1.0:
            pose = after(turn(np.array([0.0, 0.0, 1.0]), self.spin_deg * (1 - travelled)), pose)
        return DiePose(x, y, self._center_rise(pose) + _hop(progress), pose)

    def _roll(self, travelled: float) -> tuple[Points, float, float]:
        """Roll the die back from its resting pose over the remaining path; return its rotation and position."""
        left = self.length * (1 - travelled)
        pose = self.end
        x, y = self.corners[-1]
        for start, end in zip(self.corners[-2::-1], self.corners[:0:-1], strict=True):
            step = math.dist(start, end)
            way = ((end[0] - start[0]) / step, (end[1] - start[1]) / step)
            part = min(step, left)
            axis = np.array([way[1], way[0], 0.0])  # image y points down, world y up: the die rolls forwards
            pose = after(turn(axis, -math.degrees(part / (0.9 * self.radius_mm))), pose)
            x, y = end[0] - way[0] * part, end[1] - way[1] * part
            left -= part
            if left <= 0:
                break
        return pose, x, y

    def _center_rise(self, pose: Points) -> float:
        """Return how much higher the centre is than in the resting pose, mm."""
        low = float((self.solid.vertices @ matrix(pose).T)[:, 2].min())
        flat = float((self.solid.vertices @ matrix(self.end).T)[:, 2].min())
        return (flat - low) * self.radius_mm

    @property
    def end_normal(self) -> Points:
        """The direction that points up in the resting pose, in the die's own coordinates."""
        return np.asarray(matrix(self.end).T @ np.array([0.0, 0.0, 1.0]))

    @property
    def length(self) -> float:
        return sum(math.dist(a, b) for a, b in zip(self.corners, self.corners[1:], strict=False))


def _hop(progress: float) -> float:
    """Return the height of the hop (mm) at a fraction of the duration; 0 after the last touchdown."""
    starts = (0.0, *_TOUCHDOWNS)
    for height, start, end in zip(_HOP_HEIGHTS_MM, starts, starts[1:], strict=False):
        if start <= progress < end:
            inside = (progress - start) / (end - start)
            return height * 4 * inside * (1 - inside) if start else height * (1 - inside * inside)
    return 0.0


def plan_flight(
    die: Solid, radius_mm: float, face: int, start: Point, inner: tuple[float, float], rng: random.Random
) -> Flight:
    """Return a random throw that ends with this face up, well inside the tray.

    Args:
        face: index of the face in the solid.
        start: where the hand releases the die, mm.
        inner: half of the tray's inner width and height, mm.
    """
    margin = radius_mm * 1.25
    half = (inner[0] - margin, inner[1] - margin)
    wall = (-half[0], rng.uniform(-0.7, 0.3) * half[1])
    ends = (rng.uniform(-0.72, 0.35) * half[0], rng.uniform(-0.72, 0.72) * half[1])
    corners: Sequence[Point] = (start, wall, ends) if rng.random() < 0.7 else (start, ends)
    pose = resting(die, face, rng.uniform(0, 360))
    return Flight(die, radius_mm, tuple(corners), pose, rng.uniform(-160, 160), rng.uniform(1.15, 1.6))


def plan_nudge(pose: DiePose, die: Solid, radius_mm: float, rng: random.Random) -> Flight:
    """Return a short roll onto a neighbouring face, as when the die is knocked."""
    upward = die.normals @ matrix(pose.turn).T
    top = int(upward[:, 2].argmax())
    face = rng.choice(die.neighbours(top))
    way = rng.uniform(0, 2 * math.pi)
    end = (pose.x + 9 * math.cos(way), pose.y + 9 * math.sin(way))
    return Flight(die, radius_mm, ((pose.x, pose.y), end), resting(die, face, rng.uniform(0, 360)), 0.0, 0.3)


def leaning_pose(pose: Points, rng: random.Random) -> Points:
    """Return the rotation of a die that leans against a wall, between two faces."""
    return leaning(pose, rng.uniform(17, 23), rng.uniform(0, 360))
