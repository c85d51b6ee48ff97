"""The demo house at the Rugen tables: it throws a rendered die, and never says what it shows: the camera has to see.

It is a dealer's hands and mouth: players bet, the hand takes up the die and throws. Only where the companion asks
which face is up does the house answer in automatic play, as a dealer who looks at the die would.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from companion.games.rugen.demo.players import NAMES, PURSE, plan, refills, whose
from companion.kernel.commands import Record
from companion.kernel.errors import TableError
from companion.kernel.messages import Message, message
from companion.tracking.dice.questions import AGAIN, SLOW
from companion.tracking.dice.verdict import throw_record
from hardware.demo.dice.table import TrayTable
from hardware.demo.felt_table import DemoError
from hardware.demo.house import SOURCE, House, TableService

log = logging.getLogger(__name__)

LOST_S: Final = 6.0
HAND_S: Final = 5.0

MISCHIEF: Final[Mapping[str, Message]] = {
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
"""What a person may provoke, with a label for the button."""


class RugenService(TableService, Protocol):
    """What this house needs of the table's thread."""

    def answer(self, question_id: str, choice_id: str, *, source: str) -> Any:
        """Answer a question."""


@dataclass(frozen=True, slots=True)
class Timing:
    """How long the house lets things last, seconds."""

    betting_s: float = 7.0
    "Before the first throw of a chain."
    between_s: float = 3.5
    "Between throws, for one-roll bets."
    asked_s: float = 5.0
    "Before the house answers a question in automatic play."
    overdue_s: float = 8.0
    "A throw that neither counted nor was asked about by then is mentioned."


