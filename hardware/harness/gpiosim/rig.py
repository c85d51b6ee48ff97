"""The gpiosim rig: the companion as its own systemd unit on a real kernel, with simulated pins and a simulated camera.

It runs inside the virtual machine, which `hardware.harness.gpiosim.host` boots. Buttons are contacts of the kernel's
gpio-sim, lights are read back with the kernel's timestamps, the camera is a V4L2 node, and everything else goes over
HTTP. The machine may be emulated and slow, so timeouts are generous; times are reported as measured.
"""

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from companion.plugins.perception import DiePerception
from hardware.harness.card_world import felt_for, new_deck
from hardware.harness.gpiosim.chip import SimChip
from hardware.harness.gpiosim.pattern import PatternWorld
from hardware.harness.gpiosim.unit import CONFIG_DIR, DATA_DIR, PIN, PORT, Unit
from hardware.harness.gpiosim.world import FPS, IDLE_INTERVAL_S, NODE, SIZE, LoopbackWorld
from hardware.harness.http_table import HttpRig, HttpTable
from hardware.harness.process_rig import configuration
from hardware.harness.rig import Change, Contact, RigError
from hardware.harness.scenario import Scenario
from hardware.harness.steps import Gather, Hand, Lay, Step, Take
from hardware.panel.pin_map import Wire, usable_wires

START_S: Final = 900.0
LATE_MS: Final = 60.0
"""A contact played with a longer delay, on an overloaded machine, makes a failed run invalid."""
SMALL: Final = (320, 240)
_SHOWING: Final = (Lay, Take, Gather, Hand)
_SAID: Final = re.compile(r"Panel: \[(.*?)\s*\] \[(.*?)\s*\]$")


