"""A person's arm over the demo table: the hand's position, its motion, its load."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from hardware.demo.scene import Flying, HandPose

Point = tuple[float, float]
Act = Iterator[None]
"""What a hand does, step by step: each ``yield`` is the moment when a frame is taken."""

_LEAN: Final = 0.8  # of the arm's turn, the hand takes so much; the wrist does the rest
_TURN_IN_DEG: Final = 4.0


@dataclass(slots=True)
class Clock:
    """The table's time in seconds; ``pace`` 1 is unhurried, 2 twice as fast."""

    now: float = 0.0
    pace: float = 1.0


@dataclass(slots=True)
class Arm:
    """A right arm.

    Attributes:
        clock: everybody's.
        home: where the hand waits, out of the picture; mm.
        shoulder: where the arm comes from, mm.
        side_deg: the direction the person faces: 0 up in the picture, 90 to the right, clockwise.
        haste: how much faster than others this person is.
        reach_mm_s: how fast the empty hand moves.
        at: where the middle finger's tip is, mm.
        flying: what the hand carries or pushes, the lowest first.
    """

    clock: Clock
    home: Point
    shoulder: Point
    side_deg: float = 0.0
    haste: float = 1.0
    reach_mm_s: float = 900.0
    at: Point = (math.inf, math.inf)
    speed: Point = (0.0, 0.0)
    flying: list[Flying] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.at = self.home

    def pose(self) -> HandPose | None:
        """Return the hand as it is to be drawn, None while it is out of the picture."""
        if self.at == self.home:
            return None
        x, y = self.at
        lean = math.degrees(math.atan2(x - self.shoulder[0], self.shoulder[1] - y)) - self.side_deg
        lean = (lean + 180) % 360 - 180
        return HandPose(x, y, self.side_deg + lean * _LEAN + _TURN_IN_DEG, self.speed)

    def go_home(self) -> None:
        """Be out of the picture, with empty hands, at once."""
        self.at, self.flying = self.home, []

    def over(self, seconds: float) -> Iterator[float]:
        """Yield 0..1, smoothly, for so long; the last value is 1."""
        clock = self.clock
        start, length = clock.now, seconds / (clock.pace * self.haste)
        while (share := (clock.now - start) / length) < 1:
            yield ease(share)
        yield 1.0

    def move(self, to: Point, seconds: float) -> Act:
        """Glide to a place."""
        start = self.at
        for share in self.over(seconds):
            self.at = between(start, to, share)
            yield

    def wait(self, seconds: float) -> Act:
        """Let time pass."""
        for _ in self.over(seconds):
            yield

    def note_speed(self, hand: Point, flying: list[Flying], seconds: float) -> None:
        """Note how fast hand and things move, from where they were so long ago."""
        self.speed = ((self.at[0] - hand[0]) / seconds, (self.at[1] - hand[1]) / seconds)
        if len(flying) == len(self.flying):
            self.flying = [
                replace(thing, speed=((thing.pose.x - old.pose.x) / seconds, (thing.pose.y - old.pose.y) / seconds))
                for thing, old in zip(self.flying, flying, strict=True)
            ]


def ease(share: float) -> float:
    """Minimum-jerk motion, as arms move."""
    return share**3 * (10 - 15 * share + 6 * share * share)


def between(a: Point, b: Point, share: float) -> Point:
    """Return the point so far along the way.

    >>> between((0, 0), (10, 20), 0.5)
    (5.0, 10.0)
    """
    return (a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share)


def together(*acts: Act) -> Act:
    """Do several acts at the same time, each with another arm."""
    going = list(acts)
    while going:
        going = [act for act in going if next(act, _OVER) is None]
        if going:
            yield


def in_turn(*acts: Act) -> Act:
    """Do acts one after the other."""
    for act in acts:
        yield from act


_OVER: Final = object()
