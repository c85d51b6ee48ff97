"""Submits the commands that a game schedules for a certain time, such as the end of a tournament level.

They are ordinary commands in the journal. None is submitted while the table is on hold, nor while a command can be
redone: any new command would discard the redo.
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
    """Checks once a second whether a command is due.

    Args:
        now: returns the time in the format of ``at`` in commands.
    """

    def __init__(self, service: TableService, *, now: Callable[[], str] | None = None) -> None:
        self._service, self._now = service, now or service.clock.now
        super().__init__("clock", end_s=0.0)

    def _run(self) -> None:
        while not self._stop.wait(EVERY_S):
            self.look()

    def look(self) -> None:
        """Submit the command that is due, if any."""
        moment = self._service.moment()
        if (record := self._due(moment)) is None:
            return
        try:
            self._service.submit(record, source=SOURCE, after=moment.seq)
        except TableError as error:  # another command came first
            log.info("A timed command was not accepted: %s", error)

    def _due(self, moment: Moment) -> Record | None:
        plugin = self._service.games.get(moment.rules.name)
        if plugin is None or plugin.due is None or moment.hold is not None or "redo" in moment.expected:
            return None
        return plugin.due(moment.state, self._now())
