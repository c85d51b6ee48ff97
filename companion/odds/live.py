"""The odds that a table shows, from its game's state: of every bet against the house, and of the next cut in Rochi."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from companion.games.roche import rules as roche
from companion.games.roche.odds import live_odds
from companion.games.rochi import state as rochi_state
from companion.games.rochi.captains import state as captains_state
from companion.games.rochi.odds import cut_chances
from companion.games.rugen import capital as rugen_capital
from companion.games.rugen import house as rugen_house
from companion.games.rugen import street as rugen_street
from companion.games.rugen.odds.bets import WaysOdds, capital_odds, house_odds, street_odds
from companion.objects.dice import NUMBERS
from companion.odds.bet_odds import BetOdds, fraction_text


def odds_of(state: Any) -> list[dict[str, Any]]:
    """Return the exact odds of every bet at this moment, in the layout's order; none for a game without bets.

    A round that is decided has none any more: until the next one begins these are its odds, from a full deck.
    """
    return [
        {
            "on": bet.on,
            "probability": fraction_text(bet.probability),
            "float": float(bet.probability),
            "pays": str(bet.pays),
            "edge": float(bet.edge),
        }
        for bet in _bets(state)
    ]


def _bets(state: Any) -> Iterable[BetOdds | WaysOdds]:
    if isinstance(state, roche.State):
        rules = state.rules
        seen = state.dealt if state.phase is not roche.Phase.SETTLED else ()
        return live_odds(rules.layout, rules.deck, seen, rules.prices)
    if isinstance(state, rugen_house.State):
        return house_odds(state.rules.reading, state.rules.better_half, state.chain)
    if isinstance(state, rugen_capital.State):
        taken = [claim.number for claim in state.wager.claims if claim.player is not None]
        return capital_odds(state.rules.schedule, taken, state.chain)
    return _street_bets(state) if isinstance(state, rugen_street.State) else ()


def _street_bets(state: rugen_street.State) -> Iterable[WaysOdds]:
    """The numbers that somebody has, once the taking is over; before, all of them. A decided game has none left."""
    if state.phase is not rugen_street.Phase.CHAIN:
        return street_odds(NUMBERS)
    if state.wager.decided is not None or not state.wager.claims:
        return ()
    return street_odds(sorted(state.wager.numbers), state.chain)


def chances_of(state: Any) -> list[dict[str, Any]]:
    """Return the chance of each suit to be cut by the next card dealt; none where no card can be dealt."""
    if isinstance(state, rochi_state.State):
        is_open = state.phase in (rochi_state.Phase.TURNS, rochi_state.Phase.LAST_PLAYER)
        found = cut_chances(state.hand.stacks, state.hand.gone) if is_open else ()
    elif isinstance(state, captains_state.State):
        is_open = state.phase is captains_state.Phase.TURNS and state.deck > 0
        found = cut_chances(state.stacks, state.discards) if is_open else ()
    else:
        return []
    return [chance.to_json() for chance in found]
