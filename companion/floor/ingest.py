"""Takes what the tables ship: one thread writes all waiting batches in one transaction, with one notification.

A batch is answered only after PostgreSQL has committed it (`synchronous_commit` is on). If that fails nobody is
acknowledged anything, and the tables send again.
"""

from __future__ import annotations

import json
import logging
import queue
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

import psycopg
from psycopg import Connection

from companion.floor import tables
from companion.floor.chain import Batch, Fault, fault_of_head, fit
from companion.floor.desk.duty import is_about_duty, take_duty
from companion.floor.errors import FloorError
from companion.floor.heads import Countersigner
from companion.floor.links import Greeting, Link
from companion.floor.purse import settle, tables_with_open_transfers
from companion.floor.tables import Installation, Known
from companion.journal.hash_chain import Entry, Head, iso
from companion.journal.store import Clock, utc_now
from companion.journal.trust.witness import Statement

log = logging.getLogger(__name__)

CHANNEL: Final = "floor"
"""What PostgreSQL's LISTEN is given; a notification names tables and their latest entries: ``3:1204 7:88``."""
GROUP: Final = 400
"""Batches in one transaction, at most."""
GROUP_ENTRIES: Final = 5_000
"""Entries in one transaction, but for those of one more batch."""
_LONGEST_NEWS: Final = 7_000  # letters: PostgreSQL takes 8,000
_SHARED_S: Final = 0.01
"""While several tables send at a time, batches wait so long for others to share their transaction."""
_TRANSFERS_EVERY_S: Final = 0.5
GATHER_MS: Final = (20, 600)
_PATIENT_S: Final = 0.1
"""A batch that waits longer for its commit shows that tables send too often."""
_LOOK_EVERY_S: Final = 0.25
_SLOWER: Final = 1.4
_FASTER: Final = 0.9
_UNDO_SIGNING: Final = frozenset({"rewritten", "tail-cut", "cloned", "signer"})


@dataclass(frozen=True, slots=True)
class Answer:
    """What a table is told about its batch.

    Attributes:
        head: the highest contiguous entry that is committed.
        ticket: to be sent with the next batch.
        again: the ticket was not the newest one: send at once, so that what the table says can be judged.
        statement: a head of the table, countersigned.
        faults: what is wrong with the table as the floor sees it.
        gather_ms: how long to collect entries before the next batch.
        has_transfers: it has still to take, to refuse or to make again some, and may ask which.
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
        """Return it as it is sent."""
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
    """The database does not answer; what was sent is not acknowledged."""

    def __init__(self) -> None:
        super().__init__("unavailable", "The floor's database does not answer. The table sends again by itself.")


Done = Callable[[Answer | FloorError], None]


@dataclass(slots=True)
class _Table:
    """What is known of a table between two commits."""

    known: Known
    faults: tuple[Fault, ...]


@dataclass(slots=True)
class _Pending:
    who: Installation
    batch: Batch
    done: Done
    came: float


@dataclass(slots=True)
class _Work:
    """What one transaction does, and whom it answers."""

    rows: list[tuple[int, int, Entry]] = field(default_factory=list)
    moves: dict[int, tuple[Known, Head]] = field(default_factory=dict)
    "By table: what is known before, and the new head."
    faults: list[tuple[int, int, Fault]] = field(default_factory=list)
    signed: list[tuple[int, int, Statement]] = field(default_factory=list)
    answers: list[tuple[_Pending, Answer | FloorError]] = field(default_factory=list)

    def head(self, table: _Table) -> Head:
        """Return where a table is once this is committed."""
        moved = self.moves.get(table.known.table_id)
        return table.known.head if moved is None else moved[1]


class Pace:
    """How long tables are to collect entries before they send them: a moment, and longer while batches have to wait.

    Larger batches cost less for each entry, so a crowd of tables is served in time by each of them sending less often.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ms = float(GATHER_MS[0])
        self._longest_s, self._looked_at = 0.0, clock()

    @property
    def gather_ms(self) -> int:
        """For a table's next batch, in milliseconds."""
        return round(self._ms)

    def see(self, waited_s: float) -> None:
        """Take how long the oldest batch of a group waited until it was committed."""
        self._longest_s = max(self._longest_s, waited_s)
        now = self._clock()
        if now - self._looked_at >= _LOOK_EVERY_S:
            wanted = self._ms * (_SLOWER if self._longest_s > _PATIENT_S else _FASTER)
            self._ms = min(max(wanted, GATHER_MS[0]), GATHER_MS[1])
            self._longest_s, self._looked_at = 0.0, now


