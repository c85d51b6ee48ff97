"""Builds the table's snapshots from its state and from the journal's latest entries."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from companion.journal.hash_chain import Entry
from companion.journal.replay import Session
from companion.journal.trust.guard import Trouble
from companion.kernel.table import Table
from companion.plugins.registry import Games
from companion.service.clocks.table_clock import ClockStep, TableClock, corrected_time, shifted
from companion.service.clocks.tonight import TonightWatch
from companion.service.clocks.turn_clock import TurnClock
from companion.service.committing.table_files import TableFiles
from companion.service.paying.due import due_at, ticks_of
from companion.service.paying.ticks import Ticks
from companion.service.question_queue import QuestionQueue
from companion.service.questions import INTENTIONS
from companion.service.settings import TableSettings
from companion.service.snapshot import LOG_LENGTH, Log, Snapshot
from companion.service.view_extensions import ViewContext

CLOCK_ENTRIES: Final = 200  # entries searched at startup for the beginning of the current turn


class SnapshotBuilder:
    """Builds the table's snapshots. For the table thread only."""

    def __init__(
        self, files: TableFiles, games: Games, clock: TableClock, tonight: TonightWatch, questions: QuestionQueue
    ) -> None:
        self._journal, self._reader, self._games = files.journal, files.reader, games
        self._clock, self._tonight, self._questions = clock, tonight, questions
        self._log = Log(files.reader.latest(2 * LOG_LENGTH))

    def first(self, session: Session, seq: int, settings: TableSettings, steps: Sequence[ClockStep]) -> Snapshot:
        """Return the snapshot at startup, restored from the journal.

        Args:
            seq: of the last entry that changed the table.
            steps: the recorded settings of the clock.
        """
        head, table, latest = self._journal.head, session.table.view(), self._reader.latest(CLOCK_ENTRIES)
        clock = TurnClock.found(self._in_session_time(latest, steps), table)
        ticks = ticks_of(session.table, self._reader, session.number, latest)
        held = self._journal.trouble
        return Snapshot(
            version=1,
            session=session.number,
            evening=session.evening,
            seq=head.seq,
            head=head.hash,
            table=table,
            situation=session.table.situation(seq),
            context=self._context(session.table, clock, ticks, settings),
            trouble=None if held is None else held.text,
            held=held,
            **self._log.shown(),
        )

    def after(
        self,
        latest: Snapshot,
        session: Session,
        seq: int,
        entries: Sequence[Entry],
        ticks: Ticks,
        trouble: Trouble | None,
    ) -> Snapshot:
        """Return the snapshot after committed entries.

        Args:
            latest: the snapshot before.
            session: the current one; if it is new, the entries begin with its start.
            seq: of the last entry that changed the table.
            entries: empty if nothing could be saved.
            ticks: those after these entries.
            trouble: why nothing can be saved, or None.
        """
        self._log.add(entries)
        head, table, clock = self._journal.head, session.table.view(), latest.context.clock
        if session.number != latest.session:
            latest = replace(latest, intention=None, has_demo=False, demo_plays=False,
                             questions=self._questions.to_json())  # fmt: skip
            clock = TurnClock.found(entries, table)
        elif entries:
            clock = clock.after(latest.table, table, entries, round(self._clock.look()))
        return replace(
            latest,
            session=session.number,
            evening=session.evening,
            seq=head.seq,
            head=head.hash,
            table=table,
            situation=session.table.situation(seq),
            context=self._context(session.table, clock, ticks, latest.context.settings),
            intention=None if any(_is_intended(entry) for entry in entries) else latest.intention,
            trouble=None if trouble is None else trouble.text,
            held=trouble,
            **self._log.shown(),
        )

    def _context(self, table: Table, clock: TurnClock, ticks: Ticks, settings: TableSettings) -> ViewContext:
        return ViewContext(
            ledger=table.position.ledger,
            gains=table.header.gains,
            latest_transfers=table.latest_transfers,
            due=due_at(table, ticks),
            ticks=ticks,
            clock=clock,
            clock_set=round(self._clock.look()),
            tonight=self._tonight.evening,
            settings=settings,
            plugin=self._games.get(table.game.name),
        )

    def _in_session_time(self, entries: Sequence[Entry], steps: Sequence[ClockStep]) -> list[Entry]:
        """Return entries with their timestamps converted to the clock's setting at the beginning of the session."""
        back_s = -round(self._clock.look() + self._clock.behind_s)
        return [entry._replace(at=shifted(corrected_time(entry.seq, entry.at, steps), back_s)) for entry in entries]


def _is_intended(entry: Entry) -> bool:
    """Whether an entry is a command that an intention can announce."""
    return entry.kind == "command" and json.loads(entry.record).get("do") in INTENTIONS
