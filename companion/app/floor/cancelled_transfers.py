"""Cancelled buy-ins that the floor does not know about yet."""

import json
import logging
import threading
from pathlib import Path
from typing import Final

from companion.journal.durable import DAMAGED, write_private

log = logging.getLogger(__name__)

MAX_KEPT: Final = 200
"""Most ids kept, the latest ones: ids are never reused, and older requests are no longer in flight."""


class CancelledTransfers:
    """Set of transfer ids. Thread-safe.

    Args:
        path: file for ids already journaled, in case the journal is restored from an older backup; None: no file.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._kept = _read(path)
        self._others: set[str] = set()

    def __contains__(self, transfer: object) -> bool:
        with self._lock:
            return transfer in self._others or transfer in self._kept

    def add(self, transfer: str) -> None:
        """Remember an id until the next start."""
        with self._lock:
            self._others.add(transfer)

    def keep(self, transfer: str) -> None:
        """Remember a journaled id persistently."""
        with self._lock:
            self._others.discard(transfer)
            if transfer not in self._kept:
                self._kept = [*self._kept, transfer][-MAX_KEPT:]
                self._write()

    def discard(self, transfer: str) -> None:
        """Forget an id: the floor remembers it, or it was requested again."""
        with self._lock:
            self._others.discard(transfer)
            if transfer in self._kept:
                self._kept = [other for other in self._kept if other != transfer]
                self._write()

    def _write(self) -> None:
        if self._path is None:
            return
        try:
            write_private(self._path, json.dumps(self._kept).encode())
        except OSError as error:
            log.warning(
                "%s cannot be written (%s): after the restore of a backup, a canceled transfer could be accepted",
                self._path,
                error,
            )


def _read(path: Path | None) -> list[str]:
    """Return the stored ids; empty if the file is damaged."""
    try:
        told = [] if path is None else json.loads(path.read_text(encoding="utf-8"))
        return [one for one in told if isinstance(one, str)][-MAX_KEPT:]
    except FileNotFoundError:
        return []
    except (OSError, *DAMAGED) as error:
        log.warning("%s cannot be read, so earlier canceled transfers are unknown: %s", path, error)
        return []
