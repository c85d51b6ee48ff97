"""Stored access data: the dealer's PIN, the seats' one-time codes, sessions, and the lockout after wrong guesses.

The PIN is stored as an argon2 hash, seat codes in plain text until they are used. Changes such as a wrong guess take
effect in memory even if the file cannot be written, so that a full disk does not reset them.
"""

import hashlib
import hmac
import logging
import math
import re
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from companion.kernel.errors import CodedError
from companion.kernel.messages import Message, message
from web_ui.access import file, sessions
from web_ui.access.file import FILE, LOGIN_CODE_S, Access
from web_ui.access.lockout import TOGETHER, Guesser, address_key, after_right, after_wrong, browser_key, keys_of, wait_s
from web_ui.access.sessions import DEALER, Session, Sessions

PIN_SHAPE: Final = re.compile(r"[0-9]{4,12}")
CODE_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without similar-looking characters
CODE_LENGTH: Final = 8
LOGIN_CODE_DIGITS: Final = 12
HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
"""19 MiB and two passes: under 100 ms on a Pi. Guesses are verified one at a time (see `check_pin`)."""
_MAX_KNOWN: Final = 200
"Size of the cache of verified PINs by address; evicted ones are verified again."
_KNOWN_KEPT: Final = 100
_STEP_S: Final = 2.0
"""A larger difference between system clock and elapsed time means that the clock was set; a smaller one is drift."""

_log = logging.getLogger(__name__)


class AccessError(CodedError):
    """Access was denied; the message says why and what to do.

    Attributes:
        is_guess: whether a PIN or code was verified and wrong, as opposed to not verified.
    """

    def __init__(self, code: str, message: str, *, retry_after_s: int | None = None, is_guess: bool = False) -> None:
        super().__init__(code, message)
        self.retry_after_s = retry_after_s
        self.is_guess = is_guess


