"""State of a link to an external service, for the owner's page."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal, Self

Condition = Literal["waiting", "up", "down"]


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class LinkState:
    """A broker or webhook link.

    Attributes:
        name: the host only, since the rest of a webhook's URL may be secret.
        state: ``waiting`` until the first attempt.
        since: start of this state.
        trouble: the problem and its remedy; empty if there is none.
        lost: events dropped since the table started.
    """

    kind: Literal["mqtt", "webhook"]
    name: str
    state: Condition = "waiting"
    since: datetime = field(default_factory=_now)
    trouble: str = ""
    lost: int = 0

    def now(self, state: Condition, trouble: str = "") -> Self:
        """Return the link in a new state; `since` is kept if the state is the same."""
        return replace(self, state=state, since=self.since if state == self.state else _now(), trouble=trouble)
