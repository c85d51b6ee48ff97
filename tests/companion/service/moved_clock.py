"""A clock that tests can set, and a wait until the table has noticed."""

import time
from datetime import UTC, datetime, timedelta

from companion.service.table_service import TableService


class Clock:
    """A clock that tests can set."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 1, 20, tzinfo=UTC)
        self.passed_s = 1000.0

    def __call__(self) -> datetime:
        return self.now

    def go_on(self, **time: float) -> None:
        self.now += timedelta(**time)
        self.passed_s += timedelta(**time).total_seconds()

    def set_by(self, **time: float) -> None:
        """Set the clock without time passing."""
        self.now += timedelta(**time)


def looked_after(service: TableService) -> None:
    """Wait until the table has checked its evening: in the loop iteration that begins next."""
    end = time.monotonic() + 30
    for _ in range(2):
        before = service.beat
        while service.beat == before:
            assert time.monotonic() < end, "the table looks after nothing"
            time.sleep(0.01)
