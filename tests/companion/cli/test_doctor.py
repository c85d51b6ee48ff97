"""``companion doctor``: reports problems with remedies, without false alarms."""

import json
import os
import socket
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from companion.cli import run_command_line as run
from companion.journal.datalock import hold_data_dir
from companion.journal.seals import ENDING
from companion.journal.store import FILE_NAME
from companion.objects.decks import DeckStore
from companion.service.table_service import TableService
from companion.testing import DECKS, INSTALLED, new_header

HEADER = new_header("roche", (("Ann", 100),))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A healthy installation, on a free port."""
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    DeckStore(folder, DECKS).new("roche")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (folder / "companion.toml").write_text(f'[web]\nhost = "127.0.0.1"\nport = {port}\n')
    TableService.open(folder / FILE_NAME, HEADER, INSTALLED).close()
    return folder


def examine(data: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, tuple[str, str]]]:
    """Return the exit code, and name -> (status, text); for several findings of a name, the worst."""
    capsys.readouterr()
    code = run(["doctor", "--data", str(data), "--json"])
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert told["ok"] == (code == 0)
    order = {"ok": 0, "warning": 1, "wrong": 2}
    checks = sorted(told["checks"], key=lambda check: order[check["status"]])
    return code, {check["name"]: (check["status"], f"{check['text']} {check['mend']}") for check in checks}


def test_a_house_in_order(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No problems, every decoder has read a real code, and the text output has a line per check."""
    code, found = examine(data, capsys)
    assert code == 0
    for name in (
        "configuration",
        "system",
        "SQLite",
        "zxing-cpp",
        "corner tags",
        "clock",
        "data",
        "journal",
        "decks",
        "port",
    ):
        assert found[name][0] == "ok", (name, found[name])
    assert "camera" in found
    assert run(["doctor", "--data", str(data)]) == 0
    assert len(capsys.readouterr().out.splitlines()) >= 12


def test_nothing_there_yet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before the first start only the decks are missing, and the checks create no files."""
    _, found = examine(tmp_path / "new", capsys)
    assert found["data"] == ("ok", f"{tmp_path / 'new'} will be created at the first start. ")
    assert found["decks"] == ("warning", "None yet. Make one with `companion deck new`, then print it.")
    assert not (tmp_path / "new").exists()


def test_an_altered_journal(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The entry is named, and the exit code is 1."""
    with sqlite3.connect(data / FILE_NAME) as file:
        file.execute("UPDATE entry SET source = 'x' WHERE seq = 1")
    code, found = examine(data, capsys)
    assert code == 1
    assert found["journal"][0] == "wrong"
    assert "Entry 1: its contents were altered" in found["journal"][1]


def test_a_damaged_key_with_which_the_table_does_not_start(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (data / "signing-journal.key").write_text("garbage")
    code, found = examine(data, capsys)
    assert (code, found["journal"][0]) == (1, "wrong")


def test_a_damaged_secret_in_the_middle_of_a_round(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without it, sealed commands cannot be opened any more; an intact one is not mentioned."""
    for name in (FILE_NAME, "latest-journal.mark", "signing-journal.key"):
        (data / name).unlink()
    names = ("Ann", "Bo", "Cy", "Dee")
    king = new_header("king-of-roulette", tuple((name, 5) for name in names))
    with TableService.open(data / FILE_NAME, king, INSTALLED) as service:
        service.submit({"do": "vote", "player": "Ann", "for": "Bo"}, source="seat/1")
    assert examine(data, capsys)[1]["journal"][0] == "ok"
    (data / FILE_NAME).with_suffix(ENDING).write_bytes(b"")
    code, found = examine(data, capsys)
    assert (code, found["journal"][0]) == (0, "warning")
    assert "Session 1 was not replayed: the secret of its sealed commands is missing." in found["journal"][1]
    assert "Have the players make their secret choices of this round again." in found["journal"][1]


def test_a_clock_behind_the_journal(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A Pi without a clock battery starts in the past; the journal reveals that."""
    for name in (FILE_NAME, "latest-journal.mark", "signing-journal.key"):
        (data / name).unlink()
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    TableService.open(data / FILE_NAME, HEADER, INSTALLED, clock=lambda: tomorrow).close()
    code, found = examine(data, capsys)
    assert (code, found["clock"][0]) == (0, "warning")
    assert "before the journal's last entry" in found["clock"][1]


def test_a_busy_port(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A port in use by another program is a problem; one in use by our own table is not."""
    port = int((data / "companion.toml").read_text().split()[-1])
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        code, found = examine(data, capsys)
        assert (code, found["port"][0]) == (1, "wrong")
        assert f"--port {port + 1}" in found["port"][1]
        with hold_data_dir(data):
            assert examine(data, capsys)[1]["port"] == ("ok", "In use by the running table. ")


def test_an_empty_configuration(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (data / "companion.toml").write_text(" \n")
    assert examine(data, capsys)[1]["configuration"] == (
        "warning",
        f"{data / 'companion.toml'} is empty: all settings have their defaults. Go through /setup again, or "
        "restore a backup; delete the file if you want the defaults.",
    )
    (data / "companion.toml").write_text("# nothing is set\n")
    assert examine(data, capsys)[1]["configuration"][0] == "ok"


def test_a_wrong_configuration(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file, line and key; the other checks go on."""
    (data / "companion.toml").write_text("[web]\nport = 0\n")
    code, found = examine(data, capsys)
    assert code == 1
    assert "line 2: web.port" in found["configuration"][1]
    assert found["journal"][0] == "ok"


def test_a_deck_that_is_not_there(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The configured deck is missing, or a deck's file is damaged."""
    with (data / "companion.toml").open("a") as file:
        file.write('[table]\ndeck_id = "ZZZZ"\n')
    assert examine(data, capsys)[1]["decks"][0] == "wrong"
    next((data / "decks").glob("*.json")).write_text("{")
    assert "cannot be used" in examine(data, capsys)[1]["decks"][1]


def test_a_data_directory_that_others_may_read(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Open permissions on the decks' keys are a warning, with the command that fixes them."""
    os.chmod(data, 0o755)
    assert examine(data, capsys)[1]["data"] == (
        "warning", f"Other users can read {data}, with the decks' keys. Run: chmod 700 {data}",
    )  # fmt: skip


def test_a_data_directory_that_is_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file in the place of the directory is wrong."""
    (tmp_path / "data").write_text("")
    code, found = examine(tmp_path / "data" / "inner", capsys)
    assert (code, found["data"][0]) == (1, "wrong")


def test_a_broken_price_table_does_not_hide_the_rest(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (data / "prices.toml").write_text('deck = "full"\n[cut]\n6 = "x"\n')
    (data / "companion.toml").write_text('[table]\npaytable_file = "prices.toml"\n')
    code, found = examine(data, capsys)
    assert code == 1
    assert found["configuration"][0] == "wrong"
    assert "prices.toml, line 3" in found["configuration"][1]
    assert found["SQLite"][0] == "ok"
