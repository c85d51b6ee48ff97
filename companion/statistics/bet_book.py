"""All decided bets with the odds at which they were made, by replaying the journal's commands.

A bet's odds are those at the time its coins were staked: a bet that is raised later has two lots of coins with separate
odds. Undone bets are left out.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import sqrt
from typing import Any

from companion.journal.hash_chain import Entry
from companion.journal.history.follower import JournalFollower
from companion.journal.replay import Open, replay_command
from companion.kernel.commands import Undo
from companion.kernel.errors import TableError
from companion.kernel.events import BetPlaced, BetTakenBack, Decided, Paid
from companion.kernel.game import Effect
from companion.kernel.header import Header
from companion.kernel.table import Table
from companion.kernel.timeline import CORRECTIONS, Timeline
from companion.odds.bet_odds import AnyBet
from companion.odds.endings import Gamble, variance
from companion.plugins.odds import OddsPart, Rounds
from companion.plugins.registry import Games
from companion.statistics.bets import Bet, Lot, PlayedRound, expectation
from companion.statistics.league import day_of
from companion.statistics.standings import Source

Lots = Mapping[tuple[str, str], tuple[Lot, ...]]
"""(Player, spot) -> lots of an undecided bet, oldest first."""


@dataclass(frozen=True, slots=True)
class SessionBets:
    """The decided rounds of a session."""

    session: int
    game: str
    rounds: tuple[PlayedRound, ...]
    is_whole: bool = True
    "Whether all its commands can be replayed under the current rules; otherwise later rounds are missing."
    has_house: bool = True
    "Whether the bets are made against the house; otherwise against other players."


class BetBook(JournalFollower):
    """All decided bets of a journal."""

    def __init__(self, source: Source) -> None:
        super().__init__(source.history.entries)
        self._source = source
        self._past: list[SessionBets] = []
        self._now: Following | None = None

    def sessions(self) -> tuple[SessionBets, ...]:
        """Return the bets of all sessions, oldest first."""
        with self._lock:
            self._refresh()
            return (*self._past, *([self._now.bets()] if self._now is not None else []))

    def _add(self, entry: Entry) -> None:
        if entry.kind == "start":
            self._past += [self._now.bets()] if self._now is not None else []
            self._now = Following(entry, self._source.games, self._source.history.unsealed)
        elif entry.kind == "command" and self._now is not None:
            self._now.add(entry)


@dataclass(frozen=True, slots=True)
class _Command:
    """A command in effect: the lots after it, and the round it decided."""

    lots: Lots
    decided: PlayedRound | None
    rounds: int
    "Number of rounds decided up to it."
    begun: Any
    "State with the round's stakes, in games whose odds are known for whole rounds."


class Following:
    """Incremental replay of a session."""

    def __init__(self, start: Entry, games: Games, unsealed: Open) -> None:
        header = Header.parse(json.loads(start.record), games)
        self._session, self._unsealed = start.session, unsealed
        self._part: OddsPart = games[header.game].odds
        self._rounds: Rounds | None = self._part.rounds() if self._part.rounds is not None else None
        self._has_house = games[header.game].house is not None
        self._game = header.game
        has_bets = games[header.game].house is not None or self._part.rounds is not None
        self._table: Table | None = Table(header) if has_bets else None
        self._is_whole = True
        self._odds: Iterable[AnyBet] = ()
        self._by_spot: Mapping[str, AnyBet] = {}
        self._line: Timeline[_Command] = Timeline()

    def bets(self) -> SessionBets:
        """Return the bets so far."""
        rounds = tuple(one.decided for one in self._line.done if one.decided is not None)
        return SessionBets(self._session, self._game, rounds, self._is_whole, self._has_house)

    def add(self, entry: Entry) -> tuple[int, PlayedRound] | None:
        """Apply the next command.

        Returns:
            (1, decided round), (-1, undone round), or None.
        """
        if self._table is None:
            return None
        record = json.loads(entry.record)
        try:
            happened = replay_command(self._table, record, self._unsealed)
        except TableError:  # the rules have changed
            self._table, self._is_whole = None, False
            return None
        verb = record.get("do")
        if verb in CORRECTIONS:
            command = self._line.correct(str(verb))
        else:
            command = self._after(entry, happened, self._table.position.state)
            self._line.add(command)
        return None if command.decided is None else (-1 if verb == Undo.verb else 1, command.decided)

    def _after(self, entry: Entry, happened: Sequence[Effect], state: Any) -> _Command:
        last = self._line.done[-1] if self._line.done else _Command({}, None, 0, None)
        lots, rounds, decided = last.lots, last.rounds, None
        for event in happened:
            if isinstance(event, BetPlaced):
                key = event.player, event.on
                lots = {**lots, key: (*lots.get(key, ()), Lot(event.amount, state, rounds))}
            elif isinstance(event, BetTakenBack):
                key = event.player, event.on
                lots = {**lots, key: _without(lots.get(key, ()), event.amount)}
            elif isinstance(event, Decided):
                paid = paid_in(event)
                taken, lots = _taken(lots, paid)
                made = [Made(self._bet(bet, some), some) for bet, some in zip(paid, taken, strict=True)]
                if self._rounds is not None:
                    made = list(_played(self._rounds, last.begun, event, rounds)) if last.begun is not None else []
                decided = self._round(entry, made, rounds) if made else None
                rounds += 1
        begun = state if self._rounds is not None and self._rounds.has_begun(state) else last.begun
        return _Command(lots, decided, rounds, begun)

    def _round(self, entry: Entry, made: Sequence[Made], number: int) -> PlayedRound:
        known = [one for one in made if one.bet.mean is not None]
        players = {one.bet.player: [other for other in known if other.bet.player == one.bet.player] for one in made}
        spots = {one.bet.on: [other for other in known if other.bet.on == one.bet.on] for one in made}
        return PlayedRound(
            entry.seq, entry.at, tuple(one.bet for one in made),
            {name: spread(self._part, some, number) for name, some in players.items()},
            {on: spread(self._part, some, number) for on, some in spots.items()},
            spread(self._part, known, number),
        )  # fmt: skip

    def _bet(self, paid: Paid, lots: Sequence[Lot]) -> Bet:
        """Return a decided bet; without an expectation unless all its coins have known odds."""
        net = paid.won + paid.back - paid.amount
        bet = Bet(paid.player, paid.on, paid.amount, net)
        if sum(lot.amount for lot in lots) != paid.amount:
            return bet
        found = [self._gamble(lot.state, paid.on) for lot in lots]
        gambles = [gamble for gamble in found if gamble is not None]
        if len(gambles) < len(found):
            return bet
        middle, deviation = expectation([(lot.amount, one) for lot, one in zip(lots, gambles, strict=True)])
        return replace(bet, mean=middle, deviation=deviation)

    def _gamble(self, state: Any, on: str) -> Gamble | None:
        bets = self._part.bets(state)
        if bets is not self._odds:  # games may return cached odds
            self._odds, self._by_spot = bets, {bet.on: bet for bet in bets}
        found = self._by_spot.get(on)
        return found if isinstance(found, Gamble) else None


@dataclass(frozen=True, slots=True)
class Made:
    """A decided bet and its lots."""

    bet: Bet
    lots: tuple[Lot, ...]


def spread(part: OddsPart, made: Iterable[Made], number: int) -> float:
    """Return the variance of bets in one round: exact if the game gives their joint results, otherwise an upper bound.

    Bets decided by different throws are independent. With unknown correlation, the standard deviation is at most the
    sum of the single ones.

    Args:
        number: the round's number; a bet that was made in an earlier round may be correlated with any other.
    """
    throws: dict[Hashable, list[Made]] = defaultdict(list)
    loose = 0.0
    for one in made:
        lot = one.lots[0]
        throw = part.decided_by(lot.state, one.bet.on) if part.decided_by is not None else ""
        if throw is None or any(lot.round != number for lot in one.lots):
            loose += one.bet.deviation
        else:
            throws[throw].append(one)
    return float((sqrt(sum(_on_one_throw(part, some) for some in throws.values())) + loose) ** 2)


def _on_one_throw(part: OddsPart, made: Sequence[Made]) -> float:
    if len(made) > 1 and part.together is not None:
        joint = part.together(made[0].lots[0].state, tuple((one.bet.on, one.bet.amount) for one in made))
        if joint is not None:
            return float(variance(joint))
    return float(sum(one.bet.deviation for one in made) ** 2)


def _played(part: Rounds, begun: Any, event: Decided, number: int) -> Iterator[Made]:
    """Yield the bets of a round, for games whose odds are known for whole rounds."""
    for one in part.bets(begun, event):
        bet = Bet(one.player, one.on, one.amount, one.net, one.mean, one.deviation)
        yield Made(bet, (Lot(one.amount, begun, number),))


def paid_in(event: Decided) -> tuple[Paid, ...]:
    """Return the bets decided by an event; none in games without a house."""
    paid = getattr(event, "paid", ())
    return tuple(bet for bet in paid if isinstance(bet, Paid)) if isinstance(paid, tuple) else ()


def _taken(lots: Lots, paid: Sequence[Paid]) -> tuple[list[tuple[Lot, ...]], Lots]:
    """Return the lots of each decided bet, oldest first, and the remaining lots."""
    left, taken = dict(lots), []
    for bet in paid:
        key = bet.player, bet.on
        mine, left[key] = _first(left.get(key, ()), bet.amount)
        taken.append(mine)
    return taken, {key: some for key, some in left.items() if some}


def _first(lots: tuple[Lot, ...], amount: int) -> tuple[tuple[Lot, ...], tuple[Lot, ...]]:
    """Split lots after ``amount`` coins.

    >>> _first((Lot(3, "a"), Lot(4, "b")), 5)
    ((Lot(amount=3, state='a', round=0), Lot(amount=2, state='b', round=0)), (Lot(amount=2, state='b', round=0),))
    """
    mine: list[Lot] = []
    rest = list(lots)
    while rest and amount:
        lot = rest.pop(0)
        coins = min(lot.amount, amount)
        mine.append(replace(lot, amount=coins))
        amount -= coins
        if coins < lot.amount:
            rest.insert(0, replace(lot, amount=lot.amount - coins))
    return tuple(mine), tuple(rest)


def _without(lots: tuple[Lot, ...], amount: int) -> tuple[Lot, ...]:
    """Return lots without the last ``amount`` coins staked."""
    kept, _ = _first(lots, sum(lot.amount for lot in lots) - amount)
    return kept


def rounds_on(sessions: Iterable[SessionBets], days: Collection[date]) -> list[PlayedRound]:
    """Return the rounds decided on these game days."""
    return [one for session in sessions for one in session.rounds if day_of(one.at) in days]
