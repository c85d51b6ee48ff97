"""Cards and hands of blackjack as counts of the ten card values: aces first, ten-values last."""

from collections.abc import Iterable
from typing import Final

Counts = tuple[int, ...]

VALUES: Final = 10
ACE: Final = 0
TEN: Final = 9
EMPTY: Final[Counts] = (0,) * VALUES
LIMIT: Final = 21
_RANKS: Final = "A23456789TJQK"


def value_of(card: str) -> int:
    """Return the card value, 0 for an ace to 9 for a ten-value.

    >>> value_of("AS"), value_of("7H"), value_of("KD")
    (0, 6, 9)
    """
    return min(_RANKS.index(card[0]), TEN)


def counted(cards: Iterable[str]) -> Counts:
    """Return the number of cards of each value.

    >>> counted(["AS", "KD", "TD"])
    (1, 0, 0, 0, 0, 0, 0, 0, 0, 2)
    """
    counts = [0] * VALUES
    for card in cards:
        counts[value_of(card)] += 1
    return tuple(counts)


def counts_of(*values: int) -> Counts:
    """Return the counts of these card values.

    >>> counts_of(ACE, TEN, TEN)
    (1, 0, 0, 0, 0, 0, 0, 0, 0, 2)
    """
    return tuple(values.count(value) for value in range(VALUES))


def with_card(counts: Counts, value: int) -> Counts:
    """Return a hand with one more card."""
    return (*counts[:value], counts[value] + 1, *counts[value + 1 :])


def full_shoe(decks: int) -> Counts:
    """Return the counts of a full shoe."""
    return (4 * decks,) * TEN + (16 * decks,)


def total(counts: Counts) -> tuple[int, bool]:
    """Return a hand's best total, and whether it is soft.

    >>> total(counts_of(ACE, 5)), total(counts_of(ACE, 5, TEN))
    ((17, True), (17, False))
    """
    low = sum(count * (value + 1) for value, count in enumerate(counts))
    is_soft = counts[ACE] > 0 and low + 10 <= LIMIT
    return low + 10 * is_soft, is_soft
