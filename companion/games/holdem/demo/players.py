"""Simulated hold'em players: they play by hand strength, with an occasional bluff."""

import random
from collections.abc import Sequence
from typing import Final

from companion.games.holdem.betting import missing
from companion.games.holdem.hands import RANK_IDS, rank_of, strength
from companion.games.holdem.state import State
from companion.games.holdem.view import sizes_now
from companion.games.standard_cards import RANKS
from companion.kernel.commands import Record

NAMES: Final = ("Aubrey", "Benedict", "Celia", "Dorian", "Estelle")
PURSE: Final = 2000
POOR: Final = 300
"""Coins below which a player buys in before the next hand."""
_BLUFF: Final = 0.06
_STAY: Final = 0.34
_RAISE: Final = 0.62
_MAX_RAISED_BLINDS: Final = 3
"""Highest bet still raised, in big blinds per (board cards + 1)."""


def worth(hole: Sequence[str], board: Sequence[str]) -> float:
    """Return a rough estimate of hand strength, 0 to 1.

    >>> worth(("AS", "AD"), ()) > worth(("KS", "QS"), ()) > worth(("7S", "2D"), ())
    True
    """
    high = sorted((RANKS.index(card[0]) for card in hole), reverse=True)
    if not board:
        is_pair, is_suited = hole[0][0] == hole[1][0], hole[0][1] == hole[1][1]
        return min(1.0, sum(high) / 32 + 0.35 * is_pair + 0.06 * is_suited)
    kind = RANK_IDS.index(rank_of(strength((*hole, *board))))
    common = RANK_IDS.index(rank_of(strength(board))) if len(board) == 5 else 0
    return min(1.0, 0.12 + 0.24 * max(0, kind - common) + high[0] / 100)


def decide(state: State, hole: Sequence[str], rng: random.Random) -> Record:
    """Return the betting command of the player to act."""
    player = state.actor
    feels = worth(hole, state.board) + rng.uniform(-0.12, 0.12)
    costs = missing(state, player)
    sizes = [size["to"] for size in sizes_now(state)]
    is_small = state.bet <= _MAX_RAISED_BLINDS * state.blinds[1] * (len(state.board) + 1)
    if sizes and is_small and (feels > _RAISE or rng.random() < _BLUFF):
        to = rng.choice(sizes[:2])
        return {"do": "raise" if state.bet else "bet", "to": to, "player": player.name}
    if not costs:
        return {"do": "check", "player": player.name}
    is_cheap = costs <= state.blinds[1] and feels > _STAY - 0.14
    verb = "call" if feels > _STAY + 0.3 * costs / max(1, player.coins + costs) or is_cheap else "fold"
    return {"do": verb, "player": player.name}


def gives_up(state: State, hole: Sequence[str], rng: random.Random) -> bool:
    """Whether the player to show mucks: only if beaten by a shown hand, and then at random."""
    shown = [strength((*player.cards, *state.board)) for player in state.players if player.cards]
    return bool(shown) and strength((*hole, *state.board)) < max(shown) and rng.random() < 0.7
