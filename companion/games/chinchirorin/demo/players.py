"""Simulated chinchirorin players: the banker's bank, and the others' bets."""

import random
from collections.abc import Sequence
from typing import Final

from companion.games.chinchirorin.commands import PIPS
from companion.games.chinchirorin.state import Phase, State
from companion.games.chinchirorin.view import may_bet
from companion.kernel.commands import Record
from companion.plugins.demo import WhatIf
from companion.plugins.panel import Moment

NAMES: Final = ("Aubrey", "Benedict", "Celia", "Dorian")
PURSE: Final = 200
LOW: Final = 25
"""Coins below which a player buys in again."""

Wish = tuple[Record, tuple[str, ...]]
"""A command, and the players whose coins it moves."""


def plan(moment: Moment, names: Sequence[str], rng: random.Random, *, is_short: bool) -> list[Wish]:
    """Return these players' commands before the next throw, in order.

    Args:
        names: simulated players at the table.
        is_short: the banker risks everything, and accepts more bets than they can pay.
    """
    state = moment.state
    assert isinstance(state, State)
    if state.phase is Phase.DRAW:
        here = [player for player in state.asked if player in names][:1]
        return [({"do": "throw-for-bank", "player": player, "die": rng.choice(PIPS)}, (player,)) for player in here]
    if state.phase is Phase.BETTING:
        return [*_bets(moment, names, rng, is_short=is_short), ({"do": "close"}, ())]
    if state.banker is None or state.banker not in names:
        return []
    if state.phase is Phase.BANK:
        coins = moment.ledger.balance(state.banker)
        bank = coins if is_short else min(coins, rng.choice((20, 30, 40, 50)))
        return [({"do": "bank", "amount": bank, "player": state.banker}, (state.banker,))]
    if state.phase is Phase.WASH:
        return [({"do": rng.choice(("keep-bank", "pass-bank")), "player": state.banker}, (state.banker,))]
    return []


def _bets(moment: Moment, names: Sequence[str], rng: random.Random, *, is_short: bool) -> list[Wish]:
    """Return the bets, clockwise from the banker."""
    what_if, wishes = WhatIf(moment), list[Wish]()
    for player in may_bet(moment.state):
        coins = moment.ledger.balance(player)
        if player not in names or (not is_short and rng.random() < 0.15):
            continue
        amount = coins if is_short else min(coins // 3, rng.choice((5, 5, 10, 15)))
        record: Record = {"do": "bet", "player": player, "amount": amount, "allowed": is_short}
        if amount > 0 and what_if.do(record):
            wishes.append((record, (player,)))
    return wishes
