"""Deterministic simulation of an evening: all actions and faults are generated from its seed.

Each step has a generator of its own, so steps can be removed without changing the others, which is how a failing
evening is minimized.
"""

import logging
import os
import random
import secrets
import shutil
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from unittest.mock import patch

from companion.app.torture.command_fuzzer import Drawn, new_header
from companion.app.torture.disk import Crashed, CrashKind, Faults, SimulatedDisk, scratch
from companion.app.torture.model import InvariantViolation, Model, expect, opener
from companion.app.torture.table import SimulatedService, SimulatedTable
from companion.config.panel import BUTTONS
from companion.journal.background import Background
from companion.journal.hash_chain import genesis
from companion.journal.store import FILE_NAME, JournalReader
from companion.journal.trust.guard import Trouble
from companion.journal.trust.proof import Proof
from companion.journal.trust.witness import read_witness
from companion.journal.verify import verify
from companion.kernel.errors import CompanionError, TableError
from companion.kernel.header import Header
from companion.plugins.registry import Games
from companion.service.committing.jobs import ACCEPT_LOSS

LENGTH: Final = 60
"""Steps per evening."""
_BEGAN: Final = datetime(2026, 5, 1, 20, tzinfo=UTC)
_WAL: Final = f"{FILE_NAME}-wal"


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """Result of an evening.

    Attributes:
        seed, steps: reproduce it.
        happened: log of actions, readable.
        fault: the invariant violated; None if it passed.
        counts: of commands, crashes and faults.
    """

    seed: int
    steps: tuple[int, ...]
    happened: tuple[str, ...]
    fault: str | None
    counts: Counter[str]


