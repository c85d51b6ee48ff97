"""Videos of spins of any rendered wheel: the ball runs, falls, hops, and rests in a pocket that keeps turning."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Kind = Literal["spun", "placed", "running", "empty", "lost"]
"""Kind of video; a ``lost`` ball runs and then leaves the wheel."""


@dataclass(frozen=True)
class Shot:
    """A frame of a video: its time, and whether the ball is at rest."""

    t: float
    picture: np.ndarray
    rests: bool


@dataclass(frozen=True)
class Spin:
    """Plan of a video; speeds in rad/s."""

    wheel: Any
    pocket: str
    kind: Kind
    rotor: float
    ball: float
    run_s: float
    fall_s: float
    hops: tuple[int, ...]
    rest_s: float
    fps: float
    start: float
    hop_s: float = 0.18

    @property
    def rests_at(self) -> float:
        """Time at which the ball comes to rest; 0 for a placed ball."""
        return 0.0 if self.kind == "placed" else self.run_s + self.fall_s + self.hop_s * len(self.hops)

    @property
    def turn_s(self) -> float:
        """Period of the rotor."""
        return 2 * np.pi / abs(self.rotor)

    def shots(self) -> Iterator[Shot]:
        """Yield the frames of the video."""
        ends = self.run_s if self.kind == "running" else self.rests_at + self.rest_s
        for i in range(int(ends * self.fps)):
            yield self.shot(i / self.fps)

    def shot(self, t: float) -> Shot:
        """Return the frame at a time."""
        turn = self.start + self.rotor * t
        ball, speed = self._ball(t, turn)
        picture = self.wheel.picture(turn, ball, turning=self.rotor, running=speed)
        return Shot(t, picture, self.kind in ("spun", "placed") and t >= self.rests_at)

    def _ball(self, t: float, turn: float) -> tuple[Any, float]:
        wheel = self.wheel
        if self.kind == "empty" or (self.kind == "lost" and t > self.run_s + 0.5 * self.fall_s):
            return None, 0.0
        rest = wheel.resting(self.pocket, turn, 0.1)
        if t >= self.rests_at:
            return rest, self.rotor
        step = 2 * np.pi / len(wheel.pockets)
        offs = [sum(self.hops[i:]) * step for i in range(len(self.hops) + 1)]  # offsets before each hop, and at the end
        after = t - self.run_s - self.fall_s
        if after >= 0:
            hop, part = int(after / self.hop_s), after % self.hop_s / self.hop_s
            off = offs[hop] + (offs[hop + 1] - offs[hop]) * part
            lift = 4 * part * (1 - part) * 0.6 * (rest.radius * 0.1)
            return type(rest)(rest.angle + off, rest.radius, lift), self.rotor
        ends = self.ball * 0.6
        depth = -(ends - self.rotor) * self.fall_s / 2
        if t >= self.run_s:
            s = (t - self.run_s) / self.fall_s
            radius = wheel.track + (rest.radius - wheel.track) * s**1.5
            return type(rest)(rest.angle + offs[0] + depth * (1 - s) ** 2, radius), self.rotor + (ends - self.rotor) * (
                1 - s
            )
        fell = wheel.resting(self.pocket, self.start + self.rotor * self.run_s, 0.1).angle + offs[0] + depth
        left = self.run_s - t
        speed = ends + (self.ball - ends) * left / self.run_s
        return type(rest)(fell - left * (ends + speed) / 2, wheel.track), speed


def spin(wheel: Any, rng: np.random.Generator, kind: Kind = "spun") -> Spin:
    """Return a random plan."""
    way = rng.choice([-1.0, 1.0])
    ball = -way * rng.uniform(6.0, 9.5)
    return Spin(
        wheel,
        str(wheel.pockets[rng.integers(len(wheel.pockets))]),
        kind,
        float(way * rng.uniform(0.9, 3.2)),
        float(ball),
        float(rng.uniform(1.7, 2.3)),
        float(rng.uniform(0.6, 1.0)),
        tuple(int(h) for h in rng.integers(-2, 3, rng.integers(0, 3))),
        1.4,
        float(rng.choice([15, 25, 30])),
        float(rng.uniform(0, 2 * np.pi)),
    )
