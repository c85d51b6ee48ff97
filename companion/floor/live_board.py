"""Builds the pit's live overview of all tables, updated incrementally from their journals."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from psycopg import Connection

from companion.config.price_list import PriceList
from companion.floor.database import Connect
from companion.floor.overview.board import Line, Prices, urgency
from companion.floor.overview.journal_ranges import JournalRange, Mark, changed_since, entries, takings_at
from companion.floor.overview.recent_entries import RecentEntries
from companion.floor.overview.snapshots import LiveSnapshots
from companion.floor.overview.takings import Takings, TakingsCounter
from companion.floor.reports.expectation import Expected
from companion.journal.hash_chain import iso

FRESH_S: Final = 0.1
"""Shortest time between rebuilds, however many clients poll."""
ONLINE_S: Final = 10.0
"""A table that has not reported for this long counts as offline."""
MAX_ENTRIES: Final = 5_000
"""Journal entries counted in one rebuild; the rest follow in the next ones."""

LastReports = Callable[[], dict[int, tuple[float, int]]]
PositionAtClose = Callable[[Connection[Any], int], Mark]


@dataclass(frozen=True, slots=True)
class BoardInputs:
    """Further inputs of the board: expected results since the last close, dealers on duty, a table's price list."""

    expected: Callable[[], Mapping[int, Expected]] = dict
    duty: Callable[[], Mapping[int, str]] = dict
    prices: Callable[[str], PriceList] = lambda table: {}


@dataclass(slots=True)
class _RunningTakings:
    """Running takings of one table's epoch.

    Attributes:
        before: takings of other journals, minus what had counted when the day began.
        part: the current journal.
    """

    epoch: int
    before: Takings
    part: JournalRange
    till: TakingsCounter = field(default_factory=TakingsCounter)
    added: Takings = field(default_factory=Takings)
    "The part of `taken` that comes from the till."
    taken: Takings | None = None

    def total(self) -> Takings:
        """Return the day's takings; the same object while they are unchanged."""
        if self.taken is None or self.added is not self.till.total:
            self.added, self.taken = self.till.total, self.before + self.till.total
        return self.taken


@dataclass(frozen=True, slots=True)
class _RenderedRow:
    """A table's rendered row, the inputs it was built from, and its sort key."""

    made_of: tuple[object, ...]
    line: Line
    urgency: tuple[object, ...]


