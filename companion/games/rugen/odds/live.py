"""The odds of every bet at this moment, from the state of each of the three games."""

from __future__ import annotations

from collections.abc import Iterable

from companion.games.rugen import capital, house, street
from companion.games.rugen.odds.bets import WaysOdds, capital_odds, house_odds, street_odds
from companion.objects.dice import NUMBERS


def house_bets(state: house.State) -> Iterable[WaysOdds]:
    """Return the odds of every bet of the layout."""
    return house_odds(state.rules.reading, state.rules.better_half, state.chain)


def capital_bets(state: capital.State) -> Iterable[WaysOdds]:
    """Return the odds of every number, whoever holds it."""
    taken = [claim.number for claim in state.wager.claims if claim.player is not None]
    return capital_odds(state.rules.schedule, taken, state.chain)


def street_bets(state: street.State) -> Iterable[WaysOdds]:
    """The numbers that somebody has, once the taking is over; before, all of them. A decided game has none left."""
    if state.phase is not street.Phase.CHAIN:
        return street_odds(NUMBERS)
    if state.wager.decided is not None or not state.wager.claims:
        return ()
    return street_odds(sorted(state.wager.numbers), state.chain)
