"""Works the tables' chains out in the background, a little at a time: play and the pit's page never wait for it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache
from typing import Any, Final

import psycopg
from psycopg import Connection

from companion.floor.errors import FloorError
from companion.floor.overview.chapters import BEGINNING, Mark
from companion.floor.reports.expectation import NOTHING, Expected
from companion.floor.reports.reckoning import Reckoning
from companion.journal.hash_chain import Entry
from companion.plugins.registry import Games

log = logging.getLogger(__name__)

SLICE: Final = 200
"""Entries in one step."""
SHARE: Final = 0.25
"""Of one processor's time, at most."""
IDLE_S: Final = 1.0
SHOWN_EVERY_S: Final = 3.0
MOST_KEPT: Final = 200
"""Tables that are followed without a new fold from their session's start."""

Connect = Callable[[], AbstractContextManager[Connection[Any]]]
Closed = Callable[[Connection[Any], int], Mark]


@dataclass(slots=True)
class _Followed:
    """A table's epoch, worked out up to an entry."""

    epoch: int
    journal: str
    seq: int
    reckoning: Reckoning
    used: float = field(default=0.0)


class Reckoner:
    """Keeps `floor.result`. One thread works; anybody may ask.

    Args:
        connect: lends a connection to the database.
        games: returns the installed games.
        closed: returns where a table was worked out at the last day close.
    """

    def __init__(self, connect: Connect, games: Callable[[], Games], closed: Closed) -> None:
        self._connect, self._games, self._closed = connect, cache(games), closed
        self._work = threading.Lock()
        self._followed: dict[int, _Followed] = {}
        self._shown: dict[int, Expected] = {}
        self._shown_at = -SHOWN_EVERY_S
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reckoner", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def close(self) -> None:
        """Stop; may be called twice."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def since_close(self) -> Mapping[int, Expected]:
        """Return by table what could be expected of the day's bets, as far as they are worked out."""
        return self._shown

    def catch_up(self, within_s: float) -> bool:
        """Work out everything now, or as much as there is time for; return whether it was all."""
        ends = time.monotonic() + within_s
        while time.monotonic() < ends:
            if not self.step():
                return True
        return False

    # ---- the thread

    def _run(self) -> None:
        while not self._stop.is_set():
            began = time.monotonic()
            try:
                is_more = self.step()
                if began - self._shown_at > SHOWN_EVERY_S:
                    self._show()
            except (psycopg.Error, FloorError) as error:
                log.info("The tables' results wait: %s", error)
                is_more = False
            except Exception:
                log.exception("Our own mistake: the tables' results were not worked out")
                self._stop.wait(10)
                is_more = False
            used = time.monotonic() - began
            self._stop.wait(used * (1 / SHARE - 1) if is_more else IDLE_S)

    def step(self) -> bool:
        """Work out a slice of each table that has something new; return whether there is more."""
        query = (
            "SELECT h.table_id, h.epoch, e.journal, h.seq FROM floor.head h JOIN floor.epoch e USING (table_id, epoch) "
            "LEFT JOIN floor.reckoned r ON r.table_id = h.table_id "
            "WHERE (r.epoch, r.seq) IS DISTINCT FROM (h.epoch, h.seq) ORDER BY h.table_id LIMIT 100"
        )
        is_more = False
        with self._work, self._connect() as connection:
            for table_id, epoch, journal, seq in connection.execute(query).fetchall():
                if self._stop.is_set():
                    return False
                is_more |= self._take(connection, table_id, epoch, journal, seq)
        return is_more

    def _take(self, connection: Connection[Any], table_id: int, epoch: int, journal: str, head: int) -> bool:
        one = self._followed.get(table_id)
        if one is None or (one.epoch, one.journal) != (epoch, journal):
            one = self._found(connection, table_id, epoch, journal)
        one.used = time.monotonic()
        rows = connection.execute(_ENTRIES, {"table": table_id, "journal": journal, "seq": one.seq, "most": SLICE})
        found, last = [], epoch
        for own, arrived, *columns in rows.fetchall():
            entry = Entry(*columns)
            row = one.reckoning.add(entry)
            one.seq, last = entry.seq, own
            if row is not None:
                found.append((table_id, own, _moment(entry.at, arrived), *row.values))
        is_all = one.seq >= head or not rows.rowcount
        reached = (epoch, head) if is_all else (last, one.seq)
        with connection.transaction(), connection.cursor() as cursor:
            cursor.executemany(_ADD, found)
            cursor.execute(_REACHED, (table_id, *reached))
        self._forget_old()
        return not is_all

    def _found(self, connection: Connection[Any], table_id: int, epoch: int, journal: str) -> _Followed:
        """Follow a table anew, from the start of the session up to which it was worked out."""
        query = (
            "SELECT max(e.seq) FROM floor.result e JOIN floor.epoch own USING (table_id, epoch) "
            f"WHERE e.table_id = %(table)s AND own.journal = %(journal)s AND {_COUNTS}"
        )
        row = connection.execute(query, {"table": table_id, "journal": journal}).fetchone()
        known = 0 if row is None or row[0] is None else int(row[0])
        row = connection.execute(_START, {"table": table_id, "journal": journal, "seq": known}).fetchone()
        first = 0 if row is None or row[0] is None else int(row[0]) - 1
        made = self._followed[table_id] = _Followed(epoch, journal, first, Reckoning(self._games()))
        return made

    def _forget_old(self) -> None:
        if len(self._followed) > MOST_KEPT:
            oldest = min(self._followed, key=lambda table: self._followed[table].used)
            del self._followed[oldest]

    def _show(self) -> None:
        with self._connect() as connection:
            ids = [row[0] for row in connection.execute("SELECT table_id FROM floor.reckoned").fetchall()]
            self._shown = {
                table: sum(expected_since(connection, table, self._closed(connection, table)).values(), NOTHING)
                for table in ids
            }
        self._shown_at = time.monotonic()


