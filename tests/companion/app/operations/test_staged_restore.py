"""A restore from a page: checked beside the data, switched to at the next start, whenever the power goes."""

import json
import os
from pathlib import Path

import pytest

from companion.journal.backups.backup import make_backup
from companion.journal.backups.pending import ArchiveError, Pending
from companion.journal.backups.staged_restore import drop_restore, finish_restore, played_since, stage_restore
from companion.journal.store import JournalReader
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header

PLAYERS = (("Aubrey", 100), ("Benedict", 50))


def bet(folder: Path, *amounts: int) -> str:
    """Play, and return the journal's head."""
    with TableService.open(folder / "journal.sqlite3", new_header("roche", PLAYERS), INSTALLED) as table:
        assert table.view().get("journal") is None
        for amount in amounts:
            table.submit({"do": "bet", "player": "Aubrey", "on": "cut/2", "amount": amount}, source="test")
        return str(table.view()["head"])


@pytest.fixture
def staged(tmp_path: Path) -> tuple[Path, str]:
    """A table that went on after its backup, which is staged; and the head to come back to."""
    data = tmp_path / "data"
    data.mkdir()
    head = bet(data, 1, 2)
    (data / "companion.toml").write_text("# old\n")
    (data / "https").mkdir()
    (data / "https" / "authority.pem").write_text("trusted")
    (data / "backups").mkdir()
    archive = data / "backups" / "companion-20260501T120000Z.tar.gz"
    make_backup(data, archive, INSTALLED)
    bet(data, 3)
    (data / "companion.toml").write_text("# new\n")
    (data / "later.txt").write_text("made after the backup")
    (data / "meters.json").write_text("{}")
    (data / "given-up.json").write_text('["abcdefgh1"]')
    stage_restore(archive, data, INSTALLED)
    return data, head


def check_restored(data: Path, head: str) -> None:
    with JournalReader.open(data / "journal.sqlite3") as reader:
        assert reader.latest(1)[0].hash == head
    assert (data / "companion.toml").read_text() == "# old\n"
    assert not (data / "later.txt").exists()
    assert not (data / "restore.pending").exists()
    assert not (data / "restored").exists()
    assert (data / "meters.json").read_text() == "{}"
    assert (data / "given-up.json").read_text() == '["abcdefgh1"]', (
        "else the table takes coins that it said it would not"
    )
    assert (data / "https" / "authority.pem").read_text() == "trusted"
    assert (data / "backups" / "companion-20260501T120000Z.tar.gz").exists()
    aside = next(data.glob("before-restore-*"))
    assert (aside / "companion.toml").read_text() == "# new\n"
    assert bet(data, 5) != head  # it goes on, unheld


def test_nothing_changes_until_the_switch(staged: tuple[Path, str]) -> None:
    data, head = staged
    assert (data / "companion.toml").read_text() == "# new\n"
    assert bet(data, 4) != head
    pending = Pending.read(data)
    assert pending is not None
    assert pending.archive == "companion-20260501T120000Z.tar.gz"
    finish_restore(data)
    check_restored(data, head)
    assert finish_restore(data) is None


def test_a_switch_that_was_cut_off_anywhere_goes_on(staged: tuple[Path, str], tmp_path: Path) -> None:
    """The power goes before each single rename in turn."""
    data, head = staged
    for renames in range(40):
        copy = tmp_path / f"copy{renames}"
        os.system(f"cp -a {data} {copy}")
        left = renames

        def move(source: Path, target: Path) -> None:
            nonlocal left
            if left == 0:
                raise KeyboardInterrupt
            left -= 1
            os.replace(source, target)

        try:
            finish_restore(copy, move)
        except KeyboardInterrupt:
            finish_restore(copy)
            check_restored(copy, head)
        else:
            assert renames > 10, "hardly anything was renamed"
            return
    pytest.fail("the switch never ended")


def test_a_restore_can_be_dropped_before_the_switch_only(staged: tuple[Path, str]) -> None:
    data, _ = staged

    def fail(*_: Path) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(ArchiveError, match="the switch continues where it stopped"):
        finish_restore(data, fail)
    with pytest.raises(ArchiveError, match="has begun"):
        drop_restore(data)
    finish_restore(data)


def test_dropped_it_leaves_nothing(staged: tuple[Path, str]) -> None:
    data, _ = staged
    drop_restore(data)
    assert finish_restore(data) is None
    assert not (data / "restored").exists()
    assert (data / "later.txt").exists()


def test_a_damaged_backup_is_never_switched_to(staged: tuple[Path, str]) -> None:
    data, _ = staged
    archive = data / "backups" / "companion-20260501T120000Z.tar.gz"
    archive.write_bytes(archive.read_bytes()[:-50])
    with pytest.raises(ArchiveError, match="damaged"):
        stage_restore(archive, data, INSTALLED)
    assert not (data / "restored").exists()
    assert Pending.read(data) is None


def test_backups_and_old_data_are_in_no_backup(staged: tuple[Path, str], tmp_path: Path) -> None:
    data, _ = staged
    finish_restore(data)
    made = make_backup(data, tmp_path / "again.tar.gz", INSTALLED)
    assert not [name for name in made.files if name.startswith(("backups", "before-restore", "restore"))]


def test_a_switch_says_what_it_puts_aside(staged: tuple[Path, str]) -> None:
    """Hours after it was asked for, the table has played on: so many rounds, and where they are."""
    data, head = staged
    assert Pending.read(data) == played_since(data, Pending.read(data)), "nothing was played yet"
    with TableService.open(data / "journal.sqlite3", new_header("roche", PLAYERS), INSTALLED) as table:
        for card in ("", "2N1", "2N2"):
            record = {"do": "deal", "card": card} if card else {"do": "no-more-bets"}
            table.submit(record, source="test")
    waiting = played_since(data, Pending.read(data))
    assert (waiting.commands, waiting.rounds) == (3, 1)
    done = finish_restore(data)
    assert (done.commands, done.rounds) == (3, 1)
    with JournalReader.open(data / done.aside / "journal.sqlite3") as reader:
        assert reader.latest(1)[0].seq == done.asked_at + 3
    check_restored(data, head)


def test_a_switch_that_was_cut_off_still_says_what_it_has_put_aside(staged: tuple[Path, str]) -> None:
    data, _ = staged
    bet(data, 4)

    def fail(*_: Path) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(ArchiveError):
        finish_restore(data, fail)
    os.replace(data / "journal.sqlite3", data / Pending.read(data).aside / "journal.sqlite3")
    assert finish_restore(data).commands == 1


def test_a_note_of_an_earlier_program_is_read(staged: tuple[Path, str]) -> None:
    """It does not say when the restore was asked for: nothing is counted."""
    data, head = staged
    told = json.loads((data / "restore.pending").read_text())
    for name in ("asked_at", "commands", "rounds"):
        del told[name]
    (data / "restore.pending").write_text(json.dumps(told))
    bet(data, 4)
    assert finish_restore(data).commands == 0
    check_restored(data, head)
