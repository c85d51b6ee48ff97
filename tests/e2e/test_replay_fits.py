"""A hand step by step, of every game: the table, the people and the steps lie beside each other, whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from crowded import TABLES
from playwright.sync_api import Page
from webhouse import House

pytestmark = pytest.mark.browser

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
    return found;
}"""


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
