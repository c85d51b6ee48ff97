"""Ingest: writes all pending batches in one transaction, with one notification.

A batch is acknowledged only after PostgreSQL has committed it (`synchronous_commit` is on). If the commit fails nothing
is acknowledged, and the tables resend.
"""

import logging
import random
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

import orjson
import psycopg
from psycopg import Connection

from companion.floor import tables
from companion.floor.desk.duty import is_about_duty, take_duty
from companion.floor.errors import FloorError
from companion.floor.ingest.chain import Batch, Fault, fault_of_head, fit
from companion.floor.ingest.clone_detection import TicketCheck, TicketState
from companion.floor.ingest.heads import Countersigner
from companion.floor.purse import is_about_transfer, settle, tables_with_open_transfers
from companion.floor.tables import Installation, Known
from companion.journal.hash_chain import Entry, Head, iso
from companion.journal.store import utc_now
from companion.journal.trust.witness import Statement

log = logging.getLogger(__name__)

CHANNEL: Final = "floor"
"""LISTEN channel; a notification lists tables with their latest entries: ``3:1204 7:88``."""
_LONGEST_NEWS: Final = 7_000  # characters; PostgreSQL's limit is 8,000
_TRANSFERS_EVERY_S: Final = 0.5
GATHER_MS: Final = (20, 400)
_PATIENT_S: Final = 0.1
"""A batch that waits longer than this for its commit means that tables send too often."""
_LOOK_EVERY_S: Final = 0.25
_SLOWER: Final = 1.8
_FASTER: Final = 0.9
_SPREAD: Final = (0.9, 1.1)
"""Jitter: without it the tables of one group would all send at once again."""
_UNDO_SIGNING: Final = frozenset({"rewritten", "tail-cut", "cloned", "signer"})


@dataclass(frozen=True, slots=True)
class Answer:
    """Response to a table's batch.

    Attributes:
        head: the last contiguous entry committed.
        ticket: to be returned with the next batch.
        again: the ticket was outdated: resend at once, so that the floor can tell a delay from a clone.
        statement: a head of the table, countersigned.
        faults: the table's open faults.
        gather_ms: throttling: shortest interval between two batches.
        has_transfers: the table has open transfers, and may fetch them.
    """

    head: Head
    ticket: str
    again: bool = False
    is_gap: bool = False
    statement: Statement | None = None
    faults: tuple[Fault, ...] = ()
    gather_ms: int = GATHER_MS[0]
    has_transfers: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the wire format."""
        return {
            "acknowledged": self.head.seq,
            "hash": self.head.hash,
            "ticket": self.ticket,
            "again": self.again,
            "gap": self.is_gap,
            "statement": None if self.statement is None else self.statement.to_line(),
            "faults": [
                {"kind": one.kind, "text": one.text, "first": one.first, "last": one.last} for one in self.faults
            ],
            "gather_ms": self.gather_ms,
            "transfers": self.has_transfers,
        }


class Unavailable(FloorError):
    """The database does not answer; nothing was acknowledged."""

    def __init__(self, why: str = "The floor's database does not answer. The table sends again by itself.") -> None:
        super().__init__("unavailable", why)


@dataclass(slots=True)
class _Table:
    """Cached state of a table between commits."""

    known: Known
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class Shipment:
    """A batch waiting to be written.

    Attributes:
        came: arrival, `time.monotonic` seconds.
    """

    who: Installation
    batch: Batch
    came: float


@dataclass(slots=True)
class Written:
    """Result of writing shipments: a response to each, in their order, and the committed rows.

    Attributes:
        rows: table, epoch and entry.
        is_about_duty: one of them signs somebody on or off.
    """

    answers: list[Answer | FloorError] = field(default_factory=list)
    rows: list[tuple[int, int, Entry]] = field(default_factory=list)
    is_about_duty: bool = False


@dataclass(slots=True)
class _Work:
    """Unit of work: the rows of one transaction, and the response to each shipment."""

    rows: list[tuple[int, int, Entry]] = field(default_factory=list)
    moves: dict[int, tuple[Known, Head]] = field(default_factory=dict)
    "By table, the state before and the new head."
    faults: list[tuple[int, int, Fault]] = field(default_factory=list)
    signed: list[tuple[int, int, Statement]] = field(default_factory=list)
    answers: list[Answer | FloorError] = field(default_factory=list)

    def head(self, table: _Table) -> Head:
        """Return a table's head after this commit."""
        moved = self.moves.get(table.known.table_id)
        return table.known.head if moved is None else moved[1]


