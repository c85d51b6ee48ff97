"""Two devices of the dealer's, or one and the camera: what both do at the same moment is done once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect
from webhouse import House

pytestmark = pytest.mark.browser
Sit = Callable[..., Page]
Open = Callable[..., House]

COMMANDS = "**/api/v1/commands*"


def overtake(page: Page, house: House, **record: object) -> None:
    """Have the other device's command come first, while this page's next one is on its way."""

    def meanwhile(route: Route) -> None:
        house.do(**record)
        route.continue_()

    page.route(COMMANDS, meanwhile, times=1)


def number(house: House) -> int:
    return int(house.service.view()["commands"])


@pytest.mark.parametrize("game", ["rugen-house", "blackjack"])
def test_a_throw_or_card_that_both_enter_counts_once(open_house: Open, sit: Sit, game: str) -> None:
    house = open_house(game, (("Ann", 1000),))
    if game == "blackjack":
        house.do(do="bet", player="Ann", amount=50)
        for to, card in (("Ann", "5S"), ("dealer", "TD"), ("Ann", "5H")):
            house.do(do="deal", to=to, card=card)
        house.do(do="hole")
    page = sit(house, 0)
    done = number(house)
    if game == "blackjack":
        overtake(page, house, do="hit", card="2C")
        page.keyboard.press("c")
    else:
        overtake(page, house, do="throw", d20=17)
    page.keyboard.press("/")
    page.keyboard.type("2c" if game == "blackjack" else "17")
    page.keyboard.press("Enter")
    expect(page.locator(".toast.error")).to_contain_text("Something came in between, so this was not played")
    assert number(house) == done + 1


def test_dice_tapped_for_a_throw_that_another_entered_are_dropped(open_house: Open, sit: Sit) -> None:
    house = open_house("chinchirorin", (("Ann", 100), ("Bo", 60)))
    for player, die in (("Ann", 5), ("Bo", 2)):
        house.do(do="throw-for-bank", player=player, die=die)
    house.do(do="bank", amount=50)
    house.do(do="bet", player="Bo", amount=20)
    house.do(do="close")
    page = sit(house, 0)
    for die in (1, 2, 4):
        page.get_by_role("group", name="Dice").get_by_label(f"A die that shows {die}").click()
    expect(page.get_by_role("button", name="Count 1-2-4")).to_be_visible()
    house.do(do="throw", dice=[1, 2, 4])
    expect(page.locator(".next .big")).to_contain_text("throws left: 2")
    expect(page.get_by_role("button", name="Count 1-2-4")).to_have_count(0)