class AccessStore:
    """The access data of one data directory. Thread-safe, and safe with another process that sets the PIN.

    Args:
        clock: seconds since the epoch.
        passed: monotonic seconds, to detect that the clock was set; None if it is never set.

    Raises:
        AccessError: the file is unusable, or cannot be created.
    """

    def __init__(
        self, data_dir: Path, *, clock: Callable[[], float] = time.time, passed: Callable[[], float] | None = None
    ) -> None:
        self._path = data_dir / FILE
        self._clock = clock
        self._passed = passed or clock
        self._offset = clock() - self._passed()
        self._lock = threading.RLock()
        self._guessing = threading.Lock()
        self._known_pins: set[bytes] = set()
        self._memory_key = secrets.token_bytes(32)
        self._stamp: file.Stamp | None = None
        self._access = self._load()

    # ---- the PIN

    @property
    def secret(self) -> str:
        """The key that signs the browsers' cookies."""
        return self._access.secret

    @property
    def has_pin(self) -> bool:
        return self._now().pin_hash is not None

    @property
    def epoch(self) -> int:
        """Number of times the PIN was set; a new PIN ends the dealer's permissions under the old one."""
        return self._now().epoch

    @property
    def setup_code(self) -> str | None:
        """The one-time code that the terminal shows until a PIN has been chosen."""
        return self._now().setup_code

    def choose_first_pin(self, code: str, pin: str, who: Guesser) -> None:
        """Set the first PIN, with the set-up code.

        Raises:
            AccessError: there is a PIN already, the code is wrong, or the PIN is invalid.
        """
        expected = self.setup_code
        if self.has_pin or expected is None:
            raise AccessError.coded(
                "already-set-up", "This table has a PIN already. Log in as the dealer to change it."
            )
        if not hmac.compare_digest(_plain(code), expected):
            raise self._wrong_code(who, message("That set-up code is wrong. Check it and try again."))
        self.set_pin(pin)

    def set_pin(self, pin: str) -> None:
        """Set the PIN. Ends all dealer sessions and resets the counters of wrong PINs.

        Raises:
            AccessError: the PIN is invalid, or cannot be saved.
        """
        check_shape(pin)
        hashed = HASHER.hash(pin)

        def changed(access: Access) -> Access:
            return replace(
                access,
                pin_hash=hashed,
                setup_code=None,
                login_code=None,
                epoch=access.epoch + 1,
                guesses={},
                sessions=sessions.without_kind(access.sessions, DEALER),
            )

        self._change(changed, must_save=True)

    def is_pin(self, pin: str) -> bool:
        """Whether this is the PIN, without counting or lockout; compare `check_pin`."""
        if not PIN_SHAPE.fullmatch(pin) or not pin.isascii():
            return False
        try:
            HASHER.verify(self._now().pin_hash or "", pin)
        except (VerificationError, InvalidHashError):
            return False
        return True

    def check_pin(self, pin: str, who: Guesser) -> None:
        """Raise unless the PIN is right; then browser and address become known.

        Raises:
            AccessError: the PIN is wrong or not set, or this guesser has to wait (``locked``, with the seconds).
        """
        if not self.has_pin:
            raise AccessError.coded("not-set-up", "This table has no PIN yet. Open /setup and choose one.")
        if self._take_login_code(pin):
            self.know(who)
            return
        with self._guessing:  # one at a time, so that parallel guesses are counted
            if wait := self._wait(who):
                raise _locked(wait)
            if not self.is_pin(pin):
                raise self._wrong_pin(who)
        self.know(who)
        with self._lock:
            known = self._known_pins if len(self._known_pins) < _MAX_KNOWN else set()
            self._known_pins = known | {self._digest(pin, who.address)}

    def make_login_code(self) -> str:
        """Return a one-time code for the dealer's log-in, valid for an hour, even during a lockout.

        It is too long to be guessed.

        Raises:
            AccessError: it cannot be saved.
        """
        code = "".join(secrets.choice("0123456789") for _ in range(LOGIN_CODE_DIGITS))
        until = self._clock() + LOGIN_CODE_S
        self._change(lambda access: replace(access, login_code=code, login_until=until), must_save=True)
        return code

    def _take_login_code(self, shown: str) -> bool:
        with self._lock:
            expected, until = self._now().login_code, self._now().login_until
            if expected is None or not hmac.compare_digest(shown.encode(), expected.encode()):
                return False
            self._change(lambda access: replace(access, login_code=None))
            return 0 < until - self._clock() <= LOGIN_CODE_S  # more is left only if the clock was ahead

    def _digest(self, pin: str, address: str) -> bytes:
        """Return a keyed digest of a PIN from an address, for the cache of verified PINs; the key is per process."""
        shown = f"{address} {pin} {self.epoch}".encode(errors="replace")
        return hmac.new(self._memory_key, shown, hashlib.sha256).digest()

    def is_known_pin(self, pin: str, who: Guesser) -> bool:
        """Whether this PIN was already verified from this address, for programs that send it with every request.

        False during the guesser's lockout and from other addresses: otherwise the answer would help to guess.
        """
        with self._lock:
            is_known = self._digest(pin, who.address) in self._known_pins
        access = self._now()
        own = tuple(key for key in keys_of(who, access.known) if key != TOGETHER)
        return is_known and not wait_s(access.guesses, own, self._clock())

    # ---- wrong guesses

    def _wait(self, who: Guesser) -> int:
        access = self._now()
        return math.ceil(wait_s(access.guesses, keys_of(who, access.known), self._clock()))

    def _wrong_pin(self, who: Guesser) -> AccessError:
        """Count a wrong PIN and return the error."""

        def counted(access: Access) -> Access:
            keys = keys_of(who, access.known)
            return replace(access, guesses=after_wrong(access.guesses, keys, self._clock()))

        self._change(counted)
        if wait := self._wait(who):
            return _locked(wait, is_guess=True)
        return AccessError("wrong-code", message("That PIN is wrong. Check it and try again."), is_guess=True)

    def is_known_browser(self, mark: str | None) -> bool:
        """Whether a browser's mark is known."""
        return mark is not None and browser_key(mark) in self._now().known

    def know(self, who: Guesser) -> None:
        """Mark a guesser as known after a right PIN, and reset their counters."""
        marks = {address_key(who.address), *([browser_key(who.browser)] if who.browser else [])}

        def welcomed(access: Access) -> Access:
            guesses = after_right(access.guesses, keys_of(who, access.known))
            if guesses == access.guesses and marks <= access.known.keys():
                return access
            known = access.known | dict.fromkeys(marks, self._clock())
            newest = sorted(known, key=lambda key: -known[key])[:_KNOWN_KEPT]
            return replace(access, guesses=guesses, known={key: known[key] for key in newest})

        self._change(welcomed)

    def _wrong_code(self, who: Guesser, wrong: Message) -> AccessError:
        """Count a wrong code and return the error.

        Codes have eight characters out of 32 and work once, too many to guess; so right codes are not subject to the
        lockout.
        """
        keys = (who.address,)
        if wait := math.ceil(wait_s(self._now().seat_guesses, keys, self._clock())):
            return _locked(wait)
        self._change(lambda access: replace(access, seat_guesses=after_wrong(access.seat_guesses, keys, self._clock())))
        if wait := math.ceil(wait_s(self._now().seat_guesses, keys, self._clock())):
            return _locked(wait, is_guess=True)
        return AccessError("wrong-code", wrong, is_guess=True)

    # ---- seats

    def seat_code(self, seat: int) -> str:
        """Return the code that the seat's next phone needs; created on first use."""
        if (code := self._now().codes.get(str(seat))) is not None:
            return code
        fresh = _new_code()
        self._change(lambda access: replace(access, codes={str(seat): fresh} | access.codes))
        return self._now().codes[str(seat)]

    def new_seat_code(self, seat: int) -> str:
        """Replace the seat's code, end the sessions of its phones, and return the new code."""
        fresh = _new_code()
        self._change(
            lambda access: replace(
                access,
                codes=access.codes | {str(seat): fresh},
                sessions=sessions.without_kind(access.sessions, f"seat/{seat}"),
            )
        )
        return fresh

    def use_seat_code(self, seat: int, code: str, who: Guesser) -> None:
        """Use a seat's code and replace it for the next phone.

        Raises:
            AccessError: the code is wrong or already used, or the address has to wait after too many of these.
        """
        with self._lock:
            expected = self._now().codes.get(str(seat), "")
            if expected and hmac.compare_digest(_plain(code), expected):
                self._change(lambda access: replace(access, codes=access.codes | {str(seat): _new_code()}))
                return
        text = message(
            "That code is wrong, or a phone has used it already. Type the one that the dealer's screen shows now."
        )
        raise self._wrong_code(who, text)

    # ---- sessions

    def begin_session(self, kind: str, who: Guesser, *, agent: str = "", player: str | None = None) -> str:
        """Start a session for an authenticated browser; return its secret name, for the cookie."""
        name = secrets.token_urlsafe(18)
        begun = Session(kind, player, who.address, agent[: sessions.AGENT_LENGTH], self._clock())
        self._change(lambda access: replace(access, sessions=sessions.after_begin(access.sessions, name, begun)))
        return name

    def session(self, name: object) -> Session | None:
        """Return a valid session by its secret name, or None."""
        found = self._now().sessions.get(name) if isinstance(name, str) else None
        return found if found is not None and sessions.is_live(found, self._clock()) else None

    def all_sessions(self) -> Sessions:
        """Return all valid sessions, newest first."""
        live = {name: one for name, one in self._now().sessions.items() if sessions.is_live(one, self._clock())}
        return dict(sorted(live.items(), key=lambda item: -item[1].since))

    def end_session(self, name: str) -> None:
        """End a session, including for copies of its cookie."""

        def ended(access: Access) -> Access:
            return replace(access, sessions={key: one for key, one in access.sessions.items() if key != name})

        if name in self._now().sessions:
            self._change(ended)

    # ---- the file

    def _now(self) -> Access:
        """Return the current data, including changes by other processes."""
        self._follow_clock()
        if file.stamp(self._path) != self._stamp:
            with self._lock:
                self._reload()
        return self._access

    def _follow_clock(self) -> None:
        """Shift all stored times when the system clock is set, so that no session or lockout ends early or late.

        A machine without a battery-backed clock starts with the time at which it was switched off, and gets the right
        time later; somebody in the network could also give it a wrong one.
        """
        with self._lock:
            offset = self._clock() - self._passed()
            moved, self._offset = offset - self._offset, offset
            if abs(moved) >= _STEP_S:
                self._change(lambda access: file.shifted(access, moved, self._clock() - moved))

    def _reload(self) -> None:
        """Read the file again if it has changed; a missing or broken file is ignored."""
        found = file.stamp(self._path)
        if found is None or found == self._stamp:
            return
        try:
            self._access, self._stamp = file.read(self._path), found
        except file.UNUSABLE as error:
            _log.warning("%s is invalid (%s); the previous log-in data stays in force", self._path, error)
            self._stamp = found

    def _change(self, change: Callable[[Access], Access], *, must_save: bool = False) -> None:
        """Apply a change in memory and in the file.

        Raises:
            AccessError: ``must_save`` is set and the file cannot be written; nothing has changed.
        """
        with self._lock:
            try:
                with file.held(self._path.parent):
                    self._reload()
                    changed = change(self._access)
                    if changed == self._access:
                        return
                    file.write(self._path, changed)
                    self._stamp = file.stamp(self._path)
            except OSError as error:
                if must_save:
                    raise _not_saved(self._path, error) from error
                _log.warning("%s cannot be written (%s); the change will be lost at the next start", self._path, error)
                changed = change(self._access)
            self._access = changed

    def _load(self) -> Access:
        if not self._path.exists():
            first = Access(secrets.token_urlsafe(48), setup_code=_new_code())
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                file.write(self._path, first)
            except OSError as error:
                raise _not_saved(self._path, error) from error
            self._stamp = file.stamp(self._path)
            return first
        try:
            self._stamp = file.stamp(self._path)
            return file.read(self._path)
        except file.UNUSABLE as error:
            why = f"{self._path} cannot be used ({error}). Restore it, or delete it and choose a new PIN at /setup."
            raise AccessError("broken-file", why) from error


