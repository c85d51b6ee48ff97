"""Start times of the current turn and hold, taken from the journal so that they survive a restart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from companion.journal.hash_chain import Entry, happenings
from companion.kernel.table import TableView


@dataclass(frozen=True, slots=True)
class TurnClock:
    """Start times of the current turn and of the hold; None without one."""

    turn_since: str | None = None
    held_since: str | None = None

    def after(self, before: TableView, now: TableView, at: str) -> Self:
        """Return the clock after an entry at ``at`` led from one view to another."""
        clock = self
        if _turn(before) != _turn(now):
            clock = replace(clock, turn_since=at if now.get("turn") else None)
        if (before.get("hold") is None) != (now.get("hold") is None):
            clock = replace(clock, held_since=at if now.get("hold") else None)
        return clock

    @classmethod
    def found(cls, entries: Sequence[Entry], view: TableView) -> Self:
        """Restore the clock from the journal's latest entries, the newest last."""
        turn = next((e.at for e in reversed(entries) if _begins(e, view.get("turn"))), None)
        held = next((e.at for e in reversed(entries) if '"TableHeld"' in e.events), None)
        return cls(turn if view.get("turn") else None, held if view.get("hold") else None)


def _turn(view: TableView) -> tuple[object, ...]:
    """The identity of a turn: a new hand or a hold begins a new one, even for the same player."""
    return view.get("hand"), view.get("cuts"), view.get("turn"), view.get("hold") is None


def _begins(entry: Entry, player: str | None) -> bool:
    """Whether this player's turn began, or the table resumed, with this entry."""
    if entry.kind == "start":
        return True
    if "TurnStarted" not in entry.events and "TableReleased" not in entry.events:
        return False
    return any(
        event["event"] == "TableReleased" or (event["event"] == "TurnStarted" and event["player"] == player)
        for event in happenings(entry)
    )
