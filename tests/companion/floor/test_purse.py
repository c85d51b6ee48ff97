"""Coins between purses and tables: each transfer happens on both sides or on neither, whatever is cut."""

import itertools
import random
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from floor_house import Chain, House, Seat
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.floor import purse
from companion.floor.check import find_problems
from companion.floor.errors import PurseError
from companion.floor.purse import Transfer

_IDS = itertools.count(10_000_000)


def bought_in(chain: Chain, asked: Transfer) -> None:
    record = {"do": "buy-in", "player": asked.player, "coins": asked.coins, "transfer": asked.id, "purse": asked.purse}
    events = [{"event": "BoughtIn", "player": asked.player, "coins": asked.coins}]
    chain.add(record, key=f"transfer/{asked.id}", events=events)


def cashed_out(chain: Chain, transfer: str, number: int, player: str, coins: int) -> None:
    record = {"do": "cash-out", "player": player, "transfer": transfer, "purse": number}
    chain.add(record, key=f"transfer/{transfer}", events=[{"event": "CashedOut", "player": player, "coins": coins}])


def refused(chain: Chain, asked: Transfer) -> None:
    told = {"transfer": asked.id, "purse": asked.purse, "player": asked.player, "coins": asked.coins}
    chain.add({"text": "No.", "data": {"refused": told}}, kind="notice", key=f"transfer/{asked.id}")


def asked_for(seat: Seat, number: int, coins: int, player: str = "Ann") -> Transfer:
    return Transfer(str(next(_IDS)), "buy-in", seat.who.table_id, number, player, coins, "reserved")


def purse_with(house: House, coins: int, player: str = "Ann") -> int:
    number = purse.open_purse(house.connection, player)
    purse.sell(house.connection, number, coins, "desk", str(next(_IDS)))
    return number


def balances(house: House) -> dict[str, int]:
    rows = house.connection.execute("SELECT kind, sum(coins)::int FROM floor.account GROUP BY kind").fetchall()
    return {kind: coins for kind, coins in rows if coins}


def is_right(house: House) -> bool:
    assert list(find_problems(house.connection)) == []
    return True


@pytest.fixture
def seat(house: House) -> Seat:
    return house.begun(Chain().play(2))


def test_a_buy_in_leaves_the_purse_at_once_and_reaches_the_table_by_its_journal(house: House, seat: Seat):
    number = purse_with(house, 100)
    asked = asked_for(seat, number, 60)
    assert purse.reserve(house.connection, asked, "Table 1").state == "reserved"
    assert balances(house) == {"bank": -100, "purse": 40, "transit": 60}
    bought_in(seat.chain, asked)
    seat.ship()
    assert balances(house) == {"bank": -100, "purse": 40, "table": 60}
    assert purse.find(house.connection, asked.id).state == "settled"
    assert is_right(house)


def test_asked_twice_it_moves_once(house: House, seat: Seat):
    number = purse_with(house, 100)
    asked = asked_for(seat, number, 60)
    for _ in range(3):
        purse.reserve(house.connection, asked, "Table 1")
    bought_in(seat.chain, asked)
    seat.ship()
    seat.ship()
    assert purse.reserve(house.connection, asked, "Table 1").state == "settled"
    assert balances(house) == {"bank": -100, "purse": 40, "table": 60}


def test_one_id_is_one_transfer(house: House, seat: Seat):
    asked = asked_for(seat, purse_with(house, 100), 60)
    purse.reserve(house.connection, asked, "Table 1")
    with pytest.raises(PurseError) as refusal:
        purse.reserve(house.connection, replace(asked, coins=10), "Table 1")
    assert refusal.value.code == "key-reused"
    assert balances(house)["transit"] == 60


def test_nobody_buys_in_for_more_than_the_purse_holds(house: House, seat: Seat):
    asked = asked_for(seat, purse_with(house, 100), 101)
    with pytest.raises(PurseError, match="There are not 101 coins in that purse"):
        purse.reserve(house.connection, asked, "Table 1")
    assert purse.find(house.connection, asked.id) is None
    assert balances(house) == {"bank": -100, "purse": 100}
    with pytest.raises(PurseError, match="no purse 999"):
        purse.reserve(house.connection, replace(asked, purse=999), "Table 1")


@pytest.mark.parametrize("coins", [0, -5, 10**13, True, 1.5])
def test_what_is_no_number_of_coins_is_refused(house: House, seat: Seat, coins: Any):
    number = purse_with(house, 100)
    with pytest.raises(PurseError, match="whole number"):
        purse.reserve(house.connection, asked_for(seat, number, coins), "Table 1")
    if coins != -5:
        with pytest.raises(PurseError, match="whole number"):
            purse.sell(house.connection, number, coins, "desk", "key")


