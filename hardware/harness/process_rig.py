"""The mock rig with the table as a separate process in real time, for scenarios that kill it.

It runs ``companion run --panel mock`` on a temporary data folder. Pins go through the mock panel's socket, the camera
films the demo table's video stream, and everything else goes over HTTP.
"""

import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Final

from hardware.harness import steps as s
from hardware.harness.card_world import felt_for, new_deck
from hardware.harness.demo_stream import DemoStream
from hardware.harness.http_table import HttpRig, HttpTable
from hardware.harness.rig import Change, Contact, RigError
from hardware.harness.scenario import Scenario
from hardware.panel.remote import SOCKET_NAME, MockPanelClient, NoSocket, Reply, Request

PIN: Final = "4711"
START_S: Final = 40.0
_EYES_S: Final = 20.0


class ProcessRig(HttpRig):
    """See `hardware.harness.rig.Rig`."""

    name = "mock"
    slack_ms = 40.0  # other processes on this machine delay both the rig and the table
    extra_timeout_ms = 0.0
    poll_s = 0.01

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None
        self._table: HttpTable | None = None
        self._bench: MockPanelClient | None = None
        self._stream: DemoStream | None = None
        self._earlier: list[Change] = []
        "Changes of lines in the processes that have ended."
        self._command: list[str] = []

    # ---- start and stop

    def open(self, scenario: Scenario) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="hil-")
        data = self._data
        data.mkdir(mode=0o700)
        deck = new_deck(scenario, data)
        self._stream = DemoStream(deck, felt_for(scenario, deck))
        (data / "companion.toml").write_text(configuration(scenario))
        port = free_port()
        self._table = HttpTable(f"http://127.0.0.1:{port}", PIN)
        self._command = [
            sys.executable, "-m", "companion", "run", "--data", str(data), "--camera", self._stream.url,
            "--panel", "mock", "--host", "127.0.0.1", "--port", str(port), "--pin", PIN,
        ]  # fmt: skip
        self._log = (Path(self._folder.name) / "log.txt").open("ab")
        self.start()

    @property
    def _data(self) -> Path:
        assert self._folder is not None, "the rig is open"
        return Path(self._folder.name) / "data"

    def start(self) -> None:
        assert self._folder is not None, "the rig is open"
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=self._log)
        self.table.wait_ready(START_S, self._end_of_process)
        ends = time.monotonic() + _EYES_S
        while self.table.view()["camera"]["status"] != "ok":
            if time.monotonic() > ends:
                raise RigError("The table's camera does not see the painted world. Is the machine overloaded?")
            time.sleep(0.05)
        self._bench = MockPanelClient(self._data / SOCKET_NAME)
        time.sleep(0.8)  # the lamp test

    def _end_of_process(self) -> str | None:
        if self._process is None or self._process.poll() is None:
            return None
        assert self._folder is not None, "the rig is open"
        log = (Path(self._folder.name) / "log.txt").read_text(errors="replace").strip().splitlines()
        return f"The table ended with {self._process.returncode}: {log[-1] if log else 'it said nothing'}."

    def kill(self) -> None:
        if self._process is None:
            raise RigError("The table does not run. Write a start step before the next kill.")
        self._earlier = list(self.changes(0))
        self._process.kill()
        self._process.wait(15)
        self._let_go()

    def _let_go(self) -> None:
        if self._bench is not None:
            self._bench.close()
        self._bench = self._process = None

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(15)
        self._let_go()
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        if self._log is not None:
            self._log.close()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    @property
    def table(self) -> HttpTable:
        """The table under test."""
        if self._table is None:
            raise RigError("The rig is not open. Open it with a scenario first.")
        return self._table

    # ---- pins

    def play(self, contacts: Sequence[Contact]) -> float:
        return self._pins({"edges": [(c.button, c.is_down, c.at) for c in contacts]})["began"]

    def changes(self, after: int) -> Sequence[Change]:
        found = [*self._earlier, *(Change(*change) for change in self._pins({"log": 0})["edges"])]
        return found[after:]

    def lines(self) -> Mapping[str, bool]:
        return self._pins({"lines": True})["lines"]

    def _pins(self, request: Request) -> Reply:
        if self._bench is None:
            raise RigError("The table does not run. Write a start step first.")
        try:
            return self._bench.ask(request)
        except NoSocket as error:
            raise RigError(self._end_of_process() or str(error)) from error

    def display_history(self) -> Sequence[tuple[str, str]] | None:
        return None

    # ---- the world

    def move(self, step: s.Step) -> float:
        assert self._stream is not None, "the rig is open"
        return self._stream.move(step)


def free_port() -> int:
    """Return an unused port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# ---- the table's configuration

_OF_TABLE: Final = frozenset({"layout", "deck", "min", "max", "cap", "bank", "paytable"})


def configuration(scenario: Scenario) -> str:
    """Return the content of ``companion.toml`` for a scenario."""
    header = scenario.header
    own = {key: value for key, value in header.options.items() if key not in _OF_TABLE}
    shared = {key: value for key, value in header.options.items() if key in _OF_TABLE}
    # The header alone defines the table: unless its options set a bank, the house has no limit.
    parts: list[str] = [*_toml("table", {"game": header.game, "bank": 0, **shared})]
    parts += _toml(header.game, own) if own else []
    parts += _toml("panel", scenario.panel.model_dump(mode="json", exclude_unset=True))
    for name, coins in header.players:
        parts += ["[[players]]", f"name = {json.dumps(name)}", f"coins = {coins}"]
    return "\n".join(parts) + "\n"


def _toml(name: str, values: Mapping[str, object]) -> list[str]:
    """Return the TOML lines of a table, with its subtables last; None becomes ``false``."""
    plain = {key: value for key, value in values.items() if not isinstance(value, Mapping)}
    lines = [f"[{name}]", *(f"{key} = {json.dumps(False if v is None else v)}" for key, v in plain.items())]
    for key, value in values.items():
        if isinstance(value, Mapping):
            lines += _toml(f"{name}.{key}", value)
    return lines
