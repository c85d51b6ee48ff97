"""A trace of the machine's rig: the recorded inputs give the same results at another table."""

import json
from types import SimpleNamespace

import pytest

from companion.testing import INSTALLED
from hardware.harness.fast_table import FastTable
from hardware.harness.gpiosim.guest import TracedRig
from hardware.harness.replay import replay
from hardware.harness.scenario import load_scenario
from hardware.harness.trace import Recorder

SCENARIO = 'name = "a"\ngame = "roche"\n[[players]]\nname = "Ann"\n[[step]]\npress = "next"\n'


class Rig(TracedRig):
    """The machine's rig with a table in this process instead of the systemd unit."""

    def __init__(self, fast: FastTable) -> None:
        self.fast = fast
        self._unit = self._chip = SimpleNamespace(stop=lambda: None, release=lambda: None, reset_levels=lambda: None)
        self._world = None

    @property
    def table(self):
        return self.fast

    def now(self) -> float:
        return self.fast.t

    def changes(self, after):
        return self.fast.changes(after)


@pytest.fixture
def trace(tmp_path):
    (tmp_path / "a.toml").write_text(SCENARIO)
    scenario = load_scenario(tmp_path / "a.toml", INSTALLED)
    fast = FastTable(scenario.header, scenario.panel, tmp_path, INSTALLED, start=500.0, fps=0)
    rig = Rig(fast)
    rig.begin(Recorder(tmp_path / "trace"), scenario)
    fast.run(502.0)
    for button in ("fold", "next"):
        fast.contact(button, True)
        fast.run(fast.t + 0.08)
        fast.contact(button, False)
        fast.run(fast.t + 0.5)
    assert rig.command({"do": "deal", "card": "6D3"}) is None
    fast.run(fast.t + 1.0)
    rig.close()
    fast.close()
    return tmp_path / "trace"


def test_what_the_machine_did_is_done_again(trace):
    again = replay(trace, lambda game, keys: None)
    assert again.difference is None
    assert again.entries >= 3
    assert again.changes >= 10


def test_a_press_that_is_missing_is_a_difference(trace):
    file = trace / "trace.jsonl"
    lines = [line for line in file.read_text().splitlines() if '"button": "fold"' not in line]
    file.write_text("\n".join(lines) + "\n")
    assert "Entry" in replay(trace, lambda game, keys: None).difference


def test_contacts_lines_and_commands_stand_in_the_order_of_time(trace):
    notes = [json.loads(line) for line in (trace / "trace.jsonl").read_text().splitlines()]
    assert notes[0]["kind"] == "header"
    times = [note["t"] for note in notes]
    assert times == sorted(times)
    assert {"contact", "line", "command", "entry", "end"} <= {note["kind"] for note in notes}
