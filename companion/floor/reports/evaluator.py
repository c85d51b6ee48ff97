"""Evaluates the tables' journals incrementally, a few tables at a time; its output can be rebuilt at any time.

Runs continuously in its own process, see `companion.floor.reports.results_process`.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache
from typing import Any, Final

import psycopg
from psycopg import Connection

from companion.floor.database import Connect
from companion.floor.errors import FloorError
from companion.floor.overview.journal_ranges import BEGINNING, Mark
from companion.floor.reports.evaluation import Evaluation
from companion.floor.reports.expectation import NOTHING, Expected
from companion.journal.hash_chain import Entry
from companion.plugins.registry import Games

log = logging.getLogger(__name__)

TABLES_AT_ONCE: Final = 100
ENTRIES_AT_ONCE: Final = 2_000
"""Entries of one table before the others get their turn."""
LONGEST_S: Final = 1.0
"""Time limit of one step; the table in progress is finished."""
SHARE: Final = 0.5
"""Duty cycle: largest share of one CPU."""
IDLE_S: Final = 1.0
SHOWN_EVERY_S: Final = 3.0
MAX_KEPT: Final = 250_000
"""Commands of followed tables kept in memory, so that a session need not be folded again; about 2 kB each."""
_LOCK: Final = 17_012
"""PostgreSQL advisory lock: only one process evaluates at a time."""

Closed = Callable[[Connection[Any]], Mapping[int, Mark]]
LastClose = Callable[[Connection[Any]], int]


@dataclass(slots=True)
class _Followed:
    """Evaluation state of a table's epoch.

    Attributes:
        first: the entry before the first one folded.
        close, day: the last day close, and the figures since.
        mark: the stored position; None before the first write.
    """

    epoch: int
    journal: str
    first: int
    seq: int
    evaluation: Evaluation
    used: float = 0.0
    close: int = -1
    day: Expected = NOTHING
    mark: Mark | None = None


class Evaluator:
    """Maintains `floor.result` and `floor.reckoned`. Not thread-safe.

    Args:
        connect: context manager that yields a database connection.
        games: returns the installed games.
        closed: returns, by table, the position at the last day close.
        last_close: returns the number of the last day close.
    """

    def __init__(self, connect: Connect, games: Callable[[], Games], closed: Closed, last_close: LastClose) -> None:
        self._connect, self._games, self._closed = connect, cache(games), closed
        self._last_close = last_close
        self._close, self._marks = -1, dict[int, Mark]()
        self._followed: dict[int, _Followed] = {}
        self._turn = 0
        "The table evaluated last (round robin)."

    def run(self, stop: threading.Event) -> None:
        """Work until stopped."""
        while not stop.is_set():
            began = time.monotonic()
            try:
                is_more = self.step(stop)
            except (psycopg.Error, FloorError) as error:
                log.info("The tables' results cannot be computed now: %s", error)
                is_more = False
            except Exception:
                log.exception("Internal error: the tables' results were not computed")
                self._followed.clear()
                stop.wait(10)
                is_more = False
            used = time.monotonic() - began
            stop.wait(used * (1 / SHARE - 1) if is_more else max(IDLE_S, used))

    def catch_up(self, within_s: float) -> bool:
        """Evaluate the backlog within a time limit; return whether nothing is left."""
        ends = time.monotonic() + within_s
        while time.monotonic() < ends:
            if not self.step():
                return True
        return False

    def step(self, stop: threading.Event | None = None) -> bool:
        """Evaluate new entries of some tables; return whether there are more. Waits while another process evaluates."""
        with self._connect() as connection, _alone(connection):
            close = self._last_close(connection)
            if close != self._close:
                self._close, self._marks = close, dict(self._closed(connection))
            rows = connection.execute(_BEHIND, {"turn": self._turn, "most": TABLES_AT_ONCE}).fetchall()
            is_more, ends = len(rows) == TABLES_AT_ONCE, time.monotonic() + LONGEST_S
            for table_id, epoch, journal, seq, is_latest, *mark in rows:
                if time.monotonic() > ends or (stop is not None and stop.is_set()):
                    return True
                known = Mark(*mark) if mark[0] is not None else None
                is_more |= self._take(connection, table_id, epoch, journal, seq, known) or not is_latest
                self._turn = table_id
        return is_more

    def _take(
        self, connection: Connection[Any], table_id: int, epoch: int, journal: str, head: int, known: Mark | None
    ) -> bool:
        one = self._followed.get(table_id)
        if one is None or (one.epoch, one.journal) != (epoch, journal):
            one = self._found(connection, table_id, epoch, journal)
        one.used = time.monotonic()
        asked = {"table": table_id, "epoch": epoch, "journal": journal, "seq": one.seq, "most": ENTRIES_AT_ONCE}
        rows = connection.execute(_ENTRIES, asked).fetchall()
        found, last, came = [], epoch, NOTHING
        for own, arrived, *columns in rows:
            entry = Entry(*columns)
            row = one.evaluation.add(entry)
            one.seq, last = entry.seq, own
            if row is not None:
                found.append((table_id, own, _moment(entry.at, arrived), *row.values))
                came += row.as_kept
        is_all = one.seq >= head or not rows
        reached = Mark(epoch, head) if is_all else Mark(last, one.seq)
        with connection.transaction(), connection.cursor() as cursor:
            if found:
                cursor.executemany(_ADD, found)
            if known is not None and (one.mark, one.close) == (known, self._close):
                one.day += came
            else:  # first run, after another process, or on a new day
                since = self._marks.get(table_id, BEGINNING)
                one.day = sum(expected_since(connection, table_id, since).values(), NOTHING)
            cursor.execute(_REACHED, (table_id, *reached, self._close, one.day.to_text()))
        one.mark, one.close = reached, self._close
        self._forget_old()
        return not is_all

    def _found(self, connection: Connection[Any], table_id: int, epoch: int, journal: str) -> _Followed:
        """Rebuild a table's state from the start of the session that it had been evaluated up to."""
        asked = {"table": table_id, "epoch": epoch, "journal": journal}
        row = connection.execute(f"SELECT max(e.seq) FROM floor.result e {_OF_JOURNAL}", asked).fetchone()
        known = 0 if row is None or row[0] is None else int(row[0])
        row = connection.execute(_START, asked | {"seq": known}).fetchone()
        first = 0 if row is None or row[0] is None else int(row[0]) - 1
        made = self._followed[table_id] = _Followed(epoch, journal, first, first, Evaluation(self._games()))
        return made

    def _forget_old(self) -> None:
        kept = sum(one.seq - one.first for one in self._followed.values())
        while kept > MAX_KEPT and len(self._followed) > 1:
            oldest = min(self._followed, key=lambda table: self._followed[table].used)
            gone = self._followed.pop(oldest)
            kept -= gone.seq - gone.first


