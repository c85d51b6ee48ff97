"""The pit's pages in a real browser: no page breaks the rules that axe-core can check, nor runs over its edge."""

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from floor_database import cluster, database  # noqa: F401  (fixtures)
from floor_pictures import PICTURE
from floor_wire import JournalTable, ServedHouse, until
from playwright.sync_api import Page, expect

from companion.floor.cluster import Cluster
from companion.floor.desk.prices import Scope
from companion.kernel.messages import message
from web_ui.push.subscriptions import Subscriptions

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core comes with the dev extra")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]

SIZES = ((390, 844), (1024, 768), (1366, 768), (1920, 1080))
PAGES = {
    "board": "/", "prices": "/prices", "edit": "/prices/edit?scope=house&game=roche", "version": "/prices/versions/2",
    "table": "/tables/1", "duty": "/duty", "decks": "/decks", "reports": "/reports", "closes": "/closes",
    "close": "/closes/1", "players": "/players?name=a", "purses": "/purses", "purse": "/purses/4", "audit": "/audit",
    "alarms": "/alarms", "broker": "/broker",
}  # fmt: skip
DOSSIER = {
    "seq": 7, "round": "roulette 2", "hold": "two settlements differ: player/Ann would change by 5, the rules say 6",
    "disputed": True, "questions": [{"kind": "unsure", "text": "Which pocket was it?", "choices": ["3", "26"]}],
    "settlements": [{"seq": 6, "text": "The ball fell on 3", "differences": ["player/Ann would change by 5, not 6"],
                     "lines": [{"account": "player/Ann", "first": 5, "second": 6},
                               {"account": "house", "first": -5, "second": -6}]}],
    "pictures": [{"seq": 5, "text": "3 was seen", "is_undone": False, "facts": {"id": "3", "votes": "9",
                  "confidence": "0.9800", "margin": "0.4000"}, "jpeg": None}],
}  # fmt: skip


@pytest.fixture
def pit(cluster: Cluster, database: str, tmp_path: Path) -> Iterator[ServedHouse]:  # noqa: F811
    """A floor with something to see on every page."""
    with ServedHouse(cluster, database, tmp_path / "floor") as served:
        house = served.house
        served.app.extensions["phones"] = Subscriptions(tmp_path)  # else there is no page of alarms
        for name, role in (("Olga", "owner"), ("Dan", "dealer")):
            house.set_person(name, role, "1234", "test")  # type: ignore[arg-type]
        table = JournalTable(tmp_path / "table")
        table.picture = PICTURE
        table.play(3)
        member = served.join(tmp_path / "table", "Table 1")
        house.invite("Table 2", "Olga")
        served.purse_of("Anna-Lena O'Hara", 12345)
        house.prices.set_group("High rollers", ["Table 2"], base=0, who="Olga")
        paytable = {"table.paytable": {"cut/6": "7:1"}, "table.min": 5}
        house.prices.set_games(Scope("house"), "roche", paytable, base=1, who="Olga")
        high = {"roulette.zero_rule": "none", "table.min": 50}
        house.prices.set_games(Scope("group", "High rollers"), "roulette", high, base=2, who="Olga")
        house.duty.sign("Table 1", "Dan", "Olga")
        house.decks.register(1, [{"deck": "K7QX", "kind": "roche", "name": "Blue deck"}])
        house.decks.report(2, "6D3K7QXABCDEFGHI")
        ((name, _),) = house.decks.questions_for(1).items()
        house.decks.answer(1, name, is_genuine=False)
        with table.follow(member):
            until(table.is_ok)
            house.close_day("Olga")
            yield served
        table.close()


def logged_in(pit: ServedHouse, browse: Callable[..., Page], **options: object) -> Page:
    page = browse(f"https://127.0.0.1:{pit.port}/login", ignore_https_errors=True, **options)
    page.locator("input[name=name]").fill("Olga")
    page.locator("input[name=pin]").fill("1234")
    page.locator("main button").click()
    page.wait_for_selector(".floor-table")
    return page


def faults(page: Page) -> list[str]:
    """What axe-core finds, and at which sizes the page is wider than its window."""
    found = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        found += [f"{width}: {one}" for one in page.evaluate(UNMARKED)]
        found += [f"{wide} px too wide at {width}"] if wide > 0 else []
        if width in (390, 1366):
            found += [
                f"{width}: {rule['id']}: {node['target']} {node.get('failureSummary', '')[:200]}"
                for rule in axe.Axe().run(page).response["violations"]
                for node in rule["nodes"]
            ]
    return found


@pytest.mark.parametrize(("language", "theme"), [("en", "light"), ("de", "dark"), ("es", "light"), ("en", "dark")])
def test_every_page_of_the_pit(pit: ServedHouse, browse: Callable[..., Page], language: str, theme: str):
    page = logged_in(pit, browse, locale=language, color_scheme=theme)
    pictures, wrong = os.environ.get("PIT_PICTURES"), []
    for name, path in PAGES.items():
        if name == "table":
            pit.house.disputes.look(1)
            pit.house.disputes.take(1, str(pit.house.disputes.wanted_of(1)), DOSSIER)
        page.goto(f"https://127.0.0.1:{pit.port}{path}")
        if name == "table":
            page.wait_for_selector(".floor-differs")
        elif name == "board":
            page.wait_for_selector(".floor-table")
        assert page.evaluate("document.documentElement.lang") == language
        wrong += [f"{name}: {what}" for what in faults(page)]
        if pictures:
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                page.screenshot(path=f"{pictures}/{name}-{language}-{theme}-{width}.png", full_page=True)
    assert wrong == [], "\n".join(wrong)


