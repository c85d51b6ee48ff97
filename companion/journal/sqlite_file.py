"""The journal's SQLite file: schema, opening for reading and writing, signatures, and translation of errors."""

import errno
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from companion.journal.durable import sync_folder
from companion.journal.trust.guard import Trouble
from companion.kernel.errors import CompanionError
from companion.kernel.messages import message

FORMAT: Final = 3
"""Version of the file format. Since 2 all decisions have one form, which later versions can read; 3 adds signatures."""
_OLDEST: Final = 2
_APPLICATION: Final = 0x524F4348  # "ROCH": the application id of our SQLite files
_PAGES_BEFORE_CHECKPOINT: Final = 10_000  # a last resort: normally `flush_wal` checkpoints while the table is idle
_BUSY_MS: Final = 2_000

_TABLES: Final = (
    """CREATE TABLE entry (
        seq INTEGER PRIMARY KEY, at TEXT NOT NULL, session INTEGER NOT NULL, kind TEXT NOT NULL,
        source TEXT NOT NULL, key TEXT, record TEXT NOT NULL, events TEXT NOT NULL,
        prev TEXT NOT NULL, hash TEXT NOT NULL) STRICT""",
    "CREATE UNIQUE INDEX entry_key ON entry (key) WHERE key IS NOT NULL",
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
)
_SIGNATURES: Final = (
    "CREATE TABLE IF NOT EXISTS signer (id INTEGER PRIMARY KEY, public TEXT NOT NULL UNIQUE) STRICT",
    """CREATE TABLE IF NOT EXISTS signature (
        seq INTEGER PRIMARY KEY, signer INTEGER NOT NULL REFERENCES signer (id), value BLOB NOT NULL) STRICT""",
)
"""Schema of the signatures, one for each commit's last entry."""
_COLUMNS_OF: Final = {
    "entry": ("seq", "at", "session", "kind", "source", "key", "record", "events", "prev", "hash"),
    "about": ("name", "value"),
    "signer": ("id", "public"),
    "signature": ("seq", "signer", "value"),
}
_SINCE_SIGNATURES: Final = ("signer", "signature")
_LONGEST_VALUE: Final = 64 * 2**20  # bytes; entries have a few kilobytes, a huge one was planted to exhaust the memory


class JournalError(CompanionError):
    """The journal cannot be read or written. Acknowledged entries are still in it."""

    trouble: Trouble | None = None
    "The trouble that holds the table, if any."


class JournalHeld(JournalError):
    """The journal has trouble, so nothing is written to it."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.text)
        self.trouble = trouble


# ---- opening


def create(path: Path) -> None:
    """Create the empty file, readable by its owner only; SQLite gives its helper files the same permissions."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except FileExistsError as error:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from error
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    sync_folder(path.parent)


def check_writable(path: Path) -> None:
    """Raise the reason why the file cannot be written: SQLite would only report that it cannot open it.

    Does not open the file itself, as closing it again would release SQLite's POSIX locks.

    Raises:
        OSError: the file or its folder is not writable.
    """
    if not os.access(path, os.W_OK) or not os.access(path.parent, os.W_OK):
        is_read_only = bool(os.statvfs(path).f_flag & os.ST_RDONLY)
        reason = errno.EROFS if is_read_only else errno.EACCES
        raise OSError(reason, os.strerror(reason))


class _Connection(sqlite3.Connection):
    """A connection whose errors are all `sqlite3.Error`.

    SQLite's message about a damaged file may quote bytes that are not valid text, for which Python raises
    `UnicodeDecodeError`.
    """

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        try:
            return super().execute(sql, parameters)
        except UnicodeDecodeError as error:
            raise sqlite3.DatabaseError("malformed database") from error


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Open the file in mode ``rw``, ``ro``, or ``immutable`` for a file that nobody changes."""
    query = "mode=ro&immutable=1" if mode == "immutable" else f"mode={mode}"
    uri = f"{path.absolute().as_uri()}?{query}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, factory=_Connection)
    connection.execute(f"PRAGMA busy_timeout={_BUSY_MS}")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    return connection


def connect_to_read(path: Path) -> tuple[sqlite3.Connection, tempfile.TemporaryDirectory[str] | None]:
    """Open the file read-only, even on a read-only medium.

    In a folder that is not writable SQLite cannot create its helper files. The file is then opened as immutable; if it
    has a write-ahead log, both are copied to a temporary folder first, which is returned as well.
    """
    try:
        connection = connect(path, "ro")
        connection.execute("PRAGMA user_version").fetchone()
        return connection, None
    except sqlite3.OperationalError:
        if os.access(path.parent, os.W_OK):
            raise
    wal = wal_path(path)
    if not wal.exists() or wal.stat().st_size == 0:
        return connect(path, "immutable"), None
    folder = tempfile.TemporaryDirectory(prefix="companion-journal-")
    try:
        for file in (path, wal):
            shutil.copyfile(file, Path(folder.name) / file.name)
        return connect(Path(folder.name) / path.name, "ro"), folder
    except BaseException:
        folder.cleanup()
        raise


def wal_path(path: Path) -> Path:
    """Return the path of a file's write-ahead log."""
    return path.with_name(f"{path.name}-wal")


