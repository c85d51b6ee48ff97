"""Exact values of splits, for strategies that use only each hand's own cards.

**What is exact.** All hands of a split, up to four, are played by one strategy that depends on the hand's own cards,
the up-card, and whether the hand's second card has the pair's rank, but not on the bet's other hands ("zero memory" in
the literature). The best of these strategies is found, and its value is exact to rounding: cards are drawn without
replacement, no probability is approximated. The player resplits as often as allowed, or up to three or two hands,
whichever is worth most.

**Why it can be exact.** The unseen cards are exchangeable: it makes no difference whether a hand's second card is
drawn before or after another hand is played. So draw the second cards first. Each has the pair's rank (P) or not (N),
and the sequence determines the number of hands. One hand's worth depends on the others only through the number of P
and N among their second cards, and "not P" is "any card" minus "P". What remains is the worth of one hand in shoes
that lack k cards of the pair's rank, k from 2 to 6, in a weighted sum over k. The same weights apply to the actions, so
backward induction finds the best such strategy.

**What is ignored.** Remembering the earlier hands of the split gives a slightly better strategy, by so little that no
basic strategy table includes it; `tests/companion/games/blackjack/odds` measures it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import comb
from typing import Final

import numpy as np

from companion.games.blackjack.odds.cards import VALUES, counts_of
from companion.games.blackjack.odds.hands import Floats, Ints, Lattice, keys, lattice
from companion.games.blackjack.odds.play import STAND, Actions, draw_chances, play
from companion.games.blackjack.odds.rule_set import MAX_HANDS

MIN_GONE: Final = 2
MAX_GONE: Final = 6
SHOES: Final = MAX_GONE - MIN_GONE + 1
"""Number of shoes, lacking 2 to 6 cards of the pair's rank."""


@dataclass(frozen=True, slots=True)
class _Ending:
    """A possible end of the splitting: closed hands have an N as second card, open ones get any card."""

    closed: int
    opened: int
    paired: int

    @property
    def hands(self) -> int:
        return self.closed + self.opened


@lru_cache
def _endings(most: int) -> tuple[_Ending, ...]:
    """Return the possible ends of splitting into at most ``most`` hands, one per sequence of P and N."""

    def from_here(hands: int, closed: int) -> Iterator[_Ending]:
        if hands == most or closed == hands:
            yield _Ending(closed, hands - closed, hands - 2)
            return
        yield from from_here(hands, closed + 1)
        yield from from_here(hands + 1, closed)

    return tuple(from_here(2, 0))


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Weights that combine one hand's worths, in shoes lacking 2 to 6 of the rank, into the split's.

    Attributes:
        other: float (5), for hands whose second card has another rank.
        same: float (5), for hands whose second card has the pair's rank.
        more: float (5), for the number of hands beyond the first.
    """

    other: Floats
    same: Floats
    more: Floats


def split_weights(same: float, cards: float, most: int, *, shared: bool = False) -> Weights:
    """Return the weights.

    Args:
        same: unseen cards of the pair's rank.
        cards: unseen cards.
        most: maximum number of hands.
        shared: weigh each hand by its share of the bet's hands, instead of by one.
    """
    other, whole, more = np.zeros(SHOES), np.zeros(SHOES), np.zeros(SHOES)
    chance = _all_same(same, cards)
    for ending in _endings(most):
        share = 1 / ending.hands if shared else 1.0
        for i in range(ending.closed):  # one closed hand is evaluated; the others are any card minus a P
            times = ending.closed * (-1) ** i * comb(ending.closed - 1, i)
            other[ending.paired + i] += share * times * chance[ending.paired + i]
        for i in range(ending.closed + 1):
            times = (-1) ** i * comb(ending.closed, i) * chance[ending.paired + i]
            whole[ending.paired + i] += share * ending.opened * times
            more[ending.paired + i] += (ending.hands - 1) * times
    return Weights(other + whole, whole, more)


def _all_same(same: float, cards: float) -> list[float]:
    """Return the probabilities that the next 0, 1, … 4 cards all have the rank."""
    chances = [1.0]
    for i in range(SHOES - 1):
        chances.append(chances[-1] * max(same - i, 0.0) / max(cards - i, 1.0))
    return chances


def shoes_lacking(value: int, shoe: Floats, most: int) -> Floats:
    """Return float (K, 10): the shoe without the pair and up-card, then with one, two, … fewer of the value.

    Args:
        most: maximum number of hands, which determines the number of shoes used by `split_weights`.
    """
    shoes = np.repeat(shoe[np.newaxis], used_shoes(most), axis=0)
    shoes[:, value] -= np.arange(len(shoes))
    return shoes


@lru_cache
def gone_cards(value: int, most: int) -> tuple[Ints, Ints]:
    """Return the distinct sets of cards removed from a shoe without the pair, over all hands holding its card.

    Returns:
        int (M, 10), the sets; int (K, H), their row for each of `shoes_lacking` and each hand.
    """
    lacking = np.arange(used_shoes(most))[:, np.newaxis, np.newaxis] * np.array(counts_of(value))
    sets = (lattice(counts_of(value)).extra + lacking).reshape(-1, VALUES)
    _, first, rows = np.unique(keys(sets), return_index=True, return_inverse=True)
    return sets[first], rows.reshape(len(lacking), -1)


def used_shoes(most: int) -> int:
    """Return the number of shoes with nonzero weight, for a maximum number of hands.

    >>> used_shoes(2), used_shoes(4) == SHOES
    (1, True)
    """
    return 2 * most - 3


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """A pair to be split.

    Attributes:
        value: card value.
        shoe: float (10), the unseen cards, without the pair and the up-card.
        same: number of them with the pair's rank; ten-values comprise several ranks.
        stand: float (F, K, H), worth of standing in each hand that holds the value, in `shoes_lacking`.
        blackjack: float (K, H), probability of a dealer's blackjack there, if the dealer peeks.
        hands: maximum number of hands.
        one_card: split aces get one card each and cannot be resplit.
    """

    value: int
    shoe: Floats
    same: float
    stand: Floats
    blackjack: Floats | None = None
    hands: int = MAX_HANDS
    one_card: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Value of a split, and the strategy for it.

    Attributes:
        worth: float (F), expected coins per coin of the initial stake; probabilities that a random hand wins, loses.
        actions: action for each hand of `lattice(counts_of(value))`.
        paired: action if the second card has the pair's rank, for the hands of `lattice(counts_of(value, value))`.
        most: optimal limit for the number of hands.
    """

    worth: Floats
    actions: Actions
    paired: Actions
    most: int


