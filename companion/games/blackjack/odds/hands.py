"""Cards and hands as counts of the ten card values; all hands that a hand can grow into.

A *shoe* or a hand is ten counts: aces first, ten-values last. Arrays of many have the values on the last axis.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Counts = tuple[int, ...]

VALUES: Final = 10
ACE: Final = 0
TEN: Final = 9
EMPTY: Final[Counts] = (0,) * VALUES
POINTS: Final = np.arange(1, VALUES + 1)
"""Points of each card value, an ace as 1."""
LIMIT: Final = 21
_RANKS: Final = "A23456789TJQK"


def value_of(card: str) -> int:
    """Return the card value, 0 for an ace to 9 for a ten-value.

    >>> value_of("AS"), value_of("7H"), value_of("KD")
    (0, 6, 9)
    """
    return min(_RANKS.index(card[0]), TEN)


def counted(cards: Iterable[str]) -> Counts:
    """Return how many there are of each value.

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


def keys(counts: Ints) -> Ints:
    """Return one number for each set of cards (M, 10), another for another set."""
    return np.asarray(counts @ (64 ** np.arange(VALUES)))


def full_shoe(decks: int) -> Counts:
    """Return the cards of so many decks."""
    return (4 * decks,) * TEN + (16 * decks,)


def total(counts: Counts) -> tuple[int, bool]:
    """Return a hand's best total, and whether an ace counts 11 in it.

    >>> total(counts_of(ACE, 5)), total(counts_of(ACE, 5, TEN))
    ((17, True), (17, False))
    """
    low = sum(count * (value + 1) for value, count in enumerate(counts))
    is_soft = counts[ACE] > 0 and low + 10 <= LIMIT
    return low + 10 * is_soft, is_soft


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """Every hand that contains a given one and is not over 21, the highest first (aces as 1) and the given one last.

    Attributes:
        counts: int (H, 10), each hand.
        extra: int (H, 10), what it has beyond the given hand.
        drawn: int (H), how many cards that is.
        cards: int (H), how many cards it has.
        totals: int (H), its best total.
        is_soft: bool (H), an ace counts 11 in it.
        after: int (H, 10), the hand with one more card; H for one over 21.
        levels: hands with equal low totals; one more card leads to an earlier level.
    """

    counts: Ints
    extra: Ints
    drawn: Ints
    cards: Ints
    totals: Ints
    is_soft: npt.NDArray[np.bool_]
    after: Ints
    levels: tuple[slice, ...]

    def __len__(self) -> int:
        return len(self.counts)

    def find(self, counts: Counts) -> int:
        """Return the index of a hand."""
        return int(np.flatnonzero((self.counts == counts).all(axis=1))[0])


@lru_cache(maxsize=256)
def lattice(root: Counts = EMPTY) -> Lattice:
    """Return all hands that contain a hand.

    >>> len(lattice()), len(lattice(counts_of(TEN, TEN)))
    (3083, 2)
    """
    if root == EMPTY:
        return _every_hand()
    every = lattice()
    kept = (every.counts >= root).all(axis=1)
    index = np.append(np.cumsum(kept) - 1, kept.sum())
    counts = every.counts[kept]
    extra = counts - np.array(root)
    return Lattice(
        counts,
        extra,
        extra.sum(axis=1),
        every.cards[kept],
        every.totals[kept],
        every.is_soft[kept],
        index[every.after[kept]],
        _levels(counts @ POINTS),
    )


def _every_hand() -> Lattice:
    hands = _grown()
    index = {counts: i for i, counts in enumerate(hands)}
    after = [[index.get(with_card(counts, value), len(hands)) for value in range(VALUES)] for counts in hands]
    totals = [total(counts) for counts in hands]
    counts = np.array(hands)
    cards = counts.sum(axis=1)
    return Lattice(
        counts,
        counts,
        cards,
        cards,
        np.array([points for points, _ in totals]),
        np.array([is_soft for _, is_soft in totals]),
        np.array(after),
        _levels(counts @ POINTS),
    )


def _grown() -> list[Counts]:
    """Return every hand that is not over 21, the highest first."""
    found = new = {EMPTY}
    while new:
        new = {with_card(counts, value) for counts in new for value in range(VALUES) if _low(counts) + value < LIMIT}
        found = found | new
    return sorted(found, key=lambda counts: (-_low(counts), counts))


def with_card(counts: Counts, value: int) -> Counts:
    """Return a hand with one more card."""
    return (*counts[:value], counts[value] + 1, *counts[value + 1 :])


def _low(counts: Counts) -> int:
    return sum(count * (value + 1) for value, count in enumerate(counts))


def _levels(low: Ints) -> tuple[slice, ...]:
    edges = [0, *(np.flatnonzero(np.diff(low)) + 1).tolist(), len(low)]
    return tuple(slice(start, stop) for start, stop in pairwise(edges))
