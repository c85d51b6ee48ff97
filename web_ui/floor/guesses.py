"""Counts wrong codes and PINs at the floor. Many people have PINs here, each of whom may wish for another's."""

import threading
import time
from collections.abc import Callable
from typing import Final

from companion.floor.errors import FloorError
from web_ui.access.lockout import TOGETHER, Book, Guesser, address_key, after_right, after_wrong, keys_of, wait_s

MOST_KNOWN: Final = 500
"""Addresses from which a right PIN came; of one more the first one is forgotten."""


class Guesses:
    """Counts wrong guesses by address and by whose PIN it was to be. Thread-safe.

    A right one forgives those of the same person alone: whoever knows a PIN of their own would else guess another's
    for ever, and log in as themselves in between. An address from which a right PIN came is no stranger, and what
    strangers guess is not its business.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._guessing = threading.Lock()
        self._book: Book = {}
        self._known: dict[str, float] = {}

    def know(self, address: str) -> None:
        """Know an address from now on, such as a table by its certificate."""
        with self._lock:
            self._known.pop(address_key(address), None)
            self._known[address_key(address)] = self._clock()
            if len(self._known) > MOST_KNOWN:
                del self._known[next(iter(self._known))]

    def check(self, address: str, whose: str = "") -> None:
        """See that an address may guess now.

        Raises:
            FloorError: not yet.
        """
        with self._lock:
            wait = wait_s(self._book, self._keys(address, whose), self._clock())
        if wait > 0:
            raise FloorError.coded(
                "too-many-guesses", "Too many wrong guesses. Try again in {seconds} s.", seconds=int(wait) + 1
            )

    def count(self, address: str, whose: str = "", *, is_right: bool) -> None:
        """Count a guess."""
        with self._lock:
            keys = self._keys(address, whose)
            own = tuple(key for key in keys if not key.endswith(TOGETHER))
            self._book = after_right(self._book, own) if is_right else after_wrong(self._book, keys, self._clock())

    def is_right(self, address: str, whose: str, is_pin: Callable[[], bool]) -> bool:
        """Say whether a PIN is right, and count it. One at a time: nobody slips a dozen past the count at once.

        Raises:
            FloorError: whoever guesses has to wait.
        """
        with self._guessing:
            self.check(address, whose)
            found = is_pin()
            self.count(address, whose, is_right=found)
        if found:
            self.know(address)
        return found

    def _keys(self, address: str, whose: str) -> tuple[str, ...]:
        """Return where a guess is counted: as one at this person's PIN, and with all of the address or of strangers."""
        where, *strangers = keys_of(Guesser(address), self._known)
        return f"{where} {whose}", *(strangers or (f"{where} {TOGETHER}",))
