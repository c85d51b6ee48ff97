"""Takings of a table, folded from its journal: buy-ins, cash-outs, and the house's win. Pure.

Undone commands do not count, and coins carried over from the previous session are not a new buy-in.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from companion.floor.purse import KEY
from companion.journal.durable import DAMAGED
from companion.journal.evening import TABLE
from companion.journal.hash_chain import Entry
from companion.journal.replay import transfers
from companion.kernel.accounts import CAGE, HOUSE
from companion.kernel.ledger import BUY_IN, CASH_OUT
from companion.kernel.timeline import CORRECTIONS, Timeline

_PARTIES: Final = (f'"{HOUSE.text}"', f'"{CAGE.text}"')
_CORRECTIONS: Final = tuple(f'"{verb}"' for verb in CORRECTIONS)
_NOTHING: Final = Counter[str]()


@dataclass(frozen=True, slots=True)
class Takings:
    """Takings of a range of a table's history, in coins.

    Attributes:
        bought: all buy-ins; `from_purses` are those from purses.
        cashed: all cash-outs; `to_purses` are those to purses.
        recounted: net corrections by recounts.
        lying: coins in front of players, on bets and in pots at the end of the range.
        wins: the house's win, by game.
    """

    bought: int = 0
    from_purses: int = 0
    cashed: int = 0
    to_purses: int = 0
    recounted: int = 0
    lying: int = 0
    wins: Mapping[str, int] = field(default_factory=dict)

    @property
    def win(self) -> int:
        """The house's win over all games."""
        return sum(self.wins.values())

    @property
    def given_up(self) -> Takings:
        """The takings of an abandoned journal: its coins on the table are written off."""
        return replace(self, recounted=self.recounted - self.lying, lying=0)

    def __add__(self, other: Takings) -> Takings:
        return self._with(other, 1)

    def __sub__(self, other: Takings) -> Takings:
        """Return the difference; `lying` is then the change in coins on the table."""
        return self._with(other, -1)

    def _with(self, other: Takings, sign: int) -> Takings:
        wins = dict(self.wins)
        for game, won in other.wins.items():
            wins[game] = wins.get(game, 0) + sign * won
        return Takings(
            self.bought + sign * other.bought,
            self.from_purses + sign * other.from_purses,
            self.cashed + sign * other.cashed,
            self.to_purses + sign * other.to_purses,
            self.recounted + sign * other.recounted,
            self.lying + sign * other.lying,
            {game: wins[game] for game in sorted(wins) if wins[game]},
        )

    def to_json(self) -> dict[str, Any]:
        """Return the stored and signed form."""
        return {
            "bought": self.bought, "from_purses": self.from_purses, "cashed": self.cashed, "to_purses": self.to_purses,
            "recounted": self.recounted, "lying": self.lying, "wins": dict(self.wins),
        }  # fmt: skip

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Self:
        """Parse the result of `to_json`."""
        return cls(**told)


class TakingsCounter:
    """Running totals of a journal; may start at the beginning of any session."""

    def __init__(self) -> None:
        self.seq = 0
        "The latest entry counted."
        self.unreadable = 0
        "Damaged entries, which are skipped."
        self._before = Takings()
        self._game = ""
        self.prices: int | None = None
        "Version of the house's price list in the latest session."
        self._continues = False
        self._opening = 0
        self._line: Timeline[Counter[str]] = Timeline()
        self._sum: Counter[str] = Counter()
        self._total: Takings | None = Takings()
        "Cached total; None after a change. Most entries only move coins between players and their bets."

    def add_all(self, entries: Iterable[Entry]) -> Self:
        """Count several entries."""
        for entry in entries:
            self.add(entry)
        return self

    def add(self, entry: Entry) -> None:
        """Count the journal's next entry."""
        self.seq = entry.seq
        try:
            if entry.kind == "start":
                self._begin(entry)
            elif entry.kind == "command":
                self._count(entry)
        except (*DAMAGED, IndexError):
            self.unreadable += 1

    @property
    def game(self) -> str:
        """The game of the latest session."""
        return self._game

    @property
    def total(self) -> Takings:
        """Totals of all entries; the same object while they are unchanged."""
        if self._total is None:
            self._total = self._before + self._session()
        return self._total

    def _begin(self, entry: Entry) -> None:
        record = json.loads(entry.record)
        game, coins = str(record["game"]), [int(one.get("coins", 0)) for one in record.get("players") or ()]
        ended = self.total
        # Differences between the coins carried out of the old session and into this one show as recounted.
        self._before = ended.given_up
        self._game, self._opening = game, sum(coins)
        prices = record.get("prices")
        self.prices = prices if type(prices) is int else None
        self._continues = record.get("continues") is not None
        self._line, self._sum, self._total = Timeline(), Counter(), None

    def _count(self, entry: Entry) -> None:
        verb = json.loads(entry.record)["do"] if any(one in entry.record for one in _CORRECTIONS) else None
        if verb in CORRECTIONS:
            item = self._line.correct(verb)
            self._total = None
            (self._sum.subtract if verb == "undo" else self._sum.update)(item)
            return
        item = moved(entry, is_carried=self._continues and entry.source == TABLE)
        self._line.add(item)
        if item:
            self._total = None
            self._sum.update(item)

    def _session(self) -> Takings:
        told = self._sum
        bought = told["bought"] + (0 if self._continues else self._opening)
        recounted = told["recounted"] + (self._opening if self._continues else 0)
        wins = {self._game: told["win"]} if told["win"] else {}
        lying = bought + recounted - told["cashed"] - told["win"]
        return Takings(bought, told["from_purses"], told["cashed"], told["to_purses"], recounted, lying, wins)


def moved(entry: Entry, *, is_carried: bool) -> Counter[str]:
    """Return the sums of an entry's transfers, by the fields of `Takings` and ``win``."""
    if not any(party in entry.events for party in _PARTIES):  # most only move coins between players and their bets
        return _NOTHING
    sums: Counter[str] = Counter()
    is_purse = entry.key is not None and entry.key.startswith(KEY)
    for move in transfers(entry):
        if move.payer == HOUSE:
            sums["win"] -= move.coins
        elif move.payee == HOUSE:
            sums["win"] += move.coins
        if move.payer == CAGE and move.why == BUY_IN and not is_carried:
            sums["bought"] += move.coins
            sums["from_purses"] += move.coins if is_purse else 0
        elif move.payee == CAGE and move.why == CASH_OUT:
            sums["cashed"] += move.coins
            sums["to_purses"] += move.coins if is_purse else 0
        elif CAGE in (move.payer, move.payee):
            sums["recounted"] += move.coins if move.payer == CAGE else -move.coins
    return sums
