"""Base class of the demo agents: a thread that watches the table and plays for the simulated players.

It moves objects on the felt and presses buttons; cards are left to the camera. A game provides its choreography, a
subclass of `Agent`, and its players, whose decisions are checked against the game's rules.
"""

import logging
import random
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import ClassVar, Final, Generic, Self, TypeVar

from companion.closing import Worker
from companion.kernel.commands import Record
from companion.kernel.errors import CompanionError, TableError
from companion.kernel.messages import Message, message
from companion.plugins.demo import DemoState, IncidentChoice, Planned
from companion.plugins.panel import Moment, OpenQuestion
from companion.service.one_session import OneSession
from hardware.demo.felt_table import DemoError, FeltTable
from hardware.demo.journal import SOURCE, JournalReader

log = logging.getLogger(__name__)

NOTHING_WRONG: Final = message("Nothing lies wrong.")
"""Reply to a request to tidy when nothing is wrong."""
LOST_S: Final = 7.0
"""Duration of a simulated camera loss, seconds."""
F = TypeVar("F", bound=FeltTable)
T = TypeVar("T")


class Agent(Worker, Generic[F, T]):
    """Base of the games' agents. Safe to call from any thread; use as a context manager, or `start` and `close`.

    Args:
        service: the table.
        table: the demo table.
        auto: whether to start in automatic play, unless the journal says what was chosen last.
        names: the simulated players, until a real person takes their seat; seated if none of them is.
            Empty: nobody is simulated. None: the game's default.
        seed: seed for all random decisions; None for true randomness.
        timing: delays; None for the defaults.
        clock: monotonic time, seconds.
    """

    incidents: ClassVar[Mapping[str, Message]]
    "Incident -> description."
    at_any_time: ClassVar[frozenset[str]] = frozenset()
    "Incidents that need no free hands."
    words: ClassVar[tuple[Message, Message]]
    "Status texts: in automatic play, and when a person takes over."
    default_names: ClassVar[Sequence[str] | None] = None
    "Default simulated players; None: everybody at the table who is not a real person."
    default_timing: T
    purse: ClassVar[int]
    "Coins of a new player, and of a buy-in."

    def __init__(
        self,
        service: OneSession,
        table: F,
        *,
        auto: bool = True,
        names: Sequence[str] | None = None,
        seed: int | None = None,
        timing: T | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._service, self._table, self._clock = service, table, clock
        self._names = self.default_names if names is None else names
        self._timing = self.default_timing if timing is None else timing
        self._journal = JournalReader(service)
        self._rng = random.Random(seed)
        self._lock = threading.RLock()
        self._auto = auto
        self._do_players_act = True
        self._chosen: dict[str, bool] = {}  # the switches set since the start
        self._text = message("The house opens.")
        self._is_open = False
        self._to_seat: list[str] = []
        self._step: Hashable = None
        self._began = self._since = clock()  # start of this step, and its last motion
        self._plan: list[Planned] = []
        self._asked: dict[str, float] = {}
        super().__init__("demo house", end_s=5.0)

    # -- hooks for games, called with the lock held

    @abstractmethod
    def set_up_table(self, moment: Moment) -> None:
        """Lay out the table from the game state, so that play resumes after a restart."""

    def step(self, moment: Moment) -> Hashable:
        """Return a key whose change makes the players plan again."""
        return None

    def plan(self, moment: Moment) -> Sequence[Planned]:
        """Return the players' actions for a new step, sorted by time."""
        return ()

    @abstractmethod
    def act_when_due(self, moment: Moment) -> None:
        """Do what is due; called while nothing moves."""

    @abstractmethod
    def do_next(self, moment: Moment) -> None:
        """Take the next step at a visitor's request.

        Raises:
            CompanionError: the game needs something else first.
        """

    @abstractmethod
    def clear(self, moment: Moment) -> None:
        """Clear the felt at a visitor's request.

        Raises:
            CompanionError: not possible yet.
        """

    def check(self, kind: str, moment: Moment) -> None:
        """Check that an incident is possible now, without side effects or random draws.

        Raises:
            DemoError: it is not; the message says why, and when it is.
        """

    @abstractmethod
    def provoke(self, kind: str, moment: Moment) -> Message | None:
        """Cause an incident after `check`.

        Returns:
            Text saying when it happens, if later; None for now.

        Raises:
            DemoError: not possible now.
        """

    @abstractmethod
    def is_due(self, moment: Moment) -> bool:
        """Whether a visitor may request the next step."""

    def may_clear(self, moment: Moment) -> bool:
        """Whether a visitor may clear the felt."""
        return True

    @property
    def deck_left(self) -> int:
        """Number of cards left in the deck."""
        return 0

    def left_s(self, moment: Moment) -> float | None:
        """Return the seconds until betting ends; None outside betting."""
        return None

    # -- visitor's actions

    def state(self) -> DemoState:
        """Return the demo's status, and the actions available to a visitor."""
        with self._lock:
            moment = self._service.moment()
            left_s = self.left_s(moment) if self._auto else None
            return {
                "auto": self._auto,
                "players": self._do_players_act,
                "busy": self._table.busy,
                "text": self._text,
                "betting_left_s": None if left_s is None else round(max(0.0, left_s), 1),
                "can_deal": self.is_due(moment) and not self._table.busy,
                "can_gather": self.may_clear(moment) and not self._table.busy,
                "deck_left": self.deck_left,
                "mischief": [self._choice(kind, moment) for kind in self.incidents],
            }

    def _choice(self, kind: str, moment: Moment) -> IncidentChoice:
        label = self.incidents[kind]
        try:
            self.check(kind, moment)
        except DemoError as error:
            return {"kind": kind, "label": label, "why": error.message}
        return {"kind": kind, "label": label}

    @property
    def is_auto(self) -> bool:
        """Whether automatic play is on."""
        return self._auto

    def players(self, on: bool) -> None:
        """Have the simulated players bet and decide, or leave everything to the people."""
        text = message("The players bet again.") if on else message("The simulated players do not bet.")
        with self._lock:
            if on != self._do_players_act:
                self._choose("players", on, text)
            self._do_players_act = on
            self._plan, self._step = [], None if on else self._step
            self._text = text

    def auto(self, on: bool) -> None:
        """Switch automatic play on or off, also for later starts."""
        text = message("The demo plays by itself.") if on else message("The demo no longer plays by itself.")
        with self._lock:
            if on != self._auto:
                self._choose("auto", on, text)
            self._set_auto(on)

    def pause(self) -> None:
        """Stop automatic play until the next start."""
        with self._lock:
            self._set_auto(False)

    def _set_auto(self, on: bool) -> None:
        self._auto = on
        self._began = self._since = self._clock()
        self._text = self.words[not on]

    def _choose(self, switch: str, on: bool, text: Message) -> None:
        """Note a switch in the journal, from where the next start takes it."""
        self._chosen[switch] = on
        self._service.notice(text, source=SOURCE, data={switch: on})

    def deal(self) -> None:
        """Take the next step, for a visitor who plays the dealer.

        Raises:
            DemoError: the demo's hand is still over the table, or the game needs something else first.
            TableError: the table rejects it.
        """
        with self._lock:
            self.auto(False)
            self._need_free_hands()
            self.do_next(self._service.moment())

    def gather(self) -> None:
        """Clear the felt for the next round.

        Raises:
            DemoError: the demo's hand is still over the table, or something else has to happen first.
        """
        with self._lock:
            self.auto(False)
            self._need_free_hands()
            self.clear(self._service.moment())

    def cause_incident(self, kind: str) -> Message:
        """Cause an incident (see `incidents`) for the dealer to notice; return a text about it.

        Raises:
            DemoError: unknown incident, or not possible now.
        """
        with self._lock:
            if kind not in self.incidents:
                raise DemoError.saying(
                    "The demo knows no mischief {kind}. Choose one of {kinds}.",
                    kind=repr(kind),
                    kinds=", ".join(self.incidents),
                )
            moment = self._service.moment()
            self.check(kind, moment)
            if kind == "lost":
                self._table.lose_camera(LOST_S)
            elif kind not in self.at_any_time:
                self._need_free_hands()
            return self.provoke(kind, moment) or message("It happens now: {mischief}.", mischief=self.incidents[kind])

    def _need_free_hands(self) -> None:
        if self._table.busy:
            raise DemoError.saying("The demo's hand is still over the table. Wait a moment and press again.")

    # -- the loop

    def tick(self) -> None:
        """Check the table once and do what is due."""
        with self._lock:
            if not self._journal.catch_up():  # until then, a real person may be mistaken for a simulated player
                return
            moment, now = self._service.moment(), self._clock()
            self._asked = {question.id: self._asked.get(question.id, now) for question in moment.questions}
            if not self._is_open:
                self._open(moment)
            elif self._table.busy:
                self._since = now
            elif moment.hold is not None:
                self._text = message("The table is on hold.")
            elif self._to_seat:
                self._seat_players()
            else:
                self._follow(moment)
                self.act_when_due(moment)

    def __enter__(self) -> Self:
        return self.start()

    def _run(self) -> None:
        version = 0
        while not self._stop.is_set():
            try:
                self.tick()
            except CompanionError as error:  # rejected, timed out or closing: the next tick decides again
                log.info("The demo's automatic player has to wait: %s", error)
                self._stop.wait(0.5)
            version = self._service.wait(version, 0.2)

    # -- players

    def _open(self, moment: Moment) -> None:
        switches = self._journal.switches | self._chosen
        self._auto = switches.get("auto", self._auto)
        self._do_players_act = switches.get("players", self._do_players_act)
        self.set_up_table(moment)
        self._is_open = True
        names = self._names or ()
        self._to_seat = [] if any(player.name in names for player in moment.players) else list(names)

    def _seat_players(self) -> None:
        while self._to_seat:
            self._submit({"do": "join", "player": self._to_seat[0], "coins": self.purse})
            self._to_seat.pop(0)

    def _is_simulated(self, name: str) -> bool:
        """Whether a player is simulated and simulated players act."""
        is_of_demo = self._names is None or name in self._names
        return self._do_players_act and is_of_demo and name not in self._journal.guests

    def _simulated(self, moment: Moment) -> tuple[str, ...]:
        """Return the simulated players at the table, in seat order."""
        return tuple(player.name for player in moment.players if self._is_simulated(player.name))

    def _buy_in(self, names: Iterable[str], moment: Moment, below: int) -> Moment:
        """Have players with fewer coins buy in; return the resulting moment."""
        poor = [name for name in names if moment.ledger.balance(name) < below]
        for name in poor:
            self._submit({"do": "buy-in", "player": name, "coins": self.purse})
        return self._service.moment() if poor else moment

    def _follow(self, moment: Moment) -> None:
        """Have the players plan whenever a step of the game begins."""
        step = self.step(moment)
        if step != self._step:
            self._plan = list(self.plan(moment))
            self._step = step
            self._began = self._since = self._clock()

    def _carry_out_plan(self, closing: str | None = None) -> None:
        """Submit the planned commands that are due; those with verb ``closing`` only in automatic play."""
        if not self._auto:
            self._plan = [planned for planned in self._plan if planned.record["do"] != closing]
        while self._plan and self._plan[0].at_s <= self._clock() - self._began:
            planned = self._plan.pop(0)
            if all(map(self._is_simulated, planned.who)):  # otherwise a real person has taken the seat since
                self._try(planned.record)

    # -- helpers

    def _submit(self, record: Record, source: str = SOURCE) -> None:
        self._service.submit(record, source=source)

    def _try(self, record: Record) -> None:
        """Submit a command; a rejection (over a limit, too late, gone) is only logged."""
        try:
            self._submit(record)
        except TableError as error:
            log.info("%s is refused: %s", record["do"], error)  # the choice may be secret

    def _may_answer(self, question: OpenQuestion, after_s: float) -> bool:
        """Whether to answer a question now: in automatic play, after ``after_s`` unanswered; then it restarts."""
        self._text = message("The house waits for the dealer's answer.")
        if not self._auto or self._clock() - self._asked[question.id] < after_s:
            return False
        self._asked[question.id] = self._clock()
        return True

    def _reply(self, question: OpenQuestion, choice: str) -> None:
        """Answer a question; a rejection, as after someone else's answer, is only logged."""
        try:
            self._service.answer(question.id, choice, source=SOURCE)
        except TableError as error:
            log.info("The answer to %s is refused: %s", question.id, error)

    def _waited_s(self) -> float:
        """Return the time since the last motion."""
        return self._clock() - self._since
