"""Durable writes of files and folders in the data directory (except the journal): complete or not at all."""

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from companion.kernel.errors import CompanionError, os_reason


class NotKept(CompanionError):
    """A file or folder cannot be written, for example because the disk is full or access is denied."""


def keep_file(path: Path, data: bytes) -> None:
    """Write a file, creating its folder if needed.

    Raises:
        NotKept: it cannot be written; an existing file is unchanged.
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
    """Write a folder of files; an existing folder is replaced once the new one is complete.

    A power cut between the two renames leaves the old folder under the name ``.NAME.old``.

    Raises:
        NotKept: it cannot be written; an existing folder is unchanged.
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
    """Return the error for a file or folder that cannot be written."""
    why = os_reason(error)
    return NotKept.saying(
        "{path} cannot be written ({why}). Make room on the disk, or give this user the right to write there; "
        "then try again.",
        path=str(path),
        why=why,
    )
