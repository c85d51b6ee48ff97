"""One game in progress: the commands accepted so far, and the state and coins that they add up to.

Pure: no clock, file or thread. The journal, the replay of a hand script and the table's thread all fold
commands through this one class, so they cannot disagree. Undo takes the latest command that counts back, at
any point and over the borders of rounds; it is itself something that happened and is never a deletion.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from companion.commands import (
    TABLE_VERBS,
    BuyIn,
    CashOut,
    Command,
    Hold,
    Record,
    Redo,
    Release,
    Undo,
    Verbs,
    parse_command,
)
from companion.errors import BadScript, NothingDone, TableError, WrongPhase
from companion.events import BoughtIn, CashedOut, Decided, Redone, TableHeld, TableReleased, Undone
from companion.games import game_named
from companion.games.base import Game, Happening, Options, Seat, seat_of
from companion.ledger import CAGE, Ledger, Transfer, checked_coins, player_account, pot_account

_AT_THE_CAGE: Final = (BuyIn, CashOut)
STEPS_KEPT: Final = 500  # an undo further back than this folds the commands anew: slower, and just as exact


@dataclass(frozen=True, slots=True)
class Header:
    """Who plays what: the first object of a hand script."""

    game: str
    players: tuple[tuple[str, int], ...]
    options: Options = field(default_factory=dict)

    @classmethod
    def parse(cls, record: Any) -> Header:
        """Return the header that a JSON object describes.

        Raises:
            BadScript: what is wrong with it.
        """
        if not isinstance(record, Mapping) or "game" not in record:
            raise BadScript('A script starts with {"game": …, "players": […], "options": {…}}.')
        game_named(record["game"])
        options = record.get("options", {})
        if not isinstance(options, Mapping):
            raise BadScript(f"'options' is an object, got {options!r}.")
        players = record.get("players", [])
        if not isinstance(players, list):
            raise BadScript(f"'players' is a list, got {players!r}.")
        parsed = tuple(_player(player) for player in players)
        names = [name for name, _ in parsed]
        if len(set(names)) < len(names):
            raise BadScript("Two players have the same name. Give each their own.")
        return cls(record["game"], parsed, dict(options))

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Seats 1, 2, … in the order given."""
        return tuple(Seat(number, name) for number, (name, _) in enumerate(self.players, start=1))

    def to_json(self) -> dict[str, Any]:
        """Return the object that `parse` reads."""
        players = [{"name": name, "coins": coins} for name, coins in self.players]
        return {"game": self.game, "players": players, "options": dict(self.options)}


def _player(record: Any) -> tuple[str, int]:
    name = record.get("name") if isinstance(record, Mapping) else None
    if not isinstance(name, str) or not name.strip():
        raise BadScript(f'A player is {{"name": "Aubrey", "coins": 100}}, got {record!r}.')
    coins = record.get("coins", 0)
    if type(coins) is not int or coins < 0:
        raise BadScript(f"{name} comes with {coins!r} coins. Say a whole number, 0 or more.")
    return name, coins


def opening_ledger(header: Header) -> Ledger:
    """Return the coins before the first command: what everybody came with, less what the game takes at its start.

    Raises:
        BadScript: a header that the game does not take.
        NotEnoughCoins: somebody cannot pay the ante.
    """
    game = game_named(header.game)
    brought = (Transfer(CAGE, player_account(name), coins, "buy-in") for name, coins in header.players if coins)
    empty = Ledger({player_account(name): 0 for name, _ in header.players}, header.options.get("credit") is True)
    return empty.post(brought).post(game.opening(game.start(header.seats, header.options)))


@dataclass(frozen=True, slots=True)
class Position:
    """Everything that is true at one moment: the game's state, the coins, and whether the table is on hold."""

    state: Any
    ledger: Ledger
    hold: str | None = None
    withheld: tuple[Transfer, ...] = ()
    "Payments that two settlements do not agree on; the dealer's `release` makes them."


