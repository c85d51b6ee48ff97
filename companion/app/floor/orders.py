"""What the pit asks of this table: to hold, or to go on. Each order is carried out once, however often it is sent."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

from companion.app.floor.showcase import said_of
from companion.app.outside.orders import TAKEN, carry_out
from companion.kernel.errors import CompanionError
from companion.kernel.messages import message
from companion.service.table_service import TableService

log = logging.getLogger(__name__)

SOURCE: Final = "floor"
KEY: Final = "order/"
"""What the keys of the journal's entries begin with; the floor's run (an older one says none) and the number follow."""


class Orders:
    """Carries out the pit's orders, in the thread that talks to the floor.

    Args:
        service: the table.
    """

    def __init__(self, service: TableService) -> None:
        self._service = service
        self._done: dict[tuple[str, int], str] = {}

    def take(self, orders: Sequence[Mapping[str, Any]]) -> None:
        """Carry out what is asked; what is neither hold nor release is refused."""
        told = {(str(one.get("run", "")), int(one["id"])): str(one["do"]) for one in orders}
        self._done = {name: said for name, said in self._done.items() if name in told}
        for name, command in told.items():
            if name not in self._done:
                self._done[name] = self._carried_out(name, command)

    def done(self) -> list[dict[str, Any]]:
        """Return what came of the orders that the floor has not heard about: why each was refused, or nothing."""
        return [
            {"id": number, "run": run, "refused": refused, "said": said_of(refused)}
            for (run, number), refused in self._done.items()
        ]

    def _carried_out(self, name: tuple[str, int], command: str) -> str:
        if command not in TAKEN:
            return message("This table does not know the order {command}. Update it.", command=command[:40])
        try:
            carry_out(self._service, command, SOURCE, KEY + "/".join(map(str, filter(None, name))))
        except CompanionError as error:
            log.info("The pit's %s was refused: %s", command, error.message)
            return error.message
        return ""
