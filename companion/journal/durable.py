"""Reads and writes small files; what is written is whole and on the disk: keys, secrets, the journal's second place."""

import errno
import os
from pathlib import Path
from typing import Final

DAMAGED: Final = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
"""What taking apart a JSON text raises that somebody has edited, or a disk has damaged: nesting without end, 1e999."""

_MOST_BYTES: Final = 16 << 20
"""Of a text that a person has written: a device that never ends, or a film, must not take all memory."""


def small_text(path: Path, encoding: str = "utf-8") -> str:
    """Return a file's text.

    Raises:
        OSError: it cannot be read, or is far too long.
        UnicodeDecodeError: it is no text.
    """
    with path.open("rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return data.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")


def write_private(path: Path, data: bytes) -> None:
    """Write a file that is its owner's alone, whole or not at all; it is on the disk when this returns.

    Raises:
        OSError: it could not be written; what was there before still is.
    """
    draft = path.with_name(f"{path.name}.tmp")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    sync_folder(path.parent)


def sync(path: Path) -> None:
    """Bring a file's contents, or a folder's names, to the disk.

    Raises:
        OSError: it is not there, or the disk does not take it.
    """
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Bring a folder's names to the disk: a new file's own must survive a power cut, too."""
    sync(folder)
