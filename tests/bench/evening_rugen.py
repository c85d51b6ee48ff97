"""Plays an evening of Rugen with the demo's tray, and compares each value taken with the die's true value.

    python tests/bench/evening_rugen.py [--game rugen-house] [--minutes 10] [--fps 15] [--rugen] [--keep FOLDER]
                                        [--own-clock]

`companion run --camera demo` is started as its user would start it. The demo's log has the time at which a die came to
rest and its true value; the journal has the values taken, with source and time; the stored pictures show the reading of
each die that the table asked about. A machine too slow for the frame rate misses the die's flight: the die is read, but
asked about. There, `--own-clock` shows the behavior of a fast machine: tray, dealer, camera, table and journal run in
one process, picture by picture in simulated time.
`--rugen` throws the printed Rugen die. `--keep` keeps the data directory, with the picture of every throw.

At the end the journal's commands are replayed by the code of `companion replay`: the coins must be the same.
"""

import argparse
import json
import logging
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import cv2

from companion.games.rugen.camera.throws import THROWS
from companion.games.rugen.demo.agent import RugenAgent, new_tray
from companion.journal.evidence import EvidenceRing
from companion.kernel.script import replay
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from companion.tracking.dice.reader import TrayReader
from companion.tracking.dice.sight import DieSight
from companion.tracking.watch import TableWatch
from hardware.demo.camera import DemoCamera

_REST = re.compile(r"A die came to rest: (\w+)")
_SHORT_S = 30.0  # time after which an unprocessed throw counts as missed
_CHECK_S = 5.0
_TO_READ_S = 3.0


@dataclass
class Rest:
    """A die that came to rest: the time, its true value, and the table's result."""

    at: float
    shown: str
    taken: str | None = None
    source: str = ""
    after_s: float = 0.0
    evidence: str | None = None
    read: str | None = None
    origin: str = ""
    trouble: str = ""


@dataclass(frozen=True)
class Watched:
    """Observations of a table: dice at rest; samples of memory (MB) and pictures per second; error messages."""

    rests: list[Rest]
    memory: list[float]
    complaints: list[str]
    rates: list[float]
    view: Mapping[str, Any]
    """The table's own view at the end."""
    ended: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    games = ("rugen-house", "rugen-street", "rugen-capital")
    parser.add_argument("--game", choices=games, default="rugen-house")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--fps", type=int, default=15)
    parser.add_argument("--rugen", action="store_true", help="throw the printed Rugen die")
    parser.add_argument("--keep", type=Path)
    parser.add_argument(
        "--own-clock",
        action="store_true",
        help="run on the simulation's own clock, so that a busy machine loses no picture",
    )
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="evening-") as folder:
        data = asked.keep or Path(folder) / "data"
        data.mkdir(parents=True, exist_ok=True)
        settings = f"[camera]\nfps = {asked.fps}\n" + ('[die]\nkind = "rugen"\n' if asked.rugen else "")
        (data / "companion.toml").write_text(settings)
        run = run_by_its_own_clock if asked.own_clock else watch_table
        watched = run(asked, data)
        entries = journal_of(data)
        match(watched.rests, entries)
        match_pictures(watched.rests, data)
    # A die that came to rest at the very end may be unread; it is included only if its throw is in the journal.
    in_time = [rest for rest in watched.rests if rest.taken or watched.ended - rest.at > _TO_READ_S]
    title = f"{asked.game}{' with the Rugen die' if asked.rugen else ''}, {asked.fps} fps, {asked.minutes:g} minutes"
    report(title, in_time, watched, entries)
    print(f"  {played_again(entries, watched.view)}")
    for line in watched.complaints[:10]:
        print(f"  ! {line}")


