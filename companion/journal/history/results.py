"""A hand's result in the journal, in one format for every game (`companion.kernel.events.Decided`)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Self, cast

from companion.journal.hash_chain import Entry, happenings
from companion.kernel.events import DECIDED, DecidedJson, EventJson

_SIGN: Final = f'"{DECIDED}"'


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a list of hands is filtered by: the suit or number that decided, and who was better or worse off by it."""

    decided_by: int | str | None
    won_by: str | None
    won: frozenset[str]
    lost: frozenset[str]

    @classmethod
    def of(cls, event: DecidedJson) -> Self:
        """Return the outcome of a decision."""
        winner, gains = event["won_by"], event["gains"]
        won = {name for name, coins in gains.items() if coins > 0} | ({winner} if winner else set())
        lost = frozenset(name for name, coins in gains.items() if coins < 0)
        return cls(event["decided_by"], winner, frozenset(won), lost)


def decision_in(entry: Entry) -> DecidedJson | None:
    """Return the event by which an entry decided a hand; None if it decided none.

    Most entries decide nothing: they are not taken apart.
    """
    return decision_among(happenings(entry)) if _SIGN in entry.events else None


def decision_among(events: Iterable[EventJson]) -> DecidedJson | None:
    """Return the first event that decided a hand; None if none did."""
    return cast("DecidedJson | None", next((event for event in events if event["event"] == DECIDED), None))
