"""The time that rules reckon with: it goes on evenly, whatever the machine's clock is set to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from companion.journal.hash_chain import iso
from companion.journal.store import JournalReader

CLOCK_SET: Final = "clock_set"
"""In a notice's data: by how many seconds the clock was set ahead, below zero back."""
STEP_S: Final = 2.0
"""A clock that goes so far ahead of, or behind, the time that has passed was set."""


class ClockWatch:
    """Sees when the clock is set while the table runs.

    Args:
        clock: the time of day, in seconds.
        passed: seconds that nobody sets.
    """

    def __init__(self, clock: Callable[[], float], passed: Callable[[], float]) -> None:
        self._clock, self._passed = clock, passed
        self._offset = clock() - passed()

    def step(self) -> float | None:
        """Return by how many seconds the clock was set since the last look; None if it was not."""
        offset = self._clock() - self._passed()
        moved, self._offset = offset - self._offset, offset  # a slow drift is no step, however far it goes in the end
        return moved if abs(moved) >= STEP_S else None


class TableClock:
    """The time as a session began with it. Thread-safe.

    Args:
        now: the time of day, ISO 8601.
        passed: seconds that go on whatever the clock is set to; None: it is never set.
        set_s: by how many seconds it was set since the session began, before this start.
    """

    def __init__(self, now: Callable[[], str], passed: Callable[[], float] | None, set_s: float = 0) -> None:
        self._now, self._set_s = now, set_s
        self._read = datetime.fromisoformat(now())
        self._watch = None if passed is None else ClockWatch(lambda: self._read.timestamp(), passed)
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Begin a session: by the clock as it is set now."""
        self.look()
        with self._lock:
            self._set_s = 0

    def look(self) -> float:
        """Return by how many seconds the clock was set since the session began."""
        self.now()
        return self._set_s

    def now(self) -> str:
        """Return the time."""
        with self._lock:
            self._read = datetime.fromisoformat(self._now())
            if self._watch is not None:
                self._set_s += self._watch.step() or 0
            return iso(self._read - timedelta(seconds=self._set_s))


def clock_steps(reader: JournalReader) -> list[tuple[int, int, float]]:
    """Return where the journal says that the clock was set: entry, its session, and by how many seconds."""
    told = ((entry, json.loads(entry.record).get("data")) for entry in reader.notices(f'"{CLOCK_SET}"'))
    return [
        (entry.seq, entry.session, data[CLOCK_SET])
        for entry, data in told
        if isinstance(data, dict) and type(data.get(CLOCK_SET)) is int
    ]
