"""Repeatedly cuts the power of a virtual machine that runs the companion, while it acknowledges commands.

``make power-cuts ARGS="--cuts 20"`` has the dependencies of `make hil`, and builds the same machine. After each cut the
file system is recovered as a machine would, and the journal is verified: it must contain every acknowledged command.
"""

import argparse
import http.client
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from companion.journal.store import FILE_NAME, JournalReader
from hardware.harness.gpiosim.image import Image, build, cache_folder, check_programs

from ..conftest import Client, folded
from ..test_kill_run import CONFIG, House, free_port, send_until_dead
from .disk import DiskServer, VolatileDisk
from .machine import Machine, accelerator, files_on, new_disk

CLIENTS: Final = 3
_START_S: Final = 900.0
_LIFE_S: Final = 300.0
_IN_A_START: Final = 5
"""One of so many cuts comes during a start."""
_OPERATIONS: Final = 300
"""Writes and flushes, at most, from the first command to the cut: some dozens of commands."""


@dataclass
class CutsTold:
    """What came of cutting the power."""

    cuts: int = 0
    during_start: int = 0
    lossy: int = 0
    "Cuts that took unflushed sectors with them."
    starts_s: list[float] = field(default_factory=list)


class CutHouse(House):
    """The companion in a virtual machine, and the clients outside of it.

    Args:
        machine, disk: its machine, and the disk of its data.
        folder: for what is found on the disk.
    """

    def __init__(self, machine: Machine, disk: VolatileDisk, folder: Path, client: Client, port: int) -> None:
        super().__init__(folder, client, "")
        self.machine, self.disk, self.port = machine, disk, port
        self.told = CutsTold()

    def start(self) -> None:
        self.disk.switch_on()
        self.machine.start()

    def live(self, number: int, rng: random.Random) -> str:
        """Boot, play until the power goes, and look at what is left; return what happened, in words."""
        is_in_start = number % _IN_A_START == _IN_A_START - 1
        self.start()
        began = time.monotonic()
        if is_in_start:
            self.disk.cut_after(rng.randint(1, self.operations_of_start))
            self.wait_ready(began + _START_S, or_off=True)
        else:
            before = self.disk.operations
            self.wait_ready(began + _START_S)
            self.told.starts_s.append(time.monotonic() - began)
            self.operations_of_start = self.disk.operations - before
            self.check_shown()
            self.play(number, rng)
        self.machine.kill()
        lost = self.disk.cut(rng)
        self.told.cuts += 1
        self.told.during_start += is_in_start
        self.told.lossy += "0 of 0" not in lost
        return f"{'in a start' if is_in_start else 'in play'}: {lost}; {self.look()}"

    operations_of_start = 60
    "Writes and flushes, about."

    def wait_ready(self, ends: float, *, or_off: bool = False) -> None:
        while not (or_off and self.disk.went_off.is_set()) and self.ask("/readyz", 2.0) is None:
            assert self.machine.why_dead() is None, self.machine.why_dead()
            assert time.monotonic() < ends, "the companion does not start"
            time.sleep(0.1)

    def ask(self, path: str, timeout_s: float) -> Any:
        """Return a page's answer; None if there is none."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout_s)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return json.loads(answer.read()) if answer.status == 200 else None
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def check_shown(self) -> None:
        """The table that has come up shows what the journal on the disk adds up to, and misses nothing."""
        shown = self.ask("/api/v1/state", 60.0)
        assert "journal" not in shown, shown["journal"]
        if (self.data_dir / "found" / FILE_NAME).exists():
            with JournalReader.open(self.data_dir / "found" / FILE_NAME) as reader:
                entries = list(reader.entries())
            if entries:
                expected = json.loads(json.dumps(folded(entries).view()))
                assert {key: shown[key] for key in expected} == expected

    def play(self, number: int, rng: random.Random) -> None:
        """Send what was not answered again, then commands from several clients until the power goes."""
        for key in self.client.unanswered:
            self.submit(key, self.client.sent[key], 60.0)
        self.disk.cut_after(rng.randint(1, _OPERATIONS))
        clients = [
            threading.Thread(target=send_until_dead, args=(self, rng.random(), f"{number}-{one}"), daemon=True)
            for one in range(CLIENTS)
        ]
        for client in clients:
            client.start()
        assert self.disk.went_off.wait(_LIFE_S), f"nothing is written any more: {self.machine.why_dead()}"
        self.machine.kill()
        for client in clients:
            client.join(30)

    def look(self) -> str:
        """Recover the file system, and hold what is on it against what was acknowledged."""
        found = files_on(self.disk, self.data_dir)
        journal = found / FILE_NAME
        if not self.client.acknowledged and (not journal.exists() or not journal.stat().st_size):
            return "no journal yet"
        verified = subprocess.run(
            [sys.executable, "-m", "companion", "journal", "verify", "--data", str(found)],
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert verified.returncode == 0, verified.stdout + verified.stderr
        self.client.check(journal)
        return f"all {len(self.client.acknowledged)} acknowledged commands are there"


def cut_often(image: Image, cuts: int, seed: int, folder: Path, say: Callable[[str], None]) -> tuple[CutsTold, Client]:
    """Cut the power so often; return what came of it, and what the clients know.

    Raises:
        AssertionError: a promise was broken.
    """
    content = folder / "content"
    content.mkdir()
    (content / "companion.toml").write_text(f"{CONFIG}[web]\nhttps = false\n")
    client, port, socket = Client(prefix="dealer:"), free_port(), folder / "disk.sock"
    disk = new_disk(content, folder)
    machine = Machine(image, socket, port, folder / "console.log")
    house = CutHouse(machine, disk, folder, client, port)
    with ExitStack() as stack:
        stack.enter_context(DiskServer(disk, socket))
        stack.callback(machine.kill)
        for number in range(cuts):
            say(f"cut {number + 1} {house.live(number, random.Random(f'{seed}/{number}'))}")
        house.start()
        house.wait_ready(time.monotonic() + _START_S)
        house.check_shown()
    return house.told, client


def main() -> int:
    """Cut the power; exit code 1 if a promise was broken."""
    parser = argparse.ArgumentParser(prog="make power-cuts", description=__doc__)
    parser.add_argument("--cuts", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    check_programs()
    image = build(cache_folder(), lambda text: print(f"hil: {text}", file=sys.stderr, flush=True))
    folder = Path(tempfile.mkdtemp(prefix="power-cuts-"))
    print(f"{CLIENTS} clients, instructions by {accelerator()}; console and disk are in {folder}", flush=True)
    try:
        told, client = cut_often(image, options.cuts, options.seed, folder, lambda text: print(text, flush=True))
    except AssertionError as broken:
        print(f"A promise was broken: {broken}")
        return 1
    print(
        f"{told.cuts} power cuts, {told.during_start} of them in a start, {told.lossy} with unflushed sectors: "
        f"all of {len(client.acknowledged)} acknowledged commands were there once, every journal verified. "
        f"From power on to ready: median {sorted(told.starts_s)[len(told.starts_s) // 2]:.1f} s, "
        f"slowest {max(told.starts_s):.1f} s."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
