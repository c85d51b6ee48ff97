"""The spectators' view: the room's view, optionally delayed, so that spectators cannot advise players.

The table's own screens are never delayed. The room's view contains nothing private to a seat or the dealer.
"""

import json
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Final, Self

from companion.closing import Worker
from companion.kernel.messages import in_words_of
from companion.service.snapshot import RoomView
from companion.service.table_service import TableService

WATCH: Final = "watch"
"""The viewer kind of spectators."""
MIN_INTERVAL_S: Final = 0.2
"""Minimum interval between stored views, which limits their number in memory."""


class Spectators(Worker):
    """The room's views of the last seconds. Thread-safe.

    Args:
        delay_s: the spectators' delay; with 0 nothing is stored.
        clock: monotonic seconds.
    """

    def __init__(self, service: TableService, delay_s: float = 0, clock: Callable[[], float] = time.monotonic) -> None:
        self.delay_s: Final = delay_s
        self._service, self._clock = service, clock
        self._lock = threading.Lock()
        self._views: deque[tuple[float, RoomView]] = deque()
        self._written: tuple[int, dict[str, bytes]] = (-1, {})
        super().__init__("spectators", end_s=2.0)

    def start(self) -> Self:
        """Start storing views, if there is a delay."""
        return super().start() if self.delay_s else self

    @property
    def view(self) -> RoomView | None:
        """The delayed view; None until the delay has passed since the start."""
        if not self.delay_s:
            return self._service.view("room")
        with self._lock:
            due = self._clock() - self.delay_s
            while len(self._views) > 1 and self._views[1][0] <= due:
                self._views.popleft()
            return self._views[0][1] if self._views and self._views[0][0] <= due else None

    @property
    def missing_s(self) -> float:
        """Seconds until there is a view."""
        if not self.delay_s:
            return 0.0
        with self._lock:
            return max(self._views[0][0] + self.delay_s - self._clock(), 0.0) if self._views else self.delay_s

    @property
    def version(self) -> int:
        """The delayed view's version; -1 without one."""
        view = self.view
        return -1 if view is None else view["version"]

    def view_json(self, language: str) -> bytes:
        """Return the delayed view as JSON in a language, cached."""
        view = self.view
        if view is None:
            return b"null"
        if not self.delay_s:
            return self._service.view_json("room", language)
        with self._lock:
            if self._written[0] != view["version"]:
                self._written = view["version"], {}
            texts = self._written[1]
            if language not in texts:
                texts[language] = self._in_words(view, language)
            return texts[language]

    def _in_words(self, view: RoomView, language: str) -> bytes:
        local = in_words_of(view, lambda text: self._service.translator(text, language)) if language != "en" else view
        return json.dumps(local, separators=(",", ":"), ensure_ascii=False).encode(errors="backslashreplace")

    def keep(self) -> None:
        """Store the room's current view."""
        view = self._service.view("room")
        with self._lock:
            self._views.append((self._clock(), view))

    def _run(self) -> None:
        self.keep()
        version = self._service.wait(-1, 0)
        while not self._stop.wait(MIN_INTERVAL_S):
            now = self._service.wait(version, 1.0)
            if now != version:
                version = now
                self.keep()
