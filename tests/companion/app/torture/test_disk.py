"""The simulated disk keeps what was synced, and may lose or tear everything else."""

import os
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from companion.app.torture.disk import Crashed, Faults, SimulatedDisk, scratch
from companion.journal.durable import sync_folder, write_private

OUTCOMES = 40


def after_power_cuts(act: Callable[[Path, SimulatedDisk], None], read: Callable[[Path], object]) -> set[object]:
    """Return all that was found, over many power cuts, after the same had been done."""
    found = set()
    for seed in range(OUTCOMES):
        with scratch("disk") as place:
            folder = Path(place)
            (folder / "old").write_bytes(b"before")
            disk = SimulatedDisk(folder, random.Random(seed))
            with disk.mounted():
                act(folder, disk)
                disk.has_crashed = True
                disk.recover("power")
            found.add(read(folder))
    return found


def text(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).read_bytes() if (folder / name).exists() else None


def test_what_was_synced_stays() -> None:
    def act(folder: Path, disk: SimulatedDisk) -> None:
        write_private(folder / "old", b"after")
        (folder / "never synced").write_bytes(b"x")

    assert after_power_cuts(act, text("old")) == {b"after"}
    assert None in after_power_cuts(act, text("never synced"))


def test_a_name_counts_once_its_folder_was_synced() -> None:
    def renamed(folder: Path, disk: SimulatedDisk) -> None:
        with (folder / "new").open("wb") as file:
            file.write(b"after")
            file.flush()
            os.fsync(file.fileno())
        (folder / "new").replace(folder / "old")

    def and_synced(folder: Path, disk: SimulatedDisk) -> None:
        renamed(folder, disk)
        sync_folder(folder)

    assert after_power_cuts(renamed, text("old")) == {b"before", b"after"}
    assert after_power_cuts(and_synced, text("old")) == {b"after"}


def test_what_was_not_synced_is_torn() -> None:
    long = b"n" * 4096

    def act(folder: Path, disk: SimulatedDisk) -> None:
        handle = os.open(folder / "old", os.O_WRONLY)
        os.pwrite(handle, long, 0)
        os.close(handle)

    found = after_power_cuts(act, text("old"))
    assert {b"before", long} < found
    assert any(isinstance(one, bytes) and b"n" in one and b"\0" in one for one in found)


@pytest.mark.parametrize(("mode", "kept"), [("FULL", {1}), ("OFF", {0, 1})])
def test_a_commit_of_sqlite_is_as_durable_as_it_says(mode: str, kept: set[int]) -> None:
    def act(folder: Path, disk: SimulatedDisk) -> None:
        connection = sqlite3.connect(folder / "db", isolation_level=None)
        for step in ("PRAGMA journal_mode=WAL", "CREATE TABLE t (x)", f"PRAGMA synchronous={mode}"):
            connection.execute(step)
        connection.execute("INSERT INTO t VALUES (1)")
        disk.has_crashed = True
        connection.close()

    def rows(folder: Path) -> object:
        with closing(sqlite3.connect(folder / "db")) as connection:
            try:
                return connection.execute("SELECT count(*) FROM t").fetchone()[0]
            except sqlite3.DatabaseError:
                return 0

    assert after_power_cuts(act, rows) == kept


def test_a_table_that_has_ended_writes_nothing_more(tmp_path: Path) -> None:
    disk = SimulatedDisk(tmp_path, random.Random(1))
    with disk.mounted():
        disk.crash_after = 2
        with pytest.raises(Crashed):
            write_private(tmp_path / "file", b"first")
        with suppress(Crashed):
            write_private(tmp_path / "file", b"second")
        disk.recover("kill")
    assert not (tmp_path / "file").exists()


def test_faults_are_said_as_a_disk_says_them(tmp_path: Path) -> None:
    disk = SimulatedDisk(tmp_path, random.Random(1))
    with disk.mounted():
        for faults, said in ((Faults(is_full=True), "No space left"), (Faults(errors=1), "Input/output error")):
            disk.faults = faults
            with pytest.raises(OSError, match=said):
                write_private(tmp_path / "file", b"first")
        disk.faults = Faults()
        write_private(tmp_path / "file", b"first")
    assert (tmp_path / "file").read_bytes() == b"first"
