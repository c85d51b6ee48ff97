"""Demo agent for roulette: chips on the layout and a ball in the wheel, both read by the camera.

Players lay chips or bet on their phones; the dealer spins, confirms the camera's reading, pays and clears the layout.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Final

from companion.games.roulette.demo.players import LOW, NAMES, PURSE, Wish, wishes_of
from companion.games.roulette.demo.table import LaidChip, RouletteTable
from companion.games.roulette.rules import Phase, State
from companion.games.roulette.wheel import POCKETS
from companion.kernel.commands import Record
from companion.kernel.messages import Message, message
from companion.plugins.demo import Planned
from companion.plugins.panel import Moment, OpenQuestion
from hardware.demo.felt_table import DemoError
from hardware.demo.reading_agent import ReadingAgent

INCIDENTS: Final[Mapping[str, Message]] = {
    "late": message("Lay a chip too late"),
    "between": message("Lay a chip between two spots"),
    "hop": message("Let the ball hop on"),
    "placed": message("Put the ball into a pocket by hand"),
    "wrong": message("Tap the wrong pocket"),
    "lost": message("Unplug the camera"),
}
"""Incidents a visitor can trigger -> button label."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The agent's delays, seconds."""

    open_s: float = 3.0
    "Before the first chip on a layout that is new to the camera."
    betting_s: float = 6.0
    "After the last chip was laid."
    asked_s: float = 4.0
    "Before the agent answers a question in automatic play."
    overdue_s: float = 6.0
    "Before the dealer enters a result the camera has not read."
    result_s: float = 5.0
    "Display time of the result before the layout is cleared."


