"""Table, floor and PostgreSQL are killed at random while coins move: nothing is lost or doubled."""

import os
import random
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from floor_processes import PLAYER, open_table, start_floor, start_table
from floor_wire import JournalTable, until

from companion.app.floor.journal_shipper import JournalShipper
from companion.app.floor.membership import Address, join
from companion.app.floor.purse_cashier import PurseCashier
from companion.floor import purse as purses
from companion.floor import tables
from companion.floor.check import find_problems
from companion.floor.cluster import Cluster
from companion.journal.store import FILE_NAME, JournalReader

pytestmark = pytest.mark.thorough
KILLS = 6


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="floor-", dir="/tmp"))
    yield made
    Cluster(made / "postgres").stop(mode="immediate")
    shutil.rmtree(made)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_coins_survive_whatever_is_killed(folder: Path, tmp_path: Path):
    rng, port, cluster = random.Random(11), free_port(), Cluster(folder / "postgres")
    floor = start_floor(folder, port)
    with psycopg.connect(cluster.dsn(), autocommit=True) as connection:
        number = purses.open_purse(connection, PLAYER)
        purses.sell(connection, number, 1000, "desk", "first")
        code = tables.invite(connection, "Table 1")
    url, fingerprint = (folder / "address").read_text().split()
    data_dir = tmp_path / "table"
    member = join(data_dir, Address(url, fingerprint, None), code)
    table = start_table(data_dir, number)
    try:
        for _ in range(KILLS):
            time.sleep(rng.uniform(0.5, 3.0))
            what = rng.choice(["table", "floor", "postgres"])
            if what == "table":
                table.send_signal(signal.SIGKILL)
                table.wait()
                table = start_table(data_dir, number)
                continue
            if what == "postgres":
                os.kill(cluster.pid, signal.SIGKILL)
            floor.send_signal(signal.SIGKILL)
            floor.wait()
            floor = start_floor(folder, port)
        time.sleep(3)
    finally:
        table.kill()
        table.wait()
    try:
        with open_table(data_dir) as service:
            cashier = PurseCashier(service, member.client())
            with JournalShipper(
                data_dir / FILE_NAME, service, member.client(), "Table 1", on_link=cashier.settle_open
            ).start():
                try:
                    until(lambda: service.floor is not None and service.floor.status == "ok", 60)
                except AssertionError:
                    pytest.fail(f"the floor never has everything: {service.floor}")
                with psycopg.connect(cluster.dsn(), autocommit=True) as connection:
                    until(lambda: not purses.open_transfers(connection, 1), 30)
                    until(lambda: service.floor.status == "ok", 30)
                    assert list(find_problems(connection)) == []
                    query = "SELECT coins FROM floor.account WHERE id = %s"
                    until(lambda: connection.execute(query, (number,)).fetchone()[0] + held(service) == 1000, 30)
                    with JournalReader.open(data_dir / FILE_NAME) as reader:
                        mine = [entry.hash for entry in reader.entries()]
                    rows = connection.execute("SELECT hash FROM floor.entry ORDER BY seq").fetchall()
                    assert [row[0] for row in rows] == mine
                    assert connection.execute("SELECT count(*) FROM floor.incident").fetchone() == (0,)
                    assert len(mine) > 20
            cashier.close()
    finally:
        floor.terminate()
        floor.wait(60)


def held(service: object) -> int:
    return service.ledger.balance(PLAYER)  # type: ignore[attr-defined]


def test_a_table_that_writes_while_postgres_dies_loses_nothing(folder: Path, tmp_path: Path):
    """PostgreSQL is killed below a running floor, which goes on once it is back."""
    cluster = Cluster(folder / "postgres")
    floor = start_floor(folder, free_port())
    try:
        with psycopg.connect(cluster.dsn(), autocommit=True) as connection:
            code = tables.invite(connection, "Table 1")
        url, fingerprint = (folder / "address").read_text().split()
        table = JournalTable(tmp_path / "table")
        table.play(5)
        with table.follow(join(table.data_dir, Address(url, fingerprint, None), code)):
            until(table.is_ok)
            os.kill(cluster.pid, signal.SIGKILL)
            table.play(200)
            until(lambda: table.link.status == "cut-off", 30)
            until(table.is_ok, 60)  # the floor starts it again by itself
            table.play(5)
            with psycopg.connect(cluster.dsn(), autocommit=True) as connection:
                count = "SELECT count(*) FROM floor.entry"
                until(lambda: connection.execute(count).fetchone() == (210,), 30)
        with psycopg.connect(cluster.dsn(), autocommit=True) as connection:
            assert list(find_problems(connection)) == []
        table.close()
    finally:
        floor.terminate()
        floor.wait(60)
