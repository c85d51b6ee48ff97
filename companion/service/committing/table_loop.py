"""The table thread's loop: applies the queued jobs, commits them together, and publishes the result.

A job is answered only after its commit has returned. If the commit fails, none of its jobs takes effect, and the table
returns to its state before them. Only this thread touches the table.
"""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from companion.journal.evening import TABLE, game_config
from companion.journal.hash_chain import Draft, Entry
from companion.journal.replay import Session, dumps, rules_fingerprint
from companion.journal.seals import is_something_sealed
from companion.journal.sessions import checked_change, open_session
from companion.journal.store import JournalError, JournalHeld
from companion.journal.trust.guard import Trouble
from companion.kernel.errors import CompanionError, JournalDamaged, NothingDone, NotSaved, TableError, WrongPhase
from companion.kernel.game import Draw
from companion.kernel.header import Header
from companion.kernel.messages import Message, joined, message
from companion.kernel.table import Table
from companion.plugins.registry import Games
from companion.service.clocks.table_clock import TableClock, clock_steps
from companion.service.clocks.tonight import TonightWatch
from companion.service.committing.checks import LastChange, check_kind, check_session
from companion.service.committing.group import Group
from companion.service.committing.jobs import Accepted, Job, JobQueue, notice_job, our_mistake
from companion.service.committing.table_files import TableFiles
from companion.service.paying.due import due_at, undone_ticks
from companion.service.paying.ticks import UNDONE, Tick
from companion.service.question_queue import QuestionQueue
from companion.service.settings import TableSettings
from companion.service.snapshot_builder import SnapshotBuilder
from companion.service.snapshot_publisher import SnapshotPublisher

log = logging.getLogger(__name__)

IDLE_S: Final = 0.5


