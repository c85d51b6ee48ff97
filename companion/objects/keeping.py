"""What is kept in the data directory beside the journal: written whole or not at all, and safe from a power cut."""

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from companion.kernel.errors import CompanionError, os_reason


class NotKept(CompanionError):
    """Something cannot be written: the disk is full, or the folder is not ours."""


def keep_file(path: Path, data: bytes) -> None:
    """Write a file; its folder is made if need be.

    Raises:
        NotKept: it cannot be written; the one that was there, if there was one, still is.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write(draft, data)
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise not_kept(path, error) from error


def keep_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder of files; one that is there is replaced when the new one is complete.

    Raises:
        NotKept: it cannot be written; the one that was there, if there was one, still is.
    """
    fresh, old = (folder.with_name(f".{folder.name}.{what}") for what in ("new", "old"))
    try:
        for left in (fresh, old):
            shutil.rmtree(left, ignore_errors=True)
        fresh.mkdir(parents=True)
        for name, data in files.items():
            _write(fresh / name, data)
        if folder.exists():
            folder.rename(old)
        fresh.rename(folder)
    except OSError as error:
        shutil.rmtree(fresh, ignore_errors=True)
        with suppress(OSError):
            if not folder.exists():
                old.rename(folder)
        raise not_kept(folder, error) from error
    shutil.rmtree(old, ignore_errors=True)


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def not_kept(path: Path, error: OSError) -> NotKept:
    """Return what to say when a file or folder cannot be written."""
    why = os_reason(error)
    return NotKept.saying(
        "{path} cannot be written ({why}). Make room on the disk, or give this user the right to write there; "
        "then try again.",
        path=str(path),
        why=why,
    )
