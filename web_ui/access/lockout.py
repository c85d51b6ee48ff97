"""Exponential backoff after wrong guesses. Pure: times are passed in.

Each guesser has five free wrong guesses, then each further one doubles the wait. All unknown guessers together share a
second, more lenient counter, so that more addresses do not give more guesses. A browser or address that has entered
the right PIN before is known: it has only its own counter, unaffected by others.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

FREE_GUESSES: Final = 5
FREE_GUESSES_TOGETHER: Final = 40
FIRST_WAIT_S: Final = 30.0
LONGEST_WAIT_S: Final = 3600.0
LONGEST_WAIT_TOGETHER_S: Final = 300.0
FORGIVEN_AFTER_S: Final = 24 * 3600.0
ADDRESSES_KEPT: Final = 500
TOGETHER: Final = "*"
"""Counter key shared by all unknown guessers; other keys with this ending are also shared by many guessers."""
HERE: Final = "here"
"""Counter key for all loopback addresses, as 127.0.0.0/8 has sixteen million of them."""


@dataclass(frozen=True, slots=True)
class Guesses:
    """Consecutive wrong guesses, the time (s since the epoch) of the latest, and when the next one is allowed."""

    wrong: int = 0
    at: float = 0.0
    free_at: float = 0.0


Book = Mapping[str, Guesses]


@dataclass(frozen=True, slots=True)
class Guesser:
    """A guesser: an address, and the browser's mark if it is known."""

    address: str
    browser: str | None = None

    @property
    def is_here(self) -> bool:
        """Whether it is on this machine."""
        return self.address.removeprefix("::ffff:").startswith("127.") or self.address == "::1"


def keys_of(who: Guesser, known: Mapping[str, float]) -> tuple[str, ...]:
    """Return the counter keys of a guesser.

    Args:
        known: browsers and addresses that have entered the right PIN before.
    """
    if who.browser is not None and browser_key(who.browser) in known:
        return (browser_key(who.browser),)
    if who.is_here:
        return (HERE,)
    if address_key(who.address) in known:
        return (who.address,)
    return who.address, TOGETHER


def browser_key(browser: str) -> str:
    return f"browser/{browser}"


def address_key(address: str) -> str:
    return f"address/{address}"


def wait_s(book: Book, keys: tuple[str, ...], now: float) -> float:
    """Return the seconds until a guesser with these counters may guess again; 0 if at once."""
    found = [book[key] for key in keys if key in book]
    # Guesses in the future were made before the clock was set back; they would lock out until then.
    return max([0.0, *(one.free_at - now for one in found if one.at <= now)])


def after_wrong(book: Book, keys: tuple[str, ...], now: float) -> dict[str, Guesses]:
    """Return the counters after a wrong guess with these keys."""
    fresh = {key: g for key, g in book.items() if now - g.at < FORGIVEN_AFTER_S}
    for key in keys:
        free, longest = FREE_GUESSES, LONGEST_WAIT_S
        if key.endswith(TOGETHER):
            free, longest = FREE_GUESSES_TOGETHER, LONGEST_WAIT_TOGETHER_S
        fresh[key] = _one_more(fresh.get(key), now, free, longest)
    newest = sorted(fresh, key=lambda key: (key != TOGETHER, -fresh[key].at))[:ADDRESSES_KEPT]
    return {key: fresh[key] for key in newest}


def after_right(book: Book, keys: tuple[str, ...]) -> dict[str, Guesses]:
    """Return the counters after a right guess: those with its keys are reset."""
    return {key: guesses for key, guesses in book.items() if key not in keys}


def _one_more(before: Guesses | None, now: float, free: int, longest: float) -> Guesses:
    wrong = (before.wrong if before else 0) + 1
    over = wrong - free
    wait = 0.0 if over < 0 else min(FIRST_WAIT_S * 2.0 ** min(over, 20), longest)
    return Guesses(wrong, now, now + wait)
