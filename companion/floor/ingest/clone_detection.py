"""Tells delayed messages from a cloned table. Pure: no clock, no database.

Every response carries a ticket that the next request must return, so a delayed request carries an outdated one. A
process that has been superseded by another, but returns a ticket issued after that, is running at the same time: the
table has been copied.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

_RUNS_KEPT: Final = 8


@dataclass(frozen=True, slots=True)
class TicketCheck:
    """Verdict on a request's ticket.

    Attributes:
        ticket: for the next request.
        is_fresh: this is the newest request of the newest process.
        is_clone: two processes act as this table.
    """

    ticket: str
    is_fresh: bool
    is_clone: bool = False


@dataclass(slots=True)
class TicketState:
    """Ticket state of one table.

    Args:
        new_ticket: generates a ticket.
    """

    new_ticket: Callable[[], str]
    run: str | None = None
    _ticket: str = ""
    _earlier: dict[str, str] = field(default_factory=dict)
    "Superseded processes, each with the ticket issued to it since; an empty text if none was."

    def check(self, run: str, ticket: str) -> TicketCheck:
        """Process a request's run id and ticket."""
        given = self.new_ticket()
        if run in self._earlier:
            if not ticket or ticket != self._earlier[run]:
                self._earlier[run] = given
                return TicketCheck(given, is_fresh=False)
            self._follow(run, given)
            return TicketCheck(given, is_fresh=False, is_clone=True)
        if run != self.run:
            self._follow(run, given)
            return TicketCheck(given, is_fresh=False)
        is_fresh = ticket == self._ticket
        self._ticket = given
        return TicketCheck(given, is_fresh)

    def _follow(self, run: str, ticket: str) -> None:
        self._earlier.pop(run, None)
        if self.run is not None:
            self._earlier[self.run] = ""
        for oldest in list(self._earlier)[:-_RUNS_KEPT]:
            del self._earlier[oldest]
        self.run, self._ticket = run, ticket
