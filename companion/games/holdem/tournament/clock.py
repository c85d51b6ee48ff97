"""What the table's clock does at a tournament: it begins the next level between hands, once the time is over."""

from typing import Final

from companion.games.holdem.state import Phase, State
from companion.games.holdem.tournament.commands import NextLevel
from companion.games.holdem.tournament.rules import used_at
from companion.kernel.commands import Record

_BETWEEN: Final = (Phase.READY, Phase.BREAK)


def due(state: State, at: str) -> Record | None:
    """Return the command that is due at a time, if any.

    Where only one player has coins the dealer says whether somebody comes in again: that would be decided by it.
    """
    tour = state.tour
    if tour is None or not tour.runs or tour.following is None or tour.race is not None or state.phase not in _BETWEEN:
        return None
    if tour.has_begun and len(tour.alive) < 2:
        return None
    return {"do": NextLevel.verb} if used_at(tour, NextLevel(at)) >= 60 * tour.level.minutes else None
