"""There is no limit to the coins that somebody brings: seats and phones hold any number."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from webhouse import House

pytestmark = pytest.mark.browser

FORTUNE = 99_999_999_999
PLAYERS = (("Ann", 100), ("Benedict", FORTUNE))
OUTSIDE = """pill => {
    const [box, coins] = [pill, pill.querySelector(".held b")].map(one => one.getBoundingClientRect());
    return coins.right > box.right || coins.bottom > box.bottom;
}"""


@pytest.mark.parametrize("size", [(390, 844), (1024, 768), (1280, 900), (1920, 1080)])
def test_a_fortune_stays_in_its_seat(
    open_house: Callable[..., House], sit: Callable[..., Page], size: tuple[int, int]
) -> None:
    house = open_house("roulette", PLAYERS)
    dealer = sit(house, 0, viewport={"width": size[0], "height": size[1]})
    seat = dealer.locator(".sitting li", has_text="Benedict")
    expect(seat.locator("b")).to_have_attribute("title", "99,999,999,999")
    assert not seat.evaluate(OUTSIDE)


def test_a_fortune_leaves_the_name_its_line(open_house: Callable[..., House], sit: Callable[..., Page]) -> None:
    house = open_house("roulette", PLAYERS)
    phone = sit(house, 2)
    expect(phone.locator(".purse .coins")).to_have_text("99,999,999,999")
    lines = "one => one.getBoundingClientRect().height / parseFloat(getComputedStyle(one).fontSize)"
    assert phone.locator(".purse h1").evaluate(lines) < 2.5
    assert phone.locator(".purse .coins").evaluate(lines) < 2
    assert phone.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_a_fortune_to_settle_does_not_stop_the_page(open_house: Callable[..., House], sit: Callable[..., Page]) -> None:
    """Chips are counted one by one only as far as they are drawn."""
    house = open_house("roulette", PLAYERS)
    house.do(do="bet", player="Benedict", on="red", amount=FORTUNE)
    house.do(do="no-more-bets")
    house.do(do="spin", pocket="2")
    dealer = sit(house, 0)
    dealer.get_by_role("button", name="Settle up").click()
    expect(dealer.locator("dialog .settle b")).to_have_text("99,999,999,999", timeout=5000)


@pytest.mark.parametrize("name", ["Maximiliane-Charlotte-Lu", "Benedict", "Ann"])
@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_a_name_is_not_broken_letter_by_letter_beside_millions(
    open_house: Callable[..., House], sit: Callable[..., Page], name: str, language: str
) -> None:
    """On a small phone, where 24 letters stood on ten lines; and a bet moves nothing below."""
    house = open_house("roulette", ((name, 9_999_999), ("Bo", 100)))
    phone = sit(house, 1, viewport={"width": 360, "height": 740}, locale=language)
    lines = "one => one.getBoundingClientRect().height / parseFloat(getComputedStyle(one).fontSize)"
    assert phone.locator(".purse h1").evaluate(lines) < 2.5
    assert phone.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    felt = phone.locator(".wheel-felt").bounding_box()
    assert felt is not None
    house.do(do="bet", player=name, on="red", amount=9_999_990)
    expect(phone.locator(".purse .coins")).to_have_text("9")
    after = phone.locator(".wheel-felt").bounding_box()
    assert after is not None
    assert after["y"] == felt["y"]


def test_the_players_tab_leaves_a_name_its_line_beside_a_fortune(
    open_house: Callable[..., House], sit: Callable[..., Page]
) -> None:
    """On a phone a name stood beside its coins letter by letter."""
    house = open_house("roulette", (("Maximiliane-Charlotte-Lu", FORTUNE), ("Bo", FORTUNE)))
    for name in ("Maximiliane-Charlotte-Lu", "Bo"):
        house.do(do="bet", player=name, on="red", amount=123_456_789)
    dealer = sit(house, 0, viewport={"width": 390, "height": 844}, locale="de")
    dealer.get_by_role("tab", name="Spieler").click()
    lines = """all => all.map(one => one.getBoundingClientRect().height / parseFloat(getComputedStyle(one).fontSize))"""
    found = dealer.locator(".player-head .who").evaluate_all(lines)
    assert len(found) == 2
    assert max(found) < 3.2
    assert dealer.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
