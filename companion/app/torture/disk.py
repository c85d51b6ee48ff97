"""A simulated disk under a folder of real files: what was not synced may be lost or torn when the power goes.

Everything that the table does with its files passes here: SQLite's writes and syncs (`sqlite_hooks`), and the calls of
`os` with which the other files are written, wherever in the program they are made. At each sync the disk notes what
the file then holds; at a power cut everything else is, sector by sector, there or not.
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
    """Return a folder that is thrown away, in memory where there is such a place: nothing waits for a real disk."""
    memory = Path("/dev/shm")
    return tempfile.TemporaryDirectory(prefix=f"{what}-", dir=memory if memory.is_dir() else None)


Death = Literal["kill", "power"]
"""How the table ends: its process is killed, or the power goes."""


class Dead(BaseException):
    """The table has ended; nothing that it does counts any more."""


@dataclass(slots=True)
class Faults:
    """What is wrong with the disk now.

    Attributes:
        is_full: nothing grows any more.
        errors: so many of the next writes and syncs fail.
    """

    is_full: bool = False
    errors: int = 0

    @property
    def are_any(self) -> bool:
        """Whether anything is wrong."""
        return self.is_full or self.errors > 0


@dataclass(slots=True)
class _Shadow:
    """A file on the disk itself: what it held when it was last synced, and what it held last of all."""

    synced: bytes = b""
    latest: bytes = b""


Names = dict[str, int]
"""The files of the folder by name, each by its inode."""


@dataclass
class SimulatedDisk:
    """The disk of one evening. Use `mounted`, and within it `life` for each life of the table.

    Attributes:
        folder: where the files lie, without folders in it.
        rng: decides what survives.
        lies: whether a power cut also takes what was synced last from the write-ahead log.
    """

    folder: Path
    rng: random.Random
    faults: Faults = field(default_factory=Faults)
    ends_in: int | None = None
    "The table ends before so many more writes."
    ended: Counter[str] = field(default_factory=Counter)
    "Before which operations it ended."
    is_dead: bool = False
    operations: int = 0
    is_paused: bool = False
    "Whether what is done now is not the table's doing."

    def __post_init__(self) -> None:
        self._shadows: dict[int, _Shadow] = {}
        self._names: list[Names] = []
        self._real: dict[str, Callable[..., Any]] = {}

    # ---- in and out

    @contextmanager
    def mounted(self) -> Iterator[None]:
        """Have everything that is done with the folder's files pass here."""
        self.sync_all()
        with ExitStack() as stack:
            for name in ("open", "pwrite", "fsync", "fdatasync", "replace", "rename", "unlink", "statvfs"):
                self._real[name] = getattr(os, name)
                stack.enter_context(patch.object(os, name, getattr(self, f"_{name}")))
            stack.enter_context(watched_sqlite(self))
            yield

    def sync_all(self) -> None:
        """Bring everything to the disk, as it is."""
        self._shadows = {path.stat().st_ino: _Shadow(path.read_bytes()) for path in self._files()}
        self._names = [self._listed()]

    def _files(self) -> list[Path]:
        return sorted(path for path in self.folder.iterdir() if path.is_file())

    def _listed(self) -> Names:
        return {path.name: path.stat().st_ino for path in self._files() if not path.name.endswith("-shm")}

    # ---- the end of a life

    def come_back(self, how: Death) -> None:
        """Have the files be what is left of them, once the table's life is over and its files are closed."""
        if how == "power":
            with self.paused():
                self._lose()
            self.sync_all()
        self.is_dead, self.ends_in = False, None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let everything through meanwhile: somebody else than the table is at the disk."""
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
        """Return what the disk has of a file: old or new sectors, as the file system happened to write them."""
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

    def forget_log(self, name: str) -> int:
        """Lose what the disk said it had: cut a write-ahead log somewhere, or take it away; return what is left."""
        path = self.folder / name
        if not path.exists():
            return 0
        size = self.rng.choice((0, self.rng.randrange(path.stat().st_size + 1)))
        os.truncate(path, size)
        return size

    # ---- what all operations have in common

    def _stop(self, what: str) -> int:
        """Return errno of what goes wrong with an operation now, 0 if nothing does."""
        if self.is_paused:
            return 0
        if self.is_dead:
            return errno.EIO
        self.operations += 1
        if self.ends_in is not None:
            self.ends_in -= 1
            if self.ends_in <= 0:
                self.is_dead = True
                self.ended[what] += 1
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
        """Keep what a file holds that is about to lose its name."""
        if path.exists():
            self._shadows.setdefault(path.stat().st_ino, _Shadow()).latest = path.read_bytes()

    # ---- what SQLite does

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

    # ---- what `os` does

    def _call(self, name: str, *args: Any, **values: Any) -> Any:
        return self._real[name](*args, **values)

    def _named(self, path: Any) -> Path | None:
        """Return a path in the folder, or the folder itself; None for all others."""
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
            if self.is_dead:
                raise Dead
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
        # the real disk is left out: it would only cost time

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
