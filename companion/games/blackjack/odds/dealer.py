"""The dealer's hand, exactly, for many shoes at once.

The probability of the dealer drawing a set of cards is *orders x product of falling factorials*. The number of orders
in which it can be drawn without stopping early does not depend on the shoe; the factors do. In a tree of sets, where
each set has one card more than its parent, this takes one multiplication per set.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from companion.games.blackjack.odds.cards import EMPTY, LIMIT, VALUES, Counts, total, with_card
from companion.games.blackjack.odds.hands import Floats, Ints

BLACKJACK: Final = 5
BUST: Final = 6
OUTCOMES: Final = 7
"""17, 18, 19, 20, 21, blackjack, bust."""
_STANDS: Final = 17
_CHUNK: Final = 1024
"""Shoes per batch, so that the working set fits into the CPU cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """All sets with the same number of drawn cards.

    Attributes:
        parents: int (n), index in the previous layer of the set without its last card.
        factors: int (n), row of `Tree` for the card drawn last.
        orders: float (6, n), number of orders in which the set leads to each outcome but bust.
    """

    parents: Ints
    factors: Ints
    orders: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """All sets of cards that complete a dealer's hand, for an up-card and a soft 17 rule.

    Attributes:
        values: int (rows), a card value.
        used: int (rows), number of cards of that value already drawn.
    """

    layers: tuple[Layer, ...]
    values: Ints
    used: Ints


def dealer_outcomes(up: int, hits_soft17: bool, shoes: Floats) -> Floats:
    """Return the probabilities of the dealer's outcomes.

    Args:
        up: the value of the up-card.
        shoes: float (M, 10), the unseen cards, without the up-card. Negative counts are treated as zero.

    Returns:
        float (M, 7), in the order of `OUTCOMES`.
    """
    tree = _tree(up, hits_soft17)
    found = np.empty((len(shoes), OUTCOMES))
    for start in range(0, len(shoes), _CHUNK):
        part = np.maximum(shoes[start : start + _CHUNK].T, 0.0)
        found[start : start + _CHUNK, :BUST] = _sums(tree, np.ascontiguousarray(part)).T
    found[:, BUST] = 1.0 - found[:, :BUST].sum(axis=1)
    return found


def _sums(tree: Tree, shoes: Floats) -> Floats:
    """Return float (6, M) for shoes (10, M)."""
    factors = shoes[tree.values] - tree.used[:, np.newaxis]
    cards = shoes.sum(axis=0)
    chances = np.ones((1, shoes.shape[1]))
    sums = np.zeros((BUST, shoes.shape[1]))
    for depth, layer in enumerate(tree.layers):
        chances = chances[layer.parents]
        chances *= factors[layer.factors]
        chances /= np.maximum(cards - depth, 1.0)
        sums += layer.orders @ chances
    return sums


@lru_cache(maxsize=2 * VALUES)
def _tree(up: int, hits_soft17: bool) -> Tree:
    ends = _ends(up, hits_soft17)
    layers: list[set[Counts]] = [set() for _ in range(max(map(sum, ends)) + 1)]
    for counts in ends:
        while sum(counts):
            layers[sum(counts)].add(counts)
            counts = _parent(counts)[0]
    rows = sorted({_row(counts) for layer in layers[1:] for counts in layer})
    made = []
    before = {EMPTY: 0}
    for layer in layers[1:]:
        members = sorted(layer)
        made.append(_layer(members, before, rows, ends))
        before = {counts: i for i, counts in enumerate(members)}
    return Tree(tuple(made), np.array([value for value, _ in rows]), np.array([used for _, used in rows]))


def _layer(
    members: list[Counts], before: dict[Counts, int], rows: list[tuple[int, int]], ends: dict[Counts, dict[int, int]]
) -> Layer:
    orders = np.zeros((BUST, len(members)))
    for i, counts in enumerate(members):
        for outcome, ways in ends.get(counts, {}).items():
            orders[outcome, i] = ways
    parents = np.array([before[_parent(counts)[0]] for counts in members])
    return Layer(parents, np.array([rows.index(_row(counts)) for counts in members]), orders)


def _parent(counts: Counts) -> tuple[Counts, int]:
    """Return the set without one of its highest cards, and that card's value."""
    value = max(value for value, count in enumerate(counts) if count)
    return (*counts[:value], counts[value] - 1, *counts[value + 1 :]), value


def _row(counts: Counts) -> tuple[int, int]:
    parent, value = _parent(counts)
    return value, parent[value]


def _ends(up: int, hits_soft17: bool) -> dict[Counts, dict[int, int]]:
    """Return the drawn sets that end the hand without a bust, as set -> outcome -> number of orders."""
    ends: dict[Counts, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    partial = {EMPTY: 1}
    while partial:
        longer: dict[Counts, int] = defaultdict(int)
        for counts, ways in partial.items():
            for value in range(VALUES):
                drawn = with_card(counts, value)
                points, is_soft = total(with_card(drawn, up))
                if points < _STANDS or (points == _STANDS and is_soft and hits_soft17):
                    longer[drawn] += ways
                elif points <= LIMIT:
                    is_natural = points == LIMIT and sum(drawn) == 1
                    ends[drawn][BLACKJACK if is_natural else points - _STANDS] += ways
        partial = longer
    return ends
