"""Writes small files that must be whole and on the disk: keys, secrets, the journal's second place."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

DAMAGED: Final = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
"""What taking apart a JSON text raises that somebody has edited, or a disk has damaged: nesting without end, 1e999."""


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


def sync_folder(folder: Path) -> None:
    """Bring a folder's names to the disk: a new file's own must survive a power cut, too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
