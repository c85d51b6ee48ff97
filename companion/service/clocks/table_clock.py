"""The time that rules reckon with: it goes on evenly, whatever the machine's clock is set to."""

import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from companion.journal.hash_chain import iso
from companion.journal.store import JournalReader

CLOCK_SET: Final = "clock_set"
"""In a notice's data: by how many seconds the clock was set ahead, below zero back."""
CLOCK: Final = "clock"
"""Who says so, in the journal."""
OFF_AFTER: Final = "off_after"
"""In the same notice: the entry after which the machine was off, where its clock was set for the first time since."""
STEP_S: Final = 2.0
"""A clock that goes so far ahead of, or behind, the time that has passed was set."""
SET_S: Final = 60
"""The same where minutes count; less is drift."""
_NOTICED_S: Final = 10
"""So many seconds later a notice says at the latest that the clock was set."""


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
        latest: the time of the latest entry before this start, if there is one.
        began_s: by how many of these seconds the time is wrong at which the session began.
        is_off: the machine was off since the session began: what its clock is set to first is the time as before.

    Attributes:
        behind_s: how far the clock has gone back while the table was not running. Time goes on from the latest entry.
    """

    def __init__(
        self,
        now: Callable[[], str],
        passed: Callable[[], float] | None,
        set_s: float = 0,
        latest: str = "",
        *,
        began_s: float = 0,
        is_off: bool = False,
    ) -> None:
        self._now, self._set_s = now, set_s
        self._began_s, self._is_off = began_s, is_off
        self._read = datetime.fromisoformat(now())
        ago = (self._read - datetime.fromisoformat(latest)).total_seconds() if latest else 0.0
        self.behind_s = -ago if passed is not None and ago <= -STEP_S else 0.0
        self._set_s -= self.behind_s
        self._watch = None if passed is None else ClockWatch(lambda: self._read.timestamp(), passed)
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Begin a session: by the clock as it is set now."""
        self.look()
        with self._lock:
            self._set_s = self._began_s = 0
            self._is_off = False

    def look(self) -> float:
        """Return by how many seconds the clock was set since the session began."""
        self.now()
        return self._set_s

    def began(self, at: str) -> str:
        """Return when the session began by the clock as it is set now.

        Args:
            at: the time that its first entry has.
        """
        self.look()
        return moved(at, self._began_s)

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


def moved(at: str, by_s: float) -> str:
    """Return a time so many seconds later; the very text where that is none.

    >>> moved("2026-05-01T20:15:00.123Z", -3600), moved("any", 0)
    ('2026-05-01T19:15:00.123Z', 'any')
    """
    return iso(datetime.fromisoformat(at) + timedelta(seconds=by_s)) if by_s else at


def was_off(latest: str, now: str, passed_s: float) -> bool:
    """Say whether a machine was switched off since a time, so that nobody knows how long ago that is.

    Without a clock of its own it goes on with the time that it saved last, until it hears what time it is.

    Args:
        passed_s: seconds since the machine was switched on.
    """
    ago_s = (datetime.fromisoformat(now) - datetime.fromisoformat(latest)).total_seconds()
    return not -STEP_S < ago_s <= passed_s


@dataclass(frozen=True, slots=True)
class ClockStep:
    """The clock was set, as a notice says.

    Attributes:
        by: seconds, below zero back.
        off_after: the entry after which the machine was off, if that was the first time since: the clock was wrong
            from then on, and right before. None: it was as wrong before.
    """

    seq: int
    at: str
    session: int
    by: int
    off_after: int | None

    def moves(self, seq: int, at: str) -> bool:
        """Say whether an entry was written by the clock that was put right with this."""
        return not self._is_off_since(seq) and self.is_after(seq, at)

    def is_after(self, seq: int, at: str) -> bool:
        """Say whether the clock was set after an entry was written."""
        if seq > self.seq:
            return False
        if self._is_off_since(seq):
            return True
        since = datetime.fromisoformat(self.at) - datetime.fromisoformat(at)
        return abs(since.total_seconds()) > min(_NOTICED_S, abs(self.by) / 2)  # else it was set, and not yet noticed

    def _is_off_since(self, seq: int) -> bool:
        return self.off_after is not None and seq <= self.off_after


def righted(seq: int, at: str, steps: Iterable[ClockStep]) -> str:
    """Return when an entry was written, by the clock as it was set with the last of these."""
    return moved(at, sum(step.by for step in steps if step.moves(seq, at)))


def clock_steps(reader: JournalReader) -> list[ClockStep]:
    """Return where the journal says that the clock was set."""
    told = ((entry, json.loads(entry.record).get("data")) for entry in reader.notices(f'"{CLOCK_SET}"'))
    return [
        ClockStep(entry.seq, entry.at, entry.session, data[CLOCK_SET], off if type(off) is int else None)
        for entry, data in told
        if isinstance(data, dict) and type(data.get(CLOCK_SET)) is int
        for off in (data.get(OFF_AFTER),)
    ]
