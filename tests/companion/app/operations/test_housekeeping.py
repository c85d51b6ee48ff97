"""Backups by schedule, lifetime meters, steps of the clock, and the look at the installed files."""

import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from companion.app.operations.backups import BackupFile, Backups, JobState, Refused, run_companion
from companion.app.operations.house import House, HouseState
from companion.app.operations.housekeeper import Housekeeper
from companion.app.operations.meters import Meters
from companion.app.operations.self_check import SelfCheck, known_key
from companion.app.operations.update import Installed
from companion.config.tables import BackupConfig
from companion.locale import Translator
from companion.service.clocks.table_clock import ClockWatch
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TableService]:
    header = new_header("roche", (("Aubrey", 100),))
    with TableService.open(tmp_path / "journal.sqlite3", header, INSTALLED) as running:
        yield running


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


def writes(argv: Sequence[str], tell: Callable[[float], None]) -> str | None:
    """Stand for the companion's backup."""
    tell(0.5)
    Path(argv[1]).write_bytes(b"backup")
    return None


# ---- backups


def test_a_scheduled_backup_is_made_when_it_is_due_and_old_ones_go(tmp_path: Path) -> None:
    away, clock = tmp_path / "stick", Clock()
    away.mkdir()
    backups = Backups(tmp_path, BackupConfig(folder=str(away), every_hours=24, keep=2), run=writes, now=clock)
    made = []
    for hours in (0, 1, 23, 1, 24, 24):
        clock.now += timedelta(hours=hours)
        backups.start_if_due()
        backups.wait()
        made.append(len(backups.files()))
    assert made == [1, 1, 2, 2, 2, 2]
    assert backups.files()[0].made == clock.now
    assert backups.files()[0].is_away


def test_a_clock_that_was_ahead_keeps_no_backup_from_being_made_and_takes_none_for_an_older_one(tmp_path: Path) -> None:
    """What is dated in the future was made before now: it is the first to go, and does not say that none is due."""
    away, clock = tmp_path / "stick", Clock()
    away.mkdir()
    backups = Backups(tmp_path, BackupConfig(folder=str(away), every_hours=24, keep=2), run=writes, now=clock)
    names = []
    for days in (0, 4000, 4001, 1, 2):
        clock.now = NOON + timedelta(days=days)
        backups.start_if_due()
        backups.wait()
        names.append({f"{one.made - NOON}" for one in backups.files()})
    assert names[2] == {"4000 days, 0:00:00", "4001 days, 0:00:00"}
    assert names[3] == {"4001 days, 0:00:00", "1 day, 0:00:00"}
    assert names[4] == {"1 day, 0:00:00", "2 days, 0:00:00"}
    assert backups.files()[0].made == clock.now


def test_a_backup_dated_in_the_future_is_not_one_that_is_new_enough_to_update_on(tmp_path: Path) -> None:
    ahead = BackupFile(tmp_path / "made.tar.gz", NOON, 6, is_away=False)
    state = HouseState(
        is_safe=False,
        checked=None,
        meters={},
        job=JobState(),
        files=[ahead],
        away=None,
        is_away_there=False,
        pending=None,
        installed=Installed.found(""),
    )
    told = [state.is_backed_up(NOON + timedelta(hours=hours)) for hours in (-1, 0, 24, 25)]
    assert told == [False, True, True, False]


def test_a_stick_that_is_pulled_is_waited_for_and_its_folder_never_made(tmp_path: Path) -> None:
    away = tmp_path / "stick"
    backups = Backups(tmp_path, BackupConfig(folder=str(away)), run=writes)
    backups.start_if_due()
    assert not away.exists()
    with pytest.raises(Refused, match="Plug its medium in"):
        backups.back_up(away=True)
    away.mkdir()
    backups.start_if_due()
    backups.wait()
    assert len(backups.files()) == 1


