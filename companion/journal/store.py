"""The table's journal: every accepted command with its effects, in an append-only SQLite file.

Each entry carries the hash of the one before it, so an altered, missing or inserted entry is detected and named.
Once `Journal.append` has returned an entry is on disk and survives a power cut.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Self

from companion.journal.hash_chain import Draft, Entry, Head, entry_hash, genesis, iso
from companion.kernel.errors import CompanionError
from companion.kernel.messages import message

FILE_NAME: Final = "journal.sqlite3"
FORMAT: Final = 2
"""Of the entries: since 2 every decision is written in one form, and any later version reads it."""
_APPLICATION: Final = 0x524F4348  # "ROCH": says whose SQLite file it is
_PAGES_BEFORE_CHECKPOINT: Final = 10_000  # a last resort: `flush_wal` is called when the table is idle
_BUSY_MS: Final = 2_000

Clock = Callable[[], datetime]

_COLUMNS: Final = "seq, at, session, kind, source, key, record, events, prev, hash"
_TABLES: Final = (
    """CREATE TABLE entry (
        seq INTEGER PRIMARY KEY, at TEXT NOT NULL, session INTEGER NOT NULL, kind TEXT NOT NULL,
        source TEXT NOT NULL, key TEXT, record TEXT NOT NULL, events TEXT NOT NULL,
        prev TEXT NOT NULL, hash TEXT NOT NULL) STRICT""",
    "CREATE UNIQUE INDEX entry_key ON entry (key) WHERE key IS NOT NULL",
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
)


class JournalError(CompanionError):
    """The journal cannot be read or written. Acknowledged entries are still in it."""


def utc_now() -> datetime:
    """The clock that `Journal` writes into its entries unless another is passed in."""
    return datetime.now(UTC)


def random_id() -> str:
    """Name a new journal, unless another way is passed in."""
    return uuid.uuid4().hex


# ---- reading


class JournalReader:
    """Reads a journal over its own connection, while the table may be writing. Thread-safe."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._lock = threading.Lock()

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a journal for reading only.

        Raises:
            JournalError: there is none, or it cannot be used; the message says why.
        """
        if not path.exists():
            raise JournalError(f"There is no journal {path}. Check the data directory; `companion run` begins one.")
        try:
            connection = _connect(path, "ro")
            _check_ours(connection, path)
        except sqlite3.Error as error:
            raise _told(path, error) from error
        return cls(path, connection)

    @property
    def id(self) -> str:
        """The journal's own name, given when it was begun."""
        with self._lock:
            return _about(self._connection, "id")

    def entries(self, after: int = 0, limit: int = -1) -> Iterator[Entry]:
        """Yield the entries behind ``after``, oldest first; never more than ``limit`` unless it is below zero.

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
        with self._lock, _sqlite_errors(self.path):
            rows = self._connection.execute(f"SELECT {_COLUMNS} FROM entry ORDER BY seq DESC LIMIT ?", (count,))
            return tuple(Entry(*row) for row in rows)[::-1]

    def _rows(self, after: int, size: int) -> list[Entry]:
        query = f"SELECT {_COLUMNS} FROM entry WHERE seq > ? ORDER BY seq LIMIT ?"
        with self._lock, _sqlite_errors(self.path):
            return [Entry(*row) for row in self._connection.execute(query, (after, size))]

    def find_damage(self) -> str | None:
        """Run SQLite's own integrity check and return its first complaint."""
        with self._lock, _sqlite_errors(self.path):
            found = str(self._connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
            return None if found == "ok" else found

    def copy_to(self, path: Path, progress: Callable[[int, int], None] | None = None) -> None:
        """Write a consistent copy, even while the table runs.

        Args:
            progress: called with pages copied and total pages.
        """

        def told(_: int, left: int, total: int) -> None:
            if progress is not None:
                progress(total - left, total)

        with self._lock, _sqlite_errors(self.path), closing(sqlite3.connect(path)) as target:
            self._connection.backup(target, pages=2000, progress=told)
            target.execute("PRAGMA journal_mode=DELETE")  # one file, nothing beside it

    def close(self) -> None:
        """Close the connection; may be called twice."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


# ---- writing


class Journal:
    """Appends to a journal. One thread and one process at a time (see the data directory's lock)."""

    def __init__(self, path: Path, connection: sqlite3.Connection, head: Head, clock: Clock) -> None:
        self.path = path
        self.head = head
        self._connection = connection
        self._clock = clock

    @classmethod
    def open(cls, path: Path, *, clock: Clock = utc_now, new_id: Callable[[], str] = lambda: uuid.uuid4().hex) -> Self:
        """Open the journal, or begin one.

        Args:
            clock: gives each entry's time.
            new_id: names a new journal.

        Raises:
            JournalError: damaged, of a newer version, not ours, or the disk does not let us write.
        """
        is_new = not path.exists()
        try:
            if is_new:
                _create(path)
            _check_writable(path)
            connection = _connect(path, "rw")
            try:
                _prepare(connection, path, new_id)
                return cls(path, connection, _read_head(connection), clock)
            except BaseException:
                connection.close()
                raise
        except sqlite3.Error as error:
            raise _told(path, error) from error
        except OSError as error:
            raise JournalError(
                f"The journal {path} cannot be written: {error.strerror}. Mend that, then start again."
            ) from error

    def now(self) -> str:
        """Return the time as entries have it."""
        return iso(self._clock())

    def append(self, drafts: Sequence[Draft]) -> tuple[Entry, ...]:
        """Write all these entries in one go; they are on the disk when this returns.

        Raises:
            JournalError: they could not be written. None of them was, and the journal is as before.
        """
        entries = tuple(self._linked(drafts))
        rows = [(e.seq, e.at, e.session, e.kind, e.source, e.key, e.record, e.events, e.prev, e.hash) for e in entries]
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
            self._connection.execute("COMMIT")
        except (sqlite3.Error, OverflowError, UnicodeError) as error:
            self._roll_back()
            raise _told(self.path, error) from error
        self.head = Head(entries[-1].seq, entries[-1].hash) if entries else self.head
        return entries

    def _linked(self, drafts: Iterable[Draft]) -> Iterator[Entry]:
        at = self.now()
        seq, prev = self.head.seq, self.head.hash
        for d in drafts:
            seq += 1
            digest = entry_hash(prev, seq, at, d.session, d.kind, d.source, d.key, d.record, d.events)
            yield Entry(seq, at, d.session, d.kind, d.source, d.key, d.record, d.events, prev, digest)
            prev = digest

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            try:
                self._connection.execute("ROLLBACK")
            except sqlite3.Error:  # the failed commit has rolled back by itself
                return

    def by_key(self, key: str) -> Entry | None:
        """Return the entry that a client named so, if there is one."""
        with _sqlite_errors(self.path):
            row = self._connection.execute(f"SELECT {_COLUMNS} FROM entry WHERE key = ?", (key,)).fetchone()
        return Entry(*row) if row else None

    def flush_wal(self) -> None:
        """Tidy the write-ahead log into the file; for a moment when nobody waits. Trouble shows at the next append."""
        try:
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        except sqlite3.Error:
            return

    def close(self) -> None:
        """Close the file; may be called twice."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _create(path: Path) -> None:
    """Make the empty file, readable by its owner only; SQLite gives its helpers the same permissions."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except FileExistsError as error:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from error
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Bring a folder's names to the disk: a new file's own must survive a power cut, too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _check_writable(path: Path) -> None:
    """SQLite would only say that it cannot open the file; say why. Asks without opening: that would drop its locks."""
    if not os.access(path, os.W_OK) or not os.access(path.parent, os.W_OK):
        is_read_only = bool(os.statvfs(path).f_flag & os.ST_RDONLY)
        reason = errno.EROFS if is_read_only else errno.EACCES
        raise OSError(reason, os.strerror(reason))


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    connection.execute(f"PRAGMA busy_timeout={_BUSY_MS}")
    return connection


def _prepare(connection: sqlite3.Connection, path: Path, new_id: Callable[[], str]) -> None:
    if _is_empty(connection):
        _begin(connection, new_id())
    _check_ours(connection, path)
    mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
    if mode != "wal":
        raise JournalError(f"The disk of {path} cannot keep a write-ahead log (it offers {mode!r}). Use a local disk.")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute(f"PRAGMA wal_autocheckpoint={_PAGES_BEFORE_CHECKPOINT}")
    connection.execute("BEGIN IMMEDIATE")  # a read-only disk is found here, not at the first bet
    connection.execute(f"PRAGMA user_version={FORMAT}")
    connection.execute("COMMIT")


def _is_empty(connection: sqlite3.Connection) -> bool:
    return not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()


def _begin(connection: sqlite3.Connection, journal_id: str) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for statement in _TABLES:
        connection.execute(statement)
    connection.execute("INSERT INTO about VALUES ('id', ?)", (journal_id,))
    connection.execute(f"PRAGMA application_id={_APPLICATION}")
    connection.execute(f"PRAGMA user_version={FORMAT}")
    connection.execute("COMMIT")


def _check_ours(connection: sqlite3.Connection, path: Path) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if connection.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
        raise JournalError(f"{path} is an SQLite file of something else, not a journal. Move it out of the way.")
    if version > FORMAT:
        raise JournalError(
            f"The journal {path} was written by a newer companion (version {version}, this one knows {FORMAT}). "
            "Update the companion; the journal is left as it is."
        )
    if version < FORMAT:
        raise JournalError(
            f"The journal {path} is from before the first release (version {version}, this one knows {FORMAT}) and "
            "cannot be read any more. Move it out of the data directory; a new one begins with everybody's buy-in."
        )


def _read_head(connection: sqlite3.Connection) -> Head:
    row = connection.execute("SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
    return Head(*row) if row else Head(0, genesis(_about(connection, "id")))


def _about(connection: sqlite3.Connection, name: str) -> str:
    row = connection.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
    return str(row[0]) if row else ""


class _sqlite_errors:  # noqa: N801 (reads as a word in a with statement)
    """Translates SQLite's errors into ours, which say what to do."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, sqlite3.Error):
            raise _told(self.path, error) from error


_FROM_BACKUP: Final = message("Nothing was changed. Copy the file away, then `companion restore` a backup.")
_ADVICE: Final = (
    ("full", message("the disk is full"), message("Make room; the table goes on by itself.")),
    ("readonly", message("the disk or the file is read-only"), message("Make it writable, then start again.")),
    ("unable to open", message("it cannot be opened"), message("Check that the folder exists and is yours.")),
    ("malformed", message("the file is damaged"), _FROM_BACKUP),
    ("not a database", message("the file is damaged"), _FROM_BACKUP),
    ("UNIQUE", message("another process wrote into it"), message("Stop the other one, then start again.")),
    ("locked", message("another program holds it"), message("Close that program; the table goes on by itself.")),
    ("disk I/O", message("the disk reports an error"), message("Check its cable or card, make a backup now.")),
)


def _told(path: Path, error: Exception) -> JournalError:
    """Say an SQLite error to a person: what was seen, what to do."""
    for sign, seen, advice in _ADVICE:
        if sign in str(error):
            return JournalError(
                message(
                    "The journal {file} cannot be used: {seen} ({error}). {advice}",
                    file=str(path),
                    seen=seen,
                    error=str(error),
                    advice=advice,
                )
            )
    return JournalError(
        message(
            "The journal {file} cannot be used: {error}. Nothing in it was changed.", file=str(path), error=str(error)
        )
    )
