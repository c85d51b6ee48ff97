"""gpiozero's mock pins, with a record of all changes and their times."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPin


@dataclass(frozen=True, slots=True)
class PinEdge:
    """A level change of a pin: time in clock seconds, BCM number and new level."""

    t: float
    pin: int
    is_high: bool


class RecordingPin(MockPin):  # type: ignore[misc]  # gpiozero has no types
    """A mock pin that reports every change to its factory."""

    def _change_state(self, value: Any) -> bool:
        changed = bool(super()._change_state(value))
        if changed:
            self.factory.record(self.info.name, bool(value))
        return changed


class MockPins(MockFactory):  # type: ignore[misc]
    """A pin factory that simulates the header of a Raspberry Pi 4.

    Args:
        clock: monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._edges: list[PinEdge] = []
        self._lock = threading.Lock()
        super().__init__(revision="c03115", pin_class=RecordingPin)  # a Pi 4

    def record(self, name: str, is_high: bool) -> None:
        """Record a level change of a pin; ``name`` is, for example, ``GPIO17``."""
        with self._lock:
            self._edges.append(PinEdge(self._clock(), int(name.removeprefix("GPIO")), is_high))

    def edges(self, after: int = 0) -> list[PinEdge]:
        """Return the recorded changes without the first ``after``."""
        with self._lock:
            return self._edges[after:]

    def drive(self, pin: int, is_high: bool) -> None:
        """Set the level of an input pin, as a contact does."""
        found = self.pin(f"GPIO{pin}")
        if is_high:
            found.drive_high()
        else:
            found.drive_low()

    def is_high(self, pin: int) -> bool:
        """Whether a pin's level is high."""
        return bool(self.pin(f"GPIO{pin}").state)
