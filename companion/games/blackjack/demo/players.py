"""Simulated blackjack players: bets, and decisions by simple rules of thumb."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from companion.games.blackjack.hands import total
from companion.games.blackjack.state import State, choices
from companion.kernel.commands import Record
from companion.objects.chips import VALUES, Chip
from companion.plugins.demo import WhatIf
from companion.plugins.panel import Moment

NAMES: Final = ("Aubrey", "Benedict", "Celia", "Dorian")
PURSE: Final = 1500
LOW: Final = 600
"""Coins below which a player buys in again."""
_BETS: Final = (50, 50, 75, 100, 100, 125, 200)
_WHIM: Final = 0.06
"""Share of random decisions."""
_SPLIT_ALWAYS: Final = "A8"
_SPLIT_NEVER: Final = "54TJQK"
_WEAK: Final = range(2, 7)
"""Dealer's up-cards with a high bust rate."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A planned bet, with chips or by phone."""

    player: str
    seat: int
    coins: int
    is_on_phone: bool

    @property
    def record(self) -> Record:
        return {"do": "bet", "player": self.player, "amount": self.coins}

    @property
    def chips(self) -> tuple[Chip, ...]:
        return chips_for(self.seat, self.coins)


def chips_for(seat: int, coins: int) -> tuple[Chip, ...]:
    """Return the fewest chips for an amount, largest first.

    >>> [chip.id for chip in chips_for(2, 125)]
    ['C2-100', 'C2-25']
    """
    chips: list[Chip] = []
    for value in reversed(VALUES):
        chips += [Chip(seat, value)] * ((coins - sum(chip.value for chip in chips)) // value)
    return tuple(chips)


def has_phone(seat: int) -> bool:
    """Whether a simulated player bets by phone; the others use chips."""
    return seat % 2 == 0


def wishes_of(moment: Moment, names: Sequence[str], rng: random.Random) -> list[Wish]:
    """Return these players' bets on the next deal, all legal together."""
    state: State = moment.state
    what_if, wishes = WhatIf(moment), list[Wish]()
    for seat in state.seats:
        if seat.player not in names or state.box_of(seat.player) is not None:
            continue
        for coins in (rng.choice(_BETS), _BETS[0]):  # falls back to the smallest bet
            wish = Wish(seat.player, seat.number, coins, has_phone(seat.number))
            if what_if.do(wish.record):
                wishes.append(wish)
                break
    rng.shuffle(wishes)
    return wishes


def decision(moment: Moment, rng: random.Random) -> str:
    """Return a legal decision of the player to act."""
    state: State = moment.state
    can = [one for one in choices(state) if one in ("hit", "stand") or _is_taken(moment, one)]
    if rng.random() < _WHIM:
        return rng.choice([one for one in can if one != "split"])
    return next(one for one in (*_wanted(state), "stand") if one in can)


def _is_taken(moment: Moment, do: str) -> bool:
    """Whether a decision is legal, tried with any unseen card."""
    state: State = moment.state
    free = next(f"{rank}{suit}" for rank in "23456789" for suit in "SHDC" if f"{rank}{suit}" not in state.seen)
    needed: dict[str, Record] = {"double": {"card": free}, "split": {"cards": [free]}}
    return moment.accepts({"do": do, "player": str(state.turn), **needed.get(do, {})})


def _wanted(state: State) -> tuple[str, ...]:
    """Return the decisions by the rules of thumb, best first."""
    assert state.hand is not None, "somebody decides"
    cards, up = state.hand.cards, total(state.dealer).points
    points, is_soft = total(cards)
    if len(cards) == 2 and cards[0][0] == cards[1][0] and _splits(cards[0][0], up):
        return ("split", "hit")
    if points == 16 and not is_soft and up >= 10:
        return ("surrender", "hit")
    if points in (10, 11) and points > up:
        return ("double", "hit")
    if is_soft:
        return ("stand",) if points >= 18 else ("hit",)
    return ("stand",) if points >= 17 or (points >= 12 and up in _WEAK) else ("hit",)


def _splits(rank: str, up: int) -> bool:
    return rank in _SPLIT_ALWAYS or (rank not in _SPLIT_NEVER and up in _WEAK)
