"""One commit in preparation: jobs are applied to the table, and become durable together or not at all."""

import json
import logging
import sys
import traceback
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from companion.journal.hash_chain import Draft, Entry
from companion.journal.replay import Session, dumps
from companion.journal.seals import SEALED, Seals, openings
from companion.journal.store import Journal, JournalError
from companion.kernel.commands import Record, Redo, Undo
from companion.kernel.errors import TableError
from companion.kernel.events import Unsealed, to_json
from companion.kernel.game import Effect
from companion.kernel.messages import message
from companion.kernel.table import Mark, Table
from companion.service.clocks.table_clock import TableClock
from companion.service.clocks.tonight import Tonight
from companion.service.committing.checks import (
    LastChange,
    check_counted,
    check_disputed,
    check_same,
    check_session,
    check_transfer,
    checked_sheet,
)
from companion.service.committing.jobs import MISDEAL, TIME, Accepted, Job, notice_job, our_mistake
from companion.service.paying.due import due_at
from companion.service.paying.ticks import Ticks
from companion.service.settings import TableSettings

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Group:
    """The jobs of one commit.

    A refused job leaves the table as it was, and its caller is answered only after the commit: the refusal may be due
    to jobs before it that are not durable yet.

    Attributes:
        changed, ticks: including the commands and ticks of this group.
    """

    session: Session
    journal: Journal
    seals: Seals
    clock: TableClock
    settings: TableSettings
    tonight: Tonight
    changed: LastChange
    ticks: Ticks
    drafts: list[Draft] = field(default_factory=list)
    "The entries to write."
    _writers: list[Job] = field(default_factory=list)
    "The job of each draft."
    _marks: list[Mark] = field(default_factory=list)
    "The table's savepoint before each draft."
    _repeats: list[tuple[Job, int]] = field(default_factory=list)
    "Jobs that repeat a key of this group, with the index of the original draft."
    _answers: list[tuple[Job, Accepted | TableError]] = field(default_factory=list)
    "Jobs that write nothing."

    @property
    def _table(self) -> Table:
        return self.session.table

    @property
    def evidence(self) -> list[str]:
        """The names of the evidence pictures that the commands refer to."""
        texts = [draft.record for draft in self.drafts if draft.kind == "command" and '"evidence"' in draft.record]
        return [name for text in texts if isinstance(name := json.loads(text).get("evidence"), str)]

    def roll_back(self) -> None:
        """Return the table to its state before this group: the commit has failed."""
        for mark in reversed(self._marks):
            self._table.back_to(mark)

    def answer(self, entries: Sequence[Entry]) -> None:
        """Answer all jobs, once their entries are durable."""
        for job, entry in zip(self._writers, entries, strict=True):
            job.future.set_result(Accepted.of(entry))
        for job, place in self._repeats:
            job.future.set_result(Accepted.of(entries[place]))
        for job, answer in self._answers:
            if isinstance(answer, TableError):
                job.future.set_exception(answer)
            else:
                job.future.set_result(answer)

    def stage(self, job: Job) -> None:
        """Apply a job to the table and add its draft.

        Raises:
            JournalError: the journal cannot be used.
        """
        mark = self._table.mark()
        try:
            if job.key is not None and self._is_known(job, job.key):
                return
            self._check(job)
            if job.is_misdeal:
                self._stage_misdeal(job, self._table.misdeal_length())
                return
            if job.is_whole:
                self._stage_repeated(job, self._table.step_length(str(json.loads(job.text)["do"])))
                return
            written, events = self._apply(job) if job.kind == "command" else (job.text, "[]")
        except TableError as error:
            self._table.back_to(mark)  # some limits are checked only after the command has been applied
            self._answers.append((job, error))
            return
        except JournalError:
            raise
        except Exception:
            self._log_mistake(job)
            self._table.back_to(mark)
            self._answers.append((job, our_mistake()))
            return
        draft = Draft(job.kind, self.session.number, job.source, written, events, job.key)
        self.drafts.append(draft)
        self._writers.append(job)
        self._marks.append(mark)
        self.ticks = self.ticks.after((draft,), len(self._table.records))
        self.changed = self.changed.after(self._head, draft)

    def _stage_misdeal(self, job: Job, count: int) -> None:
        """Stage ``count`` undos, and a notice of the misdeal."""
        self._stage_repeated(job, count)
        text = message("Misdeal: the hand was taken back, and everybody has the coins from before it.")
        self.stage(notice_job(text, job.source, {MISDEAL: count}))

    def _stage_repeated(self, job: Job, count: int) -> None:
        """Stage an undo or redo ``count`` times, the last time as the job itself. The journal has ordinary commands."""
        once = replace(job, is_misdeal=False, is_whole=False, after=None)
        for _ in range(count - 1):
            self.stage(replace(once, key=None, future=Future()))
        self.stage(once)

    # ---- checks

    @property
    def _head(self) -> int:
        """Seq that the last draft will have."""
        return self.journal.head.seq + len(self.drafts)

    def _is_known(self, job: Job, key: str) -> bool:
        """Whether this key was accepted before; if so, the job gets the earlier answer.

        Raises:
            KeyReused: the key belongs to another command.
        """
        for place, draft in enumerate(self.drafts):
            if draft.key == key:
                check_same(draft, job, self.seals.open)
                self._repeats.append((job, place))
                return True
        entry = self.journal.by_key(key)
        if entry is None:
            return False
        check_same(entry, job, self.seals.open)
        self._answers.append((job, Accepted.of(entry)))
        return True

    def _check(self, job: Job) -> None:
        """Raise if a job does not apply to the table as it is now."""
        check_session(job, self.session.number)
        if job.after is not None:
            self.changed.check(job, self._head, is_secret=self._is_secret_job(job))
        check_transfer(job, self._table)
        check_disputed(job, self._table.position.hold)
        if job.sheet is not None:
            checked_sheet(job.sheet, due_at(self._table, self.ticks))

    def _check_paid(self, record: Record) -> None:
        """Raise if a command has to wait for payments; a redo counts as the command it redoes.

        Raises:
            WrongPhase: a payment is still due.
        """
        if self.settings.wait_for_payments and (due := due_at(self._table, self.ticks)) is not None:
            again = next(self._table.undone(), None) if record.get("do") == Redo.verb else None
            due.check(record.get("do") if again is None else again[1].record["do"], is_on=True)

    # ---- commands

    def _apply(self, job: Job) -> tuple[str, str]:
        """Apply a command; return its journal record, sealed if it is secret, and its events, both as JSON."""
        record, written = json.loads(job.text), job.text
        if _has_verb(record, self._table.game.timed):
            record = {**record, TIME: self.clock.now()}
            written = dumps(record)
        if _has_verb(record, self._table.game.secret):
            sealed = self.seals.seal(record)
            record, written = self.seals.open(sealed), dumps(sealed)
        self._check_paid(record)
        self._table.check_newcomer(record)
        before = self._table.position.ledger
        happened: tuple[Effect, ...] = self._table.do(record)
        if record["do"] != Undo.verb:  # which only restores an earlier, permitted state
            after = self._table.position.ledger
            check_counted(after)
            self.tonight.check(self.settings.most_brought, before, after, self._table.header.gains)
        reveals = self._table.game.reveals
        if record["do"] in reveals and (found := openings(self._table.records, reveals)):
            happened += (Unsealed(found),)
        return written, dumps([to_json(event) for event in happened])

    def _is_secret_job(self, job: Job) -> bool:
        return job.kind == "command" and _has_verb(json.loads(job.text), self._table.game.secret)

    def _log_mistake(self, job: Job) -> None:
        """Log a bug with its traceback; for a secret command without its content and the exception's message."""
        if self._is_secret_job(job):
            kind, _, trace = sys.exc_info()
            where = "".join(traceback.format_tb(trace))
            log.error("Internal error: a %s command from %s was refused\n%s%s", SEALED, job.source, where, kind)
        else:
            log.exception("Internal error: %s from %s was refused", job.text, job.source)


def _has_verb(record: Record, verbs: frozenset[str]) -> bool:
    verb = record.get("do")
    return isinstance(verb, str) and verb in verbs
