"""Builds the table's snapshots from its state and from the journal's latest entries."""

import json
from collections.abc import Sequence
from typing import Any, Final

from companion.journal.hash_chain import Entry
from companion.journal.replay import Session
from companion.journal.store import Journal, JournalReader
from companion.kernel.table import TableView
from companion.plugins.registry import Games
from companion.service.clocks.table_clock import ClockStep, TableClock, moved, righted
from companion.service.clocks.tonight import Tonight
from companion.service.clocks.turn_clock import TurnClock
from companion.service.paying.due import due_at, ticks_of
from companion.service.paying.ticks import Ticks
from companion.service.questions import INTENTIONS
from companion.service.settings import TableSettings
from companion.service.snapshot import LOG_LENGTH, Log, Snapshot
from companion.service.view_extensions import ViewContext

CLOCK_ENTRIES: Final = 200  # entries searched at startup for the beginning of the current turn


class SnapshotBuilder:
    """Builds the table's snapshots. For the table thread only."""

    def __init__(self, journal: Journal, reader: JournalReader, games: Games, clock: TableClock) -> None:
        self._journal, self._reader, self._games, self._clock = journal, reader, games, clock
        self._log = Log(reader.latest(2 * LOG_LENGTH))

    def first(
        self, session: Session, seq: int, tonight: Tonight, settings: TableSettings, steps: Sequence[ClockStep]
    ) -> Snapshot:
        """Return the snapshot at startup, restored from the journal.

        Args:
            seq: of the last entry that changed the table.
            steps: the recorded settings of the clock.
        """
        table, latest = session.table.view(), self._reader.latest(CLOCK_ENTRIES)
        clock = TurnClock.found(self._in_session_time(latest, steps), table)
        ticks = ticks_of(session.table, self._reader, session.number, latest)
        context = self._context(session, tonight, clock, ticks, settings)
        held = self._journal.trouble
        trouble = None if held is None else held.text
        return Snapshot(version=1, context=context, trouble=trouble, held=held, **self._fields(session, table, seq))

    def after(
        self, entries: Sequence[Entry], session: Session, seq: int, tonight: Tonight, shown: Snapshot
    ) -> dict[str, Any]:
        """Return the snapshot's fields after committed entries.

        Args:
            entries: empty if nothing could be saved.
            session: the current one; if it is new, the entries begin with its start.
            seq: of the last entry that changed the table.
            shown: the snapshot before.
        """
        self._log.add(entries)
        table, clock, is_new = session.table.view(), shown.context.clock, session.number != shown.session
        if is_new:
            clock = TurnClock.found(entries, table)
        elif entries:
            clock = clock.after(shown.table, table, entries, round(self._clock.look()))
        ticks = shown.context.ticks.after(entries, len(session.table.records))
        fields = self._fields(session, table, seq)
        fields["context"] = self._context(session, tonight, clock, ticks, shown.context.settings)
        if is_new:
            fields |= {"has_demo": False, "demo_plays": False}
        if is_new or any(_is_intended(entry) for entry in entries):
            fields["intention"] = None
        return fields

    def _fields(self, session: Session, table: TableView, seq: int) -> dict[str, Any]:
        head = self._journal.head
        return {
            "session": session.number,
            "evening": session.evening,
            "seq": head.seq,
            "head": head.hash,
            "table": table,
            "situation": session.table.situation(seq),
            **self._log.shown(),
        }

    def _context(
        self, session: Session, tonight: Tonight, clock: TurnClock, ticks: Ticks, settings: TableSettings
    ) -> ViewContext:
        table = session.table
        return ViewContext(
            ledger=table.position.ledger,
            gains=table.header.gains,
            moved=table.moved,
            due=due_at(table, ticks),
            ticks=ticks,
            clock=clock,
            clock_set=round(self._clock.look()),
            tonight=tonight,
            settings=settings,
            plugin=self._games.get(table.game.name),
        )

    def _in_session_time(self, entries: Sequence[Entry], steps: Sequence[ClockStep]) -> list[Entry]:
        """Return entries with their timestamps converted to the clock's setting at the beginning of the session."""
        back_s = -round(self._clock.look() + self._clock.behind_s)
        return [entry._replace(at=moved(righted(entry.seq, entry.at, steps), back_s)) for entry in entries]


def _is_intended(entry: Entry) -> bool:
    """Whether an entry is a command that an intention can announce."""
    return entry.kind == "command" and json.loads(entry.record).get("do") in INTENTIONS
