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
        _sync(path.parent)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise not_kept(path, error) from error


def keep_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder of files; an existing folder is replaced once the new one is complete.

    `kept_folders` completes what a power cut between the two renames left.

    Raises:
        NotKept: it cannot be written; an existing folder is unchanged.
    """
    fresh, old = _drafts(folder)
    try:
        _complete(folder)
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        for name, data in files.items():
            _write(fresh / name, data)
        _sync(fresh)
        if folder.exists():
            folder.rename(old)
        try:
            fresh.rename(folder)
        except FileNotFoundError:
            if not folder.exists():  # it does if a reader has completed it meanwhile
                raise
        _sync(folder.parent)
    except OSError as error:
        shutil.rmtree(fresh, ignore_errors=True)
        with suppress(OSError):
            if not folder.exists():
                old.rename(folder)
        raise not_kept(folder, error) from error
    shutil.rmtree(old, ignore_errors=True)


def kept_folders(parent: Path) -> list[Path]:
    """Return the folders that `keep_folder` has written to a parent folder, in alphabetical order."""
    for old in parent.glob(".*.old"):
        with suppress(OSError):
            _complete(old.with_name(old.name[1 : -len(".old")]))
    return sorted(folder for folder in parent.glob("[!.]*") if folder.is_dir())


def _drafts(folder: Path) -> tuple[Path, Path]:
    """Return where the new contents of a folder are written, and where the old ones are put aside."""
    return folder.with_name(f".{folder.name}.new"), folder.with_name(f".{folder.name}.old")


def _complete(folder: Path) -> None:
    """Complete a write that was cut off after the old folder had been put aside: the new one was complete by then."""
    fresh, old = _drafts(folder)
    if old.exists() and not folder.exists():
        (fresh if fresh.exists() else old).rename(folder)
    shutil.rmtree(old, ignore_errors=True)  # otherwise it would come back once the folder is deleted


def _sync(folder: Path) -> None:
    """Flush a folder's entries, such as renamed ones, to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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
