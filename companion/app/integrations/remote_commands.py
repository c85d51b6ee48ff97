"""Remote hold and release: the same commands as on the dealer's page, and no others."""

from typing import Final

from companion.service.table_service import TableService

TAKEN: Final = ("hold", "release")
"""Commands accepted; neither moves coins."""


def execute(service: TableService, command: str, source: str, key: str | None = None) -> None:
    """Execute a command. Releasing a disputed payout pays it, so somebody must check it at the table first.

    Raises:
        TableError: it was refused.
    """
    service.submit({"do": command}, source=source, key=key, spares_disputed=True)
