"""A person's arm over the demo table: position and motion of the hand, and what it carries."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from hardware.demo.scene import HandPose, MovingPiece

Point = tuple[float, float]
HandMotion = Iterator[None]
"""A movement of a hand: each ``yield`` is one frame."""

_HAND_TURN_FRACTION: Final = 0.8  # share of the arm's rotation followed by the hand; the wrist compensates the rest
_TURN_IN_DEG: Final = 4.0


@dataclass(slots=True)
class Clock:
    """Scene time in seconds, and the speed of all movements: pace 1 is unhurried, 2 is twice as fast."""

    now: float = 0.0
    pace: float = 1.0


@dataclass(slots=True)
class Arm:
    """A right arm.

    Attributes:
        clock: the clock shared by all arms.
        home: rest position of the hand, outside the image; mm.
        shoulder: position of the shoulder, mm.
        side_deg: the direction that the person faces: 0 is up in the image, clockwise.
        haste: speed relative to other people.
        reach_mm_s: speed of the empty hand.
        at: tip of the middle finger, mm.
        speed: speed of the hand, mm/s.
        carried: the objects that the hand carries or pushes, lowest first.
    """

    clock: Clock
    home: Point
    shoulder: Point
    side_deg: float = 0.0
    haste: float = 1.0
    reach_mm_s: float = 900.0
    at: Point = (math.inf, math.inf)
    speed: Point = (0.0, 0.0)
    carried: list[MovingPiece] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.at = self.home

    def pose(self) -> HandPose | None:
        """Return the hand's pose for rendering; None while it is at home."""
        if self.at == self.home:
            return None
        x, y = self.at
        lean = math.degrees(math.atan2(x - self.shoulder[0], self.shoulder[1] - y)) - self.side_deg
        lean = (lean + 180) % 360 - 180
        return HandPose(x, y, self.side_deg + lean * _HAND_TURN_FRACTION + _TURN_IN_DEG, self.speed)

    def go_home(self) -> None:
        """Put the hand at home, empty, without a movement."""
        self.at, self.carried = self.home, []

    def progress_over(self, seconds: float) -> Iterator[float]:
        """Yield the eased progress, 0 to 1, of a movement of this duration at normal pace; the last value is 1."""
        clock = self.clock
        start, length = clock.now, seconds / (clock.pace * self.haste)
        while (progress := (clock.now - start) / length) < 1:
            yield ease(progress)
        yield 1.0

    def move(self, to: Point, seconds: float) -> HandMotion:
        """Move the hand to a point in this time."""
        start = self.at
        for progress in self.progress_over(seconds):
            self.at = between(start, to, progress)
            yield

    def wait(self, seconds: float) -> HandMotion:
        """Keep still for this time."""
        for _ in self.progress_over(seconds):
            yield

    def update_speed(self, hand: Point, carried: list[MovingPiece], seconds: float) -> None:
        """Compute the speeds of the hand and its objects.

        Args:
            hand: the hand's position ``seconds`` ago.
            carried: its objects at that time; their speeds are updated only if their number is the same.
        """
        self.speed = ((self.at[0] - hand[0]) / seconds, (self.at[1] - hand[1]) / seconds)
        if len(carried) == len(self.carried):
            self.carried = [
                replace(thing, speed=((thing.pose.x - old.pose.x) / seconds, (thing.pose.y - old.pose.y) / seconds))
                for thing, old in zip(self.carried, carried, strict=True)
            ]


def ease(progress: float) -> float:
    """Return the eased progress of a minimum-jerk motion, typical of human arms."""
    return progress**3 * (10 - 15 * progress + 6 * progress * progress)


def between(a: Point, b: Point, progress: float) -> Point:
    """Interpolate linearly between two points.

    >>> between((0, 0), (10, 20), 0.5)
    (5.0, 10.0)
    """
    return (a[0] + (b[0] - a[0]) * progress, a[1] + (b[1] - a[1]) * progress)


def in_parallel(*acts: HandMotion) -> HandMotion:
    """Perform several acts at the same time, each with a different arm."""
    active = list(acts)
    while active:
        active = [act for act in active if next(act, _DONE) is None]
        if active:
            yield


def in_sequence(*acts: HandMotion) -> HandMotion:
    """Perform acts one after the other."""
    for act in acts:
        yield from act


_DONE: Final = object()
