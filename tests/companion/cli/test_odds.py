"""`companion odds`: the JSON document of the contract, tables for people, and one-line errors."""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from companion.cli import run_command_line as run
from companion.games.roche.odds.exact import live_odds
from companion.games.roche.paytable import bets, load_paytable
from companion.testing import INSTALLED

WITH_ODDS = ", ".join(name for name, plugin in INSTALLED.items() if plugin.odds.ask is not None)


def document(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, Any]:
    assert run(["odds", *argv, "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    result: dict[str, Any] = json.loads(printed.out)
    return result


def test_the_document_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    """A real process, one JSON document on stdout, nothing on stderr."""
    done = subprocess.run(
        [sys.executable, "-m", "companion", "odds", "roche", "--json"], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert said["game"] == "roche"
    assert [bet["on"] for bet in said["bets"]] == list(bets("basic", "full"))
    for bet in said["bets"]:
        assert list(bet) == ["on", "probability", "float", "fair", "pays", "edge"]
        chance, fair = Fraction(bet["probability"]), Fraction(bet["fair"])
        win, per = map(int, bet["pays"].split(":"))
        assert fair == (1 - chance) / chance
        assert bet["float"] == float(chance)
        assert bet["edge"] == pytest.approx(float(1 - chance * Fraction(win + per, per)), abs=1e-12)
    kin = next(bet for bet in said["bets"] if bet["on"] == "cut/6")
    assert (round(kin["float"], 4), kin["pays"], round(kin["edge"], 4)) == (0.1009, "8:1", 0.0919)


@pytest.mark.parametrize("argv", [["--layout", "grand"], ["--option", "layout=grand"]])
def test_layout_by_flag_or_option(capsys: pytest.CaptureFixture[str], argv: list[str]) -> None:
    said = document(capsys, "roche", *argv, "--option", "deck=red")
    assert [bet["on"] for bet in said["bets"]] == list(bets("grand", "red"))


def test_the_middle_of_a_deal(capsys: pytest.CaptureFixture[str]) -> None:
    said = document(capsys, "roche", "--seen", "6D3, 5N1", "--layout", "grand")
    odds = live_odds("grand", "full", ("6D3", "5N1"), load_paytable("full"))
    assert said["bets"] == [bet.as_json() for bet in odds]
    dead = {bet["on"]: bet for bet in said["bets"]}["night/6"]
    assert (dead["probability"], dead["fair"], dead["edge"]) == ("0/1", None, 1.0)


def test_own_prices(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """From a TOML file, or written as in a script's header."""
    path = tmp_path / "house.toml"
    path.write_text('deck = "full"\n[cut]\n6 = "7:1"\n')
    for source in (str(path), '{"cut": {"6": "7:1"}}'):
        said = document(capsys, "roche", "--option", f"paytable={source}")
        assert {bet["on"]: bet["pays"] for bet in said["bets"]}["cut/6"] == "7:1"


def test_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["odds", "roche", "--layout", "grand"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["bet", "wins", "if", "chance", "fair", "pays", "edge"]
    assert len(lines) == 1 + 43
    cells = next(line for line in lines if line.startswith("terminus/7D1…7N7")).split()
    assert cells == ["terminus/7D1…7N7", "Commons", "cut", "by", "it", "0.6012", "%", "165.3:1", "153:1", "7.42", "%"]
    assert max(map(len, lines)) <= 80


def test_simulated_beside_exact(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["odds", "roche", "--simulate", "50000", "--seed", "7"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0].split() == ["bet", "exact", "simulated", "standard", "errors", "off"]
    assert "50,000 rounds dealt; --seed 7 repeats them." in out
    assert err == ""  # the progress bar is for terminals
    said = document(capsys, "roche", "--simulate", "50000", "--seed", "7")
    assert said["simulated"] == {"rounds": 50000, "seed": 7}
    assert sum(bet["won"] for bet in said["bets"] if bet["on"].startswith("cut/")) == 50000


def test_a_new_seed_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """A simulation without a seed can be repeated from what it prints."""
    first = document(capsys, "roche", "--simulate", "3000")
    again = document(capsys, "roche", "--simulate", "3000", "--seed", str(first["simulated"]["seed"]))
    assert first == again


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["snap"], f"There is no game 'snap' here. Choose one of {', '.join(INSTALLED)}."),
        (["captains"], f"captains brings no odds. There are odds for {WITH_ODDS}."),
        (
            ["roche", "--seen", "6D7"],
            "There is no Roche card '6D7'. Cards are named like 6D3: rank, Day or Night, number.",
        ),
        (
            ["roche", "--seen", "6D3,5N1,6D3"],
            "6D3 is named twice. A deck has each card once: take one of the two out.",
        ),
        (
            ["roche", "--seen", "2N1", "--option", "deck=red"],
            "2N1 is not in the red deck. Take it out, or choose the full deck.",
        ),
        (
            ["roche", "--seen", "2N1,2D1,7D1"],
            "7D1 comes after 2D1, which cut suit 2 and ended the round. Leave out the cards after the cut.",
        ),
        (["roche", "--option", "deck=blue"], "deck is 'blue'. Use full or red."),
        (["roche", "--option", "layout"], "--option 'layout' is not of the form KEY=VALUE. Write it like deck=red."),
        (
            ["roche", "--option", "wheel=european"],
            "The odds of roche have no option 'wheel'. Use layout, deck, paytable, min, max, cap, bank.",
        ),
        (["roche", "--option", "max=0"], "Option 'max' is a whole number of coins above zero, got 0."),
        (["roche", "--option", "min=lots"], "Option 'min' is a whole number of coins above zero, got 'lots'."),
        (
            ["roche", "--option", "min=6", "--option", "max=5"],
            "The minimum 6 is above the maximum 5. Correct one of them.",
        ),
        (
            ["roche", "--layout", "basic", "--option", "layout=grand"],
            "--layout basic and --option layout=grand disagree. Leave one of them out.",
        ),
        (
            ["roche", "--option", "deck=red", "--option", "deck=full"],
            "--option deck is given twice, as 'red' and 'full'. Leave one out.",
        ),
        (["roche", "--markdown"], "--markdown prints exact odds only. Leave out --json and --simulate."),
    ],
)
def test_bad_input_gets_one_line(capsys: pytest.CaptureFixture[str], argv: list[str], message: str) -> None:
    """Exit code 2, nothing on stdout, one line on stderr."""
    assert run(["odds", *argv, "--json"]) == 2
    assert capsys.readouterr() == ("", f"companion: {message}\n")


def test_a_price_table_for_the_other_deck(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text('deck = "red"\n')
    assert run(["odds", "roche", "--option", f"paytable={path}"]) == 2
    assert capsys.readouterr().err == (
        f"companion: {path} has prices for the red deck, not the full one. "
        "Add --option deck=red, or choose another file.\n"
    )


def test_a_decided_round_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    said = document(capsys, "roche", "--seen", "2D1,7N3,2N2", "--layout", "grand")
    won = {bet["on"] for bet in said["bets"] if bet["probability"] == "1/1"}
    assert {"cut/2", "card/2D1", "oscura/2D2", "terminus/2N2", "starlight/6"} <= won
    assert all(bet["probability"] in ("0/1", "1/1") for bet in said["bets"])
    assert next(bet["fair"] for bet in said["bets"] if bet["on"] == "cut/2") == "0/1"


def test_limits_are_header_options_and_change_no_odds(capsys: pytest.CaptureFixture[str]) -> None:
    limits = ("--option", "min=1", "--option", "max=5", "--option", "cap=500", "--option", "bank=900")
    assert document(capsys, "roche", *limits) == document(capsys, "roche")
