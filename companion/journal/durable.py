"""Reads and writes small files, the latter atomically and durably: keys, secrets, the journal's high-water mark."""

import errno
import os
from pathlib import Path
from typing import Final

DAMAGED: Final = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
"""Exceptions of parsing JSON that was edited by hand or damaged: endless nesting, 1e999 and the like."""

_MAX_BYTES: Final = 16 << 20
"""Size limit of a text file, so that an endless device or a video does not exhaust the memory."""


def small_text(path: Path, encoding: str = "utf-8") -> str:
    """Return a file's text, with line breaks as ``\\n``.

    Raises:
        OSError: the file cannot be read, or exceeds 16 MiB.
        UnicodeDecodeError: it is not text in this encoding.
    """
    with path.open("rb") as file:
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return data.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")


def write_private(path: Path, data: bytes) -> None:
    """Replace a file atomically, readable by its owner only; durable when this returns.

    Raises:
        OSError: it could not be written; the previous file is unchanged.
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
    """Flush a file's contents, or a folder's entries, to disk.

    Raises:
        OSError: the path does not exist, or the disk fails.
    """
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries to disk, so that a new file's name survives a power cut, too."""
    sync(folder)