class RouletteAgent(ReadingAgent[RouletteTable, Timing]):
    """Plays roulette at a demo wheel automatically, or step by step (see `Agent`)."""

    incidents = INCIDENTS
    at_any_time = frozenset({"late", "hop", "wrong"})
    words = (message("The house spins."), message("You spin."))
    default_names = NAMES
    default_timing = Timing()
    purse = PURSE
    _spun_for = -1
    "Number of counted spins when the ball was last spun."
    _wishes: tuple[Wish, ...] = ()
    "Bets still to be made."
    _odd: LaidChip | None = None
    "The misplaced chip; None without one."
    _opened = 0.0
    _opened_for = -1
    "Number of counted spins when the betting was last opened."
    _to_clear = False
    "Whether the layout has to be cleared after a spin."

    # -- visitor's actions

    def is_due(self, moment: Moment) -> bool:
        return not self._table.is_running and not (moment.state.phase is Phase.SPIN and self._has_spun(moment))

    def left_s(self, moment: Moment) -> float | None:
        return self._left() if moment.state.phase is Phase.BETTING and not self._wishes else None

    def do_next(self, moment: Moment) -> None:
        """Call no more bets if necessary, and spin the ball."""
        if not self.is_due(moment):
            raise DemoError.saying("The ball was spun already. Say first in which pocket it rests.")
        self._wishes = ()
        if moment.state.phase is Phase.BETTING:
            self._submit({"do": "no-more-bets"})
        self._spin(moment)

    def clear(self, moment: Moment) -> None:
        """Sweep the layout, except for imprisoned chips."""
        self._table.clear(self._prisoners(moment))

    def check(self, kind: str, moment: Moment) -> None:
        is_open = moment.state.phase is Phase.BETTING
        if kind == "hop" and (moment.state.phase is not Phase.SPIN or not self._has_spun(moment)):
            raise DemoError.saying("No ball rests in the demo wheel. Spin it first.")
        if kind == "placed" and not self.is_due(moment):
            raise DemoError.saying("The ball was spun already. Say first in which pocket it rests.")
        if kind == "late" and is_open:
            raise DemoError.saying("Bets are still open. Try it once no more bets are taken.")
        if kind == "between" and not is_open:
            raise DemoError.saying("No bets are taken now. Try it while bets are open.")
        if kind in ("late", "between") and self._careless(moment) is None:
            raise DemoError.saying("Nobody is simulated here who could lay a chip.")

    def provoke(self, kind: str, moment: Moment) -> Message | None:
        if kind == "wrong":
            self.enter_wrong_value_next()
            return message("It comes when the next result is entered.")
        if kind == "hop":
            self._table.hop()
        elif kind == "placed":
            if moment.state.phase is Phase.BETTING:
                self._submit({"do": "no-more-bets"})
            self._spun_for = _spins(moment)
            self._table.put_ball()
        elif kind in ("late", "between"):
            self._lay_oddly(kind, moment)
        return None

    def _careless(self, moment: Moment) -> int | None:
        """Return the seat of a simulated player; None without one."""
        names = self._simulated(moment)
        return next((seat.number for seat in moment.state.seats if seat.player in names), None)

    def _lay_oddly(self, kind: str, moment: Moment) -> None:
        """Lay a chip as an incident: too late, or between two spots."""
        seat = self._careless(moment)
        assert seat is not None, "it was checked"
        number = self._rng.choice([n for n in range(1, 34) if n % 3 == 2])
        self._odd = LaidChip(seat, 1, f"straight/{number}")
        self._table.lay_chip(self._odd, is_between=kind == "between")

    # -- automatic play

    def set_up_table(self, moment: Moment) -> None:
        """Leave the layout empty: chip bets from before a restart still count."""
        self._opened = self._clock()

    def step(self, moment: Moment) -> Hashable:
        return moment.phase, _spins(moment)

    def plan(self, moment: Moment) -> list[Planned]:
        self._wishes = ()
        if moment.state.phase is Phase.BETTING and not self.has_wrong_entry:
            names = self._simulated(moment)
            if self._opened_for != _spins(moment):  # otherwise it was replanned while these bets are on the layout
                self._opened_for, self._to_clear = _spins(moment), bool(self._table.chips)
            self._wishes = tuple(wishes_of(self._buy_in(names, moment, LOW), names, self._rng))
        return []

    def act_when_due(self, moment: Moment) -> None:
        others = self.other_questions(moment)
        if self.has_wrong_entry:
            self.undo_wrong_entry(moment)
        elif self._table.is_running:
            self._since = self._clock()
            self._text = message("The ball is running.")
        elif moment.state.phase is Phase.SPIN:
            self._spinning(moment, others)
        elif self._to_clear:
            self._pay(moment)
        elif others:
            self._answer(others[0], moment)
        else:
            self._betting(moment)

    def _betting(self, moment: Moment) -> None:
        if self._wishes:
            self._text = message("Place your bets.")
            if self._clock() - self._opened < self._timing.open_s:
                return
            wish, *rest = self._wishes
            self._wishes = tuple(rest)
            self._bet(wish)
        elif not self._auto:
            self._text = message("Place your bets, then press “No more bets”.")
        elif self._waited_s() > self._timing.betting_s:
            self._submit({"do": "no-more-bets"})
        else:
            self._text = message("The house calls no more bets soon.")

    def _bet(self, wish: Wish) -> None:
        self._since = self._clock()
        if not self._is_simulated(wish.player):  # a real player has taken the seat since
            return
        is_laid = not wish.is_on_phone and self._table.lay_chip(LaidChip(wish.seat, wish.coins, wish.on))
        if not is_laid:
            self._try(wish.record)

    def _spinning(self, moment: Moment, others: list[OpenQuestion]) -> None:
        is_late = self._odd is not None and self._odd in self._table.chips
        if others and (is_late or not self._has_spun(moment)):
            self._answer(others[0], moment)
        elif self._has_spun(moment):
            self.confirm_or_enter(moment)
        elif self._auto:
            self._spin(moment)
        else:
            self._text = message("Press spin.")

    def _spin(self, moment: Moment) -> None:
        self._text = message("The ball is running.")
        self._spun_for = _spins(moment)
        self._table.spin()

    def _pay(self, moment: Moment) -> None:
        """Show the result for a while, then pay and clear the layout."""
        self._text = message("Look at the result.")
        if self._auto and self._waited_s() > self._timing.result_s:
            self._to_clear, self._odd = False, None
            self._since = self._clock()
            self._table.clear(self._prisoners(moment))

    def _answer(self, question: OpenQuestion, moment: Moment) -> None:
        """Answer a question about chips for the dealer in automatic play."""
        if not self._may_answer(question, self._timing.asked_s):
            return
        if self._odd is not None and self._odd in self._table.chips:
            odd, self._odd = self._odd, None
            self._table.take_chip(odd)
        elif question.kind == "paying":
            self._reply(question, "stay" if self._table.chips else "away")
        else:
            known = [choice for choice, _ in question.choices]
            self._reply(question, next((choice for choice in ("back", "all") if choice in known), "leave"))

    # -- ground truth

    def truth(self) -> Record | None:
        pocket = self._table.rests
        return None if pocket is None else {"do": "spin", "pocket": pocket}

    def wrong(self, truth: Record) -> Record:
        pockets = [pocket for pocket in POCKETS[self._table.wheel] if pocket != truth["pocket"]]
        return {**truth, "pocket": self._rng.choice(pockets)}

    # -- helpers

    def _has_spun(self, moment: Moment) -> bool:
        return self._spun_for == _spins(moment)

    def _prisoners(self, moment: Moment) -> list[LaidChip]:
        """Return the imprisoned chips, which stay on the layout."""
        seats = {seat.number: seat.player for seat in moment.state.seats}
        held = {(stake.player, stake.on) for stake in moment.state.imprisoned}
        return [chip for chip in self._table.chips if (seats.get(chip.seat), chip.on) in held]

    def _left(self) -> float:
        return self._since + self._timing.betting_s - self._clock()


def _spins(moment: Moment) -> int:
    state = moment.state
    assert isinstance(state, State)
    return sum(state.counts)
