"""``companion backup`` and ``restore``: a complete restore, or no change at all."""

import gzip
import hashlib
import io
import json
import os
import sqlite3
import tarfile
import threading
import tracemalloc
from pathlib import Path
from unittest.mock import ANY

import pytest

from companion.cli import run_command_line as run
from companion.journal.backups.backup import MANIFEST, ROOT, make_backup
from companion.journal.backups.pending import ArchiveError, Pending
from companion.journal.backups.staged_restore import finish_restore, stage_restore
from companion.journal.backups.untrusted_tar import UntrustedTar
from companion.journal.datalock import hold_data_dir
from companion.journal.store import FILE_NAME, JournalReader
from companion.journal.verify import verify
from companion.locale import Translator
from companion.objects.decks import DeckStore
from companion.service.table_service import TableService
from companion.testing import DECKS, INSTALLED, new_header

HEADER = new_header("roche", (("Ann", 100_000),))
BET = {"do": "bet", "player": "Ann", "on": "cut/2", "amount": 1}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory with files of every kind."""
    folder = tmp_path / "data"
    DeckStore(folder, DECKS).new("roche")
    (folder / "access.json").write_text("{}")
    (folder / "companion.toml").write_text("")
    (folder / "evidence").mkdir()
    (folder / "evidence" / "x.jpg").write_bytes(b"\xff\xd8")
    with TableService.open(folder / FILE_NAME, HEADER, INSTALLED) as service:
        service.submit(BET, source="dealer")
    return folder


@pytest.fixture
def backup(data: Path, tmp_path: Path) -> Path:
    assert run(["backup", str(tmp_path / "b.tar.gz"), "--data", str(data)]) == 0
    return tmp_path / "b.tar.gz"


def contents(folder: Path) -> dict[str, bytes]:
    """Every file but the lock, and SQLite's helpers."""
    files = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    return {name: path.read_bytes() for name, path in files.items() if not name.endswith((".lock", "-wal", "-shm"))}


def test_there_and_back(data: Path, backup: Path, tmp_path: Path) -> None:
    """A restored directory has every file, readable by its owner only, and the same table."""
    there = tmp_path / "there"
    assert run(["restore", str(backup), "--data", str(there)]) == 0
    (there / "restore.pending").unlink()  # the next start tells of it
    before, after = contents(data), contents(there)
    assert before.keys() == after.keys()
    assert {name for name in before if before[name] != after[name]} <= {FILE_NAME, "latest-journal.mark"}
    assert {p.stat().st_mode & 0o077 for p in (backup, there, *there.rglob("*"))} == {0}
    with TableService.open(there / FILE_NAME, HEADER, INSTALLED) as service:
        assert service.view()["staked"] == 1


def test_a_backup_while_the_table_runs(data: Path, tmp_path: Path) -> None:
    """A backup during a stream of commands is a consistent snapshot with an intact hash chain."""
    with TableService.open(data / FILE_NAME, HEADER, INSTALLED) as service:
        stop = threading.Event()
        thread = threading.Thread(target=_bet_until, args=(service, stop))
        thread.start()
        made = make_backup(data, tmp_path / "live.tar.gz", INSTALLED)
        stop.set()
        thread.join()
        written = service.view()["seq"]
    assert made.journal is not None
    assert made.journal.wrong is None
    assert 2 <= made.journal.entries <= written
    assert run(["restore", str(tmp_path / "live.tar.gz"), "--data", str(tmp_path / "there")]) == 0
    with JournalReader.open(tmp_path / "there" / FILE_NAME) as reader:
        assert verify(reader, INSTALLED).entries == made.journal.entries


def _bet_until(service: TableService, stop: threading.Event) -> None:
    while not stop.is_set():
        service.submit(BET, source="dealer")


def test_a_backup_into_the_data_directory_holds_the_journal_once(data: Path, backup: Path) -> None:
    made = make_backup(data, data / "b.tar.gz", INSTALLED)
    assert set(made.files) == set(make_backup(data, data / "c.tar.gz", INSTALLED).files) - {"b.tar.gz"}
    with tarfile.open(backup) as before, tarfile.open(data / "b.tar.gz") as now:
        assert sorted(now.getnames()) == sorted(before.getnames())


