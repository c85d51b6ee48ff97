"""Measures the hand history's response time with one session of Rochi of 100,000 entries, undos included.

Run: ``python tests/bench/bench_history.py [--entries 100000]``. It writes a journal in a temporary folder, then asks
as the API does, and prints CPU time. It only asserts that the views equal the table's.
"""

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from companion.games.roche_deck.design import FULL_DECK
from companion.journal.history.hand_history import HandHistory
from companion.journal.receipt import receipt
from companion.journal.store import Draft, Journal, JournalReader
from companion.kernel.events import to_json
from companion.kernel.table import Table
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from web_ui import AccessStore, create_app
from web_ui.server import Server

HEADER = new_header("rochi", tuple((name, 1000) for name in ("Ann", "Bo", "Cy", "Di")), {"credit": True})


def command(table: Table, rng: random.Random) -> dict[str, Any]:
    """Return a legal command; occasionally an undo, which may cross the border of a hand."""
    expected, state = table.expected(), table.position.state
    if "redo" in expected and rng.random() < 0.6:
        return {"do": "redo"}
    if "undo" in expected and rng.random() < 0.04:
        return {"do": "undo"}
    verb = rng.choice(
        [v for v in ("seed", "play", "deal", "end", "next-hand") if v in expected and _makes_sense(v, state)]
    )
    if verb not in ("seed", "play", "deal"):
        return {"do": verb}
    open_ = {card for stack in state.hand.stacks for card in stack.open_cards} | set(state.hand.gone)
    return {"do": verb, "card": rng.choice([card for card in FULL_DECK if card not in open_])}


def _makes_sense(verb: str, state: Any) -> bool:
    return verb != "end" or state.hand.has_played or state.hand.has_dealt


def write(path: Path, entries: int) -> dict[int, Any]:
    """Write a journal with a number of entries; return the table's view after some of them."""
    rng, table = random.Random(1), Table(HEADER)
    views = {}
    with Journal.open(path) as journal:
        drafts = [Draft("start", 1, "bench", json.dumps(HEADER.to_json()))]
        for seq in range(2, entries + 1):
            record = command(table, rng)
            happened = [to_json(event) for event in table.do(record)]
            drafts.append(Draft("command", 1, "bench", json.dumps(record), json.dumps(happened)))
            if seq % 997 == 0:
                views[seq] = table.view()
            if len(drafts) == 5000 or seq == entries:
                journal.append(drafts)
                drafts = []
    return views


def timed(what: str, ask: Callable[[], Any]) -> Any:
    start = time.process_time()
    answer = ask()
    print(f"{what:<52}{(time.process_time() - start) * 1000:>10.1f} ms")
    return answer


def timed_pages(path: Path) -> None:
    """Start the service and request its pages at once while commands continue; print everybody's waiting times."""
    with (
        TableService.open(path, HEADER, INSTALLED) as service,
        Server(create_app(service, access=AccessStore(path.parent)), "127.0.0.1", 0) as server,
    ):
        begun = time.perf_counter()
        waits, commands = [], []
        while True:
            asked = time.perf_counter()
            with urlopen(f"http://127.0.0.1:{server.port}/history", timeout=60) as answer:
                body = answer.read()
            waits.append(time.perf_counter() - asked)
            if b'id="reading"' not in body:
                break
            for _ in range(10):
                asked = time.perf_counter()
                service.submit({"do": "hold" if not service.view()["hold"] else "release"}, source="bench")
                commands.append(time.perf_counter() - asked)
                time.sleep(0.05)
        ready = time.perf_counter() - begun
        print(f"/history after a start: it answered {len(waits)} times, the slowest after {max(waits) * 1000:.0f} ms;")
        print(f"    the hands were there after {ready:.1f} s, {len(body) / 1000:.0f} kB")
        if commands:
            commands.sort()
            middle, slowest = commands[len(commands) // 2] * 1000, commands[-1] * 1000
            print(f"    commands meanwhile: median {middle:.1f} ms, slowest {slowest:.1f} ms")
        for what in ("again", "again"):
            asked = time.perf_counter()
            urlopen(f"http://127.0.0.1:{server.port}/history", timeout=60).read()
            print(f"/history {what:<43}{(time.perf_counter() - asked) * 1000:>10.1f} ms of wall clock")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=100_000)
    entries = parser.parse_args().entries
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.sqlite3"
        views = write(path, entries)
        with JournalReader.open(path) as reader:
            history = HandHistory(reader.entries, INSTALLED)
            latest = timed("the first list: all entries are read once", lambda: history.hands(20))
            timed("the list again", lambda: history.hands(20))
            last = latest[0]["number"]
            timed(f"the first hand asked for, {last} of {last}", lambda: history.steps(1, last))
            timed("that hand again", lambda: history.steps(1, last))
            timed(f"another hand, {last // 2}", lambda: history.steps(1, last // 2))
            timed("its receipt", lambda: receipt(history, 1, last // 2))
            timed("the list from there", lambda: history.hands(20, (1, last // 2)))
            checked = 0
            for hand in history.hands(-1):
                if any(seq in views for seq in range(hand["first"], hand["last"] + 1)):
                    for step in history.steps(1, hand["number"]) or ():
                        if step.seq in views:
                            assert step.view == views[step.seq], step.seq
                            checked += 1
            print(f"{checked} of {len(views)} views compared with the table's own: all the same")
        timed_pages(path)


if __name__ == "__main__":
    main()
