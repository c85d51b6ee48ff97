"""Does slow things beside the table's own thread, one at a time."""

import threading
from collections.abc import Callable


class Background:
    """A worker that does one thing at a time, in a thread of its own.

    Args:
        name: of its threads.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._thread: threading.Thread | None = None

    @property
    def is_busy(self) -> bool:
        """Whether it is at work."""
        return self._thread is not None and self._thread.is_alive()

    def do(self, work: Callable[[], None]) -> None:
        """Begin with something; only while it is not busy. A simulation does it here and now."""
        self._thread = threading.Thread(target=work, name=self._name, daemon=True)
        self._thread.start()

    def wait(self, timeout_s: float) -> None:
        """Wait until it is done, but no longer than that."""
        if self._thread is not None:
            self._thread.join(timeout_s)