def reckoned_at(connection: Connection[Any], table_id: int) -> Mark:
    """Return up to where a table is worked out."""
    row = connection.execute("SELECT epoch, seq FROM floor.reckoned WHERE table_id = %s", (table_id,)).fetchone()
    return BEGINNING if row is None else Mark(*row)


def expected_since(connection: Connection[Any], table_id: int, since: Mark) -> dict[str, Expected]:
    """Return by game what came since a mark: what is new, less what an old backup took away again behind it."""
    asked = {"table": table_id, "epoch": since.epoch, "seq": since.seq}
    found: dict[str, Expected] = {}
    for query, sign in ((_NEW, 1), (_GONE, -1)):
        for game, rounds, bets, staked, won, expected, variance, unknown in connection.execute(query, asked).fetchall():
            one = Expected(int(rounds), int(bets), int(staked), int(won), Fraction(expected), variance, int(unknown))
            found[game] = found.get(game, NOTHING) + one.times(sign)
    return {game: one for game, one in found.items() if one != NOTHING}


def _moment(at: str, arrived: datetime) -> datetime:
    """Return a table's own time, if it is one and not after the entry came; else when that was."""
    try:
        told = datetime.fromisoformat(at)
    except ValueError:
        return arrived
    return arrived if told.tzinfo is None else min(told.astimezone(UTC), arrived)


_COUNTS: Final = (
    "NOT EXISTS (SELECT 1 FROM floor.epoch later WHERE later.table_id = e.table_id AND later.journal = own.journal "
    "AND later.epoch > e.epoch AND later.fork < e.seq)"
)
_OF_JOURNAL: Final = (
    "FROM floor.entry e JOIN floor.epoch own USING (table_id, epoch) WHERE e.table_id = %(table)s "
    f"AND own.journal = %(journal)s AND {_COUNTS}"
)
_ENTRIES: Final = (
    "SELECT e.epoch, e.arrived, e.seq, e.at, e.session, e.kind, e.source, e.key, e.record, e.events, e.prev, e.hash "
    f"{_OF_JOURNAL} AND e.seq > %(seq)s ORDER BY e.seq LIMIT %(most)s"
)
_START: Final = f"SELECT max(e.seq) {_OF_JOURNAL} AND e.kind = 'start' AND e.seq <= %(seq)s"
_ADD: Final = (
    "INSERT INTO floor.result (table_id, epoch, at, seq, game, bought, from_purses, cashed, to_purses, recounted, win, "
    "rounds, bets, staked, won, expected, variance, unknown) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, "
    "%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING"
)
_REACHED: Final = (
    "INSERT INTO floor.reckoned (table_id, epoch, seq) VALUES (%s, %s, %s) ON CONFLICT (table_id) DO UPDATE SET "
    "epoch = excluded.epoch, seq = excluded.seq"
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
