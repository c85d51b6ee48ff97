"""Panel self-test: while it runs, the tester controls the lights, and button presses are shown but have no effect.

It sits between the panel and its pins; the panel is unaware of it, and its lights are restored afterwards. A test ends
after `TIMEOUT_S` without a request, so that a closed page does not leave the buttons disabled.
"""

import threading
import time
from collections.abc import Callable
from typing import Final

from companion.app.setup.shapes import PanelState
from hardware.panel.board import Board, OnEdge

TIMEOUT_S: Final = 20.0
BLINK_INTERVAL_S: Final = 0.25


class SelfTest:
    """A `Board` wrapper with a test mode. Thread-safe.

    Args:
        clock: monotonic seconds.
    """

    def __init__(self, board: Board, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._board, self._clock = board, clock
        self._lock = threading.Lock()
        self._on_edge: OnEdge = lambda button, is_down: None
        self._shown: dict[str, bool] = {}
        self._line: str | None = None
        self._started_at = 0.0
        self._last_request: float | None = None
        self._pressed: set[str] = set()
        self._down: set[str] = set()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    # ---- the board that the panel sees

    @property
    def buttons(self) -> tuple[str, ...]:
        return self._board.buttons

    @property
    def lines(self) -> frozenset[str]:
        return self._board.lines

    @property
    def troubles(self) -> tuple[str, ...]:
        return self._board.troubles

    def listen(self, on_edge: OnEdge) -> None:
        """Report edges from now on; during a test only the release of buttons that were already down before it."""
        self._on_edge = on_edge
        self._board.listen(self._edge)

    def is_down(self, button: str) -> bool:
        return self._board.is_down(button)

    def switch(self, line: str, on: bool) -> None:
        """Switch a line; during a test, store its state for the end of the test."""
        with self._lock:
            self._shown[line] = on
            if self._last_request is None:
                self._board.switch(line, on)

    def close(self) -> None:
        """End the test and close the board. May be called twice."""
        self.end()
        self._board.close()

    def _edge(self, button: str, is_down: bool) -> None:
        with self._lock:
            testing = self._last_request is not None
            began_before = not is_down and button in self._down and button not in self._pressed
            (self._down.add if is_down else self._down.discard)(button)
            if testing and is_down:
                self._pressed.add(button)
        if not testing or began_before:
            self._on_edge(button, is_down)

    # ---- the test

    def state(self) -> PanelState:
        """Return the panel's parts, the blinking line, and the buttons pressed during this test."""
        with self._lock:
            order = sorted(self._board.lines, key=_sort_key)
            return {
                "lines": order,
                "buttons": list(self._board.buttons),
                "troubles": list(self._board.troubles),
                "testing": self._last_request is not None,
                "line": self._line,
                "pressed": sorted(self._pressed),
                "down": sorted(self._down),
            }

    def blink(self, line: str | None) -> PanelState:
        """Start or continue the test: blink this line, with all others off.

        Args:
            line: None or an unknown line blinks nothing; buttons can still be tested.
        """
        with self._lock:
            if self._last_request is None:
                self._pressed.clear()
            self._last_request = self._started_at = self._clock()
            self._line = line if line in self._board.lines else None
            self._wake.clear()
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="panel-test", daemon=True)
                self._thread.start()
        self.update()
        return self.state()

    def end(self) -> PanelState:
        """End the test and restore the panel's lights."""
        with self._lock:
            if self._last_request is not None:
                self._last_request = self._line = None
                for line in self._board.lines:
                    self._board.switch(line, self._shown.get(line, False))
            self._wake.set()
        return self.state()

    def update(self) -> bool:
        """Update the blinking line; return whether the test continues."""
        with self._lock:
            if self._last_request is None:
                return False
            now = self._clock()
            is_over = now - self._last_request >= TIMEOUT_S
            if not is_over:
                lit = int((now - self._started_at) / BLINK_INTERVAL_S) % 2 == 0
                for line in self._board.lines:
                    self._board.switch(line, lit and line == self._line)
        if is_over:
            self.end()
        return not is_over

    def _run(self) -> None:
        while self.update():
            self._wake.wait(BLINK_INTERVAL_S / 2)


_KINDS: Final = ("lamp", "suit", "status", "buzzer")
_LAMPS: Final = ("deal", "play", "fold", "undo", "next", "hold", "red", "green", "blue")


def _sort_key(line: str) -> tuple[int, int, str]:
    """Sort key: lamps first, in the order of the buttons, the buzzer last."""
    kind, _, name = line.partition("/")
    return _KINDS.index(kind), _LAMPS.index(name) if name in _LAMPS else 99, name
