"""Monte Carlo simulation of Roche: deals millions of rounds and counts winning bets, to check the exact odds.

Every card of every round gets a random key, and the deck is dealt in key order, which is a fair shuffle. Keys are
sorted within each suit, which gives the order of its cards; a round ends with the suit whose r-th card comes first.
Rounds are vectorized in NumPy arrays that fit into the CPU cache, sorted by a sorting network of minimum and maximum
operations.

A key is 28 random bits above 4 bits that identify the card within its suit. In one round of 190,000 two cards have the
same 28 bits; the lower card number then comes first, a bias too small to be detected with a billion rounds.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.games.roche.odds.exact import deal_so_far
from companion.games.roche.paytable import CAVALRY, RocheDeck, bets, deck_ranks
from companion.objects.cards import cards_of_suit

Row = npt.NDArray[np.uint32]
"""Sort keys, shape (rounds,)."""
Keys = npt.NDArray[np.uint32]
"""Sort keys of one suit, shape (2r, rounds): a row for each card."""

BLOCK: Final = 8192
_CARD_BITS: Final = 4
_CARD_MASK: Final = np.uint32((1 << _CARD_BITS) - 1)
_UNSEEN: Final = np.uint32(1 << 31)


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How a block of rounds ended.

    Attributes:
        dealt: rank -> 2r rows of the suit's keys: its first card of every round, its second, …
        end: uint32 (rounds,), the key of the card that cut.
        cut: uint8 (rounds,), the rank of the suit that cut.
    """

    dealt: dict[int, list[Row]]
    end: Row
    cut: npt.NDArray[np.uint8]


def simulate(
    rounds: int,
    random: np.random.Generator,
    deck: RocheDeck = "full",
    seen: tuple[str, ...] = (),
    *,
    progress: Callable[[int], object] = lambda rounds: None,
) -> dict[str, int]:
    """Simulate rounds, and return bet of the grand layout -> number of rounds won.

    Args:
        random: random generator; the same state gives the same counts.
        seen: cards dealt first, in this order, in every round.
        progress: called with the number of rounds completed since its last call.

    Raises:
        UnknownCard, CardSeen, WrongPhase: as `companion.games.roche.odds.exact.deal_so_far`.
    """
    deal_so_far(deck, seen)
    wins = dict.fromkeys(bets("grand", deck), 0)
    done = 0
    while done < rounds:
        size = min(BLOCK, rounds - done)
        count_wins(play(shuffle(random, deck, size, seen)), wins)
        done += size
        progress(size)
    return wins


def shuffle(random: np.random.Generator, deck: RocheDeck, rounds: int, seen: tuple[str, ...] = ()) -> dict[int, Keys]:
    """Return rank -> keys of a freshly shuffled deck for each round, unsorted: row i is card i of the suit."""
    ranks = deck_ranks(deck)
    cards = 2 * sum(ranks)
    # 64-bit words are the cheapest random bits; an odd 32-bit half at the end is discarded
    words = random.integers(0, 1 << 64, size=(cards * rounds + 1) // 2, dtype=np.uint64)
    drawn = words.view(np.uint32)[: cards * rounds].reshape(cards, rounds)
    keys = {}
    for rank in ranks:
        keys[rank], drawn = drawn[: 2 * rank], drawn[2 * rank :]
        _name_cards(keys[rank])
        if seen:
            _put_first(keys[rank], cards_of_suit(rank), seen)
    return keys


def play(keys: dict[int, Keys]) -> Outcomes:
    """Deal every round until a suit is cut.

    Args:
        keys: from `shuffle`; the arrays are overwritten.
    """
    dealt = {rank: _sort_columns(suit) for rank, suit in keys.items()}
    first, *others = dealt
    end = dealt[first][first - 1].copy()
    cut = np.full(end.shape, first, np.uint8)
    for rank in others:
        when = dealt[rank][rank - 1]
        np.putmask(cut, when < end, rank)
        np.minimum(end, when, out=end)
    return Outcomes(dealt, end, cut)


def count_wins(rounds: Outcomes, wins: dict[str, int]) -> None:
    """Add the number of rounds won by each bet to ``wins``."""
    cavalry = np.ones(rounds.end.shape, bool)
    for rank, dealt in rounds.dealt.items():
        won = np.flatnonzero(rounds.cut == rank)
        cards = np.stack([place.take(won) for place in dealt[:rank]]) & _CARD_MASK
        _count_suit(rank, cards, wins)
        wins[f"starlight/{rank}"] += int(np.count_nonzero(dealt[0] > rounds.end))
        cavalry &= dealt[rank - 2] < rounds.end
    wins[CAVALRY] += int(np.count_nonzero(cavalry))


def _count_suit(rank: int, cards: Keys, wins: dict[str, int]) -> None:
    """Count the wins of bets on a suit in the rounds in which it was cut.

    Args:
        cards: uint32 (rank, rounds), the suit's cards 0 to 2r - 1 in the order they came; days are below r.
    """
    rounds = cards.shape[1]
    wins[f"cut/{rank}"] += rounds
    wins[f"day/{rank}"] += int(np.count_nonzero(cards.max(axis=0) < rank))
    wins[f"night/{rank}"] += int(np.count_nonzero(cards.min(axis=0) >= rank))
    included = np.bincount(cards.ravel(), minlength=2 * rank).tolist()
    last = np.bincount(cards[-1], minlength=2 * rank).tolist()
    for i, card in enumerate(cards_of_suit(rank)):
        wins[f"card/{card}"] += included[i]
        wins[f"oscura/{card}"] += rounds - included[i]
        wins[f"terminus/{card}"] += last[i]


def _name_cards(keys: Keys) -> None:
    """Write the row number, which identifies the card, into the low bits of every key."""
    keys &= ~_CARD_MASK
    keys |= np.arange(len(keys), dtype=np.uint32)[:, np.newaxis]


def _put_first(keys: Keys, cards: tuple[str, ...], seen: tuple[str, ...]) -> None:
    """Give the cards seen the lowest keys, in their order, and all others higher ones."""
    keys |= _UNSEEN
    for place, card in enumerate(seen):
        if card in cards:
            row = cards.index(card)
            keys[row] = place << _CARD_BITS | row


def _sort_columns(keys: Keys) -> list[Row]:
    """Return the rows of an (n, rounds) array with every column sorted in ascending order."""
    rows = list(keys)
    spare = np.empty_like(rows[0])
    for low, high in sorting_network(len(rows)):
        np.minimum(rows[low], rows[high], out=spare)
        np.maximum(rows[low], rows[high], out=rows[high])
        rows[low], spare = spare, rows[low]
    return rows


@cache
def sorting_network(n: int) -> tuple[tuple[int, int], ...]:
    """Return the (low, high) pairs to compare and exchange, in order, to sort n values: Batcher's merge sort.

    >>> sorting_network(4)
    ((0, 1), (2, 3), (0, 2), (1, 3), (1, 2))
    """
    return tuple(_batcher_pairs(n))


def _batcher_pairs(n: int) -> Iterator[tuple[int, int]]:
    run = 1
    while run < n:
        step = run
        while step:
            for start in range(step % run, n - step, 2 * step):
                for low in range(start, min(start + step, n - step)):
                    if low // (2 * run) == (low + step) // (2 * run):
                        yield low, low + step
            step //= 2
        run *= 2
