"""What each player has brought this evening and how long they have played: for the loss cap and the reminders.

One journal goes on for weeks, from one game to the next. An evening, here, is over once nobody has played for
`PAUSE_H`; what is on the pages or in the books then is of no account. No rule depends on it, and replay knows nothing
of it: it is told from the journal and from the coins that the ledger says everybody has brought.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final, Self

from typing_extensions import TypedDict

from companion.journal.evening import TABLE, Evening
from companion.journal.hash_chain import Entry, happenings, iso
from companion.journal.replay import transfers
from companion.journal.store import JournalError, JournalReader
from companion.kernel.accounts import CAGE, Account, Kind
from companion.kernel.errors import OverLimit
from companion.kernel.events import PlayerJoined
from companion.kernel.ledger import BUY_IN, CASH_OUT, Ledger
from companion.kernel.shared.names import alike
from companion.kernel.timeline import Timeline
from companion.service.clocks.table_clock import SET_S, ClockStep, clock_steps, righted

PAUSE_H: Final = 6
"""After so many hours in which nobody gave a command another evening begins."""

Brought = Mapping[str, int]
"""Coins that each player brought less those that they took, by the name as `alike` writes it."""


class TonightJson(TypedDict):
    """A player's evening."""

    minutes: int
    "From sitting down to the latest command at the table: a table where nothing happens is not played at."
    brought: int
    "Coins bought in this evening less those cashed out, at all of its games; below zero when more were taken."


