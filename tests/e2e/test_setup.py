"""The set-up wizard with the real process: a newcomer's first start, a restart from the page, a panel tried out."""

import json
import os
import re
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python import sync_playwright as axe
from playwright.sync_api import Locator, Page, Route, expect
from webhouse import free_port

pytestmark = pytest.mark.browser
START_S = 90


@dataclass
class Running:
    """``companion run`` as its owner starts it."""

    process: subprocess.Popen[str]
    url: str
    first: str
    data: Path


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    yield from started(tmp_path)


def started(tmp_path: Path, *packages: Path) -> Iterator[Running]:
    """Start a table beside which further packages are installed."""
    port, data = free_port(), tmp_path / "data"
    command = [sys.executable, "-m", "companion", "run", "--camera", "demo", "--panel", "mock", "--data", str(data)]
    with (tmp_path / "out.txt").open("w") as said:
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)],
            stdout=said,
            stderr=subprocess.STDOUT,
            text=True,
            env={key: value for key, value in os.environ.items() if key != "COMPANION_PIN"}
            | {"PYTHONPATH": os.pathsep.join([*map(str, packages), os.environ.get("PYTHONPATH", "")])},
        )
    found = wait_for(lambda: re.search(r"http\S+/setup\?code=\S+", (tmp_path / "out.txt").read_text()))
    yield Running(process, f"http://127.0.0.1:{port}", found[0], data)
    process.terminate()
    process.wait(20)


def wait_for(look: Callable[[], Any], seconds: float = START_S) -> Any:
    ends = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < ends, "it did not happen"
        time.sleep(0.1)
    return found


def press(data: Path, button: str) -> None:
    """Press a button of the mock panel."""
    with socket.socket(socket.AF_UNIX) as bench:
        bench.connect(str(data / "panel.sock"))
        bench.sendall(json.dumps({"edges": [[button, True, 0.0], [button, False, 0.15]]}).encode() + b"\n")
        bench.recv(200)


def entries(running: Running) -> list[dict[str, Any]]:
    with urllib.request.urlopen(f"{running.url}/api/v1/events?limit=500") as answer:
        found: list[dict[str, Any]] = json.load(answer)["events"]
    return found


def saved(page: Page) -> None:
    page.get_by_role("button", name="Save and continue").click()


def at_step(page: Page, title: str) -> None:
    expect(page.locator("#step-title")).to_have_text(title, timeout=40000)


def choose_pin(page: Page) -> None:
    page.get_by_label("New PIN, 4 to 12 digits").fill("4711")
    page.get_by_label("New PIN again").fill("4711")
    page.get_by_role("button", name="Save the PIN").click()


def choose_rules(page: Page, config: Path) -> None:
    """House Rugen with rules of the house; a maximum below the minimum is refused first."""
    page.get_by_label("House Rugen").check()
    expect(
        page.get_by_text("House edge 11.9 – 70.3 %").or_(page.get_by_text("House edge 5.0 – 70.3 %")).first
    ).to_be_visible()
    page.get_by_label("Only throws of the number itself").check()
    page.get_by_label("Minimum bet").fill("5")
    page.get_by_label("Maximum per spot").fill("2")
    saved(page)
    expect(page.get_by_role("alert").filter(has_text="above the maximum")).to_be_visible(timeout=40000)
    assert not config.exists(), "what cannot be used is not written"
    page.get_by_label("Maximum per spot").fill("200")
    saved(page)


def make_deck(page: Page) -> None:
    page.get_by_label("Name of the deck").fill("Blue deck")
    page.get_by_role("button", name="Make a deck").click()
    expect(page.get_by_text("Blue deck")).to_be_visible(timeout=40000)
    saved(page)


def try_camera_and_mat(page: Page) -> None:
    expect(page.locator("img.shot")).to_be_visible(timeout=60000)
    expect(page.locator(".meter")).not_to_have_count(0)
    saved(page)
    at_step(page, "Mat")
    page.get_by_role("button", name="Find the mat").click()
    expect(page.locator(".verdict")).to_be_visible(timeout=60000)
    saved(page)
    at_step(page, "Read a card")
    saved(page)


