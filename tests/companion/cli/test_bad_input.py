"""Commands with endless input, binary input or devices: one error sentence, and nothing is changed."""

import json
import os
from pathlib import Path

import pytest

from companion.cli import run_command_line as run
from companion.journal.store import FILE_NAME
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    with TableService.open(folder / FILE_NAME, new_header("roche", (("Ann", 100),)), INSTALLED):
        return folder


@pytest.fixture
def device(tmp_path: Path) -> Path:
    """A file that is none, in a folder where it could be replaced by one."""
    os.mkfifo(tmp_path / "device")
    return tmp_path / "device"


@pytest.mark.parametrize(
    "argv",
    [
        ("replay", "/dev/zero"),
        ("hil", "run", "/dev/zero"),
        ("wiring", "--config", "/dev/zero"),
        ("torture", "--check", "/dev/zero"),
        ("pin", "--pin-file", "/dev/zero"),
        ("journal", "countersign", "{deep}"),
        ("journal", "verify", "--witness", "{deep}"),
        ("torture", "--check", "{deep}"),
        ("torture", "--minutes", "nan"),
        ("pin", "--pin-file", "{binary}"),
        ("journal", "tail", "--lines", "9" * 20),
        ("print", "seats", "--out", "{data}/seats.pdf", "--address", "table.local"),
        ("odds", "blackjack", "--option", "decks=x"),
        ("enroll", "die", "{binary}"),
    ],
)
def test_it_is_refused_in_one_line(
    argv: tuple[str, ...],
    data: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COMPANION_DATA", str(data))
    (tmp_path / "deep").write_text("[" * 100_000 + "\n")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\0" * 50)
    before = {path.name for path in data.iterdir()}
    places = {"deep": tmp_path / "deep", "binary": tmp_path / "binary", "data": data}
    assert run([word.format(**places) if "{" in word else word for word in argv]) == 2
    told = capsys.readouterr().err
    assert (told.startswith("companion: "), told.count("\n")) == (True, 1), told
    assert {path.name for path in data.iterdir()} - {f"{FILE_NAME}-shm", f"{FILE_NAME}-wal"} == before


@pytest.mark.parametrize(
    "argv", [("print", "rules"), ("bug-report",), ("journal", "export"), ("torture", "--minutes", "0.1")]
)
def test_what_is_no_file_is_never_replaced_by_one(
    argv: tuple[str, ...], data: Path, device: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Regression: as root, ``--out /dev/null`` replaced it by a regular file, which then filled the disk."""
    assert run([*argv, "--out", str(device), "--data", str(data)]) in (1, 2)
    assert "is a device, no file. Name another place with --out." in capsys.readouterr().err
    assert device.is_fifo()


def test_a_host_that_is_no_address_of_this_machine_is_told(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "--host", "300.1.1.1", "--data", str(data)]) == 1
    assert "Choose another --host" in capsys.readouterr().err


def test_nothing_is_accepted_where_no_journal_ever_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It began one there, with a key."""
    assert run(["journal", "accept", "--data", str(tmp_path / "typo")]) == 1
    assert "has never had a journal" in capsys.readouterr().err
    assert not (tmp_path / "typo").exists()


def test_a_witness_that_is_another_file_is_left_as_it_is(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its end, from the last line break on, was cut off."""
    for content in (b"Dear diary\nnothing", b"Dear diary", json.dumps({"a": 1}).encode() + b"\n"):
        (tmp_path / "diary").write_bytes(content)
        assert run(["journal", "witness", str(tmp_path / "diary"), "--data", str(data)]) == 1
        assert "it holds something else than heads" in capsys.readouterr().err
        assert (tmp_path / "diary").read_bytes() == content


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_what_root_makes_in_a_services_data_is_the_services(data: Path, tmp_path: Path) -> None:
    """It could read neither the deck nor its own restored journal, and did not start any more."""
    for path in (data, *data.rglob("*")):
        os.chown(path, 4321, 4321)
    (tmp_path / "roots").touch()
    (data / "link").symlink_to(tmp_path / "roots")
    os.link(tmp_path / "roots", data / "hard")
    assert run(["deck", "new", "--data", str(data)]) == 0
    assert run(["backup", str(tmp_path / "b.tgz"), "--data", str(data)]) == 0
    assert {path.stat().st_uid for path in (data, *(data / "decks").rglob("*"))} == {4321}
    assert (tmp_path / "roots").stat().st_uid == 0
    assert run(["restore", str(tmp_path / "b.tgz"), "--force", "--data", str(data)]) == 0
    assert {path.stat().st_uid for path in (data, *data.rglob("*")) if path.name != "hard"} == {4321}