@contextmanager
def _alone(connection: Connection[Any]) -> Iterator[None]:
    connection.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
    try:
        yield
    finally:
        with suppress(psycopg.Error):  # released by the server with the connection
            connection.execute("SELECT pg_advisory_unlock(%s)", (_LOCK,))


class SinceClose:
    """Expected figures since the last day close, as far as they are evaluated. Thread-safe.

    Args:
        connect: context manager that yields a database connection.
        last_close: returns the number of the last day close.
    """

    def __init__(self, connect: Connect, last_close: LastClose) -> None:
        self._connect, self._last_close = connect, last_close
        self._kept: dict[int, tuple[str, Expected]] = {}
        self._shown: Mapping[int, Expected] = {}
        self._read_at = -SHOWN_EVERY_S

    def __call__(self) -> Mapping[int, Expected]:
        """Return the figures by table."""
        if time.monotonic() - self._read_at >= SHOWN_EVERY_S:
            self._read_at = time.monotonic()
            with self._connect() as connection:
                query = "SELECT table_id, day FROM floor.reckoned WHERE day_close = %s"
                rows = connection.execute(query, (self._last_close(connection),)).fetchall()
            before, kept = self._kept, dict[int, tuple[str, Expected]]()
            for table, text in rows:
                known = before.get(table)
                if known is None or known[0] != text:
                    known = text, Expected.of_text(text)
                kept[table] = known
            self._kept = kept
            self._shown = {table: one for table, (_, one) in self._kept.items()}
        return self._shown


def evaluated_to(connection: Connection[Any], table_id: int) -> Mark:
    """Return how far a table has been evaluated."""
    row = connection.execute("SELECT epoch, seq FROM floor.reckoned WHERE table_id = %s", (table_id,)).fetchone()
    return BEGINNING if row is None else Mark(*row)


def expected_since(connection: Connection[Any], table_id: int, since: Mark) -> dict[str, Expected]:
    """Return by game the figures since a mark: new results, minus those after it that an old backup removed."""
    asked = {"table": table_id, "epoch": since.epoch, "seq": since.seq}
    found: dict[str, Expected] = {}
    for query, sign in ((_NEW, 1), (_GONE, -1)):
        for game, rounds, bets, staked, won, expected, variance, unknown in connection.execute(query, asked).fetchall():
            one = Expected(int(rounds), int(bets), int(staked), int(won), Fraction(expected), variance, int(unknown))
            found[game] = found.get(game, NOTHING) + one.times(sign)
    return {game: one for game, one in found.items() if one != NOTHING}


