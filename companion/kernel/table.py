"""One game in progress: the accepted commands, and the state and coins that result from them.

Pure: no clock, file or thread. Journal, script replay and the live table all apply commands through this one class,
so they cannot disagree. Undo reverts the latest effective command, at any point and across rounds; it is recorded
like any other command and never deletes anything.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, NotRequired, cast

from typing_extensions import TypedDict

from companion.kernel.accounts import Account, Kind
from companion.kernel.cashier import CashierCommand, apply_at_cashier, checked_reason, pots_of
from companion.kernel.commands import (
    TABLE_VERBS,
    Command,
    Hold,
    Join,
    Record,
    Redo,
    Release,
    Undo,
    Verbs,
    parse_command,
)
from companion.kernel.errors import BadScript, NothingDone, NotOffered, TableError, WrongPhase
from companion.kernel.events import Decided, Redone, Result, TableHeld, TableReleased, Undone
from companion.kernel.game import Effect, Game, GameView, Seat
from companion.kernel.header import Header, opening_ledger
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import Message, Words, joined, message
from companion.kernel.shared.names import new_name
from companion.kernel.situation import Situation, Undos
from companion.kernel.timeline import Timeline
from companion.kernel.values import quick

__all__ = ["Header", "Position", "Table", "error_json", "on_hold", "opening_ledger"]


class PlayerJson(TypedDict):
    """A player at the table."""

    seat: int
    name: str
    coins: int
    "In front of them."
    staked: int
    aside: NotRequired[int]
    "Coins that they have put aside, if they have any."


class LatestCommand(TypedDict):
    """The command that an undo would take back, for programs, which must not read the words for people."""

    do: str
    card: NotRequired[str]


class TableView(GameView):
    """What everybody in the room may see of a table; the game adds its own."""

    game: str
    phase: str
    hold: Words | None
    "Why the table is on hold."
    expected: list[str]
    "The verbs that can be done now."
    players: list[PlayerJson]
    house: int
    "The bank's net gain."
    staked: int
    "All coins on undecided bets."
    pots: dict[str, int]
    undo: Words | None
    "What an undo would take back."
    undoes: LatestCommand | None
    commands: int
    "How many commands count."
    redo: Words | None
    rounds: int
    "How many rounds are decided."
    latest: Mapping[str, object] | None
    "The `Result` of the round decided last, as the game has it."
    reasons: dict[str, Words]
    "Why each other verb cannot be done now."
    stacks: NotRequired[Sequence[Mapping[str, object]]]
    "Cards in stacks, as the game shows them."


class ErrorJson(TypedDict):
    """A refused command's error in the public contract."""

    line: NotRequired[int]
    code: str
    message: Words


class TableResult(TypedDict):
    """The result of a hand script, as in the public contract; without a table there is no game."""

    game: str | None
    phase: str | None
    balances: dict[str, int]
    house: int
    staked: int
    pots: dict[str, int]
    results: list[Result]
    state: Mapping[str, object]
    error: ErrorJson | None
    aside: NotRequired[dict[str, int]]
    "What players have put aside, if they have: a part of the sum that never changes."


SECRET: Final = "secret"
"""The view's verb for a secret command."""
HIGHEST_SEAT: Final = 999
"""A higher number is a slip, such as coins typed into the seat field; pages have no room for five-digit seats."""
STEP: Final = 8  # most commands that make up one user action
STEPS_KEPT: Final = 500  # an undo further back re-applies up to as many commands: slower, same result
UNDOS_KEPT: Final = 100  # readers of `Situation.undos` poll far more often than this many undos occur


@quick
class Position:
    """The full state at one moment: the game's state, the coins, and whether the table is on hold."""

    state: Any
    ledger: Ledger
    hold: str | None = None
    withheld: tuple[Transfer, ...] = ()
    "Payments on which rules and audit disagree; the dealer's `release` posts them."


