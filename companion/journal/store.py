"""The table's journal: every accepted command with its effects, in an append-only SQLite file.

Each entry contains the hash of the one before it, so an altered, missing or inserted entry is detected and named.
Once `Journal.append` has returned, its entries are durable: they survive a power cut.
"""

import errno
import os
import sqlite3
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

from companion.closing import Closing
from companion.journal.evening import TABLE
from companion.journal.hash_chain import Draft, Entry, Head, entry_hash, genesis, iso
from companion.journal.sqlite_file import (
    JournalError,
    JournalHeld,
    about,
    check_ours,
    check_writable,
    connect,
    connect_to_read,
    create,
    is_full,
    journal_error,
    key_changes,
    prepare,
    roll_back,
    sign,
    signature_at,
    signatures,
    signed_head,
    signers,
    sqlite_errors,
    tidy_after_loss,
    try_to_write,
    wal_path,
)
from companion.journal.trust.guard import Guard, Trouble, open_guard
from companion.journal.trust.mark import mark_path
from companion.journal.trust.signing import HeadCheck, KeyBook, KeyUnusable
from companion.journal.trust.witness import Statement
from companion.kernel.errors import os_reason

__all__ = ["FILE_NAME", "Clock", "Journal", "JournalError", "JournalHeld", "JournalReader", "random_id", "utc_now"]

FILE_NAME: Final = "journal.sqlite3"

_MIN_FREE_BYTES: Final = 1 << 20  # bytes; with less free space, `check` tries to write

Clock = Callable[[], datetime]

_COLUMNS: Final = "seq, at, session, kind, source, key, record, events, prev, hash"


def utc_now() -> datetime:
    """Return the current time: the default clock of `Journal`."""
    return datetime.now(UTC)


def random_id() -> str:
    """Return a random journal id: the default for a new `Journal`."""
    return uuid.uuid4().hex


# ---- reading


