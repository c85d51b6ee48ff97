"""Tells a delayed message from a second machine that says it is the same table. Pure: no clock, no database.

Every answer of the floor carries a ticket, which the next message has to bring along: an old message that arrives
late brings an old one. A process that was followed by another one, and that still comes with a ticket which it got
after that, runs beside it: somebody has copied the table.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

_RUNS_KEPT: Final = 8


@dataclass(frozen=True, slots=True)
class Greeting:
    """What a message's ticket says.

    Attributes:
        ticket: for the next message.
        is_fresh: the message is the newest of its process, and no other process has come since.
        is_clone: two processes say that they are this table.
    """

    ticket: str
    is_fresh: bool
    is_clone: bool = False


@dataclass(slots=True)
class Link:
    """The connection to one table.

    Args:
        new_ticket: names a ticket.
    """

    new_ticket: Callable[[], str]
    run: str | None = None
    _ticket: str = ""
    _earlier: dict[str, str] = field(default_factory=dict)
    "Processes that another one followed, with the ticket that each was given since; none yet: empty."

    def greet(self, run: str, ticket: str) -> Greeting:
        """Take a message's process and ticket."""
        given = self.new_ticket()
        if run in self._earlier:
            if not ticket or ticket != self._earlier[run]:
                self._earlier[run] = given
                return Greeting(given, is_fresh=False)
            self._follow(run, given)
            return Greeting(given, is_fresh=False, is_clone=True)
        if run != self.run:
            self._follow(run, given)
            return Greeting(given, is_fresh=False)
        is_fresh = ticket == self._ticket
        self._ticket = given
        return Greeting(given, is_fresh)

    def _follow(self, run: str, ticket: str) -> None:
        self._earlier.pop(run, None)
        if self.run is not None:
            self._earlier[self.run] = ""
        for oldest in list(self._earlier)[:-_RUNS_KEPT]:
            del self._earlier[oldest]
        self.run, self._ticket = run, ticket
