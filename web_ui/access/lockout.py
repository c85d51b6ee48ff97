"""Back-off after wrong guesses. Pure: times are passed in.

Five wrong guesses from one address are free, each further one doubles the wait. All addresses together have their
own, more lenient count, so that nobody gets more guesses by having more addresses.
"""

from __future__ import annotations

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


@dataclass(frozen=True, slots=True)
class Guesses:
    """Consecutive wrong guesses, the time (s since the epoch) of the latest, and when the next one is allowed."""

    wrong: int = 0
    at: float = 0.0
    free_at: float = 0.0


Book = Mapping[str, Guesses]


def wait_s(book: Book, address: str, now: float) -> float:
    """Return the seconds until this address may guess again; 0 for now."""
    ends = [book[key].free_at for key in (address, TOGETHER) if key in book]
    longest = LONGEST_WAIT_S
    return max([0.0, *(min(end - now, longest) for end in ends)])  # a clock that was set back locks nobody out for ever


def after_wrong(book: Book, address: str, now: float) -> dict[str, Guesses]:
    """Return the book after a wrong guess from this address."""
    fresh = {key: g for key, g in book.items() if now - g.at < FORGIVEN_AFTER_S}
    fresh[address] = _one_more(fresh.get(address), now, FREE_GUESSES, LONGEST_WAIT_S)
    fresh[TOGETHER] = _one_more(fresh.get(TOGETHER), now, FREE_GUESSES_TOGETHER, LONGEST_WAIT_TOGETHER_S)
    newest = sorted(fresh, key=lambda key: (key != TOGETHER, -fresh[key].at))[:ADDRESSES_KEPT]
    return {key: fresh[key] for key in newest}


def after_right(book: Book, address: str) -> dict[str, Guesses]:
    """Return the book after a right guess: the slate of this address, and the common one, is clean."""
    return {key: guesses for key, guesses in book.items() if key not in (address, TOGETHER)}


def _one_more(before: Guesses | None, now: float, free: int, longest: float) -> Guesses:
    wrong = (before.wrong if before else 0) + 1
    over = wrong - free
    wait = 0.0 if over < 0 else min(FIRST_WAIT_S * 2.0 ** min(over, 20), longest)
    return Guesses(wrong, now, now + wait)
