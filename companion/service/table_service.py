"""The live table: one thread owns it; all others queue commands and read snapshots.

A command is acknowledged only after its journal commit has returned. All queued commands are committed together; if
that fails, none of them takes effect. The thread itself is `companion.service.committing.table_loop`.
"""

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Self

from companion.closing import Closing
from companion.journal.evening import Evening
from companion.journal.hash_chain import EntryJson
from companion.journal.history.hand_history import HandHistory
from companion.journal.replay import without_gc
from companion.journal.sessions import open_session
from companion.journal.store import Clock, random_id, utc_now
from companion.journal.trust.witness import Statement
from companion.kernel.commands import Record
from companion.kernel.errors import BadScript, MayStillCount
from companion.kernel.game import Draw, Options
from companion.kernel.messages import joined, message
from companion.kernel.table import Header, Table
from companion.locale import PACKAGE, Translator
from companion.plugins.panel import Moment
from companion.plugins.registry import Games
from companion.service.clocks.table_clock import CLOCK, CLOCK_SET, OFF_AFTER
from companion.service.committing.checks import checked_sheet
from companion.service.committing.jobs import ACCEPT_LOSS, Accepted, Job, answer_to, command_job, notice_job, short_text
from companion.service.committing.table_files import TableFiles
from companion.service.committing.table_loop import TableLoop
from companion.service.moment import moment_of
from companion.service.paying.ticks import PAID, TickJson
from companion.service.questions import INTENTIONS, Choice, Intention, Question
from companion.service.settings import DEFAULTS, TableSettings
from companion.service.snapshot_publisher import PublishedTable


class TableService(PublishedTable, Closing):
    """The table as used by the camera, the buttons and the pages. Thread-safe. Create with `open`."""

    def __init__(self, loop: TableLoop) -> None:
        self._loop, self._files = loop, loop.files
        self._jobs, self._questions = loop.jobs, loop.questions
        self.clock, self.games = loop.clock, loop.games
        reader, seals = loop.files.reader, loop.files.seals
        self.history = HandHistory(reader.entries, self.games, seals.open)  # read-only, so threads may share it
        self.translator = Translator(self.games.packages, self._text_package)
        "Translates the table's messages, with the catalog of the current game."
        super().__init__(loop.publisher, self.translator)
        self._thread = threading.Thread(target=loop.run, name="table", daemon=True)

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
        files = TableFiles.open(path, clock=clock, new_id=new_id, random=random, witness=witness, elapsed=elapsed)
        try:
            with without_gc():
                session = open_session(files.journal, files.reader, header, files.checkpoints.read(), games, draw)
            loop = TableLoop(files, session, header, games, settings, passed=passed, draw=draw, elapsed=elapsed,
                             evidence_to_disk=evidence_to_disk)  # fmt: skip
            service = cls(loop)
        except BaseException:
            files.journal.close()
            raise
        if session.table.game.reveals and not files.journal.is_held:
            loop.retire_secret()  # in case of a power cut between the reveal and the retirement
        service._record_clock_setback()
        service._begin()
        return service

    def _record_clock_setback(self) -> None:
        """Record that the clock has gone back since the last entry, so that the next start accounts for it, too."""
        if (seconds := round(self.clock.behind_s)) and not self._files.journal.is_held:
            text = message("The clock was set {seconds} s back.", seconds=str(seconds))
            self.notice(text, source=CLOCK, data={CLOCK_SET: -seconds, OFF_AFTER: self.clock.off_after})

    @property
    def _table(self) -> Table:
        """The table, which only the table thread may change."""
        return self._loop.session.table

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
        return self.clock.began(self.evening[-1].begun)

    @property
    def evening(self) -> Evening:
        """The evening's sessions up to the current one."""
        return self._loop.session.evening

    @property
    def beat(self) -> float:
        """Monotonic time of the table loop's last iteration, in seconds; read by the watchdog."""
        return self._loop.beat

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
        name = None if key is None else short_text(key, "key")
        if isinstance(record, Mapping) and record.get("do") == ACCEPT_LOSS:
            return self._wait_for(Job("notice", "", short_text(source, "source"), name, accepts=True), timeout_s)
        job = self._command(record, source, name, session)
        job.after, job.spares_disputed = after, spares_disputed
        return self._wait_for(job, timeout_s)

    def _command(self, record: Record, source: str, key: str | None, session: int | None) -> Job:
        return command_job(record, source, key, session, can_misdeal=self._table.game.rounds.can_misdeal)

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
        name = None if key is None else short_text(key, "key")
        job = Job("start", "", short_text(source, "source"), name, session, header=header, spares_sheet=spares_sheet)
        return self._wait_for(job, 5.0)

    def set_configured(self, header: Header) -> None:
        """Replace the configured header, keeping its players, such as after the floor has changed prices."""
        self._loop.configured = replace(header, players=self._loop.configured.players)

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
        job.key = short_text(key, "key")
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
            self._show_questions()

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
            self._show_questions()
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
        self._show_questions()
        if choice.command is not None:
            self._queue(decided)

    def _decided_late(self, question: Question, choice: Choice, decided: Job, late: Future[Accepted]) -> None:
        """Finish an answer whose caller has timed out."""
        if late.exception() is None:
            self._decided(question, choice, decided)
        else:
            self._questions.put_back(question)
            self._show_questions()

    def _show_questions(self) -> None:
        self._publisher.publish(lambda latest: replace(latest, questions=self._questions.to_json())).set()

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
        if what not in INTENTIONS:
            raise BadScript(f"The next card is played or dealt ('play', 'deal'), got {str(what)[:40]!r}.")
        self._questions.intend(what, source)
        self._publisher.show(intention=what)

    def take_intentions(self) -> tuple[tuple[Intention, str], ...]:
        """Return the intentions since the last call, each with its source, for the camera thread."""
        return self._questions.take_intentions()

    # ---- reading

    def events(self, after: int = 0, limit: int = 100, viewer: str = "room") -> list[EntryJson]:
        """Return the journal's entries after ``after``, at most 1000: seq, at, source, do, record, events.

        Private notices are included, but their content is for the dealer only.
        """
        return [entry.to_json(viewer) for entry in self._files.reader.entries(max(after, 0), max(0, min(limit, 1000)))]

    def statement(self, seq: int) -> Statement | None:
        """Return the first signed head at or after an entry, or None."""
        return self._files.reader.statement(seq)

    def moment(self) -> Moment:
        """Return the panel's input. Cheap: unlike a view, it has no odds."""
        return moment_of(self._shown)

    def close(self) -> None:
        """Finish the queued jobs, close the journal, wake all waiting threads. May be called twice."""
        first = self._jobs.close()
        if self._finish() and first:
            self._files.close()
            self._publisher.show()

    def _begin(self) -> None:
        self._thread.start()

    def _finish(self) -> bool:
        """Join the thread; False if it does not end in time."""
        self._thread.join(timeout=10)
        return not self._thread.is_alive()