class DemoRugen(House):
    """Plays House, Street or Capital Rugen in a demo tray, by itself or one press at a time.

    Args:
        service: the table.
        table: the tray.
        auto: whether it throws by itself.
        names: the simulated players, until a real person takes their seat; they sit down if none of them does.
            Empty: nobody is simulated.
        seed: of bets; None for true luck.
        clock: seconds, never going back.
    """

    mischiefs = MISCHIEF

    def __init__(
        self,
        service: RugenService,
        table: TrayTable,
        *,
        auto: bool = True,
        names: Sequence[str] = NAMES,
        seed: int | None = None,
        timing: Timing = Timing(),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(service, table, auto=auto, seed=seed, clock=clock)
        self._service: RugenService = service
        self._table, self._names, self._timing = table, tuple(names), timing
        self._moment: tuple[Any, ...] = ()
        self._since = clock()
        self._plan: list[tuple[float, Record]] = []
        self._waits_since = 0  # throws that counted when the die was thrown
        self._has_thrown = False
        self._is_seated = False
        self._is_touched = False  # whether anything happened to the die since the house threw it
        self._asked_since: tuple[str, float] = ("", 0.0)

    # -- what a person may do

    def state(self) -> dict[str, Any]:
        """Return what the demo's controls show."""
        with self._lock:
            view = self._service.view("dealer")
            left = self._left(view) if self._auto and self._is_due(view) and not self._has_thrown else None
            return self._controls(left_s=left, can_deal=self._is_due(view), can_gather=True, deck_left=0)

    def auto(self, on: bool) -> None:
        """Let it go on by itself, or wait for a person. It stays as it is told."""
        with self._lock:
            self._auto = on
            self._since = self._clock()
            self._text = message("The house throws.") if on else message("You throw.")

    def deal(self) -> None:
        """A person throws the die.

        Raises:
            DemoError: a hand or the die is still moving, or the game wants something else first.
        """
        with self._lock:
            self.auto(False)
            self._need_free_hands()
            view = self._service.view("dealer")
            if not self._is_due(view):
                prompt = view.get("prompt") or message("Look at what is to be done")
                raise DemoError(message("No throw is due now. {prompt}.", prompt=prompt))
            self._throw(view)

    def gather(self) -> None:
        """A person takes the die out of the tray."""
        with self._lock:
            self.auto(False)
            self._need_free_hands()
            self._table.take()

    def mischief(self, kind: str) -> None:
        """Let something go wrong (see `MISCHIEF`).

        Raises:
            DemoError: no such mischief, or not possible now.
        """
        with self._lock:
            self._need_mischief(kind)
            if kind == "lost":
                self._table.lose_camera(LOST_S)
                return
            self._need_free_hands()
            self._has_thrown = True
            self._since = self._clock()
            self._misthrow(kind)

    def _misthrow(self, kind: str) -> None:
        table = self._table
        self._is_touched = kind != "hand"
        if kind in ("two", "nudge") and not table.lying:
            raise DemoError(message("No die lies in the demo tray. Throw it first."))
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

    # -- what it does by itself

    def tick(self) -> None:
        """Look at the table once and do what is due."""
        with self._lock:
            if not self._knows_guests():
                return
            view = self._service.view("dealer")
            if not self._is_seated:
                self._seat(view)
                return
            self._note_moment(view)
            if view["hold"] is not None:
                self._text = message("The table is on hold.")
            elif self._table.busy:
                self._since = self._clock()
            elif self._plan:
                self._bet(view)
            elif any(question["kind"] != SLOW for question in view.get("questions", ())):
                self._asked(view)
            elif self._has_thrown:
                self._waiting(view)
            elif not self._is_due(view):
                self._text = message("{prompt}.", prompt=view.get("prompt", ""))
                if self._clock() - self._since > self._timing.overdue_s:
                    self._moment = ()  # somebody was refused: think again
            elif not self._auto:
                self._text = message("Press throw.")
            elif self._left(view) <= 0:
                self._throw(view)
            else:
                self._text = message("The next throw is coming.") if view["chain"] else message("Place your bets.")

    def _seat(self, view: Mapping[str, Any]) -> None:
        seated = {player["name"] for player in view["players"]}
        for name in () if seated & set(self._names) else self._names:
            self._service.submit({"do": "join", "player": name, "coins": PURSE}, source=SOURCE)
        self._is_seated = True

    def _note_moment(self, view: Mapping[str, Any]) -> None:
        """Plan what the players do whenever a throw or a phase begins anew."""
        moment = (view["throws"], view["phase"], view["rounds"])
        if moment == self._moment:
            return
        self._moment, self._since = moment, self._clock()
        if view["throws"] != self._waits_since:
            self._has_thrown = False
        wishes = [*refills(view, self._simulated), *plan(view, self._simulated, self._rng)]
        within = 0.75 * self._time_for(view)
        self._plan = [(within * (i + 1) / (len(wishes) + 1), record) for i, record in enumerate(wishes)]

    @property
    def _simulated(self) -> tuple[str, ...]:
        return tuple(name for name in self._names if name not in self._guests)

    def _bet(self, view: Mapping[str, Any]) -> None:
        while self._plan and self._clock() - self._since >= self._plan[0][0]:
            _, record = self._plan.pop(0)
            if record["do"] == "close" and not self._auto:
                continue  # who throws by hand closes by hand
            if not whose(record, view) <= set(self._simulated):
                continue  # a real person has taken the seat since this was planned
            try:
                self._service.submit(record, source=SOURCE)
            except TableError as error:  # over a limit, too late: who is refused shrugs
                log.info("%s is refused: %s", record, error)

    def _waiting(self, view: Mapping[str, Any]) -> None:
        """The die was thrown and does not count yet."""
        waited = self._clock() - self._since
        self._text = message("The die is being read.")
        if waited > self._timing.overdue_s:
            self._text = message("The throw does not count. Throw again.")
            self._has_thrown = not self._auto

    def _asked(self, view: Mapping[str, Any]) -> None:
        """Something is asked: a dealer who is there answers; in automatic play the house helps itself."""
        questions = [question for question in view["questions"] if question["kind"] != SLOW]
        question = min(questions, key=lambda q: q["kind"] != "unsure")
        if self._asked_since[0] != question["id"]:
            self._asked_since = (question["id"], self._clock())
        self._text = message("The house waits for the dealer's answer.")
        if not self._auto or self._clock() - self._asked_since[1] < self._timing.asked_s:
            return
        if question["kind"] == "unsure":
            self._say_what_lies(question, view)
        elif self._is_due(view):
            self._throw(view)
        self._asked_since = ("", 0.0)

    def _say_what_lies(self, question: Mapping[str, Any], view: Mapping[str, Any]) -> None:
        """Tell what an unreadable throw shows, as long as that die still lies there as it fell."""
        lying = self._table.lying
        try:
            if len(lying) == 1 and not self._is_touched and self._is_due(view):
                self._service.submit(throw_record(lying[0]), source=SOURCE)
            else:
                self._service.answer(question["id"], AGAIN, source=SOURCE)
        except TableError as error:  # somebody else was quicker
            log.info("The answer to %s is refused: %s", question["id"], error)

    # -- helpers

    def _throw(self, view: Mapping[str, Any]) -> None:
        self._waits_since, self._has_thrown = view["throws"], True
        self._since, self._is_touched = self._clock(), False
        self._text = message("The die is thrown.")
        self._table.throw()

    @staticmethod
    def _is_due(view: Mapping[str, Any]) -> bool:
        return "throw" in view["expected"] and view["hold"] is None

    def _time_for(self, view: Mapping[str, Any]) -> float:
        return self._timing.between_s if view["chain"] else self._timing.betting_s

    def _left(self, view: Mapping[str, Any]) -> float:
        return self._since + self._time_for(view) - self._clock()


def new_tray(*, size: tuple[int, int] = (1920, 1080), seed: int | None = None, rugen: bool = False) -> TrayTable:
    """Return a tray with an ordinary d20, or with the printed Rugen die."""
    return TrayTable("rugen" if rugen else "d20", size=size, seed=seed)
