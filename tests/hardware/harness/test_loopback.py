"""The loopback rig: contacts and lights through jumper wires between two headers of mock pins."""

import tomllib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from companion.config.panel import PanelConfig
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from hardware.harness.http_table import HttpTable
from hardware.harness.loopback import Jumpers, LoopbackRig, load_jumpers, reset_table
from hardware.harness.process_rig import configuration
from hardware.harness.rig import RigError
from hardware.harness.rigs import RigOptions, check_rig
from hardware.harness.runner import run_scenario
from hardware.harness.scenario import load_scenario
from hardware.panel.board import Pins
from hardware.panel.mock import MockPins
from hardware.panel.panel import Panel
from hardware.panel.pin_map import usable_wires
from web_ui import create_app
from web_ui.access.store import AccessStore
from web_ui.server import Server

PIN = "2468"
CONFIG = PanelConfig(lamp_test_s=0.1)
SCENARIO = """
name = "By jumper wires"
game = "roche"
panel = { lamp_test_s = 0.1 }
[[players]]
name = "Ann"
[[step]]
lines = { "lamp/next" = true, "status/green" = true, "lamp/undo" = false }
[[step]]
press = "next"
bounce_ms = 3
[[step]]
lines = { "status/blue" = true, "lamp/undo" = true }
[[step]]
expect = { phase = "dealing" }
[[step]]
press = ["deal", "play"]
[[step]]
notice = "DEAL and PLAY were pressed together"
[[step]]
journal = [{ do = "no-more-bets", source = "panel" }]
[[step]]
page = "/api/v1/state"
has = "dealing"
"""


class Jumper(MockPins):
    """A header with pins wired to another one: each sees the levels that the other drives."""

    def __init__(self) -> None:
        super().__init__()
        self.other: MockPins | None = None
        self.meets: dict[int, int] = {}

    def record(self, name: str, is_high: bool) -> None:
        super().record(name, is_high)
        pin = int(name.removeprefix("GPIO"))
        if self.other is not None and pin in self.meets and self.pin(name).function == "output":
            self.other.drive(self.meets[pin], is_high)


class RigHeader(Jumper):
    """The rig's header: it sees the panel's current levels, and the panel pulls its floating pins up."""

    def __init__(self) -> None:
        super().__init__()
        self.sees: dict[int, int] = {}

    def pin(self, name: Any) -> Any:
        found = super().pin(name)
        number = int(str(found.info.name).removeprefix("GPIO"))
        if self.other is None or found.function != "input":
            return found
        if number in self.meets:
            self.other.drive(self.meets[number], True)
            found.drive_high()
        elif number in self.sees and found.state != self.other.is_high(self.sees[number]):
            (found.drive_low if found.state else found.drive_high)()
        return found


@pytest.fixture
def wired(tmp_path: Path) -> Iterator[tuple[HttpTable, Jumpers, RigHeader]]:
    """A running table with panel and pages, and a rig's header wired to the panel pin by pin."""
    panel_pins, rig_pins = Jumper(), RigHeader()
    lines = {wire.line: wire.pin for wire in usable_wires(CONFIG)}
    with ExitStack() as stack:
        service = stack.enter_context(
            TableService.open(tmp_path / "journal.db", new_header("roche", (("Ann", 100),)), INSTALLED)
        )
        stack.enter_context(Panel(service, Pins(CONFIG, panel_pins), CONFIG)).start()
        access = AccessStore(tmp_path)
        access.set_pin(PIN)
        server = stack.enter_context(Server(create_app(service, access=access), "127.0.0.1", 0))
        panel_pins.other, rig_pins.other = rig_pins, panel_pins
        panel_pins.meets = {pin: pin for line, pin in lines.items() if not line.startswith("button/")}
        rig_pins.meets = {pin: pin for line, pin in lines.items() if line.startswith("button/")}
        rig_pins.sees = panel_pins.meets
        yield HttpTable(f"http://127.0.0.1:{server.port}", PIN), Jumpers(lines=lines), rig_pins


def scenario_of(folder: Path) -> Any:
    path = folder / "scenario.toml"
    path.write_text(SCENARIO)
    return load_scenario(path, INSTALLED)


def test_the_same_scenarios_run_over_jumper_wires(wired: Any, tmp_path: Path) -> None:
    """Contacts pull the panel's pins low, lights are read on the rig's pins, the rest goes over HTTP; in real time."""
    table, jumpers, factory = wired
    result = run_scenario(LoopbackRig(table, jumpers, factory), scenario_of(tmp_path))
    assert result.failure is None, result.failure
    assert {measured.line for measured in result.measured} == {"status/blue on", "lamp/undo on"}


def test_a_table_that_was_played_on_is_not_taken(wired: Any, tmp_path: Path) -> None:
    table, jumpers, factory = wired
    table.command({"do": "no-more-bets"})
    result = run_scenario(LoopbackRig(table, jumpers, factory), scenario_of(tmp_path))
    assert result.failure is not None
    assert result.failure.text == (
        "The table has been played on. Start it on fresh data, or say a command for it with --reset."
    )


def test_the_reset_command_gets_the_scenarios_configuration(tmp_path: Path) -> None:
    reset_table(f"cp $HIL_CONFIG {tmp_path}/copy.toml", scenario_of(tmp_path))
    text = (tmp_path / "copy.toml").read_text()
    assert 'game = "roche"' in text
    assert 'name = "Ann"' in text
    with pytest.raises(RigError, match="ended with 3: no such host"):
        reset_table("echo no such host >&2; exit 3", scenario_of(tmp_path))


def test_a_games_options_are_in_the_scenarios_configuration() -> None:
    header = new_header("rochi", (("Ann", 100), ("Bo", 100)), {"leader": 2})
    scenario = SimpleNamespace(header=header, panel=PanelConfig())
    assert tomllib.loads(configuration(scenario))["rochi"]["leader"] == 2  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[lines]\n'button/deal' = 5\n'lamp/deal' = 5\n", "a pin of the rig is given to two lines. Give each its own."),
        ("[lines]\n'button/deal' = 99\n", "lines.button/deal: Input should be less than or equal to 27. Correct it."),
        ("nonsense", "cannot be read"),
    ],
)
def test_a_wires_file_that_is_wrong_is_told(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "wires.toml").write_text(text)
    with pytest.raises(RigError) as raised:
        load_jumpers(tmp_path / "wires.toml")
    assert message in str(raised.value)


def test_what_the_rig_needs_is_said() -> None:
    with pytest.raises(RigError, match="needs the running table's --url and --pin, and --wires FILE"):
        check_rig("loopback", RigOptions())
