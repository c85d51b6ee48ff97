"""``hold`` and ``release`` by somebody outside: the very commands of the dealer's page, and nothing else of them."""

from typing import Final

from companion.service.table_service import TableService

TAKEN: Final = ("hold", "release")
"""Neither moves a coin."""


def carry_out(service: TableService, command: str, source: str, key: str | None = None) -> None:
    """Give a command; but to release a disputed payout is to make it, and somebody has to look at that.

    Raises:
        TableError: it was refused.
    """
    service.submit({"do": command}, source=source, key=key, spares_disputed=True)