def test_foreign_files_are_neither_listed_nor_deleted(tmp_path: Path) -> None:
    away = tmp_path / "stick"
    away.mkdir()
    (away / "holiday.tar.gz").write_text("photos")
    backups = Backups(tmp_path, BackupConfig(folder=str(away), keep=1), run=writes)
    backups.back_up(away=True)
    backups.wait()
    assert [one.path.name for one in backups.files()] != ["holiday.tar.gz"]
    assert (away / "holiday.tar.gz").exists()
    with pytest.raises(Refused, match="no such backup"):
        backups.restore("../stick/holiday.tar.gz", away=True)


def test_one_job_at_a_time_and_its_failure_is_told(tmp_path: Path) -> None:
    go = threading.Event()

    def slow(argv: Sequence[str], tell: Callable[[float], None]) -> str | None:
        tell(0.25)
        go.wait(10)
        return "The disk is full."

    done: list[str] = []
    backups = Backups(tmp_path, BackupConfig(), run=slow, on_done=done.append)
    backups.back_up(away=False)
    with pytest.raises(Refused, match="under way"):
        backups.back_up(away=False)
    assert backups.state.is_running
    go.set()
    backups.wait()
    assert (backups.state.is_running, backups.state.error, done) == (False, "The disk is full.", [])


def test_why_the_real_command_failed_can_be_said_in_any_language(tmp_path: Path) -> None:
    missing = tmp_path / "none.tar.gz"
    why = run_companion(("restore", str(missing), "--stage", "--data", str(tmp_path)), lambda _: None)
    assert why == f"{missing} cannot be read: No such file or directory. Check the path."
    in_german = Translator(())(why, "de")
    assert (
        in_german == f"{missing} kann nicht gelesen werden: Die Datei oder den Ordner gibt es nicht. Den Pfad prüfen."
    )
    no_folder = str(tmp_path / "away" / "made.tar.gz")
    (tmp_path / "note.txt").touch()
    why = run_companion(("backup", no_folder, "--data", str(tmp_path)), lambda _: None)
    assert why is not None
    assert "kann nicht geschrieben werden" in Translator(())(why, "de")


@pytest.mark.thorough
def test_the_real_command_tells_how_far_it_is_and_why_it_failed(tmp_path: Path, table: TableService) -> None:
    shares: list[float] = []
    target = tmp_path / "made.tar.gz"
    assert run_companion(("backup", str(target), "--data", str(tmp_path)), shares.append) is None
    assert target.exists()
    assert shares[-1] == 1.0
    error = run_companion(("restore", str(tmp_path / "none"), "--stage", "--data", str(tmp_path)), shares.append)
    assert error is not None
    assert "cannot be read" in error


# ---- meters


def bet(table: TableService, amount: int) -> None:
    table.submit({"do": "bet", "player": "Aubrey", "on": "cut/2", "amount": amount}, source="test")


def test_meters_count_each_entry_once_over_starts_and_what_was_undone_too(tmp_path: Path, table: TableService) -> None:
    bet(table, 3)
    meters = Meters(tmp_path, table.history.entries)
    meters.catch_up()
    bet(table, 4)
    table.submit({"do": "undo"}, source="test")
    again = Meters(tmp_path, table.history.entries)
    again.catch_up()
    again.catch_up()
    assert (again.counts["staked"], again.counts["commands"]) == (7, 3)


def test_meters_never_go_back_when_an_older_journal_is_restored(tmp_path: Path, table: TableService) -> None:
    bet(table, 3)
    older = tuple(table.history.entries(0, -1))
    bet(table, 4)
    Meters(tmp_path, table.history.entries).catch_up()
    newer = [*older]

    def entries(after: int, limit: int) -> object:
        return newer[after : after + limit]

    restored = Meters(tmp_path, entries)  # type: ignore[arg-type]  # a list of entries is one
    restored.catch_up()
    assert restored.counts["staked"] == 7
    newer.append(older[-1]._replace(seq=older[-1].seq + 1))
    restored.catch_up()
    assert restored.counts["staked"] == 10


def test_damaged_meters_begin_anew(tmp_path: Path, table: TableService) -> None:
    (tmp_path / "meters.json").write_text("[]")
    assert Meters(tmp_path, table.history.entries).counts["commands"] == 0


