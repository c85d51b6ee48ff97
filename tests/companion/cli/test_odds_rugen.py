"""`companion odds` for the three Rugen games."""

import json
import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest

from companion.cli import run_command_line as run
from companion.games.rugen.odds.bets import capital_odds, house_odds, street_odds
from companion.games.rugen.prices import HIGH, LOW, SPOTS


def document(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, Any]:
    assert run(["odds", *argv, "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    result: dict[str, Any] = json.loads(printed.out)
    return result


def test_the_document_of_the_contract() -> None:
    """A real process, one JSON document on stdout, nothing on stderr."""
    done = subprocess.run(
        [sys.executable, "-m", "companion", "odds", "rugen-house", "--json"], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert said["game"] == "rugen-house"
    assert [bet["on"] for bet in said["bets"]] == list(SPOTS)
    for bet in said["bets"]:
        assert list(bet) == ["on", "probability", "float", "fair", "pays", "edge"]
        chance = Fraction(bet["probability"])
        assert (bet["float"], Fraction(bet["fair"])) == (float(chance), (1 - chance) / chance)
    broken = {bet["on"]: bet["float"] for bet in said["bets"]}
    assert [broken[f"chain/{n}"] for n in (1, 2, 3, 4)] == [0.398592, 0.251824, 0.191376, 0.158208]


def test_the_middle_of_a_chain_under_the_other_reading(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--option", "chain_day_night=own", "--option", "better_half=night"]
    said = document(capsys, "rugen-house", "--seen", "3d, 2n", *options)
    assert said["bets"] == [bet.as_json() for bet in house_odds("own", "night", ("3d", "2n"))]


def test_the_game_s_own_options_are_taken(capsys: pytest.CaptureFixture[str]) -> None:
    """All header options of the games, though not all change the odds."""
    plain = document(capsys, "rugen-house")
    limits = ["--option", "late_chain=true", "--option", "min=5", "--option", "max=50", "--option", "cap=500"]
    assert document(capsys, "rugen-house", *limits) == plain
    assert document(capsys, "rugen-street", "--option", "minimum=5") == document(capsys, "rugen-street")


def test_street_with_all_four_taken_or_some(capsys: pytest.CaptureFixture[str]) -> None:
    assert document(capsys, "rugen-street")["bets"] == [bet.as_json() for bet in street_odds()]
    some = document(capsys, "rugen-street", "--option", "taken=3,1", "--seen", "2d,2n,4d,3d")
    assert some["bets"] == [bet.as_json() for bet in street_odds((1, 3), ("3d",))]
    assert [bet["on"] for bet in some["bets"]] == ["take/1", "take/2", "take/3", "take/4"]


def test_capital_with_its_schedules(capsys: pytest.CaptureFixture[str]) -> None:
    assert document(capsys, "rugen-capital")["bets"] == [bet.as_json() for bet in capital_odds(LOW)]
    high = document(capsys, "rugen-capital", "--option", "schedule=high", "--option", "taken=1,3", "--seen", "4d")
    assert high["bets"] == [bet.as_json() for bet in capital_odds(HIGH, (1, 3), ("4d",))]
    own = document(capsys, "rugen-capital", "--option", 'schedule={"house": [7,4,3,2], "player": [8,5,4,3]}')
    assert own == document(capsys, "rugen-capital", "--option", "schedule=low")


def test_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["odds", "rugen-house", "--option", "chain_day_night=own"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + 24
    cells = next(line for line in lines if line.startswith("chain/3")).split()
    assert cells == ["chain/3", "3", "breaks", "the", "chain", "19.14", "%", "4.225:1", "4:1/3:1", "13.88", "%"]
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("game", ["rugen-house", "rugen-street", "rugen-capital"])
def test_simulated_beside_exact(capsys: pytest.CaptureFixture[str], game: str) -> None:
    assert run(["odds", game, "--simulate", "20000", "--seed", "7"]) == 0
    out, err = capsys.readouterr()
    assert "20,000 chains thrown; --seed 7 repeats them." in out
    assert err == ""
    said = document(capsys, game, "--simulate", "20000", "--seed", "7")
    breaks = [bet["won"] for bet in said["bets"] if bet["on"].startswith(("chain/", "take/"))]
    assert sum(breaks) == 20000


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["rugen-house", "--seen", "3d,5d"], "A Rugen die has no face '5d'. Faces are named like 3d and 1n."),
        (
            ["rugen-house", "--seen", "1d,4n"],
            "4n comes after 1d, which broke the chain with its 1s. Leave out the throws after the break.",
        ),
        (
            ["rugen-house", "--layout", "grand"],
            "The odds of rugen-house have no option 'layout'. "
            "Use chain_day_night, better_half, late_chain, min, max, cap, bank.",
        ),
        (
            ["rugen-house", "--option", "chain_day_night=both"],
            "Option 'chain_day_night' is all or own, got 'both'.",
        ),
        (["rugen-house", "--option", "late_chain=yes"], "Option 'late_chain' is true or false, got 'yes'."),
        (
            ["rugen-house", "--option", "taken=1"],
            "The odds of rugen-house have no option 'taken'. "
            "Use chain_day_night, better_half, late_chain, min, max, cap, bank.",
        ),
        (
            ["rugen-street", "--option", "taken=1,5"],
            "taken is '1,5'. Name each number that somebody holds once, like taken=1,3.",
        ),
        (
            ["rugen-street", "--option", "taken=1,1"],
            "taken is '1,1'. Name each number that somebody holds once, like taken=1,3.",
        ),
        (
            ["rugen-street", "--option", "taken"],
            "--option 'taken' is not of the form KEY=VALUE. Write it like taken=1,3.",
        ),
        (
            ["rugen-capital", "--option", "schedule=middle"],
            "Option 'schedule' is low, high or {\"house\": [7, 4, 3, 2], \"player\": [8, 5, 4, 3]}, got 'middle'.",
        ),
    ],
)
def test_bad_input_gets_one_line(capsys: pytest.CaptureFixture[str], argv: list[str], message: str) -> None:
    """Exit code 2, nothing on stdout, one line on stderr."""
    assert run(["odds", *argv, "--json"]) == 2
    assert capsys.readouterr() == ("", f"companion: {message}\n")


@pytest.mark.parametrize("depth", [60, 900, 9000])
def test_a_schedule_of_lists_in_lists_is_refused_in_one_line(capsys: pytest.CaptureFixture[str], depth: int) -> None:
    deep = f'{{"house": {"[" * depth}{"]" * depth}}}'
    assert run(["odds", "rugen-capital", "--option", f"schedule={deep}"]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert "schedule is not valid JSON" in said.err
