"""Runs slow jobs in the background, one at a time, so that they do not delay the table thread."""

import threading
from collections.abc import Callable


class Background:
    """Runs one job at a time, each in a thread.

    Args:
        name: name of the threads.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._thread: threading.Thread | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a job is running."""
        return self._thread is not None and self._thread.is_alive()

    def do(self, work: Callable[[], None]) -> None:
        """Start a job; call only while not busy."""
        self._thread = threading.Thread(target=work, name=self._name, daemon=True)
        self._thread.start()

    def wait(self, timeout_s: float) -> None:
        """Wait for the running job, up to a timeout."""
        if self._thread is not None:
            self._thread.join(timeout_s)
