"""Simulated disk over a folder of real files: unsynced data may be lost or torn in a power failure.

All of the table's file operations pass through it: SQLite's writes and syncs (`sqlite_hooks`), and the functions of
`os` that write the other files. At each sync it records the file's content; after a power failure every other sector is
present or not, at random.
"""

import errno
import os
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal
from unittest.mock import patch

from companion.app.torture.sqlite_hooks import OK, watched_sqlite

SECTOR: Final = 512
_FULL: Final = 13
_IOERR: Final = 10
_IOERR_WRITE, _IOERR_SYNC, _IOERR_TRUNCATE = 10 | 3 << 8, 10 | 4 << 8, 10 | 6 << 8


def scratch(what: str) -> tempfile.TemporaryDirectory[str]:
    """Return a temporary directory, in memory if possible, for speed."""
    memory = Path("/dev/shm")
    return tempfile.TemporaryDirectory(prefix=f"{what}-", dir=memory if memory.is_dir() else None)


CrashKind = Literal["kill", "power"]
"""Kind of crash: the process is killed, or the power fails."""


class Crashed(BaseException):
    """The table has crashed; raised to unwind it."""


@dataclass(slots=True)
class Faults:
    """Current disk faults.

    Attributes:
        is_full: no file can grow.
        errors: number of further writes and syncs that fail.
    """

    is_full: bool = False
    errors: int = 0

    @property
    def are_any(self) -> bool:
        """Whether there is any fault."""
        return self.is_full or self.errors > 0


@dataclass(slots=True)
class _Shadow:
    """A file's content when it was last synced, and its latest content."""

    synced: bytes = b""
    latest: bytes = b""


Names = dict[str, int]
"""Directory: file name -> inode."""