def panel_is_not_good_untried(page: Page) -> None:
    """A panel that nobody has tried is no pass; left as it is, it stays so."""
    at_step(page, "Panel")
    saved(page)
    expect(page.locator(".verdict.not-good")).to_contain_text("were not tried", timeout=40000)
    page.get_by_role("button", name="Leave it and continue").click()
    at_step(page, "Language and voice")


def signs(page: Page) -> dict[str, str]:
    """What each step is marked as."""
    rows = page.locator(".worth li")
    expect(rows).to_have_count(8, timeout=40000)
    return {row.locator("button").inner_text(): row.locator("b").inner_text() for row in rows.all()}


def restart(page: Page) -> None:
    page.get_by_role("button", name="Restart now").click()
    expect(page.locator(".over")).to_be_visible()
    expect(page.locator(".over")).to_have_count(0, timeout=180000)
    expect(page.locator(".waiting")).to_have_count(0)


def let_in(page: Page, name: str) -> None:
    page.get_by_role("button", name="Players").click()
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Add player").click()
    expect(page.locator(".seated")).to_contain_text(name, timeout=40000)


def bug_report(page: Page) -> dict[str, str]:
    """Save a bug report; return its files."""
    page.locator(".steps button").last.click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Save a bug report").click()
    with zipfile.ZipFile(download.value.path()) as report:
        return {name: report.read(name).decode() for name in report.namelist()}


@pytest.mark.thorough
def test_a_newcomer_sets_a_table_up(running: Running, browse: Callable[..., Page]) -> None:
    """From the terminal's link to a table of another game: PIN, rules, deck, camera, mat, panel, voice, players."""
    page = browse(running.first, viewport={"width": 390, "height": 844}, has_touch=True, locale="en")
    config = running.data / "companion.toml"
    page.set_default_timeout(40000)
    choose_pin(page)
    at_step(page, "Game and rules")
    choose_rules(page, config)
    at_step(page, "Cards")
    assert "Takes effect after a restart" in page.locator(".waiting").inner_text()
    make_deck(page)
    at_step(page, "Camera")
    try_camera_and_mat(page)
    at_step(page, "Panel")
    page.reload()
    at_step(page, "Panel")
    panel_is_not_good_untried(page)

    restart(page)
    state = json.loads(urllib.request.urlopen(f"{running.url}/api/v1/state").read())
    assert state["game"] == "rugen-house"
    written = tomllib.loads((config).read_text())
    assert written["table"] == {"game": "rugen-house", "min": 5, "max": 200, "deck_id": written["table"]["deck_id"]}
    assert written["rugen-house"] == {"chain_day_night": "own"}

    let_in(page, "Wilhelmina")
    saved(page)
    assert signs(page) == {
        "Game and rules": "passed", "Cards": "skipped", "Camera": "skipped", "Mat": "skipped",
        "Read a card": "skipped", "Panel": "not good", "Language and voice": "not verified yet", "Players": "passed",
    }  # fmt: skip
    confirmed = {"game": "rugen-house", "source": "demo", "language": "auto", "on": False}
    expect(page.locator(".in-file dt")).to_have_count(8, timeout=40000)
    written = tomllib.loads((config).read_text())
    assert confirmed.items() <= {**written["table"], **written["camera"], **written["web"], **written["voice"]}.items()
    texts = bug_report(page)
    assert "Wilhelmina" not in "".join(texts.values())
    assert "Starting anew" not in texts["companion-bug-report/log.txt"], "the log of this start"
    assert "The demo table sends pictures" in texts["companion-bug-report/log.txt"]
    assert '"player": "Player' in texts["companion-bug-report/journal.jsonl"]


@pytest.mark.thorough
def test_players_are_let_in_with_what_the_chosen_game_asks_for(running: Running, browse: Callable[..., Page]) -> None:
    """With 100 coins nobody would have had two blinds; what was typed stays."""
    page = browse(running.first, viewport={"width": 390, "height": 844}, has_touch=True, locale="en")
    page.set_default_timeout(40000)
    choose_pin(page)
    page.get_by_label("Texas hold'em").check()
    page.get_by_label("Big blind").fill("100")
    saved(page)
    at_step(page, "Cards")
    page.get_by_role("button", name="Players").click()
    coins = page.locator("form.fields [name=coins]")
    expect(coins).to_have_value("4000")
    coins.fill("2500")
    let_in(page, "Wilhelmina")
    expect(page.locator(".seated")).to_contain_text("2,500")
    expect(coins).to_have_value("2500")


