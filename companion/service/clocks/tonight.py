"""Each player's buy-ins and playing time this evening, for the loss limit and the reality-check reminders.

A journal spans weeks and many games. An evening ends when nobody has given a command for `PAUSE_H` hours, independently
of what is on the pages or in the books. No game rule and no replay depends on it: it is derived from the journal and
from the buy-ins in the ledger.
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
from companion.journal.hash_chain import Entry, events_of, iso
from companion.journal.replay import Session, transfers
from companion.journal.store import JournalError, JournalReader
from companion.kernel.accounts import CAGE, Account, Kind
from companion.kernel.errors import OverLimit
from companion.kernel.events import PlayerJoined
from companion.kernel.ledger import BUY_IN, CASH_OUT, Ledger
from companion.kernel.shared.names import alike
from companion.kernel.table import Table
from companion.kernel.timeline import Timeline
from companion.service.clocks.table_clock import SET_S, ClockStep, clock_steps, corrected_time

PAUSE_H: Final = 6
"""Hours without a command after which a new evening begins."""

Brought = Mapping[str, int]
"""Net buy-in (bought in minus cashed out) of each player, by normalized name (`alike`)."""


class TonightJson(TypedDict):
    """A player's evening."""

    minutes: int
    "From sitting down to the latest command at the table: a table where nothing happens is not played at."
    brought: int
    "Coins bought in this evening less those cashed out, at all of its games; below zero when more were taken."


