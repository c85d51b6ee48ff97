"""Simulated Rochi players: they buy suits close to their cut, and fold when nothing favours going on.

They know only the open cards and their own. Captain's Rochi works the same way.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from companion.kernel.commands import Record

if TYPE_CHECKING:
    from companion.games.rochi.demo.moves import Board

NAMES: Final = ("Aubrey", "Benedict", "Celia", "Dorian", "Estelle", "Florian")
PURSE: Final = 100

_DEAL: Final = 0.55
_RIPE_MINE: Final = 0.4
_RIPE_OTHERS: Final = -0.4
_WORTH_IT: Final = 1.0
_MAX_PURSE_SHARE: Final = 0.4
_FOLD: Final = 0.12


def decide(board: Board, player: str, cards: Sequence[str], rng: random.Random) -> Record:
    """Return a player's next command: play, deal, end, fold or pass.

    Args:
        board: position with this player to act.
        cards: the player's hand.
    """
    allowed = board.expected
    best = _best_card(board, player, cards, rng) if "play" in allowed else None
    deals = "deal" in allowed and rng.random() < _wish_to_deal(board, player, has_card=best is not None)
    if board.has_acted:
        if best is not None and rng.random() < 0.7:
            return {"do": "play", "card": best}
        return {"do": "deal"} if deals else {"do": "end"}
    if best is not None and (not deals or rng.random() < 0.6):
        return {"do": "play", "card": best}
    if deals:
        return {"do": "deal"}
    return _give_up(board, player, cards, rng)


def _give_up(board: Board, player: str, cards: Sequence[str], rng: random.Random) -> Record:
    """Return a command without a promising move: occasionally fold or pass, otherwise the cheapest way to stay in."""
    allowed = board.expected
    give_up = "fold" if "fold" in allowed else "pass"
    owns = any(stack.owner == player for stack in board.stacks)
    if not owns and rng.random() < _FOLD and give_up in allowed:
        return {"do": give_up}
    if "deal" in allowed:
        return {"do": "deal"}
    prices = {card: board.stack(card).price_for(player) for card in cards}
    affordable = [card for card in cards if prices[card] <= _coins(board, player)]
    if "play" in allowed and affordable:
        return {"do": "play", "card": min(affordable, key=prices.__getitem__)}
    return {"do": "pass" if "pass" in allowed else "fold"}


def _best_card(board: Board, player: str, cards: Sequence[str], rng: random.Random) -> str | None:
    most = _coins(board, player) * _MAX_PURSE_SHARE
    worth = {card: _worth(board, player, card, cards) + rng.uniform(-1.5, 1.5) for card in cards}
    likes = [card for card in cards if worth[card] > _WORTH_IT and board.stack(card).price_for(player) <= most]
    return max(likes, key=worth.__getitem__) if likes else None


def _worth(board: Board, player: str, card: str, cards: Sequence[str]) -> float:
    """Return the estimated value of buying a suit, minus its price."""
    stack = board.stack(card)
    if stack.is_locked or board.condition(stack) == "dead" or stack.owner == player:
        return -5.0
    prize = board.coins[f"pot/{stack.suit}"] + stack.suit * (board.playing - 1)
    held = sum(other[0] == card[0] for other in cards)
    return prize * (len(stack.cards) / stack.suit) * 0.45 - stack.price_for(player) + 0.9 * held


def _wish_to_deal(board: Board, player: str, *, has_card: bool) -> float:
    wish = _DEAL if has_card else _DEAL + 0.3
    for stack in board.stacks:
        if stack.owner and stack.is_ripe and board.condition(stack) in ("ripe", "rotten"):
            wish += _RIPE_MINE if stack.owner == player else _RIPE_OTHERS
    return wish


def _coins(board: Board, player: str) -> int:
    return board.coins[f"seat/{board.seats[player]}"]
