"""Start times of the current turn and hold, restored from the journal after a restart."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from companion.journal.hash_chain import Entry, events_of, parsed
from companion.kernel.table import TableView
from companion.kernel.timeline import CORRECTIONS
from companion.service.clocks.table_clock import shifted


@dataclass(frozen=True, slots=True)
class TurnClock:
    """Start times of the current turn and of the hold, or None; an undo or redo restarts both.

    By the session's clock; `at` converts them to the current wall clock.
    """

    turn_since: str | None = None
    held_since: str | None = None

    def at(self, set_s: int) -> Self:
        """Return the times by a clock that was set by some seconds since the session began."""
        return replace(self, turn_since=_shifted(self.turn_since, set_s), held_since=_shifted(self.held_since, set_s))

    def after(self, before: TableView, now: TableView, entries: Sequence[Entry], set_s: int = 0) -> Self:
        """Return the timers after at least one entry led from one view to another.

        Args:
            set_s: seconds by which the clock was set between the session's start and these entries.
        """
        entries = [entry._replace(at=shifted(entry.at, -set_s)) for entry in entries]
        latest, player = entries[-1].at, now.get("turn")
        turn = _latest(entries, lambda entry: _begins(entry, player))
        held = _latest(entries, _holds)
        is_other = _turn(before) != _turn(now)
        was_held = before.get("hold") is not None
        return type(self)(
            (turn or (latest if is_other else self.turn_since)) if player else None,
            (held or (self.held_since if was_held else latest)) if now.get("hold") else None,
        )

    @classmethod
    def found(cls, entries: Sequence[Entry], view: TableView) -> Self:
        """Restore the timers from the journal's latest entries, newest last, with their recorded times.

        For games that do not record the start of a turn, the last command counts.
        """
        player = view.get("turn")
        began = next((n for n in reversed(range(len(entries))) if entries[n].kind == "start"), 0)
        entries = entries[began:]  # entries of the previous game may contain one
        turn = _latest(entries, lambda entry: _begins(entry, player))
        if not any("TurnStarted" in entry.events for entry in entries):
            turn = _latest(entries, lambda entry: entry.kind in ("start", "command"))
        return cls(turn if player else None, _latest(entries, _holds) if view.get("hold") else None)


def _shifted(at: str | None, by_s: int) -> str | None:
    return None if at is None else shifted(at, by_s)


def _latest(entries: Sequence[Entry], is_it: Callable[[Entry], bool]) -> str | None:
    return next((entry.at for entry in reversed(entries) if is_it(entry)), None)


def _turn(view: TableView) -> tuple[object, ...]:
    """The identity of a turn: a new hand or a hold begins a new one, even for the same player."""
    return view.get("hand"), view.get("cuts"), view.get("turn"), view.get("hold") is None


def _begins(entry: Entry, player: str | None) -> bool:
    """Whether this player's turn began, or the table resumed, with this entry."""
    if entry.kind == "start" or _corrects(entry):
        return True
    if "TurnStarted" not in entry.events and "TableReleased" not in entry.events:
        return False
    return any(
        event["event"] == "TableReleased" or (event["event"] == "TurnStarted" and event["player"] == player)
        for event in events_of(entry)
    )


def _holds(entry: Entry) -> bool:
    return '"TableHeld"' in entry.events or _corrects(entry)


def _corrects(entry: Entry) -> bool:
    return entry.kind == "command" and parsed(entry.record).get("do") in CORRECTIONS
