"""Mock pins from gpiozero that also record when each of them changed."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPin


@dataclass(frozen=True, slots=True)
class PinEdge:
    """A pin changed: when (seconds of the clock), which (BCM), and whether it is high now."""

    t: float
    pin: int
    is_high: bool


class NotingPin(MockPin):  # type: ignore[misc]  # gpiozero has no types
    """A mock pin that tells its factory about every change."""

    def _change_state(self, value: Any) -> bool:
        changed = bool(super()._change_state(value))
        if changed:
            self.factory.note(self.info.name, bool(value))
        return changed


class MockPins(MockFactory):  # type: ignore[misc]
    """A header without a Pi.

    Args:
        clock: seconds, never going back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._edges: list[PinEdge] = []
        self._lock = threading.Lock()
        super().__init__(revision="c03115", pin_class=NotingPin)  # a Pi 4

    def note(self, name: str, is_high: bool) -> None:
        """A pin (``GPIO17``) changed."""
        with self._lock:
            self._edges.append(PinEdge(self._clock(), int(name.removeprefix("GPIO")), is_high))

    def edges(self, after: int = 0) -> list[PinEdge]:
        """Return the changes so far, but for the first ``after`` of them."""
        with self._lock:
            return self._edges[after:]

    def drive(self, pin: int, is_high: bool) -> None:
        """Put a voltage on a pin that is an input, as a contact does."""
        found = self.pin(f"GPIO{pin}")
        if is_high:
            found.drive_high()
        else:
            found.drive_low()

    def is_high(self, pin: int) -> bool:
        """Say what is on a pin."""
        return bool(self.pin(f"GPIO{pin}").state)
