"""What each player has brought this evening, and how long they have played."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from moved_clock import Clock, looked_after
from service_words import code, do

from companion.app.operations.backups import Backups
from companion.app.operations.housekeeper import Housekeeper
from companion.app.operations.meters import Meters
from companion.config.tables import BackupConfig
from companion.kernel.errors import TableError
from companion.service.clocks.table_clock import CLOCK_SET, ClockWatch
from companion.service.clocks.tonight import PAUSE_H
from companion.service.settings import TableSettings
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header, say

PLAYERS = (("Ann", 100), ("Bo", 50))
AT_MOST_300 = TableSettings(most_brought=300)


@pytest.fixture
def clock() -> Clock:
    return Clock()


Open = Callable[..., TableService]


@pytest.fixture
def table(tmp_path: Path, clock: Clock) -> Iterator[Open]:
    """Opens a table on the test's journal, again and again; at most 300 coins a player."""
    opened: list[TableService] = []

    def open_(settings: TableSettings = AT_MOST_300, game: str = "roche") -> TableService:
        for service in opened:
            service.close()
        header = new_header(game, PLAYERS)
        opened.append(
            TableService.open(
                tmp_path / "journal.db",
                header,
                INSTALLED,
                settings=settings,
                clock=clock,
                passed=lambda: clock.passed_s,
            )
        )
        return opened[-1]

    yield open_
    for service in opened:
        service.close()


def evening(service: TableService, player: str) -> dict[str, Any]:
    return dict(service.view("dealer")["tonight"][player])


def refused(service: TableService, record: dict[str, Any]) -> str:
    """See that a command is refused, changes nothing, and return what is said."""
    before, records = service.view("dealer")["players"], service.view()["commands"]
    with pytest.raises(TableError) as error:
        service.submit(record, source="dealer")
    assert code(error) == "over-limit"
    assert (service.view("dealer")["players"], service.view()["commands"]) == (before, records)
    return error.value.message


THREE_CUT = ("deal 3D1", "deal 3D2", "deal 3D3")
BUY_150 = {"do": "buy-in", "player": "Ann", "coins": 150}


def test_more_than_the_most_is_refused_with_what_is_left(table: Open) -> None:
    service = table()
    do(service, "buy-in Ann 100")
    assert refused(service, BUY_150) == (
        "A player may bring at most 300 coins in an evening. Ann has brought 200 and can bring 100 more."
    )
    do(service, "buy-in Ann 100", "buy-in Bo 250")
    assert refused(service, {"do": "buy-in", "player": "Ann", "coins": 1}).endswith("300 and can bring 0 more.")
    assert evening(service, "Ann")["brought"] == evening(service, "Bo")["brought"] == 300


@pytest.mark.parametrize("language", ["de", "es"])
def test_the_refusal_is_said_in_every_language(table: Open, language: str) -> None:
    text = say(refused(table(), {**BUY_150, "coins": 201}), language)
    assert not {"player", "brought", "more", "bring"} & set(text.split())
    assert all(figure in text for figure in ("300", "100", "200", "Ann"))


def test_without_a_limit_nothing_is_refused(table: Open) -> None:
    service = table(TableSettings())
    do(service, "buy-in Ann 100000")
    assert evening(service, "Ann")["brought"] == 100_100


def test_coins_brought_by_joining_count_and_another_case_is_the_same_player(table: Open) -> None:
    service = table()
    refused(service, {"do": "join", "player": "Cy", "coins": 301})
    do(service, "buy-in Ann 200")
    service.submit({"do": "cash-out", "player": "Ann"}, source="dealer")
    service.submit({"do": "leave", "player": "Ann"}, source="dealer")
    refused(service, {"do": "join", "player": "ANN", "coins": 301})
    service.submit({"do": "join", "player": "ANN", "coins": 300}, source="dealer")
    refused(service, {**BUY_150, "player": "ANN", "coins": 1})


def test_a_second_space_in_a_name_begins_no_limit_anew(table: Open) -> None:
    """No page shows it, so nobody at the table would see it either."""
    service = table()
    service.submit({"do": "join", "player": "Cy Di", "coins": 100}, source="dealer")
    service.submit({"do": "bet", "player": "Cy Di", "on": "cut/2", "amount": 100}, source="dealer")
    do(service, "no-more-bets", *THREE_CUT, "new-round")
    service.submit({"do": "leave", "player": "Cy Di"}, source="dealer")
    refused(service, {"do": "join", "player": "Cy  Di", "coins": 201})
    service.submit({"do": "join", "player": "Cy  Di", "coins": 200}, source="dealer")
    assert evening(service, "Cy  Di")["brought"] == 300


