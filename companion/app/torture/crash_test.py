"""Crash test: kills real table processes repeatedly and checks what survives against what they acknowledged."""

import json
import multiprocessing
import os
import random
import select
import time
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from companion.app.torture.child_process import ChildParameters, run_child
from companion.app.torture.model import Model, Request, expect, opener
from companion.journal.hash_chain import genesis
from companion.journal.store import JournalError, JournalReader
from companion.journal.verify import verify
from companion.kernel.errors import NoAnswer
from companion.kernel.header import Header
from companion.plugins.registry import Games
from companion.service.committing.jobs import Accepted, Job

_LONGEST_S: Final = 60.0
_MAX_COMMANDS: Final = 400
_BOUNDARIES: Final = 3
"""One process in this many is killed after some responses, the others before their n-th file operation, n rising."""
_DIFFERENT: Final = 120
"""Number of file operations in a start and the first commands; covers every kind of operation."""


@dataclass
class CrashTestResult:
    """Result of a crash test.

    Attributes:
        at_boundaries: kills before a specific write, sync or rename.
        slowest_start_s: from the process's first line to a table that accepts commands.
    """

    kills: int = 0
    at_boundaries: int = 0
    acknowledged: int = 0
    entries: int = 0
    slowest_start_s: float = 0.0


@dataclass
class CrashTest:
    """A table that is killed repeatedly.

    Args:
        journal: its file, continued if it exists.
        header: the game to play.
    """

    journal: Path
    header: Header
    games: Games
    seed: int
    result: CrashTestResult = field(default_factory=CrashTestResult)

    def __post_init__(self) -> None:
        self._model = Model(self.games)
        self._asked: dict[str, Request] = {}
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([run_child.__module__])
        self._boundary = 0
        if self.journal.exists():
            with JournalReader.open(self.journal) as reader:
                self._model.known = sum(entry.seq for entry in reader.latest(1))
            self._read()

    def kill(self, number: int) -> None:
        """Run the table once and kill it.

        Raises:
            InvariantViolation: something acknowledged is missing or different.
        """
        rng = random.Random(f"{self.seed}/{number}")
        is_at_boundary = number % _BOUNDARIES != 0
        if is_at_boundary:
            self._boundary = self._boundary % _DIFFERENT + 1
        parameters = ChildParameters(
            self.journal, dict(self.header.to_json()), rng.getrandbits(32),
            self._boundary if is_at_boundary else None, _MAX_COMMANDS, self._unanswered(),
        )  # fmt: skip
        pipe = self.journal.with_name("torture.pipe")
        os.mkfifo(pipe)
        mine = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        process = self._context.Process(target=run_child, args=(parameters, pipe), daemon=True)
        process.start()
        kill_after = None if is_at_boundary else rng.randint(1, _MAX_COMMANDS // 4)
        try:
            self._listen(mine, process, kill_after)
        finally:
            process.kill()
            process.join(_LONGEST_S)
            os.close(mine)
            pipe.unlink()
        self.result.kills += 1
        self.result.at_boundaries += is_at_boundary
        self._read()

    def _unanswered(self) -> tuple[tuple[str, str], ...]:
        """Return the requests without a response, by keys, and one that has one."""
        open_ = [one for one in self._asked.values() if not one.future.done()]
        done = [one for one in self._asked.values() if one.seq is not None][-1:]
        return tuple((one.job.key or "", one.job.text) for one in (*open_, *done))

    def _listen(self, pipe: int, process: Any, kill_after: int | None) -> None:
        """Read the process's log until it ends or falls silent."""
        kept, ends_at = b"", time.monotonic() + _LONGEST_S
        while time.monotonic() < ends_at:
            if kill_after is not None and self._answered >= kill_after:
                process.kill()
            if not select.select([pipe], [], [], 0.02)[0]:
                if self._answered >= _MAX_COMMANDS:  # this operation is never reached: all boundaries are covered
                    process.kill()
                    self._boundary = 0
                continue
            data = os.read(pipe, 1 << 16)
            if not data:  # no writer yet, or no longer
                if not process.is_alive():
                    break
                time.sleep(0.005)
            *lines, kept = (kept + data).split(b"\n")
            for line in lines:
                self._hear(json.loads(line))
        expect(kill_after is None or self._answered >= kill_after, "the table does not come back, or stops answering")
        self._answered = 0

    _answered: int = 0

    def _hear(self, told: Mapping[str, Any]) -> None:
        expect("failed" not in told, f"the table does not come back: {told.get('failed')}")
        if "ready" in told:
            self.result.slowest_start_s = max(self.result.slowest_start_s, told["ready"])
            expect("journal" not in told["shown"], f"the table is held: {told['shown'].get('journal')}")
            if self._model.entries and told["shown"]["session"] == self._model.entries[-1].session:
                self._model.check_balances(told["view"])
                self._model.check_replay(told["view"], opener(self.journal))
        elif "ask" in told:
            future: Future[Accepted] = Future()
            job = Job("command", told["text"], "dealer", told["ask"], future=future)
            self._model.record_request(job)
            self._asked[told["ask"]] = self._model.asked[-1]
        elif "ok" in told:
            asked = self._asked[told["ok"]]
            self._answered += 1
            if asked.future.done():
                expect(asked.seq == told["seq"], f"asked again, entry {asked.seq} was answered as entry {told['seq']}")
                return
            asked.future.set_result(Accepted(told["seq"], ()))
            self.result.acknowledged += 1
        elif "refused" in told:
            expect(told["code"] not in ("internal", "not-saved", "journal-held"), f"it was refused as {told['code']}")
            self._answered += 1
            if told["code"] == NoAnswer.code:  # timeout on a busy machine; resending shows whether it was accepted
                return
            is_new = not self._asked[told["refused"]].future.done()
            expect(is_new, f"what was accepted is refused when asked again, as {told['code']}")
            self._asked[told["refused"]].future.set_exception(NoAnswer(f"It was refused as {told['code']}."))
        elif "twice" in told:
            first, again = told["twice"]
            expect(first == again, f"asked again with its key, entry {first} was answered as entry {again}")

    def _read(self) -> None:
        """Check the journal on disk against the log."""
        self._model.record_responses(is_disk_well=True)
        self._model.drop_pending()
        if not self.journal.exists() or self.journal.stat().st_size == 0:
            expect(self.result.acknowledged == 0, "the journal is gone")
            return
        try:
            reader = JournalReader.open(self.journal)
        except JournalError as error:  # killed during creation; the next start cleans up
            expect(self.result.acknowledged == 0, str(error))
            return
        with reader:
            entries = tuple(reader.entries())
            if not entries:
                return
            self._model.reread(entries, genesis(reader.id))
            self._model.check_journal(opener(self.journal))
            found = verify(reader, self.games)
            expect(found.wrong is None, f"verify says: {found.wrong}")
        self.result.entries = len(entries)
