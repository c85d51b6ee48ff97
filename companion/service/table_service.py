"""The live table: one thread owns it; all others queue commands and read snapshots.

A command is acknowledged only after its journal commit has returned. All queued commands are committed together; if
that fails, none of them takes effect.
"""

import json
import logging
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Self

from companion.closing import Closing
from companion.journal.checkpoints import Checkpoints
from companion.journal.evening import TABLE, Evening, wanted_of
from companion.journal.hash_chain import Draft, Entry, EntryJson
from companion.journal.history.hand_history import HandHistory
from companion.journal.replay import Session, dumps, rules_fingerprint, uncollected
from companion.journal.seals import SEALED, Seals, is_something_sealed, openings
from companion.journal.sessions import checked_change, open_session
from companion.journal.store import Clock, Journal, JournalError, JournalHeld, JournalReader, random_id, utc_now
from companion.journal.trust.guard import Trouble
from companion.journal.trust.proof import Loss, key_trouble, witness_trouble
from companion.journal.trust.witness import Statement, WitnessKeeper, WitnessUnusable, read_witness
from companion.kernel.commands import Record, Redo, Undo
from companion.kernel.errors import (
    BadScript,
    CompanionError,
    Internal,
    JournalAmiss,
    MayStillCount,
    NothingDone,
    NotSaved,
    TableError,
    WrongPhase,
)
from companion.kernel.events import Unsealed, to_json
from companion.kernel.game import Draw, Happening, Options
from companion.kernel.messages import joined, message
from companion.kernel.table import Header, Mark, Table
from companion.locale import PACKAGE, Translator
from companion.plugins.panel import Moment
from companion.plugins.registry import Games
from companion.service.clocks.table_clock import (
    CLOCK,
    CLOCK_SET,
    OFF_AFTER,
    ClockStep,
    TableClock,
    clock_steps,
    moved,
    righted,
    was_off,
)
from companion.service.clocks.tonight import Brought, TonightWatch, brought_ever
from companion.service.clocks.turn_clock import TurnClock
from companion.service.jobs import (
    TIME,
    Accepted,
    Job,
    JobQueue,
    answer_to,
    check_counted,
    check_disputed,
    check_kind,
    check_same,
    check_session,
    check_transfer,
    check_unchanged,
    checked_sheet,
    notice_job,
    plain,
    tell,
    written,
)
from companion.service.moment import moment_of
from companion.service.paying.due import due_at, due_before, ticks_of
from companion.service.paying.ticks import PAID, UNDONE, TickJson, Ticks, fewest_counted
from companion.service.question_queue import QuestionQueue
from companion.service.questions import Choice, Intention, Question
from companion.service.settings import DEFAULTS, TableSettings
from companion.service.snapshot import LOG_LENGTH, Log, Snapshot
from companion.service.snapshot_publisher import SnapshotPublisher
from companion.service.view_extensions import ViewContext

log = logging.getLogger(__name__)

IDLE_S: Final = 0.5
ACCEPT_LOSS: Final = "accept-loss"
"""Verb with which the owner accepts a damaged or incomplete journal as it is."""
MISDEAL: Final = "misdeal"
"""Verb that undoes the whole current round, in games that allow misdeals."""
_MISDEAL_UNDO: Final = {"do": Undo.verb, "note": MISDEAL}
_EVIDENCE: Final = '"evidence"'
CLOCK_ENTRIES: Final = 200  # entries searched at startup for the beginning of the current turn
_INTENDED: Final = ("play", "deal")  # the commands that an intention can announce


@dataclass(slots=True)
class _Group:
    """The jobs of one commit: drafts to write, and callers to notify afterwards."""

    drafts: list[Draft] = field(default_factory=list)
    writers: list[Job] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    repeats: list[tuple[Job, int]] = field(default_factory=list)
    "Jobs that repeat a key of this group, with the index of the original draft."
    answers: list[tuple[Job, Accepted | TableError]] = field(default_factory=list)


