"""Results and expectations worked out from the chains, held against the table's own statistics and books."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from floor_house import Chain, House, Seat
from psycopg import Connection

from companion.floor.check import find_problems
from companion.floor.cluster import OWNER, Cluster
from companion.floor.desk.duty import Roster
from companion.floor.errors import FloorError
from companion.floor.overview.day_close import close_day, evaluated_at_close, last_number, totals
from companion.floor.overview.journal_ranges import BEGINNING, Mark
from companion.floor.overview.takings import TakingsCounter
from companion.floor.people import set_person
from companion.floor.reports.evaluator import Evaluator, SinceClose, evaluated_to, expected_since
from companion.floor.reports.expectation import NOTHING, Expected, expected_json
from companion.floor.reports.results_process import ResultsProcess
from companion.journal.hash_chain import entry_hash
from companion.journal.store import JournalReader
from companion.service.table_service import TableService
from companion.statistics.bet_book import BetBook
from companion.statistics.luck import of_house
from companion.testing import INSTALLED, new_header

PLAYERS = (("Ann", 100), ("Bo", 100))


def play(service: TableService) -> None:
    """Three rounds of roulette, the second of them undone and played otherwise; then blackjack for a moment."""

    def do(verb: str, **record: object) -> None:
        service.submit({"do": verb, **record}, source="dealer")

    for number, pocket in enumerate(("4", "17", "0")):
        do("bet", player="Ann", on="red", amount=5)
        do("bet", player="Bo", on="straight/17", amount=2)
        do("no-more-bets")
        do("spin", pocket=pocket)
        if number == 1:
            do("undo")
            do("spin", pocket="18")
    service.notice("Dan signs on.", source="dealer", data={"duty": {"dealer": "Dan"}})
    do("bet", player="Ann", on="red", amount=5)
    do("no-more-bets")
    do("spin", pocket="3")
    service.change_game(new_header("blackjack"), source="dealer")
    do("cash-out", player="Bo")


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[TableService]:
    with TableService.open(tmp_path / "journal.db", new_header("roulette", PLAYERS), INSTALLED) as service:
        play(service)
        yield service


def shipped(house: House, journal: Path) -> Seat:
    reader = JournalReader.open(journal)
    seat = house.begun(Chain(reader.id, list(reader.entries(0, 1000))))
    seat.ship()
    return seat


@pytest.fixture
def seat(house: House, evening: TableService, tmp_path: Path) -> Seat:
    evening.wait(0, 0.1)
    return shipped(house, tmp_path / "journal.db")


@pytest.fixture
def evaluator(house: House) -> Evaluator:
    @contextmanager
    def connect() -> Iterator[Connection[Any]]:
        yield house.connection

    return Evaluator(connect, lambda: INSTALLED, evaluated_at_close, last_number)


def rows(house: House, what: str) -> list[tuple[Any, ...]]:
    return house.connection.execute(what).fetchall()


def test_the_sums_are_what_the_table_itself_says(house: House, seat: Seat, evaluator: Evaluator, evening: TableService):
    assert evaluator.catch_up(20)
    luck = of_house(one for session in BetBook(evening).sessions() for one in session.rounds)
    (found,) = expected_since(house.connection, 1, BEGINNING).values()
    assert (found.rounds, found.bets, found.staked, found.won) == (luck.rounds, luck.bets, luck.staked, luck.net)
    assert float(found.expected) == pytest.approx(float(luck.expected), abs=1e-9)
    assert found.variance == pytest.approx(luck.variance)
    assert luck.rounds == 4
    assert luck.expected > 0
    total = TakingsCounter().add_all(seat.chain.entries).total
    (sums,) = rows(house, "SELECT sum(bought), sum(cashed), sum(recounted), sum(win) FROM floor.results")
    assert sums == (total.bought, total.cashed, total.recounted, total.win)
    by_game = dict(rows(house, "SELECT game, sum(win) FROM floor.takings GROUP BY game"))
    assert by_game == {"roulette": total.wins["roulette"], "blackjack": 0}


def test_takings_go_to_the_dealer_who_was_on_duty(house: House, seat: Seat, evaluator: Evaluator):
    evaluator.catch_up(20)
    assert dict(rows(house, "SELECT dealer, sum(rounds) FROM floor.takings GROUP BY dealer")) == {None: 3, "Dan": 1}
    assert rows(house, "SELECT table_name, dealer, until FROM floor.shifts") == [("Table 1", "Dan", None)]


def test_of_one_moment_the_entries_say_what_was_first(house: House, evaluator: Evaluator, tmp_path: Path):
    def clock() -> datetime:
        return datetime(2026, 5, 1, 20, 0, tzinfo=UTC)

    with TableService.open(tmp_path / "one.db", new_header("roulette", PLAYERS), INSTALLED, clock=clock) as service:
        play(service)
    shipped(house, tmp_path / "one.db")
    evaluator.catch_up(20)
    assert dict(rows(house, "SELECT dealer, sum(rounds) FROM floor.takings GROUP BY dealer")) == {None: 3, "Dan": 1}


def test_a_new_start_goes_on_where_the_last_one_stopped(house: House, seat: Seat, evaluator: Evaluator):
    evaluator.catch_up(20)
    before = rows(house, "SELECT * FROM floor.result ORDER BY seq")
    house.connection.execute("UPDATE floor.reckoned SET seq = 9")  # as after a crash between two slices
    fresh = Evaluator(evaluator._connect, lambda: INSTALLED, evaluated_at_close, last_number)
    assert fresh.catch_up(20)
    assert rows(house, "SELECT * FROM floor.result ORDER BY seq") == before
    assert evaluated_to(house.connection, 1) == Mark(1, len(seat.chain.entries))
    assert not fresh.step()


def test_the_check_finds_results_that_are_not_the_chains(
    house: House, seat: Seat, evaluator: Evaluator, cluster: Cluster, database: str
):
    assert list(find_problems(house.connection)) == []
    evaluator.catch_up(20)
    assert list(find_problems(house.connection)) == []
    with psycopg.connect(cluster.dsn(OWNER, database), autocommit=True) as owner:
        owner.execute("UPDATE floor.result SET win = win + 1 WHERE rounds = 1 AND seq > 15")
    (wrong, *_) = find_problems(house.connection)
    assert "win at roulette" in wrong


def test_what_an_old_backup_takes_away_counts_no_more(house: House, seat: Seat, evaluator: Evaluator):
    evaluator.catch_up(20)
    mark = evaluated_to(house.connection, 1)
    (whole,) = expected_since(house.connection, 1, BEGINNING).values()
    first = next(entry.seq for entry in seat.chain.entries if '"spin"' in entry.record)
    house.begun(seat.chain.copy(first), fork=first)
    evaluator.catch_up(20)
    (left,) = expected_since(house.connection, 1, BEGINNING).values()
    assert left.rounds == 1
    (taken,) = expected_since(house.connection, 1, mark).values()
    assert (left.rounds, left.won, left.expected) == (1, whole.won + taken.won, whole.expected + taken.expected)
    assert left.variance == pytest.approx(whole.variance + taken.variance)
    assert taken.rounds == 1 - whole.rounds


def test_what_a_spare_machine_cuts_short_is_worked_out_all_the_same(house: House, seat: Seat, evaluator: Evaluator):
    house.begun(Chain("b" * 32).play(1)).ship()  # before anything of the first journal was looked at
    evaluator.catch_up(20)
    assert list(find_problems(house.connection)) == []
    assert rows(house, "SELECT sum(rounds) FROM floor.results") == [(4,)]
    house.begun(seat.chain.play(1), fork=9).ship(10)  # it is mended, from a backup
    evaluator.catch_up(20)
    assert list(find_problems(house.connection)) == []
    assert rows(house, "SELECT sum(rounds) FROM floor.results") == [(4,)]


def test_a_day_close_says_what_was_to_be_expected_and_who_dealt(house: House, seat: Seat, evaluator: Evaluator):
    evaluator.catch_up(20)
    first = close_day(house.connection, "Olga", house.floor_signer)
    (table,) = first.content["tables"]
    assert table["expected"]["rounds"] == 4
    assert table["expected_by_game"].keys() == {"roulette"}
    assert first.content["house"]["expected"]["expected"] == table["expected"]["expected"] > 0
    assert [(one["dealer"], one["to"]) for one in table["shifts"]] == [("Dan", None)]
    assert totals(first)[0]["expected"] == table["expected"]["expected"]
    second = close_day(house.connection, "Olga", house.floor_signer)
    (table,) = second.content["tables"]
    assert table["expected"]["rounds"] == 0
    assert [one["dealer"] for one in table["shifts"]] == ["Dan"]


def test_damaged_commands_cost_the_expectation_and_no_coins(house: House, evaluator: Evaluator):
    chain = Chain()
    record = {"game": "roulette", "players": [{"name": "Ann", "coins": 50}], "options": {"wheel": "no such"}}
    chain.add(record, kind="start")
    chain.add({"do": "undo"})
    transfer = {"event": "Transfer", "payer": "player/Ann", "payee": "house", "coins": 10, "why": "lost"}
    chain.add({"do": "lose"}, events=[transfer])
    house.begun(chain).ship()
    assert evaluator.catch_up(20)
    assert rows(house, "SELECT sum(win), sum(bought) FROM floor.results") == [(10, 50)]
    assert expected_since(house.connection, 1, BEGINNING) == {}


def test_expectations_are_not_the_app_roles_to_change(house: House, seat: Seat, evaluator: Evaluator):
    evaluator.catch_up(20)
    for what in ("UPDATE floor.result SET win = 0", "DELETE FROM floor.result", "DELETE FROM floor.duty"):
        with pytest.raises(Exception, match="permission denied"):
            house.connection.execute(what)


def test_the_floor_signs_dealers_on_and_off(house: House):
    @contextmanager
    def connect() -> Iterator[Connection[Any]]:
        yield house.connection

    roster = Roster(connect)
    house.joined()
    set_person(house.connection, "Dan", "dealer", "1234")
    set_person(house.connection, "Aud", "auditor", "1234")
    roster.sign("Table 1", "Dan", "Pia")
    assert roster.now() == {1: "Dan"}
    for table, dealer, code in (("Table 1", "Dan", "nothing-done"), ("Table 2", "Dan", "no-table"),
                                ("Table 1", "Aud", "no-dealer"), ("Table 1", "Nobody", "no-dealer")):  # fmt: skip
        with pytest.raises(FloorError) as refused:
            roster.sign(table, dealer, "Pia")
        assert refused.value.code == code
    roster.sign("Table 1", None, "Pia")
    assert roster.now() == {}
    (shift,) = roster.shifts()
    assert (shift.dealer, shift.who) == ("Dan", "Pia")
    assert shift.until is not None


def test_clocks_that_are_set_back_keep_nobody_on_duty(house: House, cluster: Cluster, database: str):
    @contextmanager
    def connect() -> Iterator[Connection[Any]]:
        yield house.connection

    roster, chain = Roster(connect), Chain()
    for dealer, at in (("Dan", "20:15"), ("Eve", "19:16")):  # the table's clock was an hour ahead
        entry = chain.add({"text": ".", "data": {"duty": {"dealer": dealer}}}, kind="notice")
        parts = (f"2026-05-01T{at}:00.000Z", *entry[2:8])
        chain.entries[-1] = entry._replace(at=parts[0], hash=entry_hash(entry.prev, entry.seq, *parts))
    house.begun(chain).ship()
    assert roster.now() == {1: "Eve"}
    with psycopg.connect(cluster.dsn(OWNER, database), autocommit=True) as owner:  # and the floor's own was, by a day
        owner.execute("UPDATE floor.duty SET at = now() + interval '1 day'")
    set_person(house.connection, "Fay", "dealer", "1234")
    roster.sign("Table 1", "Fay", "Pia")
    assert roster.now() == {1: "Fay"}


def test_nothing_expected_is_nothing():
    assert NOTHING + Expected(rounds=1, bets=2) == Expected(rounds=1, bets=2)


def test_the_days_sums_follow_entry_by_entry_and_begin_anew_with_a_close(
    house: House, seat: Seat, evaluator: Evaluator
):
    def shown() -> dict[int, Any]:
        return {table: expected_json(one) for table, one in SinceClose(evaluator._connect, last_number)().items()}

    assert shown() == {}
    evaluator.catch_up(20)
    other = house.begun(seat.chain.copy(len(seat.chain.entries)), name="Table 2")
    for entry in other.chain.entries:  # one after the other: added up, not read anew
        other.ship(entry.seq, entry.seq)
        evaluator.catch_up(20)
    (whole,) = expected_since(house.connection, 1, BEGINNING).values()
    assert shown() == {1: expected_json(whole), 2: expected_json(whole)}
    assert whole.rounds == 4
    close_day(house.connection, "Olga", house.floor_signer)
    assert shown() == {}
    other.chain.add({"do": "undo"})
    other.ship(len(other.chain.entries))
    evaluator.catch_up(20)
    assert shown() == {2: expected_json(NOTHING)}


def test_two_that_work_tables_out_count_nothing_twice(house: House, seat: Seat, evaluator: Evaluator):
    first = Evaluator(evaluator._connect, lambda: INSTALLED, evaluated_at_close, last_number)
    other = house.begun(seat.chain.copy(len(seat.chain.entries)), name="Table 2")
    for number, entry in enumerate(other.chain.entries):
        other.ship(entry.seq, entry.seq)
        (first if number % 3 else evaluator).catch_up(20)
    (whole,) = expected_since(house.connection, 2, BEGINNING).values()
    shown = SinceClose(evaluator._connect, last_number)()
    assert {table: expected_json(one) for table, one in shown.items()} == dict.fromkeys((1, 2), expected_json(whole))


def test_every_table_has_its_turn(house: House, seat: Seat, evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("companion.floor.reports.evaluator.TABLES_AT_ONCE", 1)
    other = house.begun(Chain("b" * 32).play(3), name="Table 2")
    other.ship()
    for _ in range(2):  # the first one always has something new
        evaluator.step()
        seat.chain.add({"do": "undo"})
        seat.ship(len(seat.chain.entries))
    assert evaluated_to(house.connection, 2) == Mark(1, 3)


@pytest.mark.thorough
def test_a_process_of_its_own_works_and_is_started_again(house: House, seat: Seat, cluster: Cluster, database: str):
    def until(is_so: Callable[[], bool]) -> None:
        ends = time.monotonic() + 60
        while not is_so():
            assert time.monotonic() < ends, "it never happened"
            time.sleep(0.1)

    with ResultsProcess(cluster.dsn("floor_app", database)) as assistant:
        until(lambda: evaluated_to(house.connection, 1) == Mark(1, len(seat.chain.entries)))
        assert assistant.look()
        assistant._process.kill()
        assistant._process.wait()
        seat.chain.add({"do": "undo"})
        seat.ship(len(seat.chain.entries))
        assert not assistant.look()
        until(lambda: evaluated_to(house.connection, 1) == Mark(1, len(seat.chain.entries)))
        process = assistant._process
    assert process.returncode == 0, "it ends by itself with whoever started it"