@pytest.mark.thorough
def test_the_bank_is_asked_and_what_follows_is_said_at_once(running: Running, browse: Callable[..., Page]) -> None:
    """Typed key by key: no bank says aloud what one bet can cost, a small one what it allows; saved, it is written."""
    page = browse(running.first, viewport={"width": 390, "height": 844}, has_touch=True, locale="en")
    page.set_default_timeout(40000)
    page.get_by_label("New PIN, 4 to 12 digits").fill("4711")
    page.get_by_label("New PIN again").fill("4711")
    page.get_by_role("button", name="Save the PIN").click()
    limits, bank = page.locator(".limits"), page.get_by_label("The house's bank")
    expect(limits).to_contain_text("All bets of a round together may win at most 2,000, the bank.", timeout=40000)
    expect(bank).to_have_value("2000")
    expect(page.get_by_label("Maximum payout")).to_have_attribute("placeholder", "200")
    expect(limits).to_contain_text("so not offered: World by day")

    bank.fill("")
    bank.press_sequentially("0")
    expect(page.locator(".limits.none")).to_contain_text("No limit: one bet can cost the house")
    bank.press("Backspace")
    bank.press_sequentially("500")
    expect(limits).to_contain_text("at most 50 on a spot (a tenth of the bank)")
    page.get_by_label("Maximum payout").press_sequentially("120")
    expect(limits).to_contain_text("no win above 120 (set by the house)")
    saved(page)
    expect(page.locator("#step-title")).to_have_text("Cards", timeout=40000)
    assert tomllib.loads((running.data / "companion.toml").read_text())["table"] == {"bank": 500, "cap": 120}
    expect(page.locator(".waiting")).to_contain_text("The house's bank")


@pytest.mark.slow
def test_the_panel_is_tried_out_and_no_button_plays(running: Running, browse: Callable[..., Page]) -> None:
    page = browse(running.first, viewport={"width": 1280, "height": 900}, locale="en")
    page.set_default_timeout(40000)
    page.get_by_label("New PIN, 4 to 12 digits").fill("4711")
    page.get_by_label("New PIN again").fill("4711")
    page.get_by_role("button", name="Save the PIN").click()
    page.goto(f"{running.url}/setup#panel")
    page.reload()
    page.get_by_role("button", name="Begin the test").click()
    for _ in range(16):  # six lamps, six suits, three of the status light, the buzzer
        asked = page.locator(".asked .big").inner_text()
        page.get_by_role("button", name="Yes").click()
        expect(page.locator(".asked .big")).not_to_have_text(asked, timeout=20000)
    before = len([one for one in entries(running) if one["source"] == "panel" and one["kind"] == "command"])
    for button in ("deal", "play", "fold", "undo", "next", "hold"):
        expect(page.locator(".asked .big")).to_have_text(f"Press Button {button.upper()}", timeout=20000)
        press(running.data, button)
    expect(page.get_by_text("All of it works.")).to_be_visible(timeout=20000)
    after = len([one for one in entries(running) if one["source"] == "panel" and one["kind"] == "command"])
    assert after == before


@pytest.mark.slow
def test_the_dealer_switches_what_the_table_shows_in_mid_round(running: Running, browse: Callable[..., Page]) -> None:
    """Practice counts at once on every screen, and stands in the configuration; off again by the keyboard."""
    page = browse(running.first, viewport={"width": 390, "height": 844}, locale="en")
    page.set_default_timeout(40000)
    page.get_by_label("New PIN, 4 to 12 digits").fill("4711")
    page.get_by_label("New PIN again").fill("4711")
    page.get_by_role("button", name="Save the PIN").click()
    page.wait_for_selector(".steps")
    room = browse(f"{running.url}/", locale="en")
    expect(room.locator(".practice-line, .practice")).to_have_count(0)
    page.goto(f"{running.url}/dealer")
    page.get_by_role("button", name="What the table shows").click()
    page.get_by_label("Practice: explain every step").check()
    expect(page.get_by_role("dialog").locator(".toast")).to_contain_text("Saved", timeout=40000)
    expect(page.locator(".practice-line")).to_be_visible(timeout=40000)
    assert tomllib.loads((running.data / "companion.toml").read_text())["table"]["practice"] is True
    page.get_by_label("Practice: explain every step").focus()
    page.keyboard.press("Space")
    expect(page.locator(".practice-line")).to_have_count(0, timeout=40000)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator("body > #toasts")).to_have_count(1)


