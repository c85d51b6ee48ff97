"""What the pages count from does not move because the machine's clock is set."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from moved_clock import Clock, looked_after

from companion.app.operations.backups import Backups
from companion.app.operations.housekeeper import Housekeeper
from companion.app.operations.meters import Meters
from companion.config.tables import BackupConfig
from companion.service.clocks.table_clock import CLOCK_SET, ClockWatch
from companion.service.settings import TableSettings
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header

PLAYERS = (("Ann", 100), ("Bo", 50), ("Cy", 50))
A_MINUTE = TableSettings(turn_seconds=60)
AN_HOUR = timedelta(hours=1)


Open = Callable[[], TableService]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def table(tmp_path: Path, clock: Clock) -> Iterator[Open]:
    """Opens a table on the test's journal, again and again; a turn has a minute, and Ann has the bank."""
    opened: list[TableService] = []

    def open_() -> TableService:
        for service in opened:
            service.close()
        header = new_header("chinchirorin", PLAYERS, {"banker": 1})
        path = tmp_path / "journal.db"
        opened.append(
            TableService.open(path, header, INSTALLED, settings=A_MINUTE, clock=clock, passed=lambda: clock.passed_s)
        )
        return opened[-1]

    yield open_
    for service in opened:
        service.close()


def noticed(service: TableService, clock: Clock, folder: Path, by: timedelta) -> None:
    """Set the clock, and wait until the table and its journal know."""
    watch = ClockWatch(lambda: clock.now.timestamp(), lambda: clock.passed_s)
    keeper = Housekeeper(service, Backups(folder, BackupConfig()), Meters(folder, service.history.entries), clock=watch)
    clock.now += by
    keeper.run_due_jobs()
    looked_after(service)


def used_s(service: TableService, clock: Clock) -> float:
    """Return how much of a turn is over, as the pages reckon it."""
    timer = service.view()["timer"]
    assert timer is not None
    return (clock.now - datetime.fromisoformat(timer["since"])).total_seconds()


def held_s(service: TableService, clock: Clock) -> float:
    paused = service.view()["paused"]
    assert paused is not None
    assert paused["since"] is not None
    return (clock.now - datetime.fromisoformat(paused["since"])).total_seconds()


@pytest.mark.parametrize("by", [AN_HOUR, -AN_HOUR])
def test_a_clock_that_is_set_ends_no_turn_and_makes_none_longer(
    table: Open, clock: Clock, tmp_path: Path, by: timedelta
) -> None:
    service = table()
    service.submit({"do": "bank", "amount": 20}, source="dealer")
    service.submit({"do": "close"}, source="dealer")
    clock.go_on(seconds=10)
    assert used_s(service, clock) == 10
    noticed(service, clock, tmp_path, by)
    clock.go_on(seconds=5)
    assert used_s(service, clock) == 15
    assert used_s(table(), clock) == 15  # also after a start


@pytest.mark.thorough
@pytest.mark.parametrize("by", [AN_HOUR, -AN_HOUR])
def test_a_turn_that_begins_after_that_is_counted_from_its_own_beginning(
    table: Open, clock: Clock, tmp_path: Path, by: timedelta
) -> None:
    service = table()
    noticed(service, clock, tmp_path, by)
    clock.go_on(seconds=30)
    service.submit({"do": "bank", "amount": 20}, source="dealer")
    service.submit({"do": "close"}, source="dealer")
    clock.go_on(seconds=10)
    assert used_s(service, clock) == 10
    noticed(service, clock, tmp_path, by)
    assert used_s(service, clock) == 10
    assert used_s(table(), clock) == 10


@pytest.mark.parametrize("by", [AN_HOUR, -AN_HOUR])
def test_a_hold_is_as_long_as_it_was(table: Open, clock: Clock, tmp_path: Path, by: timedelta) -> None:
    service = table()
    service.submit({"do": "hold"}, source="dealer")
    clock.go_on(minutes=3)
    noticed(service, clock, tmp_path, by)
    assert held_s(service, clock) == 180
    assert held_s(table(), clock) == 180


