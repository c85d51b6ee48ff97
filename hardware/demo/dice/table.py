"""The demo's dice tray: a hand that throws and picks up dice, and throws that go wrong. Independent of games."""

import logging
import math
import random
from dataclasses import dataclass, replace
from typing import Final

from companion.rendering.poses import resting
from hardware.demo.dice.flight import DiePose, Flight, leaning_pose, plan_flight, plan_nudge
from hardware.demo.dice.models import RADIUS_MM, DieKind, face_index, model, shown_by
from hardware.demo.dice.scene import HALF_MM, RIM_MM, DieView, TrayScene
from hardware.demo.felt_table import DemoError, FeltTable, instantly
from hardware.demo.hands.acts import Stage
from hardware.demo.hands.arm import Arm, Clock, HandMotion, in_sequence
from hardware.demo.layers import Image

log = logging.getLogger(__name__)

HOME: Final = (250.0, 260.0)
SHOULDER: Final = (120.0, 640.0)
RELEASE: Final = (92.0, 46.0)
_GRIP_OFFSET_MM: Final = 18.0  # y distance of a held die from the tip of the middle finger
_SHUTTER_S: Final = 1 / 90
_TREMOR_MM: Final = 0.6


@dataclass(slots=True)
class _Die:
    """A die on the table.

    Attributes:
        face: index of the face on top; None if it does not lie flat in the tray.
        flight: its movement, until it comes to rest.
        began: start of the flight, scene time.
    """

    kind: DieKind
    pose: DiePose
    face: int | None
    flight: Flight | None = None
    began: float = 0.0


