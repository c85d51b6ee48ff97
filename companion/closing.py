"""What is open until somebody closes it."""

import threading
from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    """A context manager that is closed where its ``with`` block ends."""

    @abstractmethod
    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Worker(Closing):
    """A thread of its own, from its start until it is closed.

    Args:
        name: of the thread.
        end_s: so long its owner waits for it to end.
    """

    def __init__(self, name: str, end_s: float) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._end_s = end_s

    @abstractmethod
    def _run(self) -> None:
        """Work until ``_stop`` is set."""

    def start(self) -> Self:
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop. May be called twice."""
        self._stop.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(self._end_s)
