"""The demo's roulette table: a wheel with a ball, chips on the layout, the dealer's hand and the players'."""

import random
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

from companion.games.roulette.demo.places import Point, between, middles, place_of
from companion.games.roulette.demo.scene import MAT_AT, WHEEL_AT, WHEEL_MM, RouletteScene
from companion.games.roulette.demo.spin import HOP_S, Spin, plan_spin
from companion.games.roulette.layout import layout
from companion.games.roulette.wheel import RIMS
from companion.games.roulette.wheel import Wheel as WheelName
from companion.objects.chips import CHIPS, Chip
from hardware.demo.felt_table import DemoError, FeltTable, unknown_event
from hardware.demo.hands.acts import Stage, reach, slide, sweep
from hardware.demo.hands.arm import Arm, Clock, HandMotion
from hardware.demo.layers import Image
from hardware.demo.layout import Pose
from hardware.demo.scene import Card, RestingPiece

DEALER, PLAYERS = 0, 1
_BALL_AT: Final = (WHEEL_AT[0] + 0.72 * WHEEL_MM, WHEEL_AT[1] + 0.45 * WHEEL_MM)
"""Position where the dealer's hand releases the ball."""
_BELOW_MM: Final = 10.0
"""Distance of a held chip below the middle fingertip."""
_SWEEP_Y: Final = 60.0
_PUSHED: Final = 1.4
"""Speed of a wheel pushed by hand without a spin, radians per second."""
HAPPENINGS: Final = (
    "spin 17", "put 17", "hop", "lay C1-5 split/17/20", "lay C1-5 beside straight/17", "take C1-5 split/17/20", "clear",
)  # fmt: skip
"""Examples of all happenings a scenario can use."""


@dataclass(frozen=True, slots=True)
class LaidChip:
    """A chip on the layout: seat, value and intended bet."""

    seat: int
    value: int
    on: str


