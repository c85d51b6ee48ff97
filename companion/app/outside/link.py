"""How a link to somebody outside fares, for the owner's page."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal, Self

Condition = Literal["waiting", "up", "down"]


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class LinkState:
    """A broker or a webhook.

    Attributes:
        name: the host alone: the rest of a webhook's address may be a secret.
        state: ``waiting`` until something was tried.
        since: when that began.
        trouble: what is wrong, and what to do about it; an empty text while all is well.
        lost: how much happened that could not be told since the table started.
    """

    kind: Literal["mqtt", "webhook"]
    name: str
    state: Condition = "waiting"
    since: datetime = field(default_factory=_now)
    trouble: str = ""
    lost: int = 0

    def now(self, state: Condition, trouble: str = "") -> Self:
        """Return the link as it is from now on; what it was already it has been since then."""
        return replace(self, state=state, since=self.since if state == self.state else _now(), trouble=trouble)
