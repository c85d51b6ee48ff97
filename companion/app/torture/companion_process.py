"""A real ``companion run`` on a copy of an installation, with a synthetic camera: load, faults, kills from outside."""

import http.client
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from companion.app.torture.model import expect
from hardware.harness.demo_stream import DemoStream
from hardware.harness.http_table import HttpTable
from hardware.harness.process_rig import free_port
from hardware.harness.rig import RigError
from hardware.harness.steps import Camera

PIN: Final = "4711"
"""The copy's PIN."""
_START_S: Final = 60.0
_NOTICED_S: Final = 20.0
_CLIENTS: Final = 8


@dataclass
class CompanionProcess:
    """The companion process on a copy.

    Args:
        data_dir: the copy's data directory, including its configuration.
    """

    data_dir: Path
    config_file: Path
    counts: Counter[str] = field(default_factory=Counter)
    slowest: dict[str, float] = field(default_factory=dict)
    acknowledged: dict[str, tuple[int, str]] = field(default_factory=dict)
    "Key -> sequence number and command."

    def __post_init__(self) -> None:
        self._port = free_port()
        self._table = HttpTable(f"http://127.0.0.1:{self._port}", PIN)
        self._stream = DemoStream(None)

    @contextmanager
    def running(self) -> Iterator[HttpTable]:
        """Run it; killed on exit."""
        command = [
            sys.executable, "-m", "companion", "run", "--data", str(self.data_dir), "--config", str(self.config_file),
            "--camera", self._stream.url, "--panel", "none", "--host", "127.0.0.1", "--port", str(self._port),
        ]  # fmt: skip
        log = self.data_dir.with_name("log.txt")
        with log.open("ab") as told:
            began = time.monotonic()
            process = subprocess.Popen(command, stdout=told, stderr=told, env={**os.environ, "COMPANION_PIN": PIN})
        try:
            with suppress(RigError):
                self._table.wait_ready(_START_S, lambda: None if process.poll() is None else "it ended")
            said = log.read_text(errors="replace").strip().splitlines()
            expect(self._table.is_ready(), f"the companion does not start: {said[-1] if said else 'it says nothing'}")
            self._note("start", began)
            yield self._table
        finally:
            process.kill()
            process.wait(15)
            self.counts["kills of the whole companion"] += 1

    def close(self) -> None:
        """Release the synthetic camera."""
        self._stream.close()

    def _note(self, what: str, began: float) -> None:
        self.slowest[what] = max(self.slowest.get(what, 0.0), time.monotonic() - began)

    # ---- load and faults

    def storm(self, seconds: float, seed: int) -> None:
        """Load test: eight HTTP clients send commands as fast as they are answered, some of them twice."""
        view = self._table.view()
        ends = time.monotonic() + seconds
        clients = [
            threading.Thread(target=self._bet, args=(random.Random(f"{seed}/{n}"), view, f"{seed}-{n}", ends))
            for n in range(_CLIENTS)
        ]
        for client in clients:
            client.start()
        for client in clients:
            client.join(seconds + 30)
        bad = {name: count for name, count in self.counts.items() if name.startswith("answered 5")}
        expect(not bad, f"under a storm of bets it answered {bad}")

    def _bet(self, rng: random.Random, view: object, name: str, ends: float) -> None:
        players = [one["name"] for one in view["players"]] if isinstance(view, dict) else []
        number = 0
        while time.monotonic() < ends and players:
            number += 1
            who, coins = rng.choice(players), rng.choice((1, 1, 2, 5, 0, 10**16))
            record = rng.choice(
                (
                    {"do": "buy-in", "player": who, "coins": coins},
                    {"do": "bet", "player": who, "on": "red", "amount": coins},
                    {"do": rng.choice(("undo", "redo", "hold", "release", "no-more-bets", "sing"))},
                )
            )
            for _ in range(rng.choice((1, 1, 1, 2))):
                self._send(f"torture-{name}-{number}", json.dumps(record))

    def _send(self, key: str, body: str) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=10)
        headers = {"Authorization": f"Bearer {PIN}", "Content-Type": "application/json", "Idempotency-Key": key}
        try:
            connection.request("POST", "/api/v1/commands", body, headers)
            answer = connection.getresponse()
            said = answer.read()
        except (OSError, http.client.HTTPException):
            self.counts["requests without an answer"] += 1
            time.sleep(0.02)  # killed, or rate limited
            return
        finally:
            connection.close()
        self.counts["requests"] += 1
        if answer.status >= 500:
            self.counts[f"answered {answer.status}"] += 1
        elif answer.status == 200:
            seq = int(json.loads(said)["seq"])
            before = self.acknowledged.setdefault(f"dealer:{key}", (seq, body))
            self.counts["answered twice differently"] += before[0] != seq

    def lose_camera(self) -> None:
        """Disconnect the camera and reconnect it; both must be reported."""
        for is_lost in (True, False):
            self._stream.move(Camera(camera="lost" if is_lost else "back"))
            began = time.monotonic()
            while (self._table.view()["camera"]["status"] == "ok") is is_lost:
                late = "is gone" if is_lost else "is back"
                expect(time.monotonic() - began < _NOTICED_S, f"the camera {late}, and nobody is told")
                time.sleep(0.05)
            self._note("camera lost" if is_lost else "camera back", began)
            self.counts["camera faults"] += is_lost

    def wait_for_camera(self) -> None:
        """Wait until the table has frames."""
        ends = time.monotonic() + _NOTICED_S
        while self._table.view()["camera"]["status"] != "ok":
            expect(time.monotonic() < ends, "the table never sees the camera's pictures")
            time.sleep(0.05)
