"""Demo agent for Rugen: throws a rendered die, whose face is read by the camera.

Players bet, and a hand picks up the die and throws it. The agent reports a face only if the companion asks for it in
automatic play, as a dealer would.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Final

from companion.games.rugen.demo.players import LOW, NAMES, PURSE, plan
from companion.kernel.messages import Message, message
from companion.plugins.demo import Planned
from companion.plugins.panel import Moment, OpenQuestion
from companion.tracking.dice.questions import AGAIN, SLOW
from companion.tracking.dice.verdict import throw_record
from hardware.demo.agent import Agent
from hardware.demo.dice.table import TrayTable
from hardware.demo.felt_table import DemoError

HAND_S: Final = 5.0

INCIDENTS: Final[Mapping[str, Message]] = {
    "leaning": message("Let the die lean on the wall"),
    "off": message("Throw it over the rim"),
    "two": message("Throw a second die"),
    "wrong": message("Throw a d12"),
    "put": message("Put the die down by hand"),
    "nudge": message("Knock the die over"),
    "hand": message("Leave a hand in the tray"),
    "lost": message("Unplug the camera"),
    "tidy": message("Take all dice out"),
}
"""Incidents a visitor can trigger -> button label."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The agent's delays, seconds."""

    betting_s: float = 7.0
    "Before the first throw of a chain."
    between_s: float = 3.5
    "Between throws, for one-roll bets."
    asked_s: float = 5.0
    "Before the agent answers a question in automatic play."
    overdue_s: float = 8.0
    "Before an unread throw is mentioned."


class RugenAgent(Agent[TrayTable, Timing]):
    """Plays House, Street or Capital Rugen in a demo tray automatically, or step by step (see `Agent`)."""

    incidents = INCIDENTS
    words = (message("The house throws."), message("You throw."))
    default_names = NAMES
    default_timing = Timing()
    purse = PURSE
    _waits_since = 0
    "Number of counted throws when the die was thrown."
    _has_thrown = False
    _is_touched = False
    "Whether the die was disturbed since the agent threw it."

    # -- visitor's actions

    def is_due(self, moment: Moment) -> bool:
        return "throw" in moment.expected

    def left_s(self, moment: Moment) -> float | None:
        return self._left(moment) if self.is_due(moment) and not self._has_thrown else None

    def do_next(self, moment: Moment) -> None:
        """Throw the die."""
        if not self.is_due(moment):
            prompt = moment.prompt or message("Look at what is to be done")
            raise DemoError.saying("No throw is due now. {prompt}.", prompt=prompt)
        self._throw(moment)

    def clear(self, moment: Moment) -> None:
        """Take the die out of the tray."""
        self._table.take()

    def check(self, kind: str, moment: Moment) -> None:
        if kind in ("two", "nudge", "tidy") and not self._table.lying:
            raise DemoError.saying("No die lies in the demo tray. Throw it first.")

    def provoke(self, kind: str, moment: Moment) -> None:
        table = self._table
        if kind == "lost":
            return
        self._has_thrown, self._is_touched = True, kind != "hand"
        self._since = self._clock()
        acts: Mapping[str, Callable[[], None]] = {
            "leaning": table.lean,
            "off": table.overshoot,
            "two": table.throw_second,
            "wrong": lambda: table.throw(None, "d12"),
            "put": lambda: table.put(self._any_face()),
            "nudge": table.nudge,
            "hand": lambda: table.rest_hand(HAND_S),
            "tidy": table.take,
        }
        acts[kind]()

    def _any_face(self) -> str:
        if self._table.kind == "rugen":
            return self._rng.choice(("1d", "2n", "3d", "3n", "4d", "4n"))
        return str(self._rng.randint(1, 20))

    # -- automatic play

    def set_up_table(self, moment: Moment) -> None:
        """No-op: the tray is empty until the first throw."""

    def step(self, moment: Moment) -> Hashable:
        return moment.state.throws, moment.phase, moment.rounds

    def plan(self, moment: Moment) -> list[Planned]:
        if moment.state.throws != self._waits_since:
            self._has_thrown = False
        names = self._simulated(moment)
        wishes = plan(self._buy_in(names, moment, LOW), names, self._rng)
        pause = 0.75 * self._time_for(moment) / (len(wishes) + 1)
        return [Planned(pause * (i + 1), record, who) for i, (record, who) in enumerate(wishes)]

    def act_when_due(self, moment: Moment) -> None:
        asked = [question for question in moment.questions if question.kind != SLOW]
        if self._plan:
            self._carry_out_plan("close")  # a visitor who throws also closes
        elif asked:
            self._answer(min(asked, key=lambda question: question.kind != "unsure"), moment)
        elif self._has_thrown:
            self._wait()
        elif not self.is_due(moment):
            self._text = message("{prompt}.", prompt=moment.prompt)
            if self._waited_s() > self._timing.overdue_s:
                self._step = None  # a command was rejected: replan
        elif not self._auto:
            self._text = message("Press throw.")
        elif self._left(moment) <= 0:
            self._throw(moment)
        else:
            self._text = message("The next throw is coming.") if moment.state.chain else message("Place your bets.")

    def _wait(self) -> None:
        """Wait until the throw counts; declare it invalid if it takes too long."""
        self._text = message("The die is being read.")
        if self._waited_s() > self._timing.overdue_s:
            self._text = message("The throw does not count. Throw again.")
            self._has_thrown = not self._auto

    def _answer(self, question: OpenQuestion, moment: Moment) -> None:
        """Answer a question for the dealer in automatic play."""
        if not self._may_answer(question, self._timing.asked_s):
            return
        if question.kind == "unsure":
            self._say_what_lies(question, moment)
        elif self.is_due(moment):
            self._throw(moment)

    def _say_what_lies(self, question: OpenQuestion, moment: Moment) -> None:
        """Enter the face of an unreadable throw, if the die was not disturbed; otherwise have it rethrown."""
        lying = self._table.lying
        if len(lying) == 1 and not self._is_touched and self.is_due(moment):
            self._try(throw_record(lying[0]))
        else:
            self._reply(question, AGAIN)

    # -- helpers

    def _throw(self, moment: Moment) -> None:
        self._waits_since, self._has_thrown = moment.state.throws, True
        self._since, self._is_touched = self._clock(), False
        self._text = message("The die is thrown.")
        self._table.throw()

    def _time_for(self, moment: Moment) -> float:
        return self._timing.between_s if moment.state.chain else self._timing.betting_s

    def _left(self, moment: Moment) -> float:
        return self._since + self._time_for(moment) - self._clock()


def new_tray(*, size: tuple[int, int] = (1920, 1080), seed: int | None = None, rugen: bool = False) -> TrayTable:
    """Return a tray with an ordinary d20, or with the printed Rugen die."""
    return TrayTable("rugen" if rugen else "d20", size=size, seed=seed)
