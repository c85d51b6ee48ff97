"""Rochi and Captain's Rochi are restored from the journal exactly, including antes, debts and pending odd coins."""

import random

import pytest
from captains_referee import duel_by_chance
from rochi_referee import evening_by_chance

from companion.journal.replay import coins_written, latest_session
from companion.journal.session_transfer import seated
from companion.journal.store import FILE_NAME, JournalReader
from companion.kernel.game import Seat
from companion.kernel.table import Header
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param(lambda: evening_by_chance(random.Random(3), hands=3), id="rochi"),
        pytest.param(lambda: evening_by_chance(random.Random(8), hands=3), id="rochi again"),
        pytest.param(lambda: duel_by_chance(random.Random(1), commands=80), id="captains"),
    ],
)
def test_a_restart_brings_the_same_table_back(tmp_path, steps):
    commands = steps()
    header = Header.parse(next(commands)[0], INSTALLED)
    path = tmp_path / FILE_NAME
    with TableService.open(path, header, INSTALLED) as service:
        for record, _ in commands:
            service.submit(record, source="test")
        before = service.view("room")
    with TableService.open(path, header, INSTALLED) as service:
        after = service.view("room")
    changing = {"version", "seq", "log", "head"}
    assert {k: v for k, v in after.items() if k not in changing} == {
        k: v for k, v in before.items() if k not in changing
    }
    with JournalReader.open(path) as reader:
        table = latest_session(reader, INSTALLED).table
        assert coins_written(list(reader.entries()), INSTALLED).accounts == table.position.ledger.accounts


def test_two_who_are_left_sit_down_at_a_new_session_of_rochi_and_wait_for_others():
    table, joins = seated(new_header("rochi", ()), (Seat(1, "Ann"), Seat(2, "Bo")), {"Ann": 7, "Bo": 0})
    assert table.result()["balances"] == {"Ann": 7, "Bo": 0}
    assert [record["do"] for record, _ in joins] == ["join", "join"]
    assert table.phase == "between-hands"
