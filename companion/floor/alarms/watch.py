"""The thread that looks at the board for alarms, writes them down, and hands them to whoever tells people."""

import logging
import time
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from companion.closing import Worker
from companion.floor.alarms import book
from companion.floor.alarms.book import Alarm
from companion.floor.alarms.causes import Causes
from companion.floor.database import Connect
from companion.floor.errors import FloorError
from companion.floor.overview.board import Line

log = logging.getLogger(__name__)

LOOK_EVERY_S: Final = 1.0


class Teller(Protocol):
    """Tells somebody; neither method may block."""

    def show(self, on: Sequence[Alarm], last: Alarm | None) -> None:
        """Take the alarms that are on, and the one that has begun or ended last."""
        ...

    def tell(self, alarm: Alarm, *, is_over: bool) -> None:
        """Take an alarm that begins, or is over; each once."""
        ...


class AlarmWatch(Worker):
    """Looks once a second.

    Args:
        connect: lends a connection to the database.
        lines: returns the board.
        tellers: who is told.
        clock: seconds that nobody sets.
    """

    def __init__(
        self,
        connect: Connect,
        lines: Callable[[], Sequence[Line]],
        tellers: Sequence[Teller],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connect, self._lines, self._tellers, self._clock = connect, lines, tellers, clock
        self._causes = Causes(clock())
        super().__init__("alarms", end_s=10.0)
        self._shown: tuple[Sequence[Alarm], Alarm | None] | None = None

    def _run(self) -> None:
        failed = False
        while not self._stop.wait(LOOK_EVERY_S):
            try:
                self.look()
                failed = False
            except FloorError as error:  # the database is away, and comes back
                if not failed:
                    log.warning("Alarms are not looked at: %s", error.message)
                failed = True
            except Exception:
                log.exception("Our own mistake: alarms are not looked at")

    def look(self) -> None:
        """Look at the board once; tell what has begun, and what is over."""
        lines, now = self._lines(), self._clock()
        with self._connect() as connection:
            before = book.on(connection)
            changes = self._causes.look(lines, [alarm.key for alarm in before], now)
            if changes.raised or changes.cleared:
                book.write(connection, changes)
            for alarm in book.untold(connection):
                for is_over in (False, True) if alarm.cleared else (False,):
                    if book.was_told(connection, alarm, is_over=is_over):
                        self._tell(alarm, is_over=is_over)
            if changes.raised or changes.cleared or self._shown is None:
                self._show(book.on(connection), next(iter(book.latest(connection, 1)), None))

    def _tell(self, alarm: Alarm, *, is_over: bool) -> None:
        for teller in self._tellers:
            teller.tell(alarm, is_over=is_over)

    def _show(self, on: Sequence[Alarm], last: Alarm | None) -> None:
        self._shown = on, last
        for teller in self._tellers:
            teller.show(on, last)
