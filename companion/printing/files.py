"""Atomic writing of output files, with errors that say what to do."""

import errno
import os
from pathlib import Path

from companion.kernel.errors import CompanionError


class CannotWrite(CompanionError):
    """The output file or folder cannot be written."""


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file atomically.

    Raises:
        CannotWrite: the folder is missing, not writable or full.
    """
    check_place(path)
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise _cannot(path, error) from error


def check_place(path: Path) -> None:
    """Check that a file can be written, before the work begins.

    Raises:
        CannotWrite: it cannot, or it would replace something that is not a file, such as a device.
    """
    if path.is_dir():
        raise _cannot(path, IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR)))
    if path.exists() and not path.is_file():
        raise CannotWrite(f"{path} is a device, no file. Name another place with --out.")
    if not path.absolute().parent.is_dir():
        raise _cannot(path, FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)))
    if not os.access(path.absolute().parent, os.W_OK | os.X_OK):
        raise _cannot(path, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))


def prepare_folder(folder: Path) -> None:
    """Create a folder if necessary, and check that it is writable.

    Raises:
        CannotWrite: it is a file, or cannot be created or written to.
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
