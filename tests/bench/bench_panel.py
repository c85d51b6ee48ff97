"""Measures the latency from a button's edge to the journal on the disk and to the light; prints a table.

    python tests/bench/bench_panel.py [--presses 60]

Uses the real panel with its threads, the real table service, gpiozero's mock pins, and the disk of the folder for
temporary files. Runs first in one process; then with `companion run --panel mock` as a separate process with camera and
pages, whose buttons are pressed through the mock panel's socket.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from companion.config.panel import PanelConfig
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from companion.tracking.frame_stats import percentile
from hardware.panel.board import Pins
from hardware.panel.mock import MockPins
from hardware.panel.panel import Panel
from hardware.panel.remote import SOCKET_NAME, MockPanel, MockPanelClient, play

PIN = "4711"
GAP_S = 0.25  # between two presses of a fast hand
LINE = ("status/blue", True)  # NEXT closes the bets, and the status light turns blue

Edges = Sequence[tuple[float, str, bool]]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--presses", type=int, default=60)
    chosen = options.parse_args()
    config = PanelConfig()
    print(f"{'NEXT pressed (ms)':46} {'median':>8} {'p99':>8} {'n':>5}")
    one_process(config, chosen.presses)
    own_process(chosen.presses)
    wait = max(config.together_ms, config.debounce_ms)
    print(f"\nOf each, {wait} ms are waited to see that the contact rests and that no other button follows")
    print("(panel.together_ms, panel.debounce_ms).")


def one_process(config: PanelConfig, presses: int) -> None:
    """Measure panel and table in one process, without camera and pages."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        pins = MockPins()
        journal, header = Path(folder) / "journal.db", new_header("roche", (("Ann", 100),))
        with (
            TableService.open(journal, header, INSTALLED) as service,
            Panel(service, Pins(config, pins), config).start() as panel,
        ):
            bench = MockPanel(pins, config)
            time.sleep(config.lamp_test_s + 0.2)
            began = pressed(presses, lambda edges: play(bench, edges), lambda: undo(service))
            tell("to its event on the disk, one process", [s * 1000 for s in panel.stats.latencies])
            tell("to its light, one process", to_light(began, bench.changes()))


def undo(service: TableService) -> None:
    service.submit({"do": "undo"}, source="dealer")


def own_process(presses: int) -> None:
    """Measure `companion run` as a separate process, with camera, pages and everything else."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        data = Path(folder) / "data"
        data.mkdir(mode=0o700)
        (data / "companion.toml").write_text('[table]\ngame = "roche"\n[[players]]\nname = "Ann"\ncoins = 100\n')
        argv = ["run", "--data", str(data), "--camera", str(still(Path(folder))), "--panel", "mock", "--port", "0"]
        process = subprocess.Popen(
            [sys.executable, "-m", "companion", *argv, "--host", "127.0.0.1", "--pin", PIN],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split()[-1]
            measure(url, data, presses)
        finally:
            process.terminate()
            process.wait(15)


def measure(url: str, data: Path, presses: int) -> None:
    client = reached(data / SOCKET_NAME)
    time.sleep(2.0)
    seen: list[float] = []

    def back() -> None:
        events = ask(url, "GET", "/api/v1/events?after=0&limit=1000")["events"]
        seen.append(len(events))
        ask(url, "POST", "/api/v1/commands", {"do": "undo"})

    began = pressed(presses, lambda edges: float(client.ask({"edges": edges})["began"]), back)
    changes = [(float(t), str(line), bool(on)) for t, line, on in client.ask({"log": 0})["edges"]]
    tell("to its light, a process with camera and pages", to_light(began, changes))
    assert seen == sorted(seen), "the journal grows with every press"
    client.close()


def still(folder: Path) -> Path:
    """Return a folder with one picture of an empty table, the camera of a scene at rest."""
    import cv2
    import numpy as np

    pictures = folder / "pictures"
    pictures.mkdir()
    cv2.imwrite(str(pictures / "table.png"), np.full((1080, 1920, 3), (60, 90, 50), np.uint8))
    return pictures


def reached(socket: Path) -> MockPanelClient:
    ends = time.monotonic() + 40
    while not socket.exists():
        assert time.monotonic() < ends, "the table did not start"
        time.sleep(0.05)
    return MockPanelClient(socket)


def ask(url: str, method: str, path: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {PIN}", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url + path, data, headers, method=method), timeout=10) as answer:
        return json.load(answer)


def pressed(
    presses: int, contact: Callable[[Sequence[tuple[str, bool, float]]], float], back: Callable[[], None]
) -> list[float]:
    """Press NEXT repeatedly, with an undo after each press; return the times at which the contact closed."""
    began = []
    for _ in range(presses):
        began.append(contact([("next", True, 0.0), ("next", False, 0.08)]))
        time.sleep(GAP_S)
        back()
        time.sleep(GAP_S)
    return began


def to_light(began: Sequence[float], changes: Edges) -> list[float]:
    """Return the milliseconds from each press to its light."""
    lit = [t for t, line, on in changes if (line, on) == LINE]
    found = []
    for start in began:
        after = [t for t in lit if t >= start]
        assert after, "a press without a light"
        found.append((after[0] - start) * 1000)
    return found


def tell(what: str, ms: Sequence[float]) -> None:
    print(f"{what:46} {statistics.median(ms):8.1f} {percentile(sorted(ms), 99):8.1f} {len(ms):5}")


if __name__ == "__main__":
    main()
