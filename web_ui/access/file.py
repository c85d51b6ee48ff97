"""``access.json``: written whole or not at all, readable by its owner alone, shared between processes.

`companion pin` changes the file of a running table, so a change is made on what the file says now, under a lock on
its folder.
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
"""So long a log-in code is good."""
UNUSABLE: Final = (OSError, ValueError)
"""What `read` raises of a file that cannot be read, or is none of ours."""
Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Access:
    """The contents of the file. ``epoch`` counts the PINs; what an older one opened has to be opened again."""

    __pydantic_config__ = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
    secret: str
    "The key that signs the browsers' cookies."
    pin_hash: str | None = None
    setup_code: str | None = None
    epoch: int = 0
    login_code: str | None = None
    "Logs the dealer in once, whoever is locked out; made at the machine."
    login_until: float = 0.0
    codes: dict[str, str] = field(default_factory=dict)
    "Seat number as text -> the code that the next phone for this seat has to show."
    guesses: dict[str, Guesses] = field(default_factory=dict)
    "Wrong PINs."
    seat_guesses: dict[str, Guesses] = field(default_factory=dict)
    "Wrong seat codes: they lock nobody out who knows the PIN."
    known: dict[str, float] = field(default_factory=dict)
    "Browsers and addresses from which the right PIN came, and when."
    sessions: dict[str, Session] = field(default_factory=dict)


_FILE: Final = TypeAdapter(Access)


def shifted(access: Access, by_s: float, now: float) -> Access:
    """Return it with every time so much later: as after the clock was set.

    What lies ahead of the clock stays: it is from before a power cut, and by a clock that was right. A machine without
    one of its own has woken with an older time since, which is put right now.

    Args:
        now: what the clock said before, in seconds since the epoch.
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
    """Return what tells one version of the file from another; None where it is not there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


def read(path: Path) -> Access:
    """Read the file.

    Raises:
        One of `UNUSABLE`: it cannot be read, or is no such file.
    """
    try:
        access = _FILE.validate_json(path.read_bytes())
    except ValidationError as error:
        raise ValueError("something in it is not what it should be") from error
    if len(access.secret) < 32:
        raise ValueError("the cookie key is missing")
    return access


def write(path: Path, access: Access) -> None:
    """Write the file whole or not at all.

    Raises:
        OSError: it cannot be written; nothing was changed.
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
    """Keep a file that root writes (`sudo companion pin`) the service's own."""
    if os.geteuid() == 0:
        before = path.stat() if path.exists() else path.parent.stat()
        os.chown(handle, before.st_uid, before.st_gid)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keep other processes from changing the file meanwhile."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