def test_a_refusal_brings_the_coins_back(house: House, seat: Seat):
    asked = asked_for(seat, purse_with(house, 100), 60)
    purse.reserve(house.connection, asked, "Table 1")
    refused(seat.chain, asked)
    seat.ship()
    assert balances(house) == {"bank": -100, "purse": 100}
    assert purse.reserve(house.connection, asked, "Table 1").state == "cancelled"
    assert is_right(house)


def test_a_question_that_arrives_after_its_refusal_moves_nothing(house: House, seat: Seat):
    """The table gave up waiting and wrote that down; the floor reads that first."""
    asked = asked_for(seat, purse_with(house, 100), 60)
    refused(seat.chain, asked)
    seat.ship()
    assert purse.reserve(house.connection, asked, "Table 1").state == "cancelled"
    assert balances(house) == {"bank": -100, "purse": 100}


def test_a_cash_out_reaches_the_purse_by_the_journal(house: House, seat: Seat):
    number = purse_with(house, 100)
    asked = asked_for(seat, number, 60)
    purse.reserve(house.connection, asked, "Table 1")
    bought_in(seat.chain, asked)
    cashed_out(seat.chain, "cashout-1", number, "Ann", 75)
    seat.ship()
    seat.ship()
    assert balances(house) == {"bank": -100, "purse": 115, "table": -15}, "15 coins were won from the table's own bank"
    assert is_right(house)


@pytest.mark.parametrize("typed", ["Rene\u0301 Bo", "rené bo", " René   Bo "])
def test_a_player_has_one_purse_however_the_name_is_typed(house: House, typed: str):
    """A table takes these for one name, and no page shows them apart: coins of a second purse would be lost to all."""
    number = purse_with(house, 100, "René Bo")
    assert purse.open_purse(house.connection, typed) == number


@pytest.mark.parametrize("name", ["", "  ", "B\u2800o", "Bo\ufe0f", "a" * 41])
def test_a_purse_has_a_name_with_which_its_player_can_sit_down(house: House, name: str):
    with pytest.raises(PurseError) as refusal:
        purse.open_purse(house.connection, name)
    assert refusal.value.code == "bad-name"


def test_a_buy_in_that_a_table_gave_up_is_remembered_for_it_alone_and_moves_nothing(house: House, seat: Seat):
    number = purse_with(house, 100)
    asked, other = asked_for(seat, number, 60), house.begun(Chain("b" * 32).play(1), "Table 2")
    purse.reserve(house.connection, asked, "Table 1")
    purse.give_up(house.connection, other.who.table_id, asked.id)
    assert purse.find(house.connection, asked.id) == asked, "another table gives up nothing"
    purse.give_up(house.connection, seat.who.table_id, asked.id)
    (found,) = purse.open_transfers(house.connection, seat.who.table_id)
    assert found == replace(asked, is_given_up=True)
    assert found.to_json()["given_up"] is True
    assert balances(house) == {"bank": -100, "purse": 40, "transit": 60}
    assert not purse.reserve(house.connection, asked, "Table 1").is_given_up, "asked for again it is wanted again"
    assert purse.open_transfers(house.connection, seat.who.table_id) == [asked]


def test_a_buy_in_that_was_taken_after_all_is_taken_again_by_a_restored_table(house: House, seat: Seat):
    """Its dealer was told that it never will be; but it was, and the player has the coins in front of them."""
    asked = asked_for(seat, purse_with(house, 100), 60)
    purse.reserve(house.connection, asked, "Table 1")
    purse.give_up(house.connection, seat.who.table_id, asked.id)
    bought_in(seat.chain, asked)
    seat.ship()
    house.begun(seat.chain.copy(2), fork=2)
    assert purse.open_transfers(house.connection, seat.who.table_id) == [asked]


def test_coins_that_the_house_did_not_give_are_named_and_owed(house: House, seat: Seat):
    bought_in(seat.chain, asked_for(seat, purse_with(house, 100), 60))
    answer = seat.ship()
    assert balances(house) == {"bank": -100, "purse": 100, "owed": -60, "table": 60}
    assert house.incidents() == [("transfer", 3, 3)]
    assert answer.head.seq == 3
    assert is_right(house)


def test_a_cash_out_to_a_purse_that_is_not_there_is_kept_and_named(house: House, seat: Seat):
    cashed_out(seat.chain, "cashout-1", 4711, "Ann", 75)
    seat.ship()
    assert balances(house) == {"unclaimed": 75, "table": -75}
    assert house.incidents() == [("transfer", 3, 3)]