@dataclass
class Simulation:
    """A running simulation.

    Args:
        folder: empty, or with a journal and its key, which is continued.
        witness_path: path of the witness file, outside of the folder.
        header: the first game; None generates one.
    """

    seed: int
    games: Games
    folder: Path
    witness_path: Path
    header: Header | None = None
    happened: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        rng = self._rng("begin")
        names = sorted(self.games)
        self._configured = self.header or new_header(self.games[rng.choice(names)], rng)
        self.disk = SimulatedDisk(self.folder, rng)
        self.model = Model(self.games)
        self.table: SimulatedTable | None = None
        self._at, self._elapsed = _BEGAN, 100.0
        self._network: list[tuple[int, Drawn, str, str]] = []
        self._kept: list[tuple[Drawn, str, str]] = []
        self._lost: str | None = None
        self._earlier: Path | None = None
        self._step = 0
        self._had_faults = False

    def _rng(self, step: int | str) -> random.Random:
        return random.Random(f"{self.seed}/{step}")

    # ---- driver

    def play(self, steps: Sequence[int]) -> None:
        """Execute these steps, then check that the table recovers.

        Raises:
            InvariantViolation: an invariant was violated.
        """
        if (self.folder / FILE_NAME).exists():
            with JournalReader.open(self.folder / FILE_NAME) as reader:
                self.model.known = sum(entry.seq for entry in reader.latest(1))
        with ExitStack() as stack:
            stack.callback(self._leave)
            stack.enter_context(repeatable(self._rng("chance")))
            stack.enter_context(self.disk.mounted())
            self._with_running_table(0, lambda rng: None)
            for step in steps:
                self._step = step
                self._with_running_table(step, self._do_something)
            self._step = -1
            self._with_running_table(-1, self._check_recovery)

    def _with_running_table(self, step: int, act: Callable[[random.Random], None]) -> None:
        """Execute an action on a running table; starts it if necessary, and restarts it if it crashes."""
        rng = self.disk.rng = self._rng(step)
        for _ in range(20):
            try:
                if self.table is None:
                    self._start(rng)
                if self.table is not None:
                    self.table.sight.rng = rng
                    act(rng)
                    if not self.disk.has_crashed:
                        self._check_invariants()
                        return
            except Crashed:
                pass
            except InvariantViolation:
                if not self.disk.has_crashed:
                    raise
            if self.table is None and not self.disk.has_crashed:
                continue
            self._crash(rng, self._crash_kind, "in the middle of a write")
        raise InvariantViolation("the table does not come back: it ended in twenty starts one after the other")

    _crash_kind: CrashKind = "kill"

    def _leave(self) -> None:
        if self.table is not None:
            self.disk.has_crashed = True
            self._close()

    def _say(self, text: str) -> None:
        self.happened.append(f"step {self._step}: {text}" if self._step >= 0 else f"at the end: {text}")

    # ---- starts and crashes

    def _start(self, rng: random.Random) -> None:
        path = self.folder / FILE_NAME
        is_disk_well = not self.disk.faults.are_any
        if rng.random() < 0.1:
            self._crash_kind, self.disk.crash_after = rng.choice(("kill", "power")), rng.randint(1, 30)
        try:
            service = SimulatedService.open(
                path, self._configured, self.games,
                clock=lambda: self._at, elapsed=lambda: self._elapsed, witness=self.witness_path,
                new_id=lambda: f"{rng.getrandbits(128):032x}", random=rng.randbytes,
            )  # fmt: skip
        except CompanionError as error:
            if self.disk.has_crashed:
                raise Crashed from error
            if not is_disk_well:
                self._clear_faults()
                self._say(f"the table did not start ({error}); the disk was mended")
                return
            if self._lost is not None and ("damaged" in str(error) or "not as it was written" in str(error)):
                raise Damaged(str(error)) from error
            raise InvariantViolation(f"the table does not start: {error}") from error
        self.table = SimulatedTable(service, lambda: self._elapsed, rng)
        self.counts["starts"] += 1
        self._check_start(service)

    def _check_start(self, service: SimulatedService) -> None:
        trouble, forgot = service.journal.trouble, self._lost
        if self.disk.has_crashed:
            raise Crashed
        is_unsaid = forgot == "set back" and not self._is_told and trouble is None
        expect(not is_unsaid, "an older data directory was taken for the newest")
        if trouble is not None:
            expect(forgot is not None, f"the table is held, and nothing was lost: {trouble.text}")
            self._accept(service, trouble, forgot or "")
        self._lost, self._is_told = None, False
        path = self.folder / FILE_NAME
        self.model.reread(tuple(service.reader.entries()), genesis(service.journal.id))
        service.model, service.before_turn = self.model, self._run_concurrent_client
        self.model.check_journal(opener(path))
        self._check_table(service)
        self.model.check_replay(service._table.view(), opener(path))

    def _accept(self, service: SimulatedService, trouble: Trouble, forgot: str) -> None:
        kept = service.journal.head.seq
        self._say(f"the table says: {trouble.text}")
        with suppress(TableError):
            service.submit({"do": "hold"}, source="dealer")
            raise InvariantViolation("a command was taken although the table was held")
        last = max((one.seq for one in read_witness(self.witness_path)), default=0) if forgot == "set back" else None
        expect(trouble.first is not None or trouble.state != "tail-lost", "the table does not say what is missing")
        if trouble.first is not None:
            self.model.check_loss_report(trouble, kept, last)
        self.model.accept_loss(kept + 1)
        self._given_up = max(self._given_up, trouble.last or 0)
        self._clear_faults()
        self._is_told = True
        try:
            service.submit({"do": ACCEPT_LOSS}, source="dealer")
        except TableError as error:
            if self.disk.has_crashed:
                raise Crashed from error
            if forgot == "log" and "damaged" in str(error):
                raise Damaged(str(error)) from error
            raise InvariantViolation(f"the owner cannot accept the loss: {error}") from error
        if self.disk.has_crashed:
            raise Crashed
        self.counts["losses accepted"] += 1
        if self._earlier is not None:  # from a history that no longer exists
            shutil.rmtree(self._earlier)
            self._earlier = None

    def _crash(self, rng: random.Random, how: CrashKind, when: str) -> None:
        self._say(f"{'the process is killed' if how == 'kill' else 'the power goes'} {when}")
        self.counts[how] += 1
        self.disk.has_crashed = True
        self._close()
        self.disk.recover(how)
        self._clear_faults()

    def _close(self) -> None:
        """Dispose of a crashed table; nothing it still does reaches the disk."""
        self.model.drop_pending()
        table, self.table = self.table, None
        if table is not None:
            for close in (table.service.reader.close, table.service.journal.close):
                with suppress(Crashed, CompanionError, OSError):
                    close()

    def _clear_faults(self) -> None:
        self.disk.faults = Faults()

    # ---- actions

    def _do_something(self, rng: random.Random) -> None:
        assert self.table is not None
        self._deliver(rng)
        actions, weights = zip(*_ACTIONS, strict=True)
        action = rng.choices(actions, weights)[0]
        self.counts["steps"] += 1
        self._elapsed += rng.choice((0.0, 0.01, 0.1, 1.0))
        self._at += timedelta(seconds=rng.choice((0, 0.01, 0.1, 1)))
        action(self, self.table, rng)

    def _run_concurrent_client(self) -> None:
        """Occasionally let a concurrent client go first."""
        rng = self.disk.rng
        if self.table is not None and rng.random() < 0.3:
            self._send(self.table, rng)

    def _send(self, table: SimulatedTable, rng: random.Random) -> None:
        for number in range(rng.choice((1, 1, 1, 2, 4))):
            record = table.draw(rng)
            source = rng.choice(("dealer", "dealer", "seat/1", "seat/2"))
            key = f"{source}:{self._step}-{number}-{rng.randrange(1000)}" if rng.random() < 0.8 else None
            if key is not None:
                self._kept.append((record, source, key))
            if key is not None and rng.random() < 0.1:
                self._network.append((self._step + rng.randint(1, 15), record, source, key))
                self._say(f"{source} sends {record}, which is late")
            else:
                self._ask(table, record, source, key)

    def _ask(self, table: SimulatedTable, record: Drawn, source: str, key: str | None) -> None:
        self._say(f"{source} sends {record}" + (f" as {key}" if key else ""))
        with suppress(TableError):
            table.service.send(record, source=source, key=key)

    def _deliver(self, rng: random.Random) -> None:
        assert self.table is not None
        for late in [one for one in self._network if one[0] <= self._step]:
            self._network.remove(late)
            self._ask(self.table, *late[1:])

    def _send_again(self, table: SimulatedTable, rng: random.Random) -> None:
        if self._kept:
            record, source, key = rng.choice(self._kept)
            if rng.random() < 0.1:
                record = table.draw(rng)
            self._ask(table, record, source, key)
            self._turn(table, rng)

    def _wait(self, table: SimulatedTable, rng: random.Random) -> None:
        record = table.draw(rng)
        self._say(f"dealer asks for {record} and waits")
        with suppress(TableError):
            table.service.submit(record, source="dealer", key=f"dealer:{self._step}-w-{rng.randrange(1000)}")

    def _turn(self, table: SimulatedTable, rng: random.Random) -> None:
        table.service.turn(0.0)

    def _idle(self, table: SimulatedTable, rng: random.Random) -> None:
        for _ in range(2):
            table.service.turn(0.0)
        self._elapsed += 6

    def _camera(self, table: SimulatedTable, rng: random.Random) -> None:
        table.sight.look()
        self._say("the camera sees something")
        for _ in range(rng.randint(1, 3)):
            self._elapsed += 0.1
            table.watch.turn(0.0)

    def _lose_camera(self, table: SimulatedTable, rng: random.Random) -> None:
        table.camera.is_lost = not table.camera.is_lost
        self._say("the camera is pulled out" if table.camera.is_lost else "the camera is put back")
        for _ in range(2):
            self._elapsed += 0.1
            table.watch.turn(0.0)
        is_told = table.view()["camera"]["status"] == "lost"
        expect(is_told or not table.camera.is_lost, "the camera is gone, and the table does not say so")

    def _press(self, table: SimulatedTable, rng: random.Random) -> None:
        button = rng.choice(BUTTONS)
        self._say(f"{button} is pressed")
        for pause in (0.02, rng.choice((0.1, 0.9)), 0.1):
            table.buttons.move(button) if pause != 0.1 or button in table.buttons.down else None
            self._elapsed += pause
            table.panel.step()
        self._elapsed += 0.5
        table.panel.step()

    def _answer(self, table: SimulatedTable, rng: random.Random) -> None:
        for question in table.open_questions()[:1]:
            choice = rng.choice(question["choices"])["id"]
            self._say(f"the dealer answers {question['id']} with {choice}")
            with suppress(TableError):
                table.service.answer(question["id"], choice, source="dealer")

    def _change_game(self, table: SimulatedTable, rng: random.Random) -> None:
        plugin = self.games[rng.choice(sorted(self.games))]
        self._say(f"the dealer changes to {plugin.name}")
        with suppress(TableError):
            table.change_game(Header(plugin.rules, (), {}))
            self.counts["games changed"] += 1

    def _set_clock(self, table: SimulatedTable, rng: random.Random) -> None:
        by = rng.choice((-86400, -3600, -1, 3600, 86400 * 400))
        self._say(f"the clock jumps by {by} s")
        self._at += timedelta(seconds=by)

    def _toggle_full_disk(self, table: SimulatedTable, rng: random.Random) -> None:
        self.disk.faults.is_full = not self.disk.faults.is_full
        self._say("the disk is full" if self.disk.faults.is_full else "there is room on the disk again")
        self.counts["full disk"] += 1

    def _inject_io_errors(self, table: SimulatedTable, rng: random.Random) -> None:
        self.disk.faults.errors = rng.randint(1, 6)
        self._say(f"the next {self.disk.faults.errors} writes or syncs fail")
        self.counts["disk errors"] += 1

    def _crash_now(self, table: SimulatedTable, rng: random.Random) -> None:
        self._crash(rng, rng.choice(("kill", "power")), "between two steps")
        if rng.random() < 0.15 and self.disk.lose_synced_log(_WAL) >= 0:
            self._lost = "log"
            self._say("the disk forgets the end of the write-ahead log")
            self.counts["forgetting disk"] += 1

    def _crash_soon(self, table: SimulatedTable, rng: random.Random) -> None:
        self._crash_kind, self.disk.crash_after = rng.choice(("kill", "power")), rng.randint(1, 25)
        self._send(table, rng)
        table.service.turn(0.0)
        self._idle(table, rng)

    def _stop(self, table: SimulatedTable, rng: random.Random) -> None:
        self._say("the table is stopped and started again")
        table.service.close()
        if self.disk.has_crashed:
            raise Crashed
        self.model.record_responses(is_disk_well=False)
        self._close()

    def _roll_back_data(self, table: SimulatedTable, rng: random.Random) -> None:
        """Restore an old copy of the whole data directory: only the witness can detect that."""
        self._crash(rng, "kill", "between two steps")
        if self._earlier is None:
            self._earlier = self.witness_path.with_name("earlier")
            shutil.copytree(self.folder, self._earlier)
            self._seq = len(self.model.entries)
            return
        heads = read_witness(self.witness_path) if self.witness_path.exists() else ()
        # Witnessed entries whose numbers were lost and accepted are void, and prove nothing.
        known = {entry.hash for entry in self.model.entries[max(self._seq, self._given_up) :]}
        if any(one.hash in known for one in heads):
            self._say("the data directory is put back as it was before")
            with self.disk.paused():
                for path in self.folder.iterdir():
                    path.unlink()
                for path in self._earlier.iterdir():
                    shutil.copyfile(path, self.folder / path.name)
            self.disk.sync_all()
            self._lost = "set back"
            self.counts["set back"] += 1
        shutil.rmtree(self._earlier)
        self._earlier = None

    _seq = 0
    _given_up = 0
    _is_told = False
    "The loss was reported, and may have been accepted just before a crash."

    # ---- invariants

    def _check_invariants(self) -> None:
        if self.table is None:
            return
        service = self.table.service
        self.model.record_responses(is_disk_well=not (self._had_faults or self.disk.faults.are_any))
        self._had_faults = self.disk.faults.are_any
        self.model.read(tuple(service.reader.entries(len(self.model.entries))), genesis(service.journal.id))
        self.model.check_journal(opener(self.folder / FILE_NAME))
        self._check_table(service)

    def _check_table(self, service: SimulatedService) -> None:
        view = service.view()
        self.model.check_balances(view)
        expect("two settlements differ" not in (view["hold"] or ""), f"a settlement is not the audit's: {view['hold']}")

    def _check_recovery(self, rng: random.Random) -> None:
        """Clear all faults; the table must accept a command, and its journal must verify."""
        assert self.table is not None
        self._clear_faults()
        self.disk.crash_after = None
        service = self.table.service
        service.before_turn = None
        while not service._jobs.empty():
            service.turn(0.0)
        do = "hold" if service.view()["hold"] is None else "release"
        try:
            service.submit({"do": do}, source="dealer", key="the end")
        except TableError as error:
            raise InvariantViolation(f"all is mended, and the table does not take a command: {error}") from error
        self._check_invariants()
        self.model.check_replay(service._table.view(), opener(self.folder / FILE_NAME))
        self.table.service.close()
        self._close()
        path = self.folder / FILE_NAME
        with JournalReader.open(path) as reader:
            found = verify(reader, self.games, Proof.beside(path))
            if found.wrong is not None and self.counts["forgetting disk"] and "the file is damaged" in found.wrong:
                raise Damaged(found.wrong)
            expect(found.wrong is None, f"verify says: {found.wrong}")
        self.counts["accepted"] += self.model.accepted
        self.counts["refused"] += self.model.refused
        self.counts["entries"] += len(self.model.entries)


