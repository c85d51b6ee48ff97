"""A game's exact odds: for its bets, and for the next card or throw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from companion.kernel.game import Game, Options
from companion.odds.asked import Asked
from companion.odds.bet_odds import AnyBet, OddsJson, shown_odds
from companion.odds.exposure import house_state
from companion.odds.house_edges import EdgeRange, edge_ranges

Ask = Callable[[str, Iterable[str]], Asked]
"""Takes ``--seen`` and the ``KEY=VALUE`` options of `companion odds`; raises `BadScript` for what the game lacks."""


class EventChance(Protocol):
    """The probability of one outcome of the next card or throw."""

    def to_json(self) -> Mapping[str, object]:
        """Return the chance as the game's pages show it."""
        ...


def _none(state: Any) -> tuple[()]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OddsPart:
    """A game's odds. The default is a game without any.

    Attributes:
        bets: returns the exact odds of every bet in a state, in the layout's order.
        next_events: returns the chances of what the next card or throw may bring about in a state.
        ask: answers `companion odds`.
    """

    bets: Callable[[Any], Iterable[AnyBet]] = _none
    next_events: Callable[[Any], Iterable[EventChance]] | None = None
    ask: Ask | None = None

    def shown(self, state: Any) -> list[OddsJson]:
        """Return the odds of every bet in a state, as pages show them."""
        return [shown_odds(bet) for bet in self.bets(state)]

    def chances(self, state: Any) -> list[Mapping[str, object]]:
        """Return the chances of the next outcomes, as pages show them."""
        return [chance.to_json() for chance in self.next_events(state)] if self.next_events is not None else []

    def house_edges(self, rules: Game[Any], options: Options) -> tuple[EdgeRange, ...]:
        """Return the edges of a game's bets by family, under a header's options; none without a bank.

        Raises:
            BadScript: an option is not one of the game's.
        """
        state = rules.start((), options)
        return () if house_state(state) is None else edge_ranges(self.bets(state))