class JournalReader(Closing):
    """Reads a journal over its own connection, while the table may be writing. Thread-safe."""

    def __init__(
        self, path: Path, connection: sqlite3.Connection, copy: tempfile.TemporaryDirectory[str] | None = None
    ) -> None:
        self.path = path
        self._connection = connection
        self._copy = copy
        self._lock = threading.Lock()

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a journal for reading only.

        Raises:
            JournalError: the file is missing or cannot be used; the message says why.
        """
        if not path.exists():
            raise JournalError(f"There is no journal {path}. Check the data directory; `companion run` begins one.")
        try:
            connection, copy = connect_to_read(path)
            check_ours(connection, path)
        except sqlite3.Error as error:
            raise journal_error(path, error) from error
        return cls(path, connection, copy)

    @property
    def id(self) -> str:
        """The journal's id, assigned when it was created."""
        with self._lock, sqlite_errors(self.path):
            return about(self._connection, "id")

    def signatures(self) -> dict[int, tuple[str, bytes]]:
        """Return all signatures: seq of a commit's last entry -> public key and signature."""
        with self._lock, sqlite_errors(self.path):
            return signatures(self._connection)

    def key_changes(self) -> list[tuple[int, int]]:
        """Return the changes of signing key: the last seq signed with one key, and the first with the next."""
        with self._lock, sqlite_errors(self.path):
            return key_changes(self._connection) if len(signers(self._connection)) > 1 else []

    def entries(self, after: int = 0, limit: int = -1) -> Iterator[Entry]:
        """Yield the entries after seq ``after``, oldest first, at most ``limit``; a negative limit means all.

        Raises:
            JournalError: the file is damaged there.
        """
        while limit:
            size = 2000 if limit < 0 else min(limit, 2000)
            rows = self._rows(after, size)
            yield from rows
            if len(rows) < size:
                return
            after, limit = rows[-1].seq, limit - size if limit > 0 else limit

    def latest(self, count: int) -> tuple[Entry, ...]:
        """Return the last entries, oldest first."""
        with self._lock, sqlite_errors(self.path):
            rows = self._connection.execute(f"SELECT {_COLUMNS} FROM entry ORDER BY seq DESC LIMIT ?", (count,))
            return tuple(self._entry(row) for row in rows)[::-1]

    def _rows(self, after: int, size: int) -> list[Entry]:
        query = f"SELECT {_COLUMNS} FROM entry WHERE seq > ? ORDER BY seq LIMIT ?"
        with self._lock, sqlite_errors(self.path):
            return [self._entry(row) for row in self._connection.execute(query, (after, size))]

    def _entry(self, row: Sequence[Any]) -> Entry:
        """Return a row as an entry. SQLite may accept damaged rows of a torn page.

        Raises:
            JournalError: a mandatory column is empty.
        """
        entry = Entry._make(row)
        if entry.record is None or entry.events is None:
            raise journal_error(self.path, sqlite3.DatabaseError(f"malformed entry {entry.seq}"))
        return entry

    def notices(self, holding: str) -> list[Entry]:
        """Return the notices whose JSON record contains a text."""
        query = f"SELECT {_COLUMNS} FROM entry WHERE kind = 'notice' AND instr(record, ?) ORDER BY seq"
        with self._lock, sqlite_errors(self.path):
            return [self._entry(row) for row in self._connection.execute(query, (holding,))]

    def played_times(self, session: int) -> list[tuple[int, str]]:
        """Return seq and time of each command since a session began, latest first, without the table's own."""
        query = "SELECT seq, at FROM entry WHERE kind = 'command' AND source != ? AND session >= ? ORDER BY seq DESC"
        with self._lock, sqlite_errors(self.path):
            return self._connection.execute(query, (TABLE, session)).fetchall()

    def latest_change(self) -> int:
        """Return the seq of the last entry that changed the table, i.e. is not a notice; 0 if there is none."""
        query = "SELECT seq FROM entry WHERE kind != 'notice' ORDER BY seq DESC LIMIT 1"
        with self._lock, sqlite_errors(self.path):
            row = self._connection.execute(query).fetchone()
        return int(row[0]) if row else 0

    def latest_start(self) -> Entry | None:
        """Return the start entry of the latest session; None for an empty journal."""
        query = f"SELECT {_COLUMNS} FROM entry WHERE kind = 'start' ORDER BY seq DESC LIMIT 1"
        with self._lock, sqlite_errors(self.path):
            row = self._connection.execute(query).fetchone()
        return self._entry(row) if row else None

    def statement(self, seq: int | None = None) -> Statement | None:
        """Return a signed head in the form that witnesses store, or None.

        Args:
            seq: return the first signed head at or after this entry; None: the latest one.
        """
        with self._lock, sqlite_errors(self.path):
            found = signed_head(self._connection, seq)
            if found is None:
                return None
            seq, public, value = found
            row = self._connection.execute("SELECT hash, at FROM entry WHERE seq = ?", (seq,)).fetchone()
            id_ = about(self._connection, "id")
        return None if row is None else Statement(id_, seq, str(row[0]), str(row[1]), public, value.hex())

    def find_damage(self) -> str | None:
        """Run SQLite's integrity check; return the first problem, or None."""
        with self._lock, sqlite_errors(self.path):
            found = str(self._connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
            return None if found == "ok" else found

    def copy_to(self, path: Path, progress: Callable[[int, int], None] | None = None) -> None:
        """Write a consistent copy, even while the table runs.

        Args:
            progress: called with pages copied and total pages.

        Raises:
            OSError: the disk has no space for the copy.
            JournalError: the journal cannot be read.
        """

        def tell(_: int, left: int, total: int) -> None:
            if progress is not None:
                progress(total - left, total)

        with self._lock, closing(sqlite3.connect(path)) as target:
            try:
                self._connection.backup(target, pages=2000, progress=tell)
                target.execute("PRAGMA journal_mode=DELETE")  # a single file, without -wal and -shm
            except sqlite3.Error as error:
                if is_full(error):  # the journal is only read, so the copy's disk is meant
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from error
                raise journal_error(self.path, error) from error

    def close(self) -> None:
        """Close the connection; may be called twice."""
        with self._lock:
            self._connection.close()
            if self._copy is not None:
                self._copy.cleanup()


# ---- writing


class Journal(Closing):
    """Appends to a journal and signs each commit. Used by one thread of one process (see `datalock`)."""

    def __init__(self, path: Path, connection: sqlite3.Connection, clock: Clock, *, is_copy: bool = False) -> None:
        self.path = path
        self._connection = connection
        self._clock = clock
        self._is_accepting = False
        self.id: Final = about(connection, "id")
        "The journal's id, assigned when it was created."
        self.head, self.latest_at = self._read_head()
        self._guard = None if is_copy else open_guard(path, self)
        if self._guard is not None and self._guard.trouble is None:
            self._guard.watch(wal_path(path))

    @classmethod
    def open(
        cls, path: Path, *, clock: Clock = utc_now, new_id: Callable[[], str] = random_id, is_copy: bool = False
    ) -> Self:
        """Open the journal; create it if there is none.

        Args:
            clock: source of the entries' times.
            new_id: returns the id of a new journal.
            is_copy: for a trial on a copy: without signatures, high-water mark and checks against them.

        Raises:
            JournalError: damaged, from a newer version, not a journal, or not writable.
        """
        is_new = not path.exists()
        try:
            if is_new:
                create(path)
            check_writable(path)
            connection = connect(path, "rw")
            try:
                prepare(connection, path, new_id)
                return cls(path, connection, clock, is_copy=is_copy)
            except BaseException:
                connection.close()
                raise
        except sqlite3.Error as error:
            raise journal_error(path, error) from error
        except KeyUnusable as error:
            raise JournalError(str(error)) from error
        except OSError as error:
            raise JournalError(
                f"The journal {path} cannot be written: {error.strerror}. Fix this, then start the table again."
            ) from error

    def now(self) -> str:
        """Return the current time in the format of entries."""
        return iso(self._clock())

    # ---- holds: reasons not to write

    @property
    def trouble(self) -> Trouble | None:
        """Why nothing may be written, or None; see `Guard.trouble`."""
        return None if self._guard is None else self._guard.trouble

    @property
    def is_held(self) -> bool:
        """Whether writing is currently refused."""
        return self.trouble is not None and not self._is_accepting

    def hold(self, trouble: Trouble) -> None:
        """Refuse to write until the owner accepts this trouble, or a known one that concerns later entries."""
        if self._guard is not None:
            known = self._guard.trouble
            reaches_further = known is None or (known.last is not None and (trouble.last or 0) > known.last)
            self._guard.trouble = trouble if reaches_further else known

    def check(self) -> None:
        """Check that the journal can be written: its files are still in place, and the disk has space.

        Raises:
            JournalError: it cannot be written.
        """
        self._check_files()
        disk = os.statvfs(self.path)
        if disk.f_bavail * disk.f_frsize < _MIN_FREE_BYTES or disk.f_flag & os.ST_RDONLY:
            self.try_to_write()

    def try_to_write(self) -> None:
        """Commit a write that changes nothing: the only reliable test of whether the disk takes one.

        Raises:
            JournalError: the commit failed.
        """
        with sqlite_errors(self.path):
            try_to_write(self._connection)

    def _check_files(self) -> None:
        gone = None if self._guard is None else self._guard.missing_file()
        if gone is not None:
            raise JournalHeld(gone)

    def _check_written(self) -> None:
        """Check after a commit that the files are still in place: otherwise it went into unlinked files and is lost.

        Raises:
            JournalHeld: a file is gone or replaced; nothing is written until the table is restarted.
        """
        gone = None if self._guard is None else self._guard.missing_file()
        if gone is not None:
            self.hold(gone)
            raise JournalHeld(gone)

    @contextmanager
    def accepting(self) -> Iterator[None]:
        """Allow writing despite the trouble; at the end of the block the journal is accepted as it is.

        Raises:
            JournalError: something cannot be written; the trouble stays.
        """
        assert self._guard is not None, "a copy has no trouble"
        with sqlite_errors(self.path):
            signed = self.signature_at(self.head.seq)
            is_right = signed is not None and HeadCheck(self.id).is_right(self.head, *signed)
            tidy_after_loss(self._connection, self.head.seq if is_right else self.head.seq - 1)
        try:
            self._guard.prepare_to_accept()
            self._is_accepting = True
            yield
            self.flush_wal()  # else abandoned entries still in the main file would return if the WAL were lost again
            self._guard.accepted()
            self._guard.watch(wal_path(self.path))
        except OSError as error:
            raise _mark_error(self.path, error) from error
        finally:
            self._is_accepting = False

    # ---- entries

    def append(self, drafts: Sequence[Draft]) -> tuple[Entry, ...]:
        """Write entries in one transaction; when this returns, they are durable.

        The high-water mark is updated too. If that fails, the next append tries it again before it writes anything.

        Raises:
            JournalError: writing failed; none of the entries was written, and the journal is unchanged.
            JournalHeld: the journal has trouble; nothing was written.
        """
        if self.trouble is not None and self.is_held:
            raise JournalHeld(self.trouble)
        self._check_files()
        self._catch_up()
        entries = tuple(self._linked(drafts))
        if not entries:
            return entries
        head = Head(entries[-1].seq, entries[-1].hash)
        rows = [(e.seq, e.at, e.session, e.kind, e.source, e.key, e.record, e.events, e.prev, e.hash) for e in entries]
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
            if self._guard is not None and (signed := self._guard.signature(head)) is not None:
                sign(self._connection, head.seq, *signed)
            self._check_inserted(rows)
            self._connection.execute("COMMIT")
        except (sqlite3.Error, OverflowError, UnicodeError) as error:
            roll_back(self._connection)
            raise journal_error(self.path, error) from error
        self._check_written()
        self.head, self.latest_at = head, entries[-1].at
        if self._guard is not None:
            with suppress(OSError):  # the entries are in the journal; the next append first catches up on the mark
                self._guard.committed(head, self.latest_at)
        return entries

    def _check_inserted(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Check that the file has the rows just inserted: a planted trigger could drop or change them silently.

        Raises:
            sqlite3.DatabaseError: the rows differ.
        """
        query = f"SELECT {_COLUMNS} FROM entry WHERE seq > ? ORDER BY seq"
        if self._connection.execute(query, (self.head.seq,)).fetchall() != rows:
            raise sqlite3.DatabaseError("malformed: it does not keep what is written")

    def _catch_up(self) -> None:
        try:
            if self._guard is not None:
                self._guard.catch_up()
        except OSError as error:
            raise _mark_error(self.path, error) from error

    def _linked(self, drafts: Iterable[Draft]) -> Iterator[Entry]:
        at = self.now()
        seq, prev = self.head.seq, self.head.hash
        for d in drafts:
            seq += 1
            digest = entry_hash(prev, seq, at, d.session, d.kind, d.source, d.key, d.record, d.events)
            yield Entry(seq, at, d.session, d.kind, d.source, d.key, d.record, d.events, prev, digest)
            prev = digest

    def by_key(self, key: str) -> Entry | None:
        """Return the entry with this idempotency key, or None."""
        with sqlite_errors(self.path):
            row = self._connection.execute(f"SELECT {_COLUMNS} FROM entry WHERE key = ?", (key,)).fetchone()
        return Entry(*row) if row else None

    def flush_wal(self) -> None:
        """Checkpoint the write-ahead log; call while the table is idle. Errors are ignored: the next append reports."""
        try:
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        except sqlite3.Error:
            return

    # ---- the guard's `Facts`

    def _read_head(self) -> tuple[Head, str]:
        row = self._connection.execute("SELECT seq, hash, at FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
        return (Head(row[0], row[1]), row[2]) if row else (Head(0, genesis(self.id)), "")

    def hash_at(self, seq: int) -> str | None:
        """Return an entry's hash, or None; for seq 0, the genesis hash."""
        row = self._connection.execute("SELECT hash FROM entry WHERE seq = ?", (seq,)).fetchone()
        return str(row[0]) if row else genesis(self.id) if seq == 0 else None

    def signature_at(self, seq: int) -> tuple[str, bytes] | None:
        """Return the public key and signature of an entry, or None."""
        return signature_at(self._connection, seq)

    def signers(self) -> frozenset[str]:
        """Return the public keys of all signatures."""
        return signers(self._connection)

    def code(self, text: bytes) -> str:
        """Return a MAC of a text, made with the signing key; empty without one."""
        return "" if self._guard is None else self._guard.code(text)

    def close(self) -> None:
        """Close the files; may be called twice."""
        self._connection.close()
        if self._guard is not None:
            self._guard.close()


def mark_restored(path: Path) -> None:
    """Write the high-water mark of a journal just restored from a backup, which is thereby accepted as it is.

    A journal with signatures by unknown keys gets no mark, so that the next start asks the owner.

    Raises:
        JournalError: the journal or the mark cannot be written.
    """
    mark_path(path).unlink(missing_ok=True)
    with Journal.open(path, is_copy=True) as journal:
        if not journal.signers() - KeyBook.beside(path).trusted():
            Guard(path, KeyBook.beside(path), journal, None).close()


def _mark_error(path: Path, error: OSError) -> JournalError:
    return JournalError.saying(
        "The file beside {file} that says how far the journal goes cannot be written: {error}. Check the disk.",
        file=str(path),
        error=os_reason(error),
    )
