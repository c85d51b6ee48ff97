"""``companion journal``: verify, export, tail, over real processes and files."""

import csv
import json
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.cli import cli
from companion.cli import run_command_line as run
from companion.journal.store import FILE_NAME, JournalError
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header

BET = {"do": "bet", "player": "=Ann()", "on": "cut/2", "amount": 10}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    with TableService.open(tmp_path / FILE_NAME, new_header("roche", (("=Ann()", 100),)), INSTALLED) as service:
        service.submit(BET, source="seat/1", key="k1")
        service.notice("=A forged card", source="camera")
        service.submit({"do": "undo"}, source="dealer")
    return tmp_path


def call(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments], standalone_mode=False)
    if result.exception:
        raise result.exception
    return int(result.return_value or 0), result.stdout


def test_verify_a_sound_journal(data: Path) -> None:
    """An intact journal is reported with its number of entries and head, as text and as JSON."""
    code, said = call("journal", "verify", "--data", data)
    assert code == 0
    assert said.startswith("The journal is intact: 4 entries in 1 sessions")
    code, said = call("journal", "verify", "--data", data, "--json")
    told = json.loads(said)
    assert (told["ok"], told["entries"], told["wrong"], len(told["head"])) == (True, 4, None, 64)


def test_verify_names_the_first_broken_link(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An altered journal: exit 1, the entry's number and what differs on stderr, and as JSON."""
    with sqlite3.connect(data / FILE_NAME) as file:
        file.execute("UPDATE entry SET source = 'dealer' WHERE seq IN (2, 3)")
    assert run(["journal", "verify", "--data", str(data), "--json"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["seq"] == 2
    assert err.startswith("companion: The journal was altered or damaged: entry 2: its contents were altered")


@pytest.mark.parametrize("what", ["verify", "export", "tail"])
def test_no_journal(tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str) -> None:
    """Without a journal: one line with the expected path, exit 1."""
    assert run(["journal", what, "--data", str(tmp_path)]) == 1
    assert capsys.readouterr().err == (
        f"companion: There is no journal {tmp_path / FILE_NAME}. "
        "Check the data directory; `companion run` begins one.\n"
    )


@pytest.mark.parametrize("what", ["verify", "export", "tail"])
def test_a_file_whose_tables_can_no_longer_be_read(data: Path, capsys: pytest.CaptureFixture[str], what: str) -> None:
    """SQLite says which statement it cannot read, in its bytes: one line all the same, and no start of the table."""
    path = data / FILE_NAME
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE about", b"CREATE \xef\xbb\xb3\xffE about"))
    assert run(["journal", what, "--data", str(data)]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"companion: The journal {path} cannot be used: the file is damaged")
    assert said.count("\n") == 1
    with pytest.raises(JournalError, match="the file is damaged"):
        TableService.open(path, new_header("roche"), INSTALLED)


def test_export_json(data: Path) -> None:
    """One object a line, with everything in it."""
    lines = [json.loads(line) for line in call("journal", "export", "--format", "json", "--data", data)[1].splitlines()]
    assert [line["do"] for line in lines] == ["start", "bet", "notice", "undo"]
    assert (lines[1]["key"], lines[1]["source"], lines[1]["record"]) == ("k1", "seat/1", BET)
    assert lines[2]["prev"] == lines[1]["hash"]


def test_export_csv(data: Path, tmp_path: Path) -> None:
    """CSV has a row for each entry, without cells that a spreadsheet would execute as formulas."""
    out = tmp_path / "out.csv"
    call("journal", "export", "--out", out, "--data", data)
    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["do"] for row in rows] == ["start", "bet", "notice", "undo"]
    assert rows[1]["text"] == "'=Ann() bets 10 on Mages to cut"
    assert json.loads(rows[1]["record"]) == BET
    assert out.stat().st_mode & 0o777 == 0o600


def test_export_to_a_place_that_cannot_be_written(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file's name and the system's reason, exit 1."""
    assert run(["journal", "export", "--out", str(data / "no" / "x.csv"), "--data", str(data)]) == 1
    assert "x.csv cannot be written (no such file or directory)" in capsys.readouterr().err


def test_tail(data: Path) -> None:
    """The latest entries, as sentences or as JSON."""
    said = call("journal", "tail", "-n", "2", "--data", data)[1].splitlines()
    assert [line.split(maxsplit=3)[3] for line in said] == [
        "=A forged card",
        "Undone: =Ann()'s bet of 10 on Mages to cut",
    ]
    assert json.loads(call("journal", "tail", "-n", "1", "--json", "--data", data)[1])["seq"] == 4


@pytest.mark.parametrize("record", ["{", "[]", "[" * 100_000], ids=["cut", "a list", "endless"])
@pytest.mark.parametrize("what", [("tail",), ("tail", "--json"), ("export",), ("export", "--format", "json")])
def test_an_altered_entry_is_named(
    data: Path, record: str, what: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with sqlite3.connect(data / FILE_NAME) as file:
        file.execute("UPDATE entry SET record = ? WHERE seq = 2", (record,))
    assert run(["journal", *what, "--data", str(data)]) == 1
    assert "Entry 2 cannot be read: its contents were altered" in capsys.readouterr().err


def test_tail_follows(data: Path) -> None:
    """With --follow new entries appear as they are written, by a table in another process."""
    command = [sys.executable, "-m", "companion", "journal", "tail", "-n", "1", "-f", "--data", str(data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        guard = threading.Timer(20, process.kill)
        guard.start()
        assert process.stdout is not None
        assert "Undone" in process.stdout.readline()
        with TableService.open(data / FILE_NAME, new_header("roche", ()), INSTALLED) as service:
            service.submit({"do": "redo"}, source="dealer")
            assert "Done again: =Ann()'s bet of 10 on Mages to cut" in process.stdout.readline()
        guard.cancel()
        process.kill()


def test_what_evenings_came_to_is_exported(data: Path) -> None:
    """The same figures as on the pages; a name that is a formula is made harmless."""
    with TableService.open(data / FILE_NAME, new_header("roche", (("=Ann()", 100),)), INSTALLED) as service:
        for record in (BET, {"do": "no-more-bets"}, {"do": "deal", "card": "2D1"}, {"do": "deal", "card": "2N1"}):
            service.submit(record, source="test")
        won = service.ledger.balance("=Ann()") - 100
    code, said = call("journal", "export", "--data", data, "--what", "league")
    (row,) = csv.DictReader(said.splitlines())
    assert (code, row["player"], int(row["won"]), row["evenings"]) == (0, "'=Ann()", won, "1")
    _, said = call("journal", "export", "--data", data, "--what", "bets", "--format", "json")
    (bet,) = json.loads(said)
    assert (bet["on"], bet["amount"], bet["net"]) == ("cut/2", 10, won)
    _, said = call("journal", "export", "--data", data, "--what", "bgstats")
    assert [play["players"][0]["score"] for play in json.loads(said)] == [won]
    assert call("journal", "export", "--data", data, "--what", "evenings", "--season", "1999")[1].count("\n") == 1


def test_a_season_that_is_none_is_told(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["journal", "export", "--data", str(data), "--what", "league", "--season", "spring"]) == 2
    assert "2026-Q2" in capsys.readouterr().err
