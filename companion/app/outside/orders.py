"""``hold`` and ``release`` by somebody outside: the very commands of the dealer's page, and nothing else of them."""

from __future__ import annotations

from typing import Final, Protocol

from companion.kernel.commands import Record
from companion.kernel.errors import WrongPhase
from companion.kernel.messages import message
from companion.kernel.table import is_disputed
from companion.service.snapshot import RoomView

TAKEN: Final = ("hold", "release")
"""Neither moves a coin."""


class Service(Protocol):
    """The part of the table's service that is needed."""

    def glance(self) -> RoomView: ...
    def submit(self, record: Record, *, source: str, key: str | None = None) -> object: ...


def carry_out(service: Service, command: str, source: str, key: str | None = None) -> None:
    """Give a command; but to release a disputed payout is to make it, and somebody has to look at that.

    Raises:
        TableError: it was refused.
    """
    if command == "release" and is_disputed(service.glance()["hold"]):
        raise WrongPhase(message("A payout is disputed. Look at it, and release it on the dealer's page."))
    service.submit({"do": command}, source=source, key=key)
