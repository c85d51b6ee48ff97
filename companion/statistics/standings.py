"""Everybody's coins after each decided hand, computed from the journal for charts and the evening's summary.

An evening comprises all sessions that continue one another, with one line per player over all games.

Coins at stake still count as their player's. Undone hands are left out.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Final, Protocol

from companion.journal.evening import TABLE
from companion.journal.hash_chain import Entry
from companion.journal.history.follower import JournalFollower
from companion.journal.history.hand_history import HandHistory
from companion.journal.history.results import decision_in
from companion.journal.replay import transfers
from companion.kernel.accounts import CAGE, HOUSE, POTS, RECOUNT, Account, Kind
from companion.kernel.header import Header, opening_ledger
from companion.kernel.ledger import BUY_IN, CASH_OUT, Transfer
from companion.kernel.timeline import CORRECTIONS, Timeline
from companion.plugins.registry import Games

HOUR: Final = len("2026-03-01T20")
"""Length of an ISO 8601 time up to its hour."""

Moves = tuple[Transfer, ...]
"""Transfers between owners, who also own their stakes."""


@dataclass(frozen=True, slots=True)
class Point:
    """The coins of every party after a decided hand, and the bank's net gain so far."""

    seq: int
    at: str
    coins: Mapping[str, int]
    house: int


@dataclass(frozen=True, slots=True)
class Hour:
    """Results of one hour of a session, without buy-ins and cash-outs.

    An hour is short enough to be assigned to a single day in any time zone.
    """

    session: int
    game: str
    hour: str
    "ISO 8601 in UTC, up to the hour: 2026-03-01T20."
    first: str
    last: str
    "Times of the first and the last command."
    gains: Mapping[str, int]
    "Player -> net gain, for players whose coins changed."
    house: int
    decided: int
    "Number of decided hands."


@dataclass(slots=True)
class Evening:
    """Everybody's buy-ins and cash-outs over linked sessions, and the coins after each decided hand. Read-only."""

    sessions: tuple[int, ...]
    games: tuple[str, ...]
    "Of each session."
    begun: str
    start: Point
    points: tuple[Point, ...] = ()
    bought: dict[str, int] = field(default_factory=dict)
    "Player -> coins brought, including the initial ones."
    took: dict[str, int] = field(default_factory=dict)
    "Player -> coins cashed out."
    now: dict[str, int] = field(default_factory=dict)
    "Player -> coins at the last read entry."
    house: int = 0
    ended: str = ""
    "Time of the latest entry."
    hours: tuple[Hour, ...] = ()
    "Results by hour."
    pots: int = 0
    "Coins in pots at the last read entry, which nobody owns yet."

    @property
    def session(self) -> int:
        """The latest session."""
        return self.sessions[-1]

    def won(self, name: str) -> int:
        """Return a player's net gain so far."""
        return self.now.get(name, 0) + self.took.get(name, 0) - self.bought.get(name, 0)

    @property
    def nets(self) -> dict[Account, int]:
        """Each party's net gain so far; they sum to zero. See `companion.service.settle`."""
        names = {**self.bought, **self.now}  # includes players who left before a change of game
        found = {Account.player(name): self.won(name) for name in names} | {HOUSE: self.house, POTS: self.pots}
        return found | {RECOUNT: -sum(found.values())}


class Source(Protocol):
    """A table's journal and the installed games."""

    @property
    def games(self) -> Games: ...
    @property
    def history(self) -> HandHistory: ...


class Standings(JournalFollower):
    """Standings of all evenings, following the journal."""

    def __init__(self, service: Source) -> None:
        super().__init__(service.history.entries)
        self._service = service
        self._done: list[_SessionProgress] = []

    def evenings(self) -> tuple[Evening, ...]:
        """Return all evenings, oldest first."""
        with self._lock:
            self._refresh()
            found: list[list[_SessionProgress]] = []
            for sitting in self._done:
                goes_on = bool(found) and sitting.continues == found[-1][-1].number
                found = [*found[:-1], [*found[-1], sitting]] if goes_on else [*found, [sitting]]
            return tuple(_together([sitting.evening() for sitting in sittings]) for sittings in found)

    def _add(self, entry: Entry) -> None:
        if entry.kind == "start":
            self._done.append(_SessionProgress(entry, self._service.games))
        elif self._done:
            self._done[-1].add(entry)


@dataclass(frozen=True, slots=True)
class _Command:
    """A command in effect."""

    seq: int
    at: str
    moves: Moves
    decides: bool
    is_carried: bool = False
    "Whether it carried coins over from the previous session, which is not a buy-in."