class Damaged(Exception):
    """A disk that lost synced data left a file that only a backup can replace, and the table reports it."""


_ACTIONS: Final[tuple[tuple[Callable[[Simulation, SimulatedTable, random.Random], None], float], ...]] = (
    (Simulation._send, 22),
    (Simulation._wait, 22),
    (Simulation._turn, 16),
    (Simulation._idle, 5),
    (Simulation._send_again, 8),
    (Simulation._camera, 8),
    (Simulation._lose_camera, 2),
    (Simulation._press, 6),
    (Simulation._answer, 3),
    (Simulation._change_game, 2),
    (Simulation._set_clock, 2),
    (Simulation._toggle_full_disk, 2),
    (Simulation._inject_io_errors, 2),
    (Simulation._crash_now, 2.5),
    (Simulation._crash_soon, 5),
    (Simulation._stop, 1),
    (Simulation._roll_back_data, 0.7),
)


@contextmanager
def repeatable(rng: random.Random) -> Iterator[None]:
    """Make randomness deterministic, and run background work synchronously."""
    with ExitStack() as stack:
        stack.enter_context(patch.object(secrets, "token_hex", lambda size: rng.randbytes(size).hex()))
        stack.enter_context(patch.object(os, "urandom", rng.randbytes))
        stack.enter_context(patch.object(Background, "do", lambda self, work: work()))
        yield