@dataclass(frozen=True, slots=True)
class Step:
    """A command that counts, what it did, and the position before it."""

    record: Record
    before: Position
    after: Position
    happened: tuple[Happening, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """What `Table.back_to` needs to make the commands since then never have been."""

    position: Position
    count: int
    latest: Record | None
    results: tuple[tuple[int, dict[str, Any]], ...]
    steps: tuple[Step, ...]
    undone: tuple[Step, ...]


class Table:
    """A table from its header on. Not thread-safe: one thread owns it.

    >>> table = Table(Header("roche", (("Ann", 10),)))
    >>> _ = table.do({"do": "bet", "player": "Ann", "on": "cut/6", "amount": 4})
    >>> table.position.ledger.balance("Ann"), table.position.ledger.staked
    (6, 4)
    >>> [event.sentence for event in table.do({"do": "undo"})]
    ["Undone: Ann's bet of 4 on Kin to cut"]
    """

    def __init__(self, header: Header) -> None:
        self.header = header
        self.game: Game[Any] = game_named(header.game)
        self.verbs: Verbs = {**TABLE_VERBS, **self.game.verbs}
        self.position = self._start()
        self.records: list[Record] = []
        "The commands that count now, oldest first: those undone are not among them."
        self.results: list[tuple[int, dict[str, Any]]] = []
        "Each decided round with the number of commands that counted before it."
        self._steps: deque[Step] = deque(maxlen=STEPS_KEPT)
        self._undone: list[Step] = []

    def _start(self) -> Position:
        return Position(self.game.start(self.header.seats, self.header.options), opening_ledger(self.header))

    # ---- commands

    def do(self, record: Record) -> tuple[Happening, ...]:
        """Do a command and return what happened.

        Raises:
            TableError: it cannot be done now; nothing has changed.
        """
        command = parse_command(record, self.verbs)
        if isinstance(command, Undo):
            return self._undo()
        if isinstance(command, Redo):
            return self._redo()
        after, happened = self._apply(self.position, command)
        self._push(Step(record, self.position, after, happened))
        self._undone.clear()
        return happened

    def _apply(self, before: Position, command: Command) -> tuple[Position, tuple[Happening, ...]]:
        if isinstance(command, Release):
            return self._release(before)
        if before.hold is not None:
            raise WrongPhase(f"The table is on hold: {before.hold}. Release it first, or undo.")
        if isinstance(command, Hold):
            why = "the dealer asked for it"
            return Position(before.state, before.ledger, why), (TableHeld(why),)
        if isinstance(command, _AT_THE_CAGE):
            return self._cage(before, command)
        state, happened = self.game.apply(before.state, command, before.ledger)
        moves = tuple([event for event in happened if isinstance(event, Transfer)])
        wrong = self.game.audit(before.state, command, happened, before.ledger)
        if wrong:  # our own mistake, found before a coin moved: a person decides
            why = "two settlements differ: " + "; ".join(wrong)
            rest = tuple(event for event in happened if not isinstance(event, Transfer))
            return Position(state, before.ledger, why, moves), (*rest, TableHeld(why))
        return Position(state, before.ledger.post(moves) if moves else before.ledger), happened

    def _release(self, before: Position) -> tuple[Position, tuple[Happening, ...]]:
        if before.hold is None:
            raise WrongPhase("The table is not on hold. There is nothing to release.")
        ledger = before.ledger.post(before.withheld)
        return Position(before.state, ledger), (TableReleased(), *before.withheld)

    def _cage(self, before: Position, command: BuyIn | CashOut) -> tuple[Position, tuple[Happening, ...]]:
        """Coins come to the table or leave it: the only commands that change their sum."""
        has_left_coins = isinstance(command, CashOut) and before.ledger.balance(command.player) > 0
        if not has_left_coins:
            seat_of(self.game.seats(before.state), command.player)
        account = player_account(command.player)
        if isinstance(command, BuyIn):
            coins = checked_coins(command.coins, "a buy-in")
            moved = Transfer(CAGE, account, coins, "buy-in")
            event: BoughtIn | CashedOut = BoughtIn(command.player, coins)
        else:
            coins = before.ledger.balance(command.player)
            if coins <= 0:
                raise NothingDone(f"{command.player} has no coins to cash out.")
            moved = Transfer(account, CAGE, coins, "cash-out")
            event = CashedOut(command.player, coins)
        return Position(before.state, before.ledger.post((moved,))), (event, moved)

    # ---- undo and redo

    def _undo(self) -> tuple[Happening, ...]:
        if not self.records:
            raise NothingDone("There is nothing to undo: the table has just started.")
        if not self._steps:
            self._refold()
        step = self._steps.pop()
        self.records.pop()
        while self.results and self.results[-1][0] >= len(self.records):
            self.results.pop()
        self.position = step.before
        self._undone.append(step)
        return (Undone(self.describe(step.record)),)

    def _redo(self) -> tuple[Happening, ...]:
        if not self._undone:
            raise NothingDone("There is nothing to do again: nothing was undone since the last command.")
        step = self._undone.pop()
        self._push(step)
        return (Redone(self.describe(step.record)), *step.happened)

    def _push(self, step: Step) -> None:
        self.results += [(len(self.records), e.result) for e in step.happened if isinstance(e, Decided)]
        self.records.append(step.record)
        self._steps.append(step)
        self.position = step.after

    def _refold(self) -> None:
        """Bring the latest steps back by folding all commands that count from the start."""
        again = Table(self.header)
        for record in self.records:
            again.do(record)
        self._steps = again._steps

    # ---- a command that could not be saved

    def mark(self) -> Mark:
        """Return this moment; `back_to` returns to it after one command, or after none."""
        count = len(self.records)
        return Mark(
            self.position,
            count,
            self.records[-1] if self.records else None,
            tuple(result for result in self.results[-8:] if result[0] >= count - 1),
            tuple(self._steps),
            tuple(self._undone),
        )

    def back_to(self, mark: Mark) -> None:
        """Forget the one command since the mark, as if it had never come: it was not saved."""
        del self.records[max(mark.count - 1, 0) :]
        if mark.latest is not None:
            self.records.append(mark.latest)
        while self.results and self.results[-1][0] >= mark.count - 1:
            self.results.pop()
        self.results += mark.results
        self.position = mark.position
        self._steps = deque(mark.steps, maxlen=STEPS_KEPT)
        self._undone = list(mark.undone)

    # ---- a start that does not fold everything

    @classmethod
    def resumed(
        cls,
        header: Header,
        records: Sequence[Record],
        position: Position,
        results: Iterable[tuple[int, dict[str, Any]]],
    ) -> Table:
        """Return the table that has these commands behind it, of which the position is known to be the outcome."""
        table = cls(header)
        table.records, table.position, table.results = list(records), position, list(results)
        return table

    def far_back(self) -> tuple[int, Position, tuple[tuple[int, dict[str, Any]], ...]]:
        """Return the earliest position at hand: how many commands lead to it, it, and the results until then."""
        count = len(self.records) - len(self._steps)
        position = self._steps[0].before if self._steps else self.position
        return count, position, tuple(result for result in self.results if result[0] < count)

    def describe(self, record: Record) -> str:
        """Say a command in a few words."""
        return self.game.describe(record)

    # ---- what others see

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Who sits where now."""
        return self.game.seats(self.position.state)

    @property
    def phase(self) -> str:
        """The phase of the game, one word."""
        return str(self.position.state.phase.value)

    def expected(self) -> frozenset[str]:
        """Return the verbs that can be done now."""
        always = {"undo"} if self.records else set()
        always |= {"redo"} if self._undone else set()
        if self.position.hold is not None:
            return frozenset(always | {"release"})
        return self.game.expected(self.position.state) | always | {"hold", "buy-in", "cash-out"}

    def result(self, error: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the result of a hand script as the public contract has it."""
        ledger = self.position.ledger
        return {
            "game": self.header.game,
            "phase": self.phase,
            "balances": self._balances(),
            "house": ledger.house,
            "staked": ledger.staked,
            "pots": self._pots(),
            "results": [result for _, result in self.results],
            "state": self.game.facts(self.position.state),
            "error": dict(error) if error else None,
        }

    def _balances(self) -> dict[str, int]:
        """Everybody at the table, and who left it without cashing out: their coins still count."""
        ledger = self.position.ledger
        here = {seat.player: ledger.balance(seat.player) for seat in self.seats}
        return here | {name: coins for name, coins in ledger.players.items() if coins and name not in here}

    def _pots(self) -> dict[str, int]:
        suits: Sequence[int] = getattr(self.position.state, "pots", ())
        return {str(suit): self.position.ledger.coins(pot_account(suit)) for suit in suits}

    def view(self) -> dict[str, Any]:
        """Return what everybody in the room may see."""
        ledger = self.position.ledger
        stakes: dict[str, int] = {}
        for bet in getattr(self.position.state, "stakes", ()):
            stakes[bet.player] = stakes.get(bet.player, 0) + bet.amount
        players = [
            {"seat": s.number, "name": s.player, "coins": ledger.balance(s.player), "staked": stakes.get(s.player, 0)}
            for s in self.seats
        ]
        return {
            "game": self.header.game,
            "phase": self.phase,
            "hold": self.position.hold,
            "expected": sorted(self.expected()),
            "players": players,
            "house": ledger.house,
            "staked": ledger.staked,
            "pots": self._pots(),
            "undo": self.describe(self.records[-1]) if self.records else None,
            "undoes": _gist(self.records[-1]) if self.records else None,
            "redo": self.describe(self._undone[-1].record) if self._undone else None,
            "rounds": len(self.results),
            "latest": self.results[-1][1] if self.results else None,
            **self.game.view(self.position.state),
        }


def _gist(record: Record) -> dict[str, Any]:
    """Return a command's verb and its card: for programs, which must not read the words for people."""
    return {key: record[key] for key in ("do", "card") if key in record}


def error_json(error: TableError, line: int | None = None) -> dict[str, Any]:
    """Return a refused command's error as the public contract has it."""
    where = {} if line is None else {"line": line}
    return {**where, "code": error.code, "message": error.message}
