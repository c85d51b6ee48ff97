"""Executes the pit's hold and release commands; each exactly once, however often it is sent."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

from companion.app.floor.snapshot_feed import said_of
from companion.app.integrations.remote_commands import TAKEN, execute
from companion.kernel.errors import CompanionError
from companion.kernel.messages import message
from companion.service.table_service import TableService

log = logging.getLogger(__name__)

SOURCE: Final = "floor"
KEY: Final = "order/"
"""Prefix of the keys in the journal; the floor's run id (none for older floors) and the number follow."""


class Orders:
    """Executes the pit's commands in the shipper's thread.

    Args:
        service: the table.
    """

    def __init__(self, service: TableService) -> None:
        self._service = service
        self._done: dict[tuple[str, int], str] = {}

    def take(self, orders: Sequence[Mapping[str, Any]]) -> None:
        """Execute commands; anything but hold and release is refused."""
        told = {(str(one.get("run", "")), int(one["id"])): str(one["do"]) for one in orders}
        self._done = {name: said for name, said in self._done.items() if name in told}
        for name, command in told.items():
            if name not in self._done:
                self._done[name] = self._carried_out(name, command)

    def done(self) -> list[dict[str, Any]]:
        """Return unacknowledged results: command numbers, each with a reason if it was refused."""
        return [
            {"id": number, "run": run, "refused": refused, "said": said_of(refused)}
            for (run, number), refused in self._done.items()
        ]

    def _carried_out(self, name: tuple[str, int], command: str) -> str:
        if command not in TAKEN:
            return message("This table does not know the order {command}. Update it.", command=command[:40])
        try:
            execute(self._service, command, SOURCE, KEY + "/".join(map(str, filter(None, name))))
        except CompanionError as error:
            log.info("The pit's %s was refused: %s", command, error.message)
            return error.message
        return ""