def prepare(connection: sqlite3.Connection, path: Path, new_id: Callable[[], str]) -> None:
    """Create the tables of an empty file, and set the connection up for durable writing.

    Raises:
        JournalError: the file is of another program or version, or its disk does not support a write-ahead log.
    """
    if _is_empty(connection):
        _begin(connection, new_id())
    check_ours(connection, path)
    mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
    if mode != "wal":
        raise JournalError(f"The disk of {path} cannot keep a write-ahead log (it offers {mode!r}). Use a local disk.")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute(f"PRAGMA wal_autocheckpoint={_PAGES_BEFORE_CHECKPOINT}")
    connection.execute("BEGIN IMMEDIATE")  # fails on a read-only disk now rather than at the first bet
    for statement in _SIGNATURES:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version={FORMAT}")
    connection.execute("COMMIT")
    connection.set_authorizer(_by_no_trigger)


def _by_no_trigger(action: int, one: str | None, two: str | None, base: str | None, by: str | None) -> int:
    """Authorizer that denies all access by triggers and views: we have none; a planted one could alter old entries."""
    return sqlite3.SQLITE_OK if by is None else sqlite3.SQLITE_DENY


def try_to_write(connection: sqlite3.Connection) -> None:
    """Commit a write that changes nothing, to raise whatever a real commit would raise."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(f"PRAGMA user_version={FORMAT}")
        connection.execute("COMMIT")
    except sqlite3.Error:
        roll_back(connection)
        raise


def tidy_after_loss(connection: sqlite3.Connection, last: int) -> None:
    """Remove the traces of lost entries: their keys from the index, and their signatures.

    Args:
        last: the latest entry whose signature is kept.

    Raises:
        sqlite3.Error: the file is damaged in other ways, too.
    """
    connection.execute("REINDEX")
    if _signed(connection, "SELECT 1 FROM signature WHERE seq > ?", last):
        connection.execute("DELETE FROM signature WHERE seq > ?", (last,))
    found = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
    if found != "ok":
        raise sqlite3.DatabaseError(f"malformed: {found}")


def roll_back(connection: sqlite3.Connection) -> None:
    """Roll a failed transaction back."""
    if connection.in_transaction:
        with suppress(sqlite3.Error):  # SQLite may have rolled back automatically
            connection.execute("ROLLBACK")


def _is_empty(connection: sqlite3.Connection) -> bool:
    return not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()


def _begin(connection: sqlite3.Connection, journal_id: str) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for statement in (*_TABLES, *_SIGNATURES):
        connection.execute(statement)
    connection.execute("INSERT INTO about VALUES ('id', ?)", (journal_id,))
    connection.execute(f"PRAGMA application_id={_APPLICATION}")
    connection.execute(f"PRAGMA user_version={FORMAT}")
    connection.execute("COMMIT")


def check_ours(connection: sqlite3.Connection, path: Path) -> None:
    """Check that a file is a journal of a supported version.

    Raises:
        JournalError: it is not.
    """
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if connection.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
        raise JournalError(f"{path} is an SQLite file of something else, not a journal. Move it out of the way.")
    if version > FORMAT:
        raise JournalError(
            f"The journal {path} was written by a newer companion (version {version}, this one knows {FORMAT}). "
            "Update the companion; the journal is left as it is."
        )
    if version < _OLDEST:
        raise JournalError(
            f"The journal {path} is from before the first release (version {version}, this one knows {FORMAT}) and "
            "cannot be read any more. Move it out of the data directory; a new one begins with everybody's buy-in."
        )
    _check_tables(connection, path)


def _check_tables(connection: sqlite3.Connection, path: Path) -> None:
    """Check that our tables are real tables with our columns.

    A forged file may replace one by a view, with invented or endless rows, or use generated columns.

    Raises:
        JournalError: a table is missing or forged.
    """
    for name, columns in _COLUMNS_OF.items():
        kind = connection.execute("SELECT type, sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()
        if kind is None and name in _SINCE_SIGNATURES:
            continue
        is_table = kind is not None and kind[0] == "table" and str(kind[1]).upper().startswith("CREATE TABLE")
        found = [(str(row[1]), int(row[6])) for row in connection.execute(f"PRAGMA table_xinfo({name})")]
        if not is_table or found != [(column, 0) for column in columns]:
            raise JournalError(f"{path} is no journal: somebody has put another table in the place of {name!r}.")


def about(connection: sqlite3.Connection, name: str) -> str:
    """Return a value of the ``about`` table; empty if it is missing."""
    row = connection.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
    return str(row[0]) if row else ""


# ---- signatures


def signers(connection: sqlite3.Connection) -> frozenset[str]:
    """Return the public keys of all signatures; none in a journal from before there were signatures."""
    return frozenset(str(row[0]) for row in _signed(connection, "SELECT public FROM signer"))


def signatures(connection: sqlite3.Connection) -> dict[int, tuple[str, bytes]]:
    """Return all signatures: an entry's seq -> public key and signature."""
    query = "SELECT seq, public, value FROM signature LEFT JOIN signer ON signer.id = signature.signer"
    return {int(seq): (str(public), bytes(value)) for seq, public, value in _signed(connection, query)}


