"""Measures the time from a die at rest to its value at a Rugen table, in simulated time; prints a table.

    python tests/bench/bench_die_table.py [--throws 60] [--fps 30] [--rugen] [--seed 3]

The demo's tray, its camera, finder, network, tray logic, rules and journal are the real ones; only the clock is the
camera's, so that a busy machine loses no picture. The time from rest to value is what the frame rate allows; the CPU
time per picture is printed beside it, and must fit between two pictures. After the throws come cases that must not
count: leaning dice, a die over the rim, two dice, a d12, a hand that puts the die down.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from rich.console import Console
from rich.progress import track

from companion.app.pipeline import die_sight
from companion.config.tables import DieConfig
from companion.games.rugen.camera.throws import THROWS
from companion.games.rugen.demo.agent import new_tray
from companion.journal.evidence import EvidenceRing
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from companion.tracking.dice.questions import AGAIN
from companion.tracking.dice.verdict import throw_record
from companion.tracking.watch import TableWatch
from companion.vision.frame import Frame
from hardware.demo.camera import DemoCamera
from hardware.demo.dice.table import TrayTable

PATIENCE_S = 3.0
MAX_S = 12.0
TIMES = 4


@dataclass
class Run:
    """A table and the results of its throws."""

    tray: TrayTable
    watch: TableWatch
    service: TableService
    waits: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    @property
    def throws(self) -> int:
        return int(self.service.view("dealer")["throws"])

    @property
    def questions(self) -> list[str]:
        return [question["kind"] for question in self.service.view("dealer")["questions"]]

    def turn(self) -> None:
        """Process one picture; its rendering is not timed."""
        self.watch.turn(0.0)

    def until(self, done: Callable[[], bool], seconds: float) -> None:
        ends = self.tray.now + seconds
        while self.tray.now < ends and not done():
            self.turn()

    def throw(self) -> None:
        """Throw, wait for the value or a question, and answer the question."""
        before, thrown = self.throws, self.tray.thrown
        self.tray.throw()
        self.until(lambda: self.tray.thrown > thrown and bool(self.tray.lying), MAX_S)
        rested, shown = self.tray.now, self.tray.lying[0]
        self.until(lambda: self.throws > before or bool(self.questions), PATIENCE_S)
        if self.throws > before:
            record = self._latest_throw()
            taken = str(record.get("d20") or record.get("face"))
            self.counts["right" if taken == shown else "wrong"] += 1
            self.waits.append(self.tray.now - rested)
            if taken != shown:
                self.wrong.append(f"{shown} taken as {taken}")
        else:
            self.counts["asked: " + ", ".join(self.questions) if self.questions else "nothing said"] += 1
            self.service.submit(throw_record(shown), source="bench")
        self.until(lambda: not self.tray.busy, MAX_S)

    def _latest_throw(self) -> dict[str, object]:
        seq = int(self.service.view("dealer")["seq"])
        records = [entry["record"] for entry in self.service.events(max(0, seq - 20), 50, viewer="dealer")]
        return next(record for record in reversed(records) if record.get("do") == "throw")

    def misthrow(self, act: Callable[[], None]) -> str:
        """Perform an action that is no throw; return the question asked and whether anything counted."""
        before = self.throws
        act()
        self.turn()
        self.until(lambda: not self.tray.busy, MAX_S)
        self.until(lambda: False, PATIENCE_S)
        said = ", ".join(self.questions) or "nothing asked"
        counted = self.throws > before
        for question in self.service.view("dealer")["questions"]:
            self.service.answer(question["id"], AGAIN, source="bench")
        self.tray.take()
        self.turn()
        self.until(lambda: not self.tray.busy, MAX_S)
        self.until(lambda: False, 1.0)
        return f"COUNTED, {said}" if counted else said


class TimedCamera(DemoCamera):
    """The demo's camera, frame by frame; measures the CPU time between two frames."""

    def __init__(self, tray: TrayTable, fps: float, spent: list[float]) -> None:
        super().__init__(tray, fps, paced=False)
        self._spent, self._since = spent, time.process_time()

    def read(self, timeout_s: float) -> Frame | None:
        self._spent.append(1000 * (time.process_time() - self._since))
        frame = super().read(timeout_s)
        self._since = time.process_time()
        return frame


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--throws", type=int, default=60)
    parser.add_argument("--fps", type=float, default=30)
    parser.add_argument("--rugen", action="store_true", help="throw the printed Rugen die")
    parser.add_argument("--seed", type=int, default=3)
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        data, tray, spent = Path(folder), new_tray(seed=asked.seed, rugen=asked.rugen), list[float]()
        header = new_header("rugen-house", (("Ann", 100),))
        with TableService.open(data / "journal.db", header, INSTALLED) as service:
            sight = die_sight(
                DieConfig(), lambda: THROWS, EvidenceRing(data / "evidence"), service, tray.zone, data_dir=data
            )
            camera = TimedCamera(tray, asked.fps, spent)
            run = Run(tray, TableWatch(camera, sight, service, clock=lambda: tray.now), service, cpu_ms=spent)
            bar = track(range(asked.throws), "throws", console=Console(stderr=True), disable=not sys.stderr.isatty())
            for _ in bar:
                run.throw()
            report(run, asked)
            misthrows(run)


def report(run: Run, asked: argparse.Namespace) -> None:
    waits, spent = 1000 * np.array(run.waits or [0]), np.array(run.cpu_ms)
    what = "Rugen die" if asked.rugen else "d20"
    print(f"{asked.throws} throws of the demo's {what} at {asked.fps:g} pictures a second")
    for came, count in run.counts.most_common():
        print(f"  {came:40} {count:4}  {count / asked.throws:6.1%}")
    for line in run.wrong:
        print(f"  WRONG: {line}")
    print(f"  rest to value: p50 {np.percentile(waits, 50):.0f} ms, p95 {np.percentile(waits, 95):.0f} ms, "
          f"slowest {waits.max():.0f} ms")  # fmt: skip
    print(f"  processor for a picture: median {np.median(spent):.1f} ms, p95 {np.percentile(spent, 95):.1f} ms, "
          f"p99 {np.percentile(spent, 99):.1f} ms")  # fmt: skip


def misthrows(run: Run) -> None:
    """Actions that must not count, a few times each."""
    tray = run.tray
    put = "3n" if tray.kind == "rugen" else "12"
    acts: dict[str, Callable[[], None]] = {
        "leaning on the wall": tray.lean,
        "over the rim": tray.overshoot,
        "two dice": lambda: (tray.throw(), tray.throw_second()),  # type: ignore[dict-item, func-returns-value]
        "a d12": lambda: tray.throw(None, "d12"),
        "put down by hand": lambda: tray.put(put),
        "a hand in the empty tray": lambda: tray.rest_hand(2.0),
    }
    for name, act in acts.items():
        said = Counter(run.misthrow(act) for _ in range(TIMES))
        print(f"  {name:40} " + "; ".join(f"{text} {count}" for text, count in said.items()))


if __name__ == "__main__":
    main()
