"""A table with a real journal, and a floor with a real database, over TLS."""

import shutil
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from floor_wire import JournalTable, ServedHouse, until

from companion.app.floor.client import FloorClient, FloorRefused
from companion.app.floor.membership import Address, JoinFailed, Membership, join
from companion.floor import tables
from companion.floor.errors import FloorError
from companion.journal.trust.proof import Proof, floor_witness
from companion.journal.trust.witness import read_witness


def stored(served: ServedHouse, epoch: int = 1, table: int = 1) -> list[str]:
    with served.house.connection() as connection:
        query = "SELECT hash FROM floor.entry WHERE table_id = %s AND epoch = %s ORDER BY seq"
        return [row[0] for row in connection.execute(query, (table, epoch))]


def hashes(table: JournalTable) -> list[str]:
    return [str(table.journal.hash_at(seq)) for seq in range(1, table.journal.head.seq + 1)]


def test_a_journal_arrives_and_what_the_floor_signs_is_kept_beside_it(served: ServedHouse, table: JournalTable):
    table.play(3)
    member = served.join(table.data_dir)
    with table.follow(member):
        until(table.is_ok)
        table.play(2)
        until(lambda: stored(served) == hashes(table))
        kept = floor_witness(table.data_dir)
        (statement,) = until(lambda: kept.exists() and read_witness(kept))
    assert statement.is_signed
    assert [one.public for one in statement.countersigned] == [member.floor_key] == [served.house.signer.public]
    assert Proof.beside(table.path).witness == (statement,)


@pytest.mark.thorough
def test_a_floor_that_is_away_holds_nothing_up_and_gets_everything_later(served: ServedHouse, table: JournalTable):
    table.play(3)
    member = served.join(table.data_dir)
    with table.follow(member):
        until(table.is_ok)
        served.__exit__()
        table.play(700)
        link = until(lambda: table.link if table.link and table.link.status == "cut-off" else None)
        assert "table goes on" in link.text
        with ServedHouse(served.cluster, served.database, served.folder, served.port) as again:
            until(lambda: stored(again) == hashes(table))
            until(table.is_ok)


