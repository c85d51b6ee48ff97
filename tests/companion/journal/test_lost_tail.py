"""Lost acknowledged entries: reported exactly, and no command is accepted until a person has decided."""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from companion.cli import run_command_line as run
from companion.journal.store import FILE_NAME, Journal, JournalError, JournalReader
from companion.journal.trust.guard import Trouble
from companion.journal.trust.mark import mark_path, read_mark
from companion.journal.verify import verify
from companion.kernel.errors import Internal, JournalDamaged, NothingDone, NotSaved
from companion.service.clocks.tonight import TonightWatch
from companion.service.snapshot import RoomView
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header

HEADER = new_header("roche", (("Ann", 100), ("Bo", 100)))
ACKNOWLEDGED = 63

EVENING = f"""
import os, sys
from pathlib import Path
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
with TableService.open(Path(sys.argv[1]), new_header("roche", (("Ann", 100), ("Bo", 100))), INSTALLED) as service:
    service._files.journal.flush_wal = lambda: None
    for number in range({ACKNOWLEDGED - 1}):
        service.submit({{"do": "buy-in", "player": "Ann", "coins": 1}}, source="dealer")
        if number == 20:
            service._files.journal._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    os.kill(os.getpid(), 9)
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of a table killed after many acknowledged commands, most of them still in the WAL."""
    folder = tmp_path_factory.mktemp("killed") / "data"
    folder.mkdir()
    done = subprocess.run([sys.executable, "-c", EVENING, folder / FILE_NAME], timeout=60)
    assert done.returncode == -9
    return folder


@pytest.fixture
def path(killed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(killed, tmp_path / "data")) / FILE_NAME


def coins(service: TableService) -> int:
    return coins_in(service.view())


def coins_in(view: RoomView) -> int:
    return sum(player["coins"] for player in view["players"])


def log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def without_log(path: Path) -> None:
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink()


