"""What the floor keeps of a table's chain, and what it names."""

import itertools
import random
from dataclasses import replace

import psycopg
import pytest
from floor_house import Chain, House
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.floor import purse, tables
from companion.floor.errors import FloorError
from companion.floor.ingest import writer
from companion.floor.ingest.writer import GATHER_MS, Throttle
from companion.floor.purse import Transfer
from companion.journal.trust.witness import Statement


def test_a_chain_arrives_whole_and_as_it_was_written(house: House):
    seat = house.begun(Chain().play(5))
    answer = seat.ship()
    assert (answer.head, answer.faults, answer.is_gap) == (seat.chain.head, (), False)
    assert house.stored() == seat.chain.entries


def test_what_comes_twice_counts_once(house: House):
    seat = house.begun(Chain().play(6))
    seat.ship(1, 4)
    assert seat.ship(1, 4).head.seq == 4
    assert seat.ship(2, 6).head.seq == 6
    assert house.stored() == seat.chain.entries
    assert house.incidents() == []


def test_a_gap_is_named_and_nothing_behind_it_counts(house: House):
    seat = house.begun(Chain().play(6))
    seat.ship(1, 2)
    answer = seat.ship(4, 6)
    assert (answer.head.seq, answer.is_gap) == (2, True)
    assert house.stored() == seat.chain.entries[:2]


def test_an_altered_entry_is_refused(house: House):
    seat = house.begun(Chain().play(3))
    forged = replace_record(seat.chain, 2)
    answer = seat.send(seat.batch(forged.entries))
    assert [fault.kind for fault in answer.faults] == ["broken"]
    assert house.stored() == []


def replace_record(chain: Chain, seq: int) -> Chain:
    entries = list(chain.entries)
    entries[seq - 1] = entries[seq - 1]._replace(record='{"do":"bet","coins":1000}')
    return replace(chain, entries=entries)


def test_a_chain_written_anew_is_named_with_its_first_other_entry(house: House):
    chain = Chain().play(6)
    seat = house.begun(chain)
    seat.ship()
    seat.chain = chain.copy(3).play(5, "forged")
    answer = seat.ship()
    assert [(fault.kind, fault.first, fault.last) for fault in answer.faults] == [("rewritten", 4, 6)]
    assert house.incidents() == [("rewritten", 4, 6)]
    assert house.stored() == chain.entries, "what was acknowledged stays"


def test_a_tail_cut_off_is_named_although_nothing_is_sent(house: House):
    chain = Chain().play(6)
    seat = house.begun(chain)
    seat.ship()
    seat.chain = chain.copy(4)
    answer = seat.report()
    assert [(fault.kind, fault.first, fault.last) for fault in answer.faults] == [("tail-cut", 5, 6)]


def test_an_old_message_that_arrives_late_is_no_cut_tail(house: House):
    chain = Chain().play(6)
    seat = house.begun(chain.copy(3))
    seat.report()
    late = seat.batch(seat.chain.entries)
    seat.ship()
    seat.chain = chain
    seat.ship(4)
    assert seat.send(late).faults == ()
    assert seat.report().faults == ()
    assert house.incidents() == []


def test_two_machines_with_one_identity_are_named(house: House):
    """Both have the same certificate and the same journal, as after a copied SD card, and play on."""
    one = house.begun(Chain().play(4))
    one.ship()
    other = replace(one, run="run-2", ticket="", chain=one.chain.copy())
    other.report()
    one.report()
    assert house.incidents() == [("cloned", None, None)]
    other.chain.play(1, "other")
    other.report()
    one.chain.play(1, "mine")
    one.ship(5)
    answer = other.ship(5)
    assert {fault.kind for fault in answer.faults} == {"cloned", "rewritten"}
    assert house.stored() == one.chain.entries


def test_a_restarted_table_is_no_clone_even_if_its_last_words_come_late(house: House):
    seat = house.begun(Chain().play(4))
    seat.ship()
    last_words = seat.batch(seat.chain.entries)
    again = replace(seat, run="run-2", ticket="")
    again.report()
    seat.send(last_words)
    assert again.report().faults == ()
    assert house.incidents() == []


def test_the_floor_forgets_nothing_when_it_starts_again(house: House):
    seat = house.begun(Chain().play(4))
    seat.ship()
    house.restart()
    seat.chain.play(2)
    assert seat.ship(5).head.seq == 6
    assert seat.report().faults == ()
    assert house.stored() == seat.chain.entries


