"""Simulated Roche players: modest bets, sometimes a bold one."""

import random
from collections.abc import Sequence
from typing import Final

from companion.games.roche.rules import State
from companion.plugins.demo import Planned, WhatIf
from companion.plugins.panel import Moment

NAMES: Final = ("Aubrey", "Benedict", "Celia", "Dorian")
PURSE: Final = 200

_CUTS: Final = (5, 6, 7, 4, 3, 2)  # in order of preference
_SIZES: Final = (2, 4, 4, 6, 6, 8, 10)


def plan_bets(moment: Moment, names: Sequence[str], rng: random.Random, *, within_s: float) -> list[Planned]:
    """Plan these players' legal bets, each player's at most a third of their coins.

    Args:
        within_s: duration of the betting.
    """
    state: State = moment.state
    spots, least = [offer.on for offer in state.offers], state.rules.limits.minimum or 1
    what_if, plan = WhatIf(moment), []
    for player in names:
        budget = moment.ledger.balance(player) // 3
        for on in _tastes(spots, rng):
            amount = max(least, rng.choice(_SIZES) if on.startswith("cut") else rng.choice((1, 1, 2)))
            record = {"do": "bet", "player": player, "on": on, "amount": amount}
            if amount <= budget and what_if.do(record):
                budget -= amount
                plan.append(Planned(rng.uniform(0.15, 0.8) * within_s, record, (player,)))
    return sorted(plan, key=lambda bet: bet.at_s)


def _tastes(spots: Sequence[str], rng: random.Random) -> list[str]:
    """Choose one to three spots: cuts by preference, sometimes a long shot."""
    cuts = [f"cut/{rank}" for rank in _CUTS if f"cut/{rank}" in spots]
    chosen = []
    for _ in range(rng.choice((1, 1, 2))):
        place = min(int(rng.expovariate(0.55)), len(cuts) - 1)
        if place >= 0 and cuts[place] not in chosen:
            chosen.append(cuts[place])
    others = [on for on in spots if not on.startswith("cut")]
    if others and rng.random() < 0.4:
        chosen.append(rng.choice(others))
    return chosen
