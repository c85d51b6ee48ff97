"""Folds a journal into result rows: the coins each entry moved, and the expected house win. Pure.

An undo yields a row that reverses the command's figures; a redo, a row that applies them again.
"""

import json
from collections import Counter
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Final

from companion.floor.overview.takings import moved
from companion.floor.reports.expectation import NOTHING, Expected
from companion.journal.durable import DAMAGED
from companion.journal.evening import TABLE
from companion.journal.hash_chain import Entry
from companion.journal.replay import keep_sealed
from companion.kernel.errors import CompanionError
from companion.kernel.timeline import CORRECTIONS, Timeline
from companion.plugins.registry import Games
from companion.statistics.bet_book import Following

COINS: Final = ("bought", "from_purses", "cashed", "to_purses", "recounted", "win")
_MAX_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Row:
    """Figures of one entry."""

    seq: int
    at: str
    game: str
    coins: tuple[int, ...]
    "In the order of `COINS`."
    expected: Expected = NOTHING

    @property
    def values(self) -> tuple[object, ...]:
        """Columns of `floor.result` after table and epoch, without the time."""
        one = self.as_kept
        average = one.expected.numerator if one.expected.denominator == 1 else Decimal(str(float(one.expected)))
        return (self.seq, self.game, *self.coins, one.rounds, one.bets, one.staked, one.won, average, one.variance,
                one.unknown)  # fmt: skip

    @property
    def as_kept(self) -> Expected:
        """The expected figures at the precision that the database stores."""
        one = self.expected
        if one.expected.denominator == 1:
            return one
        return replace(one, expected=Fraction(str(round(float(one.expected), _MAX_DIGITS))))


class Evaluation:
    """Folds a journal from the start of a session.

    Args:
        games: the installed games; for sessions of other games only coins are counted.
    """

    def __init__(self, games: Games) -> None:
        self._games = games
        self._game = ""
        self._continues = False
        self._lying = 0
        self._line: Timeline[Counter[str]] = Timeline()
        self._following: Following | None = None

    def add(self, entry: Entry) -> Row | None:
        """Fold the next entry; return its row, or None if nothing moved. Damaged entries are skipped."""
        try:
            if entry.kind == "start":
                return self._begin(entry)
            if entry.kind == "command":
                return self._command(entry)
        except (*DAMAGED, IndexError):
            self._following = None
        return None

    def _begin(self, entry: Entry) -> Row:
        record = json.loads(entry.record)
        opening = sum(int(one.get("coins", 0)) for one in record.get("players") or ())
        self._continues = record.get("continues") is not None
        came = {"recounted": opening - self._lying}
        if not self._continues:
            came = {"bought": opening, "recounted": -self._lying}
        self._game, self._lying, self._line = str(record["game"])[:80], opening, Timeline()
        try:
            self._following = Following(entry, self._games, keep_sealed)
        except CompanionError:  # game not installed here
            self._following = None
        return self._row(entry, Counter(came), NOTHING)

    def _command(self, entry: Entry) -> Row | None:
        verb = json.loads(entry.record)["do"] if any(f'"{one}"' in entry.record for one in CORRECTIONS) else None
        expected = self._expected(entry)
        if verb in CORRECTIONS:
            item = self._line.correct(verb)
            coins = item if verb != "undo" else Counter({name: -value for name, value in item.items()})
        else:
            coins = moved(entry, is_carried=self._continues and entry.source == TABLE)
            self._line.add(coins)
        self._lying += coins["bought"] + coins["recounted"] - coins["cashed"] - coins["win"]
        if not any(coins.values()) and expected == NOTHING:
            return None
        return self._row(entry, coins, expected)

    def _expected(self, entry: Entry) -> Expected:
        if self._following is None:
            return NOTHING
        try:
            found = self._following.add(entry)
        except Exception:  # a malformed command must not stop the counting of coins
            self._following = None
            return NOTHING
        return NOTHING if found is None else Expected.of(found[1]).times(found[0])

    def _row(self, entry: Entry, coins: Counter[str], expected: Expected) -> Row:
        return Row(entry.seq, entry.at, self._game, tuple(coins[name] for name in COINS), expected)
