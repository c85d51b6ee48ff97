"""SQLite VFS shim: every write, truncation, sync and deletion first calls a watcher.

It uses the library that Python's `sqlite3` is linked with: the default VFS is copied, with a few functions replaced
that call the watcher and then the original; syncs only call the watcher, which models what a power failure leaves. Not
available where the library's symbols are hidden, as when it is linked statically into Python.
"""

import _sqlite3
import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p
from typing import Any, ClassVar, Final, Protocol

from companion.kernel.errors import CompanionError

OK: Final = 0
_LOGS: Final = 0x00080000 | 0x00000800
"""SQLITE_OPEN_WAL and SQLITE_OPEN_MAIN_JOURNAL: if opened with CREATE, the first sync also syncs the directory."""
_CREATE: Final = 0x00000004
_IOERR_DELETE: Final = 10 | 10 << 8


class NoHooks(CompanionError):
    """This Python's SQLite cannot be intercepted."""


class Watcher(Protocol):
    """Called before SQLite operates on a file; returns `OK`, or an SQLite error code instead."""

    def watches(self, path: str) -> bool: ...
    def opened(self, path: str) -> None: ...
    def may_write(self, path: str, offset: int, size: int) -> int: ...
    def may_truncate(self, path: str) -> int: ...
    def may_sync(self, path: str, *, with_folder: bool) -> int: ...
    def may_delete(self, path: str) -> int: ...


class _Methods(ctypes.Structure):
    """sqlite3_io_methods: close, read, write, truncate, sync, …"""

    _fields_: ClassVar = [("version", c_int), ("functions", c_void_p * 18)]


class _File(ctypes.Structure):
    _fields_: ClassVar = [("methods", POINTER(_Methods))]


class _Vfs(ctypes.Structure):
    _fields_: ClassVar = [
        ("version", c_int),
        ("file_size", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", c_void_p),
        ("delete", c_void_p),
        ("functions", c_void_p * 14),
    ]


_Open = CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(_File), c_int, POINTER(c_int))
_Delete = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int)
_Write = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_Truncate = CFUNCTYPE(c_int, c_void_p, c_int64)
_Sync = CFUNCTYPE(c_int, c_void_p, c_int)
_Close = CFUNCTYPE(c_int, c_void_p)
_CLOSE, _WRITE, _TRUNCATE, _SYNC = 0, 2, 3, 4


class _Hooks:
    """The copied VFS. SQLite keeps pointers into it, so there is a single one for the life of the program."""

    def __init__(self) -> None:
        library: Any = ctypes.CDLL(_sqlite3.__file__)
        try:
            library.sqlite3_vfs_find.restype = POINTER(_Vfs)
            self._system = library.sqlite3_vfs_find(None)
            self._register = library.sqlite3_vfs_register
        except AttributeError as error:
            raise NoHooks(
                "This Python's SQLite cannot be watched: it is built into Python. Use Debian's or python.org's Python."
            ) from error
        self.watcher: Watcher | None = None
        self._paths: dict[int, str] = {}
        self._unsynced_logs: set[int] = set()
        self._patched: dict[int, Any] = {}
        system = self._system.contents
        self._vfs = _Vfs.from_buffer_copy(system)
        self._vfs.name = b"watched"
        self._system_open, self._system_delete = _Open(system.open), _Delete(system.delete)
        self._keep = (_Open(self._open), _Delete(self._delete))
        self._vfs.open, self._vfs.delete = (ctypes.cast(one, c_void_p).value for one in self._keep)

    def use(self, watcher: Watcher | None) -> None:
        """Set the watcher; None: files opened from now on are not intercepted."""
        self.watcher = watcher
        if watcher is None:
            self._register(self._system, 1)
        else:
            self._register(ctypes.byref(self._vfs), 1)

    # ---- callbacks

    def _open(self, vfs: int, name: int | None, file: Any, flags: int, out_flags: Any) -> int:
        path = os.fsdecode(ctypes.string_at(name)) if name else ""
        is_ours = self.watcher is not None and self.watcher.watches(path)
        result: int = self._system_open(ctypes.addressof(self._system.contents), name, file, flags, out_flags)
        if result == OK and is_ours and self.watcher is not None:
            at = ctypes.addressof(file.contents)
            self._paths[at] = path
            self._unsynced_logs.discard(at)
            if flags & _LOGS and flags & _CREATE:
                self._unsynced_logs.add(at)
            file.contents.methods = self._watched(file.contents.methods)
            self.watcher.opened(path)
        return result

    def _delete(self, vfs: int, name: bytes, sync_folder: int) -> int:
        path = os.fsdecode(name)
        if self.watcher is not None and self.watcher.watches(path) and self.watcher.may_delete(path) != OK:
            return _IOERR_DELETE
        result: int = self._system_delete(ctypes.addressof(self._system.contents), name, sync_folder)
        return result

    def _watched(self, methods: Any) -> Any:
        """Return a file's methods with four of them replaced."""
        at = ctypes.addressof(methods.contents)
        if at not in self._patched:
            copied = _Methods.from_buffer_copy(methods.contents)
            functions = methods.contents.functions
            close, write = _Close(functions[_CLOSE]), _Write(functions[_WRITE])
            truncate, sync = _Truncate(functions[_TRUNCATE]), _Sync(functions[_SYNC])

            def on_close(file: int) -> int:
                self._paths.pop(file, None)
                return int(close(file))

            def on_write(file: int, data: int, size: int, offset: int) -> int:
                stop = self._ask("may_write", file, offset, size)
                return stop or int(write(file, data, size, offset))

            def on_truncate(file: int, size: int) -> int:
                return self._ask("may_truncate", file) or int(truncate(file, size))

            def on_sync(file: int, flags: int) -> int:
                path = self._paths.get(file)
                if self.watcher is None or path is None:
                    return int(sync(file, flags))
                stop = self.watcher.may_sync(path, with_folder=file in self._unsynced_logs)
                if stop == OK:
                    self._unsynced_logs.discard(file)
                return stop

            ours = (_Close(on_close), _Write(on_write), _Truncate(on_truncate), _Sync(on_sync))
            for place, function in zip((_CLOSE, _WRITE, _TRUNCATE, _SYNC), ours, strict=True):
                copied.functions[place] = ctypes.cast(function, c_void_p).value
            self._patched[at] = (copied, ours, close, write, truncate, sync)
        return ctypes.pointer(self._patched[at][0])

    def _ask(self, what: str, file: int, *values: int) -> int:
        path = self._paths.get(file)
        if self.watcher is None or path is None:
            return OK
        answer: int = getattr(self.watcher, what)(path, *values)
        return answer


_hooks: list[_Hooks] = []


@contextmanager
def watched_sqlite(watcher: Watcher) -> Iterator[None]:
    """Call a watcher for all files that `sqlite3` opens within the context.

    Raises:
        NoHooks: this Python's SQLite cannot be intercepted.
    """
    if not _hooks:
        _hooks.append(_Hooks())
    before = _hooks[0].watcher
    _hooks[0].use(watcher)
    try:
        yield
    finally:
        _hooks[0].use(before)
