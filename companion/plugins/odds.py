"""A game's exact odds: for its bets, and for the next card or throw."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from companion.kernel.events import Decided
from companion.odds.asked import Asked
from companion.odds.bet_odds import AnyBet, OddsJson, shown_odds
from companion.odds.endings import Endings, Played, Staked

Ask = Callable[[str, Iterable[str]], Asked]
"""Takes ``--seen`` and the ``KEY=VALUE`` options of `companion odds`; raises `BadScript` for unsupported ones."""

Together = Callable[[Any, Staked], Endings | None]
"""Takes a state and bets made in it; returns the distribution of their joint result, None if unknown."""

Advice = Callable[[Any, str], Mapping[str, object]]
"""Takes a state and a viewer: ``room``, ``dealer`` or ``seat/3``."""


class EventChance(Protocol):
    """The probability of one outcome of the next card or throw."""

    def to_json(self) -> Mapping[str, object]:
        """Return the chance in the form shown on the game's pages."""
        ...


class Rounds(Protocol):
    """The value of a whole round's bets when its stakes are placed: for hands that develop, and between players."""

    def has_begun(self, state: Any) -> bool:
        """Whether a round's initial stakes are complete in this state; the last such state is used."""
        ...

    def bets(self, state: Any, decided: Decided) -> Iterable[Played]:
        """Return the outcome of the stakes in that state, given the decision."""
        ...


def _none(state: Any) -> tuple[()]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OddsPart:
    """A game's odds. The default has none.

    Attributes:
        bets: returns the exact odds of every bet in a state, in the layout's order.
        next_events: returns the probabilities of the possible outcomes of the next card or throw in a state.
        advice: returns the values of the current decision's options, as far as the viewer may know them, in the game's
            own form. Computed on request of pages, never on the table's thread: it may take longer than a view.
        together: returns the joint outcomes of bets decided by the same cards or the same throw; without it, only an
            upper bound of their joint variance is known.
        decided_by: takes a state and a bet made in it, and identifies what decides it, such as the next throw; None:
            the whole round. Without it, all bets of a round are decided together.
        rounds: returns the evaluation of a decided round's bets, for a game where `bets` lacks the odds of some.
        ask: answers `companion odds`; None: `companion.plugins.ask` does so from the bets.
    """

    bets: Callable[[Any], Iterable[AnyBet]] = _none
    next_events: Callable[[Any], Iterable[EventChance]] | None = None
    advice: Advice | None = None
    together: Together | None = None
    decided_by: Callable[[Any, str], Hashable] | None = None
    rounds: Callable[[], Rounds] | None = None
    ask: Ask | None = None

    @property
    def has_odds(self) -> bool:
        """Whether the game has odds."""
        return self.bets is not _none

    def shown(self, state: Any) -> list[OddsJson]:
        """Return the odds of every bet in a state, in the form shown on pages."""
        return [shown_odds(bet) for bet in self.bets(state)]

    def chances(self, state: Any) -> list[Mapping[str, object]]:
        """Return the chances of the next outcomes, in the form shown on pages."""
        return [chance.to_json() for chance in self.next_events(state)] if self.next_events is not None else []
