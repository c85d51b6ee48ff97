"""Demo agent for chinchirorin: a hand throws rendered dice into a bowl, which are read by the camera.

Bankers and players bet by phone. The dealer confirms each throw the camera reads, and enters the others; invalid throws
are repeated.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Final

from companion.games.chinchirorin.commands import PIPS
from companion.games.chinchirorin.demo.players import LOW, NAMES, PURSE, plan
from companion.games.chinchirorin.demo.table import BowlTable
from companion.games.chinchirorin.state import Phase, State
from companion.kernel.commands import Record
from companion.kernel.messages import Message, message
from companion.plugins.demo import Planned
from companion.plugins.panel import Moment, OpenQuestion
from companion.tracking.watched import ASIDE
from hardware.demo.felt_table import DemoError
from hardware.demo.reading_agent import ReadingAgent

HAND_S: Final = 5.0
THROWING: Final = (Phase.BANKER, Phase.PLAYER)

INCIDENTS: Final[Mapping[str, Message]] = {
    "out": message("Throw a die out of the bowl"),
    "cocked": message("Let a die come to rest on its edge"),
    "two": message("Throw only two dice"),
    "nudge": message("Knock a die over"),
    "hand": message("Leave a hand over the bowl"),
    "wrong": message("Enter a wrong throw"),
    "short": message("Have the banker risk more than can be paid"),
    "lost": message("Unplug the camera"),
}
"""Incidents a visitor can trigger -> button label."""


_LATER: Final[Mapping[str, Message]] = {
    "wrong": message("It comes when the next throw is entered."),
    "short": message("It comes with the next banker's bets."),
}
"""Incidents that are delayed -> announcement."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The agent's delays, seconds."""

    saying_s: float = 2.0
    "Between two players' commands."
    before_s: float = 2.5
    "Before a throw."
    asked_s: float = 4.0
    "Before the agent answers a question in automatic play."
    overdue_s: float = 8.0
    "Before the dealer enters a throw the camera has not read."


class ChinchirorinAgent(ReadingAgent[BowlTable, Timing]):
    """Plays chinchirorin at a demo bowl automatically, or step by step (see `Agent`)."""

    incidents = INCIDENTS
    at_any_time = frozenset({"wrong", "short"})
    words = (message("The house throws."), message("You throw."))
    default_names = NAMES
    default_timing = Timing()
    purse = PURSE
    _thrown_for: Hashable = None
    "Key of the last throw made, see `_throw_of`."
    _is_short = False
    "Whether the next round is to have a banker who cannot pay everybody."

    # -- visitor's actions

    def is_due(self, moment: Moment) -> bool:
        is_new = self._thrown_for != _throw_of(moment)
        return moment.state.phase in THROWING and (is_new or self.truth() is None)

    def do_next(self, moment: Moment) -> None:
        """Throw the dice."""
        self._need_turn(moment)
        self._throw(moment)

    def _need_turn(self, moment: Moment) -> None:
        if moment.state.phase not in THROWING:
            raise DemoError.saying("No throw is due now. Wait until somebody has to throw.")
        if not self.is_due(moment):
            raise DemoError.saying("The dice lie there already. Say first what they show.")

    def clear(self, moment: Moment) -> None:
        """Take the dice out of the bowl."""
        self._table.take()

    def check(self, kind: str, moment: Moment) -> None:
        if kind in ("out", "cocked", "two"):
            self._need_turn(moment)
        if kind == "nudge" and self._table.is_empty:
            raise DemoError.saying("No dice lie in the demo bowl. Throw them first.")

    def provoke(self, kind: str, moment: Moment) -> Message | None:
        if kind in ("out", "cocked", "two"):
            self._throw(moment, kind)
            return None
        acts: Mapping[str, Callable[[], None]] = {
            "nudge": self._table.nudge,
            "hand": lambda: self._table.rest_hand(HAND_S),
            "wrong": self.enter_wrong_value_next,
            "short": self._risk_all,
            "lost": lambda: None,
        }
        acts[kind]()
        return _LATER.get(kind)

    def _risk_all(self) -> None:
        self._is_short = True

    # -- automatic play

    def set_up_table(self, moment: Moment) -> None:
        """No-op: the bowl is empty until the first throw."""

    def step(self, moment: Moment) -> Hashable:
        return moment.phase, len(moment.state.asked), _throw_of(moment)

    def plan(self, moment: Moment) -> list[Planned]:
        if self.has_wrong_entry:
            return []
        names, is_short = self._simulated(moment), self._is_short
        if moment.state.phase is Phase.BANK:
            moment = self._buy_in(names, moment, LOW)
        elif moment.state.phase is Phase.BETTING:
            self._is_short = False
        wishes = plan(moment, names, self._rng, is_short=is_short)
        return [Planned(self._timing.saying_s * (i + 1), record, who) for i, (record, who) in enumerate(wishes)]

    def act_when_due(self, moment: Moment) -> None:
        if self.has_wrong_entry:
            self.undo_wrong_entry(moment)
        elif self._plan:
            self._text = message("The players say what they do.")
            self._carry_out_plan("close")  # a visitor who throws also closes
        elif moment.state.phase not in THROWING:
            self._text = message("The demo waits for a player.")
            if self._waited_s() > self._timing.overdue_s:
                self._step = None  # a command was rejected: replan
        elif self._thrown_for != _throw_of(moment):
            self._before_throw(moment)
        elif self.truth() is None:
            self._again(moment)
        else:
            self.confirm_or_enter(moment)

    def _before_throw(self, moment: Moment) -> None:
        self._text = message("The next throw is coming.")
        if not self._auto:
            self._text = message("Press throw.")
        elif self._waited_s() > self._timing.before_s:
            self._throw(moment)

    def _again(self, moment: Moment) -> None:
        """Repeat a throw that does not count."""
        self._text = message("The throw does not count. Throw again.")
        if self._auto and self._waited_s() > self._timing.asked_s:
            asked = self._reading_question(moment)
            if asked is not None:
                self._reply(asked, ASIDE)
            self._throw(moment)

    # -- ground truth

    def truth(self) -> Record | None:
        shown = self._table.shown
        if shown == "out":
            return {"do": "throw", "out": True}
        return None if shown is None else {"do": "throw", "dice": list(shown)}

    def wrong(self, truth: Record) -> Record:
        dice = list(truth.get("dice") or (1, 2, 3))
        dice[0] = self._rng.choice([value for value in PIPS if value != dice[0]])
        return {"do": "throw", "dice": dice}

    def _is_right(self, asked: OpenQuestion, truth: Record) -> bool:
        """Whether the reading is right; the order of the dice does not matter."""
        orders = permutations(truth.get("dice") or ())
        said = [{**truth, "dice": list(order)} if order else truth for order in orders]
        return any(super(ChinchirorinAgent, self)._is_right(asked, record) for record in said)

    # -- helpers

    def _throw(self, moment: Moment, ends: str = "flat") -> None:
        self._thrown_for = _throw_of(moment)
        self._since = self._clock()
        self._text = message("The dice are thrown.")
        self._table.throw(ends=ends)  # type: ignore[arg-type]


def _throw_of(moment: Moment) -> Hashable:
    """Return a unique key of the next throw."""
    state = moment.state
    assert isinstance(state, State)
    return moment.rounds, len(state.banker_throws), len(state.throws), state.bank_at