@pytest.mark.thorough
def test_a_floor_learns_of_all_its_machines_at_once(
    served: ServedHouse, table: JournalTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    table.play(1)
    member = served.join(table.data_dir)
    other = JournalTable(tmp_path / "other")
    other.play(1)
    also = served.join(other.data_dir, "Table 2")
    with table.follow(member), other.follow(also):
        until(table.is_ok)
        until(other.is_ok)
    served.__exit__()
    looked_up: list[str] = []
    look_up = tables.installation
    monkeypatch.setattr(tables, "installation", lambda *of: looked_up.append(of[1]) or look_up(*of))
    with ServedHouse(served.cluster, served.database, served.folder, served.port) as again:
        with table.follow(member):
            table.play(1)
            until(lambda: stored(again) == hashes(table))
        again.join(tmp_path / "third", "Table 3")  # which makes the floor forget nobody
        with other.follow(also):
            other.play(1)
            until(lambda: stored(again, table=2) == hashes(other))
    assert len(looked_up) == 1
    other.close()


def test_a_machine_that_another_one_replaces_meanwhile_is_not_remembered(
    served: ServedHouse, table: JournalTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    table.play(1)
    member = served.join(table.data_dir)
    with table.follow(member):
        until(table.is_ok)
    with served.house.connection() as connection:
        (before,) = tables.installations(connection)
    served.__exit__()
    with ServedHouse(served.cluster, served.database, served.folder, served.port) as again:
        read = tables.installations

        def read_and_then_replaced(connection: Any) -> list[tables.Installation]:
            found = read(connection)
            again.join(tmp_path / "newer")
            return found

        monkeypatch.setattr(tables, "installations", read_and_then_replaced)
        assert again.house.installation(before.fingerprint) == before  # it was right when it was asked
        assert again.house.known_machine(before.fingerprint) is None
        with pytest.raises(FloorError, match="no longer speaks"):
            again.house.installation(before.fingerprint)


@pytest.mark.thorough
def test_a_floor_that_is_busy_gets_batches_apart(
    served: ServedHouse, table: JournalTable, monkeypatch: pytest.MonkeyPatch
):
    sent: list[float] = []
    post = FloorClient.post

    def slowed(client: FloorClient, path: str, body: dict[str, Any]) -> dict[str, Any]:
        if body.get("entries"):
            sent.append(time.monotonic())
        return {**post(client, path, body), "gather_ms": 400}

    table.play(1)
    member = served.join(table.data_dir)
    monkeypatch.setattr(FloorClient, "post", slowed)
    with table.follow(member):
        until(table.is_ok)
        for _ in range(20):
            table.play(1)
            time.sleep(0.1)
        until(lambda: stored(served) == hashes(table))
    assert 3 <= len(sent) <= 8
    assert min(later - earlier for earlier, later in pairwise(sent)) > 0.39


def test_a_cut_tail_is_named_within_seconds(served: ServedHouse, table: JournalTable, tmp_path: Path):
    table.play(4)
    member = served.join(table.data_dir)
    old = table.backup()
    table.play(3)
    with table.follow(member):
        until(table.is_ok)
    restored = JournalTable(old)
    shutil.copytree(table.data_dir / "floor", old / "floor", dirs_exist_ok=True)
    with restored.follow(Membership.of(old)):
        link = until(lambda: restored.link if restored.link and restored.link.status == "trouble" else None, 6)
        assert "ends with entry 4; the floor has it up to 7" in link.text
    restored.close()


@pytest.mark.thorough
def test_a_table_restored_from_a_backup_joins_again_and_goes_on_in_a_new_epoch(
    served: ServedHouse, table: JournalTable
):
    table.play(4)
    member = served.join(table.data_dir)
    old = table.backup()
    table.play(3)
    with table.follow(member):
        until(table.is_ok)
    before = hashes(table)
    restored = JournalTable(old)
    restored.play(2)
    again = served.join(old)
    with restored.follow(again):
        until(restored.is_ok)
    assert stored(served, 1) == before
    assert stored(served, 2) == hashes(restored)[4:]
    assert [one.text for one in served.house.incidents()] == [
        "The table went on from entry 4 of epoch 1, as from an old backup. Entries 5 to 7 are kept here and count no "
        "more."
    ]
    with pytest.raises(FloorRefused, match="Another machine has joined"):
        member.client().get("/floor/v1/state")
    restored.close()


@pytest.mark.thorough
def test_a_machine_that_comes_back_after_a_spare_one_goes_on_where_it_was(
    served: ServedHouse, table: JournalTable, tmp_path: Path
):
    table.play(4)
    with table.follow(served.join(table.data_dir)):
        until(lambda: stored(served) == hashes(table))
    spare = JournalTable(tmp_path / "spare")
    spare.play(2)
    with spare.follow(served.join(spare.data_dir)):
        until(lambda: stored(served, 2) == hashes(spare))
    spare.close()
    table.play(1)
    with table.follow(served.join(table.data_dir)):
        until(table.is_ok)
    assert stored(served, 3) == hashes(table)[4:]
    assert served.house.incidents() == []


def test_a_copied_card_is_named_within_seconds(served: ServedHouse, table: JournalTable):
    table.play(2)
    member = served.join(table.data_dir)
    twin = JournalTable(table.backup())
    with table.follow(member), twin.follow(Membership.of(twin.data_dir)):
        (incident,) = until(served.house.incidents, 8)
    assert incident.kind == "cloned"
    twin.close()


# ---- joining


def test_a_code_works_once(served: ServedHouse, tmp_path: Path):
    code = served.house.invite("Table 1", "Owner")
    join(tmp_path / "one", served.address(), code)
    with pytest.raises(FloorRefused, match="wrong, used up or too old"):
        join(tmp_path / "two", served.address(), code)
    assert Membership.of(tmp_path / "two") is None


def test_guessing_codes_has_to_wait(served: ServedHouse, tmp_path: Path):
    for _ in range(5):
        with pytest.raises(FloorRefused, match="wrong, used up"):
            join(tmp_path, served.address(), "WRONGCODE1")
    with pytest.raises(FloorRefused, match="Too many wrong guesses"):
        join(tmp_path, served.address(), served.house.invite("Table 1", "Owner"))


def test_a_floor_with_another_fingerprint_gets_no_code(served: ServedHouse, tmp_path: Path):
    wrong = Address(served.address().url, "0" * 64, None)
    code = served.house.invite("Table 1", "Owner")
    with pytest.raises(JoinFailed, match="Somebody may stand in between"):
        join(tmp_path, wrong, code)
    with pytest.raises(JoinFailed, match="Whose floor is this"):
        join(tmp_path, Address(wrong.url, None, None), code)
    assert join(tmp_path, served.address(), code).name == "Table 1"


@pytest.mark.parametrize(
    "text", ["http://floor:8443#A.b", "floor.local", "https://", "https://x:99999999", "https://x#A.12"]
)
def test_what_is_no_address_is_refused(text: str):
    with pytest.raises(JoinFailed):
        Address.parse(text)


def test_nobody_without_a_certificate_talks_for_a_table(served: ServedHouse):
    client = FloorClient(served.address().url, served.blind)
    for ask in (
        lambda: client.get("/floor/v1/state"),
        lambda: client.post("/floor/v1/entries", {"epoch": 1}),
        lambda: client.post("/floor/v1/transfers", {}),
        lambda: client.get("/floor/v1/purses"),
    ):
        with pytest.raises(FloorRefused) as refused:
            ask()
        assert refused.value.code == "no-certificate"


def test_a_batch_that_is_none_is_refused_and_the_connection_goes_on(served: ServedHouse, table: JournalTable):
    client = served.join(table.data_dir).client()
    with pytest.raises(FloorRefused, match="no batch of entries"):
        client.post("/floor/v1/entries", {"epoch": "one"})
    assert client.get("/floor/v1/state")["epoch"] is None