class GpiosimRig(HttpRig):
    """See `hardware.harness.rig.Rig`. Created once per boot; each scenario restarts the table on fresh data.

    Args:
        chip: the kernel's simulated chip.
        unit: the table's systemd unit.

    Attributes:
        late_ms: maximum delay of a contact in this scenario.
    """

    name = "gpiosim"
    slack_ms = 10.0  # measured: blinking within 1 ms of its pattern, contacts 0.2 ms late
    extra_timeout_ms = 10_000.0
    poll_s = 0.2

    def __init__(self, chip: SimChip, unit: Unit) -> None:
        self._chip, self._unit = chip, unit
        self._world: LoopbackWorld | PatternWorld | None = None
        self._wires: Mapping[int, Wire] = {}
        self._pins: Mapping[str, Wire] = {}
        self._active_high = True
        self._changes: list[Change] = []
        self._table = HttpTable(f"http://127.0.0.1:{PORT}", PIN, timeout_s=60.0)
        self._restarts_before = 0
        self.late_ms = 0.0

    # ---- start and stop

    def open(self, scenario: Scenario) -> None:
        self._unit.stop()
        self._changes, self.late_ms = [], 0.0
        self._wires = {wire.pin: wire for wire in usable_wires(scenario.panel)}
        self._pins = {wire.line: wire for wire in self._wires.values()}
        self._active_high = scenario.panel.active_high
        for wire in self._wires.values():
            if wire.is_button:
                self._chip.pull(wire.pin, up=True)
        self._chip.claim(scenario.taken)
        if scenario.barred:
            self._chip.deny_access()
        self._prepare(scenario)
        self._unit.start(START_S)
        self._wait_for_table(scenario.panel.lamp_test_s, has_pins=not scenario.barred)

    def _prepare(self, scenario: Scenario) -> None:
        """Write the unit's settings, put the deck into an empty data folder, and create the camera's world."""
        self._unit.clear()
        deck = new_deck(scenario, DATA_DIR)
        panel = scenario.panel.model_copy(update={"display": scenario.panel.display.model_copy(update={"kind": "log"})})
        is_pattern = scenario.world == "pattern"
        node, size = (PatternWorld.node, PatternWorld.size) if is_pattern else (NODE, size_for(scenario))
        camera = f'[camera]\nsource = "{node}"\nwidth = {size[0]}\nheight = {size[1]}\nfps = {FPS:.0f}\n'
        self._unit.write_settings(camera + configuration(replace(scenario, panel=panel)), CONFIG_DIR)
        has_die = isinstance(scenario.plugin.perception, DiePerception)  # a throw needs the full frame rate
        idle_interval_s = 0.0 if has_die else IDLE_INTERVAL_S
        felt = felt_for(scenario, deck)
        self._world = (
            PatternWorld() if is_pattern else LoopbackWorld(deck, felt, size=size, idle_interval_s=idle_interval_s)
        )

    def _wait_for_table(self, lamp_test_s: float, *, has_pins: bool) -> None:
        self.table.wait_ready(START_S, self._unit.failure_text)
        ends = time.monotonic() + START_S
        while (status := self.table.view()["camera"]["status"]) != "ok":
            if time.monotonic() > ends:
                raise RigError(f"The table's camera is {status!r}. See companion.log in the machine's folder.")
            time.sleep(0.5)
        if has_pins and not self._unit.has_logged("Panel: pins by lgpio"):
            raise RigError("The table found no pins at /dev/gpiochip0. See companion.log in the machine's folder.")
        time.sleep(lamp_test_s + 1.0)

    def close(self) -> None:
        self._unit.stop()
        if self._world is not None:
            self._world.close()
            self._world = None
        self._chip.release()
        self._chip.reset_levels()

    def kill(self) -> None:
        self._restarts_before = self._unit.restarts()
        self.changes(0)
        self._unit.signal("SIGKILL")
        self._chip.reset_levels()

    def hang(self) -> None:
        """Freeze the table's process, like a driver call that never returns; systemd's watchdog has to notice."""
        self._restarts_before = self._unit.restarts()
        self._unit.signal("SIGSTOP")

    def start(self) -> None:
        """Wait until systemd has restarted the table."""
        self._unit.wait_restart(self._restarts_before, START_S)
        self._chip.reset_levels()
        self.table.wait_ready(START_S, self._unit.failure_text)
        time.sleep(2.0)

    def logged(self) -> str:
        """Return the service's log of this scenario."""
        return self._unit.logged()

    @property
    def table(self) -> HttpTable:
        return self._table

    # ---- pins

    def play(self, contacts: Sequence[Contact]) -> float:
        began = time.monotonic()
        for contact in contacts:
            wire = self._pins.get(f"button/{contact.button}")
            if wire is None:
                raise RigError(f"The panel has no button {contact.button}. Give it a pin in the scenario.")
            time.sleep(max(0.0, began + contact.at - time.monotonic()))
            self._chip.pull(wire.pin, up=not contact.is_down)
            played = time.monotonic()
            self.late_ms = max(self.late_ms, (played - began - contact.at) * 1000)
            self._changes.append(Change(played, wire.line, contact.is_down))
        return began

    def changes(self, after: int) -> Sequence[Change]:
        for edge in self._chip.edges():
            if (wire := self._wires.get(edge.pin)) is not None and not wire.is_button:
                self._changes.append(Change(edge.t, wire.line, wire.is_on(edge.is_high, self._active_high)))
        return self._changes[after:]

    def lines(self) -> Mapping[str, bool]:
        return {line: wire.is_on(self._chip.is_high(wire.pin), self._active_high) for line, wire in self._pins.items()}

    def display_history(self) -> Sequence[tuple[str, str]] | None:
        return displayed_in(self._unit.logged())

    def move(self, step: Step) -> float:
        if self._world is None:
            raise RigError("The rig is not open. Open it with a scenario first.")
        return self._world.move(step)


def size_for(scenario: Scenario) -> tuple[int, int]:
    """Return the image size for a scenario; a small one if nothing is laid or moved, to relieve the machine."""
    return SIZE if any(isinstance(placed.step, _SHOWING) for placed in scenario.steps) else SMALL


def displayed_in(log: str) -> list[tuple[str, str]]:
    """Return the texts shown on the panel's display, from the service's log.

    >>> displayed_in("x\\nPanel: [Bets open       ] [NEXT closes     ]\\n")
    [('Bets open', 'NEXT closes')]
    """
    return [(found[1], found[2]) for line in log.splitlines() if (found := _SAID.search(line)) is not None]
