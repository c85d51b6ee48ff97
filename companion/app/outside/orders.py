"""``hold`` and ``release`` by somebody outside: the very commands of the dealer's page, and nothing else of them."""

from __future__ import annotations

from typing import Final, Protocol

from companion.kernel.commands import Record

TAKEN: Final = ("hold", "release")
"""Neither moves a coin."""


class Service(Protocol):
    """The part of the table's service that is needed."""

    def submit(
        self, record: Record, *, source: str, key: str | None = None, spares_disputed: bool = False
    ) -> object: ...


def carry_out(service: Service, command: str, source: str, key: str | None = None) -> None:
    """Give a command; but to release a disputed payout is to make it, and somebody has to look at that.

    Raises:
        TableError: it was refused.
    """
    service.submit({"do": command}, source=source, key=key, spares_disputed=True)