class RouletteTable(FeltTable):
    """Wheel, layout and two hands. Thread-safe.

    Args:
        wheel: kind of wheel, with its mat.
        seed: seed for pockets and trajectories; None for true randomness.
        pace: speed of the hands' movements; 1 is unhurried. The ball is not affected.
        real_clock: real time in seconds; only for how long the camera stays unplugged.
    """

    def __init__(
        self,
        wheel: WheelName = "european",
        *,
        size: tuple[int, int] = (1920, 1080),
        seed: int | None = None,
        pace: float = 1.0,
        real_clock: Callable[[], float] = time.monotonic,
    ) -> None:
        clock = Clock(pace=pace)
        arms = {
            DEALER: Arm(clock, (-100.0, 480.0), (-60.0, 860.0)),
            PLAYERS: Arm(clock, (200.0, -480.0), (220.0, -860.0), side_deg=180.0),
        }
        middles(wheel)  # slow, and cached
        self.wheel: WheelName = wheel
        self._view = RouletteScene(wheel, size, seed=seed or 1)
        self._rng = random.Random(seed)
        super().__init__(Stage(self._view, self._rng, clock, arms), real_clock)
        self._dealer, self._players = arms[DEALER], arms[PLAYERS]
        self._spin: Spin | None = None
        self._began = 0.0
        self._hopped_at: float | None = None
        self._meant: dict[int, LaidChip] = {}
        self._coming: list[Point] = []
        "Mat positions of chips on their way."
        self.spun: list[str] = []
        "Ground truth: final pockets of all spins; the camera has no access."

    # ---- commands

    def lay_chip(self, chip: LaidChip, *, is_between: bool = False) -> bool:
        """Have a player lay a chip on its bet, or ambiguously beside it; return False if there is no room."""
        with self._lock:
            taken = [*(_on_mat(thing.pose) for thing in self._view.lying), *self._coming]
            at = between(chip.on, self.wheel) if is_between else place_of(chip.on, self.wheel, taken)
            if at is None:
                return False
            self._coming.append(at)
        self._enqueue(lambda: self._lay(chip, at))
        return True

    def take_chip(self, chip: LaidChip) -> None:
        """Have a player take a chip back."""
        self._enqueue(lambda: self._take(chip))

    def clear(self, keep: Collection[LaidChip] = ()) -> None:
        """Have the dealer sweep the layout, except for some chips."""
        self._enqueue(lambda: self._clear(keep))

    def spin(self, pocket: str | None = None) -> None:
        """Have the dealer spin the ball; the hand is free again while it runs.

        Raises:
            DemoError: this wheel has no such pocket.
        """
        place = self._place(pocket)
        self._enqueue(lambda: self._push(place))

    def put_ball(self, pocket: str | None = None) -> None:
        """Have the dealer put the ball into a pocket by hand, without a spin."""
        place = self._place(pocket)
        self._enqueue(lambda: self._put(place))

    def hop(self) -> None:
        """Let the resting ball hop to a neighbouring pocket."""
        self._enqueue(self._hop)

    def _place(self, pocket: str | None) -> int:
        rim = RIMS[self.wheel]
        if pocket is None:
            return self._rng.randrange(len(rim))
        if pocket not in rim:
            raise DemoError.saying("This wheel has no pocket {pocket}. Look at the ball again.", pocket=repr(pocket))
        return rim.index(pocket)

    def happen(self, what: str) -> None:
        """Perform a happening given as text (see `HAPPENINGS`).

        Raises:
            DemoError: unknown happening.
        """
        match what.split():
            case ["spin", pocket]:
                self.spin(pocket)
            case ["put", pocket]:
                self.put_ball(pocket)
            case ["hop"]:
                self.hop()
            case ["lay", chip, on] if _is_bet(chip, on, self.wheel):
                self.lay_chip(_laid(chip, on))
            case ["lay", chip, "beside", on] if _is_bet(chip, on, self.wheel):
                self.lay_chip(_laid(chip, on), is_between=True)
            case ["take", chip, on] if _is_bet(chip, on, self.wheel):
                self.take_chip(_laid(chip, on))
            case ["clear"]:
                self.clear()
            case _:
                raise unknown_event(what, HAPPENINGS)

    # ---- status

    @property
    def is_at_rest(self) -> bool:
        return not self.busy and not self.is_running

    @property
    def is_running(self) -> bool:
        """Whether the ball is in motion."""
        with self._lock:
            return self._spin is not None and (self._left_s > 0 or self._hopped_at is not None)

    @property
    def rests(self) -> str | None:
        """Ground truth: the ball's pocket, or None; the camera has no access."""
        with self._lock:
            return None if self._spin is None or self.is_running else RIMS[self.wheel][self._spin.place]

    @property
    def rests_for_s(self) -> float:
        """Time since the ball came to rest."""
        with self._lock:
            return max(0.0, -self._left_s)

    @property
    def chips(self) -> tuple[LaidChip, ...]:
        """Chips on the layout, in the order they were laid."""
        with self._lock:
            return tuple(self._meant[id(thing)] for thing in self._view.lying)

    @property
    def _left_s(self) -> float:
        return 0.0 if self._spin is None else self._began + self._spin.rests_s - self._time.now

    def picture(self, t: float) -> Image:
        """Advance the table to time t (monotonic seconds) and return the camera image."""
        with self._lock:
            self._move_ball(max(t, self._time.now))
            return super().picture(t)

    # ---- internals; the caller holds the lock

    def _move_ball(self, now: float) -> None:
        spin, view = self._spin, self._view
        if spin is None:
            return
        t = now - self._began
        was_running, self._view.turn = self._time.now - self._began < spin.rests_s, spin.turn(t)
        view.ball = spin.ball_at(t, view.wheel)
        if was_running and t >= spin.rests_s:
            self.spun.append(RIMS[self.wheel][spin.place])

    def _push(self, place: int) -> HandMotion:
        """Take the ball out, push the rotor, and let the ball go."""
        yield from self._take_ball()
        yield from reach(self._dealer, _BALL_AT)
        yield from self._dealer.wait(0.25)
        self._spin, self._began = plan_spin(place, self._view.turn, self._rng), self._time.now
        yield from reach(self._dealer, self._dealer.home)

    def _take_ball(self) -> HandMotion:
        if self._view.ball is None:
            return
        yield from reach(self._dealer, (WHEEL_AT[0] + 0.3 * WHEEL_MM, WHEEL_AT[1] + 0.3 * WHEEL_MM))
        if self._spin is not None:  # the hand stops the wheel
            self._view.turn = self._spin.turn(self._time.now - self._began)
        self._spin, self._view.ball = None, None
        yield from self._dealer.wait(0.2)

    def _put(self, place: int) -> HandMotion:
        yield from self._take_ball()
        yield from reach(self._dealer, (WHEEL_AT[0] + 0.3 * WHEEL_MM, WHEEL_AT[1] + 0.4 * WHEEL_MM))
        self._spin = put = Spin(place, self._view.turn, _PUSHED, 0.0, 1e-3, ())
        self._began = self._time.now - put.rests_s - 1e-3
        self.spun.append(RIMS[self.wheel][place])
        yield from reach(self._dealer, self._dealer.home)

    def _hop(self) -> HandMotion:
        """Move the resting ball by a pocket."""
        before = self._spin
        if before is None:
            raise DemoError.saying("No ball rests in the demo wheel. Spin it first.")
        while self._left_s > -0.6:  # until it seems to rest
            yield
        place = (before.place + self._rng.choice((1, -1))) % len(RIMS[self.wheel])
        way = place - before.place
        way = way if abs(way) == 1 else -1 if way > 0 else 1
        late = self._time.now - self._began
        hops, run_s = (way,), late - 0.8
        self._spin = Spin(place, before.start, before.rotor, before.ball, run_s, hops, before.off)
        self.spun.pop()
        while self._left_s > -HOP_S:
            yield

    def _lay(self, chip: LaidChip, at: Point) -> HandMotion:
        card, arm = Card(Chip(chip.seat, chip.value).id), self._players
        x, y = MAT_AT[0] + at[0], MAT_AT[1] + at[1]
        texture, turn = self._view.faces.texture(card.id), self._rng.uniform(-40, 40)
        start, end = Pose(*arm.home, turn, 8.0), Pose(x, y, turn)
        yield from slide(arm, texture, start, end, 0.8, lift_mm=25.0, held=_held)
        thing = self._view.lay_down(card, end, chip.on)
        self._meant[id(thing)] = chip
        self._coming.remove(at)
        yield from reach(arm, arm.home)

    def _take(self, chip: LaidChip) -> HandMotion:
        thing = next((one for one in self._view.lying if self._meant[id(one)] == chip), None)
        if thing is None:
            raise DemoError.saying("That chip does not lie on the layout any more.")
        arm = self._players
        yield from reach(arm, _held(thing.pose))
        self._view.lift(thing)
        del self._meant[id(thing)]
        texture = self._view.faces.texture(thing.card.id)
        yield from slide(arm, texture, thing.pose, Pose(*arm.home, thing.pose.angle_deg), 0.7, lift_mm=20.0, held=_held)
        arm.go_home()

    def _clear(self, keep: Collection[LaidChip]) -> HandMotion:
        going = [thing for thing in self._view.lying if self._meant[id(thing)] not in keep]

        def caught(x: float) -> list[RestingPiece]:
            return [thing for thing in self._view.lying if thing in going and thing.pose.x <= x]

        if going:
            start = min(thing.pose.x for thing in going) - 40.0
            yield from sweep(self._stage, self._dealer, (start, _SWEEP_Y), 760.0, 1.6, caught)
        for thing in going:
            del self._meant[id(thing)]
        self._dealer.go_home()
        yield


def _is_bet(chip: str, on: str, wheel: WheelName) -> bool:
    return chip in CHIPS and on in layout(wheel)


def _laid(chip: str, on: str) -> LaidChip:
    return LaidChip(CHIPS[chip].seat, CHIPS[chip].value, on)


def _on_mat(pose: Pose) -> Point:
    return pose.x - MAT_AT[0], pose.y - MAT_AT[1]


def _held(pose: Pose) -> Point:
    """Return the position of a player's hand holding a chip, from the other side of the table."""
    return pose.x, pose.y + _BELOW_MM