def test_a_clock_that_went_back_while_the_machine_was_off_makes_no_turn_longer(table: Open, clock: Clock) -> None:
    """A small computer without a clock of its own goes on with an older time."""
    service = table()
    service.submit({"do": "bank", "amount": 20}, source="dealer")
    service.submit({"do": "close"}, source="dealer")
    clock.now -= timedelta(minutes=30)
    clock.passed_s = 20.0
    assert used_s(table(), clock) == 0


@pytest.mark.parametrize("by", [AN_HOUR, -AN_HOUR])
def test_a_game_that_is_changed_just_after_the_clock_was_set_is_not_moved_by_it(
    table: Open, clock: Clock, by: timedelta
) -> None:
    """The journal says so some seconds later, in the session of the new game: that began by the clock as it was set."""
    service = table()
    clock.go_on(minutes=5)
    clock.now += by
    clock.go_on(seconds=1)
    service.change_game(new_header("roulette"), source="dealer")
    clock.go_on(seconds=3)
    seconds = int(by.total_seconds())
    service.notice("The clock was set.", source="clock", data={CLOCK_SET: seconds})
    service.submit({"do": "hold"}, source="dealer")
    assert service.clock.look() == 0
    assert table().clock.look() == 0


def test_a_start_finds_the_turn_of_the_game_that_is_on(table: Open, clock: Clock) -> None:
    """The game before has written down whose turn begins; this one does not."""
    service = table()
    for verb in ("cash-out", "leave"):
        service.submit({"do": verb, "player": "Cy"}, source="dealer")
    service.change_game(new_header("captains"), source="dealer")
    for card in ("2D1", "3D1", "4D1", "5D1", "6D1", "7D1", "3D2", "4D2"):
        service.submit({"do": "seed", "card": card}, source="dealer")
    service.submit({"do": "stop"}, source="dealer")
    assert any("TurnStarted" in str(entry["events"]) for entry in service.events(0, 100))
    service.change_game(new_header("chinchirorin", options={"banker": 1}), source="dealer")
    clock.go_on(seconds=50)
    for record in ({"do": "bank", "amount": 20}, {"do": "close"}):
        service.submit(record, source="dealer")
    clock.go_on(seconds=10)
    assert used_s(service, clock) == 10
    assert used_s(table(), clock) == 10


def test_when_a_session_began_is_known_after_a_power_cut(table: Open, clock: Clock, tmp_path: Path) -> None:
    """A small computer goes on with the time at which it was switched off; the session began by the right one."""
    table().submit({"do": "hold"}, source="dealer")
    clock.go_on(hours=1)
    table().submit({"do": "release"}, source="dealer")
    clock.go_on(minutes=5)
    clock.passed_s = 20.0
    service = table()
    clock.go_on(minutes=1)
    noticed(service, clock, tmp_path, timedelta(minutes=10))
    assert service.began == table().began == "2026-05-01T20:00:00.000Z"
    service = table()
    noticed(service, clock, tmp_path, AN_HOUR)  # only the first step says for how long it was off
    assert service.began == table().began == "2026-05-01T21:00:00.000Z"


def test_a_session_that_begins_before_the_clock_is_set_is_moved_with_it(
    table: Open, clock: Clock, tmp_path: Path
) -> None:
    table().submit({"do": "hold"}, source="dealer")
    table().submit({"do": "release"}, source="dealer")
    clock.go_on(minutes=5)
    clock.passed_s = 20.0
    service = table()
    service.change_game(new_header("roulette"), source="dealer")
    clock.go_on(minutes=1)
    noticed(service, clock, tmp_path, AN_HOUR)
    assert service.began == table().began == "2026-05-01T21:05:00.000Z"
