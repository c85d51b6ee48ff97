"""Cache of just committed entries, so that the board need not read them back from the database."""

import threading
from collections import deque
from collections.abc import Iterable
from typing import Final

from companion.journal.hash_chain import Entry

MOST: Final = 50_000
"""Cache size, in entries of all tables. If the board is not read for long, it falls back to the database."""


class RecentEntries:
    """Committed entries, by table. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[tuple[int, int], deque[Entry]] = {}
        self._count = 0

    def add(self, rows: Iterable[tuple[int, int, Entry]]) -> None:
        """Add committed entries as (table, epoch, entry), each table's in order."""
        with self._lock:
            if self._count > MOST:
                self._kept.clear()
                self._count = 0
            for table_id, epoch, entry in rows:
                self._kept.setdefault((table_id, epoch), deque()).append(entry)
                self._count += 1

    def take(self, table_id: int, epoch: int, after: int, upto: int) -> list[Entry] | None:
        """Remove and return a table's entries after ``after`` up to ``upto``; None if any of them is not cached."""
        with self._lock:
            kept = self._kept.get((table_id, epoch))
            if not kept:
                return None
            while kept and kept[0].seq <= after:
                kept.popleft()
                self._count -= 1
            found: list[Entry] = []
            while kept and kept[0].seq == after + len(found) + 1 and kept[0].seq <= upto:
                found.append(kept.popleft())
                self._count -= 1
            return found if len(found) == upto - after else None
