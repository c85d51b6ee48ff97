"""Journal ranges: what counted at a point in time, what was added since, and what an old backup removed.

A point in time is a mark in a table's history. A later epoch may fork before the mark, as after restoring an old
backup; entries after the fork no longer count. Takings since a mark are therefore the takings that count now minus
those that counted then, both summed from the session in which they begin to differ.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from psycopg import Connection

from companion.floor.overview.takings import Takings, TakingsCounter
from companion.journal.hash_chain import Entry

_COLUMNS: Final = "e.seq, e.at, e.session, e.kind, e.source, e.key, e.record, e.events, e.prev, e.hash"
_COUNTED: Final = (
    "FROM floor.entry e JOIN floor.epoch own USING (table_id, epoch) WHERE e.table_id = %(table)s "
    "AND own.journal = %(journal)s AND (e.epoch, e.seq) <= (%(epoch)s, %(seq)s) AND NOT EXISTS (SELECT 1 FROM "
    "floor.epoch later WHERE later.table_id = e.table_id AND later.journal = own.journal AND later.epoch > e.epoch "
    "AND later.epoch <= %(epoch)s AND later.fork < e.seq)"
)
_EVERYTHING: Final = 2**62


class Mark(NamedTuple):
    """A point in a table's history: the latest epoch and its latest entry."""

    epoch: int
    seq: int


BEGINNING: Final = Mark(0, 0)


@dataclass(frozen=True, slots=True)
class JournalRange:
    """A journal of the table, from the start of a session."""

    journal: str
    start: int


@dataclass(frozen=True, slots=True)
class _Epoch:
    epoch: int
    journal: str
    fork: int


def changed_since(connection: Connection[Any], table_id: int, since: Mark) -> tuple[JournalRange, ...]:
    """Return the parts of a table's history that may have changed since a mark, the current journal last."""
    query = "SELECT epoch, journal, fork FROM floor.epoch WHERE table_id = %s ORDER BY epoch"
    epochs = [_Epoch(*row) for row in connection.execute(query, (table_id,))]
    later = [one for one in epochs if one.epoch > since.epoch]
    touched = [one.journal for one in epochs if one.epoch >= since.epoch]
    parts = []
    for journal in reversed(dict.fromkeys(reversed(touched))):  # without duplicates, in the order of last use
        forks = [one.fork for one in later if one.journal == journal]
        common = min([_last(connection, table_id, journal, since), *forks])
        parts.append(JournalRange(journal, _session_start(connection, table_id, journal, since, common)))
    return tuple(parts)


def takings_at(connection: Connection[Any], table_id: int, parts: Sequence[JournalRange], mark: Mark) -> Takings:
    """Return the takings of some parts at a mark. Coins on the table in an abandoned journal are written off."""
    query = "SELECT journal FROM floor.epoch WHERE table_id = %s AND epoch = %s"
    row = connection.execute(query, (table_id, mark.epoch)).fetchone()
    total = Takings()
    for part in parts:
        came_to = TakingsCounter().add_all(entries(connection, table_id, part, mark)).total
        total += came_to if row is not None and part.journal == row[0] else came_to.given_up
    return total


def entries(
    connection: Connection[Any], table_id: int, part: JournalRange, mark: Mark, most: int = _EVERYTHING
) -> Iterator[Entry]:
    """Yield up to ``most`` entries of a part that counted at a mark."""
    query = f"SELECT {_COLUMNS} {_COUNTED} AND e.seq >= %(start)s ORDER BY e.seq LIMIT %(most)s"
    asked = _asked(table_id, part.journal, mark) | {"start": part.start, "most": most}
    with connection.transaction(), connection.cursor("chapter") as cursor:
        for row in cursor.execute(query, asked):
            yield Entry(*row)


def _last(connection: Connection[Any], table_id: int, journal: str, mark: Mark) -> int:
    row = connection.execute(f"SELECT max(e.seq) {_COUNTED}", _asked(table_id, journal, mark)).fetchone()
    return 0 if row is None or row[0] is None else int(row[0])


def _session_start(connection: Connection[Any], table_id: int, journal: str, mark: Mark, seq: int) -> int:
    query = f"SELECT e.seq {_COUNTED} AND e.kind = 'start' AND e.seq <= %(upto)s ORDER BY e.seq DESC LIMIT 1"
    row = connection.execute(query, _asked(table_id, journal, mark) | {"upto": seq}).fetchone()
    return 0 if row is None else int(row[0])


def _asked(table_id: int, journal: str, mark: Mark) -> dict[str, object]:
    return {"table": table_id, "journal": journal, "epoch": mark.epoch, "seq": mark.seq}