def has_focus(target: Locator) -> bool:
    return bool(target.evaluate("one => one === document.activeElement"))


def reach(page: Page, target: Locator) -> None:
    """Press Tab until something has the focus."""
    expect(target).to_be_visible()
    for _ in range(100):
        if has_focus(target):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {target}")


@pytest.mark.thorough
def test_a_first_start_by_keys_alone(running: Running, browse: Callable[..., Page]) -> None:
    """The link's code stands there, so the PIN is typed first; what is pressed and goes leaves the keyboard's place."""
    page = browse(running.first, viewport={"width": 1280, "height": 900}, locale="en")
    page.set_default_timeout(40000)
    for key in ("4711", "Tab", "4711", "Enter"):
        page.keyboard.press(key) if key.isalpha() else page.keyboard.type(key)
    at_step(page, "Game and rules")
    next_step = page.get_by_role("button", name="Save and continue")
    reach(page, next_step)
    page.keyboard.press("Enter")
    at_step(page, "Cards")
    assert has_focus(page.locator("#step-title"))
    name = page.get_by_label("Name of the deck")
    reach(page, name)
    page.keyboard.press("Enter")
    page.keyboard.type("Blue")
    page.keyboard.press("Enter")
    expect(page.locator(".deck-list li")).to_have_count(2)
    expect(name).to_have_value("")
    expect(page.locator(".deck-list li").first).to_contain_text("Blue")
    assert has_focus(name)
    page.goto(f"{running.url}/setup#panel")
    page.reload()
    reach(page, page.get_by_role("button", name="Begin the test"))
    page.keyboard.press("Enter")
    expect(page.locator(".asked")).to_be_visible()
    assert has_focus(page.locator("#step-title"))
    page.keyboard.press("Tab")
    assert has_focus(page.get_by_role("button", name="Yes"))
    reach(page, page.get_by_role("button", name="Stop the test"))
    page.keyboard.press("Enter")
    expect(page.locator(".asked")).to_have_count(0)
    assert has_focus(page.locator("#step-title"))


def type_keys(field: Locator, text: str) -> None:
    """Replace what a field holds, key by key; it shows what was typed."""
    field.press("End")
    while field.input_value():
        field.press("Backspace")
    for i, key in enumerate(text, start=1):
        field.press_sequentially(key)
        expect(field).to_have_value(text[:i])


@pytest.mark.thorough
def test_limits_and_coins_are_what_was_typed_or_nothing_is_saved(running: Running, browse: Callable[..., Page]) -> None:
    """Key by key: what is no whole number blocks the button and says so; an empty limit is none."""
    page = browse(running.first, viewport={"width": 1024, "height": 768}, locale="en")
    page.set_default_timeout(40000)
    page.get_by_label("New PIN, 4 to 12 digits").fill("4711")
    page.get_by_label("New PIN again").fill("4711")
    page.get_by_role("button", name="Save the PIN").click()
    next_step = page.get_by_role("button", name="Save and continue")
    least, most = page.get_by_label("Minimum bet"), page.get_by_label("Maximum per spot")
    reason = "Enter a whole number of coins, 1 or more"
    file = running.data / "companion.toml"
    for text in ("-", "1e1", "1.5", "1,000", "0"):
        type_keys(least, text)
        expect(least).to_have_attribute("aria-invalid", "true")
        expect(page.locator(f"[id='{least.get_attribute('aria-describedby')}']")).to_contain_text(reason)
        next_step.press("Enter")  # not a click: the edges may come and move the button just then
        expect(page.get_by_role("alert").filter(has_text=f"Minimum bet: {reason}")).to_be_visible()
    assert not file.exists()
    expect(page.locator("#step-title")).to_have_text("Game and rules")
    type_keys(least, "12")
    type_keys(least, "")
    type_keys(least, "5")
    page.get_by_label("Grand: single cards").check()  # the edges come while a number is typed
    type_keys(most, "0250")
    next_step.click()
    expect(page.locator("#step-title")).to_have_text("Cards", timeout=40000)
    assert tomllib.loads(file.read_text())["table"] == {"layout": "grand", "min": 5, "max": 250}

    page.locator(".steps").get_by_role("button", name="Players").click()
    page.get_by_label("Name").fill("Wilhelmina")
    coins, let_in = page.get_by_label("Coins"), page.get_by_role("button", name="Add player")
    for text in ("", "1e2", "-1"):
        type_keys(coins, text)
        let_in.click(force=True)
        expect(page.get_by_role("alert").filter(has_text="whole number of coins, 0 or more")).to_be_visible()
    guest = page.locator(".seated li", has_text="Wilhelmina")
    expect(guest).to_have_count(0)
    type_keys(coins, "40")
    let_in.click()
    expect(guest).to_contain_text("40", timeout=40000)


