"""No page of roulette breaks the rules that axe-core can check, nor runs over its edge, in light or dark."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page
from webhouse import House

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core comes with the dev extra")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]

PAIR = (("Aubrey", 100), ("Benedict", 100))
PHONE, TABLET, TV = ({"width": 360, "height": 740}, {"width": 1024, "height": 768}, {"width": 1920, "height": 1080})

APART = """() => {
  const boxes = [...document.querySelectorAll(".wheel .pocket text")].map((one) => one.getBoundingClientRect());
  const at = boxes.map(({ x, y, width, height }) => [x + width / 2, y + height / 2]);
  return Math.min(...at.map(([x, y], i) => Math.hypot(x - at.at(i - 1)[0], y - at.at(i - 1)[1])));
}"""
"""How far the pockets on the drawn wheel are apart, px."""


def faults(page: Page) -> list[str]:
    """What axe-core finds, and whether the page is wider than its window."""
    page.wait_for_timeout(400)
    found = [
        f"{v['id']}: {node['target']} {node.get('failureSummary', '')[:300]}"
        for v in axe.Axe().run(page).response["violations"]
        for node in v["nodes"]
    ]
    too_wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return found + ([f"{too_wide} px too wide"] if too_wide > 0 else [])


def play(house: House) -> None:
    """Two spins: bets in prison, winners and losers; then open bets."""
    for pocket in ("0", "0"):
        for player, on in (("Aubrey", "red"), ("Aubrey", "split/0/2"), ("Benedict", "even"), ("Benedict", "corner/8")):
            house.do(do="bet", player=player, on=on, amount=3)
        house.do(do="no-more-bets")
        house.do(do="spin", pocket=pocket)
    house.do(do="bet", player="Benedict", on="line/1", amount=5)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page(open_house: Callable[..., House], sit: Callable[..., Page], theme: str) -> None:
    house = open_house("roulette", PAIR)
    play(house)
    dealer, phone = sit(house, 0, viewport=TABLET), sit(house, 2, viewport=PHONE, color_scheme=theme)
    dealer.evaluate(f"localStorage.setItem('theme', '{theme}')")
    assert faults(phone) == []
    for size in (TV, PHONE):
        dealer.set_viewport_size(size)
        for path in ("/", "/odds", "/history/1/2", "/dealer"):
            dealer.goto(house.url + path)
            assert faults(dealer) == [], path
    dealer.locator(".payouts > summary").click()
    dealer.locator(".payouts li summary").first.click()
    assert faults(dealer) == []
    dealer.keyboard.press("n")
    dealer.wait_for_selector(".wheel")
    assert faults(dealer) == []
    dealer.set_viewport_size(TABLET)
    assert faults(dealer) == []
    dealer.set_viewport_size(PHONE)
    assert dealer.evaluate(APART) >= 24
