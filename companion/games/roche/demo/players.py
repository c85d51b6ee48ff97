"""The simulated players of the demo table: modest bets, sometimes a bold one, and a new purse when broke."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from companion.kernel.price import Price

NAMES: Final = ("Aubrey", "Benedict", "Celia", "Dorian")
PURSE: Final = 200

_CUTS: Final = (5, 6, 7, 4, 3, 2)  # what people like, most liked first
_SIZES: Final = (2, 4, 4, 6, 6, 8, 10)


@dataclass(frozen=True, slots=True)
class PlannedBet:
    """A bet that a player will make so many seconds into the betting."""

    at_s: float
    player: str
    on: str
    amount: int

    def record(self) -> dict[str, Any]:
        """Return the command."""
        return {"do": "bet", "player": self.player, "on": self.on, "amount": self.amount}


def is_within(limits: Mapping[str, Any], price: str, amount: int) -> bool:
    """Say whether the house takes this bet; who plays here reads the limits first.

    >>> is_within({"max": 200, "cap": 200}, "10:1", 20), is_within({"max": 200, "cap": 200}, "10000:1", 1)
    (True, False)
    >>> is_within({}, "7:3 by day, 6:3 by night", 3000)
    True
    """
    wins = Price.parse(price.partition(" ")[0]).winnings(amount)
    bounds = ((amount, limits.get("max")), (wins, limits.get("cap")), (wins, limits.get("bank")))
    return all(bound is None or coins <= bound for coins, bound in bounds)


def plan_bets(
    purses: Mapping[str, int],
    spots: Mapping[str, str],
    rng: random.Random,
    *,
    within_s: float,
    limits: Mapping[str, Any] | None = None,
) -> tuple[PlannedBet, ...]:
    """Decide who bets what and when; nobody bets more than a third of the purse.

    Args:
        purses: coins by player.
        spots: what this table offers (spot to price).
        within_s: the betting is open for so long.
        limits: the table's ``min``, ``max``, ``cap`` and ``bank``.

    >>> plan_bets({"Ann": 0}, {"cut/6": "8:1"}, random.Random(1), within_s=5)
    ()
    """
    limits = limits or {}
    least = limits.get("min") or 1
    plan = []
    for player, coins in purses.items():
        budget = coins // 3
        for on in _tastes(spots, rng):
            amount = max(least, rng.choice(_SIZES) if on.startswith("cut") else rng.choice((1, 1, 2)))
            if amount <= budget and is_within(limits, spots[on], amount):
                budget -= amount
                plan.append(PlannedBet(rng.uniform(0.15, 0.8) * within_s, player, on, amount))
    return tuple(sorted(plan, key=lambda bet: bet.at_s))


def _tastes(spots: Mapping[str, str], rng: random.Random) -> list[str]:
    """Choose one to three spots: cuts by preference, now and then a long shot."""
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
