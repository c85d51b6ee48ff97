"""Hand scripts: recorded playthroughs, line numbers, and broken lines."""

import json
from pathlib import Path

import pytest

from companion.kernel.commands import Command, TakeBack
from companion.kernel.script import replay
from companion.testing import INSTALLED

PLAYTHROUGHS = Path(__file__).parents[2] / "playthroughs"
HEADER = '{"game": "roche", "players": [{"name": "Ann", "coins": 10}]}'


@pytest.mark.parametrize(
    "script", sorted(PLAYTHROUGHS.glob("*/*.jsonl")), ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_playthrough(script):
    """Each script has a file with the expected result, derived from the rules by hand."""
    expected = json.loads(script.with_suffix(".json").read_text())
    result = replay(script.read_text().splitlines(), INSTALLED).result
    if "state" in expected:
        result["state"] = {key: result["state"][key] for key in expected["state"]}
    assert {key: result[key] for key in expected} == expected


def test_every_game_has_playthroughs():
    for game in INSTALLED:
        assert list((PLAYTHROUGHS / game).glob("*.jsonl")), f"{game} has no recorded playthrough"


def test_a_commands_verb_is_the_name_of_its_class_unless_that_says_another():
    class Raise(Command):
        """Has a different verb."""

        verb = "lift"

    assert (TakeBack.verb, Raise.verb) == ("take-back", "lift")


def test_lines_count_from_one_with_blanks_and_comments():
    result = replay(["# evening", "", HEADER, "", '{"do": "new-round"}'], INSTALLED).result
    assert result["error"]["line"] == 5
    assert result["error"]["code"] == "wrong-phase"


def test_an_error_keeps_the_state_before_it():
    lines = [HEADER, '{"do": "bet", "player": "Ann", "on": "cut/6", "amount": 4}', '{"do": "deal", "card": "6D1"}']
    result = replay(lines, INSTALLED).result
    assert (result["balances"], result["staked"]) == ({"Ann": 6}, 4)


@pytest.mark.parametrize(
    ("game", "line", "code"),
    [
        ("rochi", '{"do": "join", "player": "ann", "coins": 5}', "wrong-phase"),
        ("roche", '{"do": "join", "player": "ann", "coins": 5}', "bad-name"),
    ],
)
def test_a_newcomers_name_matters_only_where_they_could_sit_down(game: str, line: str, code: str) -> None:
    """Of several errors, the first in the contract's order is reported."""
    header = {"game": game, "players": [{"name": "Ann"}, {"name": "Bo"}, {"name": "Cy"}]}
    error = replay([json.dumps(header), line], INSTALLED).result["error"]
    assert (error["line"], error["code"]) == (2, code)


@pytest.mark.parametrize(("seat", "code"), [(999, None), (1000, "not-offered"), (10**15, "not-offered")])
def test_a_newcomer_sits_in_a_seat_that_a_page_can_show(seat: int, code: str | None) -> None:
    """Regression: coins typed into the seat field created a seat whose page could not be opened."""
    lines = [
        '{"game": "roulette", "players": [{"name": "Bo"}]}',
        json.dumps({"do": "join", "player": "Ann", "seat": seat}),
    ]
    error = replay(lines, INSTALLED).result["error"]
    assert (error and error["code"]) == code


@pytest.mark.parametrize("line", ["{", "[]", '"deal"', "5", "null", "{'do': 1}", '{"do": ""}', "[" * 100_000, "\x00"])
def test_a_broken_line_is_named(line):
    result = replay([HEADER, line], INSTALLED).result
    assert result["error"]["code"] == "bad-script"
    assert result["error"]["line"] == 2
    assert result["balances"] == {"Ann": 10}


def test_lists_within_lists_are_a_broken_line_however_deep():
    """Regression: some were parsed but could not be written into the error message."""
    header = '{"game": "king-of-roulette", "players": [{"name": "A"}, {"name": "B"}, {"name": "C"}, {"name": "D"}]}'
    for depth in (51, *range(700, 1000)):
        deep = "[" * depth + "]" * depth
        for bad in (f'{{"do": "bet", "player": "A", "space": {deep}}}', f'{{"do": "hold", "note": {{"a": {deep}}}}}'):
            error = replay([header, bad], INSTALLED).result["error"]
            assert (error["line"], error["code"]) == (2, "bad-script")


def test_many_brackets_beside_one_another_are_no_depth():
    line = json.dumps({"do": "hold", "why": "[" * 99, "note": [[]] * 99})
    assert replay([HEADER, line], INSTALLED).result["error"] is None


@pytest.mark.parametrize("lines", [[], [""], ["# nothing"], ["x"], ["{}"], ['{"game": "bridge"}']])
def test_without_a_header_there_is_still_a_whole_result(lines):
    result = replay(lines, INSTALLED).result
    assert result["error"]["code"] == "bad-script"
    assert set(result) == {"game", "phase", "balances", "house", "staked", "pots", "results", "state", "error"}
