"""Tournament clock: starts the next level between hands once the current one's time is up."""

from typing import Final

from companion.games.holdem.state import Phase, State
from companion.games.holdem.tournament.commands import NextLevel
from companion.games.holdem.tournament.rules import used_at
from companion.kernel.commands import Record

_BETWEEN: Final = (Phase.READY, Phase.BREAK)


def due(state: State, at: str) -> Record | None:
    """Return the command due at time ``at``, or None.

    None while only one player has coins: a new level could close the rebuys, which is the dealer's decision.
    """
    tour = state.tour
    if tour is None or not tour.runs or tour.following is None or tour.race is not None or state.phase not in _BETWEEN:
        return None
    if tour.has_begun and len(tour.alive) < 2:
        return None
    return {"do": NextLevel.verb} if used_at(tour, NextLevel(at)) >= 60 * tour.level.minutes else None
