"""Coins between a real table and a real floor, with the connection cut where it hurts."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from floor_wire import ServedHouse, until

from companion.app.floor.cancelled_transfers import MAX_KEPT, CancelledTransfers
from companion.app.floor.client import FloorClient, FloorUnreachable
from companion.app.floor.journal_shipper import JournalShipper
from companion.app.floor.purse_cashier import PurseCashier
from companion.floor import purse
from companion.floor.check import find_problems
from companion.floor.cluster import APP
from companion.journal.backups.backup import GIVEN_UP
from companion.journal.store import FILE_NAME
from companion.kernel.errors import (
    BadScript,
    KeyReused,
    MayStillCount,
    NoAnswer,
    NotOffered,
    NotSaved,
    OverLimit,
    UnknownPlayer,
    WrongPhase,
)
from companion.locale import Translator
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header


@pytest.fixture
def service(tmp_path: Path) -> Iterator[TableService]:
    header = new_header("roche", (("Ann", 0), ("Bo", 10)), {})
    with TableService.open(tmp_path / "table" / FILE_NAME, header, INSTALLED) as made:
        yield made


class Cut(FloorClient):
    """A connection that fails before a question, or after it before the answer, as often as it is told."""

    before = 0
    after = 0

    def post(self, path: str, told: Any) -> dict[str, Any]:
        if self.before:
            self.before -= 1
            raise FloorUnreachable("cut before")
        answer = super().post(path, told)
        if self.after:
            self.after -= 1
            raise FloorUnreachable("cut after")
        return answer


class Joined:
    """A table that has joined, with Ann's purse of 100."""

    def __init__(self, served: ServedHouse, service: TableService, data_dir: Path) -> None:
        self.served, self.service, self.path = served, service, data_dir / FILE_NAME
        self.member = served.join(data_dir)
        self.purse = served.purse_of("Ann", 100)
        self.client = Cut(self.member.url, self.member.context())
        self.cashier = PurseCashier(service, self.client)
        self.follower: JournalShipper | None = None

    def follow(self) -> None:
        self.follower = JournalShipper(
            self.path, self.service, self.member.client(), "Table 1", on_link=self.cashier.settle_open
        ).start()

    def books(self) -> dict[str, int]:
        with psycopg.connect(self.served.cluster.dsn(APP, self.served.database), autocommit=True) as connection:
            assert list(find_problems(connection)) == []
            rows = connection.execute("SELECT kind, sum(coins)::int FROM floor.account GROUP BY kind").fetchall()
        return {kind: coins for kind, coins in rows if coins}

    def incidents(self) -> list[str]:
        with psycopg.connect(self.served.cluster.dsn(APP, self.served.database), autocommit=True) as connection:
            return [text for (text,) in connection.execute("SELECT text FROM floor.incident ORDER BY id").fetchall()]


@pytest.fixture
def joined(served: ServedHouse, service: TableService, tmp_path: Path) -> Iterator[Joined]:
    made = Joined(served, service, tmp_path / "table")
    yield made
    if made.follower is not None:
        made.follower.close()
    made.cashier.close()


def test_a_player_buys_in_plays_and_cashes_out(joined: Joined):
    joined.follow()
    joined.cashier.buy_in("Ann", joined.purse, 60)
    assert joined.service.ledger.balance("Ann") == 60
    until(lambda: joined.books() == {"bank": -100, "purse": 40, "table": 60})
    joined.cashier.cash_out("Ann", joined.purse)
    until(lambda: joined.books() == {"bank": -100, "purse": 100})
    assert joined.service.ledger.balance("Ann") == 0


def test_keys_of_two_tables_clients_name_two_transfers(joined: Joined):
    """A program at each table counts its keys: the floor would take the second cash-out for the first once more."""
    one, other = (PurseCashier(joined.service, joined.client, number=number) for number in (1, 2))
    names = [one.transfer_of("7f3a"), one.transfer_of("7f3b"), other.transfer_of("7f3a")]
    assert len({*names}) == 3
    assert names[0] == one.transfer_of("7f3a")
    assert all(len(name) == 32 and name.isalnum() for name in names)