def test_a_restored_table_takes_lost_buy_ins_again_and_owes_lost_cash_outs(house: House, seat: Seat):
    number = purse_with(house, 100)
    first, second = asked_for(seat, number, 30), asked_for(seat, number, 20)
    for asked in (first, second):
        purse.reserve(house.connection, asked, "Table 1")
    bought_in(seat.chain, first)
    old = seat.chain.copy()
    bought_in(seat.chain, second)
    cashed_out(seat.chain, "cashout-1", number, "Ann", 50)
    seat.ship()
    assert balances(house) == {"bank": -100, "purse": 100}
    again = house.begun(old, fork=3)
    assert balances(house) == {"bank": -100, "purse": 100, "transit": 20, "owed": -50, "table": 30}
    assert is_right(house)
    assert [(one.id, one.state) for one in purse.open_transfers(house.connection, 1)] == [
        (second.id, "reserved"),
        ("cashout-1", "owed"),
    ]
    bought_in(old, second)
    cashed_out(old, "cashout-1", number, "Ann", 50)
    again.ship(4)
    assert balances(house) == {"bank": -100, "purse": 100}
    assert purse.open_transfers(house.connection, 1) == []
    assert is_right(house)


def test_a_restored_table_takes_nothing_along_of_lost_entries_that_did_not_fit(house: House, seat: Seat):
    bought_in(seat.chain, asked_for(seat, purse_with(house, 100), 60))  # the house did not give them
    cashed_out(seat.chain, "cashout-1", 4711, "Ann", 75)  # nobody's purse
    seat.ship()
    assert is_right(house)
    house.begun(seat.chain.copy(2), fork=2)
    assert balances(house) == {"bank": -100, "purse": 100}
    assert is_right(house)


@pytest.mark.parametrize("fork", [0, 3, 4])
def test_a_machine_that_comes_back_after_a_spare_one_has_its_coins_once(house: House, seat: Seat, fork: int):
    """The first machine was mended while another one with a journal of its own was this table."""
    number = purse_with(house, 100)
    asked = asked_for(seat, number, 60)
    purse.reserve(house.connection, asked, "Table 1")
    bought_in(seat.chain, asked)
    cashed_out(seat.chain, "cashout-1", number, "Ann", 20)
    seat.ship()
    at_table = {"bank": -100, "purse": 60, "table": 40}
    spare = house.begun(Chain("b" * 32).play(1))
    spare.ship()
    back = house.begun(seat.chain, fork=fork)
    assert is_right(house)
    back.ship(fork + 1)
    assert balances(house) == at_table
    assert house.incidents() == ([("restored", fork + 1, 4)] if fork < 4 else [])
    assert purse.open_transfers(house.connection, 1) == []
    assert is_right(house)


def test_a_desk_payment_is_done_once(house: House):
    number = purse.open_purse(house.connection, "Ann")
    for _ in range(2):
        assert purse.sell(house.connection, number, 100, "Pit", "payment-1") == 100
    with pytest.raises(PurseError, match="There are not 101 coins"):
        purse.sell(house.connection, number, -101, "Pit", "payment-2")
    with pytest.raises(PurseError, match="other coins"):
        purse.sell(house.connection, number, 50, "Pit", "payment-1")
    assert purse.sell(house.connection, number, -100, "Pit", "payment-3") == 0


def test_the_checker_sees_what_somebody_with_all_rights_has_changed(house: House, seat: Seat, cluster, database):
    asked = asked_for(seat, purse_with(house, 100), 60)
    purse.reserve(house.connection, asked, "Table 1")
    bought_in(seat.chain, asked)
    seat.ship(statement=seat.chain.statement())
    assert is_right(house)
    with psycopg.connect(cluster.dsn("floor_owner", database), autocommit=True) as owner:
        for change, back, named in (
            ("UPDATE floor.account SET coins = 41 WHERE kind = 'purse'", "UPDATE floor.account SET coins = 40 "
             "WHERE kind = 'purse'", "its postings say 40"),
            ("UPDATE floor.entry SET source = 'x' WHERE seq = 2", "UPDATE floor.entry SET source = 'dealer' "
             "WHERE seq = 2", "its contents were altered"),
            ("UPDATE floor.head SET seq = 2", "UPDATE floor.head SET seq = 3", "not the end of its chain"),
        ):  # fmt: skip
            owner.execute(change)
            assert any(named in what for what in find_problems(house.connection)), named
            owner.execute(back)
            assert is_right(house)


@pytest.mark.thorough
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_coins_stay_what_they_are_however_everything_is_cut(house: House, seed: int):
    """As `wander` says."""
    wander(house, seed)


