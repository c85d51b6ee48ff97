"""A game's exact odds: for its bets, and for the next card or throw."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from companion.kernel.events import Decided
from companion.odds.asked import Asked
from companion.odds.bet_odds import AnyBet, OddsJson, shown_odds
from companion.odds.endings import Endings, Played, Staked

Ask = Callable[[str, Iterable[str]], Asked]
"""Takes ``--seen`` and the ``KEY=VALUE`` options of `companion odds`; raises `BadScript` for what the game lacks."""

Together = Callable[[Any, Staked], Endings | None]
"""Takes a state and bets that were made in it; returns how they end together, None if that is not known."""

Advice = Callable[[Any, str], Mapping[str, object]]
"""Takes a state and a viewer: ``room``, ``dealer`` or ``seat/3``."""


class EventChance(Protocol):
    """The probability of one outcome of the next card or throw."""

    def to_json(self) -> Mapping[str, object]:
        """Return the chance as the game's pages show it."""
        ...


class Rounds(Protocol):
    """What the bets of a whole round are worth when its stakes lie: of hands that grow, and between players."""

    def has_begun(self, state: Any) -> bool:
        """Whether a round's first stakes lie as they are in this state; the last such state is the one that counts."""
        ...

    def bets(self, state: Any, decided: Decided) -> Iterable[Played]:
        """Return what a decision made of the stakes that lay in that state."""
        ...


def _none(state: Any) -> tuple[()]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OddsPart:
    """A game's odds. The default is a game without any.

    Attributes:
        bets: returns the exact odds of every bet in a state, in the layout's order.
        next_events: returns the chances of what the next card or throw may bring about in a state.
        advice: returns what the decision that is due is worth, as far as the viewer may know it; the game says what.
            Pages that show it ask for it, never the table's own thread: it may take longer than a view.
        together: returns how bets end together that the same cards or the same throw decide; without it only the widest
            error that they can have together is known.
        decided_by: takes a state and a bet made in it, and names what decides it, such as the next throw; None is the
            whole round. Without it all bets of a round are decided together.
        rounds: returns what tells a decided round's bets, of a game in which `bets` does not have the odds of each.
        ask: answers `companion odds`; None: `companion.plugins.ask` does, from the bets.
    """

    bets: Callable[[Any], Iterable[AnyBet]] = _none
    next_events: Callable[[Any], Iterable[EventChance]] | None = None
    advice: Advice | None = None
    together: Together | None = None
    decided_by: Callable[[Any, str], Hashable] | None = None
    rounds: Callable[[], Rounds] | None = None
    ask: Ask | None = None

    @property
    def is_there(self) -> bool:
        """Whether the game has any."""
        return self.bets is not _none

    def shown(self, state: Any) -> list[OddsJson]:
        """Return the odds of every bet in a state, as pages show them."""
        return [shown_odds(bet) for bet in self.bets(state)]

    def chances(self, state: Any) -> list[Mapping[str, object]]:
        """Return the chances of the next outcomes, as pages show them."""
        return [chance.to_json() for chance in self.next_events(state)] if self.next_events is not None else []
