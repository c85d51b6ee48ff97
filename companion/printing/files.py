"""Writing what was printed: whole or not at all, with an error that says what to do."""

from __future__ import annotations

import os
from pathlib import Path

from companion.kernel.errors import CompanionError


class CannotWrite(CompanionError):
    """The place for the printed files cannot be written to."""


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that nobody ever finds half of it.

    Raises:
        CannotWrite: the folder is missing, not writable or full.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise _cannot(path, error) from error


def prepare_folder(folder: Path) -> None:
    """Make sure that a folder exists and can be written to.

    Raises:
        CannotWrite: it is a file, or cannot be made or written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot(folder, error) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise CannotWrite(f"{folder} cannot be written to (permission denied). Name another place with --out.")


def _cannot(path: Path, error: OSError) -> CannotWrite:
    reason = (error.strerror or str(error)).lower()
    return CannotWrite(f"{path} cannot be written ({reason}). Name another place with --out.")