def simulate(
    seed: int,
    games: Games,
    steps: Sequence[int] = range(LENGTH),
    header: Header | None = None,
    begun: Sequence[Path] = (),
) -> SimulationResult:
    """Run a simulation in a temporary directory and return its result.

    Args:
        steps: steps to execute; the others are skipped.
        header: the first game; None generates one.
        begun: files of a journal, of which copies are continued.
    """
    with quiet(), scratch("evening") as place:
        folder = Path(place) / "data"
        folder.mkdir()
        for path in begun:
            shutil.copyfile(path, folder / path.name)
        run = Simulation(seed, games, folder, Path(place) / "stick.heads", header)
        fault: str | None = None
        try:
            run.play(steps)
        except Damaged as damaged:
            run.happened.append(f"the table says: {damaged}")
            run.counts["damaged and told"] += 1
        except InvariantViolation as found:
            fault = str(found)
        except Exception as error:  # unhandled, so a real table would have crashed
            fault = f"{type(error).__name__}: {error} ({_where(error)})"
        return SimulationResult(seed, tuple(steps), tuple(run.happened), fault, run.counts)


def _where(error: Exception) -> str:
    """Return the file, line and function that raised an error."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename}:{last.lineno}, {last.name}"


@contextmanager
def quiet() -> Iterator[None]:
    """Disable logging: faults are expected here."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