def test_lost_coins_stay_brought_and_cashed_out_ones_do_not(table: Open) -> None:
    service = table()
    do(service, "bet Ann cut/2 100", "no-more-bets", *THREE_CUT, "new-round")
    assert service.ledger.balance("Ann") == 0
    do(service, "buy-in Ann 200")
    refused(service, {**BUY_150, "coins": 1})
    service.submit({"do": "cash-out", "player": "Ann"}, source="dealer")
    assert evening(service, "Ann")["brought"] == 100
    do(service, "buy-in Ann 200")
    refused(service, {**BUY_150, "coins": 1})


def test_undo_and_redo_do_not_get_around_it(table: Open) -> None:
    service = table()
    do(service, "buy-in Ann 200", "undo")
    assert evening(service, "Ann")["brought"] == 100
    do(service, "redo")
    refused(service, {**BUY_150, "coins": 1})
    do(service, "undo", "buy-in Ann 150")
    refused(service, {**BUY_150, "coins": 51})
    do(service, "undo", "buy-in Ann 200", "undo")
    service.set_settings(TableSettings(most_brought=250))
    refused(service, {"do": "redo"})
    do(service, "buy-in Ann 150", "undo")


def test_two_buy_ins_of_one_commit_are_checked_together(table: Open) -> None:
    """Both are within the limit, but not one after the other."""
    service = table()

    def buy(_: int) -> str:
        try:
            service.submit(BUY_150, source="dealer")
        except TableError as error:
            return error.code
        return "done"

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(buy, range(8))) == ["done", *["over-limit"] * 7]
    assert service.ledger.balance("Ann") == 250


def test_an_evening_of_several_games_counts_together(table: Open) -> None:
    service = table()
    service.submit({"do": "join", "player": "Cy", "coins": 30, "seat": 5}, source="dealer")
    do(service, "bet Ann cut/2 100", "no-more-bets", *THREE_CUT, "new-round")
    do(service, "buy-in Ann 150")
    for game in ("rugen-house", "roulette", "blackjack"):
        service.change_game(new_header(game), source="dealer")
        assert [evening(service, name)["brought"] for name in ("Ann", "Bo", "Cy")] == [250, 50, 30]
        refused(service, BUY_150)
    service = table(game="blackjack")
    assert evening(service, "Ann")["brought"] == 250
    refused(service, BUY_150)


def test_a_restart_forgets_nothing(table: Open, clock: Clock) -> None:
    service = table()
    do(service, "buy-in Ann 100", "buy-in Ann 100", "undo")
    clock.go_on(minutes=90)
    service.submit({"do": "join", "player": "Cy", "coins": 30}, source="dealer")
    clock.go_on(minutes=30)
    do(service, "buy-in Bo 1")
    before = service.view("dealer")["tonight"]
    assert before == {
        "Ann": {"minutes": 120, "brought": 200},
        "Bo": {"minutes": 120, "brought": 51},
        "Cy": {"minutes": 30, "brought": 30},
    }
    assert table().view("dealer")["tonight"] == before


def test_another_evening_begins_after_a_long_pause(table: Open, clock: Clock) -> None:
    """What was brought yesterday is not brought today, whether the table was closed meanwhile or not."""
    service = table()
    do(service, "buy-in Ann 200")
    clock.go_on(hours=PAUSE_H, seconds=-1)
    refused(service, BUY_150)
    do(service, "buy-in Bo 1")
    clock.go_on(hours=PAUSE_H)
    do(service, "buy-in Ann 150", "buy-in Ann 50", "undo")
    clock.go_on(minutes=5)
    do(service, "bet Bo cut/2 1")
    here = {"Ann": {"minutes": 5, "brought": 150}, "Bo": {"minutes": 5, "brought": 0}}
    assert service.view("dealer")["tonight"] == here
    refused(service, {**BUY_150, "coins": 151})
    service = table()
    assert service.view("dealer")["tonight"] == here
    refused(service, {**BUY_150, "coins": 151})
    clock.go_on(hours=PAUSE_H)
    assert table().view("dealer")["tonight"]["Ann"] == {"minutes": 0, "brought": 0}