COIN_TOSS = """
from typing import Annotated, Literal

from pydantic import Field

from companion.kernel.game import BaseGame
from companion.plugins.options import GameOptions
from companion.plugins.plugin import GamePlugin


class Rules(BaseGame):
    name, title, verbs = "coin-toss", "Coin toss", {}

    def start(self, seats, options):
        return tuple(seats)

    def seats(self, state):
        return state

    def view(self, state):
        return {"players": []}

    def apply(self, state, command, ledger): ...
    def audit(self, before, command, happened, ledger): ...
    def facts(self, state): ...


class Options(GameOptions):
    coin: Literal["old", "new"] = "old"
    tosses: Annotated[int, Field(ge=1, title="Tosses in a row")] = 1
    twice: bool = False


GAME = GamePlugin(rules=Rules(), options=lambda: Options)
"""


@pytest.fixture
def beside(tmp_path: Path) -> Iterator[Running]:
    """A table beside which somebody installed a game of their own, which has no words in our languages."""
    site = tmp_path / "site"
    info = site / "coin_toss-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "coin_toss.py").write_text(COIN_TOSS)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: coin-toss\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[table_companion.games]\ncoin-toss = coin_toss:GAME\n")
    yield from started(tmp_path, site)


@pytest.mark.thorough
def test_a_game_that_was_installed_beside_ours_is_set_up_by_its_own_titles(
    beside: Running, browse: Callable[..., Page]
) -> None:
    """Its title, its choices, numbers and switches, no edge of another game; saved, they stand in its own table."""
    page = browse(beside.first, viewport={"width": 390, "height": 844}, has_touch=True, locale="de")
    page.set_default_timeout(40000)
    page.locator("#pin").fill("4711")
    page.locator("#again").fill("4711")
    page.locator("button[type=submit]").click()
    page.get_by_label("Coin toss").check()
    expect(page.locator("legend", has_text="Coin")).to_be_visible()
    page.get_by_label("new", exact=True).check()
    page.get_by_label("Tosses in a row").fill("3")
    page.get_by_label("Twice").check()
    expect(page.locator(".edge-list, .limits")).to_have_count(0)
    page.locator(".nav-row .primary").click()
    expect(page.locator(".waiting")).to_contain_text("Tosses in a row")
    written = tomllib.loads((beside.data / "companion.toml").read_text())
    assert written == {
        "table": {"game": "coin-toss"}, "coin-toss": {"coin": "new", "tosses": 3, "twice": True},
    }  # fmt: skip


