"""Measures the latency from the journal's commit to a browser's DOM with 200 viewers, then memory over a fast evening.

    python tests/bench/bench_push.py [--viewers 200] [--commands 200] [--soak 5000]

Prints what the first paint of ``/`` transfers, how long a command takes without and with the viewers, the time from
the commit to the changed element in the browser, the memory that a viewer costs, and whether a page that has
seen thousands of events has grown.
"""

import argparse
import multiprocessing
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench_web import clients, line, memory_kb
from playwright.sync_api import Browser, Page, expect, sync_playwright

from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from web_ui import AccessStore, create_app
from web_ui.server import Server

COINS = 1_000_000
PAUSE_S = 0.04
WATCH = """() => {
    const coins = () => document.querySelector("[data-place='player/P1']").textContent.replace(/\\D/g, "");
    window.seen = {};
    new MutationObserver(() => (window.seen[coins()] ??= performance.timeOrigin + performance.now()))
        .observe(document.getElementById("app"), { subtree: true, childList: true, characterData: true });
}"""
SIZE = "() => [document.querySelectorAll('*').length, performance.memory.usedJSHeapSize]"


def play(service: TableService, commands: int, pause_s: float = PAUSE_S) -> tuple[list[float], dict[int, float]]:
    """Bet coin by coin; return the duration of each command (s), and P1's coins -> time of the commit (ms)."""
    took, committed = [], {}
    for _ in range(commands):
        began = time.perf_counter()
        service.submit({"do": "bet", "player": "P1", "on": "cut/6", "amount": 1}, source="bench")
        took.append(time.perf_counter() - began)
        at = time.time() * 1000
        committed[service.view("room")["players"][0]["coins"]] = at
        time.sleep(pause_s)
    return took, committed


def transferred(page: Page, url: str) -> int:
    """Open a page and return the bytes transferred for it, including headers."""
    network = page.context.new_cdp_session(page)
    sizes: list[float] = []
    network.on("Network.loadingFinished", lambda told: sizes.append(told["encodedDataLength"]))
    network.send("Network.enable")
    page.goto(url)
    page.wait_for_selector(".live.on")
    return int(sum(sizes))


def soak(page: Page, service: TableService, events: int) -> None:
    """Let a page process the events of a long evening, and print whether it has grown."""
    page.context.new_cdp_session(page).send("HeapProfiler.collectGarbage")
    before = page.evaluate(SIZE)
    for _ in range(events):
        service.submit({"do": "bet", "player": "P1", "on": "cut/6", "amount": 1}, source="bench")
    left = service.view("room")["players"][0]["coins"]
    expect(page.locator("[data-place='player/P1']")).to_have_text(f"{left:,}", timeout=60_000)
    page.context.new_cdp_session(page).send("HeapProfiler.collectGarbage")
    after = page.evaluate(SIZE)
    print(
        f"soak of {events} events: {before[0]} → {after[0]} elements, {before[1] >> 10} → {after[1] >> 10} kB of heap"
    )


def crowd(stack: ExitStack, port: int, count: int) -> None:
    """Connect a number of other viewers, in a separate process."""
    hear, say = multiprocessing.Pipe(duplex=False)
    others = multiprocessing.get_context("spawn").Process(target=clients, args=(port, count, say), daemon=True)
    others.start()
    stack.callback(hear.close)
    stack.callback(others.join)
    stack.callback(others.terminate)
    time.sleep(3.0)


def measure(browser: Browser, service: TableService, server: Server, options: argparse.Namespace) -> None:
    page = browser.new_page(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    bytes_ = transferred(page, f"http://127.0.0.1:{server.port}/")
    print(f"first paint of /: {bytes_ / 1000:.1f} kB transferred")
    alone, _ = play(service, options.commands)
    before = memory_kb()
    with ExitStack() as stack:
        crowd(stack, server.port, options.viewers)
        page.evaluate(WATCH)
        together, committed = play(service, options.commands)
        page.wait_for_timeout(500)
        show(alone, together, delays(page.evaluate("window.seen"), committed), options.viewers)
        print(f"memory a viewer: {(memory_kb() - before) / options.viewers:.0f} kB")
    soak(page, service, options.soak)


def delays(seen: dict[str, float], committed: dict[int, float]) -> list[float]:
    """Return the seconds from each commit to its coins in the page, without commits superseded by a newer view."""
    return [max(0.0, (seen[str(coins)] - at) / 1000) for coins, at in committed.items() if str(coins) in seen]


def show(alone: Sequence[float], together: Sequence[float], pushed: Sequence[float], viewers: int) -> None:
    print(f"{'ms':<46}{'p50':>9}{'p99':>9}{'worst':>9}")
    line("command to durable, one viewer", alone)
    line(f"command to durable, {viewers} viewers", together)
    line(f"commit to the page's tree, {viewers} viewers", pushed)
    print(f"{len(pushed)} of {len(together)} commits were shown one by one, the others by a newer one")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("viewers", 200), ("commands", 200), ("soak", 5000)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    players: tuple[tuple[str, int], ...] = tuple((f"P{i}", COINS) for i in range(1, 9))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        flags: dict[str, Any] = {"args": ["--no-sandbox", "--disable-gpu", "--enable-precise-memory-info"]}
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", **flags)
        with (
            TableService.open(Path(folder) / "journal.db", new_header("roche", players), INSTALLED) as service,
            Server(create_app(service, access=AccessStore(Path(folder))), "127.0.0.1", 0) as server,
        ):
            measure(browser, service, server, options)
        browser.close()


if __name__ == "__main__":
    main()
