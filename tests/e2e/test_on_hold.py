"""A table on hold says so on the room's screen of every game, not what would come next."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from webhouse import House

pytestmark = pytest.mark.browser

PLAYERS = (("Ann", 1000), ("Bo", 1000), ("Cy", 1000), ("Di", 1000))
GAMES = (
    *("roche", "rochi", "rugen-house", "rugen-street", "roulette", "chinchirorin"),
    *("king-of-roulette", "holdem", "blackjack"),
)


@pytest.mark.parametrize("game", GAMES)
def test_the_room_says_that_the_table_is_on_hold(
    open_house: Callable[..., House], browse: Callable[..., Page], game: str
) -> None:
    house = open_house(game, PLAYERS)
    room = browse(house.url, viewport={"width": 1920, "height": 1080})
    headline = room.locator(".prompt .big")
    expect(headline).not_to_have_text("On hold")
    before = headline.inner_text()
    house.do(do="hold")
    expect(headline).to_have_text("On hold")
    expect(room.locator(".prompt .sub")).to_contain_text("The table waits")
    house.do(do="release")
    expect(headline).to_have_text(before)


@pytest.mark.parametrize("game", ["roche", "chinchirorin", "king-of-roulette", "holdem", "blackjack"])
def test_a_phone_says_that_the_table_is_on_hold(
    open_house: Callable[..., House], browse: Callable[..., Page], game: str
) -> None:
    house = open_house(game, PLAYERS)
    phone = browse(f"{house.url}/seat/2#{house.access.seat_code(2)}", viewport={"width": 390, "height": 844})
    expect(phone.locator("#main")).to_contain_text("Bo")
    house.do(do="hold")
    expect(phone.locator("#main")).to_contain_text("The table waits")
    if game != "roche":
        expect(phone.locator(".panel .big").first).to_have_text("On hold")
    house.do(do="release")
    expect(phone.locator("#main")).not_to_contain_text("The table waits")
