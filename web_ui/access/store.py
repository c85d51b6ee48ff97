"""Stored credentials: the dealer's PIN, the seats' one-time codes, and the wait after wrong guesses.

Everything is in one small file of the data directory, ``access.json``, readable by its owner alone and written
atomically. The PIN is kept as an argon2 hash; a seat's code until it was used.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import os
import re
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from companion.kernel.errors import CompanionError
from companion.kernel.messages import Message, message
from web_ui.access.lockout import Guesses, after_right, after_wrong, wait_s

FILE: Final = "access.json"
PIN_SHAPE: Final = re.compile(r"[0-9]{4,12}")
CODE_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that look alike
CODE_LENGTH: Final = 8
_MOST_KNOWN: Final = 200
"Addresses from which the right PIN was shown; one that is forgotten is checked once more."


class AccessError(CompanionError):
    """Access was denied; the message says why and what to do. ``code`` never changes.

    Attributes:
        is_guess: a PIN or code was checked and was wrong; False where it was not checked.
    """

    def __init__(self, code: str, message: str, *, retry_after_s: int | None = None, is_guess: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.retry_after_s = retry_after_s
        self.is_guess = is_guess


@dataclass(frozen=True, slots=True)
class Access:
    """The contents of the file. ``epoch`` counts the PINs; a browser that knew an older one has to log in again."""

    secret: str
    pin_hash: str | None = None
    setup_code: str | None = None
    epoch: int = 0
    codes: dict[str, str] = field(default_factory=dict)
    "Seat number as text -> the code that the next phone for this seat has to show."
    guesses: dict[str, Guesses] = field(default_factory=dict)


class AccessStore:
    """The access data of one data directory. Thread-safe.

    Args:
        clock: seconds since the epoch.

    Raises:
        AccessError: the file exists and cannot be used.
    """

    def __init__(self, data_dir: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._path = data_dir / FILE
        self._clock = clock
        self._lock = threading.Lock()
        # 19 MiB and two passes: what a Pi does in under 100 ms, and a guesser only once at a time (see `_guess`).
        self._hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
        self._guessing = threading.Lock()
        self._known: set[bytes] = set()
        self._memory_key = secrets.token_bytes(32)
        self._access = self._load()

    # ---- the PIN

    @property
    def secret(self) -> str:
        """The key that signs the browsers' cookies."""
        return self._access.secret

    @property
    def has_pin(self) -> bool:
        return self._access.pin_hash is not None

    @property
    def epoch(self) -> int:
        """How often the PIN was set; a session from an earlier one is over."""
        return self._access.epoch

    @property
    def setup_code(self) -> str | None:
        """The one-time code that the terminal shows until a PIN was chosen."""
        return self._access.setup_code

    def choose_first_pin(self, code: str, pin: str, address: str) -> None:
        """Set the first PIN, for somebody who can read the terminal.

        Raises:
            AccessError: there is a PIN already, the code is wrong, or the PIN has not 4 to 12 digits.
        """
        if self.has_pin or self.setup_code is None:
            raise AccessError(
                "already-set-up", message("This table has a PIN already. Log in as the dealer to change it.")
            )
        expected = self.setup_code
        wrong = message("That set-up code is wrong. Check it and try again.")
        self._guess(address, wrong, lambda: hmac.compare_digest(_plain(code), expected))
        self.set_pin(pin)

    def set_pin(self, pin: str) -> None:
        """Set the PIN; every dealer's browser has to log in again.

        Raises:
            AccessError: the PIN has not 4 to 12 digits.
        """
        if not PIN_SHAPE.fullmatch(pin) or not pin.isascii():
            raise AccessError("bad-pin", message("A PIN has 4 to 12 digits. Choose another one."))
        if len(set(pin)) == 1:
            raise AccessError("bad-pin", message("One digit over and over is guessed first. Choose another PIN."))
        hashed = self._hasher.hash(pin)
        with self._lock:
            self._known = set()
            self._save(replace(self._access, pin_hash=hashed, setup_code=None, epoch=self._access.epoch + 1))

    def check_pin(self, pin: str, address: str) -> None:
        """Return if the PIN is right.

        Raises:
            AccessError: it is wrong, none is set, or this address has to wait (``locked``, with the seconds).
        """
        if not self.has_pin:
            raise AccessError("not-set-up", message("This table has no PIN yet. Open /setup and choose one."))
        self._guess(address, message("That PIN is wrong. Check it and try again."), lambda: self._is_pin(pin))
        with self._lock:
            self._known = (self._known if len(self._known) < _MOST_KNOWN else set()) | {self._digest(pin, address)}

    def _is_pin(self, pin: str) -> bool:
        if not PIN_SHAPE.fullmatch(pin) or not pin.isascii():
            return False
        hashed = self._access.pin_hash or ""
        try:
            self._hasher.verify(hashed, pin)
        except (VerificationError, InvalidHashError):
            return False
        return True

    def _digest(self, pin: str, address: str) -> bytes:
        """What a PIN that was right once is known by, while this process lives; it says nothing about a wrong one."""
        shown = f"{address} {pin}".encode(errors="replace")
        return hmac.new(self._memory_key, shown, hashlib.sha256).digest()

    def is_known_pin(self, pin: str, address: str) -> bool:
        """Say whether this very PIN was right before from there, for programs that show it with every request.

        Not while that address has to wait, and from nowhere else: a guesser would be told by the answer.
        """
        with self._lock:
            own = {key: guesses for key, guesses in self._access.guesses.items() if key == address}
            is_known = self._digest(pin, address) in self._known
        return is_known and not wait_s(own, address, self._clock())

    def _guess(self, address: str, wrong: Message, is_right: Callable[[], bool]) -> None:
        with self._guessing:  # one at a time: nobody slips a hundred guesses past the count at once
            self._check_wait(address)
            if not is_right():
                raise self._wrong(address, wrong)
        with self._lock:
            cleaned = after_right(self._access.guesses, address)
            if cleaned != self._access.guesses:
                self._save(replace(self._access, guesses=cleaned))

    def _check_wait(self, address: str) -> None:
        if wait := self._wait(address):
            raise _locked(wait)

    def _wait(self, address: str) -> int:
        return math.ceil(wait_s(self._access.guesses, address, self._clock()))

    def _wrong(self, address: str, wrong: Message) -> AccessError:
        """Count a wrong guess and return what to answer."""
        with self._lock:
            guesses = after_wrong(self._access.guesses, address, self._clock())
            self._save(replace(self._access, guesses=guesses))
        if wait := self._wait(address):
            return _locked(wait, is_guess=True)
        return AccessError("wrong-code", wrong, is_guess=True)

    # ---- seats

    def seat_code(self, seat: int) -> str:
        """Return the code that the next phone for this seat has to show; made on first use."""
        with self._lock:
            code = self._access.codes.get(str(seat))
            if code is None:
                code = _new_code()
                self._save(replace(self._access, codes={**self._access.codes, str(seat): code}))
            return code

    def new_seat_code(self, seat: int) -> str:
        """Throw the seat's code away and return a fresh one."""
        with self._lock:
            code = _new_code()
            self._save(replace(self._access, codes={**self._access.codes, str(seat): code}))
            return code

    def use_seat_code(self, seat: int, code: str, address: str) -> None:
        """Use a seat's code up; the next phone needs the next one.

        Raises:
            AccessError: it is wrong or was used before, or this address has to wait.
        """
        self._guess(
            address, message("That code is wrong. Check it and try again."), lambda: self._take(seat, _plain(code))
        )

    def _take(self, seat: int, code: str) -> bool:
        with self._lock:
            expected = self._access.codes.get(str(seat), "")
            if not expected or not hmac.compare_digest(code.encode(), expected.encode()):
                return False
            self._save(replace(self._access, codes={**self._access.codes, str(seat): _new_code()}))
            return True

    # ---- the file

    def _load(self) -> Access:
        if not self._path.exists():
            first = Access(secrets.token_urlsafe(48), setup_code=_new_code())
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._save(first)
            return first
        try:
            return _parse(json.loads(self._path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, KeyError) as error:
            why = f"{self._path} cannot be used ({error}). Restore it, or delete it and choose a new PIN at /setup."
            raise AccessError("broken-file", why) from error

    def _save(self, access: Access) -> None:
        """Write the file whole or not at all; nobody but its owner may read it."""
        fresh = self._path.with_name(f".{FILE}.{os.getpid()}.{secrets.token_hex(4)}")
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(asdict(access), file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._path)
        self._access = access


def _parse(record: dict[str, Any]) -> Access:
    guesses = {key: Guesses(**value) for key, value in record.pop("guesses", {}).items()}
    access = Access(**record, guesses=guesses)
    if not isinstance(access.secret, str) or len(access.secret) < 32:
        raise ValueError("the cookie key is missing")
    return access


def _new_code() -> str:
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def spaced(code: str) -> str:
    """Return a code as people read it aloud.

    >>> spaced("ABCDEFGH")
    'ABCD-EFGH'
    """
    return f"{code[:4]}-{code[4:]}"


def _plain(code: str) -> str:
    """Undo what people do to a code when they type it; anything that is no code stays wrong."""
    return "".join(letter for letter in code.upper() if letter in CODE_LETTERS)


def _locked(wait: int, *, is_guess: bool = False) -> AccessError:
    why = message("Too many wrong guesses. Wait {time}, then try again.", time=_spoken(wait))
    return AccessError("locked", why, retry_after_s=wait, is_guess=is_guess)


def _spoken(seconds: int) -> Message:
    if seconds < 90:
        return message("{seconds} seconds", seconds=seconds)
    return message("{minutes} minutes", minutes=math.ceil(seconds / 60))