def run_by_its_own_clock(asked: argparse.Namespace, data: Path) -> Watched:
    """Play an evening in this process, in simulated time that advances by one picture at a time."""
    cv2.setNumThreads(1)
    tray, begin, rests = new_tray(rugen=asked.rugen), datetime.now(UTC), list[Rest]()

    def now() -> datetime:
        return begin + timedelta(seconds=tray.now)

    with TableService.open(data / "journal.sqlite3", new_header(asked.game, ()), INSTALLED, clock=now) as service:
        sight = DieSight(TrayReader(), THROWS, zone=tray.zone, evidence=EvidenceRing(data / "evidence"), now=now)
        watch = TableWatch(DemoCamera(tray, asked.fps, paced=False), sight, service, clock=lambda: tray.now)
        house = RugenAgent(service, tray, clock=lambda: tray.now)
        log = logging.getLogger("hardware.demo.dice.table")
        log.setLevel(logging.DEBUG)
        log.addFilter(lambda record: _rested(rests, now(), record.getMessage()))
        while tray.now < 60 * asked.minutes:
            watch.turn(0.0)
            house.tick()
            _tell(rests, 60 * asked.minutes - tray.now)
        view = service.view("dealer")
    return Watched(rests, [memory_mb(os.getpid())], [], [], view, now().timestamp())


def _rested(rests: list[Rest], now: datetime, message: str) -> bool:
    if found := _REST.search(message):
        rests.append(Rest(now.timestamp(), found[1]))
    return False


def played_again(entries: Sequence[Mapping[str, Any]], view: Mapping[str, Any]) -> str:
    """Replay the journal's commands with the code of hand scripts; return whether the coins are the same, as text."""
    coins = {player["name"]: player["coins"] for player in view["players"]}
    commands = [entry["record"] for entry in entries if entry["kind"] == "command" and entry["seq"] <= view["seq"]]
    starts = [entry["record"] for entry in entries if entry["kind"] == "start"]
    header = {key: value for key, value in starts[-1].items() if key in ("game", "players", "options")}
    result = replay((json.dumps(line) for line in (header, *commands)), INSTALLED).result
    if len(starts) > 1 or result["error"] is not None:
        return f"REPLAY: {len(starts)} sessions, {result['error']}"
    same = result["balances"] == coins
    paid = f"{len(commands)} commands, {len(result['results'])} results"
    return f"replayed: {paid}, the same coins" if same else f"REPLAY DIFFERS: {result['balances']} live {coins}"


def watch_table(asked: argparse.Namespace, data: Path) -> Watched:
    """Run a table for the requested time, and watch it."""
    game, seconds = asked.game, 60 * asked.minutes
    rests: list[Rest] = []
    complaints: list[str] = []
    memory: list[float] = []
    rates: list[float] = []

    def listen(lines: Iterator[str]) -> None:
        for line in lines:
            if found := _REST.search(line):
                rests.append(Rest(time.time(), found[1]))
            elif " WARNING " in line or " ERROR " in line or line.startswith("Traceback"):
                complaints.append(line.strip())

    port = free_port()
    with table(game, data, port) as process:
        threading.Thread(target=listen, args=(process.stderr,), daemon=True).start()
        ends = time.monotonic() + seconds
        while time.monotonic() < ends and process.poll() is None:
            time.sleep(min(_CHECK_S, max(0.1, ends - time.monotonic())))
            memory.append(memory_mb(process.pid))
            rates.append(pictures_a_second(port))
            _tell(rests, ends - time.monotonic())
        if process.poll() is not None:
            sys.exit(f"The table ended by itself: {complaints[-3:]}")
        view, ended = view_of(port), time.time()
    return Watched(rests, memory, complaints, rates, view, ended)


def view_of(port: int) -> Mapping[str, Any]:
    """Return the table's public view."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/state", timeout=20) as answer:
        view: Mapping[str, Any] = json.load(answer)
        return view


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def pictures_a_second(port: int) -> float:
    """Return the pictures per second that the table currently processes; 0 while it does not answer."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            found = re.search(r"^companion_watch_fps ([\d.]+)", answer.read().decode(), re.MULTILINE)
    except OSError:
        return 0.0
    return float(found[1]) if found else 0.0


def _tell(rests: Sequence[Rest], left_s: float) -> None:
    if sys.stderr.isatty():
        print(f"\r{len(rests)} throws, {max(0.0, left_s):.0f} s left ", end="", file=sys.stderr, flush=True)


@contextmanager
def table(game: str, data: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "companion", "run", "--game", game, "--camera", "demo", "--port", str(port),
               "--host", "127.0.0.1", "--panel", "none", "--data", str(data), "--verbose"]  # fmt: skip
    env = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=env) as process:
        try:
            yield process
        finally:
            process.terminate()
            process.wait(20)


