"""Motion of wheel and ball in a spin, planned backwards from the final pocket."""

from dataclasses import dataclass
from math import pi
from random import Random
from typing import Final

from companion.rendering.wheels.shape import Ball
from companion.rendering.wheels.wheel import Wheel

FALL_S: Final = 0.8
HOP_S: Final = 0.22
TURNS_S: Final = 15.0
"""Time from the push until the wheel stops."""
_HOP_MM: Final = 9.0
_SLOWED: Final = 0.6


@dataclass(frozen=True, slots=True)
class Spin:
    """One spin; times are seconds since the push, angles radians clockwise in the picture.

    Attributes:
        place: final pocket, counted around the wheel.
        start: rotor angle at the push.
        rotor, ball: initial speeds, in opposite directions.
        run_s: time the ball runs on its track.
        hops: numbers of pockets of its hops after falling in.
        off: offset of the rest position from the pocket's centre, in pockets.
    """

    place: int
    start: float
    rotor: float
    ball: float
    run_s: float
    hops: tuple[int, ...]
    off: float = 0.0

    @property
    def rests_s(self) -> float:
        """When the ball comes to rest."""
        return self.run_s + FALL_S + HOP_S * len(self.hops)

    def turn(self, t: float) -> float:
        """Return the rotor angle at time t."""
        gone = min(max(t, 0.0), TURNS_S)
        return self.start + self.rotor * gone * (1 - gone / (2 * TURNS_S))

    def ball_at(self, t: float, wheel: Wheel) -> Ball:
        """Return the ball's position at time t."""
        rest = wheel.resting(self.place, self.turn(t), self.off)
        if t >= self.rests_s:
            return rest
        hopped = (t - self.run_s - FALL_S) / HOP_S
        if hopped >= 0:
            part = hopped % 1
            off = self._left(int(hopped)) + self.hops[int(hopped)] * part
            return Ball(rest.angle + off * wheel.step, rest.radius, 4 * part * (1 - part) * _HOP_MM)
        fall = max(0.0, (t - self.run_s) / FALL_S)
        before = self._left(0) * wheel.step - (self.ball * _SLOWED - self.rotor) * FALL_S / 2 * (1 - fall) ** 2
        if t >= self.run_s:
            inwards = (rest.radius - wheel.track_mm) * fall**1.5
            return Ball(rest.angle + before, wheel.track_mm + inwards)
        fell = wheel.resting(self.place, self.turn(self.run_s), self.off).angle + before
        left = self.run_s - t
        speed = self.ball * (_SLOWED + (1 - _SLOWED) * left / self.run_s)
        return Ball(fell - left * (self.ball * _SLOWED + speed) / 2, wheel.track_mm)

    def _left(self, hops: int) -> int:
        """Return the ball's distance before the final pocket after a number of hops, in pockets."""
        return -sum(self.hops[hops:])


def plan_spin(place: int, start: float, rng: Random) -> Spin:
    """Return a random spin that ends in a given pocket."""
    way = rng.choice((-1.0, 1.0))
    hops = tuple(rng.choice((-2, -1, 1, 2)) for _ in range(rng.choice((0, 0, 1, 2))))
    rotor, ball = way * rng.uniform(1.6, 2.4), -way * rng.uniform(6.5, 8.5)
    return Spin(place, start % (2 * pi), rotor, ball, rng.uniform(2.4, 3.0), hops, rng.uniform(-0.12, 0.12))