def test_a_newcomer_takes_the_demo_over_and_chooses_a_pin_without_a_terminal(
    running: Running, browse: Callable[..., Page]
) -> None:
    """One press on the room's page; then cards and bets are theirs, and the code is shown on the attached screen."""
    page = browse(running.url, viewport={"width": 1366, "height": 768}, locale="en")
    expect(page.get_by_text("You are watching a demo.")).to_be_visible(timeout=40000)
    page.get_by_role("button", name="Take over").click()
    page.wait_for_url("**/dealer")
    expect(page.locator(".take-over")).to_have_count(0, timeout=20000)
    expect(page.locator(".demo-line")).to_contain_text("You play seat 1", timeout=20000)
    seat = page.context.new_page()
    seat.goto(f"{running.url}/seat/1")
    expect(seat.locator(".live.on")).to_be_visible(timeout=40000)
    page.get_by_role("tab", name="Demo").click()
    page.get_by_label("Simulated players bet").uncheck()
    expect(page.locator(".demo-line")).to_contain_text("Place your bets, then press “No more bets”.", timeout=20000)
    twice = page.get_by_role("button", name="Deal a card twice")
    expect(twice).to_have_attribute("title", "No card lies on the demo table. Deal one first.", timeout=20000)
    twice.press("Enter")
    expect(page.locator(".toast")).to_contain_text("Deal one first.")
    page.get_by_role("link", name="No PIN yet: choose one").click()
    page.get_by_role("button", name="Show the code here").click()
    choose_pin(page)
    at_step(page, "Game and rules")


@pytest.mark.thorough
def test_a_deck_is_checked_on_the_page_and_may_be_given_up(running: Running, browse: Callable[..., Page]) -> None:
    """By the keyboard: tick the demo's deck, begin, see what was seen and what is missing, stop."""
    page = browse(running.first, viewport={"width": 1024, "height": 768}, locale="en")
    page.set_default_timeout(40000)
    choose_pin(page)
    page.goto(f"{running.url}/setup/check")
    box, name = (page.locator(f".dice li {one}").first.bounding_box() for one in ("input", "strong"))
    assert box["x"] + box["width"] < name["x"]
    assert abs(box["y"] + box["height"] / 2 - name["y"] - name["height"] / 2) < 4
    page.get_by_role("checkbox").first.focus()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Check it").press("Enter")
    expect(page.get_by_text("of 54 cards")).to_be_visible()
    expect(page.locator("img.shot")).to_be_visible(timeout=40000)
    expect(page.locator(".missing li").first).to_be_visible()
    page.get_by_role("button", name="Stop checking").press("Enter")
    expect(page.get_by_role("button", name="Check it")).to_be_visible()


def faults(page: Page) -> list[str]:
    """What axe-core finds, and whether the page is wider than its window."""
    page.wait_for_timeout(400)
    found = axe.Axe().run(page).response["violations"]
    too_wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    told = [
        f"{one['id']}: {node['target']} {node.get('failureSummary', '')[:300]}"
        for one in found
        for node in one["nodes"]
    ]
    return told + ([f"{too_wide} px too wide"] if too_wide > 0 else [])


@pytest.mark.thorough
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_step_and_the_check_of_a_deck_are_accessible(
    running: Running, browse: Callable[..., Page], theme: str
) -> None:
    """On a phone and a tablet: axe-core finds nothing, and nothing is wider than the window."""
    page = browse(running.url, viewport={"width": 390, "height": 844}, color_scheme=theme, locale="de")
    page.set_default_timeout(40000)
    page.wait_for_selector(".take-over")
    assert faults(page) == [], "the demo's page, with the code for the first PIN"
    taken = page.locator(".take-over button").bounding_box()
    assert taken is not None
    assert taken["height"] >= 44, "large enough for fingers"
    page.goto(running.first)
    assert faults(page) == []
    page.locator("#pin").fill("4711")
    page.locator("#again").fill("4711")
    page.locator("button[type=submit]").first.click()
    page.wait_for_selector(".steps")
    for width, height in ((390, 844), (1024, 768)):
        page.set_viewport_size({"width": width, "height": height})
        for step in range(9):
            page.locator(".steps button").nth(step).click()
            if width == 390 and step in (0, 2, 5):
                page.locator(".nav-row .primary").click()
                page.wait_for_timeout(1500)
                page.locator(".steps button").nth(step).click()
            assert faults(page) == [], (step, width)
    page.goto(f"{running.url}/setup/check")
    page.locator("input[type=checkbox]").first.check()
    assert faults(page) == []
    page.locator("form .primary").click()
    page.wait_for_selector(".missing")
    assert faults(page) == []


@pytest.fixture
def wizard(running: Running, browse: Callable[..., Page]) -> Page:
    """The set-up in a browser that has chosen the PIN."""
    page = browse(running.first, viewport={"width": 1280, "height": 900}, locale="en")
    page.set_default_timeout(40000)
    choose_pin(page)
    at_step(page, "Game and rules")
    return page