@dataclass(frozen=True, slots=True)
class Tonight:
    """The evening under way."""

    began: str | None = None
    "The time of its first command, ISO 8601; None before it."
    latest: str | None = None
    "The time of the latest command."
    before: Brought = field(default_factory=dict)
    "What everybody had brought when it began."
    joined: Mapping[str, str] = field(default_factory=dict)
    "When each who came later sat down first; who leaves and comes back plays on."

    def moved_along(self, now: str, passed_s: float) -> Self:
        """Return the evening by the clock as it was set since the latest command: no time has passed by that.

        Args:
            passed_s: seconds since the latest command, whatever the clock was set to.
        """
        moved = timedelta(seconds=self.moved_s(now, passed_s))
        if self.latest is None or not moved:
            return self
        began = None if self.began is None else _later(self.began, moved)
        joined = {name: _later(at, moved) for name, at in self.joined.items()}
        return replace(self, began=began, latest=_later(self.latest, moved), joined=joined)

    def moved_s(self, now: str, passed_s: float) -> float:
        """Return by how many seconds the clock was set since the latest command; 0 if it was not."""
        moved = 0.0 if self.latest is None else _between(self.latest, now).total_seconds() - passed_s
        return moved if abs(moved) >= SET_S else 0.0

    def passed_s(self, now: str) -> float | None:
        """Return the seconds since the latest command by the clock; None before the first."""
        return None if self.latest is None else max(0.0, _between(self.latest, now).total_seconds())

    def at(self, now: str, ever: Brought) -> Self:
        """Return the evening at a time: another one after a long pause.

        Args:
            ever: what everybody has brought until now, as `brought_ever` says.
        """
        return type(self)(before=ever) if self.latest is not None and _is_pause(self.latest, now) else self

    def after(self, entries: Iterable[Entry]) -> Self:
        """Return the evening after these entries, none of which lies behind a long pause."""
        played = list(filter(_is_played, entries))
        if not played:
            return self
        joined = dict(self.joined)
        for entry in played:
            for player in _joining(entry):
                joined.setdefault(alike(player), entry.at)
        return replace(self, began=self.began or played[0].at, latest=played[-1].at, joined=joined)

    @classmethod
    def found(cls, reader: JournalReader, evening: Evening, ever: Brought, unsaid: Iterable[ClockStep] = ()) -> Self:
        """Restore the evening from the journal.

        Args:
            evening: the sessions that are linked up to the one that is on.
            ever: what everybody has brought by now.
            unsaid: when the clock was set, and the journal does not say so yet.
        """
        steps = (*clock_steps(reader), *unsaid)
        played = reader.played_times(evening[0].session if evening else 0)
        times = ((seq, righted(seq, at, steps)) for seq, at in played)
        first = next((seq for (seq, at), (_, earlier) in pairwise(times) if _is_pause(earlier, at)), None)
        if first is None:
            return cls().after(_by_clock(reader.entries(played[-1][0] - 1), steps)) if played else cls()
        entries = tuple(_by_clock(reader.entries(first - 1), steps))
        moved = _moved(entries)
        before = {name: ever.get(name, 0) - moved[name] for name in {*ever, *moved}}
        return cls(before=before).after(entries)

    # ---- what it comes to

    def brought(self, player: str, ever: Brought) -> int:
        """Return what a player has brought this evening less what they took."""
        name = alike(player)
        return ever.get(name, 0) - self.before.get(name, 0)

    def to_json(self, player: str, ever: Brought) -> TonightJson:
        """Return a player's evening for the pages."""
        since = self.joined.get(alike(player), self.began)
        played = _between(since, self.latest) if since and self.latest else timedelta()
        return {"minutes": max(0, played // timedelta(minutes=1)), "brought": self.brought(player, ever)}

    def check(self, most: int, had: Ledger, has: Ledger, gains: Mapping[Account, int]) -> None:
        """See that nobody has brought more than they may.

        Args:
            most: coins that a player may bring in an evening; 0 for no limit.
            had, has: the coins before and after a command.
            gains: what everybody had won when the session began.

        Raises:
            OverLimit: somebody has, by this command.
        """
        if not most or has.brought == had.brought:
            return
        before, now = brought_ever(had, gains), brought_ever(has, gains)
        for player, coins in has.brought.items():
            brought = self.brought(player, before)
            if coins > had.brought.get(player, 0) and self.brought(player, now) > most:
                raise OverLimit.saying(
                    "A player may bring at most {most} coins in an evening. {player} has brought {brought} and can "
                    "bring {left} more.",
                    most=most,
                    player=player,
                    brought=brought,
                    left=max(0, most - brought),
                )


@dataclass(frozen=True, slots=True)
class _Off:
    """The machine was off, and went on with a time that may be wrong.

    Attributes:
        after: the latest entry before that.
        now: what its clock said when the table was started.
        passed_s: seconds that nobody sets, then.
    """

    reader: JournalReader
    evening: Evening
    after: int
    now: str
    passed_s: float

    def found(self, now: str, passed_s: float, ever: Brought) -> Tonight | None:
        """Return the evening by the clock as it was set since; None while it was not, or if nobody can say."""
        by = _between(self.now, now).total_seconds() - (passed_s - self.passed_s)
        if abs(by) < SET_S:
            return None
        step = ClockStep(sys.maxsize, now, 0, round(by), self.after)  # nobody has written it down yet
        try:
            return Tonight.found(self.reader, self.evening, ever, (step,))
        except JournalError:  # the next command says so
            return None


class TonightWatch:
    """The evening as it goes on, whatever the clock is set to meanwhile. Not thread-safe.

    Args:
        passed: seconds that go on whatever the clock is set to, also in a machine's sleep; None: it is never set.
    """

    def __init__(self, passed: Callable[[], float] | None) -> None:
        self.evening = Tonight()
        self._passed = passed
        self._played_at: float | None = None
        "When its latest command came, in seconds of `passed`."
        self._off: _Off | None = None

    def find(
        self, reader: JournalReader, evening: Evening, now: str, ever: Brought, off_after: int | None = None
    ) -> None:
        """Restore it from the journal; see `Tonight.found`. What the clock says at a start is believed at first.

        Args:
            off_after: the entry after which the machine was off; None if it was not since the latest entry.
        """
        found = Tonight.found(reader, evening, ever)
        self._off = None
        if self._passed is not None and (since := found.passed_s(now)) is not None:
            self._played_at = self._passed() - since
            if off_after is not None:
                self._off = _Off(reader, evening, off_after, now, self._passed())
        self.evening = found.at(now, ever)

    def look(self, now: str, ever: Brought) -> bool:
        """Begin another one after a long pause, but not because the clock was set; return whether it has changed.

        What the clock is set to first after the machine was off tells for how long it was off.
        """
        before = self.evening
        if self._passed is not None and self._played_at is not None:
            passed_s = self._passed()
            if self._off is not None and (found := self._off.found(now, passed_s, ever)) is not None:
                self.evening, self._off = found, None
                self._played_at = passed_s - (found.passed_s(now) or 0.0)
            else:
                self.evening = self.evening.moved_along(now, passed_s - self._played_at)
        self.evening = self.evening.at(now, ever)
        return self.evening is not before

    def add(self, entries: Iterable[Entry]) -> None:
        """Take in what was written down."""
        before, self.evening = self.evening, self.evening.after(entries)
        if self._passed is not None and self.evening is not before:
            self._played_at = self._passed()


def brought_ever(ledger: Ledger, gains: Mapping[Account, int]) -> Brought:
    """Return what each player has brought less what they took, in this session and those that it continues.

    A session that continues another begins with the coins that lie there, and with what was won by then.

    Args:
        gains: what everybody had won when the session began.
    """
    found: Counter[str] = Counter()
    for name, coins in ledger.brought.items():
        found[alike(name)] += coins
    for account, won in gains.items():
        if account.kind is Kind.PLAYER:
            found[alike(account.name)] -= won
    return found


def _moved(entries: Iterable[Entry]) -> Counter[str]:
    """Return what these commands have brought each player; what they undid of an earlier evening is left out."""
    line: Timeline[Entry] = Timeline()
    for entry in filter(_is_played, entries):
        with suppress(IndexError):  # the command that it undoes or does again is of an earlier evening
            line.follow(json.loads(entry.record)["do"], entry)
    found: Counter[str] = Counter()
    for move in (move for entry in line.done for move in transfers(entry)):
        if move.payer == CAGE and move.why == BUY_IN:
            found[alike(move.payee.name)] += move.coins
        elif move.payee == CAGE and move.why == CASH_OUT:
            found[alike(move.payer.name)] -= move.coins
    return found


def _is_played(entry: Entry) -> bool:
    """Whether somebody gave this command: the table's own only bring players from one session to the next."""
    return entry.kind == "command" and entry.source != TABLE


def _joining(entry: Entry) -> Iterator[str]:
    """Yield who sat down with this command."""
    if f'"{PlayerJoined.__name__}"' in entry.events:
        yield from (event["player"] for event in happenings(entry) if event["event"] == PlayerJoined.__name__)


def _by_clock(entries: Iterable[Entry], steps: Sequence[ClockStep]) -> Iterator[Entry]:
    """Yield entries with their times by the clock as it is now."""
    for entry in entries:
        yield entry._replace(at=righted(entry.seq, entry.at, steps)) if steps else entry


def _is_pause(before: str, now: str) -> bool:
    return _between(before, now) >= timedelta(hours=PAUSE_H)


def _later(at: str, by: timedelta) -> str:
    return iso(datetime.fromisoformat(at) + by)


def _between(before: str, now: str) -> timedelta:
    return datetime.fromisoformat(now) - datetime.fromisoformat(before)
