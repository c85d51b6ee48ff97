"""The chance to win of hands that lie open: every board that may still come, or before the flop a sample of them.

Nothing is known of a hand that is face down, so there are no chances while one of those that play is.
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
MOST_HANDS: Final = 20_000
"""Hands that are ranked for one answer; where the boards to come would take more, so many of them are drawn."""
REMEMBERED: Final = 64
_DEALING: Final = (Phase.DEAL_FLOP, Phase.DEAL_TURN, Phase.DEAL_RIVER)

Hand = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Equity:
    """A player's chances.

    Attributes:
        win: to have the best hand alone.
        tie: to share it.
        share: of a pot for which all these hands play.
        error: by how much the chances may be off, at 95 %; 0 where all boards were counted.
    """

    player: str
    win: float
    tie: float
    share: float
    error: float

    def to_json(self) -> Mapping[str, object]:
        """Return it as pages show it."""
        return {"player": self.player, "win": self.win, "tie": self.tie, "share": self.share, "error": self.error}


def chances_now(state: State) -> tuple[Equity, ...]:
    """Return everybody's chances; none unless all hands that play lie open and more cards are to come."""
    inside = [player for player in state.players if not player.folded]
    is_betting_over = len([player for player in inside if player.is_live]) < 2
    if state.phase not in _DEALING or not is_betting_over or may_be_tabled(state):
        return ()
    found = equities(tuple([player.cards for player in inside]), state.board)
    return tuple([Equity(player.name, *one) for player, one in zip(inside, found, strict=True)])


@lru_cache(REMEMBERED)
def equities(hands: tuple[Hand, ...], board: Hand) -> tuple[tuple[float, float, float, float], ...]:
    """Return win, tie, share and error for each hand.

    >>> [round(one[0], 4) for one in equities((("AS", "AD"), ("KS", "KD")), ("2C", "7H", "9D", "TH"))]
    [0.9545, 0.0455]
    """
    known = {*board, *(card for hand in hands for card in hand)}
    deck = [card for card in CARDS if card not in known]
    missing = BOARD - len(board)
    enough = MOST_HANDS // len(hands)
    is_exact = comb(len(deck), missing) <= enough
    boards = combinations(deck, missing) if is_exact else _drawn(deck, missing, enough, hands)
    count, wins, ties, shares = _counted(hands, board, boards)
    error = 0.0 if is_exact else 1.96 * sqrt(0.25 / count)
    return tuple([(wins[i] / count, ties[i] / count, shares[i] / count, error) for i in range(len(hands))])


def _drawn(deck: Sequence[str], missing: int, count: int, hands: tuple[Hand, ...]) -> Iterator[Hand]:
    """Draw boards; the same hands always get the same ones, so that every page says the same."""
    rng = random.Random(repr(hands))
    return (tuple(rng.sample(deck, missing)) for _ in range(count))


def _counted(
    hands: tuple[Hand, ...], board: Hand, boards: Iterable[Hand]
) -> tuple[int, list[int], list[int], list[float]]:
    """Return how many boards there were, and of each hand how many it wins and shares, and its shares of them."""
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