def test_a_mistake_over_one_table_does_not_silence_the_floor(house: House, monkeypatch: pytest.MonkeyPatch):
    """Its batch is not acknowledged, so the table sends it again; the others are served meanwhile."""
    seat, other = house.begun(Chain().play(2)), house.begun(Chain("another".ljust(32, "x")).play(2), "Table 2")
    seat.chain.add({"do": "bet"}, key="transfer/12345678")
    with monkeypatch.context() as broken:
        broken.setattr(writer, "settle", lambda *_: 1 / 0)
        with pytest.raises(FloorError, match="sends again"):
            seat.ship()
        assert other.ship().head == other.chain.head
    assert seat.ship().head == seat.chain.head


def test_a_restored_backup_begins_an_epoch_and_the_old_tail_is_kept(house: House):
    chain = Chain().play(6)
    first = house.begun(chain)
    first.ship()
    again = house.begun(chain.copy(4).play(3, "after"), fork=4)
    assert again.ship(5).head.seq == 7
    assert house.known().epoch == 2
    assert house.stored(epoch=1) == chain.entries
    assert house.stored(epoch=2) == again.chain.entries[4:]
    assert house.incidents() == [("restored", 5, 6)]
    rows = house.connection.execute("SELECT epoch, seq FROM floor.history ORDER BY seq").fetchall()
    assert rows == [(1, 1), (1, 2), (1, 3), (1, 4), (2, 5), (2, 6), (2, 7)]
    assert house.connection.execute("SELECT seq FROM floor.lost ORDER BY seq").fetchall() == [(5,), (6,)]


def test_the_machine_before_the_last_join_no_longer_speaks_for_the_table(house: House):
    chain = Chain().play(3)
    first = house.begun(chain)
    house.begun(chain.copy(), fork=0)
    with pytest.raises(FloorError) as refused:
        first.ship()
    assert refused.value.code == "replaced"
    with pytest.raises(FloorError, match="no longer speaks"):
        tables.installation(house.connection, first.who.fingerprint)


def test_an_epoch_begins_only_behind_an_entry_that_the_floor_has(house: House):
    chain = Chain().play(6)
    house.begun(chain).ship()
    with pytest.raises(FloorError) as refused:
        house.begun(Chain().play(6, "other"), fork=4)
    assert refused.value.code == "unknown-entry"
    assert house.known().epoch == 1


def test_another_journal_is_a_new_epoch_from_its_beginning(house: House):
    house.begun(Chain().play(3)).ship()
    other = house.begun(Chain("b" * 32).play(2))
    assert other.ship().head.seq == 2
    assert house.known().epoch == 2
    assert len(house.connection.execute("SELECT 1 FROM floor.history").fetchall()) == 5


# ---- heads


def test_a_head_comes_back_countersigned(house: House):
    seat = house.begun(Chain().play(3))
    answer = seat.ship(statement=seat.chain.statement())
    assert answer.statement is not None
    assert answer.statement.is_signed
    assert [one.public for one in answer.statement.countersigned] == [house.floor_signer.public]
    (line,) = house.connection.execute("SELECT statement FROM floor.countersignature").fetchone()
    assert Statement.parse(line) == answer.statement


def test_no_head_is_countersigned_that_the_floor_does_not_have(house: House):
    seat = house.begun(Chain().play(6))
    assert seat.ship(1, 3, statement=seat.chain.statement()).statement is None
    forged = seat.chain.copy(3).play(1, "forged").statement()
    assert seat.ship(4, 5, statement=forged).statement is None


def test_another_key_is_named_and_nothing_is_countersigned(house: House):
    seat = house.begun(Chain().play(3))
    stranger = replace(seat.chain, signer=type(seat.chain.signer)(b"x" * 32))
    answer = seat.ship(statement=stranger.statement())
    assert answer.statement is None
    assert [fault.kind for fault in answer.faults] == ["signer"]


# ---- roles


def test_a_tables_role_adds_rows_of_its_own_table_only(house: House):
    house.begun(Chain().play(1), "Table 1")
    house.begun(Chain("b" * 32).play(1), "Table 2")
    row = (2, 1, 1, "", 1, "notice", "", "{}", "[]", "", "")
    insert = (
        "INSERT INTO floor.entry (table_id, epoch, seq, at, session, kind, source, record, events, prev, hash) "
        "VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
    )

    def insert_as(mine: str) -> None:
        with house.connection.transaction(force_rollback=True):
            house.connection.execute("SET LOCAL ROLE floor_table")
            house.connection.execute("SELECT set_config('floor.tables', %s, true)", (f",{mine},",))
            house.connection.execute(insert, row)

    insert_as("1,2")
    for others in ("1", "", "12,21"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            insert_as(others)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE floor.entry SET record = '{}'",
        "DELETE FROM floor.entry",
        "TRUNCATE floor.entry",
        "UPDATE floor.posting SET coins = 1",
        "UPDATE floor.account SET coins = 1",
        "INSERT INTO floor.account (kind, name, coins) VALUES ('purse', 'Eve', 1000)",
        "DELETE FROM floor.audit",
        "UPDATE floor.audit SET did = ''",
        "DELETE FROM floor.countersignature",
        "ALTER TABLE floor.entry DISABLE ROW LEVEL SECURITY",
    ],
)
def test_not_even_the_floors_own_role_changes_what_was_written(house: House, statement: str):
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        house.connection.execute(statement.encode())