class TableLoop:
    """Owns the table. Other threads add to ``jobs`` and read ``publisher``.

    Args:
        configured: the configured game and options; may be replaced by other threads.
        passed, draw, elapsed, evidence_to_disk: as for `TableService.open`.

    Attributes:
        session: the current session with its table.
        clock: source of the times written into commands.
        beat: monotonic time of the last iteration, in seconds; read by the watchdog.
    """

    def __init__(
        self,
        files: TableFiles,
        session: Session,
        configured: Header,
        games: Games,
        settings: TableSettings,
        *,
        passed: Callable[[], float] | None,
        draw: Draw | None,
        elapsed: Callable[[], float],
        evidence_to_disk: Callable[[Sequence[str]], None] | None,
    ) -> None:
        journal, reader = files.journal, files.reader
        self.files, self.session, self.configured, self.games = files, session, configured, games
        self._journal, self._draw, self._elapsed, self._evidence_to_disk = journal, draw, elapsed, evidence_to_disk
        self.jobs, self.questions = JobQueue(), QuestionQueue(session.number)
        seq, steps = reader.latest_change(), clock_steps(reader)
        self._changed = LastChange(seq, seq)
        self.clock = TableClock(journal.now, passed, files.latest, reader.latest_start(), steps)
        self._tonight = TonightWatch(reader, journal.now, passed)
        self._tonight.restore(session, self.clock.off_after)
        self._builder = SnapshotBuilder(files, games, self.clock, self._tonight, self.questions)
        self.publisher = SnapshotPublisher(self._builder.first(session, seq, settings, steps))
        self.beat = elapsed()

    @property
    def _table(self) -> Table:
        return self.session.table

    def run(self) -> None:
        """Run until the queue ends."""
        while self.turn(IDLE_S):
            pass
        self.end()

    def turn(self, timeout_s: float) -> bool:
        """Process the queued jobs, waiting briefly for the first; False once the queue has ended."""
        jobs, is_open = self.jobs.next_group(timeout_s)
        self.beat = self._elapsed()
        if jobs:
            self._process(jobs)
        elif is_open:
            self._publish_evening()
            self._check_journal()
        self.files.checkpoints.keep(self._table, self._journal.head, rules_fingerprint(self._table.game))
        return is_open

    def end(self) -> None:
        """Finish the files' background writes, after the last iteration."""
        if self._journal.trouble is None:
            self.files.witness.keep(self.files.reader.statement, self._journal.head, is_last=True)
        self.files.checkpoints.wait()

    def _process(self, jobs: Sequence[Job]) -> None:
        trouble = self._journal.trouble
        if jobs[0].accepts:
            self._do_alone(jobs[0], self._accept_loss)
        elif trouble is not None:
            self._refuse(jobs, JournalHeld(trouble))
        elif jobs[0].header is not None:
            self._do_alone(jobs[0], self._change_game)
        else:
            self._commit(jobs)

    # ---- group commit

    def _commit(self, jobs: Sequence[Job]) -> None:
        """Apply jobs to the table, make them durable in one commit, publish the result, then answer them."""
        self._tonight.look(self._table)
        context = self.publisher.latest.context
        group = Group(self.session, self._journal, self.files.seals, self.clock, context.settings,
                      self._tonight.evening, self._changed, context.ticks)  # fmt: skip
        try:
            for job in jobs:
                group.stage(job)
            self._secure(group.evidence)
            entries = self._journal.append(group.drafts) if group.drafts else ()
        except JournalError as error:
            group.roll_back()
            self._refuse(jobs, error)
            return
        if any('"Unsealed"' in entry.events for entry in entries):
            self.retire_secret()
        bell = self._publish(entries) if entries else None
        group.answer(entries)
        if bell is not None:
            bell.set()  # last, so that hundreds of waking pages do not delay the command's own caller

    def _refuse(self, jobs: Sequence[Job], error: JournalError) -> None:
        """Refuse all jobs, because nothing can be saved. The table is in the state on disk."""
        log.error("%s", error)
        bell = self._publish((), trouble_of(error))
        said = message("Nothing was played, because it could not be saved. {error}", error=error.message)
        is_held = error.trouble is not None and error.trouble.can_accept
        refused = JournalDamaged(said) if is_held else NotSaved(said)
        for job in jobs:
            job.future.set_exception(refused)
        bell.set()

    def _secure(self, evidence: Sequence[str]) -> None:
        """Flush the evidence that commands refer to, so that it survives any power cut that they survive."""
        try:
            if evidence and self._evidence_to_disk is not None:
                self._evidence_to_disk(evidence)
        except Exception:
            log.exception("Internal error: evidence was not saved to the disk; the table continues")

    def retire_secret(self) -> None:
        """Retire the seals' secret if no sealed command is left unrevealed. Only after the reveal is durable."""
        if "redo" in self._table.expected() or is_something_sealed(self._table.records, self._table.game.reveals):
            return
        try:
            self.files.seals.retire()
        except OSError as error:
            log.warning("The secret of revealed commands could not be replaced, and stays in use: %s", error)

    # ---- jobs with a commit of their own

    def _do_alone(self, job: Job, act: Callable[[Job], tuple[Sequence[Entry], Entry]]) -> None:
        """Carry out a job that may replace the session, publish the result, then answer it.

        Args:
            act: carries it out; returns the new entries, and the one that answers the job.
        """
        try:
            if (known := self._journal.by_key(job.key) if job.key is not None else None) is not None:
                check_kind(known, job)
                job.future.set_result(Accepted.of(known))
                return
            entries, answer = act(job)
        except JournalError as error:
            self._refuse((job,), error)
        except TableError as error:
            job.future.set_exception(error)
        except CompanionError as error:
            job.future.set_exception(WrongPhase(error.message))
        except Exception:
            log.exception(
                "Internal error: %s", "the loss was not accepted" if job.accepts else "the game was not changed"
            )
            job.future.set_exception(our_mistake())
        else:
            self.questions.begin(self.session.number)
            bell = self._publish(entries)
            job.future.set_result(Accepted.of(answer))
            bell.set()

    def _change_game(self, job: Job) -> tuple[Sequence[Entry], Entry]:
        assert job.header is not None
        check_session(job, self.session.number)
        context = self.publisher.latest.context
        waits = context.settings.wait_for_payments
        due = due_at(self._table, context.ticks) if waits or job.spares_sheet else None
        if due is not None and (waits or due.paid):  # a partly ticked sheet would lose the rest
            due.check(None, is_on=True)
        change = checked_change(self.session, job.header, self._draw)
        self.session, entries = change.write(self._journal, game_config(self.configured), job.source, job.key)
        self.clock.begin()
        return entries, entries[0]

    def _accept_loss(self, job: Job) -> tuple[Sequence[Entry], Entry]:
        """Accept the journal as it is, and record who accepted it and what was wrong."""
        trouble, before = self._journal.trouble, self._journal.head.seq
        if trouble is None or not trouble.can_accept:
            raise NothingDone.saying("Nothing is missing in the journal, so there is nothing to accept.")
        with self._journal.accepting():
            session = open_session(self._journal, self.files.reader, self.configured, None, self.games, self._draw)
            self._tonight.restore(session)
            opened = tuple(self.files.reader.entries(before))
            text = message("Accepted, and the table goes on: {trouble}", trouble=trouble.text)
            record = dumps({"text": text, "data": {"loss": trouble.to_json()}})
            # Last, as nothing may fail any more once the loss is accepted.
            accepted = self._journal.append([Draft("notice", session.number, job.source, record, key=job.key)])
        self.session = session
        head = self._journal.head.seq
        self._changed = LastChange(head, head)  # the table shown before may have been a different one
        return (*opened, *accepted), accepted[-1]

    # ---- publishing

    def _publish(self, entries: Sequence[Entry], trouble: Trouble | None = None) -> threading.Event:
        """Publish the committed state; return the event that wakes its readers.

        A failing view is our own bug and must not stop the table.
        """
        for entry in entries:
            self._changed = self._changed.after(entry.seq, entry)
        try:
            self._tonight.add(entries)
            before = self.publisher.latest
            ticks = before.context.ticks.after(entries, len(self._table.records))
            if self.session.number == before.session:
                self._warn_of(undone_ticks(self._table, before.context.due, before.context.ticks, ticks, entries))
            return self.publisher.publish(
                lambda latest: self._builder.after(latest, self.session, self._changed.seq, entries, ticks, trouble)
            )
        except Exception:
            log.exception("Internal error: the table's state cannot be shown")
            text = message("The table cannot be shown; see the companion's log. It still counts.")
            return self.publisher.publish(lambda latest: replace(latest, trouble=text))

    def _warn_of(self, undone: Mapping[Tick, tuple[str, Message]]) -> None:
        """Record a notice of ticked payments whose decision was undone: the dealer has to move the coins back."""
        if not undone:
            return
        said = joined([says for _, says in undone.values()], "; ")
        text = message("This was ticked as done and is undone now: {steps}. Move these coins back.", steps=said)
        self.jobs.put_own(notice_job(text, TABLE, {UNDONE: [key for key, _ in undone.values()]}))

    # ---- while idle

    def _publish_evening(self) -> None:
        """Publish the evening if it has changed (by a long pause or a clock change), and the session's clock offset."""
        if self._tonight.look(self._table):
            self.publisher.show_context(tonight=self._tonight.evening)
        if (clock_set := round(self.clock.look())) != self.publisher.latest.context.clock_set:
            self.publisher.show_context(clock_set=clock_set)

    def _check_journal(self) -> None:
        """Flush the WAL, update the witness, and publish whether commands can be saved."""
        self._journal.flush_wal()
        if self._journal.trouble is not None:
            return
        held = self.publisher.latest.held
        self.files.witness.keep(self.files.reader.statement, self._journal.head)
        try:
            self._journal.check()
            if held is not None:
                self._journal.try_to_write()
        except JournalError as error:
            if held is None:
                log.error("%s", error)
                self.publisher.show(trouble=error.message, held=trouble_of(error))
        else:
            if held is not None:
                log.info("Commands can be saved again.")
                self.publisher.show(trouble=None, held=None)


def trouble_of(error: JournalError) -> Trouble:
    """Return the trouble that a journal error means for the table."""
    return error.trouble or Trouble("unsaved", error.message)
