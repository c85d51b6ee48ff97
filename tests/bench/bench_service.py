"""Measures the table service: time until a command is durable with 0 and 200 waiting pages, and start with 100,000
entries.

Run: ``python tests/bench/bench_service.py [--commands 2000] [--entries 100000] [--data DIR]``. Latency depends on the
disk that DIR is on; nothing is asserted.
"""

import argparse
import gc
import random
import resource
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from companion.games.roche.paytable import bets
from companion.games.roche_deck.design import FULL_DECK
from companion.journal.hash_chain import Draft
from companion.journal.replay import dumps, start_draft
from companion.journal.store import FILE_NAME, Journal
from companion.kernel.events import to_json
from companion.kernel.table import Header, Table
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header

PLAYERS = ("Ann", "Bo", "Cy", "Di")


def header(layout: str) -> Header:
    return new_header("roche", tuple((name, 10**7) for name in PLAYERS), {"layout": layout})


def rounds(seed: int, layout: str) -> Iterator[dict[str, Any]]:
    """Yield the commands of endless random rounds, with occasional undo and redo."""
    rng = random.Random(seed)
    spots = bets("grand" if layout == "grand" else "basic", "full")
    while True:
        for player in PLAYERS:
            for _ in range(2):
                yield {"do": "bet", "player": player, "on": rng.choice(spots), "amount": 2 * rng.randint(1, 10)}
        yield {"do": "no-more-bets"}
        yield from _deal(rng)
        yield {"do": "undo"}
        yield {"do": "redo"}
        yield {"do": "new-round"}


def _deal(rng: random.Random) -> Iterator[dict[str, Any]]:
    deck, count = rng.sample(FULL_DECK, len(FULL_DECK)), dict.fromkeys("234567", 0)
    for card in deck:
        yield {"do": "deal", "card": card}
        count[card[0]] += 1
        if count[card[0]] == int(card[0]):
            return


def fill(path: Path, entries: int, layout: str) -> None:
    """Write a journal with a number of entries, as the service would."""
    table, commands = Table(header(layout)), rounds(1, layout)
    with Journal.open(path, clock=lambda: datetime.now(UTC)) as journal:
        journal.append([start_draft(table.header, 1)])
        left = entries - 1
        while left:
            group = []
            for record in (next(commands) for _ in range(min(left, 1000))):
                events = dumps([to_json(event) for event in table.do(record)])
                group.append(Draft("command", 1, "dealer", dumps(record), events))
            journal.append(group)
            left -= len(group)


def latency(folder: Path, waiters: int, commands: int, layout: str) -> list[float]:
    """Return the seconds from submission to acknowledgement, while pages wait for each version and fetch its view."""
    stop = threading.Event()
    with TableService.open(folder / f"{layout}-{waiters}.sqlite3", header(layout), INSTALLED) as service:
        threads = [threading.Thread(target=_watch, args=(service, stop), daemon=True) for _ in range(waiters)]
        for thread in threads:
            thread.start()
        stream, times = rounds(2, layout), []
        for _ in range(commands):
            record = next(stream)
            begun = time.perf_counter()
            service.submit(record, source="bench")
            times.append(time.perf_counter() - begun)
            time.sleep(0.02)  # fifty commands per second: far more than at any table, but the pages keep up
        stop.set()
    return times


def _watch(service: TableService, stop: threading.Event) -> None:
    version = 0
    while not stop.is_set():
        version = service.wait(version, 0.5)
        service.view_json("room")


def row(name: str, times: Sequence[float]) -> str:
    marks = statistics.quantiles(times, n=100)
    return f"{name:<44} p50 {marks[49] * 1e3:7.2f} ms   p99 {marks[98] * 1e3:7.2f} ms   max {max(times) * 1e3:7.2f} ms"


def start_times(path: Path, layout: str) -> tuple[float, float]:
    """Return the duration of a start and its CPU time, which is more reliable on busy cores, both in seconds."""
    gc.collect()
    begun, worked = time.perf_counter(), time.process_time()
    with TableService.open(path, header(layout), INSTALLED):
        return time.perf_counter() - begun, time.process_time() - worked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commands", type=int, default=1000)
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.data) as name:
        for layout in ("basic", "grand"):
            for waiters in (0, 200):
                times = latency(Path(name), waiters, options.commands, layout)
                print(row(f"command -> durable, {layout}, {waiters} waiters", times), flush=True)
        path = Path(name) / FILE_NAME
        fill(path, options.entries, "grand")
        for note in ("first", "again", "again"):
            took, worked = start_times(path, "grand")
            print(f"start with {options.entries} entries ({note}): {took:.2f} s, processor {worked:.2f} s", flush=True)
        print(f"journal {path.stat().st_size / 1e6:.0f} MB, most memory {_peak_mb():.0f} MB")


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
