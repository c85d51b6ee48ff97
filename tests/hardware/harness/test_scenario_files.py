"""Scenario files are validated completely before anything is pressed; errors name file and line."""

import json
from pathlib import Path

import pytest

from companion.cli import run_command_line as run
from companion.testing import INSTALLED
from hardware.harness.scenario import ScenarioError, find_scenarios, load_scenario
from hardware.harness.steps import KINDS

TOP = 'name = "N"\ngame = "roche"\n[[players]]\nname = "Ann"\n\n[[step]]\n'


def error_of(text: str, folder: Path, name: str = "s.toml") -> str:
    path = folder / name
    path.write_text(text)
    with pytest.raises(ScenarioError) as raised:
        load_scenario(path, INSTALLED)
    return str(raised.value).replace(str(path), "FILE")


def test_an_unknown_step_is_named_with_the_likely_one(tmp_path: Path) -> None:
    told = error_of(TOP + 'pres = "deal"\n', tmp_path)
    assert told == "FILE, line 7: step.1.pres: there is no such step. Did you mean 'press'?"


def test_an_unknown_step_like_no_other_names_them_all(tmp_path: Path) -> None:
    told = error_of(TOP + "xyzzy = 1\n", tmp_path)
    assert told.startswith("FILE, line 7: step.1.xyzzy: there is no such step. Known steps: press, down, up, noise,")
    assert all(kind in told for kind in KINDS)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ('press = "dael"', "step.1.press.1: this should be 'deal', 'play', 'fold', 'undo', 'next' or 'hold', not"),
        ('press = "deal"\nbounce = 3', "line 8: step.1.bounce: there is no such key. Did you mean 'bounce_ms'?"),
        ('blinks = "suit/6"', "step.1.rhythm: this is needed. Add it."),
        ('press = "deal"\nwait_ms = 5', "a step does one thing, this one says press and wait_ms. Make steps of"),
        ("kill = true", "only a process can be killed. Write process = true at the top."),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_step_is_told(step: str, message: str, tmp_path: Path) -> None:
    assert message in error_of(TOP + step + "\n", tmp_path)


@pytest.mark.parametrize("key", ["taken = [5]", "barred = true"])
def test_only_the_kernels_chip_can_be_had_by_others(key: str, tmp_path: Path) -> None:
    name = key.split()[0]
    told = error_of(f"{key}\n{TOP}wait_ms = 5\n", tmp_path)
    assert told == f'FILE, line 1: {name}: only the kernel\'s chip can be had by others. Write rigs = ["gpiosim"].'
    (tmp_path / "good.toml").write_text(f'{key}\nrigs = ["gpiosim"]\n{TOP}wait_ms = 5\n')
    assert load_scenario(tmp_path / "good.toml", INSTALLED).rigs == ("gpiosim",)


def test_a_json_scenario_is_checked_the_same_way(tmp_path: Path) -> None:
    steps = [{"press": "deal"}, {"pres": "deal"}]
    text = json.dumps({"name": "N", "game": "roche", "players": [{"name": "Ann"}], "step": steps}, indent=1)
    told = error_of(text, tmp_path, "s.json")
    line = next(number for number, row in enumerate(text.splitlines(), 1) if '"pres"' in row)
    assert told == f"FILE, line {line}: step.2.pres: there is no such step. Did you mean 'press'?"


def test_toml_that_is_none_names_the_line(tmp_path: Path) -> None:
    assert error_of('name = "N"\nname = "M"\n', tmp_path).startswith("FILE, line 2: this is not TOML")


def test_a_game_that_is_not_played_here_is_told(tmp_path: Path) -> None:
    assert "chess" in error_of('name = "N"\ngame = "chess"\n[[step]]\nwait_ms = 5\n', tmp_path)


def test_a_scenario_names_its_game(tmp_path: Path) -> None:
    assert error_of('name = "N"\n[[step]]\nwait_ms = 5\n', tmp_path) == "FILE, line 1: game: this is needed. Add it."


def test_a_scenario_leaves_nothing_to_a_lot(tmp_path: Path) -> None:
    """A real table would draw the first leader, with a different result each time."""
    three = "".join(f'[[players]]\nname = "{name}"\n' for name in ("Ann", "Bo", "Cy"))
    told = error_of(f'name = "N"\ngame = "rochi"\n{three}[[step]]\nwait_ms = 5\n', tmp_path)
    assert told == "FILE, line 1: options: Rochi begins with a lot. Say in the options how it falls."


def test_a_path_without_scenarios_is_told(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="There is no scenario at"):
        find_scenarios([tmp_path], INSTALLED)
    with pytest.raises(ScenarioError, match="There is no scenario at"):
        find_scenarios([tmp_path / "none.toml"], INSTALLED)


def test_the_command_ends_with_2_and_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "s.toml").write_text(TOP + 'pres = "deal"\n')
    assert run(["hil", "run", str(tmp_path / "s.toml")]) == 2
    err = capsys.readouterr().err.strip().splitlines()
    assert len(err) == 1
    assert err[0].endswith("line 7: step.1.pres: there is no such step. Did you mean 'press'?")


def test_a_scenario_that_is_not_met_ends_with_1_and_says_where(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.toml").write_text(
        TOP.replace("roche", "rugen-house") + 'expect = { phase = "chain" }\nwithin_ms = 50\n'
    )
    assert run(["hil", "run", str(tmp_path / "s.toml")]) == 1
    out = capsys.readouterr().out
    assert "FAIL  N" in out
    assert "line 6: step 1: phase is 'chain-start', not 'chain' (waited 50 ms)" in out
