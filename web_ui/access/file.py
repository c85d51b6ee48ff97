"""``access.json``: written atomically, readable only by its owner, shared between processes.

`companion pin` may change the file of a running table, so changes are applied to the file's current content, under a
lock on its folder.
"""

import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final

from pydantic import ConfigDict, TypeAdapter, ValidationError

from web_ui.access.lockout import Guesses
from web_ui.access.sessions import Session

FILE: Final = "access.json"
LOGIN_CODE_S: Final = 3600.0
"""Validity of a log-in code."""
UNUSABLE: Final = (OSError, ValueError)
"""The errors that `read` raises for an unreadable or invalid file."""
Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Access:
    """The contents of the file. ``epoch`` is incremented with each new PIN, which ends older permissions."""

    __pydantic_config__ = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
    secret: str
    "The key that signs the browsers' cookies."
    pin_hash: str | None = None
    setup_code: str | None = None
    epoch: int = 0
    login_code: str | None = None
    "One-time code for the dealer's log-in that works in spite of a lockout; created at the machine."
    login_until: float = 0.0
    codes: dict[str, str] = field(default_factory=dict)
    "Seat number as text -> the code that the seat's next phone needs."
    guesses: dict[str, Guesses] = field(default_factory=dict)
    "Wrong PINs."
    seat_guesses: dict[str, Guesses] = field(default_factory=dict)
    "Wrong codes, counted separately so that they do not lock out anyone with the PIN."
    known: dict[str, float] = field(default_factory=dict)
    "Browsers and addresses that entered the right PIN, with the time."
    sessions: dict[str, Session] = field(default_factory=dict)


_FILE: Final = TypeAdapter(Access)


def shifted(access: Access, by_s: float, now: float) -> Access:
    """Return the access data with all times shifted, after the system clock was set.

    Times in the future are not shifted: they were recorded by a correct clock before a power cut. A machine without a
    battery-backed clock restarts with an older time, which has now been corrected.

    Args:
        by_s: how far the clock was moved forward.
        now: the clock's time before that, in seconds since the epoch.
    """

    def moved(at: float) -> float:
        return at if at > now else at + by_s

    def later(book: dict[str, Guesses]) -> dict[str, Guesses]:
        return {
            key: Guesses(one.wrong, moved(one.at), one.free_at + moved(one.at) - one.at) for key, one in book.items()
        }

    return replace(
        access,
        login_until=moved(access.login_until - LOGIN_CODE_S) + LOGIN_CODE_S,
        guesses=later(access.guesses),
        seat_guesses=later(access.seat_guesses),
        known={key: moved(at) for key, at in access.known.items()},
        sessions={name: replace(one, since=moved(one.since)) for name, one in access.sessions.items()},
    )


def stamp(path: Path) -> Stamp | None:
    """Return a fingerprint of the file's version; None if there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


def read(path: Path) -> Access:
    """Read the file.

    Raises:
        One of `UNUSABLE`: the file is unreadable or invalid.
    """
    try:
        access = _FILE.validate_json(path.read_bytes())
    except ValidationError as error:
        raise ValueError("something in it is not what it should be") from error
    if len(access.secret) < 32:
        raise ValueError("the cookie key is missing")
    return access


def write(path: Path, access: Access) -> None:
    """Write the file atomically.

    Raises:
        OSError: it cannot be written; nothing has changed.
    """
    fresh = path.with_name(f".{FILE}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            _give_to_owner(file.fileno(), path)
            json.dump(asdict(access), file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError:
        with suppress(OSError):
            fresh.unlink()
        raise


def _give_to_owner(handle: int, path: Path) -> None:
    """Preserve the service's ownership of a file that root writes (`sudo companion pin`)."""
    if os.geteuid() == 0:
        before = path.stat() if path.exists() else path.parent.stat()
        os.chown(handle, before.st_uid, before.st_gid)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Lock the folder against changes by other processes."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