def _moment(at: str, arrived: datetime) -> datetime:
    """Return a table's own timestamp if it is valid and not after the entry's arrival, else the arrival."""
    try:
        told = datetime.fromisoformat(at)
    except ValueError:
        return arrived
    return arrived if told.tzinfo is None else min(told.astimezone(UTC), arrived)


_ENDS: Final = (
    "SELECT e.epoch, e.journal, CASE WHEN e.epoch = h.epoch THEN h.seq ELSE greatest(e.fork, (SELECT max(seq) "
    "FROM floor.entry old WHERE old.table_id = e.table_id AND old.epoch = e.epoch)) END AS seq FROM floor.epoch e "
    "LEFT JOIN floor.epoch next ON next.table_id = e.table_id AND next.epoch = e.epoch + 1 "
    "WHERE e.table_id = h.table_id AND e.epoch >= coalesce(r.epoch, 0) AND e.journal IS DISTINCT FROM next.journal"
)
"The end of each of a table's journals that is not fully evaluated, including those of its previous machines."
_BEHIND: Final = (
    "SELECT h.table_id, own.epoch, own.journal, own.seq, own.epoch = h.epoch, r.epoch, r.seq FROM floor.head h "
    f"LEFT JOIN floor.reckoned r USING (table_id) CROSS JOIN LATERAL (SELECT * FROM ({_ENDS}) ends "
    "WHERE (ends.epoch, ends.seq) IS DISTINCT FROM (r.epoch, r.seq) ORDER BY ends.epoch LIMIT 1) own "
    "WHERE (r.epoch, r.seq) IS DISTINCT FROM (h.epoch, h.seq) ORDER BY h.table_id <= %(turn)s, h.table_id "
    "LIMIT %(most)s"
)
_COUNTS: Final = (
    "NOT EXISTS (SELECT 1 FROM floor.epoch later WHERE later.table_id = e.table_id AND later.journal = own.journal "
    "AND later.epoch > e.epoch AND later.fork < e.seq)"
)
_OF_JOURNAL: Final = (
    "JOIN floor.epoch own USING (table_id, epoch) WHERE e.table_id = %(table)s AND own.journal = %(journal)s "
    f"AND e.epoch <= %(epoch)s AND {_COUNTS[:-1]} AND later.epoch <= %(epoch)s)"
)
"As of an epoch."
_ENTRIES: Final = (
    "SELECT e.epoch, e.arrived, e.seq, e.at, e.session, e.kind, e.source, e.key, e.record, e.events, e.prev, e.hash "
    f"FROM floor.entry e {_OF_JOURNAL} AND e.seq > %(seq)s ORDER BY e.seq LIMIT %(most)s"
)
_START: Final = f"SELECT max(e.seq) FROM floor.entry e {_OF_JOURNAL} AND e.kind = 'start' AND e.seq <= %(seq)s"
_ADD: Final = (
    "INSERT INTO floor.result (table_id, epoch, at, seq, game, bought, from_purses, cashed, to_purses, recounted, win, "
    "rounds, bets, staked, won, expected, variance, unknown) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, "
    "%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING"
)
_REACHED: Final = (
    "INSERT INTO floor.reckoned (table_id, epoch, seq, day_close, day) VALUES (%s, %s, %s, %s, %s) "
    "ON CONFLICT (table_id) DO UPDATE SET epoch = excluded.epoch, seq = excluded.seq, day_close = excluded.day_close, "
    "day = excluded.day"
)
_SUMS: Final = (
    "SELECT e.game, sum(rounds), sum(bets), sum(staked), sum(won), sum(expected), sum(variance), sum(unknown) "
    "FROM floor.result e "
    "JOIN floor.epoch own USING (table_id, epoch) WHERE e.table_id = %(table)s "
)
_NEW: Final = f"{_SUMS} AND (e.epoch, e.seq) > (%(epoch)s, %(seq)s) AND {_COUNTS} GROUP BY e.game"
_GONE: Final = (
    f"{_SUMS} AND (e.epoch, e.seq) <= (%(epoch)s, %(seq)s) AND NOT {_COUNTS} AND NOT EXISTS (SELECT 1 FROM floor.epoch "
    "early WHERE early.table_id = e.table_id AND early.journal = own.journal AND early.epoch > e.epoch "
    "AND early.epoch <= %(epoch)s AND early.fork < e.seq) GROUP BY e.game"
)
