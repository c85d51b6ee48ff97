"""What King of Roulette's bonuses bring the house stands beside its bets, in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from webhouse import House

pytestmark = pytest.mark.browser

NAMES = ("Ann", "Ben", "Cora", "Dirk")


def test_the_house_result_says_what_came_of_bonuses(open_house: Callable[..., House], sit: Callable[..., Page]) -> None:
    house = open_house("king-of-roulette", tuple((name, 10) for name in NAMES))
    for name in NAMES:
        house.do(do="vote", player=name, **{"for": "Ann"})
    phone = sit(house, 2)
    phone.get_by_role("button", name="Buy a Double Bonus for 2 garnets").tap()
    expect(phone.get_by_role("button", name="Buy a Double Bonus for 3 garnets")).to_be_visible()
    expect(phone.locator(".toast")).to_have_text(["You bought a Double Bonus for 2 garnets"])
    expect(phone.locator(".purse")).to_contain_text("Your garnets")
    house.do(do="rule", text="1 + 2 = 1, 3 = 2", one=[1, 2], two=3)
    house.do(do="guess", range="2-3")
    for space, name in enumerate(NAMES[1:], start=1):
        house.do(do="bet", player=name, space=space)
    house.do(do="reveal")
    assert house.service.ledger.house == 2
    dealer = sit(house, 0)
    dealer.goto(f"{house.url}/dealer/standing")
    expect(dealer.locator("main")).to_contain_text("includes +2 that no settled bet brought: bonuses")


def test_the_next_king_is_named_without_scrolling(open_house: Callable[..., House], sit: Callable[..., Page]) -> None:
    """Eight names below a long reveal were out of sight on a small screen."""
    names = ("Anneliese", "Benedikt", "Charlotte", "Dorothea", "Esperanza", "Friedrich", "Guillermo", "Henriette")
    house = open_house("king-of-roulette", tuple((name, 10) for name in names))
    for name in names:
        house.do(do="vote", player=name, **{"for": names[0]})
    house.do(do="rule", text="1 + 2 = 1, 3 = 2", one=[1, 2], two=3)
    house.do(do="guess", range="2-3")
    for place, name in enumerate(names[1:]):
        house.do(do="bet", player=name, space=1 + place % 6)
    house.do(do="reveal")
    dealer = sit(house, 0, viewport={"width": 1024, "height": 768})
    for name in names:
        expect(dealer.get_by_role("button", name=name, exact=True)).to_be_in_viewport(ratio=1)
    dealer.get_by_role("button", name="Benedikt", exact=True).click()
    expect(dealer.locator(".toast").last).to_contain_text("Benedikt is the king of round 2")
