"""Demo bowl: a hand that throws three dice into it and takes them out, including invalid throws."""

import random
import time
from collections.abc import Callable, Sequence
from typing import Final, Literal

from companion.games.chinchirorin.commands import DICE, PIPS
from companion.games.chinchirorin.demo.scene import EDGE_MM, BowlScene, die_at
from companion.games.chinchirorin.demo.throws import Ends, Flight, Thrown, come_to_rest, flights, nudged
from hardware.demo.felt_table import DemoError, FeltTable, unknown_event
from hardware.demo.hands.acts import Stage, reach
from hardware.demo.hands.arm import Arm, Clock, HandMotion, in_sequence
from hardware.demo.layers import Image

HOME: Final = (190.0, 260.0)
SHOULDER: Final = (90.0, 620.0)
RELEASE: Final = (58.0, 52.0)
HAPPENINGS: Final = (
    "throw 6-3-6", "throw 6-3-6 out", "throw 6-3-6 cocked", "throw 6-3-6 two", "nudge", "take",
)  # fmt: skip
"""Examples of all happenings a scenario can use."""
FLIGHT_S: Final = 1.1
_SHAKES: Final = 2
_SHAKE_MM: Final = 16.0


class BowlTable(FeltTable):
    """A bowl, its dice, and one right hand. Thread-safe.

    Resting dice are rendered in advance by `throw`, before the hand starts, since that is slow.

    Args:
        seed: seed for values and trajectories; None for true randomness.
        pace: speed of the hand's movements; 1 is unhurried.
        real_clock: real time in seconds; only for how long the camera stays unplugged.
    """

    def __init__(
        self,
        *,
        size: tuple[int, int] = (1920, 1080),
        seed: int | None = None,
        pace: float = 1.0,
        real_clock: Callable[[], float] = time.monotonic,
    ) -> None:
        clock = Clock(pace=pace)
        self._arm = Arm(clock, HOME, SHOULDER)
        self._view = BowlScene(size, seed=seed or 1)
        self._rng = random.Random(seed)
        super().__init__(Stage(self._view, self._rng, clock, {0: self._arm}), real_clock)
        self._thrown = Thrown()
        self._flights: tuple[Flight, ...] = ()
        self._flown_at = 0.0
        self.count = 0
        "Number of throws."

    # ---- commands

    def throw(self, dice: Sequence[int] | None = None, ends: Ends = "flat") -> None:
        """Have the hand pick up all dice and throw them.

        Args:
            dice: values to show; None for random ones.

        Raises:
            DemoError: not three values from 1 to 6.
        """
        values = [self._rng.choice(PIPS) for _ in range(DICE)] if dice is None else list(dice)
        if len(values) != DICE or any(value not in PIPS for value in values):
            raise DemoError.saying("A throw is three numbers from 1 to 6. Say which.")
        thrown, picture = self._drawn(come_to_rest(values, ends, self._rng))
        self._enqueue(lambda: in_sequence(self._take_all(), self._throw(thrown, picture)))

    def take(self) -> None:
        """Have the hand take out all dice."""
        self._enqueue(lambda: in_sequence(self._take_all(), reach(self._arm, HOME)))

    def nudge(self) -> None:
        """Have the hand knock one die over.

        Raises:
            DemoError: there are no dice.
        """
        if not self._thrown.poses:
            raise DemoError.saying("No dice lie in the demo bowl. Throw them first.")
        thrown, picture = self._drawn(nudged(self._thrown, self._rng))
        self._enqueue(lambda: self._nudge(thrown, picture))

    def rest_hand(self, seconds: float) -> None:
        """Have the hand cover the bowl for some seconds."""
        self._enqueue(
            lambda: in_sequence(reach(self._arm, (20.0, 10.0)), self._arm.wait(seconds), reach(self._arm, HOME))
        )

    def happen(self, what: str) -> None:
        """Perform a happening given as text (see `HAPPENINGS`).

        Raises:
            DemoError: unknown happening.
        """
        match what.split():
            case ["throw", dice, *how] if how in ([], ["out"], ["cocked"], ["two"]):
                ends: Ends = how[0] if how else "flat"  # type: ignore[assignment]
                self.throw([int(die) if die.isdecimal() else 0 for die in dice.split("-")], ends)
            case ["take"]:
                self.take()
            case ["nudge"]:
                self.nudge()
            case _:
                raise unknown_event(what, HAPPENINGS)

    # ---- status

    @property
    def shown(self) -> tuple[int, ...] | Literal["out"] | None:
        """Ground truth of the throw in the bowl; None if it does not count. The camera has no access."""
        with self._lock:
            return None if self._flights else self._thrown.shown

    @property
    def is_empty(self) -> bool:
        """Whether there are no dice on the table."""
        with self._lock:
            return not self._thrown.poses and not self._flights

    def picture(self, t: float) -> Image:
        """Advance the bowl to time t (monotonic seconds) and return the camera image."""
        with self._lock:
            share = (max(t, self._time.now) - self._flown_at) * self._time.pace / FLIGHT_S
            self._view.flying = tuple(flight.at(share) for flight in self._flights)
            return super().picture(t)

    # ---- internals

    def _drawn(self, thrown: Thrown) -> tuple[Thrown, Image]:
        """Return dice with their image; call without the lock, since it is slow."""
        return thrown, self._view.renderer.with_dice([die_at(pose) for pose in thrown.poses])

    def _lie(self, thrown: Thrown, picture: Image) -> None:
        self._thrown, self._view.rested, self._flights = thrown, picture, ()
        self._view.flying = ()

    def _take_all(self) -> HandMotion:
        beside = [pose for pose in self._thrown.poses if abs(pose.middle[0]) > 4 or abs(pose.middle[1]) > 4]
        for x, y in [*((pose.middle[0] * EDGE_MM, -pose.middle[1] * EDGE_MM) for pose in beside), (0.0, 0.0)]:
            if self._thrown.poses:
                yield from reach(self._arm, (float(x), float(y)))
                yield from self._arm.wait(0.2)
        self._lie(Thrown(), self._view.renderer.empty)

    def _throw(self, thrown: Thrown, picture: Image) -> HandMotion:
        yield from reach(self._arm, (RELEASE[0] + 30, RELEASE[1] + 40))
        for _ in range(_SHAKES):
            yield from self._arm.move((self._arm.at[0], self._arm.at[1] - _SHAKE_MM), 0.16)
            yield from self._arm.move((self._arm.at[0], self._arm.at[1] + _SHAKE_MM), 0.16)
        yield from self._arm.move(RELEASE, 0.18)
        self._flights, self._flown_at = flights(thrown, RELEASE, self._rng), self._time.now
        self.count += 1
        yield from reach(self._arm, HOME)
        while (self._time.now - self._flown_at) * self._time.pace < FLIGHT_S:
            yield
        self._lie(thrown, picture)
        yield

    def _nudge(self, thrown: Thrown, picture: Image) -> HandMotion:
        yield from reach(self._arm, (24.0, 20.0))
        yield from self._arm.wait(0.15)
        self._lie(thrown, picture)
        yield from reach(self._arm, HOME)
