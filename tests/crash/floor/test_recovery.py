"""The floor comes back from a base backup and its archive to a moment; what came after it the tables send again."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from floor_processes import start_floor
from floor_wire import JournalTable, until
from mosquitto import free_port

from companion.app.floor.membership import Address, join
from companion.floor import purse as purses
from companion.floor import tables
from companion.floor.cluster import OWNER, Cluster

pytestmark = pytest.mark.thorough


@pytest.fixture
def place() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="floor-", dir="/tmp"))
    made.chmod(0o755)
    yield made
    for floor in _RUNNING:
        floor.kill()
        floor.wait()
    Cluster(made / "floor" / "postgres").stop(mode="immediate")
    shutil.rmtree(made)


_RUNNING: list[subprocess.Popen[str]] = []


def start(folder: Path, *more: str, port: int = 0) -> subprocess.Popen[str]:
    floor = start_floor(folder, port, *more)
    _RUNNING.append(floor)
    return floor


def companion_floor(folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "companion", "floor", "--data", str(folder), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def stop(floor: subprocess.Popen[str]) -> None:
    floor.terminate()
    floor.wait(90)


def one(connection: psycopg.Connection, query: str) -> object:
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def test_back_to_a_moment(place: Path, tmp_path: Path):
    folder, archive, base, port = place / "floor", place / "wal", place / "base", free_port()
    cluster = Cluster(folder / "postgres")
    floor = start(folder, "--archive", str(archive), port=port)
    table = JournalTable(tmp_path / "table")
    table.play(5)
    with psycopg.connect(cluster.dsn(), autocommit=True) as connection:
        purse = purses.open_purse(connection, "Ann")
        purses.sell(connection, purse, 100, "desk", "first")
        code = tables.invite(connection, "Table 1")
    url, fingerprint = (folder / "address").read_text().split()
    member = join(table.data_dir, Address(url, fingerprint, None), code)
    count = "SELECT count(*) FROM floor.entry"
    with table.follow(member):
        until(table.is_ok, 60)
        made = companion_floor(folder, "backup", base)
        assert made.returncode == 0, made.stderr
        table.play(20)
        with psycopg.connect(cluster.dsn(), autocommit=True) as connection:
            until(lambda: one(connection, count) == 25, 60)
            purses.sell(connection, purse, 50, "desk", "second")
            moment = one(connection, "SELECT clock_timestamp()::text")
            table.play(30)
            until(lambda: one(connection, count) == 55, 60)
            purses.sell(connection, purse, 7, "desk", "a mistake, to be undone")
        with psycopg.connect(cluster.dsn(OWNER), autocommit=True) as owner:
            last = one(owner, "SELECT pg_walfile_name(pg_switch_wal())")
            until(lambda: (archive / str(last)).exists(), 60)
    refused = companion_floor(folder, "recover", base, "--archive", archive)
    assert refused.returncode, "a floor that runs is not to be recovered"
    stop(floor)

    wrong = companion_floor(folder, "recover", archive, "--archive", archive)
    assert "is no base backup" in wrong.stderr
    back = companion_floor(folder, "recover", base, "--archive", archive, "--until", str(moment))
    assert back.returncode == 0, back.stderr
    floor = start(folder, "--archive", str(archive), port=port)
    try:
        with psycopg.connect(cluster.dsn(), autocommit=True) as connection:
            assert one(connection, count) == 25
            assert one(connection, f"SELECT coins FROM floor.account WHERE id = {purse}") == 150
            checked = companion_floor(folder, "check")
            assert checked.returncode == 0, checked.stdout + checked.stderr
            with table.follow(member):
                until(lambda: one(connection, count) == 55, 60)
                until(table.is_ok, 60)
            assert one(connection, "SELECT count(*) FROM floor.incident") == 0
        checked = companion_floor(folder, "check")
        assert checked.returncode == 0, checked.stdout + checked.stderr
        assert list((folder / "postgres").glob("data.before-*")), "the data of before are kept"
    finally:
        stop(floor)
        table.close()


def test_a_recovery_that_fails_leaves_everything_as_it_was(place: Path):
    folder, base, empty = place / "floor", place / "base", place / "empty"
    floor = start(folder)
    assert companion_floor(folder, "backup", base).returncode == 0
    stop(floor)
    empty.mkdir()
    (base / "backup_label").unlink()
    (base / "global" / "pg_control").unlink()
    failed = companion_floor(folder, "recover", base, "--archive", empty)
    assert failed.returncode
    assert "everything is as before" in failed.stderr
    floor = start(folder)
    try:
        assert companion_floor(folder, "check").returncode == 0
    finally:
        stop(floor)