def test_an_answer_that_is_lost_moves_nothing_and_says_so(joined: Joined):
    joined.client.after = 1
    with pytest.raises(NotOffered, match="nothing was moved"):
        joined.cashier.buy_in("Ann", joined.purse, 60)
    assert joined.books() == {"bank": -100, "purse": 40, "transit": 60}
    joined.follow()
    until(lambda: joined.books() == {"bank": -100, "purse": 100})
    assert joined.service.ledger.balance("Ann") == 0


def test_a_floor_that_makes_a_mistake_behind_the_purse_moves_nothing(joined: Joined, monkeypatch: pytest.MonkeyPatch):
    whole = joined.served.house.reserve

    def broken(*asked: Any) -> None:
        whole(*asked)
        raise RuntimeError("our own mistake")

    monkeypatch.setattr(joined.served.house, "reserve", broken)
    joined.follow()
    with pytest.raises(NotOffered, match="nothing was moved"):
        joined.cashier.buy_in("Ann", joined.purse, 60)
    until(lambda: joined.books() == {"bank": -100, "purse": 100})
    assert joined.service.ledger.balance("Ann") == 0


def test_a_buy_in_whose_answer_was_lost_is_told_again_by_a_table_that_is_cut_off(joined: Joined):
    taken = joined.cashier.buy_in("Ann", joined.purse, 60, "abcdefgh1")
    joined.client.before = 1
    assert joined.cashier.buy_in("Ann", joined.purse, 60, "abcdefgh1") == taken
    joined.client.before = 1
    with pytest.raises(KeyReused):
        joined.cashier.buy_in("Ann", joined.purse, 30, "abcdefgh1")
    assert joined.service.ledger.balance("Ann") == 60


def test_coins_that_a_player_may_not_bring_go_back_to_the_purse(joined: Joined):
    """They had left the purse when the table died, and what it does with them at its next start nobody waits for."""
    joined.service.set_settings(replace(joined.service.settings, most_brought=50))
    joined.client.post("/floor/v1/transfers", {"id": "abcdefgh1", "purse": joined.purse, "player": "Ann", "coins": 60})
    joined.follow()
    until(lambda: joined.books() == {"bank": -100, "purse": 100})
    assert joined.service.ledger.balance("Ann") == 0


def test_a_table_that_dies_between_the_two_sides_takes_the_coins_at_its_next_start(joined: Joined):
    told = {"id": "abcdefgh1", "purse": joined.purse, "player": "Ann", "coins": 60}
    joined.client.post("/floor/v1/transfers", told)
    joined.follow()
    until(lambda: joined.books() == {"bank": -100, "purse": 40, "table": 60})
    assert joined.service.ledger.balance("Ann") == 60


def test_who_sits_nowhere_gets_no_coins_and_the_purse_has_them_back(joined: Joined):
    joined.follow()
    with pytest.raises(UnknownPlayer):
        joined.cashier.buy_in("Zoe", joined.purse, 60)
    until(lambda: joined.books() == {"bank": -100, "purse": 100})


def test_the_dealer_sees_what_a_purse_holds_and_what_is_on_its_way(joined: Joined):
    joined.client.post("/floor/v1/transfers", {"id": "abcdefgh1", "purse": joined.purse, "player": "Ann", "coins": 60})
    on_its_way = {"id": "abcdefgh1", "kind": "buy-in", "coins": 60, "state": "reserved"}
    assert joined.cashier.purse(joined.purse) == {
        "purse": joined.purse, "player": "Ann", "coins": 40, "open": [on_its_way],
    }  # fmt: skip
    with pytest.raises(NotOffered, match="no purse 999"):
        joined.cashier.purse(999)
    joined.follow()
    until(lambda: joined.cashier.purse(joined.purse)["open"] == [])