class Ingest:
    """The floor's only writer of entries.

    Args:
        dsn: how to connect, as the floor's own role.
        countersigner: signs heads.
        on_rows: is given what was committed, in the writer's thread: table, epoch and entry.
        on_duty: called once an entry is committed that signs somebody on or off.
    """

    def __init__(
        self,
        dsn: str,
        countersigner: Countersigner,
        clock: Clock = utc_now,
        on_rows: Callable[[Sequence[tuple[int, int, Entry]]], None] = lambda rows: None,
        on_duty: Callable[[], None] = lambda: None,
    ) -> None:
        self._on_duty = on_duty
        self._dsn = dsn
        self._on_rows = on_rows
        self._countersigner = countersigner
        self._clock = clock
        self._connection: Connection[Any] | None = None
        self._queue: queue.SimpleQueue[_Pending | None] = queue.SimpleQueue()
        self._tables: dict[int, _Table] = {}
        self._links: dict[int, Link] = {}
        self._seen: dict[int, float] = {}
        self._claims: dict[int, int] = {}
        self._pace = Pace()
        self._is_crowded = False
        self._have_transfers: frozenset[int] = frozenset()
        self._asked_at = -_TRANSFERS_EVERY_S
        self._forget: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="ingest", daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def close(self) -> None:
        """Finish what waits; may be called twice."""
        self._queue.put(None)
        if self._thread.is_alive():
            self._thread.join(timeout=10)

    def submit(self, who: Installation, batch: Batch, done: Done) -> None:
        """Have a batch written; ``done`` is called, in the writer's thread, once it is committed or refused."""
        self._seen[who.table_id] = self._clock().timestamp()  # also while the database is away
        self._queue.put(_Pending(who, batch, done, time.monotonic()))

    def forget(self, table_id: int) -> None:
        """Read anew what the database says of a table: somebody else has changed it."""
        self._forget.put(table_id)

    def seen(self) -> dict[int, tuple[float, int]]:
        """Return by table when it was heard of last, in seconds since the epoch, and its journal's latest entry."""
        return {table: (at, self._claims.get(table, 0)) for table, at in self._seen.copy().items()}

    # ---- the thread

    def _run(self) -> None:
        is_open = True
        while is_open:
            group, is_open = self._next_group()
            if group:
                self._is_crowded = len(group) > 1
                self._do(group)
        if self._connection is not None:
            self._connection.close()

    def _next_group(self) -> tuple[list[_Pending], bool]:
        group: list[_Pending] = []
        item = self._queue.get()
        if self._is_crowded:
            time.sleep(_SHARED_S)
        count = 0
        while item is not None:
            group.append(item)
            count += len(item.batch.entries)
            if len(group) >= GROUP or count >= GROUP_ENTRIES:
                return group, True
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return group, True
        return group, False

    def _do(self, group: Sequence[_Pending]) -> None:
        while not self._forget.empty():
            self._tables.pop(self._forget.get(), None)
        try:
            work = self._commit(group)
        except psycopg.OperationalError as error:
            log.warning("What %s tables sent could not be written: %s", len(group), error)
            self._give_up(group)
            return
        except Exception:  # this thread is the only writer: whatever one table sends, the others are served
            log.exception("What %s tables sent could not be written", len(group))
            self._give_up(group if len(group) == 1 else ())
            for pending in group if len(group) > 1 else ():  # one of them is at fault: the others go on
                self._do([pending])
            return
        for table_id, (known, head) in work.moves.items():
            self._tables[table_id].known = replace(known, seq=head.seq, hash=head.hash)
        self._on_rows(work.rows)
        if any(is_about_duty(entry) for _, _, entry in work.rows):
            self._on_duty()
        for table_id, _, fault in work.faults:
            log.warning("Table %s: %s", table_id, fault.text)
        self._pace.see(time.monotonic() - group[0].came)
        for pending, answer in work.answers:
            pending.done(answer)

    def _give_up(self, group: Iterable[_Pending]) -> None:
        self._tables.clear()
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        for pending in group:
            pending.done(Unavailable())

    def _commit(self, group: Sequence[_Pending]) -> _Work:
        connection = self._connected()
        if time.monotonic() - self._asked_at >= _TRANSFERS_EVERY_S:
            self._have_transfers, self._asked_at = tables_with_open_transfers(connection), time.monotonic()
        work = _Work()
        for pending in group:
            try:
                self._plan(connection, pending, work)
            except FloorError as error:
                work.answers.append((pending, error))
        if work.rows or work.faults or work.signed:
            with connection.pipeline() as sent, connection.transaction():
                self._write(connection, work, sent.sync)
        return work

    def _connected(self) -> Connection[Any]:
        if self._connection is None or self._connection.closed:
            self._connection = psycopg.connect(self._dsn, autocommit=True, connect_timeout=3)
            self._connection.execute("SET synchronous_commit = on")
            self._connection.execute("SET statement_timeout = '10s'")
        return self._connection

    # ---- what is to be written

    def _plan(self, connection: Connection[Any], pending: _Pending, work: _Work) -> None:
        table, batch = self._table(connection, pending.who), pending.batch
        known = table.known
        if pending.who.epoch != known.epoch or batch.epoch != known.epoch:
            raise FloorError("replaced", "This epoch has ended: the table has joined the floor anew.")
        hash_at = partial(tables.hash_at, connection, known.table_id, known.journal)
        greeting = self._greet(known.table_id, batch)
        fitted = fit(work.head(table), batch.entries, hash_at)
        if fitted.new:
            last = fitted.new[-1]
            before = work.moves.get(known.table_id, (known, known.head))[0]
            work.moves[known.table_id] = before, Head(last.seq, last.hash)
            work.rows += ((known.table_id, known.epoch, entry) for entry in fitted.new)
        head = work.head(table)
        fault = fitted.fault
        if fault is None and greeting.is_fresh and not fitted.new:
            fault = fault_of_head(batch.head, head, hash_at)
        for one in (fault, _clone(greeting, batch)):
            if one is not None and all((one.kind, one.first) != (old.kind, old.first) for old in table.faults):
                table.faults = (*table.faults, one)
                work.faults.append((known.table_id, known.epoch, one))
        signed = self._countersign(table, batch, work, head)
        answer = Answer(
            head, greeting.ticket, not greeting.is_fresh, fitted.is_gap, signed, table.faults, self._pace.gather_ms,
            known.table_id in self._have_transfers,
        )  # fmt: skip
        work.answers.append((pending, answer))

    def _table(self, connection: Connection[Any], who: Installation) -> _Table:
        table = self._tables.get(who.table_id)
        if table is None or table.known.epoch != who.epoch:
            known = tables.known(connection, who.table_id)
            if known is None:
                raise FloorError("no-epoch", "This table has not begun yet.")
            faults = tables.open_faults(connection, who.table_id, known.epoch)
            table = self._tables[who.table_id] = _Table(known, faults)
        return table

    def _greet(self, table_id: int, batch: Batch) -> Greeting:
        link = self._links.setdefault(table_id, Link(partial(secrets.token_hex, 8)))
        self._claims[table_id] = batch.head.seq
        return link.greet(batch.run, batch.ticket)

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
        signed = self._countersigner.sign(statement, known.journal, head, own.get, iso(self._clock()))
        if signed is not None:
            work.signed.append((known.table_id, known.epoch, signed))
        return signed

    # ---- writing it

    def _write(self, connection: Connection[Any], work: _Work, wait: Callable[[], None]) -> None:
        if work.rows or work.signed:
            self._append(connection, work, wait)
        for table_id, epoch, entry in work.rows:
            if is_about_duty(entry):
                take_duty(connection, table_id, epoch, entry)
            wrong = settle(connection, table_id, epoch, entry) if entry.key is not None else None
            if wrong is not None:
                work.faults.append((table_id, epoch, Fault("transfer", wrong, entry.seq, entry.seq)))
        for table_id, epoch, fault in work.faults:
            tables.report(connection, table_id, epoch, fault)
        news = " ".join(f"{table_id}:{head.seq}" for table_id, (_, head) in work.moves.items())
        if work.moves or work.faults:
            connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, news if len(news) < _LONGEST_NEWS else "*"))

    def _append(self, connection: Connection[Any], work: _Work, wait: Callable[[], None]) -> None:
        """Add the rows as the role that may add rows of these tables only, and nothing else.

        Args:
            wait: returns once everything that was sent is done, or raises why it was not.

        Raises:
            psycopg.errors.SerializationFailure: another process has moved a head; nothing is written.
        """
        mine = ",".join(map(str, {*work.moves, *(table_id for table_id, _, _ in work.signed)}))
        connection.execute(
            "SELECT set_config('role', 'floor_table', true), set_config('floor.tables', %s, true)", (f",{mine},",)
        )
        moved = None
        if work.moves:
            moves = [(table_id, known.epoch, known.seq, known.hash, head.seq, head.hash)
                     for table_id, (known, head) in sorted(work.moves.items())]  # fmt: skip
            moved = connection.execute(_MOVE_HEADS, tuple(map(list, zip(*moves, strict=True))))
            rows = [(table_id, epoch, *entry) for table_id, epoch, entry in work.rows]
            connection.execute(_ADD_ENTRIES, (json.dumps(rows, ensure_ascii=False),))
        for table_id, epoch, statement in work.signed:
            connection.execute(_ADD_SIGNATURE, (table_id, epoch, statement.seq, statement.to_line()))
        connection.execute("RESET ROLE")
        wait()
        if moved is not None and moved.rowcount != len(work.moves):
            raise psycopg.errors.SerializationFailure("another floor writes here")