def check_shape(pin: str) -> None:
    """Raise unless this is a valid PIN.

    Raises:
        AccessError: not 4 to 12 digits, or all the same digit.
    """
    if not PIN_SHAPE.fullmatch(pin) or not pin.isascii():
        raise AccessError.coded("bad-pin", "A PIN has 4 to 12 digits. Choose another one.")
    if len(set(pin)) == 1:
        raise AccessError.coded("bad-pin", "One digit over and over is guessed first. Choose another PIN.")


def _not_saved(path: Path, error: OSError) -> AccessError:
    why = message(
        "{path} cannot be written ({why}), so nothing was changed. Make room on the disk, then try again.",
        path=str(path),
        why=str(error.strerror or error),
    )
    return AccessError("not-saved", why)


def _new_code() -> str:
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def spaced(code: str) -> str:
    """Return a code as displayed.

    >>> spaced("ABCDEFGH")
    'ABCD-EFGH'
    """
    return f"{code[:4]}-{code[4:]}"


def _plain(code: str) -> str:
    """Normalize a typed code: upper case, without separators."""
    return "".join(letter for letter in code.upper() if letter in CODE_LETTERS)


def _locked(wait: int, *, is_guess: bool = False) -> AccessError:
    why = message("Too many wrong guesses. Wait {time}, then try again.", time=_spoken(wait))
    return AccessError("locked", why, retry_after_s=wait, is_guess=is_guess)


def _spoken(seconds: int) -> Message:
    if seconds < 90:
        return message("{seconds} seconds", seconds=seconds)
    return message("{minutes} minutes", minutes=math.ceil(seconds / 60))