def signature_at(connection: sqlite3.Connection, seq: int) -> tuple[str, bytes] | None:
    """Return the public key and signature of an entry, or None."""
    query = "SELECT public, value FROM signature LEFT JOIN signer ON signer.id = signature.signer WHERE seq = ?"
    return next(((str(public), bytes(value)) for public, value in _signed(connection, query, seq)), None)


def key_changes(connection: sqlite3.Connection) -> list[tuple[int, int]]:
    """Return the changes of signing key: the last seq signed with one key, and the first with the next."""
    query = (
        "SELECT before, seq FROM (SELECT seq, signer, lag(seq) OVER one AS before, lag(signer) OVER one AS other "
        "FROM signature WINDOW one AS (ORDER BY seq)) WHERE signer != other ORDER BY seq"
    )
    return [(int(before), int(seq)) for before, seq in _signed(connection, query)]


def signed_head(connection: sqlite3.Connection, first: int | None) -> tuple[int, str, bytes] | None:
    """Return the seq, public key and signature of a signed entry, or None.

    Args:
        first: return the first signed entry at or after this seq; None: the latest one.
    """
    query = (
        "SELECT seq, public, value FROM signature LEFT JOIN signer ON signer.id = signature.signer "
        f"WHERE seq >= ? ORDER BY seq {'DESC' if first is None else 'ASC'} LIMIT 1"
    )
    found = _signed(connection, query, first or 0)
    return next(((int(seq), str(public), bytes(value)) for seq, public, value in found), None)


def _signed(connection: sqlite3.Connection, query: str, *values: int) -> list[tuple[Any, ...]]:
    found = connection.execute("SELECT count(*) FROM sqlite_master WHERE name IN ('signature', 'signer')").fetchone()
    return connection.execute(query, values).fetchall() if found[0] == 2 else []


def sign(connection: sqlite3.Connection, seq: int, public: str, value: bytes) -> None:
    """Add an entry's signature, in the transaction that adds the entry."""
    connection.execute("INSERT OR IGNORE INTO signer (public) VALUES (?)", (public,))
    connection.execute(
        "INSERT OR REPLACE INTO signature SELECT ?, id, ? FROM signer WHERE public = ?",
        (seq, value, public),
    )


# ---- errors


class sqlite_errors:  # noqa: N801 (reads as a word in a with statement)
    """Context manager that turns SQLite's errors into `JournalError`, which says what to do."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, sqlite3.Error):
            raise journal_error(self.path, error) from error


def is_full(error: sqlite3.Error) -> bool:
    """Whether an SQLite error means that a disk is full."""
    return "full" in str(error)


_FROM_BACKUP: Final = message("Nothing was changed. Copy the file away, then `companion restore` a backup.")
_ADVICE: Final = (
    ("full", message("the disk is full"), message("Make room; the table goes on by itself.")),
    ("readonly", message("the disk or the file is read-only"), message("Make it writable, then start again.")),
    ("unable to open", message("it cannot be opened"), message("Check that the folder exists and is yours.")),
    ("malformed", message("the file is damaged"), _FROM_BACKUP),
    ("not a database", message("the file is damaged"), _FROM_BACKUP),
    ("not authorized", message("the file is damaged"), _FROM_BACKUP),  # a planted trigger
    ("prohibited", message("the file is damaged"), _FROM_BACKUP),
    ("too big", message("the file is damaged"), _FROM_BACKUP),
    ("UNIQUE", message("another process wrote into it"), message("Stop the other one, then start again.")),
    ("locked", message("another program holds it"), message("Close that program; the table goes on by itself.")),
    ("disk I/O", message("the disk reports an error"), message("Check its cable or card, make a backup now.")),
)


def journal_error(path: Path, error: Exception) -> JournalError:
    """Return an SQLite error as a message that says what was found and what to do."""
    for sign, seen, advice in _ADVICE:
        if sign in str(error):
            return JournalError.saying(
                "The journal {file} cannot be used: {seen} ({error}). {advice}",
                file=str(path),
                seen=seen,
                error=str(error),
                advice=advice,
            )
    return JournalError.saying(
        "The journal {file} cannot be used: {error}. Nothing in it was changed.", file=str(path), error=str(error)
    )
