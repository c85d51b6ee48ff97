"""What the coins of a journal come to, held against the table's own books."""

import dataclasses
import json
from pathlib import Path

import pytest
from floor_house import Chain, House, lost, start

from companion.floor.overview.journal_ranges import BEGINNING, Mark, changed_since, takings_at
from companion.floor.overview.takings import Takings, TakingsCounter
from companion.journal.store import JournalReader
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header


def taken(path: Path) -> Takings:
    return TakingsCounter().add_all(JournalReader.open(path).entries(0, 1000)).total


def lying(service: TableService) -> int:
    view = service.glance()
    in_front = sum(one["coins"] for one in view["players"])
    return int(in_front + view["staked"] + sum(view["pots"].values()))


def test_an_evening_over_two_games_comes_to_what_the_tables_books_say(tmp_path: Path):
    path = tmp_path / "journal.db"
    with TableService.open(path, new_header("roulette", (("Ann", 0), ("Bo", 10))), INSTALLED) as service:

        def do(verb: str, **record: object) -> None:
            service.submit({"do": verb, **record}, source="dealer")

        do("buy-in", player="Ann", coins=50)
        service.submit({"do": "buy-in", "player": "Ann", "coins": 7, "transfer": "t" * 8, "purse": 1}, source="floor",
                       key="transfer/tttttttt")  # fmt: skip
        do("bet", player="Ann", on="red", amount=5)
        do("bet", player="Bo", on="straight/3", amount=5)
        do("no-more-bets")
        do("spin", pocket="4")
        assert taken(path) == Takings(67, 7, 0, 0, 0, 57, {"roulette": 10})
        do("undo")
        assert taken(path).win == 0
        do("redo")
        assert taken(path).win == service.glance()["house"] == 10
        do("recount", player="Bo", coins=8, reason="one was below the table")
        do("bet", player="Bo", on="black", amount=2)
        assert taken(path) == Takings(67, 7, 0, 0, 3, lying(service), {"roulette": 10})
        do("take-back", player="Bo", on="black")
        service.change_game(new_header("blackjack"), source="dealer")
        assert service.glance()["game"] == "blackjack"
        do("cash-out", player="Bo")
        assert taken(path) == Takings(67, 7, 8, 0, 3, lying(service), {"roulette": 10})
        assert lying(service) == 67 + 3 - 8 - 10


def test_a_damaged_entry_counts_for_nothing_and_stops_nothing():
    chain = Chain()
    start(chain, 100)
    chain.add({"do": "undo"})
    chain.add({"do": "x"}, events=[{"event": "Transfer", "payer": "nobody/at all", "payee": "house", "coins": 5}])
    lost(chain, 10)
    till = TakingsCounter().add_all(chain.entries)
    assert till.total == Takings(bought=100, lying=90, wins={"roulette": 10})
    assert till.unreadable == 2


def since(house: House, mark: Mark, table_id: int = 1) -> Takings:
    known = house.known(table_id)
    parts = changed_since(house.connection, table_id, mark)
    now = takings_at(house.connection, table_id, parts, Mark(known.epoch, known.seq))
    return now - takings_at(house.connection, table_id, parts, mark)


def test_takings_since_a_mark_leave_out_what_was_before_it(house: House):
    chain = Chain()
    start(chain, 100)
    lost(chain, 10)
    house.begun(chain).ship()
    mark = Mark(1, 2)
    assert since(house, BEGINNING) == Takings(bought=100, lying=90, wins={"roulette": 10})
    assert since(house, mark) == Takings()
    lost(chain, 7)
    start(chain, 83, continues=1)
    lost(chain, 3)
    house.begun(chain, fork=2).ship()
    assert since(house, mark) == Takings(lying=-10, wins={"roulette": 10})


def test_what_an_old_backup_took_away_is_taken_off_again(house: House):
    chain = Chain()
    start(chain, 100)
    for coins in (10, 20, 30):
        lost(chain, coins)
    house.begun(chain).ship()
    restored = chain.copy(2)
    lost(restored, 5)
    house.begun(restored, fork=2).ship()
    assert since(house, Mark(1, 4)) == Takings(lying=45, wins={"roulette": -45})
    assert since(house, BEGINNING) == Takings(bought=100, lying=85, wins={"roulette": 15})


def test_a_table_with_a_new_journal_begins_anew_and_the_old_ones_coins_lie_there_no_more(house: House):
    chain, other = Chain(), Chain("b" * 32)
    start(chain, 100)
    lost(chain, 10)
    house.begun(chain).ship()
    start(other, 60)
    house.begun(other).ship()
    assert since(house, Mark(1, 2)) == Takings(bought=60, recounted=-90, lying=-30)
    assert since(house, BEGINNING) == Takings(bought=160, recounted=-90, lying=60, wins={"roulette": 10})


@pytest.mark.parametrize("takings", [Takings(), Takings(1, 2, 3, 4, 5, 6, {"a": 7})])
def test_takings_come_back_from_json(takings: Takings):
    assert Takings.from_json(json.loads(json.dumps(takings.to_json()))) == takings
    assert takings - takings == Takings()
    assert dataclasses.replace(takings, wins={}).win == 0
