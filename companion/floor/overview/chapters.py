"""Parts of the tables' chains: what counted at a moment, what was added since, and what an old backup took away again.

A moment is a mark in a table's history. A later epoch may begin before it, as from an old backup; what was counted
behind that counts no more, so the takings since a mark are what counts now less what counted then. Both are added up
from the session on in which they begin to differ.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from psycopg import Connection

from companion.floor.overview.takings import Takings, Till
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
    """A moment in a table's history: the latest entry of its latest epoch."""

    epoch: int
    seq: int


BEGINNING: Final = Mark(0, 0)


@dataclass(frozen=True, slots=True)
class Part:
    """A journal of the table, from the start of a session on."""

    journal: str
    start: int


@dataclass(frozen=True, slots=True)
class _Epoch:
    epoch: int
    journal: str
    fork: int


def changed_since(connection: Connection[Any], table_id: int, since: Mark) -> tuple[Part, ...]:
    """Return the parts of a table's chain in which something may have changed since a mark, the current one last."""
    query = "SELECT epoch, journal, fork FROM floor.epoch WHERE table_id = %s ORDER BY epoch"
    epochs = [_Epoch(*row) for row in connection.execute(query, (table_id,))]
    later = [one for one in epochs if one.epoch > since.epoch]
    touched = [one.journal for one in epochs if one.epoch >= since.epoch]
    parts = []
    for journal in reversed(dict.fromkeys(reversed(touched))):  # each once, where it was current last
        forks = [one.fork for one in later if one.journal == journal]
        common = min([_last(connection, table_id, journal, since), *forks])
        parts.append(Part(journal, _session_start(connection, table_id, journal, since, common)))
    return tuple(parts)


def takings_at(connection: Connection[Any], table_id: int, parts: Sequence[Part], mark: Mark) -> Takings:
    """Return what parts of a table's chain had come to at a mark. Coins in a journal that was given up are gone."""
    query = "SELECT journal FROM floor.epoch WHERE table_id = %s AND epoch = %s"
    row = connection.execute(query, (table_id, mark.epoch)).fetchone()
    total = Takings()
    for part in parts:
        came_to = Till().add_all(entries(connection, table_id, part, mark)).total
        total += came_to if row is not None and part.journal == row[0] else came_to.given_up
    return total


def entries(
    connection: Connection[Any], table_id: int, part: Part, mark: Mark, most: int = _EVERYTHING
) -> Iterator[Entry]:
    """Yield the first entries of a part that counted at a mark."""
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
