"""The decided rounds of the whole journal, for the history page: what was undone is not among them."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from web_ui.ports import Service

PAGE: Final = 500
DECIDED: Final = frozenset({"SuitCut"})

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class DecidedRound:
    """One decided round: its number on the page, and the journal's entry that decided it."""

    number: int
    seq: int
    at: str
    result: Mapping[str, Any]


class Rounds:
    """Follows the journal and keeps the entries that decided a round. Safe to use from several threads."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._lock = threading.Lock()
        self._read = 0
        self._count: list[Entry | None] = []
        "The commands that count, of the session under way: the deciding entry, or None for any other command."
        self._undone: list[Entry | None] = []
        self._earlier: list[Entry] = []

    def latest(self, page: int, size: int) -> tuple[list[DecidedRound], int]:
        """Return one page of rounds, the latest first, and how many there are in all."""
        with self._lock:
            self._catch_up()
            decided = [*self._earlier, *(entry for entry in self._count if entry is not None)]
        end = len(decided) - page * size
        chosen = range(end - 1, max(end - size, 0) - 1, -1) if end > 0 else ()
        return [_round(i + 1, decided[i]) for i in chosen], len(decided)

    def _catch_up(self) -> None:
        while entries := self._service.events(self._read, PAGE):
            self._follow(entries)
            self._read = entries[-1]["seq"]

    def _follow(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self._one(entry, entry["kind"], entry["do"])

    def _one(self, entry: Entry, kind: str, verb: str) -> None:
        if kind == "start":
            self._earlier += [decided for decided in self._count if decided is not None]
            self._count.clear()
            self._undone.clear()
        elif kind != "command":
            return
        elif verb == "undo":
            self._undone.append(self._count.pop())
        elif verb == "redo":
            self._count.append(self._undone.pop())
        else:
            self._undone.clear()
            self._count.append(entry if _decision(entry) else None)


def _decision(entry: Entry) -> Mapping[str, Any] | None:
    return next((event for event in entry["events"] if event.get("event") in DECIDED), None)


def _round(number: int, entry: Entry) -> DecidedRound:
    decision = _decision(entry)
    assert decision is not None
    return DecidedRound(number, entry["seq"], entry["at"], decision)