def step(page: Page, title: str) -> None:
    page.locator(".steps button", has_text=title).click()
    at_step(page, title)


@pytest.mark.thorough
def test_a_step_that_was_left_asks_nothing_more_and_leads_nowhere(wizard: Page) -> None:
    """Two steps with the camera's picture one after the other, and a step that is still being verified."""
    looks: list[Route] = []

    def away(route: Route) -> None:
        route.fulfill(status=409, json={"code": "away", "message": "There is no camera."})

    def look(route: Route) -> None:
        looks.append(route)
        if len(looks) > 2:
            away(route)

    wizard.route("**/api/v1/setup/camera", look)
    for title in ("Camera", "Mat"):
        with wizard.expect_request("**/api/v1/setup/camera"):
            step(wizard, title)
    for held in looks:
        away(held)
    expect(wizard.locator(".no-shot")).to_have_text("There is no camera.")
    verified: list[Route] = []
    wizard.route("**/api/v1/setup/done", lambda route: verified.append(route))
    step(wizard, "Language and voice")
    with wizard.expect_request("**/api/v1/setup/done"):
        saved(wizard)
    step(wizard, "Players")
    verified[0].continue_()
    expect(wizard.locator(".steps button", has_text="Language and voice")).to_contain_text("passed")
    at_step(wizard, "Players")
    asked = len(looks)
    wizard.wait_for_timeout(2500)
    assert len(looks) == asked


@pytest.mark.thorough
def test_a_second_press_answers_for_no_light_that_is_not_lit(wizard: Page) -> None:
    """Pressed twice in a blink, YES counted for the next light as well, and ended the test."""
    step(wizard, "Panel")
    wizard.get_by_role("button", name="Begin the test").click()
    yes = wizard.get_by_role("button", name="Yes")
    expect(yes).not_to_have_attribute("aria-disabled", "true")
    yes.dblclick()
    expect(wizard.locator(".parts .ok")).to_have_count(1)
    expect(yes).not_to_have_attribute("aria-disabled", "true")
    yes.click()
    expect(wizard.locator(".parts .ok")).to_have_count(2)


@pytest.mark.thorough
def test_how_many_decks_lie_in_the_shoe_is_shown_as_it_is_saved(wizard: Page) -> None:
    """The field kept the number that it had before the shoe was filled, and another one was saved."""
    wizard.locator("input[value=blackjack]").check()
    expect(wizard.get_by_label("Decks in the shoe")).to_have_value("2")
    step(wizard, "Cards")
    wizard.get_by_label("Kind", exact=False).select_option("standard")
    wizard.get_by_role("button", name="Make a deck").click()
    expect(wizard.locator(".deck-list input").first).to_be_checked()
    step(wizard, "Game and rules")
    expect(wizard.get_by_label("Decks in the shoe")).to_have_value("1")
    field = wizard.get_by_label("Decks in the shoe")
    field.fill("")
    expect(field).to_have_value("")
    field.press_sequentially("6")
    expect(field).to_have_value("6")


@pytest.mark.thorough
def test_the_summary_says_what_was_chosen_in_the_pages_language(running: Running, browse: Callable[..., Page]) -> None:
    """The game and the camera stood there as a program calls them."""
    page = browse(running.first, viewport={"width": 1920, "height": 1080}, locale="de")
    page.set_default_timeout(40000)
    for field in page.locator("main input[type=password]").all():
        field.fill("4711")
    page.locator("main button.primary").click()
    page.locator(".steps button").first.wait_for()
    page.locator("input[value=rugen-house]").check()
    page.get_by_role("button", name="Speichern und weiter").click()
    at_step(page, "Karten")
    page.locator(".steps button").last.click()
    expect(page.locator(".in-file dd", has_text="Haus-Rugen")).to_be_visible(timeout=40000)
    expect(page.locator(".in-file dd", has_text="Demotisch, gezeichnet")).to_be_visible()
    high = (
        page.locator(".worth li", has_text="noch nicht geprüft").first.locator("b").evaluate("one => one.clientHeight")
    )
    assert high < 40, "the verdict stands in one line"