def _clone(greeting: Greeting, batch: Batch) -> Fault | None:
    if not greeting.is_clone:
        return None
    return Fault("cloned", f"Two machines say that they are this table; one is at entry {batch.head.seq}.")


_MOVE_HEADS: Final = (
    "UPDATE floor.head h SET seq = n.new_seq, hash = n.new_hash, changed = now() FROM unnest(%s::int[], %s::int[], "
    "%s::bigint[], %s::text[], %s::bigint[], %s::text[]) AS n (table_id, epoch, seq, hash, new_seq, new_hash) "
    "WHERE h.table_id = n.table_id AND h.epoch = n.epoch AND h.seq = n.seq AND h.hash = n.hash"
)
_ADD_ENTRIES: Final = (
    "INSERT INTO floor.entry (table_id, epoch, seq, at, session, kind, source, key, record, events, prev, hash) "
    "SELECT (e->>0)::int, (e->>1)::int, (e->>2)::bigint, e->>3, (e->>4)::bigint, e->>5, e->>6, e->>7, e->>8, e->>9, "
    "e->>10, e->>11 FROM jsonb_array_elements(%s::jsonb) AS e"
)
"""All rows as one JSON text: lists of columns take forty times as long to write and to read."""
_ADD_SIGNATURE: Final = (
    "INSERT INTO floor.countersignature (table_id, epoch, seq, statement) VALUES (%s, %s, %s, %s) "
    "ON CONFLICT DO NOTHING"
)