@dataclass(frozen=True, slots=True)
class Tonight:
    """The current evening."""

    began: str | None = None
    "Time of its first command, ISO 8601; None before it."
    latest: str | None = None
    "Time of the latest command."
    before: Brought = field(default_factory=dict)
    "Net buy-ins when it began."
    joined: Mapping[str, str] = field(default_factory=dict)
    "First time seated, for players who joined later; leaving and returning does not reset it."

    def after_clock_change(self, now: str, passed_s: float) -> Self:
        """Return the evening shifted to a clock that was set since the latest command, as setting it takes no time.

        Args:
            passed_s: monotonic seconds since the latest command.
        """
        moved = timedelta(seconds=self.clock_change_s(now, passed_s))
        if self.latest is None or not moved:
            return self
        began = None if self.began is None else _later(self.began, moved)
        joined = {name: _later(at, moved) for name, at in self.joined.items()}
        return replace(self, began=began, latest=_later(self.latest, moved), joined=joined)

    def clock_change_s(self, now: str, passed_s: float) -> float:
        """Return by how many seconds the clock was set since the latest command; 0 if it was not."""
        moved = 0.0 if self.latest is None else _between(self.latest, now).total_seconds() - passed_s
        return moved if abs(moved) >= SET_S else 0.0

    def passed_s(self, now: str) -> float | None:
        """Return the wall clock seconds since the latest command; None before the first."""
        return None if self.latest is None else max(0.0, _between(self.latest, now).total_seconds())

    def at(self, now: str, ever: Brought) -> Self:
        """Return the evening at a time; a new one after a long pause.

        Args:
            ever: net buy-ins so far, from `brought_ever`.
        """
        return type(self)(before=ever) if self.latest is not None and _is_pause(self.latest, now) else self

    def after(self, entries: Iterable[Entry]) -> Self:
        """Return the evening after these entries, which must not follow a long pause."""
        played = list(filter(_is_played, entries))
        if not played:
            return self
        joined = dict(self.joined)
        for entry in played:
            for player in _joining(entry):
                joined.setdefault(alike(player), entry.at)
        return replace(self, began=self.began or played[0].at, latest=played[-1].at, joined=joined)

    @classmethod
    def found(
        cls, reader: JournalReader, evening: Evening, ever: Brought, unrecorded: Iterable[ClockStep] = ()
    ) -> Self:
        """Restore the evening from the journal.

        Args:
            evening: the linked sessions up to the current one.
            ever: net buy-ins so far.
            unrecorded: clock changes that are not in the journal yet.
        """
        steps = (*clock_steps(reader), *unrecorded)
        played = reader.played_times(evening[0].session if evening else 0)
        times = ((seq, corrected_time(seq, at, steps)) for seq, at in played)
        first = next((seq for (seq, at), (_, earlier) in pairwise(times) if _is_pause(earlier, at)), None)
        if first is None:
            return cls().after(_by_clock(reader.entries(played[-1][0] - 1), steps)) if played else cls()
        entries = tuple(_by_clock(reader.entries(first - 1), steps))
        moved = _moved(entries)
        before = {name: ever.get(name, 0) - moved[name] for name in {*ever, *moved}}
        return cls(before=before).after(entries)

    # ---- totals

    def brought(self, player: str, ever: Brought) -> int:
        """Return a player's net buy-in this evening."""
        name = alike(player)
        return ever.get(name, 0) - self.before.get(name, 0)

    def to_json(self, player: str, ever: Brought) -> TonightJson:
        """Return a player's evening for the pages."""
        since = self.joined.get(alike(player), self.began)
        played = _between(since, self.latest) if since and self.latest else timedelta()
        return {"minutes": max(0, played // timedelta(minutes=1)), "brought": self.brought(player, ever)}

    def check(self, most: int, had: Ledger, has: Ledger, gains: Mapping[Account, int]) -> None:
        """Enforce the loss limit.

        Args:
            most: largest net buy-in of a player per evening; 0 for no limit.
            had, has: the ledger before and after a command.
            gains: winnings when the session began.

        Raises:
            OverLimit: the command exceeds the limit of a player.
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
    """The machine was off, and its clock may be wrong until it is first set.

    Attributes:
        after: the last entry before it went off.
        now: wall clock when the table started.
        passed_s: monotonic seconds then.
    """

    reader: JournalReader
    evening: Evening
    after: int
    now: str
    passed_s: float

    def found(self, now: str, passed_s: float, ever: Brought) -> Tonight | None:
        """Return the evening by the clock as set since; None if it has not been set, or the journal is unreadable."""
        by = _between(self.now, now).total_seconds() - (passed_s - self.passed_s)
        if abs(by) < SET_S:
            return None
        step = ClockStep(sys.maxsize, now, 0, round(by), self.after)  # not in the journal yet
        try:
            return Tonight.found(self.reader, self.evening, ever, (step,))
        except JournalError:  # the next command reports it
            return None


class TonightWatch:
    """Tracks the evening while the wall clock may be set. Not thread-safe.

    Args:
        now: wall clock, ISO 8601.
        passed: monotonic seconds that include suspend; None: the wall clock is never set.
    """

    def __init__(self, reader: JournalReader, now: Callable[[], str], passed: Callable[[], float] | None) -> None:
        self.evening = Tonight()
        self._reader, self._now, self._passed = reader, now, passed
        self._played_at: float | None = None
        "Time of its latest command, by `passed`."
        self._off: _Off | None = None

    def restore(self, session: Session, off_after: int | None = None) -> None:
        """Restore the evening from the journal; see `Tonight.found`. Trusts the wall clock at first.

        Args:
            session: the current session.
            off_after: the entry after which the machine was off; None if it was on since the latest entry.
        """
        now, ever = self._now(), _brought_at(session.table)
        found = Tonight.found(self._reader, session.evening, ever)
        self._off = None
        if self._passed is not None and (since := found.passed_s(now)) is not None:
            self._played_at = self._passed() - since
            if off_after is not None:
                self._off = _Off(self._reader, session.evening, off_after, now, self._passed())
        self.evening = found.at(now, ever)

    def look(self, table: Table) -> bool:
        """Begin a new evening after a long pause, disregarding clock changes; return whether the evening has changed.

        The first setting of the clock after the machine was off reveals for how long it was off.
        """
        before, now, ever = self.evening, self._now(), _brought_at(table)
        if self._passed is not None and self._played_at is not None:
            passed_s = self._passed()
            if self._off is not None and (found := self._off.found(now, passed_s, ever)) is not None:
                self.evening, self._off = found, None
                self._played_at = passed_s - (found.passed_s(now) or 0.0)
            else:
                self.evening = self.evening.after_clock_change(now, passed_s - self._played_at)
        self.evening = self.evening.at(now, ever)
        return self.evening is not before

    def add(self, entries: Iterable[Entry]) -> None:
        """Process new journal entries."""
        before, self.evening = self.evening, self.evening.after(entries)
        if self._passed is not None and self.evening is not before:
            self._played_at = self._passed()


def _brought_at(table: Table) -> Brought:
    return brought_ever(table.position.ledger, table.header.gains)


def brought_ever(ledger: Ledger, gains: Mapping[Account, int]) -> Brought:
    """Return each player's net buy-in over this session and those that it continues.

    A continued session starts with the coins on the table, so winnings up to then are subtracted.

    Args:
        gains: winnings when the session began.
    """
    found: Counter[str] = Counter()
    for name, coins in ledger.brought.items():
        found[alike(name)] += coins
    for account, won in gains.items():
        if account.kind is Kind.PLAYER:
            found[alike(account.name)] -= won
    return found


def _moved(entries: Iterable[Entry]) -> Counter[str]:
    """Return each player's net buy-in in these commands, without undos of an earlier evening's commands."""
    line: Timeline[Entry] = Timeline()
    for entry in filter(_is_played, entries):
        with suppress(IndexError):  # corrects a command of an earlier evening
            line.follow(json.loads(entry.record)["do"], entry)
    found: Counter[str] = Counter()
    for move in (move for entry in line.done for move in transfers(entry)):
        if move.payer == CAGE and move.why == BUY_IN:
            found[alike(move.payee.name)] += move.coins
        elif move.payee == CAGE and move.why == CASH_OUT:
            found[alike(move.payer.name)] -= move.coins
    return found


def _is_played(entry: Entry) -> bool:
    """Whether a person gave this command; the table's own commands only carry players over to the next session."""
    return entry.kind == "command" and entry.source != TABLE


def _joining(entry: Entry) -> Iterator[str]:
    """Yield the players seated by this command."""
    if f'"{PlayerJoined.__name__}"' in entry.events:
        yield from (event["player"] for event in events_of(entry) if event["event"] == PlayerJoined.__name__)


def _by_clock(entries: Iterable[Entry], steps: Sequence[ClockStep]) -> Iterator[Entry]:
    """Yield entries with their times corrected to the current clock."""
    for entry in entries:
        yield entry._replace(at=corrected_time(entry.seq, entry.at, steps)) if steps else entry


def _is_pause(before: str, now: str) -> bool:
    return _between(before, now) >= timedelta(hours=PAUSE_H)


def _later(at: str, by: timedelta) -> str:
    return iso(datetime.fromisoformat(at) + by)


def _between(before: str, now: str) -> timedelta:
    return datetime.fromisoformat(now) - datetime.fromisoformat(before)
