"""Time for game rules: runs evenly even if the machine's wall clock is set."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from companion.journal.hash_chain import Entry, iso
from companion.journal.store import JournalReader

CLOCK_SET: Final = "clock_set"
"""Key in a notice's data: seconds the clock was set forward, negative for back."""
CLOCK: Final = "clock"
"""Source of these notices."""
OFF_AFTER: Final = "off_after"
"""Key in the same notice if the clock was set for the first time after the machine was off: the last entry before."""
STEP_S: Final = 2.0
"""Deviation from monotonic time that counts as the clock having been set."""
SET_S: Final = 60
"""The same for uses that only need minutes; smaller deviations are drift."""
_NOTICED_S: Final = 10
"""Longest delay, in seconds, until the notice that the clock was set."""


class ClockWatch:
    """Detects that the wall clock is set while the table runs.

    Args:
        clock: wall clock, in seconds.
        passed: monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float], passed: Callable[[], float]) -> None:
        self._clock, self._passed = clock, passed
        self._offset = clock() - passed()

    def step(self) -> float | None:
        """Return by how many seconds the clock was set since the last call; None if it was not."""
        offset = self._clock() - self._passed()
        moved, self._offset = offset - self._offset, offset  # drift accumulates without ever being a step
        return moved if abs(moved) >= STEP_S else None


class TableClock:
    """Time by the wall clock as it was when the session began. Thread-safe.

    Args:
        now: wall clock, ISO 8601.
        passed: monotonic seconds; None: the wall clock is never set.
        latest: seq and time of the latest entry before this start; 0 and empty without one.
        start: the session's start entry; None for an empty journal.
        steps: the recorded settings of the clock.

    Attributes:
        off_after: seq of the last entry before the machine was off, or None. After that its clock may have started
            wrong.
        behind_s: how far the clock went back while the table was not running. Time continues from the latest entry.
    """

    def __init__(
        self,
        now: Callable[[], str],
        passed: Callable[[], float] | None,
        latest: tuple[int, str],
        start: Entry | None,
        steps: Iterable[ClockStep],
    ) -> None:
        self._now = now
        seq, at = latest
        is_new = start is not None and start.seq > seq  # begun just now, by the clock's present setting
        self.off_after = seq if passed is not None and at and was_off(at, now(), passed()) else None
        self._is_off = self.off_after is not None and not is_new
        "The machine was off since the session began; the first setting of its clock does not change the start."
        since = [step for step in steps if start is not None and step.is_after(start.seq, start.at)]
        self._set_s: float = sum(step.by for step in since)
        "Seconds by which the clock was set since the session began."
        self._began_s: float = sum(step.by for step in since if start is not None and step.moves(start.seq, start.at))
        "The part of these by which the recorded start of the session is wrong."
        self._read = datetime.fromisoformat(now())
        ago = 0.0 if is_new or not at else (self._read - datetime.fromisoformat(at)).total_seconds()
        self.behind_s = -ago if passed is not None and ago <= -STEP_S else 0.0
        self._set_s -= self.behind_s
        self._watch = None if passed is None else ClockWatch(lambda: self._read.timestamp(), passed)
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Begin a session, by the current wall clock."""
        self.look()
        with self._lock:
            self._set_s = self._began_s = 0
            self._is_off = False

    def look(self) -> float:
        """Return by how many seconds the clock was set since the session began."""
        self.now()
        return self._set_s

    def began(self, at: str) -> str:
        """Return the session's start by the current wall clock.

        Args:
            at: time of its first entry.
        """
        self.look()
        return shifted(at, self._began_s)

    def now(self) -> str:
        """Return the time."""
        with self._lock:
            self._read = datetime.fromisoformat(self._now())
            if self._watch is not None and (step := self._watch.step()) is not None:
                self._set_s += step
                if self._is_off and abs(step) >= SET_S:
                    self._is_off = False
                else:
                    self._began_s += step
            return iso(self._read - timedelta(seconds=self._set_s))


def shifted(at: str, by_s: float) -> str:
    """Return a time shifted by some seconds; the same text for 0, even if it is no time.

    >>> shifted("2026-05-01T20:15:00.123Z", -3600), shifted("any", 0)
    ('2026-05-01T19:15:00.123Z', 'any')
    """
    return iso(datetime.fromisoformat(at) + timedelta(seconds=by_s)) if by_s else at


def was_off(latest: str, now: str, passed_s: float) -> bool:
    """Return whether the machine was off since a time, so that the elapsed time is unknown.

    Without a battery-backed clock it continues from the last saved time until time is synchronized.

    Args:
        passed_s: uptime in seconds.
    """
    ago_s = (datetime.fromisoformat(now) - datetime.fromisoformat(latest)).total_seconds()
    return not -STEP_S < ago_s <= passed_s


@dataclass(frozen=True, slots=True)
class ClockStep:
    """A setting of the clock, from a notice.

    Attributes:
        by: seconds, negative for back.
        off_after: for the first setting after the machine was off: the last entry before that. The clock was right
            up to it and wrong from then on. None: it had been as wrong before.
    """

    seq: int
    at: str
    session: int
    by: int
    off_after: int | None

    def moves(self, seq: int, at: str) -> bool:
        """Return whether this setting corrected the clock by which an entry was written."""
        return not self._is_off_since(seq) and self.is_after(seq, at)

    def is_after(self, seq: int, at: str) -> bool:
        """Return whether the clock was set after an entry was written."""
        if seq > self.seq:
            return False
        if self._is_off_since(seq):
            return True
        since = datetime.fromisoformat(self.at) - datetime.fromisoformat(at)
        return abs(since.total_seconds()) > min(_NOTICED_S, abs(self.by) / 2)  # else: set, not yet noticed

    def _is_off_since(self, seq: int) -> bool:
        return self.off_after is not None and seq <= self.off_after


def corrected_time(seq: int, at: str, steps: Iterable[ClockStep]) -> str:
    """Return an entry's time corrected by all settings of the clock."""
    return shifted(at, sum(step.by for step in steps if step.moves(seq, at)))


def clock_steps(reader: JournalReader) -> list[ClockStep]:
    """Return the settings of the clock recorded in the journal."""
    notices = ((entry, json.loads(entry.record).get("data")) for entry in reader.notices(f'"{CLOCK_SET}"'))
    return [
        ClockStep(entry.seq, entry.at, entry.session, data[CLOCK_SET], off if type(off) is int else None)
        for entry, data in notices
        if isinstance(data, dict) and type(data.get(CLOCK_SET)) is int
        for off in (data.get(OFF_AFTER),)
    ]