def memory_mb(pid: int) -> float:
    """Return a process's resident memory; 0 if it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found[1]) / 1024 if found else 0.0


def journal_of(data: Path) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "companion", "journal", "export", "--format", "json", "--data", str(data)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def match(rests: Sequence[Rest], entries: Sequence[Mapping[str, Any]]) -> None:
    """Assign to each rest the throw recorded before the next rest, and whether the dealer was asked."""
    for entry in entries:
        at = datetime.fromisoformat(entry["at"]).timestamp()
        before = [rest for rest in rests if -0.2 < at - rest.at < _SHORT_S]
        if not before:
            continue
        rest, record = before[-1], entry.get("record") or {}
        if record.get("do") == "throw":
            rest.taken = record.get("face") or str(record["d20"])
            rest.source, rest.after_s, rest.evidence = entry["source"], at - rest.at, record.get("evidence")


def match_pictures(rests: Sequence[Rest], data: Path) -> None:
    """Assign to each rest the stored reading, whether it was counted or asked about."""
    for path in (data / "evidence").rglob("*.json"):
        facts = json.loads(path.read_text())
        facts = facts.get("facts", facts)
        at = datetime.fromisoformat(facts["at"]).timestamp()
        before = [rest for rest in rests if -0.2 < at - rest.at < _SHORT_S]
        if before:
            before[-1].read, before[-1].origin = facts.get("id"), facts["origin"]
            before[-1].trouble = facts["trouble"]


def report(title: str, rests: Sequence[Rest], watched: Watched, entries: Sequence[Mapping[str, Any]]) -> None:
    memory = watched.memory
    by_camera = [rest for rest in rests if rest.source == "camera"]
    wrong = [rest for rest in by_camera if rest.taken != rest.shown]
    waits = sorted(rest.after_s for rest in by_camera)
    flat = [rest for rest in rests if rest.shown != "askew"]
    throws = sum((entry.get("record") or {}).get("do") == "throw" for entry in entries)
    print(f"{title}: {len(rests)} dice came to rest, {throws} throws in the journal")
    print(f"  by camera {len(by_camera)} ({len(by_camera) / max(1, len(flat)):.1%}): right "
          f"{len(by_camera) - len(wrong)}, wrong {len(wrong)}")  # fmt: skip
    by_hand, untaken = sum(r.source == "demo" for r in rests), [r for r in flat if r.taken is None]
    unsure, unseen = sum(r.trouble == "unsure" for r in rests), sum(r.origin in ("placed", "found") for r in rests)
    print(f"  asked what it shows {unsure}, asked whether it was thrown {unseen}")
    print(f"  by hand {by_hand}, not taken {len(untaken)}")
    seen = [rest for rest in flat if rest.read is not None]
    misread = [rest for rest in seen if rest.read != rest.shown]
    print(
        f"  read, taken or not: {len(seen)} of {len(flat)} ({len(seen) / max(1, len(flat)):.1%}), wrong {len(misread)}"
    )
    if waits:
        print(f"  rest to journal: p50 {1000 * _at(waits, 0.5):.0f} ms, p95 {1000 * _at(waits, 0.95):.0f} ms, "
              f"slowest {1000 * waits[-1]:.0f} ms")  # fmt: skip
    if watched.rates:
        rates = sorted(watched.rates)
        print(f"  pictures worked through a second: median {_at(rates, 0.5):g}, worst twentieth {_at(rates, 0.05):g}")
    if memory:
        print(f"  memory: at the end {memory[-1]:.0f} MB, most {max(memory):.0f} MB")
    for rest in wrong:
        print(f"  WRONG: {rest.shown} taken as {rest.taken}, evidence {rest.evidence}")
    for rest in misread:
        print(f"  MISREAD: {rest.shown} read as {rest.read}")
    for rest in [r for r in rests if r.source == "demo"] + untaken:
        why = f"read as {rest.read or 'nothing'}, {rest.origin or 'never at rest for the camera'} {rest.trouble}"
        what = "by hand" if rest.taken else "not taken"
        print(f"  {what}: {rest.shown} at {datetime.fromtimestamp(rest.at):%H:%M:%S}, {why}")


def _at(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


if __name__ == "__main__":
    main()