@quick
class Step:
    """A command in effect, its events, and the position before it."""

    record: Record
    before: Position
    after: Position
    happened: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A savepoint for `Table.back_to`, which discards at most one later command.

    ``undone`` is the table's own list, not a copy, because it can grow as long as the session. ``undone_count`` and
    ``latest_undone`` record its length and last item at the savepoint.
    """

    position: Position
    count: int
    latest: Record | None
    results: tuple[tuple[int, Result], ...]
    steps: tuple[Step, ...]
    undone: list[Step]
    undone_count: int
    latest_undone: Step | None
    revision: int
    undos: Undos


def _difference(wrong: Sequence[str]) -> Message:
    return message("two settlements differ: {differences}", differences=joined(wrong, "; "))


def is_disputed(hold: Words | None) -> bool:
    """Whether the table is on hold because rules and audit disagree on a payout.

    >>> is_disputed(_difference(["Ann 5, not 6"])), is_disputed("two settlements differ: says the dealer")
    (True, False)
    """
    return isinstance(hold, Message) and hold.key == _difference(()).key


class Table:
    """A table in play, created from its header. Not thread-safe: one thread owns it."""

    def __init__(self, header: Header) -> None:
        self.header = header
        self.game: Game[Any] = header.rules
        self.verbs: Verbs = {**TABLE_VERBS, **self.game.verbs}
        state, ledger = self.game.start(header.seats, header.options), opening_ledger(header)
        self.position = Position(self.game.counted(state, None, ledger), ledger)
        self._timeline: Timeline[Record] = Timeline()
        self.results: list[tuple[int, Result]] = []
        "Decided rounds, each with the number of effective commands before the deciding one."
        self._steps: deque[Step] = deque(maxlen=STEPS_KEPT)
        self._checkpoints: list[tuple[int, Position]] = []
        "Checkpoints every `STEPS_KEPT` commands for `_rebuild_steps`, each with the number of commands before it."
        self._undone: list[Step] = []
        "Steps of the undone commands, parallel to the timeline's ``undone``."
        self.base = 0
        "Number of leading commands that carried players and coins over from the previous session; not undoable."
        self.revision = 0
        "Incremented by each command, undo and redo; see `Situation`."
        self._undos: Undos = ()

    @property
    def has_undo(self) -> bool:
        """Whether there is a command to undo."""
        return len(self.records) > self.base

    @property
    def records(self) -> list[Record]:
        """The effective commands, oldest first, without undone ones."""
        return self._timeline.done

    def misdeal_length(self) -> int:
        """Return how many commands a misdeal undoes: all of the current round, including the one that began it.

        Raises:
            WrongPhase: the game has no misdeal, no round is in progress, or the table is on hold.
        """
        if self.position.hold is not None:
            raise WrongPhase(on_hold(self.position.hold))
        at = self._round_start() if self.game.rounds.can_misdeal else None
        if at is None or (self.results and at <= self.results[-1][0]):
            raise WrongPhase.saying("No hand is under way, so there is none to take back.")
        return len(self.records) - at

    def _round_start(self) -> int | None:
        """Return the index of the command that began the latest round, or None."""
        verbs = self.game.rounds.begin_with
        here = reversed(range(self.base, len(self.records))) if verbs else ()
        return next((at for at in here if self.records[at]["do"] in verbs), None)

    # ---- commands

    def do(self, record: Record) -> tuple[Effect, ...]:
        """Apply a command and return its events and transfers.

        Raises:
            TableError: the command is refused; nothing has changed.
        """
        command = parse_command(record, self.verbs, self.game.empty_text)
        kind = type(command)
        if isinstance(command, Undo):
            return self._undo(command.only)
        if kind is Redo:
            return self._redo()
        after, happened = self._apply(self.position, command)
        self._take(Step(record, self.position, after, happened))
        self._timeline.add(record)
        self._undone = []
        return happened

    def check_newcomer(self, record: Record) -> None:
        """Check the name and seat of a new ``join`` command.

        Not called for commands read from a journal: old journals must always open. If nobody can join now, this
        passes and `do` raises.

        Raises:
            BadName: a new player may not have this name.
            NotOffered: the seat number is above `HIGHEST_SEAT`.
        """
        if record.get("do") == Join.verb in self.expected() and isinstance(name := record.get("player"), str):
            new_name(name, (seat.player for seat in self.seats))
            if type(seat := record.get("seat")) is int and seat > HIGHEST_SEAT:
                raise NotOffered.saying(
                    "Seats have numbers up to {most}, and {seat} is none. Choose another seat.",
                    most=HIGHEST_SEAT,
                    seat=seat,
                )

    def skip(self, record: Record) -> None:
        """Record a command without applying it: a sealed journal entry whose key is missing."""
        self._take(Step(record, self.position, self.position, ()))
        self._timeline.add(record)
        self._undone = []

    def _apply(self, before: Position, command: Command) -> tuple[Position, tuple[Effect, ...]]:
        if isinstance(command, Release):
            return self._release(before)
        if before.hold is not None:
            raise WrongPhase(on_hold(before.hold))
        if command.verb in TABLE_VERBS:
            return self._apply_own(before, command)
        state, happened = self.game.apply(before.state, command, before.ledger)
        moves = tuple([event for event in happened if isinstance(event, Transfer)])
        wrong = self.game.audit(before.state, command, happened, before.ledger)
        if wrong:  # a bug of ours, caught before any coins moved: the dealer decides
            why = _difference(wrong)
            rest = tuple(event for event in happened if not isinstance(event, Transfer))
            return Position(state, before.ledger, why, moves), (*rest, TableHeld(why))
        return Position(state, before.ledger.post(moves) if moves else before.ledger), happened

    def _apply_own(self, before: Position, command: Command) -> tuple[Position, tuple[Effect, ...]]:
        """Apply a command that is common to all games."""
        if isinstance(command, Hold):
            why = checked_reason(command.why) or message("the dealer asked for it")
            return Position(before.state, before.ledger, why), (TableHeld(why),)
        assert isinstance(command, CashierCommand), "undo, redo and release are done elsewhere"
        state, ledger, happened = apply_at_cashier(self.game, before.state, command, before.ledger)
        return Position(state, ledger), happened

    def _release(self, before: Position) -> tuple[Position, tuple[Effect, ...]]:
        if before.hold is None:
            raise WrongPhase.saying("The table is not on hold. There is nothing to release.")
        ledger = before.ledger.post(before.withheld)
        return Position(before.state, ledger), (TableReleased(), *before.withheld)

    # ---- undo and redo

    def _undo(self, only: Any) -> tuple[Effect, ...]:
        if not self.has_undo:
            raise NothingDone.saying("There is nothing to undo: the table has just started.")
        self._check_latest(only)
        if not self._steps:
            self._rebuild_steps()
        step = self._steps.pop()
        self._timeline.correct(Undo.verb)
        self._drop_checkpoints(len(self.records) + 1)
        while self.results and self.results[-1][0] >= len(self.records):
            self.results.pop()
        self.position = step.before
        self._undone.append(step)
        self.revision += 1
        deeper = (one for one in self._undos if one[1] < len(self.records))  # this undo supersedes the shallower ones
        self._undos = (*deeper, (self.revision, len(self.records)))[-UNDOS_KEPT:]
        return (Undone(self.describe(step.record)),)

    def _check_latest(self, only: Any) -> None:
        """Raise unless the latest command still matches ``only`` (see `Undo`); None always matches."""
        if only is None:
            return
        if not isinstance(only, Mapping) or type(only.get("number", 0)) is not int:
            raise BadScript(f"'only' of 'undo' is an object such as {{\"number\": 12}}, got {str(only)[:40]!r}.")
        latest = {"number": len(self.records), **self._summary(self.records[-1])}
        if any(latest.get(key) != value for key, value in only.items()):
            raise NothingDone.saying(
                "Something came in between, so nothing was undone. Look at what undo would take back now."
            )

    def _redo(self) -> tuple[Effect, ...]:
        if not self._undone:
            raise NothingDone.saying("There is nothing to do again: nothing was undone since the last command.")
        step = self._undone.pop()
        self._take(step)
        self._timeline.correct(Redo.verb)
        return (Redone(self.describe(step.record)), *step.happened)

    def _take(self, step: Step) -> None:
        """Move to a step's position; the caller then adds its command to the timeline."""
        self.results += [(len(self.records), e.result) for e in step.happened if isinstance(e, Decided)]
        if len(self.records) % STEPS_KEPT == 0:
            self._drop_checkpoints(len(self.records))
            self._checkpoints.append((len(self.records), step.before))
        self._steps.append(step)
        self.position = step.after
        self.revision += 1

    def _drop_checkpoints(self, count: int) -> None:
        """Drop the checkpoints that have at least this many commands before them."""
        while self._checkpoints and self._checkpoints[-1][0] >= count:
            self._checkpoints.pop()

    def _rebuild_steps(self) -> None:
        """Rebuild the latest steps by re-applying the commands since the nearest checkpoint."""
        self._drop_checkpoints(len(self.records))
        replayed, first = Table(self.header), 0
        if self._checkpoints:
            first, replayed.position = self._checkpoints[-1]
        for record in islice(self.records, first, None):
            (replayed.skip if record["do"] == SECRET else replayed.do)(record)
        self._checkpoints[-1:] = [(first + count, position) for count, position in replayed._checkpoints]
        self._steps = replayed._steps

    # ---- rolling back a command that could not be saved

    def mark(self) -> Mark:
        """Return a savepoint, valid until the second command after it."""
        count = len(self.records)
        return Mark(
            self.position,
            count,
            self.records[-1] if self.records else None,
            tuple(result for result in self.results[-8:] if result[0] >= count - 1),
            tuple(self._steps),
            self._undone,
            len(self._undone),
            self._undone[-1] if self._undone else None,
            self.revision,
            self._undos,
        )

    def back_to(self, mark: Mark) -> None:
        """Discard the one command since the savepoint, if any: it could not be saved."""
        del self.records[max(mark.count - 1, 0) :]
        if mark.latest is not None:
            self.records.append(mark.latest)
        undone = mark.undone
        del undone[mark.undone_count :]  # an undo appended one, a redo popped one, other commands began a new list
        if len(undone) < mark.undone_count and mark.latest_undone is not None:
            undone.append(mark.latest_undone)
        self._undone = undone
        self._timeline.undone = [step.record for step in undone]
        while self.results and self.results[-1][0] >= mark.count - 1:
            self.results.pop()
        self.results += mark.results
        self.position = mark.position
        self._steps = deque(mark.steps, maxlen=STEPS_KEPT)
        self.revision, self._undos = mark.revision, mark.undos

    # ---- starting from a checkpoint

    @classmethod
    def resumed(
        cls,
        header: Header,
        records: Sequence[Record],
        position: Position,
        results: Iterable[tuple[int, Result]],
    ) -> Table:
        """Return a table with these effective commands and their known resulting position, without applying them."""
        table = cls(header)
        table._timeline, table.position, table.results = Timeline(records), position, list(results)
        return table

    def earliest_retained(self) -> tuple[int, Position, tuple[tuple[int, Result], ...]]:
        """Return the earliest position retained, with the number of commands and the results before it."""
        count = len(self.records) - len(self._steps)
        position = self._steps[0].before if self._steps else self.position
        return count, position, tuple(result for result in self.results if result[0] < count)

    def step_length(self, verb: str) -> int:
        """Return how many commands a whole-step undo or redo covers: those of one user action."""
        if verb == Undo.verb:
            most = len(self.records) - self.base
            return min(self.game.given_together(self.records[-STEP:]), most) if most > 0 else 1
        again = [step.record for _, step in islice(self.undone(), STEP)]
        lengths = range(len(again), 1, -1)
        return next((n for n in lengths if self.game.given_together(again[:n]) == n), 1)

    def describe(self, record: Record) -> str:
        """Return a short description of a command."""
        return self.game.describe(record)

    # ---- views

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The current seating."""
        return self.game.seats(self.position.state)

    @property
    def phase(self) -> str:
        """The game's phase, one word."""
        return str(self.position.state.phase.value)

    def expected(self) -> frozenset[str]:
        """Return the verbs available now."""
        always = {"undo"} if self.has_undo else set()
        always |= {"redo"} if self._undone else set()
        if self.position.hold is not None:
            return frozenset(always | {"release"})
        state = self.position.state
        return self.game.expected(state) | self.game.cashier(state) | always | {"hold"}

    def reasons(self) -> dict[str, str]:
        """Return, for each unavailable verb, the reason."""
        reasons = {} if self.has_undo else {"undo": message("There is nothing to undo: the table has just started.")}
        if not self._undone:
            reasons["redo"] = message("There is nothing to do again: nothing was undone since the last command.")
        hold = self.position.hold
        if hold is None:
            return reasons | {"release": message("The table is not on hold.")} | self.game.reasons(self.position.state)
        stopped = dict.fromkeys(self.verbs, on_hold(hold))
        return {verb: why for verb, why in (stopped | reasons).items() if verb not in self.expected()}

    @property
    def latest_step(self) -> Step | None:
        """The latest effective command's step, or None if it is no longer retained."""
        return self._steps[-1] if self._steps else None

    def played(self) -> Iterator[tuple[int, Step]]:
        """Yield the retained steps, latest first, each with the number of commands before it."""
        return zip(range(len(self.records) - 1, -1, -1), reversed(self._steps), strict=False)

    def undone(self) -> Iterator[tuple[int, Step]]:
        """Yield the redoable steps in redo order, each with the number of commands before it."""
        return enumerate(reversed(self._undone), len(self.records))

    @property
    def latest_transfers(self) -> tuple[Transfer, ...]:
        """The transfers of the latest retained step that has any and did not leave the table on hold."""
        for _, step in self.played():
            transfers = tuple([event for event in step.happened if isinstance(event, Transfer)])
            if transfers and step.after.hold is None:
                return transfers
        return ()

    def result(self, error: ErrorJson | None = None) -> TableResult:
        """Return a hand script's result in the public contract's form."""
        ledger = self.position.ledger
        result: TableResult = {
            "game": self.header.game,
            "phase": self.phase,
            "balances": self._balances(),
            "house": ledger.house,
            "staked": ledger.staked,
            "pots": self._pots(),
            "results": [result for _, result in self.results],
            "state": self.game.facts(self.position.state),
            "error": error,
        }
        aside = {account.name: coins for account, coins in ledger.accounts.items() if account.kind is Kind.ASIDE}
        return {**result, "aside": aside} if any(aside.values()) else result

    def _balances(self) -> dict[str, int]:
        """Balances of everyone seated, and of players who left without cashing out."""
        ledger = self.position.ledger
        here = {seat.player: ledger.balance(seat.player) for seat in self.seats}
        return here | {name: coins for name, coins in ledger.players.items() if coins and name not in here}

    def _pots(self) -> dict[str, int]:
        return {str(pot): self.position.ledger.coins(Account.pot(pot)) for pot in pots_of(self.position.state)}

    def situation(self, seq: int = 0) -> Situation:
        """Return the current situation, for "what if" queries to the rules.

        Args:
            seq: the journal entry that led to this state.
        """
        at = self.position
        latest: Record = {"number": len(self.records)}
        if self.records:
            latest = {**latest, **self._summary(self.records[-1])}
        began = self._round_start()
        return Situation(
            rules=self.game,
            state=at.state,
            ledger=at.ledger,
            latest=latest,
            recent=tuple(self.records[-STEP:]),
            expected=self.expected(),
            hold=at.hold,
            seq=seq,
            began=None if began is None else self.records[began],
            rounds=len(self.results),
            revision=self.revision,
            undos=self._undos,
        )

    def view(self) -> TableView:
        """Return the public view."""
        ledger = self.position.ledger
        stakes: dict[str, int] = {}
        for bet in getattr(self.position.state, "stakes", ()):
            stakes[bet.player] = stakes.get(bet.player, 0) + bet.amount
        players: list[PlayerJson] = [
            {"seat": s.number, "name": s.player, "coins": ledger.balance(s.player), "staked": stakes.get(s.player, 0)}
            for s in self.seats
        ]
        for player in players:
            if aside := ledger.aside(player["name"]):
                player["aside"] = aside
        view: TableView = {
            "game": self.header.game,
            "phase": self.phase,
            "hold": self.position.hold,
            "expected": sorted(self.expected()),
            "players": players,
            "house": ledger.house,
            "staked": ledger.staked,
            "pots": self._pots(),
            "undo": self.describe(self.records[-1]) if self.has_undo else None,
            "undoes": self._summary(self.records[-1]) if self.has_undo else None,
            "commands": len(self.records),
            "redo": self.describe(self._undone[-1].record) if self._undone else None,
            "rounds": len(self.results),
            "latest": self.results[-1][1] if self.results else None,
            "reasons": self.reasons(),
        }
        return cast(TableView, {**view, **self.game.view(self.position.state)})

    def _summary(self, record: Record) -> LatestCommand:
        """Return a command's verb and card; only `SECRET` for a secret command."""
        if record["do"] in self.game.secret:
            return {"do": SECRET}
        return {"do": record["do"], "card": record["card"]} if "card" in record else {"do": record["do"]}


def on_hold(why: str) -> Message:
    """Return why a table on hold refuses a command."""
    return message("The table is on hold: {why}. Release it first, or undo.", why=why)


def error_json(error: TableError, line: int | None = None) -> ErrorJson:
    """Return a refused command's error in the public contract's form."""
    document: ErrorJson = {"code": error.code, "message": error.message}
    return document if line is None else {"line": line, **document}