class Throttle:
    """Adaptive throttling: tables batch entries for longer while commits are slow.

    Larger batches cost less per entry, so a crowd of tables is served in time if each sends less often.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ms = float(GATHER_MS[0])
        self._longest_s, self._looked_at = 0.0, clock()

    @property
    def gather_ms(self) -> int:
        """Batching interval for a table's next batch, in milliseconds."""
        return round(self._ms)

    def see(self, waited_s: float) -> None:
        """Record how long the oldest batch of a group waited for its commit."""
        self._longest_s = max(self._longest_s, waited_s)
        now = self._clock()
        if now - self._looked_at >= _LOOK_EVERY_S:
            wanted = self._ms * (_SLOWER if self._longest_s > _PATIENT_S else _FASTER)
            self._ms = min(max(wanted, GATHER_MS[0]), GATHER_MS[1])
            self._longest_s, self._looked_at = 0.0, now


class Ingest:
    """The only writer of entries. Not thread-safe.

    Args:
        dsn: connection string, with the floor's own role.
        countersigner: signs heads.
    """

    def __init__(self, dsn: str, countersigner: Countersigner) -> None:
        self._dsn = dsn
        self._countersigner = countersigner
        self._connection: Connection[Any] | None = None
        self._tables: dict[int, _Table] = {}
        self._ticket_states: dict[int, TicketState] = {}
        self._pace = Throttle()
        self._have_transfers: frozenset[int] = frozenset()
        self._asked_at = -_TRANSFERS_EVERY_S

    def close(self) -> None:
        """Close the database connection. Idempotent."""
        self._tables.clear()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def forget(self, table_id: int) -> None:
        """Invalidate the cached state of a table that somebody else has changed in the database."""
        self._tables.pop(table_id, None)

    def write(self, shipments: Sequence[Shipment]) -> Written:
        """Write batches, oldest first; return once they are committed or rejected."""
        try:
            work = self._commit(shipments)
        except psycopg.OperationalError as error:
            log.warning("Entries of %s tables could not be written: %s", len(shipments), error)
            self.close()
            return Written([Unavailable() for _ in shipments])
        except Exception:  # this is the only writer: one table's data must not stop the others
            log.exception("Entries of %s tables could not be written", len(shipments))
            self.close()
            if len(shipments) == 1:
                return Written([Unavailable()])
            return _together([self.write([one]) for one in shipments])  # retry one by one to isolate the faulty batch
        for table_id, (known, head) in work.moves.items():
            self._tables[table_id].known = replace(known, seq=head.seq, hash=head.hash)
        for table_id, _, fault in work.faults:
            log.warning("Table %s: %s", table_id, fault.text)
        self._pace.see(time.monotonic() - shipments[0].came)
        return Written(work.answers, work.rows, any(is_about_duty(entry) for _, _, entry in work.rows))

    def _commit(self, shipments: Sequence[Shipment]) -> _Work:
        connection = self._connected()
        if time.monotonic() - self._asked_at >= _TRANSFERS_EVERY_S:
            self._have_transfers, self._asked_at = tables_with_open_transfers(connection), time.monotonic()
        work = _Work()
        for shipment in shipments:
            try:
                work.answers.append(self._plan(connection, shipment, work))
            except FloorError as error:
                work.answers.append(error)
        if work.rows or work.faults or work.signed:
            self._write(connection, work)
        return work

    def _connected(self) -> Connection[Any]:
        if self._connection is None or self._connection.closed:
            self._connection = psycopg.connect(self._dsn, autocommit=True, connect_timeout=3)
            self._connection.execute("SET synchronous_commit = on")
            self._connection.execute("SET statement_timeout = '10s'")
        return self._connection

    # ---- planning

    def _plan(self, connection: Connection[Any], shipment: Shipment, work: _Work) -> Answer:
        who, batch = shipment.who, shipment.batch
        table = self._table(connection, who)
        known = table.known
        if who.epoch != known.epoch or batch.epoch != known.epoch:
            raise FloorError("replaced", "This epoch has ended: the table has joined the floor anew.")
        hash_at = partial(tables.hash_at, connection, known.table_id, known.journal)
        check = self._check_ticket(known.table_id, batch)
        fitted = fit(work.head(table), batch.entries, hash_at)
        if fitted.new:
            last = fitted.new[-1]
            before = work.moves.get(known.table_id, (known, known.head))[0]
            work.moves[known.table_id] = before, Head(last.seq, last.hash)
            work.rows += ((known.table_id, known.epoch, entry) for entry in fitted.new)
        head = work.head(table)
        fault = fitted.fault
        if fault is None and check.is_fresh and not fitted.new:
            fault = fault_of_head(batch.head, head, hash_at)
        for one in (fault, _clone(check, batch)):
            if one is not None and all((one.kind, one.first) != (old.kind, old.first) for old in table.faults):
                table.faults = (*table.faults, one)
                work.faults.append((known.table_id, known.epoch, one))
        signed = self._countersign(table, batch, work, head)
        gather_ms = round(self._pace.gather_ms * random.uniform(*_SPREAD))
        return Answer(
            head, check.ticket, not check.is_fresh, fitted.is_gap, signed, table.faults, gather_ms,
            known.table_id in self._have_transfers,
        )  # fmt: skip

    def _table(self, connection: Connection[Any], who: Installation) -> _Table:
        table = self._tables.get(who.table_id)
        if table is None or table.known.epoch != who.epoch:
            known = tables.known(connection, who.table_id)
            if known is None:
                raise FloorError("no-epoch", "This table has not begun yet.")
            faults = tables.open_faults(connection, who.table_id, known.epoch)
            table = self._tables[who.table_id] = _Table(known, faults)
        return table

    def _check_ticket(self, table_id: int, batch: Batch) -> TicketCheck:
        state = self._ticket_states.setdefault(table_id, TicketState(partial(secrets.token_hex, 8)))
        return state.check(batch.run, batch.ticket)

    def _countersign(self, table: _Table, batch: Batch, work: _Work, head: Head) -> Statement | None:
        statement, known = batch.statement, table.known
        if statement is None or any(fault.kind in _UNDO_SIGNING for fault in table.faults):
            return None
        if statement.public != known.signer:
            fault = Fault("signer", "The table's heads are signed with another key than the one that it joined with.")
            table.faults = (*table.faults, fault)
            work.faults.append((known.table_id, known.epoch, fault))
            return None
        own = {entry.seq: entry.hash for entry in batch.entries}
        signed = self._countersigner.sign(statement, known.journal, head, own.get, iso(utc_now()))
        if signed is not None:
            work.signed.append((known.table_id, known.epoch, signed))
        return signed

    # ---- writing

    def _write(self, connection: Connection[Any], work: _Work) -> None:
        """Write everything in one transaction, as a single statement if there are only entries.

        Raises:
            psycopg.errors.SerializationFailure: another process has moved a head; nothing was written.
        """
        noted = [row for row in work.rows if is_about_duty(row[2]) or is_about_transfer(row[2])]
        with connection.transaction() if noted or work.faults else nullcontext():
            if work.rows or work.signed:
                self._append(connection, work)
            for table_id, epoch, entry in noted:
                if is_about_duty(entry):
                    take_duty(connection, table_id, epoch, entry)
                wrong = settle(connection, table_id, epoch, entry)
                if wrong is not None:
                    work.faults.append((table_id, epoch, Fault("transfer", wrong, entry.seq, entry.seq)))
            for table_id, epoch, fault in work.faults:
                tables.report(connection, table_id, epoch, fault)
            if work.faults and not work.moves:
                connection.execute("SELECT pg_notify(%s, '')", (CHANNEL,))

    def _append(self, connection: Connection[Any], work: _Work) -> None:
        """Insert the rows as a database role that may only append to these tables."""
        mine = ",".join(map(str, {*work.moves, *(table_id for table_id, _, _ in work.signed)}))
        moves = [(table_id, known.epoch, known.seq, known.hash, head.seq, head.hash)
                 for table_id, (known, head) in sorted(work.moves.items())]  # fmt: skip
        rows = [(table_id, epoch, *entry) for table_id, epoch, entry in work.rows]
        signed = [(table_id, epoch, one.seq, one.to_line()) for table_id, epoch, one in work.signed]
        news = " ".join(f"{table_id}:{head.seq}" for table_id, (_, head) in work.moves.items()) or None
        if news is not None and len(news) > _LONGEST_NEWS:
            news = "*"
        texts = (orjson.dumps(part).decode() for part in (moves, rows, signed))
        connection.execute("SELECT floor.append(%s, %s, %s, %s, %s)", (f",{mine},", *texts, news))


def _together(parts: Iterable[Written]) -> Written:
    whole = Written()
    for part in parts:
        whole.answers += part.answers
        whole.rows += part.rows
        whole.is_about_duty |= part.is_about_duty
    return whole


def _clone(check: TicketCheck, batch: Batch) -> Fault | None:
    if not check.is_clone:
        return None
    return Fault("cloned", f"Two machines say that they are this table; one is at entry {batch.head.seq}.")
