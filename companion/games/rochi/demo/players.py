"""Simulated players of Rochi: modest people who buy what is near its cut, and fold when nothing speaks for going on.

They know the room's view and their own cards, nothing else. Captain's Rochi works the same way.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, Final

from companion.kernel.commands import Record

View = Mapping[str, Any]

NAMES: Final = ("Aubrey", "Benedict", "Celia", "Dorian", "Estelle", "Florian")
PURSE: Final = 100

_DEAL: Final = 0.55
_RIPE_MINE: Final = 0.4
_RIPE_OTHERS: Final = -0.4
_WORTH_IT: Final = 1.0
_MOST_OF_PURSE: Final = 0.4
_FOLD: Final = 0.12


def decide(view: View, player: str, cards: Sequence[str], rng: random.Random) -> Record:
    """Return what a player does next in his turn: play, deal, end, fold or pass.

    Args:
        view: the room's, with this player to act.
        cards: what he holds.
    """
    allowed, done = view["expected"], view["done"]
    best = _best_card(view, player, cards, rng) if "play" in allowed else None
    deals = "deal" in allowed and rng.random() < _wish_to_deal(view, player, has_card=best is not None)
    if done["play"] or done["deal"]:
        if best is not None and rng.random() < 0.7:
            return {"do": "play", "card": best}
        return {"do": "deal"} if deals else {"do": "end"}
    if best is not None and (not deals or rng.random() < 0.6):
        return {"do": "play", "card": best}
    if deals:
        return {"do": "deal"}
    return _give_up(view, player, cards, rng)


def _give_up(view: View, player: str, cards: Sequence[str], rng: random.Random) -> Record:
    """Nothing looks good: fold or pass now and then, else do the least that keeps one in the hand."""
    allowed = view["expected"]
    owns = any(stack["owner"] == player for stack in view["stacks"])
    if not owns and rng.random() < _FOLD:
        for verb in ("fold", "pass"):
            if verb in allowed:
                return {"do": verb}
    if "deal" in allowed:
        return {"do": "deal"}
    affordable = [card for card in cards if _price(view, player, card) <= _coins(view, player)]
    if "play" in allowed and affordable:
        return {"do": "play", "card": min(affordable, key=lambda card: _price(view, player, card))}
    return {"do": "pass" if "pass" in allowed else "fold"}


def _best_card(view: View, player: str, cards: Sequence[str], rng: random.Random) -> str | None:
    coins = _coins(view, player)
    worth = {card: _worth(view, player, card, cards) + rng.uniform(-1.5, 1.5) for card in cards}
    likes = [card for card in cards if worth[card] > _WORTH_IT and _price(view, player, card) <= coins * _MOST_OF_PURSE]
    return max(likes, key=lambda card: worth[card]) if likes else None


def _worth(view: View, player: str, card: str, cards: Sequence[str]) -> float:
    """What buying this suit may bring, less its price."""
    stack = _stack(view, card)
    if stack["is_locked"] or stack["condition"] == "dead" or stack["owner"] == player:
        return -5.0
    rank, nearness = stack["suit"], stack["count"] / stack["cut_at"]
    payers = sum(not hand.get("has_folded", False) for hand in view["hands"]) - 1
    prize = view["pots"][str(rank)] + rank * payers
    held = sum(other[0] == card[0] for other in cards)
    return float(prize * nearness * 0.45 - _price(view, player, card) + 0.9 * held)


def _wish_to_deal(view: View, player: str, *, has_card: bool) -> float:
    wish = _DEAL if has_card else _DEAL + 0.3
    for stack in view["stacks"]:
        if stack["condition"] in ("ripe", "rotten") and stack["to_cut"] == 1 and stack["owner"]:
            wish += _RIPE_MINE if stack["owner"] == player else _RIPE_OTHERS
    return wish


def _price(view: View, player: str, card: str) -> int:
    stack = _stack(view, card)
    if stack["is_locked"] or stack["owner"] == player:
        return 0
    return int(stack["price"] or 0)


def _stack(view: View, card: str) -> Mapping[str, Any]:
    return next(stack for stack in view["stacks"] if str(stack["suit"]) == card[0])


def _coins(view: View, player: str) -> int:
    return int(next(seat["coins"] for seat in view["players"] if seat["name"] == player))
