"""Facade of the floor for its pages and tables: connection pool, ingest, cashier, audited actions."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Self

import psycopg
from psycopg import Connection
from psycopg_pool import ConnectionPool, PoolTimeout

from companion.floor import people, purse, tables
from companion.floor.broker.service import BrokerService
from companion.floor.cashier import Cashier
from companion.floor.desk.decks import DeckRegister
from companion.floor.desk.directives import Directives
from companion.floor.desk.disputes import Disputes
from companion.floor.desk.duty import Roster
from companion.floor.desk.prices import PriceBook
from companion.floor.errors import FloorError
from companion.floor.ingest.heads import floor_signer
from companion.floor.ingest.process import IngestProcess
from companion.floor.ingest.writer import Unavailable
from companion.floor.live_board import Board, BoardInputs
from companion.floor.orders import Orders
from companion.floor.overview import day_close
from companion.floor.overview.audit import AuditLine, audit_lines
from companion.floor.overview.day_close import DayClose
from companion.floor.overview.recent_entries import RecentEntries
from companion.floor.overview.snapshots import LiveSnapshots
from companion.floor.purse import Transfer
from companion.floor.reports.evaluator import Evaluator, SinceClose
from companion.floor.tables import Installation, Known
from companion.journal.hash_chain import Head
from companion.kernel.messages import message
from companion.plugins.registry import Games, installed_games

log = logging.getLogger(__name__)

_WAIT_S: Final = 5.0
CLOSE_S: Final = 10.0
"""How long a day close waits for the latest bets to be evaluated; the rest counts for the next day."""


@dataclass(frozen=True, slots=True)
class Incident:
    """An open incident of a table."""

    id: int
    table: str
    epoch: int
    kind: str
    text: str
    opened: str


class House:
    """A running floor. Thread-safe; a context manager.

    Args:
        dsn: connection string, with the floor's own role.
        folder: contains the floor's key.
        name: the floor's name in countersignatures.
        clock: seconds since the epoch.
        games: returns the installed games.
    """

    def __init__(
        self,
        dsn: str,
        folder: Path,
        name: str = "floor",
        clock: Callable[[], float] = time.time,
        games: Callable[[], Games] = installed_games,
    ) -> None:
        self._pool: ConnectionPool[Connection[Any]] = ConnectionPool(
            dsn, min_size=1, max_size=8, timeout=_WAIT_S, open=False, kwargs={"autocommit": True}
        )
        self.signer: Final = floor_signer(folder)
        self.cashier: Final = Cashier(self.connection, self.signer)
        "Purses and player cards."
        self.prices: Final = PriceBook(self.connection, games)
        self.decks: Final = DeckRegister(self.connection)
        self.duty: Final = Roster(self.connection)
        self.disputes: Final = Disputes(clock)
        self.directives: Final = Directives(self.prices, self.decks, self.duty, self.disputes)
        fresh = RecentEntries()
        self.ingest: Final = IngestProcess(dsn, folder, name, fresh.add, self.duty.forget)
        self.broker: Final = BrokerService(self.connection)
        "Manages logins of the house's broker."
        self.orders: Final = Orders(self.connection)
        "Commands from the pit to tables."
        self.live: Final = LiveSnapshots(cache(lambda: games().packages))
        self._evaluator: Final = Evaluator(self.connection, games, day_close.evaluated_at_close, day_close.last_number)
        inputs = BoardInputs(SinceClose(self.connection, day_close.last_number), self.duty.now, self.prices.list_for)
        self.board: Final = Board(self.connection, self.live, self.ingest.seen, day_close.mark_of, clock, inputs, fresh)
        self._installations: dict[str, Installation] = {}
        self._joins = 0
        "Counts joins and new epochs; certificates read before the latest one are not cached."
        self._lock = threading.Lock()
        self._closing = threading.Lock()

    def __enter__(self) -> Self:
        self._pool.open()
        self.ingest.start()
        self.orders.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.broker.close()
        self.ingest.close()
        self.orders.close()
        self._pool.close()

    @contextmanager
    def connection(self) -> Iterator[Connection[Any]]:
        """Yield a connection to the database.

        Raises:
            Unavailable: the database does not answer.
            FloorError: a value that PostgreSQL cannot store, such as a name with a zero byte.
        """
        try:
            with self._pool.connection() as connection:
                yield connection
        except psycopg.DataError as error:
            log.warning("The database rejected a value: %s", error)
            raise FloorError.coded("bad-request", "That is no name or number. Load the page again.") from error
        except psycopg.errors.DiskFull as error:
            log.warning("The floor's disk is full: %s", error)
            raise Unavailable(
                message("The floor's disk is full, so nothing was changed. Make room on it, then try again.")
            ) from error
        except (psycopg.OperationalError, PoolTimeout) as error:
            raise Unavailable() from error

    # ---- tables

    def known_machine(self, fingerprint: str) -> Installation | None:
        """Return the machine with a certificate if it is cached, else None; never queries the database."""
        found = self._installations.get(fingerprint)
        return None if found is None or found.epoch is None else found

    def installation(self, fingerprint: str) -> Installation:
        """Return the machine with a certificate.

        Raises:
            FloorError: unknown certificate, or replaced by another machine's.
        """
        found = self.known_machine(fingerprint)
        if found is None:
            joins = self._joins
            with self.connection() as connection:
                found = tables.installation(connection, fingerprint)
                everybody = tables.installations(connection)  # all at once: a whole house may connect within a second
            with self._lock:
                if joins == self._joins:
                    self._installations = {one.fingerprint: one for one in everybody}
        return found

    def join(self, code: str, certify: Callable[[str], str]) -> Installation:
        """Redeem a one-time code; see `tables.join`."""
        with self.connection() as connection:
            who = tables.join(connection, code, certify)
            self._forget_machines(who.table_id)  # earlier machines are rejected at their next message
            people.note(connection, who.name, "joined", {"table": who.table_id, "certificate": who.fingerprint})
        self.ingest.forget(who.table_id)
        self.broker.refresh()  # also disconnects the table's previous machine
        return who

    def known(self, table_id: int) -> Known | None:
        """Return what the floor has stored of a table."""
        with self.connection() as connection:
            return tables.known(connection, table_id)

    def hash_at(self, table_id: int, journal: str, seq: int) -> str | None:
        """Return the hash of an entry of a table's journal."""
        with self.connection() as connection:
            return tables.hash_at(connection, table_id, journal, seq)

    def begin_epoch(self, who: Installation, journal: str, fork: Head, signer: str) -> Known:
        """Begin an epoch for a table that has joined; see `tables.begin_epoch`."""
        with self.connection() as connection:
            known = tables.begin_epoch(connection, who, journal, fork, signer)
        self._forget_machines(who.table_id)
        self.ingest.forget(who.table_id)
        return known

    def _forget_machines(self, table_id: int) -> None:
        with self._lock:
            self._joins += 1
            kept = self._installations.items()
            self._installations = {name: found for name, found in kept if found.table_id != table_id}

    def incidents(self) -> Sequence[Incident]:
        """Return the open incidents, newest first."""
        query = (
            "SELECT i.id, t.name, i.epoch, i.kind, i.text, i.opened::text FROM floor.incident i "
            "JOIN floor.house_table t ON t.id = i.table_id WHERE i.closed IS NULL ORDER BY i.id DESC LIMIT 200"
        )
        with self.connection() as connection:
            return [Incident(*row) for row in connection.execute(query)]

    # ---- coins

    def reserve(self, asked: Transfer, who: str) -> Transfer:
        """Reserve a buy-in's coins from a purse; see `purse.reserve`."""
        with self.connection() as connection:
            return purse.reserve(connection, asked, who)

    def open_transfers(self, table_id: int) -> list[Transfer]:
        """Return the transfers that a table still has to accept, decline or redo."""
        with self.connection() as connection:
            return purse.open_transfers(connection, table_id)

    def give_up(self, table_id: int, transfer: str) -> None:
        """Mark a buy-in as to be declined by its table; see `purse.give_up`."""
        with self.connection() as connection:
            purse.give_up(connection, table_id, transfer)

    def purses(self) -> Sequence[tuple[int, str, int]]:
        """Return every purse's number, player and coins."""
        with self.connection() as connection:
            return connection.execute("SELECT account, player, coins FROM floor.purses ORDER BY player").fetchall()

    # ---- people's actions, each written to the audit log

    def invite(self, table: str, who: str) -> str:
        """Return a one-time code for a table.

        Raises:
            FloorError: invalid name.
        """
        with self.connection() as connection, connection.transaction():
            code = tables.invite(connection, table)
            people.note(connection, who, "invited a table", {"table": table})
        return code

    def close_incident(self, number: int, who: str) -> None:
        """Close an incident.

        Raises:
            FloorError: no open incident has this number.
        """
        with self.connection() as connection, connection.transaction():
            table_id = tables.close_incident(connection, number, who)
            people.note(connection, who, "closed an incident", {"incident": number, "table": table_id})
        self.ingest.forget(table_id)

    def close_day(self, who: str, after: int | None = None) -> DayClose:
        """Close the day; see `day_close.close_day`."""
        with self._closing:
            self._evaluator.catch_up(CLOSE_S)
        with self.connection() as connection:
            made = day_close.close_day(connection, who, self.signer, after)
            people.note(connection, who, "closed the day", {"close": made.number, "hash": made.hash})
        self.board.forget()
        return made

    def closes(self) -> Sequence[DayClose]:
        """Return the latest day closes, newest first."""
        with self.connection() as connection:
            return day_close.closes(connection)

    def close_number(self, number: int) -> DayClose:
        """Return a day close.

        Raises:
            FloorError: no such close.
        """
        with self.connection() as connection:
            return day_close.close_number(connection, number)

    def movements(self, close: DayClose) -> list[dict[str, Any]]:
        """Return the postings in the house's books between the previous close and this one, oldest first."""
        with self.connection() as connection:
            return day_close.movements(connection, close)

    def set_person(self, name: str, role: people.Role, pin: str, who: str) -> None:
        """Add a person, or change their role and PIN.

        Raises:
            FloorError: invalid name, role or PIN.
        """
        with self.connection() as connection, connection.transaction():
            people.set_person(connection, name, role, pin)
            people.note(connection, who, "set a person", {"name": name, "role": role})

    def role_of(self, name: str) -> people.Role | None:
        """Return a person's role; None if there is no such person."""
        with self.connection() as connection:
            return people.role_of(connection, name)

    def role_and_mark(self, name: str) -> tuple[people.Role, str] | None:
        """Return a person's role and a marker that changes with their PIN; None if there is no such person."""
        with self.connection() as connection:
            return people.role_and_mark(connection, name)

    def is_pin(self, name: str, pin: str) -> bool:
        """Return whether a PIN is a person's."""
        with self.connection() as connection:
            return people.is_pin(connection, name, pin)

    def note(self, who: str, did: str, about: Mapping[str, object] | None = None) -> None:
        """Append a line to the audit log."""
        with self.connection() as connection:
            people.note(connection, who, did, about)

    def audit_lines(self, most: int = 200) -> Sequence[AuditLine]:
        """Return the latest lines of the audit log, with readable sentences."""
        with self.connection() as connection:
            return audit_lines(connection, most)