class _SessionProgress:
    """Incremental standings of a session."""

    def __init__(self, start: Entry, games: Games) -> None:
        record = json.loads(start.record)
        header = Header.parse(record, games)
        self.continues: int | None = record.get("continues")
        self.number, self.game, self.begun = start.session, header.game, start.at
        self.seq, self.last_at = start.seq, self.begun
        self.brought = {} if self.continues is not None else dict(header.players)
        self.opening = opening_ledger(header).accounts
        self.antes = moves_of(header.rules.opening(header.rules.start(header.seats, header.options)))
        self.line: Timeline[_Command] = Timeline()
        self._shown: Evening | None = None

    def add(self, entry: Entry) -> None:
        """Add the next entry."""
        self.last_at, self._shown = entry.at, None
        if entry.kind != "command":
            return
        verb = _corrects(entry.record)
        if verb is None:
            is_carried = self.continues is not None and entry.source == TABLE
            self.line.add(_command(entry, is_carried))
        else:
            self.line.correct(verb)

    def evening(self) -> Evening:
        """Return the current result of the session."""
        if self._shown is None:
            self._shown = self._fold()
        return self._shown

    def _fold(self) -> Evening:
        coins = dict(self.opening)
        bought, took = dict(self.brought), dict.fromkeys(self.brought, 0)
        start, points = Point(self.seq, self.begun, _players(coins), 0), []
        for command in self.line.done:
            for move in command.moves:
                payer, payee, amount = move.payer, move.payee, move.coins
                coins[payer] = coins.get(payer, 0) - amount
                coins[payee] = coins.get(payee, 0) + amount
                if payer == CAGE and move.why == BUY_IN and not command.is_carried:
                    bought[payee.name] = bought.get(payee.name, 0) + amount
                elif payee == CAGE and move.why == CASH_OUT:
                    took[payer.name] = took.get(payer.name, 0) + amount
            if command.decides:
                points.append(Point(command.seq, command.at, _players(coins), coins.get(HOUSE, 0)))
        now, house = _players(coins), coins.get(HOUSE, 0)
        return Evening(
            (self.number,), (self.game,), self.begun, start, tuple(points), bought, took, now, house, self.last_at,
            tuple(self._hours()), sum(held for account, held in coins.items() if account.kind is Kind.POT),
        )  # fmt: skip

    def _hours(self) -> Iterator[Hour]:
        """Yield the results of each hour with commands in effect; the first includes initial antes."""
        carried = [move for command in self.line.done if command.is_carried for move in command.moves]
        antes = [*self.antes, *(move for move in carried if CAGE not in (move.payer, move.payee))]
        for hour, commands in groupby(self.line.done, lambda command: command.at[:HOUR]):
            played = [command for command in commands if not command.is_carried]
            gains: Counter[Account] = Counter()
            moves = [move for command in played for move in command.moves if not _is_brought(move)]
            if played:
                moves, antes = antes + moves, []
            for move in moves:
                gains[move.payer] -= move.coins
                gains[move.payee] += move.coins
            if played:
                decided = sum(command.decides for command in played)
                first, last = played[0].at, played[-1].at
                yield Hour(self.number, self.game, hour, first, last, _players(gains), gains[HOUSE], decided)


def _together(parts: Sequence[Evening]) -> Evening:
    """Return linked sessions as one evening, with sums of buy-ins, cash-outs and the house's gains."""
    first, *rest = parts
    points, house = list(first.points), first.house
    bought, took = dict(first.bought), dict(first.took)
    for part in rest:
        points += [replace(point, house=point.house + house) for point in part.points]
        house += part.house
        for total, more in ((bought, part.bought), (took, part.took)):
            for name, coins in more.items():
                total[name] = total.get(name, 0) + coins
    sessions = tuple(number for part in parts for number in part.sessions)
    games = tuple(game for part in parts for game in part.games)
    last = parts[-1]
    hours = tuple(hour for part in parts for hour in part.hours)
    return Evening(
        sessions, games, first.begun, first.start, tuple(points), bought, took, last.now, house, last.ended, hours,
        last.pots,
    )  # fmt: skip


def _is_brought(move: Transfer) -> bool:
    """Whether coins came to or left the table, rather than changing hands."""
    return CAGE in (move.payer, move.payee) and move.why in (BUY_IN, CASH_OUT)


def _corrects(record: str) -> str | None:
    """Return the verb of an undo or redo, or None; other records are not parsed, for speed."""
    if not any(f'"{verb}"' in record for verb in CORRECTIONS):
        return None
    verb = json.loads(record).get("do")
    return str(verb) if verb in CORRECTIONS else None


def _command(entry: Entry, is_carried: bool) -> _Command:
    """Return a command with its moves. Entries without transfers, the majority, are not parsed."""
    moves = moves_of(transfers(entry)) if '"Transfer"' in entry.events else ()
    return _Command(entry.seq, entry.at, moves, decision_in(entry) is not None, is_carried)


def _players(coins: Mapping[Account, int]) -> dict[str, int]:
    return {account.name: held for account, held in coins.items() if account.kind is Kind.PLAYER}


def moves_of(moves: Iterable[Transfer]) -> Moves:
    """Return the transfers between owners: a bet is its player's until it is decided.

    >>> ann, bet = Account.player("Ann"), Account.stake("Ann", "cut/6")
    >>> [(move.payer.label, move.payee.label, move.coins) for move in moves_of([Transfer(bet, HOUSE, 3, "lost")])]
    [('Ann', 'house', 3)]
    >>> moves_of([Transfer(ann, bet, 3, "bet")])
    ()
    """
    owned = (Transfer(move.payer.owner, move.payee.owner, move.coins, move.why) for move in moves)
    return tuple(move for move in owned if move.payer != move.payee)
