"""`companion replay` as its users call it."""

import json
import subprocess
import sys

import pytest

from companion.cli import run_command_line as run

HEADER = '{"game": "roche", "players": [{"name": "Ann", "coins": 10}]}\n'
ROUND = HEADER + '{"do": "no-more-bets"}\n{"do": "deal", "card": "2D1"}\n{"do": "deal", "card": "2N1"}\n'


@pytest.fixture
def script(tmp_path):
    def write(text, name="hand.jsonl"):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


def test_one_object_a_line_in_order(script, capsys):
    assert run(["replay", "--json", script(ROUND, "a"), script(HEADER, "b")]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["phase"], second["phase"]) == ("settled", "betting")


def test_an_error_in_one_script_does_not_stop_the_next(script, capsys):
    assert run(["replay", "--json", script(HEADER + "{\n", "a"), script(ROUND, "b")]) == 2
    out = capsys.readouterr()
    first, second = map(json.loads, out.out.splitlines())
    assert first["error"]["line"] == 2
    assert second["error"] is None
    assert "line 2" in out.err


def test_a_missing_file_is_named_and_the_others_are_played(script, capsys, tmp_path):
    assert run(["replay", "--json", str(tmp_path / "none"), script(ROUND)]) == 2
    out = capsys.readouterr()
    assert len(out.out.splitlines()) == 2
    assert "none" in out.err


def test_people_get_text(script, capsys):
    assert run(["replay", script(ROUND)]) == 0
    assert "cut 2, last 2N1" in capsys.readouterr().out


def test_a_binary_file_is_refused(tmp_path, capsys):
    path = tmp_path / "x"
    path.write_bytes(b"\xff\xfe\x00\x01")
    assert run(["replay", "--json", str(path)]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "bad-script"


def test_a_byte_that_is_no_utf8_spoils_its_own_line_only(tmp_path, capsys):
    path = tmp_path / "x"
    path.write_bytes(HEADER.encode() + b"# J\xf6\n" + b'{"do": "no-more-bets"}\n{"do": "deal", "card": "\xff"}\n')
    assert run(["replay", "--json", str(path)]) == 2
    result = json.loads(capsys.readouterr().out)
    assert (result["phase"], result["error"]["code"], result["error"]["line"]) == ("dealing", "bad-script", 4)


def test_half_a_character_is_a_broken_line(script, capsys):
    lone = '{"game": "roche", "players": [{"name": "\\ud800", "coins": 1}]}\n'
    assert run(["replay", "--json", script(lone)]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["line"] == 1


def test_a_whole_character_written_as_two_halves_is_a_name(script, capsys):
    pair = '{"game": "roche", "players": [{"name": "\\ud83c\\udca1", "coins": 1}]}\n'
    assert run(["replay", "--json", script(pair)]) == 0
    assert json.loads(capsys.readouterr().out)["balances"] == {"\U0001f0a1": 1}


def test_a_line_separator_in_a_text_breaks_no_line(script, capsys):
    """No player can be called so; the error that names one is a line all the same."""
    wrong = HEADER + '{"do": "buy-in", "player": "A\u2028B", "coins": 5}\n'
    assert run(["replay", "--json", script(wrong)]) == 2
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["error"]["code"] == "unknown-player"


@pytest.mark.parametrize(("digits", "code"), [(1000, 0), (1001, 2), (5000, 2)])
def test_absurd_numbers_are_played_or_refused_but_never_crash(script, capsys, digits, code):
    coins = HEADER + f'{{"do": "buy-in", "player": "Ann", "coins": {"9" * digits}}}\n' * 2
    assert run(["replay", "--json", script(coins)]) == code
    assert json.loads(capsys.readouterr().out)["balances"]["Ann"] == (10 + 2 * int("9" * 1000) if code == 0 else 10)


def test_a_full_disk_is_one_line_and_1(script):
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "companion", "replay", "--json", script(ROUND)], stdout=full,
                              stderr=subprocess.PIPE, text=True, timeout=60, check=False)  # fmt: skip
    assert done.returncode == 1
    assert "No space left" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_installed_command_exits_with_the_same_codes(script):
    done = subprocess.run([sys.executable, "-m", "companion", "replay", "--json", "-"], input=ROUND, text=True,
                          capture_output=True, timeout=60, check=False)  # fmt: skip
    assert done.returncode == 0
    assert json.loads(done.stdout)["error"] is None


@pytest.mark.parametrize("arguments", [["replay"], ["nothing"], ["replay", "--nope", "x"], ["print"]])
def test_bad_usage_is_2_and_one_line(arguments, capsys):
    assert run(arguments) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


@pytest.mark.parametrize("arguments", [[], ["deck"], ["journal"]])
def test_a_group_alone_shows_its_help(arguments, capsys):
    assert run(arguments) == 2
    assert capsys.readouterr().err.startswith("Usage: companion")