class TableService(SnapshotPublisher, Closing):
    """The table as used by the camera, the buttons and the pages. Thread-safe. Create with `open`."""

    def __init__(
        self,
        journal: Journal,
        reader: JournalReader,
        session: Session,
        lines: Log,
        checkpoints: Checkpoints,
        games: Games,
        seals: Seals,
        settings: TableSettings = DEFAULTS,
        *,
        header: Header,
        draw: Draw | None = None,
        witness: Path | None = None,
        elapsed: Callable[[], float] = time.monotonic,
        evidence_to_disk: Callable[[Sequence[str]], None] | None = None,
        passed: Callable[[], float] | None = None,
        latest: tuple[int, str] = (0, ""),
    ) -> None:
        self._journal = journal
        self._reader = reader
        self._open = session
        self._configured = header
        self._witness = WitnessKeeper(witness, elapsed)
        self._evidence_to_disk = evidence_to_disk
        self._elapsed = elapsed
        self._draw = draw
        self._log = lines
        self._changed_at = reader.latest_change()
        "Seq of the last entry that changed the table."
        self._opened_at = self._changed_at
        "Seq of the last entry that changed the table visibly: sealed commands are left out."
        start = reader.latest_start()
        is_new = start is not None and start.seq > latest[0]  # begun just now, by the clock's present setting
        self.off_after = _off_after(latest, journal.now(), passed)
        "Seq of the last entry before the machine was off, or None. After that its clock may have started wrong."
        steps = clock_steps(reader)
        since = [step for step in steps if start is not None and step.is_after(start.seq, start.at)]
        self.clock = TableClock(
            journal.now,
            passed,
            sum(step.by for step in since),
            "" if is_new else latest[1],
            began_s=sum(step.by for step in since if start is not None and step.moves(start.seq, start.at)),
            is_off=self.off_after is not None and not is_new,
        )
        "Source of the times written into commands."
        self._tonight = TonightWatch(passed)
        self._restore_tonight(self.off_after)
        self.games = games
        "The installed games."
        self._seals = seals
        self.history = HandHistory(reader.entries, games, seals.open)  # read-only, so threads may share it
        self._checkpoints = checkpoints
        self._questions = QuestionQueue(session.number)
        self._jobs = JobQueue()
        self._ticks = Ticks()  # including those of the commit in progress
        self.translator = Translator(games.packages, self._text_package)
        "Translates the table's messages, with the catalog of the current game."
        super().__init__(self._snapshot(settings, steps), self.translator)
        self.beat = self._elapsed()
        "Monotonic time of the table loop's last iteration, in seconds; read by the watchdog."
        self._thread = threading.Thread(target=self._run, name="table", daemon=True)

    @classmethod
    def open(
        cls,
        path: Path,
        header: Header,
        games: Games,
        *,
        settings: TableSettings = DEFAULTS,
        draw: Draw | None = None,
        witness: Path | None = None,
        clock: Clock = utc_now,
        elapsed: Callable[[], float] = time.monotonic,
        new_id: Callable[[], str] = random_id,
        random: Callable[[int], bytes] = os.urandom,
        evidence_to_disk: Callable[[Sequence[str]], None] | None = None,
        passed: Callable[[], float] | None = None,
    ) -> Self:
        """Restore the table from its journal, or begin a journal, and start the table thread.

        Args:
            path: the journal's file.
            header: the configured game and options. If they differ from the journal's, a new session begins with the
                same players and coins, unless stakes are undecided.
            games: the installed games; earlier sessions may have played any of them.
            settings: display settings, beyond the game's rules.
            draw: random source for the first leader, such as `secrets.randbelow`; None: seat 1 leads.
            witness: a file on another disk, such as a USB stick, that stores the journal's signed heads.
            clock, new_id, random: sources of timestamps, of the journal's id and of seal keys.
            elapsed: monotonic seconds.
            evidence_to_disk: flushes evidence pictures, given by name; called before commands that refer to them are
                committed.
            passed: seconds since boot, unaffected by clock changes and including suspend; None: the clock is never set.

        Raises:
            JournalError: the journal cannot be used, or its chain is broken.
            TableError: the header's game or options cannot be played.
            CannotSwitch: another game is configured, and the current one cannot be left in its present state.
        """
        journal = Journal.open(path, clock=clock, new_id=new_id)
        latest = journal.head.seq, journal.latest_at
        try:
            reader = JournalReader.open(path)
            seals = Seals.beside(path, random)
            seals.check()
            if witness is not None and (unlike := _unlike_witness(journal, reader, witness)) is not None:
                journal.hold(unlike)
            if (replaced := key_trouble(reader.key_changes(), _losses(reader))) is not None:
                journal.hold(replaced)
            checkpoints = Checkpoints(path.with_suffix(".shortcut"), journal.code)
            with uncollected():
                session = open_session(journal, reader, header, checkpoints.read(), games, draw)
            lines = Log(reader.latest(2 * LOG_LENGTH))
            service = cls(
                journal,
                reader,
                session,
                lines,
                checkpoints,
                games,
                seals,
                settings,
                header=header,
                draw=draw,
                witness=witness,
                elapsed=elapsed,
                evidence_to_disk=evidence_to_disk,
                passed=passed,
                latest=latest,
            )
        except BaseException:
            journal.close()
            raise
        if service._table.game.reveals and not journal.is_held:
            service._retire_secret()  # in case of a power cut between the reveal and the retirement
        service._record_clock_setback()
        service._begin()
        return service

    def _record_clock_setback(self) -> None:
        """Record that the clock has gone back since the last entry, so that the next start accounts for it, too."""
        if (seconds := round(self.clock.behind_s)) and not self._journal.is_held:
            text = message("The clock was set {seconds} s back.", seconds=str(seconds))
            self.notice(text, source=CLOCK, data={CLOCK_SET: -seconds, OFF_AFTER: self.off_after})

    @property
    def _table(self) -> Table:
        return self._open.table

    @property
    def options(self) -> Options:
        """The options of the current session."""
        return self._table.header.options

    @property
    def header(self) -> Header:
        """The header of the current session: its game and options, and the players who began it."""
        return self._table.header

    def _text_package(self) -> str:
        return self.games.named(self.header.game).package or PACKAGE

    @property
    def began(self) -> str:
        """Start time of the current session, by the clock's present setting; ISO 8601."""
        return self.clock.began(self._open.evening[-1].begun)

    @property
    def evening(self) -> Evening:
        """The evening's sessions up to the current one."""
        return self._open.evening

    # ---- commands

    def submit(
        self,
        record: Record,
        *,
        source: str,
        key: str | None = None,
        timeout_s: float = 5.0,
        session: int | None = None,
        after: int | None = None,
        spares_disputed: bool = False,
    ) -> Accepted:
        """Apply a command; it is durable when this returns.

        Args:
            record: the command; or ``{"do": "accept-loss"}``, which accepts the journal as it is despite its trouble;
                or ``{"do": "misdeal"}``, which undoes the whole current round. An undo or redo with ``"whole": true``
                covers all commands given as one step; ``whole`` has no effect together with ``only``.
            source: the origin: ``camera``, ``dealer``, ``seat/3``, ``panel``, …
            key: idempotency key: a repeated command is applied once and gets the same answer.
            session: the session that the command is meant for; refused in any other. None: any session.
            after: seq of the last entry the caller has seen, such as a view's or situation's ``seq``; refused if the
                table has changed since (for a secret command: changed visibly). None: no check.
            spares_disputed: refuse the command if a payout is disputed at the time it would be applied.

        Raises:
            TableError: refused, nothing has changed; or (``no-answer``) the table was too slow.
        """
        name = None if key is None else plain(key, "key")
        if isinstance(record, Mapping) and record.get("do") == ACCEPT_LOSS:
            return self._wait_for(Job("notice", "", plain(source, "source"), name, accepts=True), timeout_s)
        job = self._command(record, source, name, session)
        job.after, job.spares_disputed = after, spares_disputed
        return self._wait_for(job, timeout_s)

    def _command(self, record: Record, source: str, key: str | None, session: int | None) -> Job:
        job = Job("command", written(record), plain(source, "source"), key, session)
        if record.get("do") == MISDEAL and self._table.game.rounds.can_misdeal:
            job.text, job.is_misdeal = written(_MISDEAL_UNDO), True
        elif record.get("do") in (Undo.verb, Redo.verb) and record.get("whole") is not None:
            if not isinstance(record["whole"], bool):  # else half of what was sealed together would be undone
                raise BadScript(f"'whole' of {record['do']!r} is true or false, got {str(record['whole'])[:40]!r}.")
            if record["whole"] and "only" not in record:
                job.text, job.is_whole = written({"do": record["do"]}), True
        return job

    def change_game(
        self,
        header: Header,
        *,
        source: str,
        key: str | None = None,
        session: int | None = None,
        spares_sheet: bool = False,
    ) -> Accepted:
        """Switch to another game; everybody keeps their seat and coins.

        A new session continues the current one. The change is durable when this returns; after any interruption
        exactly one of the two sessions is current.

        Args:
            header: the game and its options; its players are ignored.
            session: the session to end; refused if another is current.
            spares_sheet: refuse the change while the pay sheet is partly ticked: it would discard the rest.

        Raises:
            TableError: coins are undecided, or the game does not suit the seated players. Nothing has changed.
        """
        name = None if key is None else plain(key, "key")
        job = Job("start", "", plain(source, "source"), name, session, header=header, spares_sheet=spares_sheet)
        return self._wait_for(job, 5.0)

    def set_configured(self, header: Header) -> None:
        """Replace the configured header, keeping its players, such as after the floor has changed prices."""
        self._configured = replace(header, players=self._configured.players)

    def notice(
        self, text: str, *, source: str, data: Mapping[str, object] | None = None, private: bool = False
    ) -> None:
        """Queue a notice for the log. Does not wait for the commit.

        Args:
            private: shown to the dealer only, such as the address of a failed login.
        """
        self._queue(notice_job(text, source, data, private=private))

    def decline(self, text: str, data: Mapping[str, object], *, source: str, key: str) -> Accepted:
        """Record, under a command's key, that the command is declined for good; durable when this returns.

        Raises:
            KeyReused: the command has already been accepted.
        """
        job = notice_job(text, source, data)
        job.key = plain(key, "key")
        return self._wait_for(job, 5.0)

    def _wait_for(self, job: Job, timeout_s: float) -> Accepted:
        self._queue(job)
        return answer_to(job, timeout_s)

    def _queue(self, *jobs: Job) -> None:
        self._jobs.put(*jobs)

    # ---- payments

    def tick(self, sheet: str, steps: Sequence[str], *, is_paid: bool, source: str) -> Accepted:
        """Tick or untick steps of the pay sheet; durable when this returns.

        Raises:
            NothingDone: the sheet is no longer current, or has none of these steps.
        """
        due = checked_sheet(sheet, self._shown.context.due, steps)
        found = due.steps(steps)
        said = joined([step.says(due.name) for step in found], "; ")
        text = message("Done: {steps}", steps=said) if is_paid else message("Not done after all: {steps}", steps=said)
        tick: TickJson = {"sheet": sheet, "steps": [step.key for step in found], "is_paid": is_paid}
        job = notice_job(text, source, {PAID: tick})
        job.sheet = sheet
        return self._wait_for(job, 5.0)

    def _warn_of_undone_ticks(self, before: ViewContext, entries: Sequence[Entry], ticks: Ticks) -> None:
        """Record a notice of ticked payments whose decision was undone: the dealer has to move the coins back.

        Args:
            before: the context before these entries.
            entries: the entries just committed.
            ticks: the ticks that remain.
        """
        count, given = fewest_counted(entries, len(self._table.records)), before.ticks.and_given(entries)
        sheets = (*due_before(self._table, given), *(() if before.due is None else (before.due.ticked(given),)))
        undone = ((due, *one) for due in sheets for one in due.undone(count).items())
        gone = {tick: (step.key, step.says(due.name)) for due, tick, step in undone if tick not in ticks.done}
        if not gone:
            return
        said = joined([says for _, says in gone.values()], "; ")
        text = message("This was ticked as done and is undone now: {steps}. Move these coins back.", steps=said)
        self._jobs.put_own(notice_job(text, TABLE, {UNDONE: [key for key, _ in gone.values()]}))

    # ---- questions

    def set_questions(
        self, source: str, questions: Sequence[Question], *, session: int | None = None, after: int | None = None
    ) -> None:
        """Replace the open questions of a source.

        Args:
            session: the session they belong to; dropped if another is current. None: any session.
            after: seq of the last entry the source has seen, such as a situation's ``seq``; once the table has
                changed, answers are refused until the source asks again. None: no check.
        """
        if self._questions.ask(source, questions, session, after):
            self._show(questions=self._questions.to_json())

    def answer(
        self, question_id: str, choice_id: str, *, source: str, mark: str | None = None, timeout_s: float = 5.0
    ) -> Accepted | None:
        """Answer a question: apply the choice's command, if any, and record the decision.

        Args:
            mark: the choice's mark as displayed; None: no check.

        Raises:
            MayStillCount: the table was too slow. The question reopens only if its command turns out to be refused.
            TableError: ``nothing-done`` if the question is gone; else the command was refused, the question stays open.
        """
        session = self._shown.session
        question, choice, after = self._questions.take(question_id, choice_id, mark)
        decided = notice_job(
            message("{question} Decided: {answer}", question=question.text, answer=choice.label),
            source,
            {"question": question.id, "kind": question.kind, "choice": choice.id, "card": question.card},
        )
        try:
            job = decided if choice.command is None else self._command(choice.command, source, None, session)
            job.after = None if choice.command is None else after
            accepted = self._wait_for(job, timeout_s)
        except MayStillCount:
            self._show(questions=self._questions.to_json())
            job.future.add_done_callback(lambda late: self._decided_late(question, choice, decided, late))
            raise
        except Exception:
            self._questions.put_back(question)
            raise
        self._decided(question, choice, decided)
        return None if choice.command is None else accepted

    def _decided(self, question: Question, choice: Choice, decided: Job) -> None:
        """Record a decision, and keep the answer for `take_answers`."""
        self._questions.answered(question, choice)
        self._show(questions=self._questions.to_json())
        if choice.command is not None:
            self._queue(decided)

    def _decided_late(self, question: Question, choice: Choice, decided: Job, late: Future[Accepted]) -> None:
        """Finish an answer whose caller has timed out."""
        if late.exception() is None:
            self._decided(question, choice, decided)
        else:
            self._questions.put_back(question)
            self._show(questions=self._questions.to_json())

    def take_answers(self) -> tuple[tuple[Question, Choice], ...]:
        """Return the answers since the last call, for the camera thread."""
        return self._questions.collect()

    @property
    def is_deciding(self) -> bool:
        """Whether an answer is in progress: the situation may already include its command, `take_answers` does not."""
        return self._questions.is_deciding

    def intend(self, what: Intention, *, source: str) -> None:
        """Declare in advance whether the next card is played or dealt.

        Raises:
            BadScript: neither ``play`` nor ``deal``.
        """
        if what not in _INTENDED:
            raise BadScript(f"The next card is played or dealt ('play', 'deal'), got {str(what)[:40]!r}.")
        self._questions.intend(what, source)
        self._show(intention=what)

    def take_intentions(self) -> tuple[tuple[Intention, str], ...]:
        """Return the intentions since the last call, each with its source, for the camera thread."""
        return self._questions.take_intentions()

    def events(self, after: int = 0, limit: int = 100, viewer: str = "room") -> list[EntryJson]:
        """Return the journal's entries after ``after``, at most 1000: seq, at, source, do, record, events.

        Private notices are included, but their content is for the dealer only.
        """
        return [entry.to_json(viewer) for entry in self._reader.entries(max(after, 0), max(0, min(limit, 1000)))]

    def statement(self, seq: int) -> Statement | None:
        """Return the first signed head at or after an entry, or None."""
        return self._reader.statement(seq)

    def moment(self) -> Moment:
        """Return the panel's input. Cheap: unlike a view, it has no odds."""
        return moment_of(self._shown)

    def _snapshot(self, settings: TableSettings, steps: Sequence[ClockStep]) -> Snapshot:
        """Return the initial snapshot.

        Args:
            steps: the recorded clock changes.
        """
        head, table = self._journal.head, self._table.view()
        latest = self._reader.latest(CLOCK_ENTRIES)
        clock = TurnClock.found(self._in_session_time(latest, steps), table)
        ticks = ticks_of(self._table, self._reader, self._open.number, latest)
        held = self._journal.trouble
        return Snapshot(
            version=1,
            session=self._open.number,
            evening=self._open.evening,
            seq=head.seq,
            head=head.hash,
            table=table,
            situation=self._table.situation(self._changed_at),
            context=self._context(clock, ticks, settings),
            trouble=None if held is None else held.text,
            held=held,
            **self._log.shown(),
        )

    def _in_session_time(self, entries: Sequence[Entry], steps: Sequence[ClockStep]) -> list[Entry]:
        """Return entries with their timestamps converted to the clock's setting at the beginning of the session."""
        back_s = -round(self.clock.look() + self.clock.behind_s)
        return [entry._replace(at=moved(righted(entry.seq, entry.at, steps), back_s)) for entry in entries]

    def _restore_tonight(self, off_after: int | None = None) -> None:
        self._tonight.find(self._reader, self._open.evening, self._journal.now(), self._brought_ever(), off_after)

    def _brought_ever(self) -> Brought:
        return brought_ever(self._table.position.ledger, self._table.header.gains)

    def _context(self, clock: TurnClock, ticks: Ticks, settings: TableSettings) -> ViewContext:
        table = self._table
        return ViewContext(
            ledger=table.position.ledger,
            gains=table.header.gains,
            moved=table.moved,
            due=due_at(table, ticks),
            ticks=ticks,
            clock=clock,
            clock_set=round(self.clock.look()),
            tonight=self._tonight.evening,
            settings=settings,
            plugin=self.games.get(table.game.name),
        )

    def close(self) -> None:
        """Finish the queued jobs, close the journal, wake all waiting threads. May be called twice."""
        first = self._jobs.close()
        if self._finish() and first:
            self._witness.wait()
            self._reader.close()
            self._journal.close()  # the last connection: on closing it SQLite removes its -wal and -shm files
            self._show()

    # ---- the table's thread

    def _begin(self) -> None:
        self._thread.start()

    def _finish(self) -> bool:
        """Join the thread; False if it does not end in time."""
        self._thread.join(timeout=10)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while self.turn(IDLE_S):
            pass
        self._end()

    def turn(self, timeout_s: float) -> bool:
        """Process the queued jobs, waiting briefly for the first; False once the table is closing.

        One iteration of the table thread. Simulations call it themselves, without a thread.
        """
        group, is_open = self._jobs.next_group(timeout_s)
        self.beat = self._elapsed()
        if group:
            self._do_group(group)
        elif is_open:
            self._publish_evening()
            self._check_journal()
        self._checkpoints.keep(self._table, self._journal.head, rules_fingerprint(self._table.game))
        return is_open

    def _end(self) -> None:
        if self._journal.trouble is None:
            self._witness.keep(self._reader.statement, self._journal.head, is_last=True)
        self._checkpoints.wait()

    def _do_group(self, jobs: Sequence[Job]) -> None:
        if jobs[0].accepts:
            self._accept(jobs[0])
            return
        if self._journal.trouble is not None:
            self._refuse_all(jobs, _Group(), JournalHeld(self._journal.trouble))
            return
        self._ticks = self._shown.context.ticks
        if jobs[0].header is not None:
            self._change_game(jobs[0], jobs[0].header)
            return
        group = _Group()
        self._tonight.look(self._journal.now(), self._brought_ever())
        try:
            for job in jobs:
                self._stage(job, group)
            self._secure_evidence(group.drafts)
            entries = self._journal.append(group.drafts) if group.drafts else ()
        except JournalError as error:
            self._refuse_all(jobs, group, error)
            return
        if any('"Unsealed"' in entry.events for entry in entries):
            self._retire_secret()
        bell = self._show_table(entries, trouble=None) if entries else None
        for job, entry in zip(group.writers, entries, strict=True):
            job.future.set_result(Accepted.of(entry))
        for job, place in group.repeats:
            job.future.set_result(Accepted.of(entries[place]))
        for job, answer in group.answers:
            tell(job, answer)
        if bell is not None:
            bell.set()  # last, so that hundreds of waking pages do not delay the command's own caller

    def _secure_evidence(self, drafts: Sequence[Draft]) -> None:
        """Flush the evidence that commands refer to, so that it survives any power cut that they survive."""
        if self._evidence_to_disk is None:
            return
        records = [
            json.loads(draft.record) for draft in drafts if draft.kind == "command" and _EVIDENCE in draft.record
        ]
        names = [name for record in records if isinstance(name := record.get("evidence"), str)]
        try:
            if names:
                self._evidence_to_disk(names)
        except Exception:
            log.exception("Our own mistake: evidence was not brought to the disk; the table goes on")

    def _change_game(self, job: Job, header: Header) -> None:
        try:
            if self._answer_repeated(job):
                return
            check_session(job, self._open.number)
            self._check_paid(None, spares_sheet=job.spares_sheet)
            change = checked_change(self._open, header, self._draw)
            self._open, entries = change.write(self._journal, wanted_of(self._configured), job.source, job.key)
        except TableError as error:
            job.future.set_exception(error)
        except JournalError as error:
            self._refuse_all((job,), _Group(), error)
        except Exception:
            log.exception("Our own mistake: the game was not changed")
            job.future.set_exception(Internal.saying("The companion made a mistake with this command. See its log."))
        else:
            self.clock.begin()
            self._questions.begin(self._open.number)
            bell = self._show_table(entries, trouble=None)
            job.future.set_result(Accepted.of(entries[0]))
            bell.set()

    def _accept(self, job: Job) -> None:
        """Accept the journal as it is, and record who accepted it and what was wrong."""
        trouble, before = self._journal.trouble, self._journal.head.seq
        try:
            if self._answer_repeated(job):
                return
            if trouble is None or not trouble.can_accept:
                raise NothingDone.saying("Nothing is missing in the journal, so there is nothing to accept.")
            with self._journal.accepting():
                session = open_session(self._journal, self._reader, self._configured, None, self.games, self._draw)
                text = message("Accepted, and the table goes on: {trouble}", trouble=trouble.text)
                record = dumps({"text": text, "data": {"loss": trouble.to_json()}})
                self._journal.append([Draft("notice", session.number, job.source, record, key=job.key)])
        except TableError as error:
            job.future.set_exception(error)
        except JournalError as error:
            self._refuse_all((job,), _Group(), error)
        except CompanionError as error:
            job.future.set_exception(WrongPhase(error.message))
        except Exception:
            log.exception("Our own mistake: the loss was not accepted")
            job.future.set_exception(Internal.saying("The companion made a mistake with this command. See its log."))
        else:
            self._open = session
            self._restore_tonight()
            self._questions.begin(session.number)
            # The table shown before may have been a different one.
            self._changed_at = self._opened_at = self._journal.head.seq
            entries = tuple(self._reader.entries(before))
            bell = self._show_table(entries, trouble=None)
            job.future.set_result(Accepted.of(entries[-1]))
            bell.set()

    def _answer_repeated(self, job: Job) -> bool:
        """Whether a job that is written alone repeats an earlier key; if so, give it the earlier answer.

        Raises:
            KeyReused: the key belongs to another kind of request.
        """
        known = self._journal.by_key(job.key) if job.key is not None else None
        if known is None:
            return False
        check_kind(known, job)
        job.future.set_result(Accepted.of(known))
        return True

    def _publish_evening(self) -> None:
        """Publish the evening if it has changed (by a long pause or a clock change), and the session's clock offset."""
        if self._tonight.look(self._journal.now(), self._brought_ever()):
            self._show(context=replace(self._shown.context, tonight=self._tonight.evening))
        if (clock_set := round(self.clock.look())) != self._shown.context.clock_set:
            self._show(context=replace(self._shown.context, clock_set=clock_set))

    def _check_journal(self) -> None:
        """While idle: flush the WAL, update the witness, and publish whether commands can be saved."""
        self._journal.flush_wal()
        held = self._shown.held
        if self._journal.trouble is not None:
            return
        self._witness.keep(self._reader.statement, self._journal.head)
        try:
            self._journal.check()
            if held is not None:
                self._journal.try_to_write()
        except JournalError as error:
            if held is None:
                log.error("%s", error)
                self._show(trouble=error.message, held=trouble_of(error))
        else:
            if held is not None:
                log.info("Commands can be saved again.")
                self._show(trouble=None, held=None)

    def _stage(self, job: Job, group: _Group) -> None:
        """Apply one job and stage its draft; a refusal is reported only after the commit."""
        mark = self._table.mark()
        try:
            if job.key is not None and self._is_known(job, group):
                return
            check_session(job, self._open.number)
            self._check_unchanged(job, group)
            check_transfer(job, self._table)
            check_disputed(job, self._table.position.hold)
            if job.sheet is not None:
                checked_sheet(job.sheet, due_at(self._table, self._ticks))
            if job.is_misdeal:
                self._stage_misdeal(job, self._table.misdealt(), group)
                return
            if job.is_whole:
                self._stage_repeated(job, self._table.step_length(str(json.loads(job.text)["do"])), group)
                return
            written, events = self._play(job) if job.kind == "command" else (job.text, "[]")
        except TableError as error:
            self._table.back_to(mark)  # some limits are checked only after the command has been applied
            group.answers.append((job, error))
            return
        except JournalError:
            raise
        except Exception:
            self._log_mistake(job)
            self._table.back_to(mark)
            group.answers.append((job, Internal.saying("The companion made a mistake with this command. See its log.")))
            return
        draft = Draft(job.kind, self._open.number, job.source, written, events, job.key)
        self._ticks = self._ticks.after((draft,), len(self._table.records))
        group.drafts.append(draft)
        group.writers.append(job)
        group.marks.append(mark)

    def _check_unchanged(self, job: Job, group: _Group) -> None:
        """Check that the table has not changed since the caller saw it.

        For a secret command only visible changes count: its giver cannot know of commands that others have sealed.

        Raises:
            Outdated: it has changed.
        """
        if job.after is None:
            return
        is_secret = job.kind == "command" and self._is_secret(json.loads(job.text))
        head, drafts = self._journal.head.seq, group.drafts
        counts = _is_open if is_secret else _is_command
        staged = next((n for n in range(len(drafts), 0, -1) if counts(drafts[n - 1])), 0)
        before = self._opened_at if is_secret else self._changed_at
        check_unchanged(job, head + staged if staged else before, head + len(drafts))

    def _stage_misdeal(self, job: Job, count: int, group: _Group) -> None:
        """Stage ``count`` undos, and a notice of the misdeal."""
        self._stage_repeated(job, count, group)
        text = message("Misdeal: the hand was taken back, and everybody has the coins from before it.")
        self._stage(notice_job(text, job.source, {MISDEAL: count}), group)

    def _stage_repeated(self, job: Job, count: int, group: _Group) -> None:
        """Stage an undo or redo ``count`` times, the last time as the job itself. The journal has ordinary commands."""
        once = replace(job, is_misdeal=False, is_whole=False, after=None)
        for _ in range(count - 1):
            self._stage(replace(once, key=None, future=Future()), group)
        self._stage(once, group)

    def _play(self, job: Job) -> tuple[str, str]:
        """Apply a command; return its journal record, sealed if it is secret, and its events, both as JSON."""
        record, written = json.loads(job.text), job.text
        if self._has_verb(record, self._table.game.timed):
            record = {**record, TIME: self.clock.now()}
            written = dumps(record)
        if self._is_secret(record):
            sealed = self._seals.seal(record)
            record, written = self._seals.open(sealed), dumps(sealed)
        self._check_paid(record)
        self._table.check_newcomer(record)
        before = self._table.position.ledger
        happened: tuple[Happening, ...] = self._table.do(record)
        if record["do"] != Undo.verb:  # which only restores an earlier, permitted state
            check_counted(self._table.position.ledger)
            self._tonight.evening.check(
                self.settings.most_brought, before, self._table.position.ledger, self._table.header.gains
            )
        reveals = self._table.game.reveals
        if record["do"] in reveals and (found := openings(self._table.records, reveals)):
            happened += (Unsealed(found),)
        return written, dumps([to_json(event) for event in happened])

    def _check_paid(self, record: Record | None, *, spares_sheet: bool = False) -> None:
        """Raise if a command, or a change of game, has to wait for payments; a redo counts as the command it redoes.

        Args:
            record: the command; None for a change of game.
            spares_sheet: a partly ticked sheet counts even if the table does not wait for payments.

        Raises:
            WrongPhase: a payment is still due.
        """
        if not (self.settings.wait_for_payments or spares_sheet):
            return
        due = due_at(self._table, self._ticks)
        if due is not None and (self.settings.wait_for_payments or due.paid):
            verb = None if record is None else record.get("do")
            again = next(self._table.undone(), None) if verb == Redo.verb else None
            due.check(verb if again is None else again[1].record["do"], is_on=True)

    def _is_secret(self, record: Record) -> bool:
        return self._has_verb(record, self._table.game.secret)

    def _has_verb(self, record: Record, verbs: frozenset[str]) -> bool:
        verb = record.get("do")
        return isinstance(verb, str) and verb in verbs

    def _retire_secret(self) -> None:
        """Retire the seals' secret if no sealed command is left unrevealed. Only after the reveal is durable."""
        if "redo" in self._table.expected() or is_something_sealed(self._table.records, self._table.game.reveals):
            return
        try:
            self._seals.retire()
        except OSError as error:
            log.warning("The secret of revealed commands stays in use: %s", error)

    def _log_mistake(self, job: Job) -> None:
        """Log a bug with its traceback; for a secret command without its content and the exception's message."""
        if job.kind == "command" and self._is_secret(json.loads(job.text)):
            kind, _, trace = sys.exc_info()
            where = "".join(traceback.format_tb(trace))
            log.error("Our own mistake: a %s command from %s was refused\n%s%s", SEALED, job.source, where, kind)
        else:
            log.exception("Our own mistake: %s from %s was refused", job.text, job.source)

    def _is_known(self, job: Job, group: _Group) -> bool:
        """Whether this key was accepted before; if so, the job gets the earlier answer.

        Raises:
            KeyReused: the key belongs to another command.
        """
        for place, draft in enumerate(group.drafts):
            if draft.key == job.key:
                check_same(draft, job, self._seals.open)
                group.repeats.append((job, place))
                return True
        entry = self._journal.by_key(job.key or "")
        if entry is None:
            return False
        check_same(entry, job, self._seals.open)
        group.answers.append((job, Accepted.of(entry)))
        return True

    def _refuse_all(self, jobs: Sequence[Job], group: _Group, error: JournalError) -> None:
        """Saving failed: roll the table back to the state on disk, and notify all callers."""
        log.error("%s", error)
        for mark in reversed(group.marks):
            self._table.back_to(mark)
        bell = self._show_table((), trouble=trouble_of(error))
        said = message("Nothing was played, because it could not be saved. {error}", error=error.message)
        is_held = error.trouble is not None and error.trouble.can_accept
        refused = JournalAmiss(said) if is_held else NotSaved(said)
        for job in jobs:
            job.future.set_exception(refused)
        bell.set()

    def _show_table(self, entries: Sequence[Entry], trouble: Trouble | None) -> threading.Event:
        """Publish the committed state. A failing view is our own bug and must not stop the table."""
        self._changed_at = max((entry.seq for entry in entries if entry.kind != "notice"), default=self._changed_at)
        self._opened_at = max((entry.seq for entry in entries if _is_open(entry)), default=self._opened_at)
        try:
            self._log.add(entries)
            self._tonight.add(entries)
            return self._show_all(trouble, entries)
        except Exception:
            log.exception("Our own mistake: the table cannot be shown")
            return self._change(trouble=message("The table cannot be shown; see the companion's log. It still counts."))

    def _show_all(self, trouble: Trouble | None, entries: Sequence[Entry]) -> threading.Event:
        head, table, shown = self._journal.head, self._table.view(), self._shown
        is_done = any(json.loads(entry.record).get("do") in _INTENDED for entry in entries if entry.kind == "command")
        is_new = self._open.number != shown.session
        set_s = round(self.clock.look())
        clock = shown.context.clock.after(shown.table, table, entries, set_s) if entries else shown.context.clock
        clock = TurnClock.found(entries, table) if is_new else clock
        ticks = shown.context.ticks.after(entries, len(self._table.records))
        if not is_new:
            self._warn_of_undone_ticks(shown.context, entries, ticks)
        return self._change(
            **({"intention": None} if is_done or is_new else {}),
            **({"questions": self._questions.to_json(), "has_demo": False, "demo_plays": False} if is_new else {}),
            session=self._open.number,
            evening=self._open.evening,
            seq=head.seq,
            head=head.hash,
            table=table,
            situation=self._table.situation(self._changed_at),
            context=self._context(clock, ticks, self.settings),
            **self._log.shown(),
            trouble=None if trouble is None else trouble.text,
            held=trouble,
        )