def test_an_auditor_reads_all_and_changes_nothing(house: House, cluster, database):
    house.begun(Chain().play(2)).ship()
    with psycopg.connect(cluster.dsn("floor_auditor", database), autocommit=True) as auditor:
        assert auditor.execute("SELECT count(*) FROM floor.history").fetchone() == (2,)
        assert auditor.execute("SELECT table_name, seq FROM floor.tables").fetchone() == ("Table 1", 2)
        for table in ("floor.entry", "floor.posting", "floor.audit"):
            with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
                auditor.execute(f"DELETE FROM {table}")
        auditor.execute("SET default_transaction_read_only = off")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            auditor.execute("DELETE FROM floor.entry")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            auditor.execute("SELECT pin_hash FROM floor.person")


# ---- whatever happens on the way

_EXAMPLES = itertools.count(1)


@pytest.mark.thorough
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), tables_count=st.integers(1, 3))
def test_however_batches_are_cut_doubled_and_reordered_the_floor_equals_the_chains(
    house: House, seed: int, tables_count: int
):
    """At each step any batch ever sent may arrive again, in any order, from any of the tables, and the floor may
    start again; in the end each table sends what the floor has not acknowledged."""
    rng = random.Random(seed)
    names = [f"{seed}-{next(_EXAMPLES)}" for _ in range(tables_count)]
    seats = [house.begun(Chain(name.ljust(32, "0")), name) for name in names]
    sent = []
    for _ in range(rng.randint(5, 25)):
        seat = rng.choice(seats)
        seat.chain.play(rng.randint(0, 4), rng.choice(["bet", "deal", "é\U0001f3b2"]))
        first = rng.randint(1, len(seat.chain.entries) + 1)
        batch = seat.batch(seat.chain.entries[first - 1 : rng.randint(first - 1, len(seat.chain.entries))])
        sent.append((seat, batch))
        for other, old in rng.sample(sent, min(len(sent), rng.randint(0, 3))):
            other.send(old)
        if rng.random() < 0.1:
            house.restart()
    for seat in seats:
        while (known := house.known(seat.who.table_id)).seq < len(seat.chain.entries):
            seat.ship(known.seq + 1, known.seq + rng.randint(1, 9))
        assert seat.report().faults == ()
        assert house.stored(seat.who.table_id) == seat.chain.entries
    assert house.incidents() == []


# ---- a crowd


def test_tables_send_less_often_while_batches_wait_and_soon_again_as_often():
    now = [0.0]
    pace = Throttle(lambda: now[0])

    def see(waited_s: float, seconds: float) -> None:
        ends = now[0] + seconds
        while now[0] < ends:
            now[0] += 0.1
            pace.see(waited_s)

    see(0.01, 5)
    assert pace.gather_ms == GATHER_MS[0]
    see(0.5, 5)
    assert pace.gather_ms == GATHER_MS[1], "a crowd collects entries for longer"
    see(0.01, 1)
    assert GATHER_MS[0] < pace.gather_ms < GATHER_MS[1], "little by little, so that it does not swing"
    see(0.01, 20)
    assert pace.gather_ms == GATHER_MS[0]


def test_an_answer_says_whether_transfers_are_open(house: House, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("companion.floor.ingest.writer._TRANSFERS_EVERY_S", 0.0)
    seat = house.begun(Chain().play(1))
    assert seat.ship().to_json()["transfers"] is False
    number = purse.open_purse(house.connection, "Ann")
    purse.sell(house.connection, number, 50, "desk", "desk/1")
    purse.reserve(house.connection, Transfer("t" * 12, "buy-in", 1, number, "Ann", 20, "reserved"), "Table 1")
    assert seat.report().to_json()["transfers"] is True
    other = house.begun(Chain("b" * 32).play(1), "Table 2")
    assert other.ship().to_json()["transfers"] is False