# ---- the clock


def test_a_clock_that_is_set_is_told_and_one_that_drifts_is_not(tmp_path: Path, table: TableService) -> None:
    now, passed = [1000.0], [0.0]
    watch = ClockWatch(lambda: now[0], lambda: passed[0])
    meters = Meters(tmp_path, table.history.entries)
    keeper = Housekeeper(table, Backups(tmp_path, BackupConfig(), run=writes), meters, clock=watch)

    def go_on(seconds: float, clock: float) -> None:
        passed[0] += seconds
        now[0] += clock
        keeper.run_due_jobs()

    for _ in range(10):
        go_on(5, 5.5)
    assert keeper.meters.counts["clock_steps"] == 0
    go_on(5, 3605)
    go_on(5, -95)
    go_on(5, 5)
    bet(table, 1)
    told = [entry["record"].get("text") for entry in table.events(0, 100, "room")]
    assert [str(text) for text in told if text] == ["The clock was set 3600 s ahead.", "The clock was set 100 s back."]
    assert keeper.meters.counts["clock_steps"] == 2


# ---- the installed files


def test_the_house_knows_whether_a_round_is_undecided(tmp_path: Path, table: TableService) -> None:
    with Housekeeper(table, Backups(tmp_path, BackupConfig()), Meters(tmp_path, table.history.entries)) as keeper:
        assert keeper.undecided == ""
        bet(table, 5)
        assert keeper.undecided == "5 coins are staked"


def test_changed_files_are_told_at_the_table(tmp_path: Path, table: TableService) -> None:
    keeper = Housekeeper(
        table,
        Backups(tmp_path, BackupConfig()),
        Meters(tmp_path, table.history.entries),
        check=lambda: SelfCheck("changed", 2, ("companion/rules.py",)),
    )
    keeper.verify_files()
    bet(table, 1)
    assert any("companion/rules.py" in str(entry["record"].get("text")) for entry in table.events(0, 100, "room"))


def test_a_program_that_somebody_else_signed_is_told_at_the_table(tmp_path: Path, table: TableService) -> None:
    found = SelfCheck("other-key", 2, (), "ab" * 32)
    keeper = Housekeeper(
        table, Backups(tmp_path, BackupConfig()), Meters(tmp_path, table.history.entries), check=lambda: found
    )
    keeper.verify_files()
    bet(table, 1)
    told = [str(entry["record"].get("text")) for entry in table.events(0, 100, "room")]
    assert "The program is signed by somebody else than before: abab abab abab abab." in told


@pytest.mark.parametrize("state", ["same", "unsigned", "unlisted"])
def test_an_installation_in_order_is_not_spoken_of(tmp_path: Path, table: TableService, state: Any) -> None:
    keeper = Housekeeper(
        table,
        Backups(tmp_path, BackupConfig()),
        Meters(tmp_path, table.history.entries),
        check=lambda: SelfCheck(state),
    )
    before = len(table.events(0, 100, "room"))
    keeper.verify_files()
    bet(table, 1)
    assert len(table.events(0, 100, "room")) == before + 1


def test_the_owner_goes_on_with_another_signers_program(tmp_path: Path, table: TableService) -> None:
    signed = [SelfCheck("other-key", 2, (), "ab" * 32), SelfCheck("same", 2, (), "ab" * 32)]
    keeper = Housekeeper(
        table, Backups(tmp_path, BackupConfig()), Meters(tmp_path, table.history.entries), check=lambda: signed.pop(0)
    )
    house = House(tmp_path, keeper, lambda *_, **__: None, lambda: None, is_safe=False)
    with pytest.raises(Refused, match="signed as before"):
        house.accept_key()
    keeper.verify_files()
    house.accept_key()
    assert known_key(tmp_path) == "ab" * 32
    assert house.checked is not None
    assert house.checked.state == "same"
    with pytest.raises(Refused, match="signed as before"):
        house.accept_key()
