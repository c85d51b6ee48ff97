"""Ensures one companion per data directory, by a lock that the kernel releases whenever the process ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from companion.kernel.errors import CompanionError

FILE_NAME: Final = "companion.lock"


class DataDirBusy(CompanionError):
    """The data directory is in use by another companion, or unusable."""


@contextmanager
def hold_data_dir(data_dir: Path) -> Iterator[None]:
    """Create the data directory if needed, and lock it for this process.

    Raises:
        DataDirBusy: another process holds the lock, or the directory cannot be written.
    """
    try:
        data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(data_dir / FILE_NAME, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise DataDirBusy(
            f"The data directory {data_dir} cannot be used: {error.strerror}. Choose another with --data."
        ) from error
    try:
        _lock(handle, data_dir)
        yield
    finally:
        os.close(handle)


def is_held(data_dir: Path) -> bool:
    """Whether a companion is running on this data directory."""
    try:
        handle = os.open(data_dir / FILE_NAME, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _lock(handle: int, data_dir: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.pread(handle, 20, 0).decode(errors="replace").strip() or "unknown"
        raise DataDirBusy(
            f"Another companion (process {holder}) runs on {data_dir}. Stop it, or choose another --data."
        ) from error
    with suppress(OSError):  # a full disk: the lock holds all the same, only its holder's id is missing
        os.truncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
