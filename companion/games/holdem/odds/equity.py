"""Equities of face-up hands, over all remaining boards or, where there are too many, a random sample.

None are given while a live hand is face down, because its cards are unknown.
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb, sqrt
from typing import Final

from companion.games.holdem.hands import strength
from companion.games.holdem.showdown import may_be_tabled
from companion.games.holdem.state import Phase, State
from companion.games.standard_cards import CARDS

BOARD: Final = 5
MAX_HANDS: Final = 20_000
"""Limit of hand evaluations per answer; above it boards are sampled."""
REMEMBERED: Final = 64
_DEALING: Final = (Phase.DEAL_FLOP, Phase.DEAL_TURN, Phase.DEAL_RIVER)

Hand = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Equity:
    """A player's equity.

    Attributes:
        win: probability of winning outright.
        tie: probability of a split.
        share: expected share of a pot contested by all these hands.
        error: half-width of the 95 % confidence interval; 0 if all boards were enumerated.
    """

    player: str
    win: float
    tie: float
    share: float
    error: float

    def to_json(self) -> Mapping[str, object]:
        """Return the JSON form shown on pages."""
        return {"player": self.player, "win": self.win, "tie": self.tie, "share": self.share, "error": self.error}


def chances_now(state: State) -> tuple[Equity, ...]:
    """Return all equities; empty unless all live hands are face up and more cards are to come."""
    inside = [player for player in state.players if not player.folded]
    is_betting_over = len([player for player in inside if player.is_live]) < 2
    if state.phase not in _DEALING or not is_betting_over or may_be_tabled(state):
        return ()
    found = equities(tuple([player.cards for player in inside]), state.board)
    return tuple([Equity(player.name, *one) for player, one in zip(inside, found, strict=True)])


@lru_cache(REMEMBERED)
def equities(hands: tuple[Hand, ...], board: Hand) -> tuple[tuple[float, float, float, float], ...]:
    """Return (win, tie, share, error) for each hand.

    >>> [round(one[0], 4) for one in equities((("AS", "AD"), ("KS", "KD")), ("2C", "7H", "9D", "TH"))]
    [0.9545, 0.0455]
    """
    known = {*board, *(card for hand in hands for card in hand)}
    deck = [card for card in CARDS if card not in known]
    missing = BOARD - len(board)
    enough = MAX_HANDS // len(hands)
    is_exact = comb(len(deck), missing) <= enough
    boards = combinations(deck, missing) if is_exact else _drawn(deck, missing, enough, hands)
    count, wins, ties, shares = _counted(hands, board, boards)
    error = 0.0 if is_exact else 1.96 * sqrt(0.25 / count)
    return tuple([(wins[i] / count, ties[i] / count, shares[i] / count, error) for i in range(len(hands))])


def _drawn(deck: Sequence[str], missing: int, count: int, hands: tuple[Hand, ...]) -> Iterator[Hand]:
    """Sample boards, seeded by the hands so that all pages show the same numbers."""
    rng = random.Random(repr(hands))
    return (tuple(rng.sample(deck, missing)) for _ in range(count))


def _counted(
    hands: tuple[Hand, ...], board: Hand, boards: Iterable[Hand]
) -> tuple[int, list[int], list[int], list[float]]:
    """Return the number of boards, and per hand its wins, ties and sum of pot shares."""
    count, wins, ties, shares = 0, [0] * len(hands), [0] * len(hands), [0.0] * len(hands)
    for more in boards:
        count += 1
        worth = [strength((*hand, *board, *more)) for hand in hands]
        best = max(worth)
        winners = [i for i, one in enumerate(worth) if one == best]
        for i in winners:
            shares[i] += 1 / len(winners)
        if len(winners) == 1:
            wins[winners[0]] += 1
        else:
            for i in winners:
                ties[i] += 1
    return count, wins, ties, shares
