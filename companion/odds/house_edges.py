"""What the house keeps under each house rule: the edges that the set-up page shows beside every choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from companion.games.roche.odds import live_odds
from companion.games.roche.paytable import load_paytable
from companion.games.rugen.capital import parse_rules
from companion.games.rugen.odds.bets import WaysOdds, capital_odds, house_odds
from companion.odds.bet_odds import BetOdds

Options = Mapping[str, Any]
_EDGELESS: Final = ("rochi", "captains", "rugen-street")
"""Players play against each other: no house, so no edge."""


@dataclass(frozen=True, slots=True)
class EdgeRange:
    """The least and the most that the house keeps of a coin, over the bets of one family (``cut``, ``chain``)."""

    family: str
    least: Fraction
    most: Fraction

    def to_json(self) -> dict[str, Any]:
        return {"family": self.family, "least": float(self.least), "most": float(self.most)}


def house_edges(game: str, options: Options) -> tuple[EdgeRange, ...]:
    """Return the edges of a game's bets by family, in the layout's order; empty for games without a house.

    >>> [str(round(float(e), 3)) for r in house_edges("rugen-house", {"chain_day_night": "own"})[-1:]
    ...     for e in (r.least, r.most)]
    ['0.1', '0.203']

    Args:
        options: as in a header: ``layout``, ``deck``, ``paytable``; ``chain_day_night``, ``better_half``; ``schedule``.

    Raises:
        BadScript: an option is not one of its game's.
    """
    if game in _EDGELESS:
        return ()
    return _by_family(_odds(game, options))


def _odds(game: str, options: Options) -> Iterable[BetOdds | WaysOdds]:
    if game == "rugen-house":
        return house_odds(options.get("chain_day_night", "all"), options.get("better_half", "day"))
    if game == "rugen-capital":
        return capital_odds(parse_rules({"schedule": options.get("schedule", "low")}).schedule)
    deck = options.get("deck", "full")
    paytable = load_paytable(deck).with_changes(options.get("paytable", {}))
    return live_odds(options.get("layout", "basic"), deck, (), paytable)


def _by_family(odds: Iterable[BetOdds | WaysOdds]) -> tuple[EdgeRange, ...]:
    families: dict[str, list[Fraction]] = {}
    for bet in odds:
        families.setdefault(bet.on.partition("/")[0], []).append(bet.edge)
    return tuple(EdgeRange(family, min(edges), max(edges)) for family, edges in families.items())
