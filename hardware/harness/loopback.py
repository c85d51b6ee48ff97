"""The loopback rig: a real Pi whose panel is operated and observed by other pins, over jumper wires.

The rig's pins may belong to the same Pi (if enough are free) or to a second one. A button is pressed by pulling its
pin to ground, and released by letting the pin float, so that the panel's pull-up raises it; the two never drive
against each other. The camera faces a screen that shows the demo table (`hardware.harness.demo_stream`). The table runs
as usual and is controlled over HTTP. Before each scenario, a command given by the user restarts it on fresh data with
the scenario's configuration; without such a command, only an unused table is accepted.
"""

import os
import subprocess
import tempfile
import time
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

from gpiozero import DigitalInputDevice
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hardware.harness import steps as s
from hardware.harness.card_world import felt_for
from hardware.harness.demo_stream import DemoStream
from hardware.harness.http_table import HttpRig, HttpTable
from hardware.harness.process_rig import configuration
from hardware.harness.rig import Change, Contact, RigError
from hardware.harness.scenario import Scenario

READY_S: Final = 30.0
RESET_S: Final = 120.0
LAMP_TEST_S: Final = 1.0
RigPin = Annotated[int, Field(ge=2, le=27)]


class Jumpers(BaseModel):
    """The jumpers' file (TOML).

    Attributes:
        factory: gpiozero's pin factory, as in ``[panel]``.
        chip: GPIO chip number; None: the default.
        lines: the rig's pin for each line of the panel: ``"button/deal" = 17``, ``"lamp/deal" = 27`` …
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    factory: str = "auto"
    chip: int | None = None
    lines: dict[str, RigPin]


def load_jumpers(path: Path) -> Jumpers:
    """Read the jumpers' file.

    Raises:
        RigError: it cannot be read or is invalid.
    """
    try:
        jumpers = Jumpers.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RigError(f"The wires' file {path} cannot be read: {error}. See `companion hil run --help`.") from error
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in wrong["loc"])
        raise RigError(f"{path}: {key}: {wrong['msg']}. Correct it.") from error
    pins = list(jumpers.lines.values())
    if len(set(pins)) < len(pins):
        raise RigError(f"{path}: a pin of the rig is given to two lines. Give each its own.")
    return jumpers


def reset_table(command: str, scenario: Scenario) -> None:
    """Run the user's command that restarts the table on fresh data; ``$HIL_CONFIG`` names the configuration.

    Raises:
        RigError: the command fails or takes too long.
    """
    with tempfile.TemporaryDirectory(prefix="hil-") as folder:
        config = Path(folder) / "companion.toml"
        config.write_text(configuration(scenario), encoding="utf-8")
        env = {**os.environ, "HIL_CONFIG": str(config)}
        try:
            done = subprocess.run(command, shell=True, env=env, capture_output=True, text=True, timeout=RESET_S)
        except subprocess.TimeoutExpired as error:
            raise RigError(f"{command!r} did not end in {RESET_S:.0f} s. Try it by hand.") from error
    if done.returncode != 0:
        output = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
        raise RigError(f"{command!r} ended with {done.returncode}: {output[-1]}. Try it by hand.")


class LoopbackRig(HttpRig):
    """See `hardware.harness.rig.Rig`.

    Args:
        table: the running table.
        jumpers: the jumper wires.
        factory: gpiozero's pin factory for the rig's own pins.
        stream: the demo table in front of the camera; None without a screen.
        reset: the command that restarts the table on fresh data (see `reset_table`); None: it must be unused.
    """

    name = "loopback"
    slack_ms = 30.0
    extra_timeout_ms = 0.0
    poll_s = 0.02

    def __init__(
        self,
        table: HttpTable,
        jumpers: Jumpers,
        factory: Any,
        stream: DemoStream | None = None,
        reset: str | None = None,
    ) -> None:
        self._table, self._factory, self._stream, self._reset = table, factory, stream, reset
        self._pins = jumpers.lines
        self._inputs: dict[str, DigitalInputDevice] = {}
        self._changes: list[Change] = []

    @property
    def table(self) -> HttpTable:
        """The table under test."""
        return self._table

    def open(self, scenario: Scenario) -> None:
        if self._stream is not None:
            self._stream.move(s.Gather(gather=True))
            self._stream.replace_felt(felt_for(scenario, self._stream.deck))
        if self._reset is not None:
            reset_table(self._reset, scenario)
        self.table.wait_ready(READY_S)
        if any(entry["kind"] == "command" for entry in self.table.journal(0)):
            raise RigError(
                "The table has been played on. Start it on fresh data, or say a command for it with --reset."
            )
        shown = self.table.view()
        if (game := shown["game"]) != scenario.header.game:
            raise RigError(f"The table plays {game}. Start it with --game {scenario.header.game}.")
        here = {player["name"] for player in shown["players"]}
        missing = [name for name, _ in scenario.header.players if name not in here]
        if missing:
            raise RigError(
                f"{missing[0]} does not sit at the table. Start it on fresh data with the scenario's players."
            )
        for line, pin in self._pins.items():
            if line.startswith("button/"):
                self._let_float(pin)
            else:
                self._watch(line, pin)
        time.sleep(scenario.panel.lamp_test_s + LAMP_TEST_S)

    def _watch(self, line: str, pin: int) -> None:
        device = DigitalInputDevice(pin, pull_up=None, active_state=True, pin_factory=self._factory)
        device.when_activated = lambda: self._changes.append(Change(time.monotonic(), line, True))
        device.when_deactivated = lambda: self._changes.append(Change(time.monotonic(), line, False))
        self._inputs[line] = device

    def close(self) -> None:
        for device in self._inputs.values():
            device.close()
        self._inputs = {}
        for line, pin in self._pins.items():
            if line.startswith("button/"):
                self._let_float(pin)

    # ---- pins

    def _let_float(self, pin: int) -> None:
        found = self._factory.pin(f"GPIO{pin}")
        found.function = "input"
        found.pull = "floating"

    def _pull_down(self, pin: int) -> None:
        self._factory.pin(f"GPIO{pin}").output_with_state(0)

    def play(self, contacts: Sequence[Contact]) -> float:
        began = time.monotonic()
        for contact in contacts:
            line = f"button/{contact.button}"
            if line not in self._pins:
                raise RigError(f"No wire goes to {line}. Add it to the wires' file.")
            time.sleep(max(0.0, began + contact.at - time.monotonic()))
            (self._pull_down if contact.is_down else self._let_float)(self._pins[line])
            self._changes.append(Change(time.monotonic(), line, contact.is_down))
        return began

    def changes(self, after: int) -> Sequence[Change]:
        return self._changes[after:]

    def lines(self) -> Mapping[str, bool]:
        return {line: bool(device.is_active) for line, device in self._inputs.items()}

    def display_history(self) -> Sequence[tuple[str, str]] | None:
        return None

    # ---- the world

    def move(self, step: s.Step) -> float:
        if self._stream is None:
            raise RigError("This rig has no screen to paint on. Lay the card by hand, or leave the step out.")
        return self._stream.move(step)

    def kill(self) -> None:
        raise RigError("The loopback rig cannot kill the table's process. Run this scenario on the mock rig.")

    def start(self) -> None:
        raise RigError("The loopback rig cannot start the table. Run this scenario on the mock rig.")
