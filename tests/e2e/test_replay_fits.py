"""A hand step by step, of every game: the table, the people and the steps lie beside each other, whole."""

from collections.abc import Callable

import pytest
from crowded import TABLES
from playwright.sync_api import Page
from webhouse import House

pytestmark = pytest.mark.browser
Sit = Callable[..., Page]

SIZES = ((1024, 768), (1366, 768), (1920, 1080))
PARTS = """() => {
    const parts = [...document.querySelectorAll("main > :not(.quiet)")].map(one => [one, one.getBoundingClientRect()]);
    const controls = document.querySelector(".controls").getBoundingClientRect();
    const meets = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const found = [];
    for (const [one, box] of parts) {
        const name = one.className;
        if (box.left < 0 || box.right > innerWidth || box.bottom > controls.top + 1) found.push(`${name} is cut off`);
        if (one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).overflowY === "visible")
            found.push(`${name} has no room`);
        for (const [other, its] of parts)
            if (one !== other && meets(box, its)) found.push(`${name} lies over ${other.className}`);
    }
    const side = document.querySelector("main > .side").getBoundingClientRect();
    for (const link of document.querySelectorAll(".hand-links a")) {
        const box = link.getBoundingClientRect();
        if (box.top < side.top || box.bottom > side.bottom + 1) found.push(`${link.textContent} is out of sight`);
    }
    return found;
}"""

GAPS = """() => {
    const text = link => { const range = new Range(); range.selectNodeContents(link); return range; };
    const boxes = [...document.querySelectorAll(".nav a")].map(link => text(link).getBoundingClientRect());
    return boxes.slice(1).map((box, i) => box.left - boxes[i].right);
}"""


@pytest.mark.thorough
@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_the_links_of_a_header_are_apart(open_house: Callable[..., House], sit: Sit, language: str) -> None:
    """Also under fingers, whose signs are wider."""
    house = open_house("roulette", (("Ann", 100), ("Bo", 60)))
    page = sit(house, 0, viewport={"width": 1024, "height": 768}, has_touch=True, locale=language)
    for path in ("/dealer", "/odds", "/"):
        page.goto(f"{house.url}{path}")
        page.wait_for_selector(".nav a")
        assert min(page.evaluate(GAPS)) >= 8, path
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path


def test_receipt_and_file_stay_above_the_controls(open_house: Callable[..., House], browse: Sit) -> None:
    """However many coins moved."""
    players = tuple((name, 100) for name in ("Ann", "Bo", "Cy", "Di", "Ed"))
    house = open_house("roulette", players)
    for name, _ in players:
        house.do(do="bet", player=name, on="red", amount=12)
    house.do(do="no-more-bets")
    house.do(do="spin", pocket="3")
    page = browse(f"{house.url}/history/1/1", viewport={"width": 1024, "height": 768})
    page.wait_for_selector(".step-list [aria-current]")
    assert page.evaluate(PARTS) == []


@pytest.mark.thorough
@pytest.mark.parametrize("name", TABLES)
def test_the_steps_lie_beside_the_table(
    open_house: Callable[..., House], browse: Callable[..., Page], name: str
) -> None:
    table = TABLES[name]
    house = open_house(table.game, table.players, **table.options)
    for records in table.moments.values():
        for record in records:
            house.do(**record)
    page = browse(f"{house.url}/history/1/1")
    page.wait_for_selector(".step-list [aria-current]")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(PARTS) == [], f"{width} × {height}"
