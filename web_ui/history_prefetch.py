"""Prefetches history in the background at a 50 % duty cycle: a journal of months takes seconds to read."""

import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Final

from companion.closing import Worker
from companion.journal.history.follower import JournalFollower
from companion.journal.history.hand_history import HandHistory
from companion.kernel.errors import CompanionError
from companion.statistics.standings import Standings

SLICE: Final = 200
"""Journal entries per slice: a few milliseconds of work."""
HANDS_APART: Final = 20
"""Interval of the hands replayed in advance, so that any hand in between can be shown quickly."""
MIN_REST_S: Final = 0.002

_log = logging.getLogger(__name__)


def caught_up(history: JournalFollower, standings: JournalFollower, patience_s: float) -> bool:
    """Read new entries for at most so long; return whether all were read."""
    until = time.monotonic() + patience_s
    while not _slice(history, standings):
        if time.monotonic() > until:
            return False
    return True


def _slice(history: JournalFollower, standings: JournalFollower) -> bool:
    done = history.catch_up(SLICE)
    return standings.catch_up(SLICE) and done


class HistoryPrefetch(Worker):
    """A thread that reads the journal once, then follows the hands of its latest session."""

    def __init__(self, history: HandHistory, standings: Standings) -> None:
        self._history, self._standings = history, standings
        super().__init__("history-prefetch", end_s=1.0)

    def _run(self) -> None:
        try:
            self._read()
        except CompanionError as error:  # the page raises and reports it again when opened
            _log.warning("The history could not be prefetched: %s", error)

    def _read(self) -> None:
        while not self._rested(partial(_slice, self._history, self._standings)):
            if self._stop.is_set():
                return
        session, hands = self._history.latest() or (0, 0)
        for number in range(HANDS_APART, hands, HANDS_APART):
            if self._stop.is_set():
                return
            self._rested(partial(self._knows, session, number))

    def _knows(self, session: int, number: int) -> bool:
        return self._history.steps(session, number) is not None

    def _rested(self, work: Callable[[], bool]) -> bool:
        """Do some work, then rest for as long as it took."""
        begun = time.monotonic()
        result = work()
        self._stop.wait(max(MIN_REST_S, time.monotonic() - begun))
        return result
