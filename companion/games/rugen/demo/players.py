"""Simulated Rugen players: bets, takes and stakes."""

import random
from collections.abc import Sequence
from typing import Final

from companion.games.rugen.capital import Phase as CapitalPhase
from companion.games.rugen.capital import State as CapitalState
from companion.games.rugen.house import State as HouseRugenState
from companion.games.rugen.street import Phase as StreetPhase
from companion.games.rugen.street import State as StreetState
from companion.kernel.commands import Record
from companion.plugins.demo import WhatIf
from companion.plugins.panel import Moment

NAMES: Final = ("Aubrey", "Benedict", "Celia", "Dorian")
PURSE: Final = 200
LOW: Final = 40
"""Coins below which a player buys in again."""

Wish = tuple[Record, tuple[str, ...]]
"""A command, and the players whose coins it moves."""


def plan(moment: Moment, names: Sequence[str], rng: random.Random) -> list[Wish]:
    """Return these players' commands before the next throw, in order; the last one may close the taking.

    Args:
        names: simulated players at the table.
    """
    match moment.state:
        case HouseRugenState() as state:
            return _plan_house_rugen(moment, state, names, rng)
        case StreetState() as state:
            return _street(moment, state, names, rng)
        case CapitalState() as state:
            return _capital(moment, state, names, rng)
    raise TypeError(f"{moment.rules.name} is no game of the Rugen die")


def _plan_house_rugen(moment: Moment, state: HouseRugenState, names: Sequence[str], rng: random.Random) -> list[Wish]:
    what_if, bets = WhatIf(moment), list[Wish]()
    for name in names:
        budget = moment.ledger.balance(name) // 4
        for on, amount in _tastes(at_start=not state.chain, rng=rng):
            record = {"do": "bet", "player": name, "on": on, "amount": amount}
            if amount <= budget and what_if.do(record):
                budget -= amount
                bets.append((record, (name,)))
    return bets


def _tastes(*, at_start: bool, rng: random.Random) -> list[tuple[str, int]]:
    """Return up to three spots with amounts: chain bets at a chain's start, one-roll bets at any time."""
    wishes = []
    if at_start and rng.random() < 0.8:
        wishes.append((f"chain/{rng.choice((1, 2, 3, 3, 4, 4))}", rng.choice((5, 5, 10))))
        if rng.random() < 0.2:
            wishes.append((f"chain-{rng.choice(('day', 'night'))}/{rng.choice((2, 3, 4))}", rng.choice((1, 2, 5))))
    if rng.random() < (0.6 if at_start else 0.45):
        number = rng.choice((1, 2, 3, 3, 4, 4))
        kind = rng.choice(("center", "center", "center", "day", "night"))
        wishes.append((f"{kind}/{number}", number * rng.choice((1, 1, 2))))
    return wishes


def _street(moment: Moment, state: StreetState, names: Sequence[str], rng: random.Random) -> list[Wish]:
    shooter = state.shooter
    if state.phase is StreetPhase.STAKE and shooter is not None and shooter in names:
        return [({"do": "stake", "units": max(state.minimum, rng.choice((1, 1, 2, 2, 3)))}, (shooter,))]
    if state.phase is not StreetPhase.TAKING:
        return []
    what_if, taken = WhatIf(moment), list[Wish]()
    others, free = [name for name in names if name != shooter], state.wager.free
    rng.shuffle(others)
    for name, number in zip(others, rng.sample(free, len(free)), strict=False):
        record = {"do": "take", "player": name, "number": number}
        if rng.random() < 0.8 and what_if.do(record):
            taken.append((record, (name,)))
    if len(names) >= 2 and rng.random() < 0.25:
        pair = tuple(rng.sample(names, 2))
        if all(moment.ledger.balance(name) >= LOW for name in pair):
            numbers = dict(zip(pair, rng.sample((1, 2, 3, 4), 2), strict=True))
            taken.append(({"do": "side-bet", "units": 1, "numbers": numbers}, pair))
    return [*taken, ({"do": "close"}, ())]


def _capital(moment: Moment, state: CapitalState, names: Sequence[str], rng: random.Random) -> list[Wish]:
    if state.phase is not CapitalPhase.TAKING:
        return []
    what_if, taken = WhatIf(moment), list[Wish]()
    units = state.wager.units or rng.choice((1, 1, 2))
    for name in rng.sample(names, len(names)):
        said = {} if what_if.state.wager.units else {"units": units}  # the first taker sets the units
        most = moment.ledger.balance(name) // 3
        wish: list[Record] = [
            {"do": "take", "player": name, "number": number} | said
            for number in what_if.state.wager.free
            if state.rules.schedule.player_price(number) * units <= most
        ]
        wish = [record for record in wish if what_if.accepts(record)]
        if wish and rng.random() < 0.65:
            taken.append((rng.choice(wish), (name,)))
            what_if.do(taken[-1][0])
    return [*taken, ({"do": "close"}, ())]
