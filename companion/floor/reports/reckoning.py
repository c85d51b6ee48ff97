"""Works out what each entry of a journal brought, and what the house could expect of it. Pure: a fold over entries.

A command that is undone gives a row that takes everything back; one that is done again, a row that gives it again.
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
from companion.journal.replay import as_it_is
from companion.kernel.errors import CompanionError
from companion.kernel.timeline import CORRECTIONS, Timeline
from companion.plugins.registry import Games
from companion.statistics.bet_book import Following

COINS: Final = ("bought", "from_purses", "cashed", "to_purses", "recounted", "win")
_MOST_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Row:
    """What one entry brought."""

    seq: int
    at: str
    game: str
    coins: tuple[int, ...]
    "As in `COINS`."
    expected: Expected = NOTHING

    @property
    def values(self) -> tuple[object, ...]:
        """The columns of `floor.result` behind table and epoch, but for the time."""
        one = self.as_kept
        average = one.expected.numerator if one.expected.denominator == 1 else Decimal(str(float(one.expected)))
        return (self.seq, self.game, *self.coins, one.rounds, one.bets, one.staked, one.won, average, one.variance,
                one.unknown)  # fmt: skip

    @property
    def as_kept(self) -> Expected:
        """What was to be expected, to as many digits as the database keeps."""
        one = self.expected
        if one.expected.denominator == 1:
            return one
        return replace(one, expected=Fraction(str(round(float(one.expected), _MOST_DIGITS))))


class Reckoning:
    """Follows a journal from the start of a session on.

    Args:
        games: the installed games; without a session's own only its coins are known.
    """

    def __init__(self, games: Games) -> None:
        self._games = games
        self._game = ""
        self._continues = False
        self._lying = 0
        self._line: Timeline[Counter[str]] = Timeline()
        self._following: Following | None = None

    def add(self, entry: Entry) -> Row | None:
        """Take the next entry; return its row, None where nothing moved. Damaged entries bring nothing."""
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
            self._following = Following(entry, self._games, as_it_is)
        except CompanionError:  # a game that is not installed here
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
        except Exception:  # whatever a table's commands say, its coins are counted all the same
            self._following = None
            return NOTHING
        return NOTHING if found is None else Expected.of(found[1]).times(found[0])

    def _row(self, entry: Entry, coins: Counter[str], expected: Expected) -> Row:
        return Row(entry.seq, entry.at, self._game, tuple(coins[name] for name in COINS), expected)
