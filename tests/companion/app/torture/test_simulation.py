"""The simulation keeps the table's promises over many evenings, repeats exactly, and finds faults that are planted."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from companion.app.torture import simulation
from companion.app.torture.simulation import SimulationResult, simulate
from companion.journal import store
from companion.journal.store import Journal
from companion.journal.trust import guard
from companion.kernel.ledger import Ledger
from companion.kernel.table import Table
from companion.service.committing import table_files
from companion.service.committing.group import Group
from companion.testing import INSTALLED
from tools.simulate import main, shortened

SHORT = range(15)


def first_fault(most: int, first: int = 0, steps: range = SHORT) -> SimulationResult | None:
    """Play evenings until one breaks a promise."""
    played = (simulate(seed, INSTALLED, steps) for seed in range(first, first + most))
    return next((told for told in played if told.fault is not None), None)


def test_a_hundred_short_evenings() -> None:
    """Every game, every fault, crashes between any two writes: nothing acknowledged is lost, none is invented."""
    counts = sum((told.counts for told in (kept(seed) for seed in range(100))), start=simulation.Counter[str]())
    assert counts["accepted"] > 500
    assert min(counts["kill"], counts["power"], counts["full disk"], counts["disk errors"]) > 20


def test_a_torn_row_at_the_end_is_told() -> None:
    """A disk that forgot left a row without a record, which only a look from the end meets: damaged, no traceback."""
    told = simulate(100_100, INSTALLED)
    assert told.fault is None
    assert told.counts["damaged and told"] == 1


def kept(seed: int) -> SimulationResult:
    told = simulate(seed, INSTALLED, SHORT)
    assert told.fault is None, f'make simulate ARGS="--seed {seed} --steps {len(SHORT)}": {told.fault}'
    return told


def test_an_evening_repeats_exactly() -> None:
    assert simulate(7, INSTALLED) == simulate(7, INSTALLED)


# ---- it can fail


def sync_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Acknowledge before the disk has it."""
    prepare = store.prepare

    def careless(connection: sqlite3.Connection, path: Path, new_id: Callable[[], str]) -> None:
        prepare(connection, path, new_id)
        connection.execute("PRAGMA synchronous=OFF")

    monkeypatch.setattr(store, "prepare", careless)


def trust_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not compare with the second place: a lost end of the write-ahead log goes unnoticed."""
    monkeypatch.setattr(guard, "wrong_mark", lambda facts, book, found: None)


def play_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play a command that is sent again once more."""
    prepare = store.prepare

    def without_index(connection: sqlite3.Connection, path: Path, new_id: Callable[[], str]) -> None:
        prepare(connection, path, new_id)
        connection.execute("DROP INDEX IF EXISTS entry_key")

    monkeypatch.setattr(store, "prepare", without_index)
    monkeypatch.setattr(Group, "_is_known", lambda self, job, key: False)


def forget_the_witness(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not hold the journal against its witness: an older data directory goes unnoticed."""
    monkeypatch.setattr(table_files, "_unlike_witness", lambda journal, path, losses: None)


def keep_what_was_not_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the table as it is when a commit fails."""
    monkeypatch.setattr(Table, "back_to", lambda self, mark: None)


def mark_before_the_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the second place first and the journal afterwards."""
    append = Journal.append

    def hasty(self: Journal, drafts: Any) -> Any:
        linked = tuple(self._linked(drafts))
        if linked and self._guard is not None and not self.is_held:
            self._guard.committed(store.Head(linked[-1].seq, linked[-1].hash), linked[-1].at)
        return append(self, drafts)

    monkeypatch.setattr(Journal, "append", hasty)


def lose_a_coin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pay one coin less now and then, and tell nobody."""
    post = Ledger.post

    def stingy(self: Ledger, transfers: Any) -> Ledger:
        moves = tuple(transfers)
        if moves and moves[0].coins == 3:
            moves = (type(moves[0])(moves[0].payer, moves[0].payee, 2, moves[0].why), *moves[1:])
        return post(self, moves)

    monkeypatch.setattr(Ledger, "post", stingy)


PLANTED = (sync_nothing, trust_the_log, play_repeats, keep_what_was_not_saved, mark_before_the_commit, lose_a_coin)
SLOWLY = pytest.param(forget_the_witness, marks=pytest.mark.thorough)


@pytest.mark.parametrize("plant", [*PLANTED, SLOWLY], ids=lambda plant: plant.__name__)
def test_a_planted_fault_is_found(plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    told = first_fault(300, steps=range(simulation.LENGTH))
    assert told is not None


def test_a_failing_evening_is_told_and_made_shorter(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same fault again from its seed alone, with fewer steps, in words; the exit code says so, too."""
    lose_a_coin(monkeypatch)
    told = first_fault(20)
    assert told is not None
    assert simulate(told.seed, INSTALLED, SHORT) == told
    shorter = shortened(told, INSTALLED, tries=20)
    assert shorter.fault is not None
    assert len(shorter.steps) < len(told.steps)
    assert main(["--seed", str(told.seed), "--steps", str(len(SHORT))]) == 1
    assert "broke a promise" in capsys.readouterr().out
    monkeypatch.undo()
    assert main(["--evenings", "2", "--processes", "1", "--steps", "5"]) == 0