def test_an_evening_that_is_over_is_shown_no_longer(table: Open, clock: Clock) -> None:
    """Nobody needs to give a command: the first phone of the next evening is not told of the last."""
    service = table()
    do(service, "buy-in Ann 10")
    clock.go_on(minutes=70)
    do(service, "buy-in Ann 10")
    assert evening(service, "Ann") == {"minutes": 70, "brought": 120}
    clock.go_on(hours=PAUSE_H)
    service.wait(service.version, 5.0)
    assert evening(service, "Ann") == {"minutes": 0, "brought": 0}


@pytest.mark.parametrize("hours", [21, -21])
def test_a_clock_that_is_set_ends_no_evening_and_makes_none_longer(table: Open, clock: Clock, hours: int) -> None:
    """A small computer without a clock of its own hears the time in the middle of an evening."""
    service = table()
    do(service, "buy-in Ann 200")
    clock.go_on(minutes=30)
    do(service, "buy-in Bo 1")
    clock.set_by(hours=hours)
    looked_after(service)
    refused(service, BUY_150)
    assert evening(service, "Ann") == {"minutes": 30, "brought": 300}
    clock.go_on(minutes=30)
    do(service, "buy-in Bo 1")
    assert evening(service, "Ann") == {"minutes": 60, "brought": 300}
    clock.go_on(hours=PAUSE_H)
    service.wait(service.version, 5.0)
    assert evening(service, "Ann") == {"minutes": 0, "brought": 0}


def test_a_clock_that_is_set_just_after_a_start_ends_no_evening_either(table: Open, clock: Clock) -> None:
    do(table(), "buy-in Ann 200")
    clock.go_on(minutes=30)
    clock.set_by(hours=-2)  # it begins with the time that was saved last
    service = table()
    clock.go_on(minutes=1)
    clock.set_by(hours=2, minutes=9)
    looked_after(service)
    refused(service, BUY_150)
    assert table().view("dealer")["tonight"]["Ann"] == {"minutes": 0, "brought": 300}


def boots(clock: Clock, off: timedelta, *, begins_with: datetime | None = None) -> timedelta:
    """Switch a machine without a clock of its own off and on again; return by how much its clock is behind then.

    Args:
        begins_with: what its clock says then; None: the time at which it was switched off.
    """
    right = clock.now + off
    clock.now, clock.passed_s = begins_with or clock.now, 20.0
    return right - clock.now


def keeper_of(service: TableService, clock: Clock, folder: Path) -> Housekeeper:
    """Look after the table as the running companion does; its thread does not run."""
    watch = ClockWatch(lambda: clock.now.timestamp(), lambda: clock.passed_s)
    return Housekeeper(service, Backups(folder, BackupConfig()), Meters(folder, service.history.entries), clock=watch)


SAVED = [None, datetime(1970, 1, 1, 0, 0, 20, tzinfo=UTC)]


@pytest.mark.parametrize("begins_with", SAVED, ids=["as switched off", "1970"])
@pytest.mark.parametrize("first", [(), ("buy-in Ann 10",)], ids=["nothing", "a buy-in"])
@pytest.mark.parametrize("first_sees", ["table", "housekeeper"])
def test_the_next_day_is_another_evening_where_the_clock_is_set_only_after_the_start(
    table: Open, clock: Clock, tmp_path: Path, begins_with: datetime | None, first: tuple[str, ...], first_sees: str
) -> None:
    """A small computer goes on at night's time, and hears a minute later what day it is."""
    do(table(), "buy-in Ann 200")
    clock.go_on(minutes=5)
    table().close()
    behind = boots(clock, timedelta(hours=19), begins_with=begins_with)
    service = table(TableSettings())
    keeper = keeper_of(service, clock, tmp_path)
    clock.go_on(minutes=1)
    for text in first:
        do(service, text)
    clock.set_by(seconds=behind.total_seconds())
    if first_sees == "housekeeper":
        keeper.run_due_jobs()
    looked_after(service)
    keeper.run_due_jobs()
    clock.go_on(minutes=2)
    brought = 10 * len(first)
    assert evening(service, "Ann")["brought"] == brought
    do(service, "buy-in Ann 1")
    shown = {"minutes": 2 if first else 0, "brought": brought + 1}
    assert evening(service, "Ann") == shown
    assert table().view("dealer")["tonight"]["Ann"] == shown


