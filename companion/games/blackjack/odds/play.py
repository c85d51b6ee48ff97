"""Exact values of hit, stand and double, by backward induction over all reachable hands.

A *worth* has three components: expected coins per coin of the hand's stake, probability to win, probability to lose.
Arrays of worths have them on the first axis, then K shoes that a strategy cannot distinguish, then the hands.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.games.blackjack.odds.cards import LIMIT
from companion.games.blackjack.odds.dealer import BLACKJACK, BUST, OUTCOMES
from companion.games.blackjack.odds.hands import Floats, Ints, Lattice
from companion.games.blackjack.odds.strategy import Column, row_of

STAND: Final = 0
HIT: Final = 1
DOUBLE: Final = 2
Actions = npt.NDArray[np.int8]
"""`STAND`, `HIT` or `DOUBLE` for each hand."""

_CODES: Final[Mapping[str, int]] = {"stand": STAND, "hit": HIT, "double": DOUBLE}

LOST: Final = (-1.0, 0.0, 1.0)
"""Worth of a bust."""


def _standing() -> Floats:
    """Return float (3, 22, 7): the worth of each total against each of the dealer's outcomes."""
    table = np.zeros((3, LIMIT + 1, OUTCOMES))
    for points in range(LIMIT + 1):
        for outcome in range(OUTCOMES):
            sign = 1 if outcome == BUST else -1 if outcome == BLACKJACK else int(np.sign(points - 17 - outcome))
            table[:, points, outcome] = (sign, sign > 0, sign < 0)
    return table


_STANDING: Final = _standing()


def stand_worth(totals: Ints, dealer: Floats) -> Floats:
    """Return the worth of standing.

    Args:
        totals: int (H).
        dealer: float (K, H, 7), the dealer's outcome probabilities.

    Returns:
        float (3, K, H).
    """
    return np.stack([(dealer * table[totals]).sum(axis=-1) for table in _STANDING])


def draw_chances(hands: Lattice, shoes: Floats) -> Floats:
    """Return the probabilities of the next card, float (K, H, 10); all 0 in an impossible shoe.

    Args:
        shoes: float (K, 10), the unseen cards while the hand is the lattice's root.
    """
    left = np.maximum(shoes[:, np.newaxis] - hands.extra, 0.0)
    cards = shoes.sum(axis=1)[:, np.newaxis] - hands.drawn
    return np.asarray(left / np.maximum(cards, 1.0)[..., np.newaxis])


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """Worths of the actions in each hand.

    Attributes:
        best: float (3, K, H), worth of the chosen action.
        actions: int8 (H), the chosen action.
        stand, hit: float (3, K, H).
        double: float (3, K, H), NaN unless the hand has two cards; a loss costs two coins.
    """

    best: Floats
    actions: Actions
    stand: Floats
    hit: Floats
    double: Floats


def play(
    hands: Lattice,
    chances: Floats,
    stand: Floats,
    *,
    weights: Floats | None = None,
    saved: Floats | None = None,
    forced: Actions | None = None,
) -> Played:
    """Play every hand to its end.

    Args:
        hands: the hands.
        chances: float (K, H, 10), probabilities of the next card.
        stand: float (F, K, H), worth of standing, with all three components or only the first one or two.
        weights: float (K, H), relative likelihood of each shoe per hand; None for a single shoe.
        saved: float (K, H), probability of a dealer's blackjack that takes only a single stake (peek).
        forced: the action in each hand; None for the best. A forced double with three cards is a hit.
    """
    size = len(hands)
    double = _doubled(hands, chances, stand, saved)
    open_double = hands.cards == 2
    hit = np.empty_like(stand)
    best = np.empty((*stand.shape[:2], size + 1))
    best[:, :, size] = np.array(LOST[: len(stand)])[:, np.newaxis]
    actions = np.zeros(size, np.int8)
    if weights is None:
        weights = np.ones(stand.shape[1:])
    for level in hands.levels:
        hit[:, :, level] = (chances[:, level] * best[:, :, hands.after[level]]).sum(axis=-1)
        options = np.stack([stand[:, :, level], hit[:, :, level], double[:, :, level]])
        scores = (options[:, 0] * weights[:, level]).sum(axis=1)
        scores[DOUBLE, ~open_double[level]] = -np.inf
        chosen = scores.argmax(axis=0) if forced is None else forced[level]
        chosen = np.where((chosen == DOUBLE) & ~open_double[level], HIT, chosen)
        actions[level] = chosen
        best[:, :, level] = np.take_along_axis(options, chosen[np.newaxis, np.newaxis, np.newaxis], axis=0)[0]
    return Played(best[:, :, :size], actions, stand, hit, double)


def _doubled(hands: Lattice, chances: Floats, stand: Floats, saved: Floats | None) -> Floats:
    """Return the worth of doubling."""
    double = np.full_like(stand, np.nan)
    two = np.flatnonzero(hands.cards == 2)
    if two.size:
        lost = np.broadcast_to(np.array(LOST[: len(stand)])[:, np.newaxis, np.newaxis], (*stand.shape[:2], 1))
        ended = np.concatenate([stand, lost], axis=2)
        double[:, :, two] = (chances[:, two] * ended[:, :, hands.after[two]]).sum(axis=-1)
        double[0] *= 2
        if saved is not None:
            double[0] += saved
    return double


def forced_by(column: Column) -> Callable[[Lattice], Actions]:
    """Return a column's strategy for hands that cannot be split or surrendered."""

    def code(row: str, cards: int) -> int:
        cell = column.get(row, ("hit",))
        return next(_CODES[action] for action in cell if action in _CODES and (action != "double" or cards == 2))

    hard, soft = (np.array([code(f"{kind}/{n}", 3) for n in range(LIMIT + 1)], np.int8) for kind in ("hard", "soft"))

    def actions(hands: Lattice) -> Actions:
        found: Actions = np.where(hands.is_soft, soft[hands.totals], hard[hands.totals])
        for i in np.flatnonzero(hands.cards <= 2):
            counts = tuple(hands.counts[i].tolist())
            found[i] = code(row_of(counts, max(counts) == 2), sum(counts))
        return found

    return actions
