"""Reads a hand's result from the journal, in the common format of all games (`companion.kernel.events.Decided`)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Self, cast

from companion.journal.hash_chain import Entry, events_of
from companion.kernel.events import DECIDED, DecidedJson, EventJson

_SIGN: Final = f'"{DECIDED}"'


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a hand, for filters.

    Attributes:
        decided_by: the deciding suit or number, if any.
        won_by: the winner, if there is a single one.
        won, lost: players who gained coins, or are the winner; players who lost coins.
    """

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
    """Return the event by which an entry decided a hand, or None. Parses only entries that have one."""
    return decision_among(events_of(entry)) if _SIGN in entry.events else None


def decision_among(events: Iterable[EventJson]) -> DecidedJson | None:
    """Return the first event that decided a hand, or None."""
    return cast("DecidedJson | None", next((event for event in events if event["event"] == DECIDED), None))