@pytest.mark.parametrize("begins_with", SAVED, ids=["as switched off", "1970"])
def test_an_evening_goes_on_where_the_clock_is_set_after_a_power_cut(
    table: Open, clock: Clock, tmp_path: Path, begins_with: datetime | None
) -> None:
    do(table(), "buy-in Ann 200")
    clock.go_on(minutes=5)
    behind = boots(clock, timedelta(minutes=3), begins_with=begins_with)
    service = table()
    keeper = keeper_of(service, clock, tmp_path)
    do(service, "buy-in Bo 1")
    clock.go_on(minutes=1)
    clock.set_by(seconds=behind.total_seconds())
    looked_after(service)
    keeper.run_due_jobs()
    refused(service, BUY_150)
    do(service, "buy-in Bo 1")
    assert evening(service, "Ann") == {"minutes": 9, "brought": 300}
    assert table().view("dealer")["tonight"]["Ann"] == {"minutes": 9, "brought": 300}


def test_a_clock_that_is_set_again_later_ends_no_evening(table: Open, clock: Clock, tmp_path: Path) -> None:
    """Only what a machine hears first after it was off tells for how long that was."""
    do(table(), "buy-in Ann 200")
    boots(clock, timedelta(minutes=3))
    service = table()
    keeper = keeper_of(service, clock, tmp_path)
    for hours in (1, 21):
        clock.go_on(minutes=1)
        clock.set_by(hours=hours)
        looked_after(service)
        keeper.run_due_jobs()
    refused(service, BUY_150)
    do(service, "buy-in Bo 1")
    assert table().view("dealer")["tonight"]["Ann"]["brought"] == 300


def test_a_companion_that_starts_again_on_a_machine_that_was_on_ends_no_evening(
    table: Open, clock: Clock, tmp_path: Path
) -> None:
    """The clock went on behind all evening: the time between two starts was no pause."""
    do(table(), "buy-in Ann 200")
    clock.go_on(minutes=1)
    service = table()
    keeper = keeper_of(service, clock, tmp_path)
    clock.set_by(hours=21)
    looked_after(service)
    keeper.run_due_jobs()
    refused(service, BUY_150)
    do(service, "buy-in Bo 1")
    assert table().view("dealer")["tonight"]["Ann"] == {"minutes": 1, "brought": 300}


@pytest.mark.parametrize(("after", "is_over"), [(timedelta(minutes=5), False), (timedelta(hours=PAUSE_H), True)])
def test_a_start_knows_from_the_journal_that_the_clock_was_set(
    table: Open, clock: Clock, after: timedelta, is_over: bool
) -> None:
    service = table()
    do(service, "buy-in Ann 200")
    clock.go_on(seconds=after.total_seconds())
    clock.set_by(hours=21)
    do(service, "buy-in Bo 1")
    service.notice("The clock was set.", source="clock", data={CLOCK_SET: 21 * 3600})
    do(service, "buy-in Bo 1")
    service = table()
    assert evening(service, "Ann")["brought"] == (0 if is_over else 300)


def test_who_leaves_and_comes_back_plays_on(table: Open, clock: Clock) -> None:
    service = table(TableSettings())
    service.submit({"do": "join", "player": "Cy", "coins": 30}, source="dealer")
    clock.go_on(minutes=60)
    for record in ({"do": "cash-out"}, {"do": "leave"}, {"do": "join", "coins": 30}):
        service.submit({**record, "player": "Cy"}, source="dealer")
    clock.go_on(minutes=60)
    do(service, "buy-in Bo 1")
    assert evening(service, "Cy")["minutes"] == 120


def test_a_table_where_nothing_happens_is_not_played_at(table: Open, clock: Clock) -> None:
    service = table()
    do(service, "buy-in Ann 10")
    clock.go_on(minutes=59)
    service.notice("somebody looks", source="camera")
    do(service, "hold")
    clock.go_on(hours=2)
    assert evening(service, "Ann")["minutes"] == 59


def test_a_phone_is_told_of_its_own_player_alone(table: Open) -> None:
    service = table(TableSettings(remind_minutes=30))
    view = service.view("seat/2")
    assert view["tonight"] == {"Bo": {"minutes": 0, "brought": 50}}
    assert view["remind_minutes"] == 30
    assert service.view("seat/3")["tonight"] == {}
    assert "tonight" not in service.view("room")