ROUGH = """() => [...document.querySelectorAll("input[type=checkbox]")].filter(one => {
    const box = one.getBoundingClientRect();
    return box.width < 18 || box.width > 26 || box.height !== box.width;
}).length"""
"""Ticks that are no squares of about 20 px."""


def test_alarms_and_broker_on_a_small_phone(pit: ServedHouse, browse: Callable[..., Page]):
    """The ticks were of three sizes, times were not local, and a button that did nothing was there for every phone."""
    with pit.house.connection() as connection:
        connection.execute("INSERT INTO floor.alarm (table_id, kind, text) VALUES (1, 'hold', 'on hold')")
    pit.house.broker.issue_reader_login("homeassistant", "Olga")
    page = logged_in(pit, browse, locale="de", viewport={"width": 320, "height": 640})
    page.goto(f"https://127.0.0.1:{pit.port}/alarms")
    expect(page.locator("main form").first).to_be_visible()
    assert page.evaluate(ROUGH) == 0
    expect(page.locator("[data-tell-no-more]")).to_be_hidden()
    assert not re.search(r"\d{4}-\d\d-\d\dT", page.locator("main").inner_text())
    page.goto(f"https://127.0.0.1:{pit.port}/broker")
    assert page.evaluate("document.documentElement.scrollWidth") == 320


LARGE: dict[str, Any] = {
    "at_start": 1_234_567, "at_end": 1_278_857, "win": 6_805,
    "takings": {"bought": 120_500, "from_purses": 34_500, "cashed": 98_700, "to_purses": 12_000, "recounted": -10,
                "wins": {"roulette": 12_345, "roche": -6_789, "holdem-tournament": 250, "rugen-house": 999}},
    "expected_by_game": {"roulette": {"bets": 12_340, "staked": 4_567_890, "won": 123_456, "expected": 119_876.4,
                                      "error": 4_321.7}},
    "shifts": [{"dealer": "Alexandrine von Hohenstaufen", "from": "2026-05-01 12:00:00.1+00", "to": None}],
}  # fmt: skip
"""A busy day of a table."""
UNMARKED = """() => [...document.querySelectorAll(".scroll")].filter(one => {
    const shaded = getComputedStyle(one).backgroundAttachment.replaceAll(" ", "") === "local,local,scroll,scroll";
    return !shaded || one.tabIndex !== 0 || one.getAttribute("role") !== "region" || !one.getAttribute("aria-label");
}).map(one => `no hint that it scrolls: ${one.textContent.slice(0, 60)}`)"""
"""Tables that may be wider than their room and neither show it, nor can be reached with keys under a name."""
PAPER_PX = round((210 - 2 * 14) / 25.4 * 96)
"""Between the margins of an A4 page."""
TOO_WIDE = """() => [...document.querySelectorAll("main *")]
    .filter(one => one.getBoundingClientRect().right > innerWidth + 1).map(one => one.textContent)"""


@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_a_day_close_of_a_busy_house_prints_whole(
    pit: ServedHouse, browse: Callable[..., Page], language: str, monkeypatch: pytest.MonkeyPatch
):
    """Every column is on the page, and times, accounts and signs are as people write them."""
    made = pit.house.close_number(1)
    told = made.content
    long_name = "High rollers' table by the window"
    told["tables"] = [one | LARGE | {"name": name} for one in told["tables"] for name in (one["name"], long_name)]
    told["house"] |= {key: LARGE["takings"][key] * 2 for key in ("bought", "cashed")} | {"win": 13_610}
    told["wrong"] = [message("All accounts of the books together hold {coins} coins, not 0.", coins=1_200).to_json()]
    monkeypatch.setattr(pit.house, "close_number", lambda number: replace(made, body=json.dumps(told)))
    page = logged_in(pit, browse, locale=language, viewport={"width": PAPER_PX, "height": 1000})
    page.goto(f"https://127.0.0.1:{pit.port}/closes/1")
    page.emulate_media(media="print")
    assert page.evaluate(TOO_WIDE) == []
    text = page.locator("main").inner_text()
    assert "−10" in text
    assert not re.search(r"\d{4}-\d\d-\d\d|\+00|-10\b", text), "a time or a sum as computers write it"
    if language != "en":
        assert not re.search(r"\b(bank|purse|transit|unclaimed|coins)\b", text)
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4", prefer_css_page_size=True))) <= 2


def test_the_pit_sets_prices_and_a_wrong_one_comes_back(pit: ServedHouse, browse: Callable[..., Page]):
    page = logged_in(pit, browse, viewport={"width": 390, "height": 844})
    page.get_by_role("link", name="Prices").click()
    page.get_by_label("Game").select_option("roche")
    page.get_by_role("button", name="Set prices").click()
    page.get_by_label("Single prices").fill("cut/6 = 99:1")
    page.get_by_role("button", name="Save and send").click()
    expect(page.get_by_role("alert")).to_contain_text("leaves the players an edge")
    page.get_by_label("Single prices").fill("cut/6 = 8:1")
    page.get_by_role("button", name="Save and send").click()
    expect(page.get_by_role("heading", name="What is set · version 4")).to_be_visible()
    assert pit.house.prices.list_for("Table 1")["roche"].keys["table.paytable"] == {"cut/6": "8:1"}
