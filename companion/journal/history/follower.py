"""What follows a journal: it reads every entry once, the new ones on every query."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Final

from companion.journal.hash_chain import Entry

Fetch = Callable[[int, int], Iterable[Entry]]
"""Returns entries: those behind a number, at most so many. `companion.journal.store.JournalReader.entries` is one."""
_SLICE: Final = 1000


class JournalFollower(ABC):
    """Takes in a journal's entries in order. Thread-safe, as long as subclasses work under ``_lock``."""

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        self._lock = threading.Lock()
        self._seq = 0

    @property
    def seq(self) -> int:
        """The latest entry that was read."""
        return self._seq

    def catch_up(self, most: int) -> bool:
        """Read at most so many new entries; return whether all were read. Other queries wait for all of them."""
        with self._lock:
            return self._take_in(most)

    @abstractmethod
    def _add(self, entry: Entry) -> None:
        """Take in the next entry."""

    def _refresh(self) -> None:
        """Read all new entries."""
        while not self._take_in(_SLICE):
            pass

    def _take_in(self, most: int) -> bool:
        entries = tuple(self._fetch(self._seq, most))
        for entry in entries:
            self._add(entry)
            self._seq = entry.seq
        return len(entries) < most