def cut_log(path: Path) -> None:
    os.truncate(log_of(path), log_of(path).stat().st_size // 2)


def flipped_log(path: Path) -> None:
    data = bytearray(log_of(path).read_bytes())
    data[len(data) // 3] ^= 0x40
    log_of(path).write_bytes(data)


def empty(path: Path) -> None:
    without_log(path)
    path.write_bytes(b"")


def gone(path: Path) -> None:
    without_log(path)
    path.unlink()


def all_journals_gone(path: Path) -> None:
    for file in path.parent.glob("journal*"):
        file.unlink()


def test_after_a_kill_everything_acknowledged_is_there(path: Path) -> None:
    """Nothing is held: the WAL is complete."""
    with TableService.open(path, HEADER, INSTALLED) as service:
        assert (service.view()["seq"], coins(service)) == (ACKNOWLEDGED, 200 + ACKNOWLEDGED - 1)
        assert "journal" not in service.view()


@pytest.mark.parametrize("damage", [without_log, cut_log, flipped_log])
def test_a_lost_tail_is_said_and_holds_the_table(path: Path, damage: Callable[[Path], None]) -> None:
    """Reports how many entries are missing, which, and since when; no command is accepted until the owner accepts."""
    damage(path)
    with JournalReader.open(path) as reader:
        kept = sum(1 for _ in reader.entries())
        assert f"Missing: {kept + 1} to {ACKNOWLEDGED}" in (verify(reader, INSTALLED).wrong or "")
    for _ in range(2):  # a restart does not forget it
        with TableService.open(path, HEADER, INSTALLED) as service:
            told = service.view()["journal"]
            assert (told["state"], told["first"], told["last"]) == ("tail-lost", kept + 1, ACKNOWLEDGED)
            with pytest.raises(JournalDamaged, match=f"Missing: {kept + 1} to {ACKNOWLEDGED}"):
                service.submit({"do": "hold"}, source="dealer")
            service.notice("somebody looks in", source="web")
    with TableService.open(path, HEADER, INSTALLED) as service:
        accepted = service.submit({"do": "accept-loss"}, source="dealer", key="once")
        assert accepted.seq == kept + 1
        assert service.submit({"do": "accept-loss"}, source="dealer", key="once") == accepted, "the answer was lost"
        notice = service.view("dealer")["notices"][-1]
        assert notice["data"]["loss"] | {"head": ""} == {
            "state": "tail-lost",
            "first": kept + 1,
            "last": ACKNOWLEDGED,
            "head": "",
        }
        assert notice["text"].startswith("Accepted, and the table goes on: The end of the journal is lost")
        service.submit({"do": "buy-in", "player": "Bo", "coins": 7}, source="dealer")
        with pytest.raises(NothingDone):
            service.submit({"do": "accept-loss"}, source="dealer")
    with JournalReader.open(path) as reader:
        found = verify(reader, INSTALLED)
    assert (found.wrong, [loss.last for loss in found.losses]) == (None, [ACKNOWLEDGED])


def test_a_mistake_of_ours_while_accepting_accepts_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer says so: else the table would play on after an error, and the same key would be taken for accepted."""
    without_log(path)
    with TableService.open(path, HEADER, INSTALLED) as service:
        before = service.view()
        with monkeypatch.context() as broken:
            broken.setattr(TonightWatch, "restore", lambda *_: 1 // 0)
            with pytest.raises(Internal):
                service.submit({"do": "accept-loss"}, source="dealer", key="once")
        with pytest.raises(JournalDamaged):
            service.submit({"do": "hold"}, source="dealer")
        assert service.submit({"do": "accept-loss"}, source="dealer", key="once").seq == before["seq"] + 1
        service.submit({"do": "buy-in", "player": "Bo", "coins": 7}, source="dealer")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_whatever_happens_to_the_log_nothing_is_lost_silently(path: Path, seed: int) -> None:
    """A WAL cut, flipped or overwritten anywhere: no acknowledged entry is missing unless it is reported."""
    rng = random.Random(seed)
    data = bytearray(log_of(path).read_bytes())
    at = rng.randrange(len(data))
    if seed % 3 == 0:
        del data[at:]
    elif seed % 3 == 1:
        data[at] ^= 1 << rng.randrange(8)
    else:
        data[at : at + 4096] = rng.randbytes(len(data[at : at + 4096]))
    log_of(path).write_bytes(data)
    try:
        with TableService.open(path, HEADER, INSTALLED) as service:
            view = service.view()
    except JournalError:
        return  # the file itself is damaged, and that is said
    if view["seq"] < ACKNOWLEDGED:
        assert (view["journal"]["first"], view["journal"]["last"]) == (view["seq"] + 1, ACKNOWLEDGED)
    else:
        assert (view["seq"], coins_in(view)) == (ACKNOWLEDGED, 200 + ACKNOWLEDGED - 1)


@pytest.mark.parametrize("damage", [empty, gone, all_journals_gone])
def test_a_journal_that_is_gone_is_not_begun_anew_silently(path: Path, damage: Callable[[Path], None]) -> None:
    """If decks, PIN and high-water mark are still there, the loss is reported, and a person decides."""
    damage(path)
    for _ in range(2):
        with TableService.open(path, HEADER, INSTALLED) as service:
            told = service.view()["journal"]
            assert (told["state"], told["last"]) == ("journal-missing", ACKNOWLEDGED)
            assert f"is gone: {ACKNOWLEDGED} entries, the latest written at 20" in told["text"]
            with pytest.raises(JournalDamaged):
                service.submit({"do": "hold"}, source="dealer")
            assert service.view()["seq"] == 0
    with TableService.open(path, HEADER, INSTALLED) as service:
        service.submit({"do": "accept-loss"}, source="dealer")
        assert (service.view()["seq"], coins(service)) == (2, 200)
        service.submit({"do": "hold"}, source="dealer")
    with JournalReader.open(path) as reader:
        assert verify(reader, INSTALLED).wrong is None


def test_the_owner_accepts_at_the_machine(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a page: one command, once."""
    without_log(path)
    call = ["journal", "accept", "--data", str(path.parent)]
    assert run(call) == 0
    assert "Accepted: The end of the journal is lost" in capsys.readouterr().out
    assert run(call) == 1
    assert run(["journal", "verify", "--data", str(path.parent)]) == 0
    assert "The owner accepted a loss: entries 23 to 63, by entry 23 of 20" in capsys.readouterr().out


def test_a_lost_key_is_asked_about(path: Path) -> None:
    """A new one is made only after the owner's acceptance; the old key's signatures then count as the owner's."""
    (path.parent / "signing-journal.key").unlink()
    with TableService.open(path, HEADER, INSTALLED) as service:
        assert service.view()["journal"]["state"] == "key-missing"
        service.submit({"do": "accept-loss"}, source="dealer")
    with JournalReader.open(path) as reader:
        found = verify(reader, INSTALLED)
    assert (found.wrong, len(found.keys), found.is_trusted) == (None, 2, True)


# ---- the second place itself


def test_a_torn_slot_is_no_loss(tmp_path: Path) -> None:
    """A power cut tears one slot: the other one, a commit older, is used, and the journal is ahead of it."""
    path = tmp_path / FILE_NAME
    with TableService.open(path, HEADER, INSTALLED) as service:
        service.submit({"do": "hold"}, source="dealer")
        last = service.submit({"do": "release"}, source="dealer").seq
    mark, found = mark_path(path), read_mark(mark_path(path), None)
    assert found.latest is not None
    slot = found.latest.turn % 2 * 4096
    data = bytearray(mark.read_bytes())
    data[slot + 40 : slot + 80] = bytes(40)
    mark.write_bytes(data)
    assert read_mark(mark, None).latest is not None
    with TableService.open(path, HEADER, INSTALLED) as service:
        assert (service.view()["seq"], "journal" in service.view()) == (last, False)


def test_nothing_is_acknowledged_before_the_second_place_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commit, mark, answer, in this order; if the mark cannot be written, nothing more is accepted."""
    path, order = tmp_path / FILE_NAME, []
    with TableService.open(path, HEADER, INSTALLED) as service:
        write = os.fdatasync
        monkeypatch.setattr(os, "fdatasync", lambda file: (order.append(len(_entries(path))), write(file))[1])
        service.submit({"do": "hold"}, source="dealer")
        assert order == [2]

        def broken(file: int) -> None:
            raise OSError(5, "Input/output error")

        monkeypatch.setattr(os, "fdatasync", broken)
        service.submit({"do": "release"}, source="dealer")  # it is in the journal: that much is true
        with pytest.raises(NotSaved, match="says how far the journal goes cannot be written: Input/output error"):
            service.submit({"do": "hold"}, source="dealer")
        assert service.view()["journal"]["state"] == "unsaved"
        monkeypatch.undo()
        service.submit({"do": "hold"}, source="dealer")
        assert "journal" not in service.view()
    assert len(_entries(path)) == 4


def _entries(path: Path) -> list[object]:
    with JournalReader.open(path) as reader:
        return list(reader.entries())


# ---- under the running table


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[TableService, Path]]:
    path = tmp_path / "data" / FILE_NAME
    with TableService.open(path, HEADER, INSTALLED) as service:
        service.submit({"do": "hold"}, source="dealer")
        yield service, path


def state_soon(service: TableService, wanted: str | None) -> bool:
    """Wait, without giving a command, until the table reports this state of its journal."""
    ends = time.monotonic() + 20
    while time.monotonic() < ends:
        if service.view().get("journal", {}).get("state") == wanted:
            return True
        time.sleep(0.05)
    return False


def folder_deleted(path: Path) -> None:
    shutil.rmtree(path.parent)


def folder_moved(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))


def log_deleted(path: Path) -> None:
    log_of(path).unlink()


def another_file(path: Path) -> None:
    shutil.copy(path, path.with_name("copy"))
    path.with_name("copy").replace(path)


def second_place_deleted(path: Path) -> None:
    mark_path(path).unlink()


@pytest.mark.parametrize("harm", [folder_deleted, folder_moved, log_deleted, another_file, second_place_deleted])
def test_files_that_vanish_under_the_table(running: tuple[TableService, Path], harm: Callable[[Path], None]) -> None:
    """The next command is refused, rather than acknowledged and lost; it is reported without any command, too."""
    service, path = running
    harm(path)
    with pytest.raises(NotSaved, match="is gone from under the table"):
        service.submit({"do": "release"}, source="dealer")
    assert service.view()["hold"] is not None
    assert state_soon(service, "gone")
    with pytest.raises(NothingDone):
        service.submit({"do": "accept-loss"}, source="dealer")


def test_it_is_said_before_anybody_gives_a_command(running: tuple[TableService, Path]) -> None:
    """When the same folder comes back, the trouble ends."""
    service, path = running
    folder_moved(path)
    assert state_soon(service, "gone")
    path.parent.with_name("elsewhere").rename(path.parent)
    assert state_soon(service, None)
    service.submit({"do": "release"}, source="dealer")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 2 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("mounting needs root")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def fill(file: Path) -> None:
    with file.open("wb", buffering=0) as ballast:
        try:
            while True:
                ballast.write(b"x" * 512)
        except OSError:
            return


def buy_in(service: TableService, times: int) -> None:
    for _ in range(times):
        service.submit({"do": "buy-in", "player": "Ann", "coins": 1}, source="dealer")


def test_a_disk_that_is_unmounted_under_the_table(small_disk: Path) -> None:
    """No command is acknowledged that would be written to a disk that is gone."""
    with TableService.open(small_disk / FILE_NAME, HEADER, INSTALLED) as service:
        subprocess.run(["umount", "-l", small_disk], check=True)
        with pytest.raises(NotSaved):
            service.submit({"do": "hold"}, source="dealer")
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", small_disk], check=True)


def test_a_full_disk_is_said_until_there_is_room(small_disk: Path) -> None:
    """A full disk is reported as long as it lasts; with space again the table is ready without intervention."""
    with TableService.open(small_disk / FILE_NAME, HEADER, INSTALLED) as service:
        fill(small_disk / "ballast")
        with pytest.raises(NotSaved, match="the disk is full"):
            buy_in(service, 300)
        assert service.view()["journal"]["state"] == "unsaved"
        (small_disk / "ballast").unlink()
        assert state_soon(service, None)


def test_a_backup_without_room_does_not_blame_the_journal(
    path: Path, small_disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is the backup's disk that is full."""
    fill(small_disk / "ballast")
    assert run(["backup", str(small_disk / "table.tar.gz"), "--data", str(path.parent)]) == 1
    said = capsys.readouterr().err
    assert "The backup" in said
    assert "cannot be written: No space left on device" in said
    assert "The journal" not in said


# ---- backups


def test_a_restored_backup_counts_as_it_is(path: Path, tmp_path: Path) -> None:
    """It includes the key, and the high-water mark is set to the restored journal."""
    archive = tmp_path / "table.tar.gz"
    assert run(["backup", str(archive), "--data", str(path.parent)]) == 0
    with TableService.open(path, HEADER, INSTALLED) as service:
        service.submit({"do": "hold"}, source="dealer")
    assert run(["restore", str(archive), "--force", "--data", str(path.parent)]) == 0
    with TableService.open(path, HEADER, INSTALLED) as service:
        assert (service.view()["seq"], "journal" in service.view()) == (ACKNOWLEDGED, False)
        service.submit({"do": "hold"}, source="dealer")
    assert run(["journal", "verify", "--data", str(path.parent)]) == 0


def test_a_journal_with_a_broken_key_says_so(path: Path) -> None:
    """A damaged key is not treated as a missing one: it has to be restored from a backup."""
    (path.parent / "signing-journal.key").write_text("{")
    with pytest.raises(JournalError, match="is damaged"):
        Journal.open(path)


# ---- found by the simulation (`make simulate`)


def test_of_two_losses_the_one_that_reaches_further_is_said(path: Path) -> None:
    """If a witness knows of more than the lost WAL: otherwise the owner would accept less than what is missing."""
    with Journal.open(path) as journal:
        for last in (2, 9, 5):
            journal.hold(Trouble("tail-lost", f"up to {last}", 1, last))
        assert journal.trouble is not None
        assert journal.trouble.last == 9


def test_an_accepted_loss_leaves_nothing_of_what_was_lost(path: Path) -> None:
    """A WAL lost in the middle of a checkpoint may leave keys and signatures of lost entries."""
    forget_behind(path, 40)
    with TableService.open(path, HEADER, INSTALLED) as service:
        service.submit({"do": "accept-loss"}, source="dealer")
        service.submit({"do": "buy-in", "player": "Ann", "coins": 1}, source="dealer", key="key 50")
    with JournalReader.open(path) as reader:
        assert verify(reader, INSTALLED).wrong is None


def test_an_accepted_journal_verifies_although_its_end_was_signed_otherwise(path: Path) -> None:
    """A WAL lost in the middle of a checkpoint may leave the last entry with another entry's signature."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE signature SET value = zeroblob(64) WHERE seq = (SELECT max(seq) FROM signature)")
    with TableService.open(path, HEADER, INSTALLED) as service:
        assert service.view()["journal"]["state"] == "rewritten"
        service.submit({"do": "accept-loss"}, source="dealer")
    with JournalReader.open(path) as reader:
        found = verify(reader, INSTALLED)
    assert (found.wrong, len(found.losses)) == (None, 1)


def test_what_was_given_up_does_not_come_back(path: Path, tmp_path: Path) -> None:
    """A WAL lost after its end was checkpointed, and lost again: entries that the owner gave up must not return."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        once = Path(shutil.copytree(path.parent, tmp_path / "once")) / FILE_NAME
    cut_log(once)
    with TableService.open(once, HEADER, INSTALLED) as service:
        assert service.view()["journal"]["state"] == "tail-lost"
        accepted = service.submit({"do": "accept-loss"}, source="dealer")
        again = Path(shutil.copytree(once.parent, tmp_path / "again")) / FILE_NAME
    without_log(again)
    with TableService.open(again, HEADER, INSTALLED) as service:
        assert "journal" not in service.view()
        assert service.view()["seq"] == accepted.seq


def forget_behind(path: Path, seq: int) -> None:
    """Delete the last entries, but neither their signatures nor their keys in the index."""
    index = "CREATE UNIQUE INDEX entry_key ON entry (key) WHERE key IS NOT NULL"
    for steps in (
        ("UPDATE entry SET key = 'key ' || seq WHERE seq > 40", "PRAGMA writable_schema=ON",
         "UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '-1') WHERE name = 'entry_key'"),
        (f"DELETE FROM entry WHERE seq > {seq}",
         "PRAGMA writable_schema=ON", f"UPDATE sqlite_master SET sql = '{index}' WHERE name = 'entry_key'"),
    ):  # fmt: skip
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            for step in steps:
                connection.execute(step)
