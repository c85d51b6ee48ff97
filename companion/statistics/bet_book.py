"""Every decided bet with the odds that it was made at, followed from the journal by playing its commands again.

A bet's odds are those of the moment when its coins were put down: a bet that is raised later has two lots of coins with
odds of their own. What was undone is left out.
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
"""The coins on undecided bets by player and spot, those put down first before the others."""


@dataclass(frozen=True, slots=True)
class SessionBets:
    """The decided rounds of a session."""

    session: int
    game: str
    rounds: tuple[PlayedRound, ...]
    is_whole: bool = True
    "Whether its commands can be played under today's rules; otherwise the rounds from there on are missing."
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
        """Return the bets of all sessions, the first one first."""
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
    """A command in effect: the coins on bets after it, and the round that it decided."""

    lots: Lots
    decided: PlayedRound | None
    rounds: int
    "How many rounds were decided up to it."
    begun: Any
    "The state in which the stakes of the round lay, in a game whose rounds are told as a whole."


class Following:
    """A session whose commands are played again one by one."""

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
        """Play the next command.

        Returns:
            The round that it decided, with 1; or the one that counts no more, with -1; None if neither.
        """
        if self._table is None:
            return None
        record = json.loads(entry.record)
        try:
            happened = replay_command(self._table, record, self._unsealed)
        except TableError:  # the rules have changed since
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
        """Return a decided bet; without an expectation if not all its coins have known odds."""
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
        if bets is not self._odds:  # a game that remembers its odds gives the same ones again
            self._odds, self._by_spot = bets, {bet.on: bet for bet in bets}
        found = self._by_spot.get(on)
        return found if isinstance(found, Gamble) else None


@dataclass(frozen=True, slots=True)
class Made:
    """A decided bet, and the lots that it was made in."""

    bet: Bet
    lots: tuple[Lot, ...]


def spread(part: OddsPart, made: Iterable[Made], number: int) -> float:
    """Return the variance of bets of one round: exact where the game tells how they hang together, else the most it is.

    Bets that different throws decide are independent. What hangs together in an unknown way may differ by the sum of
    the single deviations at most.

    Args:
        number: the round's; a bet that waits since an earlier one may hang together with any.
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
    """Yield the bets of a round that its game tells as a whole."""
    for one in part.bets(begun, event):
        bet = Bet(one.player, one.on, one.amount, one.net, one.mean, one.deviation)
        yield Made(bet, (Lot(one.amount, begun, number),))


def paid_in(event: Decided) -> tuple[Paid, ...]:
    """Return the bets that an event decided; none in a game without a house."""
    paid = getattr(event, "paid", ())
    return tuple(bet for bet in paid if isinstance(bet, Paid)) if isinstance(paid, tuple) else ()


def _taken(lots: Lots, paid: Sequence[Paid]) -> tuple[list[tuple[Lot, ...]], Lots]:
    """Return the lots of each decided bet, the oldest on its spot first, and the lots that are left."""
    left, taken = dict(lots), []
    for bet in paid:
        key = bet.player, bet.on
        mine, left[key] = _first(left.get(key, ()), bet.amount)
        taken.append(mine)
    return taken, {key: some for key, some in left.items() if some}


def _first(lots: tuple[Lot, ...], amount: int) -> tuple[tuple[Lot, ...], tuple[Lot, ...]]:
    """Split lots after so many coins.

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
    """Return lots without so many coins, which were put down last."""
    kept, _ = _first(lots, sum(lot.amount for lot in lots) - amount)
    return kept


def rounds_on(sessions: Iterable[SessionBets], days: Collection[date]) -> list[PlayedRound]:
    """Return the rounds that were decided on some days at the table."""
    return [one for session in sessions for one in session.rounds if day_of(one.at) in days]