def split(pair: Pair, forced: Callable[[Lattice], Actions] | None = None) -> Split:
    """Return the value of a split with optimal play, or with a given strategy."""
    if pair.one_card:
        pair, forced = _into_two(pair), _stand_always
    played = _Played(pair, pair.hands, forced)
    most = max(range(pair.hands, 1, -1), key=lambda hands: played.worth(hands)[0])
    if most < pair.hands and forced is None:
        played = _Played(pair, most, None)
    return Split(played.worth(most), played.actions, played.paired, most)


def _into_two(pair: Pair) -> Pair:
    blackjack = None if pair.blackjack is None else pair.blackjack[: used_shoes(2)]
    return replace(pair, hands=2, stand=pair.stand[:, : used_shoes(2)], blackjack=blackjack)


def _stand_always(hands: Lattice) -> Actions:
    return np.full(len(hands), STAND, np.int8)


class _Played:
    """The hands of a split, played by the best strategy for a maximum number of hands, or by a given one."""

    def __init__(self, pair: Pair, most: int, forced: Callable[[Lattice], Actions] | None) -> None:
        hands, twice = lattice(counts_of(pair.value)), lattice(counts_of(pair.value, pair.value))
        shoes, rows = shoes_lacking(pair.value, pair.shoe, pair.hands), _rows_of_paired(pair.value)
        chances = draw_chances(hands, shoes)
        reached = _reached(pair.value, hands, shoes)
        weights = self._weights(pair, most, shared=False)
        saved = pair.blackjack
        free = play(
            hands,
            chances,
            pair.stand,
            weights=weights.other[:, np.newaxis] * reached,
            saved=saved,
            forced=None if forced is None else forced(hands),
        )
        tied = play(
            twice,
            chances[:, rows],
            pair.stand[..., rows],
            weights=weights.same[:, np.newaxis] * reached[:, rows],
            saved=None if saved is None else saved[:, rows],
            forced=None if forced is None else forced(twice),
        )
        self.actions, self.paired = free.actions, tied.actions
        self._pair = pair
        # ten-values of other ranks have the same value but make no pair
        draws, gone = chances[:, -1], np.arange(len(shoes))
        same = np.maximum(pair.same - gone, 0.0) / np.maximum(pair.shoe.sum() - gone, 1.0)
        others = draws - same[:, np.newaxis] * np.array(counts_of(pair.value))
        self._other = (others * free.best[..., hands.after[-1]]).sum(axis=-1)
        self._same = same * tied.best[..., -1]

    def worth(self, most: int) -> Floats:
        """Return float (F), the worth of splitting into at most ``most`` hands."""
        coins, shares = (self._weights(self._pair, most, shared=shared) for shared in (False, True))
        sums = [coins] + [shares] * (len(self._other) - 1)
        worth = np.array(
            [use.other @ o + use.same @ s for use, o, s in zip(sums, self._other, self._same, strict=True)]
        )
        if self._pair.blackjack is not None:
            worth[0] += coins.more @ self._pair.blackjack[:, -1]
        return worth

    @staticmethod
    def _weights(pair: Pair, most: int, *, shared: bool) -> Weights:
        whole = split_weights(pair.same, pair.shoe.sum(), most, shared=shared)
        used = used_shoes(pair.hands)
        return Weights(whole.other[:used], whole.same[:used], whole.more[:used])


@lru_cache
def _rows_of_paired(value: int) -> Ints:
    """Return the rows of the one-card lattice whose hands contain the card twice or more."""
    return np.flatnonzero(lattice(counts_of(value)).counts[:, value] > 1)


def _reached(value: int, hands: Lattice, shoes: Floats) -> Floats:
    """Return float (K, H): the probability of a hand's further cards in each shoe, up to a factor per hand."""
    of_value = _falling(shoes[:, value], int(hands.extra[:, value].max()))
    of_all = _falling(shoes.sum(axis=1), int(hands.drawn.max()))
    return np.asarray(of_value[:, hands.extra[:, value]] / np.maximum(of_all[:, hands.drawn], 1.0))


def _falling(counts: Floats, most: int) -> Floats:
    """Return float (K, most + 1): falling factorials n (n - 1) … with 0 to ``most`` factors."""
    factors = np.maximum(counts[:, np.newaxis] - np.arange(most), 0.0)
    return np.concatenate([np.ones((len(counts), 1)), np.cumprod(factors, axis=1)], axis=1)