def test_restore_does_not_overwrite(data: Path, backup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A non-empty directory is left alone; with --force it is moved aside as a whole."""
    before = contents(data)
    assert run(["restore", str(backup), "--data", str(data)]) == 2
    assert capsys.readouterr().err == (
        f"companion: {data} is not empty. Give --force to move what is there aside, or choose another --data.\n"
    )
    (data / "mine.txt").write_text("mine")
    assert run(["restore", str(backup), "--data", str(data), "--force"]) == 0
    (aside,) = data.parent.glob("data.before-restore-*")
    assert contents(aside) == before | {"mine.txt": b"mine"}
    assert not (data / "mine.txt").exists()


def test_restore_while_the_table_runs(data: Path, backup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A running table's data is not replaced."""
    with hold_data_dir(data):
        assert run(["restore", str(backup), "--data", str(data), "--force"]) == 1
    assert "Another companion (process " in capsys.readouterr().err


# ---- archives that cannot be trusted


def rebuilt(backup: Path, **changes: bytes | None) -> Path:
    """Write the archive anew with some files changed (None: left out)."""
    out = backup.with_name("changed.tar.gz")
    with tarfile.open(backup) as old, tarfile.open(out, "w:gz") as new:
        for member in old:
            name = member.name.removeprefix(f"{ROOT}/")
            data = old.extractfile(member).read()  # type: ignore[union-attr]
            data = changes.get(name.replace(".", "_"), data)  # type: ignore[assignment]
            if data is not None:
                member.size = len(data)
                new.addfile(member, io.BytesIO(data))
    return out


def with_member(backup: Path, member: tarfile.TarInfo) -> Path:
    out = backup.with_name("changed.tar.gz")
    with tarfile.open(out, "w:gz") as new:
        member.size = 4 if member.isreg() else 0
        new.addfile(member, io.BytesIO(b"evil"))
    return out


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def refused(archive: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Restore with force; nothing may have changed, anywhere."""
    everywhere = contents(data.parent)
    assert run(["restore", str(archive), "--data", str(data), "--force"]) == 2
    assert contents(data.parent) == everywhere
    return capsys.readouterr().err


@pytest.mark.parametrize(
    "strange",
    [
        member("../evil"),
        member(f"{ROOT}/../../evil"),
        member("/etc/evil"),
        member(f"{ROOT}/a/../../../evil"),
        member("elsewhere/evil"),
        member(f"{ROOT}/link", tarfile.SYMTYPE, "/etc/passwd"),
        member(f"{ROOT}/link", tarfile.LNKTYPE, "../../evil"),
        member(f"{ROOT}/device", tarfile.CHRTYPE),
        member(f"{ROOT}/pipe", tarfile.FIFOTYPE),
        member(ROOT),
    ],
    ids=lambda info: info.name,
)
def test_nothing_leaves_the_directory(
    data: Path, backup: Path, capsys: pytest.CaptureFixture[str], strange: tarfile.TarInfo
) -> None:
    """Paths out of the directory, links and devices are refused by name."""
    assert "which no backup of ours does. Nothing was changed." in refused(with_member(backup, strange), data, capsys)


@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_an_archive_cut_short(data: Path, backup: Path, capsys: pytest.CaptureFixture[str], part: float) -> None:
    """Cut anywhere, it is refused."""
    cut = backup.with_name("cut.tar.gz")
    cut.write_bytes(backup.read_bytes()[: int(part * backup.stat().st_size)])
    assert "cut" in refused(cut, data, capsys)


def test_a_flipped_bit(data: Path, backup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A damaged archive is refused."""
    damaged = bytearray(backup.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (backup.parent / "flip.tar.gz").write_bytes(damaged)
    assert "Nothing was changed" in refused(backup.parent / "flip.tar.gz", data, capsys).replace("nothing", "Nothing")


def test_a_changed_file(data: Path, backup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is not the one that was saved is named."""
    archive = rebuilt(backup, access_json=b'{"pin": 1}')
    assert "access.json is not as it was saved" in refused(archive, data, capsys)


def test_a_missing_list(data: Path, backup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without its list of files it is not a valid backup."""
    archive = rebuilt(backup, **{MANIFEST.replace(".", "_"): None})
    assert "has no list of its files" in refused(archive, data, capsys)


def test_a_newer_backup(data: Path, backup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A backup of a later companion asks for an update."""
    newer = json.dumps({"version": 9, "made": "2031-01-01", "files": {}}).encode()
    archive = rebuilt(backup, **{MANIFEST.replace(".", "_"): newer})
    assert "was made by a newer companion. Update this one" in refused(archive, data, capsys)


def test_a_broken_journal_in_a_sound_archive(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A backup of a broken journal is made, with a warning; it does not restore."""
    with sqlite3.connect(data / FILE_NAME) as file:
        file.execute("UPDATE entry SET source = 'x' WHERE seq = 2")
    archive = tmp_path / "broken.tar.gz"
    assert run(["backup", str(archive), "--data", str(data)]) == 1
    assert "its journal is broken: entry 2" in capsys.readouterr().err
    assert "is broken: entry 2: its contents were altered" in refused(archive, data, capsys)
    with pytest.raises(ArchiveError) as broken:
        stage_restore(archive, data, INSTALLED)
    say = Translator(())
    assert "Eintrag 2: sein Inhalt wurde verändert: er ergibt den Hash" in say(broken.value.message, "de")
    assert "su contenido fue alterado: da el hash" in say(broken.value.message, "es")


@pytest.mark.parametrize("target", ["no/such/folder/b.tar.gz", "."])
def test_a_backup_that_cannot_be_written(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], target: str
) -> None:
    """The error names the path, and no partial files are left."""
    before = sorted(tmp_path.rglob("*"))
    assert run(["backup", str(tmp_path / target), "--data", str(data)]) == 1
    assert str(tmp_path) in capsys.readouterr().err
    assert [p for p in sorted(tmp_path.rglob("*")) if not p.name.endswith(("-wal", "-shm"))] == before


def test_what_is_no_file_is_not_replaced(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert run(["backup", str(pipe), "--data", str(data)]) == 1
    assert "is a device, no file" in capsys.readouterr().err
    assert pipe.is_fifo()


def test_nothing_to_back_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty or missing data directory cannot be backed up."""
    assert run(["backup", str(tmp_path / "b.tar.gz"), "--data", str(tmp_path / "none")]) == 1
    assert "There is nothing in" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"SQLite format 3\0" + b"x" * 500, b"no database", b""])
def test_a_journal_that_is_none_in_a_sound_archive(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    """The error names the archive, not the temporary folder."""
    sums = {FILE_NAME: hashlib.sha256(content).hexdigest()}
    manifest = json.dumps({"version": 1, "made": "2026-05-01", "files": sums}).encode()
    archive = tmp_path / "odd.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        for name, part in ((FILE_NAME, content), (MANIFEST, manifest)):
            info = tarfile.TarInfo(f"{ROOT}/{name}")
            info.size = len(part)
            tar.addfile(info, io.BytesIO(part))
    assert f"The journal in {archive} cannot be used" in refused(archive, data, capsys)


def test_a_list_of_files_that_is_nested_without_end(
    data: Path, backup: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = rebuilt(backup, **{MANIFEST.replace(".", "_"): b"[" * 100_000})
    assert "has no list of its files" in refused(archive, data, capsys)


# ---- archives made to break whoever unpacks them


def made_by_hand(path: Path, *parts: tuple[bytes, bytes], behind: int = 0) -> Path:
    """Write a tar.gz of headers and contents as they are given, so many zeros behind its end."""
    with gzip.open(path, "wb") as out:
        for header, content in parts:
            out.write(header + content.ljust(-len(content) % 512 + len(content), b"\0"))
        out.write(bytes(1024))
        for _ in range(behind >> 20):
            out.write(bytes(1 << 20))
    return path


def header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT)


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_header_that_wants_all_memory(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: bytes
) -> None:
    """Three hundred megabytes of header in as many kilobytes of archive: refused before they are read."""
    long = 300 << 20
    archive = made_by_hand(tmp_path / "h.tar.gz", (header("h", long, kind), bytes(1 << 20)), behind=long)
    tracemalloc.start()
    try:
        assert "a header is too long" in refused(archive, data, capsys)
        assert tracemalloc.get_traced_memory()[1] < 30 << 20
    finally:
        tracemalloc.stop()


def test_an_archive_that_goes_on_behind_its_end(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = made_by_hand(tmp_path / "z.tar.gz", (header(f"{ROOT}/a", 1), b"a"), behind=8 << 20)
    assert "it goes on behind its end" in refused(archive, data, capsys)


def test_as_much_as_a_tar_may_be_filled_up_with_is_read_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the byte: what is left behind the last file, and one more."""
    plain = header(f"{ROOT}/a", 1) + b"a".ljust(512, b"\0") + bytes(64 * 1024)
    archive = tmp_path / "r.tar.gz"
    archive.write_bytes(gzip.compress(plain))
    for room, error in ((0, None), (-1, "it goes on behind its end")):
        with gzip.open(archive) as file:
            tar = UntrustedTar(file)
            assert [member.name for member in tar] == [f"{ROOT}/a"]
            monkeypatch.setattr("companion.journal.backups.untrusted_tar.REST_BYTES", len(plain) - file.tell() + room)
            if error is None:
                tar.finish()
            else:
                with pytest.raises(tarfile.ReadError, match=error):
                    tar.finish()


def test_an_archive_that_would_fill_the_disk_is_refused(
    data: Path, backup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every file counts with its length and a block of the disk; what just fits is unpacked."""
    with tarfile.open(backup) as tar:
        takes = sum(member.size + 4096 for member in tar)
    monkeypatch.setattr("companion.journal.backups.restore.MAX_BYTES", takes - 1)
    assert f"There is not enough room to unpack {backup}. Make room first." in refused(backup, data, capsys)
    monkeypatch.setattr("companion.journal.backups.restore.MAX_BYTES", takes)
    assert run(["restore", str(backup), "--data", str(tmp_path / "there")]) == 0


def test_a_file_shorter_than_nothing(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = made_by_hand(tmp_path / "n.tar.gz", (header(f"{ROOT}/a", -512), b""))
    assert "damaged or cut short" in refused(archive, data, capsys)


def test_a_list_of_files_that_wants_all_memory(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.journal.backups.restore._MAX_LIST_BYTES", 1 << 20)
    archive = made_by_hand(tmp_path / "l.tar.gz", (header(f"{ROOT}/{MANIFEST}", 2 << 20), bytes(2 << 20)))
    assert f"{MANIFEST} is too long" in refused(archive, data, capsys)


def test_too_many_files(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.journal.backups.untrusted_tar.MAX_FILES", 20)
    parts = [(header(f"{ROOT}/{number}", 0), b"") for number in range(21)]
    assert "too many files" in refused(made_by_hand(tmp_path / "m.tar.gz", *parts), data, capsys)


def test_what_a_backup_never_holds_is_left_out(data: Path, backup: Path, tmp_path: Path) -> None:
    """A switch that moves the data elsewhere, a position with other coins, a log with other entries: none comes in."""
    away = {"stage": "ready", "archive": "a", "made": "", "entries": 1, "aside": str(tmp_path / "away")}
    planted = {
        "restore.pending": json.dumps(away).encode(),
        "restored/journal.sqlite3": b"another",
        "journal.shortcut": b"another",
        f"{FILE_NAME}-wal": b"another",
    }
    with tarfile.open(backup) as old:
        files = {m.name.removeprefix(f"{ROOT}/"): old.extractfile(m).read() for m in old}  # type: ignore[union-attr]
    sums = json.loads(files.pop(MANIFEST))["files"]
    sums |= {name: hashlib.sha256(content).hexdigest() for name, content in planted.items()}
    files |= {**planted, MANIFEST: json.dumps({"version": 1, "made": "2026-05-01", "files": sums}).encode()}
    parts = [(header(f"{ROOT}/{name}", len(content)), content) for name, content in files.items()]
    assert run(["restore", str(made_by_hand(tmp_path / "p.tar.gz", *parts)), "--data", str(data), "--force"]) == 0
    found = contents(data)
    assert not {"journal.shortcut", f"{FILE_NAME}-wal", "restored/journal.sqlite3"} & found.keys()
    assert finish_restore(data) == Pending("p.tar.gz", "2026-05-01", 2, ANY, "in")
    assert not (tmp_path / "away").exists()
    assert contents(data).keys() == found.keys() - {"restore.pending"}


def test_a_note_of_a_switch_that_cannot_be_read_stops_the_start(data: Path) -> None:
    (data / "restore.pending").mkdir()
    with pytest.raises(ArchiveError, match=r"restore\.pending is damaged: a restore cannot be finished\. Look there\."):
        finish_restore(data)


@pytest.mark.parametrize("aside", ["/tmp/elsewhere", "../elsewhere", "before-restore-/../../elsewhere"])
def test_a_switch_that_would_move_the_data_elsewhere(data: Path, aside: str) -> None:
    (data / "restore.pending").write_text(
        json.dumps({"stage": "ready", "archive": "a", "made": "", "entries": 1, "aside": aside})
    )
    before = contents(data.parent)
    with pytest.raises(ArchiveError, match="is damaged"):
        finish_restore(data)
    assert contents(data.parent) == before


def test_the_next_start_tells_of_a_restore(data: Path, backup: Path) -> None:
    """After a restore to an earlier state, the journal records it for later readers."""
    with TableService.open(data / FILE_NAME, HEADER, INSTALLED) as service:
        service.submit(BET, source="dealer")
    assert run(["restore", str(backup), "--data", str(data), "--force"]) == 0
    restored = finish_restore(data)
    assert restored is not None
    assert (restored.archive, restored.entries) == ("b.tar.gz", 2)
    assert finish_restore(data) is None