@pytest.mark.thorough
def test_a_table_that_is_cut_off_knows_the_purses_that_it_knew(joined: Joined):
    known = joined.cashier.purses()
    assert known == {"purses": [{"purse": joined.purse, "player": "Ann"}]}
    joined.served.__exit__()
    told = joined.cashier.purses()
    assert told["purses"] == known["purses"]
    assert "cannot be asked now" in told["cut_off"]
    with pytest.raises(NotOffered, match="cannot be asked now"):
        joined.cashier.purse(joined.purse)


@contextmanager
def full_disk(joined: Joined, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the table write nothing down for a while."""

    def full(*_: object, **__: object) -> object:
        raise NotSaved("the disk is full")

    with monkeypatch.context() as disk:
        disk.setattr(joined.service, "submit", full)
        disk.setattr(joined.service, "decline", full)
        yield


def test_what_the_dealer_was_told_is_refused_does_not_come_later(joined: Joined, monkeypatch: pytest.MonkeyPatch):
    """The disk is full, and has room again a moment later: the player got no coins, and perhaps others instead."""
    with full_disk(joined, monkeypatch):
        with pytest.raises(NotSaved):
            joined.cashier.buy_in("Ann", joined.purse, 60)
        assert joined.books() == {"bank": -100, "purse": 40, "transit": 60}
        joined.cashier.settle_open()
        joined.cashier._asked_at -= 10
    joined.follow()
    until(lambda: joined.books() == {"bank": -100, "purse": 100})
    assert joined.service.ledger.balance("Ann") == 0


def test_what_the_dealer_was_told_is_refused_does_not_come_after_a_restart_either(
    joined: Joined, monkeypatch: pytest.MonkeyPatch
):
    """Whoever makes room on a full disk starts the table anew, which knows nothing of what it could not write down."""
    with full_disk(joined, monkeypatch), pytest.raises(NotSaved):
        joined.cashier.buy_in("Ann", joined.purse, 60, "abcdefgh1")
    assert joined.books() == {"bank": -100, "purse": 40, "transit": 60}
    joined.cashier = PurseCashier(joined.service, joined.client)
    joined.follow()
    until(lambda: joined.books() == {"bank": -100, "purse": 100})
    assert joined.service.ledger.balance("Ann") == 0


def test_what_the_dealer_was_told_is_refused_does_not_come_with_an_older_backup_either(joined: Joined, tmp_path: Path):
    """The refusal has not come to the floor, and the backup does not hold it: the player got no coins all the same."""
    joined.service.set_settings(replace(joined.service.settings, most_brought=50))
    backup = Path(shutil.copytree(joined.path.parent, tmp_path / "restored"))
    with pytest.raises(OverLimit):
        joined.cashier.buy_in("Ann", joined.purse, 60, "abcdefgh1")
    assert joined.books() == {"bank": -100, "purse": 40, "transit": 60}
    with TableService.open(backup / FILE_NAME, joined.service.header, INSTALLED) as service:
        restored = Joined.__new__(Joined)
        restored.served, restored.service, restored.path = joined.served, service, backup / FILE_NAME
        restored.member = joined.served.join(backup)
        restored.cashier = PurseCashier(service, restored.member.client())
        restored.follow()
        until(lambda: joined.books() == {"bank": -100, "purse": 100})
        assert service.ledger.balance("Ann") == 0
        assert restored.follower is not None
        restored.follower.close()
        restored.cashier.close()


def notices(service: TableService) -> list[str]:
    """What the dealer's log says beside the commands."""
    return [entry["record"]["text"] for entry in service.events(0, 1000, "dealer") if entry["kind"] == "notice"]


OPEN_AT_THE_START = (
    "Ann's buy-in of 60 coins from their purse was still open from before this table started, and was made now. If "
    "Ann never got these coins, cash Ann out to the purse, and buy in anew with what lies there."
)


def test_what_a_floor_that_was_away_could_not_remember_comes_with_an_older_backup_and_both_sides_are_told(
    joined: Joined, tmp_path: Path
):
    """The one case that nobody can know: the floor heard the question, but neither its answer nor the refusal came.

    The refusal went with the table's disk, and the backup is from before it. A table that had taken the coins, and lost
    that, would look the same: so it takes them, says so, and the pit has it on its list.
    """
    joined.follow()
    joined.cashier.buy_in("Ann", joined.purse, 10)
    until(lambda: joined.books() == {"bank": -100, "purse": 90, "table": 10})
    assert joined.follower is not None
    joined.follower.close()  # the network is cut
    backup = Path(shutil.copytree(joined.path.parent, tmp_path / "restored"))
    joined.client.after = 1
    with pytest.raises(NotOffered, match="nothing was moved"):
        joined.cashier.buy_in("Ann", joined.purse, 60, "abcdefgh1")
    assert joined.service.ledger.balance("Ann") == 10
    with TableService.open(backup / FILE_NAME, joined.service.header, INSTALLED) as service:
        restored = Joined.__new__(Joined)
        restored.served, restored.service, restored.path = joined.served, service, backup / FILE_NAME
        restored.member = joined.served.join(backup)
        restored.client = Cut(restored.member.url, restored.member.context())
        restored.cashier = PurseCashier(service, restored.client)
        restored.follow()
        until(lambda: joined.books() == {"bank": -100, "purse": 30, "table": 70})
        assert service.ledger.balance("Ann") == 70
        until(lambda: OPEN_AT_THE_START in notices(service))
        (incident,) = joined.incidents()
        assert incident.startswith("Entry ")
        assert incident.endswith(
            " takes 60 coins that were asked for before this table was restored. If Ann never got them, they belong "
            f"into purse {joined.purse}: have the table cash them out."
        )
        restored.cashier.cash_out("Ann", joined.purse)
        until(lambda: joined.books() == {"bank": -100, "purse": 100})
        assert restored.follower is not None
        restored.follower.close()
        restored.cashier.close()


def test_what_a_floor_that_was_away_could_not_remember_is_known_on_the_same_machine(joined: Joined, tmp_path: Path):
    """A restore of an older backup leaves in place what the floor has not heard; once it has, that is forgotten."""
    backup = Path(shutil.copytree(joined.path.parent, tmp_path / "restored"))
    joined.cashier = PurseCashier(joined.service, joined.client, data_dir=joined.path.parent)
    joined.client.after = 1
    with pytest.raises(NotOffered, match="nothing was moved"):
        joined.cashier.buy_in("Ann", joined.purse, 60, "abcdefgh1")
    left = shutil.copy(joined.path.parent / GIVEN_UP, backup / GIVEN_UP)
    with TableService.open(backup / FILE_NAME, joined.service.header, INSTALLED) as service:
        restored = Joined.__new__(Joined)
        restored.served, restored.service, restored.path = joined.served, service, backup / FILE_NAME
        restored.member = joined.served.join(backup)
        restored.cashier = PurseCashier(service, restored.member.client(), data_dir=backup)
        restored.follow()
        until(lambda: joined.books() == {"bank": -100, "purse": 100})
        assert service.ledger.balance("Ann") == 0
        until(lambda: Path(left).read_text() == "[]")
        assert joined.incidents() == []
        assert restored.follower is not None
        restored.follower.close()
        restored.cashier.close()


def test_a_buy_in_that_is_asked_for_again_is_given_up_no_more_after_a_restart_either(joined: Joined):
    joined.client.before = 1
    joined.cashier = PurseCashier(joined.service, joined.client, data_dir=joined.path.parent)
    with pytest.raises(NotOffered, match="nothing was moved"):
        joined.cashier.buy_in("Ann", joined.purse, 60, "abcdefgh1")
    assert "abcdefgh1" in CancelledTransfers(joined.path.parent / GIVEN_UP)
    with pytest.raises(NotOffered, match="given up before"):  # the journal says it, so it never will be
        joined.cashier.buy_in("Ann", joined.purse, 60, "abcdefgh1")
    joined.follow()
    until(lambda: joined.books() == {"bank": -100, "purse": 100})


@pytest.mark.parametrize("damaged", [b"", b"[", b"{}", b"5", b"\xff\xfe", b'[1, null, "abcdefgh1"]', b"[" * 100_000])
def test_a_damaged_list_of_what_was_given_up_stops_no_table(tmp_path: Path, damaged: bytes):
    (tmp_path / GIVEN_UP).write_bytes(damaged)
    given_up = CancelledTransfers(tmp_path / GIVEN_UP)
    given_up.keep("abcdefgh2")
    assert "abcdefgh2" in CancelledTransfers(tmp_path / GIVEN_UP)
    assert ("abcdefgh1" in given_up) == (b"abcdefgh1" in damaged)
    given_up.discard("abcdefgh2")
    assert "abcdefgh2" not in CancelledTransfers(tmp_path / GIVEN_UP)


def test_what_was_given_up_grows_without_end_on_no_disk_and_a_full_one_stops_nothing(tmp_path: Path):
    given_up = CancelledTransfers(tmp_path / GIVEN_UP)
    for number in range(MAX_KEPT + 5):
        given_up.keep(f"transfer{number}")
    again = CancelledTransfers(tmp_path / GIVEN_UP)
    assert "transfer4" not in again
    assert f"transfer{MAX_KEPT + 4}" in again
    lost = CancelledTransfers(tmp_path / "nowhere" / GIVEN_UP)
    lost.keep("abcdefgh1")
    assert "abcdefgh1" in lost


@pytest.mark.thorough
def test_only_a_buy_in_that_nobody_asked_for_since_the_start_is_named(joined: Joined):
    joined.follow()
    joined.cashier.buy_in("Ann", joined.purse, 10)
    until(lambda: joined.books() == {"bank": -100, "purse": 90, "table": 10})
    told = {"id": "abcdefgh1", "purse": joined.purse, "player": "Ann", "coins": 60}
    joined.client.post("/floor/v1/transfers", told)
    until(lambda: joined.books() == {"bank": -100, "purse": 30, "table": 70})
    joined.cashier.settle_open()
    until(lambda: OPEN_AT_THE_START in notices(joined.service))
    assert len(notices(joined.service)) == 1
    assert joined.incidents() == []


def test_a_buy_in_that_the_table_took_is_not_given_up_because_it_was_asked_for_once_more(
    joined: Joined,
):
    """Its answer was lost, and the second one came while the floor was away: the coins lie before the player."""
    taken = joined.cashier.buy_in("Ann", joined.purse, 60, "abcdefgh1")
    assert (
        joined.cashier._give_up({"id": "abcdefgh1", "purse": joined.purse, "player": "Ann", "coins": 60}, is_heard=True)
        == taken
    )
    with joined.served.house.connection() as connection:
        (asked,) = purse.open_transfers(connection, 1)
    assert not asked.is_given_up


def test_a_buy_in_that_was_given_up_and_is_asked_for_again_is_taken(joined: Joined, monkeypatch: pytest.MonkeyPatch):
    with full_disk(joined, monkeypatch), pytest.raises(NotSaved):
        joined.cashier.buy_in("Ann", joined.purse, 60, "abcdefgh1")
    joined.cashier.buy_in("Ann", joined.purse, 60, "abcdefgh1")
    joined.follow()
    until(lambda: joined.books() == {"bank": -100, "purse": 40, "table": 60})


def test_a_table_that_answers_too_late_is_not_said_to_have_moved_nothing(
    joined: Joined, monkeypatch: pytest.MonkeyPatch
):
    """It hangs in the midst of the buy-in: the dealer who was told that it was not played would buy in once more."""
    whole = joined.service.submit

    def late(*told: Any, **more: Any) -> None:
        whole(*told, **more)
        raise MayStillCount("the command may still count")

    def hangs(*_: object, **__: object) -> None:
        raise NoAnswer("it was not played")

    with monkeypatch.context() as table:
        table.setattr(joined.service, "submit", late)
        table.setattr(joined.service, "decline", hangs)
        with pytest.raises(MayStillCount):
            joined.cashier.buy_in("Ann", joined.purse, 60)
    joined.follow()
    until(lambda: joined.books() == {"bank": -100, "purse": 40, "table": 60})
    assert joined.service.ledger.balance("Ann") == 60


def test_a_buy_in_that_was_given_up_is_said_to_be_also_before_the_floor_has_heard_it(joined: Joined):
    joined.client.before = 1
    with pytest.raises(NotOffered, match="nothing was moved"):
        joined.cashier.buy_in("Ann", joined.purse, 60, "abcdefgh1")
    with pytest.raises(NotOffered, match="given up before, so nothing was moved"):
        joined.cashier.buy_in("Ann", joined.purse, 60, "abcdefgh1")
    joined.follow()
    until(lambda: joined.books() == {"bank": -100, "purse": 100})
    assert joined.service.ledger.balance("Ann") == 0


def test_more_than_a_desk_would_sell_arrives_all_the_same(joined: Joined):
    """A table takes more coins over its counter; they must not be gone from it and nowhere else."""
    joined.follow()
    joined.service.submit({"do": "buy-in", "player": "Bo", "coins": 10**15 - 10}, source="dealer")
    joined.cashier.cash_out("Bo", joined.purse)
    until(lambda: joined.cashier.purse(joined.purse)["coins"] == 100 + 10**15)
    assert joined.service.ledger.balance("Bo") == 0


def test_the_pit_sees_where_a_purses_coins_went(joined: Joined):
    joined.follow()
    joined.cashier.buy_in("Ann", joined.purse, 60)
    joined.cashier.cash_out("Ann", joined.purse)
    until(lambda: joined.books() == {"bank": -100, "purse": 100})
    moved = [(one.coins, one.other, one.why) for one in joined.served.house.cashier.movements(joined.purse)]
    assert moved == [(60, "Table 1", "cash-out"), (-60, "transit", "buy-in"), (100, "bank", "desk")]


def test_more_than_the_purse_holds_is_refused_in_the_floors_words(joined: Joined):
    with pytest.raises(NotOffered, match="There are not 101 coins in that purse") as refused:
        joined.cashier.buy_in("Ann", joined.purse, 101)
    german = Translator(INSTALLED.packages)(refused.value.message, "de")
    assert german == "So viele Münzen sind nicht in diesem Geldbeutel: 101."
    assert joined.books() == {"bank": -100, "purse": 100}


def test_a_table_that_is_cut_off_plays_on_cashes_out_and_says_what_it_cannot_do(joined: Joined):
    joined.follow()
    joined.cashier.buy_in("Ann", joined.purse, 60)
    until(lambda: joined.books().get("table") == 60)
    joined.served.__exit__()
    joined.service.submit({"do": "bet", "player": "Ann", "on": "cut/6", "amount": 10}, source="dealer")
    joined.service.submit({"do": "take-back", "player": "Ann", "on": "cut/6"}, source="dealer")
    with pytest.raises(NotOffered, match="cannot be asked now"):
        joined.cashier.buy_in("Ann", joined.purse, 10)
    joined.cashier.cash_out("Ann", joined.purse)
    assert joined.service.ledger.balance("Ann") == 0
    with ServedHouse(joined.served.cluster, joined.served.database, joined.served.folder, joined.served.port):
        until(lambda: joined.books() == {"bank": -100, "purse": 100})


def test_coins_of_the_house_are_not_undone_at_one_table_alone(joined: Joined):
    joined.cashier.buy_in("Ann", joined.purse, 60)
    with pytest.raises(WrongPhase, match="house has booked that"):
        joined.service.submit({"do": "undo"}, source="dealer")
    joined.service.submit({"do": "bet", "player": "Ann", "on": "cut/6", "amount": 10}, source="dealer")
    joined.service.submit({"do": "undo"}, source="dealer")
    assert joined.service.ledger.balance("Ann") == 60


@pytest.mark.parametrize(
    ("source", "key"), [("dealer", "transfer/abcdefgh1"), ("floor", None), ("floor", "transfer/other")]
)
def test_nobody_else_moves_the_houses_coins(service: TableService, source: str, key: str | None):
    record = {"do": "buy-in", "player": "Ann", "coins": 5, "transfer": "abcdefgh1", "purse": 1}
    with pytest.raises(BadScript, match="Only the house's floor"):
        service.submit(record, source=source, key=key)
    assert service.ledger.balance("Ann") == 0
