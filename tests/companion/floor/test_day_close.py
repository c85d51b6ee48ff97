"""Day closes over a real database: what they say, that it is zero-sum with the books, and that nobody changes it."""

from dataclasses import replace

import psycopg
import pytest
from floor_house import Chain, House, Seat, lost, start

from companion.floor import purse
from companion.floor.check import find_problems
from companion.floor.cluster import OWNER, Cluster
from companion.floor.overview.day_close import DayClose, close_day, closes, mark_of
from companion.floor.purse import Transfer
from companion.locale import Translator


def from_purse(house: House, chain: Chain, number: int, coins: int, transfer: str = "t" * 8) -> None:
    purse.reserve(house.connection, Transfer(transfer, "buy-in", 1, number, "Ann", coins, "reserved"), "Table 1")
    record = {"do": "buy-in", "player": "Ann", "coins": coins, "transfer": transfer, "purse": number}
    events = [
        {"event": "BoughtIn", "player": "Ann", "coins": coins},
        {"event": "Transfer", "payer": "cage", "payee": "player/Ann", "coins": coins, "why": "buy-in"},
    ]
    chain.add(record, key=f"transfer/{transfer}", events=events)


def closed(house: House) -> DayClose:
    return close_day(house.connection, "Olga", house.floor_signer)


def played(house: House) -> tuple[int, Chain, Seat]:
    """Ann has a purse of 500 and brought 40 of it to a table with 100 coins, where 10 were lost to the house."""
    number = purse.open_purse(house.connection, "Ann")
    purse.sell(house.connection, number, 500, "Pia", "key")
    chain = Chain()
    start(chain, 100)
    seat = house.begun(chain)
    from_purse(house, chain, number, 40)
    lost(chain, 10)
    seat.ship()
    return number, chain, seat


def test_two_closes_each_say_what_came_since_the_one_before(house: House):
    number, chain, seat = played(house)
    first = closed(house).content
    assert first["wrong"] == []
    (table,) = first["tables"]
    assert (table["at_start"], table["at_end"], table["win"]) == (0, 130, 10)
    assert table["takings"]["bought"] == first["house"]["bought"] == 140
    assert (first["books"]["sold"], first["books"]["paid_out"]) == (500, 0)
    assert first["books"]["balances"]["purse"] == 460
    lost(chain, 7)
    seat.ship(4)
    purse.sell(house.connection, number, -60, "Pia", "other")
    second = closed(house)
    (table,) = second.content["tables"]
    assert (table["at_start"], table["at_end"], table["takings"]["wins"]) == (130, 123, {"roulette": 7})
    assert (second.content["books"]["sold"], second.content["books"]["paid_out"]) == (0, 60)
    assert second.content["previous"] == closes(house.connection)[1].hash
    assert (second.content["wrong"], second.content["from"]) == ([], first["to"])
    assert mark_of(house.connection, 1) == (1, 4)


def test_a_restored_backup_is_taken_off_at_the_next_close_and_fits_the_books(house: House):
    _, chain, _ = played(house)
    closed(house)
    house.begun(chain.copy(1), fork=1)
    (table,) = (told := closed(house).content)["tables"]
    assert (table["at_start"], table["at_end"], table["win"]) == (130, 100, -10)
    assert table["takings"]["from_purses"] == -40
    assert told["wrong"] == []


def test_coins_that_the_books_do_not_have_are_named(house: House):
    chain = Chain()
    start(chain, 100)
    seat = house.begun(chain)
    seat.ship()
    house.connection.execute("INSERT INTO floor.account (kind, name, table_id) VALUES ('table', '1/1', 1)")
    house.connection.execute(
        "INSERT INTO floor.posting (payer, payee, coins, why, who) SELECT b.id, t.id, 9, 'x', 'x' "
        "FROM floor.account b, floor.account t WHERE b.kind = 'bank' AND t.kind = 'table'"
    )
    made = closed(house)
    (wrong,) = made.content["wrong"]
    assert wrong == "Table 1: the chain brings 0 coins from purses, the books 9."
    german = "Table 1: Die Kette bringt 0 Münzen aus Geldbeuteln, die Bücher 9."
    assert Translator(())(wrong, "de") == german, "it is kept so that each reader has it in their language"
    assert made.is_signed


def test_a_close_is_signed_and_nobody_changes_or_removes_it(house: House):
    close = closed(house)
    assert close.is_signed
    assert close.public == house.floor_signer.public
    assert not replace(close, body=close.body.replace("Olga", "Otto")).is_signed
    assert not replace(close, signature="no hex").is_signed
    for statement in ("UPDATE floor.day_close SET who = 'x'", "DELETE FROM floor.day_close"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            house.connection.execute(statement)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE floor.day_close SET body = replace(body, 'Olga', 'Otto') WHERE number = 2", "2 is not signed"),
        ("DELETE FROM floor.day_close WHERE number = 2", "2 is missing"),
        (
            "UPDATE floor.day_close a SET body = b.body, signature = b.signature FROM floor.day_close b "
            "WHERE a.number = 2 AND b.number = 3",
            "2 does not follow",
        ),
    ],
)
def test_the_check_names_a_close_that_the_databases_owner_has_tampered_with(
    house: House, cluster: Cluster, database: str, statement: str, said: str
):
    for _ in range(3):
        closed(house)
    assert list(find_problems(house.connection)) == []
    with psycopg.connect(cluster.dsn(OWNER, database), autocommit=True) as owner:
        owner.execute(statement)
    assert f"day close {said}" in " ".join(find_problems(house.connection))


def test_a_spare_machine_and_the_mended_one_that_comes_back_fit_into_the_closes(house: House):
    _, chain, _ = played(house)
    closed(house)
    spare = Chain("b" * 32)
    start(spare, 10)
    house.begun(spare).ship()
    (table,) = closed(house).content["tables"]
    assert (table["at_start"], table["at_end"], table["takings"]["recounted"]) == (130, 10, -130)
    lost(chain, 7)
    house.begun(chain, fork=3).ship(4)
    last = closed(house).content
    (table,) = last["tables"]
    assert (table["at_start"], table["at_end"], table["win"]) == (10, 123, 7)
    assert last["wrong"] == []
    assert list(find_problems(house.connection)) == []