class Board:
    """Current state of all tables. Thread-safe.

    Args:
        connect: context manager that yields a database connection.
        live: latest snapshot of each table.
        seen: returns, by table, when it last reported (seconds since 1970) and its journal's latest entry.
        closed: returns a table's position at the last day close.
        clock: seconds since 1970.
        fresh: cache of the latest committed entries.
    """

    def __init__(
        self, connect: Connect, live: LiveSnapshots, seen: LastReports, closed: PositionAtClose,
        clock: Callable[[], float], inputs: BoardInputs | None = None, fresh: RecentEntries | None = None,
    ) -> None:  # fmt: skip
        self._inputs = inputs or BoardInputs()
        self._connect, self._live, self._seen, self._closed, self._clock = connect, live, seen, closed, clock
        self._fresh = fresh or RecentEntries()
        self._lock = threading.Lock()
        self._counted: dict[int, _RunningTakings] = {}
        self._drawn: dict[int, _RenderedRow] = {}
        self._lines: Sequence[Line] = ()
        self._changed: dict[int, int] = {}
        "By table, the version in which its row last changed."
        self._version = int(clock() * 1000)  # above all versions of earlier processes, which open pages may still hold
        self._made_at = -FRESH_S

    def lines(self, within_s: float = FRESH_S) -> Sequence[Line]:
        """Return all rows, at most this old, tables that need attention first."""
        with self._lock:
            self._refresh(within_s)
            return self._lines

    def since(self, version: int) -> dict[str, Any]:
        """Return the order of all tables and the rows changed since a version, as JSON; version 0 returns all rows."""
        with self._lock:
            self._refresh()
            version = version if version <= self._version else 0  # from an earlier process whose clock was ahead
            changed = [line.to_json() for line in self._lines if self._changed[line.table_id] > version]
            order = [line.table_id for line in self._lines]
            return {"version": self._version, "now": _iso(self._clock()), "order": order, "tables": changed}

    def _refresh(self, within_s: float = FRESH_S) -> None:
        began = time.monotonic()
        if began - self._made_at < within_s:
            return
        before, self._drawn = self._drawn, self._render_rows()
        places = {line.table_id: place for place, line in enumerate(self._lines)}
        as_before = sorted(self._drawn.values(), key=lambda one: places.get(one.line.table_id, -1))
        # Start from the previous order: nearly sorted input needs few comparisons of urgencies, which are expensive.
        self._lines = [one.line for one in sorted(as_before, key=lambda one: one.urgency)]
        self._version += 1
        for table_id, one in self._drawn.items():
            known = before.get(table_id)
            if known is not one and (known is None or known.line != one.line):
                self._changed[table_id] = self._version
        self._made_at = began

    def forget(self) -> None:
        """Discard the counted takings: a day was closed."""
        with self._lock:
            self._counted.clear()
            self._drawn.clear()
            self._made_at = -FRESH_S

    def _render_rows(self) -> dict[int, _RenderedRow]:
        """Return every table's row; an unchanged row is the same object as before."""
        query = (
            "SELECT table_id, table_name, epoch, coalesce(seq, 0), open_incidents, "
            "extract(epoch FROM latest_arrival)::float FROM floor.tables"
        )
        found: dict[int, _RenderedRow] = {}
        left = MAX_ENTRIES
        with self._connect() as connection:
            seen, pictures, now = self._seen(), self._live.pictures(), self._clock()
            expected, duty = self._inputs.expected(), self._inputs.duty()
            for table_id, name, epoch, seq, incidents, arrived in connection.execute(query).fetchall():
                heard, claimed = seen.get(table_id, (arrived, None))
                is_online = table_id in seen and now - heard < ONLINE_S
                behind = None if claimed is None else max(0, claimed - seq)
                away_since = None if is_online else _iso(heard)
                shown = (table_id, name, epoch, seq, is_online, away_since, behind, incidents, pictures.get(table_id))
                told = self._inputs.prices(name)
                made_of = (*shown, expected.get(table_id), duty.get(table_id), told)
                before = self._drawn.get(table_id)
                if before is not None and before.line.takings is not None and before.made_of == made_of:
                    found[table_id] = before
                    continue
                taken, used = (None, 0) if epoch is None else self._count(connection, table_id, Mark(epoch, seq), left)
                left -= used
                prices = self._prices(table_id, told)
                line = Line(*shown, taken, expected.get(table_id), duty.get(table_id), prices)
                found[table_id] = _RenderedRow(made_of, line, urgency(line))
        return found

    def _prices(self, table_id: int, told: PriceList) -> Prices | None:
        """Return the price list versions a table plays by and should play by; None where the floor sets nothing."""
        counted = self._counted.get(table_id)
        if counted is None or not counted.till.game:
            return None
        wanted = told.get(counted.till.game)
        if wanted is None and counted.till.prices is None:
            return None
        return Prices(counted.till.game, counted.till.prices, None if wanted is None else wanted.version)

    def _count(self, connection: Connection[Any], table_id: int, head: Mark, most: int) -> tuple[Takings | None, int]:
        """Return a table's takings since the last close, and the number of entries read for it."""
        known = self._counted.get(table_id)
        if most <= 0 and (known is None or known.till.seq < head.seq):
            return None, 0
        if known is None or known.epoch != head.epoch:
            since = self._closed(connection, table_id)
            *others, part = changed_since(connection, table_id, since)
            before = takings_at(connection, table_id, others, head)
            before -= takings_at(connection, table_id, [*others, part], since)
            known = self._counted[table_id] = _RunningTakings(head.epoch, before, part)
        seq = known.till.seq
        if seq < head.seq:
            start = max(known.part.start, seq + 1)
            just_now = self._fresh.take(table_id, head.epoch, start - 1, head.seq)
            if just_now is None:
                known.till.add_all(entries(connection, table_id, JournalRange(known.part.journal, start), head, most))
            else:
                known.till.add_all(just_now)
        taken = known.total() if known.till.seq >= head.seq else None
        return taken, known.till.seq - seq


def _iso(at: float | None) -> str | None:
    return None if at is None else iso(datetime.fromtimestamp(at, UTC))
