"""Stored credentials: the dealer's PIN, the seats' one-time codes, who is logged in, and the wait after wrong guesses.

The PIN is kept as an argon2 hash; a seat's code until it was used. What must not be undone by a full disk, such as a
wrong guess, counts in memory even if the file cannot be written.
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
CODE_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that look alike
CODE_LENGTH: Final = 8
LOGIN_CODE_DIGITS: Final = 12
HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
"""19 MiB and two passes: what a Pi does in under 100 ms, and a guesser only once at a time (see `check_pin`)."""
_MOST_KNOWN: Final = 200
"Addresses from which the right PIN was shown; one that is forgotten is checked once more."
_KNOWN_KEPT: Final = 100
_STEP_S: Final = 2.0
"""A clock that goes so far ahead of, or behind, the time that has passed was set; less is drift."""

_log = logging.getLogger(__name__)


class AccessError(CodedError):
    """Access was denied; the message says why and what to do.

    Attributes:
        is_guess: a PIN or code was checked and was wrong; False where it was not checked.
    """

    def __init__(self, code: str, message: str, *, retry_after_s: int | None = None, is_guess: bool = False) -> None:
        super().__init__(code, message)
        self.retry_after_s = retry_after_s
        self.is_guess = is_guess


class AccessStore:
    """The access data of one data directory. Thread-safe, and safe beside another process that sets the PIN.

    Args:
        clock: seconds since the epoch.
        passed: seconds that go on whatever the clock is set to; None: it is never set.

    Raises:
        AccessError: the file exists and cannot be used, or cannot be made.
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
        """How often the PIN was set; a session from an earlier one is over."""
        return self._now().epoch

    @property
    def setup_code(self) -> str | None:
        """The one-time code that the terminal shows until a PIN was chosen."""
        return self._now().setup_code

    def choose_first_pin(self, code: str, pin: str, who: Guesser) -> None:
        """Set the first PIN, for somebody who can read the terminal.

        Raises:
            AccessError: there is a PIN already, the code is wrong, or the PIN has not 4 to 12 digits.
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
        """Set the PIN; every dealer's browser has to log in again, and wrong guesses are forgotten.

        Raises:
            AccessError: the PIN has not 4 to 12 digits, or cannot be saved.
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
        """Say whether this is the PIN; nothing is counted, and nobody has to wait: see `check_pin`."""
        if not PIN_SHAPE.fullmatch(pin) or not pin.isascii():
            return False
        try:
            HASHER.verify(self._now().pin_hash or "", pin)
        except (VerificationError, InvalidHashError):
            return False
        return True

    def check_pin(self, pin: str, who: Guesser) -> None:
        """Return if the PIN is right; from then on browser and address are known.

        Raises:
            AccessError: it is wrong, none is set, or this guesser has to wait (``locked``, with the seconds).
        """
        if not self.has_pin:
            raise AccessError.coded("not-set-up", "This table has no PIN yet. Open /setup and choose one.")
        if self._take_login_code(pin):
            self.know(who)
            return
        with self._guessing:  # one at a time: nobody slips a hundred guesses past the count at once
            if wait := self._wait(who):
                raise _locked(wait)
            if not self.is_pin(pin):
                raise self._wrong_pin(who)
        self.know(who)
        with self._lock:
            known = self._known_pins if len(self._known_pins) < _MOST_KNOWN else set()
            self._known_pins = known | {self._digest(pin, who.address)}

    def make_login_code(self) -> str:
        """Return a code that logs the dealer in once within an hour, also while everybody is locked out.

        It is as long as no PIN that people choose, so nobody finds it by trying.

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
            return 0 < until - self._clock() <= LOGIN_CODE_S  # more was left by a clock that was ahead

    def _digest(self, pin: str, address: str) -> bytes:
        """What a PIN that was right once is known by, while this process lives; it says nothing about a wrong one."""
        shown = f"{address} {pin} {self.epoch}".encode(errors="replace")
        return hmac.new(self._memory_key, shown, hashlib.sha256).digest()

    def is_known_pin(self, pin: str, who: Guesser) -> bool:
        """Say whether this very PIN was right before from there, for programs that show it with every request.

        Not while whoever shows it has to wait, and from nowhere else: a guesser would be told by the answer.
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
        """Count a wrong PIN and return what to answer."""

        def counted(access: Access) -> Access:
            keys = keys_of(who, access.known)
            return replace(access, guesses=after_wrong(access.guesses, keys, self._clock()))

        self._change(counted)
        if wait := self._wait(who):
            return _locked(wait, is_guess=True)
        return AccessError("wrong-code", message("That PIN is wrong. Check it and try again."), is_guess=True)

    def is_known_browser(self, mark: str | None) -> bool:
        """Say whether a browser carries the mark of one that was right before."""
        return mark is not None and browser_key(mark) in self._now().known

    def know(self, who: Guesser) -> None:
        """Know a guesser who was right, and forget what was wrong before."""
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
        """Count a wrong code and return what to answer.

        A code is eight letters of 32 and works once: nobody finds one by trying, so a right one is never kept waiting.
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
        """Return the code that the next phone for this seat has to show; made on first use."""
        if (code := self._now().codes.get(str(seat))) is not None:
            return code
        fresh = _new_code()
        self._change(lambda access: replace(access, codes={str(seat): fresh} | access.codes))
        return self._now().codes[str(seat)]

    def new_seat_code(self, seat: int) -> str:
        """Throw the seat's code away, end the sessions of its phones, and return a fresh code."""
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
        """Use a seat's code up; the next phone needs the next one.

        Raises:
            AccessError: it is wrong or was used before; after too many of these the address has to wait.
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

    # ---- who is logged in

    def begin_session(self, kind: str, who: Guesser, *, agent: str = "", player: str | None = None) -> str:
        """Remember a browser that has proved who it is; return the secret name that its cookie keeps."""
        name = secrets.token_urlsafe(18)
        begun = Session(kind, player, who.address, agent[: sessions.AGENT_LENGTH], self._clock())
        self._change(lambda access: replace(access, sessions=sessions.after_begin(access.sessions, name, begun)))
        return name

    def session(self, name: object) -> Session | None:
        """Return a session that still counts, by its secret name."""
        found = self._now().sessions.get(name) if isinstance(name, str) else None
        return found if found is not None and sessions.is_live(found, self._clock()) else None

    def all_sessions(self) -> Sessions:
        """Return every session that still counts, the newest first."""
        live = {name: one for name, one in self._now().sessions.items() if sessions.is_live(one, self._clock())}
        return dict(sorted(live.items(), key=lambda item: -item[1].since))

    def end_session(self, name: str) -> None:
        """End a session, wherever copies of its cookie are."""

        def ended(access: Access) -> Access:
            return replace(access, sessions={key: one for key, one in access.sessions.items() if key != name})

        if name in self._now().sessions:
            self._change(ended)

    # ---- the file

    def _now(self) -> Access:
        """Return what holds now, also if another process has changed it."""
        self._follow_clock()
        if file.stamp(self._path) != self._stamp:
            with self._lock:
                self._reload()
        return self._access

    def _follow_clock(self) -> None:
        """Move all times along when the clock is set: nobody is logged out by that, and no wait ends or grows.

        A table without a clock of its own begins with the time at which it was switched off, and gets the right one in
        the middle of an evening; somebody in the network may tell it a wrong one.
        """
        with self._lock:
            offset = self._clock() - self._passed()
            moved, self._offset = offset - self._offset, offset
            if abs(moved) >= _STEP_S:
                self._change(lambda access: file.shifted(access, moved, self._clock() - moved))

    def _reload(self) -> None:
        """Read the file again if it is another one; one that is gone or broken changes nothing."""
        found = file.stamp(self._path)
        if found is None or found == self._stamp:
            return
        try:
            self._access, self._stamp = file.read(self._path), found
        except file.UNUSABLE as error:
            _log.warning("%s cannot be used (%s); what held before still holds", self._path, error)
            self._stamp = found

    def _change(self, change: Callable[[Access], Access], *, must_save: bool = False) -> None:
        """Change what holds, here and in the file.

        Raises:
            AccessError: it must be saved and cannot; nothing was changed.
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
                _log.warning("%s cannot be written (%s); what changed holds until the next start", self._path, error)
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
    """Return if this can be a PIN.

    Raises:
        AccessError: it has not 4 to 12 digits, or is one digit over and over.
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