@pytest.mark.thorough
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_coins_stay_what_they_are_over_and_over(house: House, seed: int):
    """As `wander` says."""
    wander(house, seed)


def wander(house: House, seed: int) -> None:
    """Players move between two tables. At any step a message is lost on its way there or back, comes twice, the floor
    starts again, or a table is restored from a backup that it made at any time. Coins over purses, tables and house
    are constant all the time, and in the end nothing is on its way."""
    rng = random.Random(seed)
    run = next(_IDS)
    player = f"Ann {run}"
    number = purse_with(house, 500, player)
    names = [f"{run} {side}" for side in ("left", "right")]
    seats = [house.begun(Chain(name.ljust(32, "x")).play(1), name) for name in names]
    backups: list[list[int]] = [[1], [1]]
    wanted: list[tuple[int, Transfer]] = []
    for _ in range(rng.randint(10, 40)):
        side = rng.randrange(2)
        seat = seats[side]
        step = rng.choice(
            ["ask", "ask", "take", "take", "refuse", "cash-out", "ship", "ship", "restart", "restore", "backup"]
        )
        if step == "ask":
            asked = asked_for(seat, number, rng.randint(1, 200), player)
            wanted.append((side, asked))
            if rng.random() < 0.8:  # else it is lost on its way there
                _try_to_reserve(house, asked)
        elif step in ("take", "refuse") and wanted:
            side, asked = wanted[rng.randrange(len(wanted))]
            _decide(house, seats[side], asked, takes=step == "take")
        elif step == "cash-out":
            coins = held_at(seat.chain)
            if coins > 0:
                cashed_out(seat.chain, str(next(_IDS)), number, player, rng.randint(1, coins))
        elif step == "ship":
            _ship(seat, rng)
        elif step == "restart":
            house.restart()
        elif step == "backup":
            backups[side].append(len(seat.chain.entries))
        elif step == "restore" and rng.random() < 0.5:
            seats[side] = _restore(house, seat, names[side], rng.choice(backups[side]))
            backups[side] = [one for one in backups[side] if one <= len(seats[side].chain.entries)]
        assert rng.random() < 0.7 or is_right(house)
    for side, seat in enumerate(seats):
        for one in purse.open_transfers(house.connection, seat.who.table_id):
            if one.state == "owed":
                cashed_out(seat.chain, one.id, one.purse, one.player, one.coins)
            else:
                _decide(house, seat, one, takes=bool(side))
        _ship(seat, rng, whole=True)
        assert purse.open_transfers(house.connection, seat.who.table_id) == []
        assert house.stored_all(seat.who.table_id) == seat.chain.entries
    assert is_right(house)
    at_tables = sum(held_at(seat.chain) for seat in seats)
    (held,) = house.connection.execute("SELECT coins FROM floor.account WHERE id = %s", (number,)).fetchone()
    ids = [seat.who.table_id for seat in seats]
    query = "SELECT coalesce(sum(coins), 0)::int FROM floor.account WHERE kind = 'owed' AND table_id = ANY (%s)"
    (owed,) = house.connection.execute(query, (ids,)).fetchone()
    assert held + at_tables + owed == 500
    assert owed == 0


def _try_to_reserve(house: House, asked: Transfer) -> str | None:
    try:
        return purse.reserve(house.connection, asked, "table").state
    except PurseError:
        return None


def _decide(house: House, seat: Seat, asked: Transfer, *, takes: bool) -> None:
    """Do what a table does: ask again, and then write down once what comes of it."""
    key = f"transfer/{asked.id}"
    if any(entry.key == key for entry in seat.chain.entries):
        return
    state = _try_to_reserve(house, asked)
    if state == "reserved" and takes:
        bought_in(seat.chain, asked)
    elif state == "reserved":
        refused(seat.chain, asked)


def _ship(seat: Seat, rng: random.Random, *, whole: bool = False) -> None:
    first = seat.house.known(seat.who.table_id).seq + 1
    last = len(seat.chain.entries) if whole else rng.randint(first - 1, len(seat.chain.entries))
    batch = seat.batch(seat.chain.entries[max(0, first - 1 - rng.randint(0, 2)) : last])
    for _ in range(rng.randint(1, 2)):
        seat.send(batch)


def _restore(house: House, seat: Seat, name: str, upto: int) -> Seat:
    chain = seat.chain.copy(upto)
    return house.begun(chain, name, fork=min(upto, house.known(seat.who.table_id).seq))


def held_at(chain: Chain) -> int:
    moved = [purse.moved_by(entry) for entry in chain.entries]
    found = [one for one in moved if one is not None and not one.is_refused]
    return sum(one.coins if one.kind == "buy-in" else -one.coins for one in found)
