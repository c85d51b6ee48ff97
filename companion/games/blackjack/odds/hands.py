"""All hands reachable from a hand. Arrays of hands or shoes have the ten counts on the last axis."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.games.blackjack.odds.cards import EMPTY, LIMIT, VALUES, Counts, total, with_card

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

POINTS: Final = np.arange(1, VALUES + 1)
"""Points of each card value, an ace as 1."""


def keys(counts: Ints) -> Ints:
    """Return a unique number for each set of cards (M, 10)."""
    return np.asarray(counts @ (64 ** np.arange(VALUES)))


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """All hands up to 21 that contain a given hand, highest first (aces as 1), the given hand last.

    Attributes:
        counts: int (H, 10), each hand.
        extra: int (H, 10), its cards beyond the given hand.
        drawn: int (H), number of those cards.
        cards: int (H), total number of cards.
        totals: int (H), best total.
        is_soft: bool (H), whether an ace counts 11.
        after: int (H, 10), index of the hand with one more card; H for a bust.
        levels: groups of hands with equal low totals; one more card leads to an earlier level.
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
    """Return the lattice of all hands that contain a hand.

    >>> len(lattice()), len(lattice((*EMPTY[1:], 2)))
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
    """Return all hands up to 21, highest first."""
    found = new = {EMPTY}
    while new:
        new = {with_card(counts, value) for counts in new for value in range(VALUES) if _low(counts) + value < LIMIT}
        found = found | new
    return sorted(found, key=lambda counts: (-_low(counts), counts))


def _levels(low: Ints) -> tuple[slice, ...]:
    edges = [0, *(np.flatnonzero(np.diff(low)) + 1).tolist(), len(low)]
    return tuple(slice(start, stop) for start, stop in pairwise(edges))


def _low(counts: Counts) -> int:
    return sum(count * (value + 1) for value, count in enumerate(counts))
