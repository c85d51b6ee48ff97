"""A real table, server and browser for the tests of whole evenings."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from webclient import PIN
from webhouse import House, free_port

CHROMIUM = "/usr/bin/chromium"
SHELL = Path("/usr/lib/chromium/chromium-headless-shell")
"""The same browser without windows around its pages, where it is installed: a third less CPU for each test."""
UNUSED = (
    "WebUIOmniboxPopup", "WebUIOmniboxAimPopup",  # two pages behind the address bar of every window, half of all CPU
    "AvoidUnnecessaryBeforeUnloadCheckSync", "HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "MediaRouter",
    "OptimizationHints", "PaintHolding", "ThirdPartyStoragePartitioning",
    "SpareRendererForSitePerProcess",  # a process made ready for a page that mostly never comes
)  # fmt: skip
"""Features that are off: the last list counts, so that what Playwright's own turns off is in ours again."""
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    f"--disable-features={','.join(UNUSED)}",
    "--no-first-run",
)
PATIENCE_MS = 20_000
"A small machine that does other work as well may take its time; a test that passes never waits for it."
EXPECTED_NOISE = re.compile(r"Failed to load resource|net::ERR_|Service Worker registration blocked")
"What a browser writes to its console when a server is away or refuses: the very thing some tests are about."


@pytest.fixture(autouse=True)
def quick_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """PINs are hashed and checked at once; `web_ui/access/test_counting.py` says what a guesser really pays."""
    monkeypatch.setattr("web_ui.access.store.HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    running = House(tmp_path, free_port())
    yield running
    running.stop()


@pytest.fixture(scope="session")
def launch() -> Iterator[Callable[[Path | str], Browser]]:
    """Start a browser when it is first asked for."""
    with sync_playwright() as playwright:
        browsers: dict[Path | str, Browser] = {}

        def started(path: Path | str) -> Browser:
            if path not in browsers:
                browsers[path] = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
            return browsers[path]

        yield started
        for browser in browsers.values():
            browser.close()


@pytest.fixture(scope="session")
def chromium(launch: Callable[[Path | str], Browser]) -> Browser:
    return launch(SHELL if SHELL.exists() else CHROMIUM)


@pytest.fixture
def browse(chromium: Browser, launch: Callable[[Path | str], Browser]) -> Iterator[Callable[..., Page]]:
    """Open a page in a browser of its own; at the end no console may have complained.

    It comes without its service worker, unless asked for: once the worker has a page, which it takes at a moment of its
    own, no test can hold up or lose what that page sends.
    """
    expect.set_options(timeout=PATIENCE_MS / 2)  # whatever the test before set for the whole process
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_page(url: str, **options: Any) -> Page:
        browser = launch(CHROMIUM) if options.get("service_workers") == "allow" else chromium
        context = browser.new_context(**{"service_workers": "block", **options})
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [text for text in complaints if not EXPECTED_NOISE.search(text)] == []


@pytest.fixture
def dealer(house: House, browse: Callable[..., Page]) -> Page:
    """The dealer's console, logged in."""
    page = browse(f"{house.url}/dealer", viewport={"width": 1280, "height": 900})
    page.get_by_label("PIN").fill(PIN)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_selector(".live.on")
    return page


@pytest.fixture
def phones(house: House, browse: Callable[..., Page]) -> tuple[Page, Page]:
    """The two players' phones, each joined with its code as the QR does it."""
    pages = []
    for seat in (1, 2):
        code = house.access.seat_code(seat)
        page = browse(f"{house.url}/seat/{seat}#{code}", viewport={"width": 390, "height": 844}, has_touch=True)
        page.wait_for_selector(".live.on")
        pages.append(page)
    return pages[0], pages[1]


# ---- any game


@pytest.fixture
def open_house(tmp_path: Path) -> Iterator[Callable[..., House]]:
    """Open a table of any game: ``open_house("rochi", players, locked_discards=True)``."""
    opened: list[House] = []

    def open_table(game: str, players: tuple[tuple[str, int], ...], **options: Any) -> House:
        folder = tmp_path / game
        folder.mkdir()
        opened.append(House(folder, free_port(), players, options, game))
        return opened[-1]

    yield open_table
    for running in opened:
        running.stop()


@pytest.fixture
def sit(browse: Callable[..., Page]) -> Callable[..., Page]:
    """Sit down as the dealer (seat 0) or with the phone of a seat."""

    def take_place(house: House, seat: int, **options: Any) -> Page:
        if seat:
            size = {"width": 390, "height": 844}
            code = house.access.seat_code(seat)
            page = browse(f"{house.url}/seat/{seat}#{code}", **{"viewport": size, "has_touch": True, **options})
        else:
            page = browse(f"{house.url}/dealer", **{"viewport": {"width": 1280, "height": 900}, **options})
            page.get_by_label("PIN").fill(PIN)
            page.get_by_label("PIN").press("Enter")  # in any language
        page.wait_for_selector(".live.on")
        return page

    return take_place
