"""The table's clock: gives the commands that a game asks for at a time, such as the end of a tournament's level.

They are ordinary commands in the journal. None comes while the table is on hold, nor while an undone command could be
done again: that would be lost by it.
"""

import logging
from collections.abc import Callable
from typing import Final

from companion.closing import Worker
from companion.kernel.commands import Record
from companion.kernel.errors import TableError
from companion.plugins.panel import Moment
from companion.service.table_service import TableService

log = logging.getLogger("companion.clock")

EVERY_S: Final = 1.0
SOURCE: Final = "clock"


class Timekeeper(Worker):
    """Looks once a second whether something is due.

    Args:
        now: the time, as the table's commands have it.
    """

    def __init__(self, service: TableService, *, now: Callable[[], str] | None = None) -> None:
        self._service, self._now = service, now or service.clock.now
        super().__init__("clock", end_s=0.0)

    def _run(self) -> None:
        while not self._stop.wait(EVERY_S):
            self.look()

    def look(self) -> None:
        """Give the command that is due now, if any."""
        moment = self._service.moment()
        if (record := self._due(moment)) is None:
            return
        try:
            self._service.submit(record, source=SOURCE, after=moment.seq)
        except TableError as error:  # somebody was quicker
            log.info("Not now: %s", error)

    def _due(self, moment: Moment) -> Record | None:
        plugin = self._service.games.get(moment.rules.name)
        if plugin is None or plugin.due is None or moment.hold is not None or "redo" in moment.expected:
            return None
        return plugin.due(moment.state, self._now())
