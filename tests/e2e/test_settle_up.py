"""At the end of the evening every game's page says who pays whom, and so does the summary."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from webhouse import House

pytestmark = pytest.mark.browser

PLAYERS = (("Ann", 100), ("Bo", 100), ("Cy", 100), ("Di", 100))
Record = dict[str, Any]
BOWL: tuple[Record, ...] = (
    *({"do": "throw-for-bank", "player": name, "die": 6 - i} for i, (name, _) in enumerate(PLAYERS)),
    {"do": "bank", "amount": 60},
    {"do": "bet", "player": "Bo", "amount": 20},
    {"do": "close"},
    {"do": "throw", "dice": [4, 5, 6]},
)
WHEEL: tuple[Record, ...] = (
    {"do": "bet", "player": "Bo", "on": "red", "amount": 20},
    {"do": "no-more-bets"},
    {"do": "spin", "pocket": "2"},
)
GAMES = {"roulette": (WHEEL, ["Bo", "→", "House"]), "chinchirorin": (BOWL, ["Bo", "→", "Ann"])}


@pytest.mark.thorough
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("width", [390, 1024, 1280])
def test_the_dealer_and_the_summary_say_who_pays_whom(
    open_house: Callable[..., House], sit: Callable[..., Page], game: str, width: int
) -> None:
    records, owed = GAMES[game]
    house = open_house(game, PLAYERS)
    dealer = sit(house, 0, viewport={"width": width, "height": 844 if width == 390 else 768})
    expect(dealer.get_by_role("button", name="Settle up")).to_have_count(0)
    for record in records:
        house.do(**record)
    coins = [str(one["coins"]) for one in house.service.view()["settle_up"]]
    dealer.get_by_role("button", name="Settle up").click()
    assert dealer.locator("dialog .settle .route").inner_text().split() == owed
    expect(dealer.locator("dialog .settle b")).to_have_text(coins)
    assert dealer.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    dealer.goto(f"{house.url}/history/session/1")
    assert dealer.locator(".settle li").inner_text().split() == [*owed, *coins]
    assert dealer.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


LONG = ("Maximiliane-Charlotte-Lu", "Bartholomäus von Hagen", "Wolfeschlegelsteinhausen")


@pytest.mark.parametrize("width", [390, 1366])
def test_amounts_stand_at_the_right_edge_whatever_the_names(
    open_house: Callable[..., House], sit: Callable[..., Page], width: int
) -> None:
    """Where names filled the line, the amount began a line of its own, at the left and below the names."""
    house = open_house("roulette", tuple((name, 100) for name in LONG))
    for name in LONG:
        house.do(do="bet", player=name, on="odd" if name == LONG[0] else "red", amount=16)
    house.do(do="no-more-bets")
    house.do(do="spin", pocket="11")
    dealer = sit(house, 0, viewport={"width": width, "height": 844}, locale="de")
    dealer.get_by_role("button", name="Ausgleich").click()
    gaps = """rows => rows.map(row => {
        const [line, coins] = [row, row.querySelector("b")].map(one => one.getBoundingClientRect());
        return Math.round(line.right - coins.right);
    })"""
    assert set(dealer.locator("dialog .settle li").evaluate_all(gaps)) == {0}
    for path in ("/history", "/history/session/1"):
        dealer.goto(house.url + path)
        assert set(dealer.locator(".settle li").evaluate_all(gaps)) == {0}, path
