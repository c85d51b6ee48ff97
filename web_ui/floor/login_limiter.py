"""Rate limiting of PIN and code attempts at the floor, where many people have PINs and may try each other's."""

import threading
import time
from collections.abc import Callable
from typing import Final

from companion.floor.errors import FloorError
from web_ui.access.lockout import TOGETHER, Book, Guesser, address_key, after_right, after_wrong, keys_of, wait_s

MAX_KNOWN: Final = 500
"""Most trusted addresses, those with a successful log-in; the oldest is evicted."""


class LoginLimiter:
    """Limits failed attempts by address and by the account targeted. Thread-safe.

    A success resets only the counter of the same person: otherwise anybody with a PIN of their own could guess
    another's forever by logging in as themselves in between. Addresses with a success are counted apart from unknown
    ones, so that strangers' attempts cannot lock them out.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._guessing = threading.Lock()
        self._book: Book = {}
        self._known: dict[str, float] = {}

    def know(self, address: str) -> None:
        """Trust an address, such as a table's by its certificate."""
        with self._lock:
            self._known.pop(address_key(address), None)
            self._known[address_key(address)] = self._clock()
            if len(self._known) > MAX_KNOWN:
                del self._known[next(iter(self._known))]

    def check(self, address: str, whose: str = "") -> None:
        """Check that an address may try now.

        Raises:
            FloorError: locked out for now.
        """
        with self._lock:
            wait = wait_s(self._book, self._keys(address, whose), self._clock())
        if wait > 0:
            raise FloorError.coded(
                "too-many-guesses", "Too many wrong guesses. Try again in {seconds} s.", seconds=int(wait) + 1
            )

    def count(self, address: str, whose: str = "", *, is_right: bool) -> None:
        """Record an attempt."""
        with self._lock:
            keys = self._keys(address, whose)
            own = tuple(key for key in keys if not key.endswith(TOGETHER))
            self._book = after_right(self._book, own) if is_right else after_wrong(self._book, keys, self._clock())

    def is_right(self, address: str, whose: str, is_pin: Callable[[], bool]) -> bool:
        """Check a PIN and record the attempt. Serialized, so that parallel requests cannot bypass the limit.

        Raises:
            FloorError: locked out for now.
        """
        with self._guessing:
            self.check(address, whose)
            found = is_pin()
            self.count(address, whose, is_right=found)
        if found:
            self.know(address)
        return found

    def _keys(self, address: str, whose: str) -> tuple[str, ...]:
        """Return an attempt's counters: this address's at this account, and the address's own or all strangers'."""
        where, *strangers = keys_of(Guesser(address), self._known)
        return f"{where} {whose}", *(strangers or (f"{where} {TOGETHER}",))