def _is_command(written: Draft | Entry) -> bool:
    return written.kind == "command"


def _is_open(written: Draft | Entry) -> bool:
    """Whether an entry has changed the table visibly.

    A secret command's first event only says that it was given; further ones are its visible effects. The last vote of
    a ballot, say, ends the ballot: commands meant for that ballot must not count in the next.
    """
    if not _is_command(written) or json.loads(written.record).get("do") != SEALED:
        return written.kind != "notice"
    return len(json.loads(written.events)) > 1


def _unlike_witness(journal: Journal, reader: JournalReader, path: Path) -> Trouble | None:
    """Return how the journal contradicts its witness, or None. A missing or unusable witness is only logged."""
    if not path.exists():
        log.warning("The witness %s is not there: the journal is not held against it.", path)
        return None
    try:
        statements = read_witness(path)
    except WitnessUnusable as error:
        log.warning("%s The journal is not held against it.", error)
        return None
    return witness_trouble(statements, journal, _losses(reader))


def _off_after(latest: tuple[int, str], now: str, passed: Callable[[], float] | None) -> int | None:
    """Return the seq of the last entry before this start if the machine was off in between, else None."""
    seq, at = latest
    return seq if passed is not None and at and was_off(at, now, passed()) else None


def _losses(reader: JournalReader) -> list[Loss]:
    """Return the losses that the journal's owner has accepted."""
    return [loss for entry in reader.notices('"loss"') if (loss := Loss.of(entry)) is not None]


def trouble_of(error: JournalError) -> Trouble:
    """Return the trouble that a journal error means for the table."""
    return error.trouble or Trouble("unsaved", error.message)
