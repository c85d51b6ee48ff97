"""Thread that evaluates the alert rules, stores the alarms and notifies listeners."""

import logging
import time
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from companion.closing import Worker
from companion.floor.alarms import store
from companion.floor.alarms.rules import AlarmRules
from companion.floor.alarms.store import Alarm
from companion.floor.database import Connect
from companion.floor.errors import FloorError
from companion.floor.overview.board import Line

log = logging.getLogger(__name__)

LOOK_EVERY_S: Final = 1.0


class AlarmListener(Protocol):
    """Notification channel; neither method may block."""

    def show(self, on: Sequence[Alarm], last: Alarm | None) -> None:
        """Receive the active alarms, and the one that changed last."""
        ...

    def tell(self, alarm: Alarm, *, is_over: bool) -> None:
        """Receive an alarm that was raised or cleared; each exactly once."""
        ...


class AlarmMonitor(Worker):
    """Evaluates the alert rules once a second.

    Args:
        connect: context manager that yields a database connection.
        lines: returns the board.
        listeners: notification channels.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        connect: Connect,
        lines: Callable[[], Sequence[Line]],
        listeners: Sequence[AlarmListener],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connect, self._lines, self._listeners, self._clock = connect, lines, listeners, clock
        self._rules = AlarmRules(clock())
        super().__init__("alarms", end_s=10.0)
        self._shown: tuple[Sequence[Alarm], Alarm | None] | None = None

    def _run(self) -> None:
        failed = False
        while not self._stop.wait(LOOK_EVERY_S):
            try:
                self.look()
                failed = False
            except FloorError as error:  # database outage; retried
                if not failed:
                    log.warning("Alarms cannot be checked: %s", error.message)
                failed = True
            except Exception:
                log.exception("Internal error: alarms could not be checked")

    def look(self) -> None:
        """Evaluate the board once and notify listeners of raised and cleared alarms."""
        lines, now = self._lines(), self._clock()
        with self._connect() as connection:
            before = store.active(connection)
            changes = self._rules.evaluate(lines, [alarm.key for alarm in before], now)
            if changes.raised or changes.cleared:
                store.write(connection, changes)
            for alarm in store.unsent(connection):
                for is_over in (False, True) if alarm.cleared else (False,):
                    if store.mark_sent(connection, alarm, is_over=is_over):
                        self._tell(alarm, is_over=is_over)
            if changes.raised or changes.cleared or self._shown is None:
                self._show(store.active(connection), next(iter(store.latest(connection, 1)), None))

    def _tell(self, alarm: Alarm, *, is_over: bool) -> None:
        for listener in self._listeners:
            listener.tell(alarm, is_over=is_over)

    def _show(self, on: Sequence[Alarm], last: Alarm | None) -> None:
        self._shown = on, last
        for listener in self._listeners:
            listener.show(on, last)