class TrayTable(FeltTable):
    """A tray, its dice, and one right hand. All public methods are thread-safe.

    Args:
        kind: the kind of die in play.
        size: image width and height, px.
        seed: seed of faces and paths; None for true randomness.
        pace: speed of people; 1 is unhurried.

    Attributes:
        thrown: number of throws so far.
    """

    def __init__(
        self,
        kind: DieKind = "d20",
        *,
        size: tuple[int, int] = (1920, 1080),
        seed: int | None = None,
        pace: float = 1.0,
    ) -> None:
        clock = Clock(pace=pace)
        self._arm = Arm(clock, HOME, SHOULDER)
        self._tray = TrayScene(size, seed=seed or 1)
        self._rng = random.Random(seed)
        super().__init__(Stage(self._tray, self._rng, clock, {0: self._arm}))
        self.kind: DieKind = kind
        self._dice: list[_Die] = []
        self.thrown = 0

    # -- commands

    def throw(self, shown: str | None = None, kind: DieKind | None = None) -> None:
        """Take the dice out of the tray and throw one.

        Args:
            shown: the result (``17``, or ``3n`` on the day-and-night die); None: random.
            kind: the kind of die; None: the one in play.

        Raises:
            ValueError: the die has no such face.
        """
        what = kind or self.kind
        face = None if shown is None else face_index(what, shown)
        self._enqueue(lambda: in_sequence(self._take_all(), self._throw(what, face)))

    def take(self) -> None:
        """Take all dice out of the tray with the hand."""
        self._enqueue(self._take_all)

    def lay(self, shown: str, x_mm: float = 0.0, y_mm: float = 0.0, kind: DieKind | None = None) -> None:
        """Add a die at rest without a hand, to set up a table."""
        self._enqueue(lambda: self._lay(kind or self.kind, shown, x_mm, y_mm))

    def clear(self) -> None:
        """Remove all dice without a hand."""
        self._enqueue(lambda: instantly(self._dice.clear))

    def put(self, shown: str) -> None:
        """Pick the die up and set it down with this result, without a throw."""
        self._enqueue(lambda: in_sequence(self._take_all(), self._put(shown)))

    def nudge(self) -> None:
        """Knock the die over onto a neighbouring face."""
        self._enqueue(self._nudge)

    def lean(self) -> None:
        """Throw the die so that it ends up leaning against the wall."""
        self._enqueue(lambda: in_sequence(self._take_all(), self._throw(self.kind, None, ends="lean")))

    def overshoot(self) -> None:
        """Throw the die over the rim."""
        self._enqueue(lambda: in_sequence(self._take_all(), self._throw(self.kind, None, ends="off")))

    def throw_second(self) -> None:
        """Throw a die without taking the others out of the tray first."""
        self._enqueue(lambda: self._throw(self.kind, None))

    def rest_hand(self, seconds: float) -> None:
        """Rest the hand in the tray for this time."""
        self._enqueue(lambda: self._rest_hand(seconds))

    # -- the state of the tray

    @property
    def zone(self) -> tuple[float, float, float, float]:
        """The tray's inside in the image: x, y, width and height as fractions of the image size."""
        return self._tray.zone

    @property
    def lying(self) -> tuple[str, ...]:
        """The true results of the dice that lie flat in the tray; unknown to the camera."""
        with self._lock:
            flat = [die for die in self._dice if die.flight is None and die.face is not None and _is_inside(die.pose)]
            return tuple(shown_by(die.kind, die.face) for die in flat if die.face is not None)

    @property
    def is_empty(self) -> bool:
        """Whether there is no die on the table, in or outside the tray."""
        with self._lock:
            return not self._dice

    def picture(self, t: float) -> Image:
        """Advance the tray to time t (monotonic seconds) and render the camera's view, uint8 (H, W, 3) BGR."""
        with self._lock:
            self._move_dice(max(t, self._time.now))
            return super().picture(t)

    # -- private, called with the lock held

    def _move_dice(self, t: float) -> None:
        shown = []
        for die in self._dice:
            before = None
            if die.flight is not None:
                pace = self._time.pace
                die.pose = die.flight.at((t - die.began) * pace)
                before = die.flight.at((t - die.began - _SHUTTER_S) * pace)
                if (t - die.began) * pace >= die.flight.seconds:
                    die.flight, before = None, None
                    log.debug("A die came to rest: %s", _description(die))
            shown.append((die, before))
        poses = tuple(DieView(die.kind, die.pose, before) for die, before in shown)
        old = self._tray.dice
        if len(old) != len(poses) or any(_differ(a, b) for a, b in zip(old, poses, strict=True)):
            self._tray.dice = poses

    def _throw(self, kind: DieKind, face: int | None, ends: str = "flat") -> HandMotion:
        die = model(kind)
        face = self._rng.randrange(len(die.solid.faces)) if face is None else face
        start = (RELEASE[0] + self._rng.uniform(-12, 12), RELEASE[1] + self._rng.uniform(-10, 10))
        yield from self._arm.move((start[0] + 26, start[1] + 14), 0.5)
        flight = plan_flight(die.solid, RADIUS_MM[kind], face, start, HALF_MM, self._rng)
        if ends != "flat":
            flight = _with_ending(flight, ends, self._rng)
        shown = face if ends == "flat" else None
        yield from self._arm.move((start[0], start[1] - _GRIP_OFFSET_MM), 0.22)
        self._dice.append(_Die(kind, flight.at(0), shown, flight, self._time.now))
        self.thrown += 1
        yield from self._arm.move((start[0] - 6, start[1] - _GRIP_OFFSET_MM - 4), 0.12)
        yield from self._arm.move(HOME, 0.5)
        while self._dice and self._dice[-1].flight is not None:
            yield

    def _take_all(self) -> HandMotion:
        while self._dice:
            die = self._dice[0]
            yield from self._arm.move((die.pose.x, die.pose.y - _GRIP_OFFSET_MM), 0.55)
            yield from self._arm.wait(0.1)
            start, at = self._arm.at, die.pose
            for share in self._arm.progress_over(0.5):
                self._arm.at = (start[0] + (HOME[0] - start[0]) * share, start[1] + (HOME[1] - start[1]) * share)
                die.pose = replace(at, x=at.x + self._arm.at[0] - start[0], y=at.y + self._arm.at[1] - start[1], z=8.0)
                yield
            self._dice.pop(0)
            self._arm.at = HOME
            yield

    def _put(self, shown: str) -> HandMotion:
        spot = (self._rng.uniform(-90, 40), self._rng.uniform(-40, 40))
        face = face_index(self.kind, shown)
        pose = resting(model(self.kind).solid, face, self._rng.uniform(0, 360))
        yield from self._arm.move((spot[0], spot[1] - _GRIP_OFFSET_MM), 0.6)
        self._dice.append(_Die(self.kind, DiePose(spot[0], spot[1], 0.0, pose), face))
        yield from self._arm.wait(0.15)
        yield from self._arm.move(HOME, 0.6)

    def _lay(self, kind: DieKind, shown: str, x: float, y: float) -> HandMotion:
        face = face_index(kind, shown)
        pose = resting(model(kind).solid, face, self._rng.uniform(0, 360))
        self._dice.append(_Die(kind, DiePose(x, y, 0.0, pose), face))
        yield

    def _nudge(self) -> HandMotion:
        if not self._dice:
            raise DemoError.saying("No die lies in the demo tray. Throw it first.")
        die = self._dice[-1]
        shape = model(die.kind).solid
        die.flight, die.began = plan_nudge(die.pose, shape, RADIUS_MM[die.kind], self._rng), self._time.now
        upward = [float(n @ die.flight.end_normal) for n in shape.normals]
        die.face = upward.index(max(upward))
        while die.flight is not None:
            yield

    def _rest_hand(self, seconds: float) -> HandMotion:
        place = (40.0, 20.0)
        yield from self._arm.move(place, 0.7)
        began = self._time.now
        for _ in self._arm.progress_over(seconds):
            sway = self._time.now - began  # a human hand trembles slightly
            self._arm.at = (
                place[0] + _TREMOR_MM * math.sin(9.1 * sway),
                place[1] + _TREMOR_MM * math.sin(7.3 * sway + 1),
            )
            yield
        yield from self._arm.move(HOME, 0.6)


def _with_ending(flight: Flight, ends: str, rng: random.Random) -> Flight:
    """Return a throw modified to end leaning against the left wall, or outside the rim."""
    side = HALF_MM[0] - 0.86 * flight.radius_mm if ends == "lean" else HALF_MM[0] + RIM_MM + flight.radius_mm + 3
    end = (-side, rng.uniform(-0.5, 0.5) * HALF_MM[1])
    turn = leaning_pose(flight.end, rng) if ends == "lean" else flight.end
    return replace(flight, corners=(flight.corners[0], end), end=turn)


def _description(die: _Die) -> str:
    """Return the die's true result for the log, to compare with the camera's reading."""
    return "askew" if die.face is None or not _is_inside(die.pose) else shown_by(die.kind, die.face)


def _is_inside(pose: DiePose) -> bool:
    return abs(pose.x) <= HALF_MM[0] and abs(pose.y) <= HALF_MM[1]


def _differ(a: DieView, b: DieView) -> bool:
    return a.kind != b.kind or a.pose is not b.pose or (a.before is None) != (b.before is None)