@dataclass
class SimulatedDisk:
    """The disk of one evening; active within `mounted`.

    Attributes:
        folder: directory of the files, without subdirectories.
        rng: decides what survives a power failure.
    """

    folder: Path
    rng: random.Random
    faults: Faults = field(default_factory=Faults)
    crash_after: int | None = None
    "Crash after this many further operations."
    crashes: Counter[str] = field(default_factory=Counter)
    "Counts crashes by the operation that they preceded."
    has_crashed: bool = False
    operations: int = 0
    is_paused: bool = False
    "Operations now are not the table's, and pass through."

    def __post_init__(self) -> None:
        self._shadows: dict[int, _Shadow] = {}
        self._names: list[Names] = []
        self._real: dict[str, Callable[..., Any]] = {}

    # ---- mounting

    @contextmanager
    def mounted(self) -> Iterator[None]:
        """Intercept all operations on the folder's files."""
        self.sync_all()
        with ExitStack() as stack:
            for name in ("open", "pwrite", "fsync", "fdatasync", "replace", "rename", "unlink", "statvfs"):
                self._real[name] = getattr(os, name)
                stack.enter_context(patch.object(os, name, getattr(self, f"_{name}")))
            stack.enter_context(watched_sqlite(self))
            yield

    def sync_all(self) -> None:
        """Mark the current state as synced."""
        self._shadows = {path.stat().st_ino: _Shadow(path.read_bytes()) for path in self._files()}
        self._names = [self._listed()]

    def _files(self) -> list[Path]:
        return sorted(path for path in self.folder.iterdir() if path.is_file())

    def _listed(self) -> Names:
        return {path.name: path.stat().st_ino for path in self._files() if not path.name.endswith("-shm")}

    # ---- crashes

    def recover(self, how: CrashKind) -> None:
        """Replace the files by what survived, after a crash and once they are closed."""
        if how == "power":
            with self.paused():
                self._lose()
            self.sync_all()
        self.has_crashed, self.crash_after = False, None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let operations of others than the table pass through."""
        self.is_paused = True
        try:
            yield
        finally:
            self.is_paused = False

    def _lose(self) -> None:
        self._note_names()
        held = {path.stat().st_ino: path.read_bytes() for path in self._files()}
        names = self.rng.choice(self._names)
        left = {name: self._survives(inode, held) for name, inode in names.items()}
        for path in self._files():
            path.unlink()
        for name, data in left.items():
            (self.folder / name).write_bytes(data)
            (self.folder / name).chmod(0o600)

    def _survives(self, inode: int, held: dict[int, bytes]) -> bytes:
        """Return a file's content after a power failure: a mix of old and new sectors."""
        shadow = self._shadows.get(inode, _Shadow())
        old, new = shadow.synced, held.get(inode, shadow.latest)
        if old == new:
            return new
        way = self.rng.choice(("old", "new", "begun", "torn", "torn"))
        if way in ("old", "new"):
            return old if way == "old" else new
        length = max(len(old), len(new)) if self.rng.random() < 0.7 else min(len(old), len(new))
        old, new = old.ljust(length, b"\0")[:length], new.ljust(length, b"\0")[:length]
        sectors = range(0, length, SECTOR)
        until = self.rng.choice(sectors) if sectors else 0
        return b"".join(
            (new if (at < until if way == "begun" else self.rng.random() < 0.5) else old)[at : at + SECTOR]
            for at in sectors
        )

    def lose_synced_log(self, name: str) -> int:
        """Lose synced data: truncate or empty a write-ahead log; return its new size."""
        path = self.folder / name
        if not path.exists():
            return 0
        size = self.rng.choice((0, self.rng.randrange(path.stat().st_size + 1)))
        os.truncate(path, size)
        return size

    # ---- fault injection

    def _stop(self, what: str) -> int:
        """Return the errno that an operation now fails with, or 0."""
        if self.is_paused:
            return 0
        if self.has_crashed:
            return errno.EIO
        self.operations += 1
        if self.crash_after is not None:
            self.crash_after -= 1
            if self.crash_after <= 0:
                self.has_crashed = True
                self.crashes[what] += 1
                return errno.EIO
        if self.faults.errors > 0:
            self.faults.errors -= 1
            return errno.EIO
        return 0

    def _note_names(self) -> None:
        listed = self._listed()
        if listed != self._names[-1]:
            self._names.append(listed)

    def _sync_folder(self) -> None:
        self._names = [self._listed()]

    def _sync_file(self, path: Path) -> None:
        self._shadows[path.stat().st_ino] = _Shadow(path.read_bytes())

    def _remember(self, path: Path) -> None:
        """Record the content of a file that is about to lose its name."""
        if path.exists():
            self._shadows.setdefault(path.stat().st_ino, _Shadow()).latest = path.read_bytes()

    # ---- SQLite's operations

    def watches(self, path: str) -> bool:
        return path.startswith(f"{self.folder}/")

    def opened(self, path: str) -> None:
        self._note_names()

    def may_write(self, path: str, offset: int, size: int) -> int:
        if self._stop("write"):
            return _IOERR_WRITE
        return _FULL if self.faults.is_full and offset + size > os.stat(path).st_size else OK

    def may_truncate(self, path: str) -> int:
        return _IOERR_TRUNCATE if self._stop("truncate") else OK

    def may_sync(self, path: str, *, with_folder: bool) -> int:
        if self._stop("sync"):
            return _IOERR_SYNC
        self._sync_file(Path(path))
        if with_folder:
            self._sync_folder()
        return OK

    def may_delete(self, path: str) -> int:
        if self._stop("delete"):
            return _IOERR
        self._remember(Path(path))
        return OK

    # ---- functions of `os`

    def _call(self, name: str, *args: Any, **values: Any) -> Any:
        return self._real[name](*args, **values)

    def _named(self, path: Any) -> Path | None:
        """Return a path in the folder, or the folder itself; None for others."""
        if isinstance(path, int):
            return None
        found = Path(os.fsdecode(path))
        return found if found == self.folder or found.parent == self.folder else None

    def _opened_as(self, handle: int) -> Path | None:
        found = os.fstat(handle)
        if found.st_ino == self.folder.stat().st_ino:
            return self.folder
        return next((path for path in self._files() if path.stat().st_ino == found.st_ino), None)

    def _check(self, what: str) -> None:
        if stop := self._stop(what):
            if self.has_crashed:
                raise Crashed
            raise OSError(stop, os.strerror(stop))

    def _open(self, path: Any, flags: int, mode: int = 0o777, **values: Any) -> int:
        found = self._named(path)
        if found is not None and flags & os.O_CREAT and not found.exists():
            self._check("create")
            if self.faults.is_full:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        handle: int = self._call("open", path, flags, mode, **values)
        if found is not None and flags & os.O_CREAT:
            self._note_names()
        return handle

    def _pwrite(self, handle: int, data: Any, offset: int) -> int:
        if self._opened_as(handle) is not None:
            self._check("overwrite")
        written: int = self._call("pwrite", handle, data, offset)
        return written

    def _fsync(self, handle: int) -> None:
        self._bring(handle, "fsync")

    def _fdatasync(self, handle: int) -> None:
        self._bring(handle, "fdatasync")

    def _bring(self, handle: int, name: str) -> None:
        found = self._opened_as(handle)
        if found is not None:
            self._check(name)
            if found == self.folder:
                self._sync_folder()
            else:
                self._sync_file(found)
        # skip the real sync, which only costs time

    def _replace(self, source: Any, target: Any, **values: Any) -> None:
        self._rename(source, target, **values)

    def _rename(self, source: Any, target: Any, **values: Any) -> None:
        found = self._named(target)
        if found is not None:
            self._check("rename")
            self._remember(found)
        self._call("rename", source, target, **values)
        if found is not None:
            self._note_names()

    def _unlink(self, path: Any, **values: Any) -> None:
        found = self._named(path)
        if found is not None and found.exists():
            self._check("unlink")
            self._remember(found)
        self._call("unlink", path, **values)
        if found is not None:
            self._note_names()

    def _statvfs(self, path: Any) -> Any:
        disk = self._call("statvfs", path)
        if self.faults.is_full and self._named(path) is not None:
            values = list(disk[:10])
            values[3] = values[4] = 0  # f_bfree, f_bavail
            return os.statvfs_result(values)
        return disk
