"""Every packaged scenario on the mock rig, with real pin edges, pixels and pages."""

from collections import Counter
from pathlib import Path

import pytest

from companion.cli.hil import make_pages, make_sight
from companion.plugins.plugin import GamePlugin
from companion.testing import INSTALLED
from hardware.harness.mock_rig import MockRig
from hardware.harness.process_rig import ProcessRig
from hardware.harness.rig import Rig
from hardware.harness.runner import Result, run_scenario
from hardware.harness.scenario import Scenario, find_scenarios, load_scenario

ALL = [load_scenario(path, INSTALLED) for path in find_scenarios((), INSTALLED)]
MOCK = [scenario for scenario in ALL if "mock" in scenario.rigs]
FAST = [scenario for scenario in MOCK if not scenario.process]
PROCESS = [scenario for scenario in MOCK if scenario.process]


def run_on(rig: Rig, scenario: Scenario) -> Result:
    result = run_scenario(rig, scenario)
    where = "" if result.failure is None else f"{scenario.path}:{result.failure.line}: {result.failure.text}"
    assert result.failure is None, where
    return result


@pytest.mark.parametrize("scenario", FAST, ids=lambda scenario: scenario.path.stem)
@pytest.mark.thorough
def test_scenario_passes(scenario: Scenario) -> None:
    run_on(MockRig(make_sight, make_pages), scenario)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", PROCESS, ids=lambda scenario: scenario.path.stem)
def test_scenario_passes_with_a_real_process(scenario: Scenario) -> None:
    run_on(ProcessRig(), scenario)


def test_there_are_scenarios_of_every_kind() -> None:
    """At least 25, covering every game and every button."""
    assert len(ALL) >= 25
    assert set(Counter(scenario.header.game for scenario in ALL)) == {
        "roche", "rochi", "captains", "rugen-street", "rugen-house", "rugen-capital", "roulette", "king-of-roulette",
        "chinchirorin", "blackjack", "holdem", "holdem-tournament",
    }  # fmt: skip
    pressed = {button for s in ALL for placed in s.steps for button in getattr(placed.step, "press", ())}
    assert pressed == {"deal", "play", "fold", "undo", "next", "hold"}


def test_nothing_is_left_in_the_folder_for_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the table's data nor the PIN of its pages is left after the run."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("hardware.harness.mock_rig._RAM_FOLDER", str(tmp_path))
    scenario = next(s for s in FAST if s.path.stem == "panel-and-page")
    run_on(MockRig(make_sight, make_pages), scenario)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("plugin", INSTALLED.values(), ids=lambda plugin: plugin.name)
def test_what_is_laid_on_felt_or_has_a_stage_is_seen_at_the_mock_rig(plugin: GamePlugin) -> None:
    has_scripted_table = plugin.demo is not None and plugin.demo.scripted_table is not None
    assert (make_sight(plugin, {}) is None) == (plugin.felt is None and not has_scripted_table)
