"""Dealer shifts. A dealer signs on at the table, which journals it, or at the floor."""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from psycopg import Connection

from companion.floor import people
from companion.floor.database import Connect
from companion.floor.errors import FloorError
from companion.journal.durable import DAMAGED
from companion.journal.hash_chain import Entry
from companion.kernel.messages import message

DUTY: Final = "duty"
"""Key in a notice's data: ``{"dealer": "Dan"}``, or null for nobody."""
LONGEST_NAME: Final = 40


@dataclass(frozen=True, slots=True)
class Shift:
    """A dealer's shift at a table; `until` is None while it lasts."""

    table: str
    dealer: str
    since: str
    until: str | None
    who: str


class Roster:
    """Current and past shifts. Thread-safe.

    Args:
        connect: context manager that yields a database connection.
    """

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._now: dict[int, str] | None = None

    def now(self) -> Mapping[int, str]:
        """Return the dealer on duty at each table."""
        with self._lock:
            if self._now is None:
                query = (
                    "SELECT DISTINCT ON (table_id) table_id, dealer FROM floor.duty ORDER BY table_id, at DESC, id DESC"
                )
                with self._connect() as connection:
                    rows = connection.execute(query).fetchall()
                self._now = {table_id: dealer for table_id, dealer in rows if dealer is not None}
            return self._now

    def forget(self) -> None:
        """Invalidate the cache: a table has reported a change."""
        with self._lock:
            self._now = None

    def dealers(self) -> list[str]:
        """Return the names of everybody who may deal."""
        query = "SELECT name FROM floor.person WHERE role IN ('dealer', 'pit', 'owner') ORDER BY name"
        with self._connect() as connection:
            return [name for (name,) in connection.execute(query)]

    def sign(self, table: str, dealer: str | None, who: str) -> None:
        """Sign a dealer on at a table, ending the current shift; None only ends it.

        Raises:
            FloorError: no such table or person, or no change.
        """
        with self._connect() as connection, connection.transaction():
            row = connection.execute("SELECT id FROM floor.house_table WHERE name = %s", (table,)).fetchone()
            if row is None:
                raise FloorError.coded("no-table", "There is no table {name} at this floor.", name=repr(table[:40]))
            if dealer is not None and people.role_of(connection, dealer) in (None, "auditor"):
                raise FloorError.coded("no-dealer", "Nobody who deals here is called {name}.", name=repr(dealer[:40]))
            if _latest(connection, row[0]) == dealer:
                raise FloorError("nothing-done", _already(dealer, table))
            connection.execute(  # the floor's clock may have been set back since the last shift
                "INSERT INTO floor.duty (at, table_id, dealer, who) SELECT greatest(now(), max(at)), %(table)s, "
                "%(dealer)s, %(who)s FROM floor.duty WHERE table_id = %(table)s",
                {"table": row[0], "dealer": dealer, "who": who},
            )
            did = "signed a dealer off" if dealer is None else "signed a dealer on"
            people.note(connection, who, did, {"table": table, "dealer": dealer})
        self.forget()

    def shifts(self) -> list[Shift]:
        """Return the latest shifts, newest first."""
        query = (
            "SELECT table_name, dealer, since::text, until::text, who FROM floor.shifts ORDER BY since DESC LIMIT 200"
        )
        with self._connect() as connection:
            return [Shift(*row) for row in connection.execute(query)]


def is_about_duty(entry: Entry) -> bool:
    """Return whether an entry may sign somebody on or off."""
    return entry.kind == "notice" and f'"{DUTY}"' in entry.record


def take_duty(connection: Connection[Any], table_id: int, epoch: int, entry: Entry) -> None:
    """Record a shift change from a table's entry, in the transaction that stores the entry."""
    try:
        duty = json.loads(entry.record)["data"][DUTY]
        dealer, at = duty["dealer"], datetime.fromisoformat(entry.at)
    except DAMAGED:
        return
    is_name = isinstance(dealer, str) and 0 < len(dealer) <= LONGEST_NAME and dealer.isprintable()
    if at.tzinfo is None or not (dealer is None or is_name):
        return
    connection.execute(  # a table's clock may be set back between two entries; the later entry wins
        "INSERT INTO floor.duty (at, table_id, dealer, who, epoch, seq) SELECT "
        "greatest(least(%(at)s, now()), max(at)), %(table)s, %(dealer)s, %(who)s, %(epoch)s, %(seq)s "
        "FROM floor.duty WHERE table_id = %(table)s AND seq IS NOT NULL ON CONFLICT DO NOTHING",
        {"at": at, "table": table_id, "dealer": dealer, "who": dealer or "table", "epoch": epoch, "seq": entry.seq},
    )


def _already(dealer: str | None, table: str) -> str:
    if dealer is None:
        return message("Nobody is on duty at {table} already.", table=table)
    return message("{dealer} is on duty at {table} already.", dealer=dealer, table=table)


def _latest(connection: Connection[Any], table_id: int) -> str | None:
    query = "SELECT dealer FROM floor.duty WHERE table_id = %s ORDER BY at DESC, id DESC LIMIT 1"
    row = connection.execute(query, (table_id,)).fetchone()
    return None if row is None else row[0]
