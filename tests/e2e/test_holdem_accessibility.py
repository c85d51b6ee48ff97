"""No page of hold'em breaks the rules that axe-core can check, nor runs over its edge, in light or dark."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page
from webhouse import House

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core comes with the dev extra")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]

PLAYERS = (*((name, 1000) for name in ("Aubrey", "Benedict", "Cornelius")), ("Bartholomew Longname", 300))
PHONE, TABLET, TV = ({"width": 360, "height": 740}, {"width": 1024, "height": 768}, {"width": 1920, "height": 1080})


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


def hand(house: House) -> None:
    """Blinds and cards; Cornelius is first to act."""
    house.do(do="post")
    while house.service.view()["phase"] == "hole":
        house.do(do="hole", player=house.service.view()["turn"])


def board(house: House, *cards: str) -> None:
    house.do(do="board", cards=list(cards))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page(open_house: Callable[..., House], sit: Callable[..., Page], theme: str) -> None:
    house = open_house("holdem", PLAYERS)
    hand(house)
    for verb in ("fold", "all-in", "call", "call"):
        house.do(do=verb)
    board(house, "AS", "TD", "7H")
    dealer, phone = sit(house, 0, viewport=TABLET), sit(house, 1, viewport=PHONE, color_scheme=theme)
    dealer.evaluate(f"localStorage.setItem('theme', '{theme}')")
    assert faults(phone) == []  # bets lie, somebody has folded, somebody is all-in
    for size in (TV, PHONE):
        dealer.set_viewport_size(size)
        for path in ("/", "/dealer"):
            dealer.goto(house.url + path)
            assert faults(dealer) == [], path
    house.do(do="check")
    house.do(do="check")
    dealer.locator(".ranks [data-key='A']").click()
    assert faults(dealer) == []  # a card is being named
    for card in ("3C", "4D"):
        board(house, card)
        if card == "3C":
            house.do(do="check")
            house.do(do="check")
    house.do(do="check")
    house.do(do="check")
    house.do(do="show", player="Aubrey", cards=["AH", "AD"])
    assert faults(dealer) == []
    house.do(do="muck", player="Benedict")
    house.do(do="show", player="Bartholomew Longname", cards=["KH", "KD"])
    for page, size in ((phone, PHONE), (dealer, PHONE), (dealer, TV)):
        page.set_viewport_size(size)
        assert faults(page) == []
    dealer.goto(house.url + "/")
    assert faults(dealer) == []
    dealer.goto(house.url + "/history/1/1")
    assert faults(dealer) == []
