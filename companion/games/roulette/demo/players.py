"""Simulated roulette players: choice of spots and amounts."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from companion.games.roulette.layout import EVEN_MONEY, layout
from companion.games.roulette.rules import State
from companion.kernel.commands import Record
from companion.plugins.demo import WhatIf
from companion.plugins.panel import Moment

NAMES: Final = ("Aubrey", "Benedict", "Celia", "Dorian")
PURSE: Final = 200
LOW: Final = 30
"""Coins below which a player buys in again."""
_KINDS: Final = (
    "even money", "even money", "even money", "dozen", "column", "straight", "straight", "split", "corner", "street",
    "line",
)  # fmt: skip
_LARGE: Final = ("even money", "dozen", "column")
_ON_PHONE: Final = 0.3


@dataclass(frozen=True, slots=True)
class Wish:
    """A planned bet, with a chip or by phone."""

    player: str
    seat: int
    on: str
    coins: int
    is_on_phone: bool

    @property
    def record(self) -> Record:
        return {"do": "bet", "player": self.player, "on": self.on, "amount": self.coins}


def wishes_of(moment: Moment, names: Sequence[str], rng: random.Random) -> list[Wish]:
    """Return these players' bets before the next spin, all legal together."""
    state, what_if, wishes = moment.state, WhatIf(moment), list[Wish]()
    assert isinstance(state, State)
    for seat in state.seats:
        if seat.player not in names:
            continue
        for _ in range(rng.choice((1, 1, 2))):
            on, coins = _taste(state, rng)
            wish = Wish(seat.player, seat.number, on, coins, rng.random() < _ON_PHONE)
            if coins <= moment.ledger.balance(seat.player) // 4 and what_if.do(wish.record):
                wishes.append(wish)
    rng.shuffle(wishes)
    return wishes


def _taste(state: State, rng: random.Random) -> tuple[str, int]:
    """Return a random spot and chip value."""
    kind = rng.choice(_KINDS)
    spots = [on for on in layout(state.rules.wheel) if on.startswith(f"{kind}/")] or list(EVEN_MONEY)
    return rng.choice(spots), rng.choice((5, 25) if kind in _LARGE else (1, 1, 5))
