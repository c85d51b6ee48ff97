"""Seats and phones hold the largest number of coins that a table takes at once."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from webhouse import House

pytestmark = pytest.mark.browser

FORTUNE = 10**15
WRITTEN = f"{FORTUNE:,}"
PLAYERS = (("Ann", 100), ("Benedict", FORTUNE))
OUTSIDE = """pill => {
    const box = pill.getBoundingClientRect();
    const sums = [...pill.querySelectorAll(".held > *")].map(one => one.getBoundingClientRect());
    return sums.some(one => one.right > box.right || one.bottom > box.bottom);
}"""

BROKEN = """strip => {
    const walk = document.createTreeWalker(strip, NodeFilter.SHOW_TEXT);
    const broken = [];
    for (let node = walk.nextNode(); node; node = walk.nextNode())
        for (const { 0: group, index } of node.data.matchAll(/[0-9]+/g)) {
            const range = document.createRange();
            range.setStart(node, index), range.setEnd(node, index + group.length);
            if (range.getClientRects().length > 1) broken.push(node.data);
        }
    return broken;
}"""
"""The numbers of which a group of digits goes on in the next line, where it reads as another number."""


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(390, 844), (1024, 768), (1280, 900), (1920, 1080)])
def test_a_fortune_stays_in_its_seat(
    open_house: Callable[..., House], sit: Callable[..., Page], size: tuple[int, int]
) -> None:
    house = open_house("roulette", PLAYERS)
    dealer = sit(house, 0, viewport={"width": size[0], "height": size[1]})
    seat = dealer.locator(".sitting li", has_text="Benedict")
    expect(seat.locator("b")).to_have_attribute("title", WRITTEN)
    assert not seat.evaluate(OUTSIDE)
    house.do(do="bet", player="Benedict", on="red", amount=FORTUNE)
    expect(seat.locator(".staked")).to_have_attribute("title", re.compile(WRITTEN))
    assert not seat.evaluate(OUTSIDE)


@pytest.mark.parametrize("size", [(1024, 768), (1280, 900)])
def test_a_fortune_breaks_between_its_groups_of_digits(
    open_house: Callable[..., House], sit: Callable[..., Page], size: tuple[int, int]
) -> None:
    """Seven at the table: 1,000,000,000,262 once stood there as 1,000,000,000,26 and 2."""
    few = (("Aubrey", 0), ("Benedict", 0), ("Celia", 262), ("A/B", 10**12 + 262), ("Maximilian-Alexander", 10**15 + 75))
    house = open_house("chinchirorin", (*few, ("Bobby", 5), ("X", 0)), banker=4)
    house.do(do="bank", amount=10**12)
    house.do(do="bet", player="Maximilian-Alexander", amount=10**12)
    dealer = sit(house, 0, viewport={"width": size[0], "height": size[1]})
    expect(dealer.locator(".sitting")).to_contain_text(f"{10**12 + 262:,}")
    assert dealer.locator(".sitting").evaluate(BROKEN) == []


def test_a_fortune_leaves_the_name_its_line(open_house: Callable[..., House], sit: Callable[..., Page]) -> None:
    house = open_house("roulette", PLAYERS)
    phone = sit(house, 2)
    expect(phone.locator(".purse .coins")).to_have_text(WRITTEN)
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
    expect(dealer.locator("dialog .settle b")).to_have_text(WRITTEN, timeout=5000)


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


RICH = (("Maximiliane", FORTUNE), ("Bo", FORTUNE), ("Carlo", FORTUNE), ("Dora", FORTUNE))
STAKES = {
    "roulette": {"on": "red", "amount": FORTUNE // 2},
    "roche": {"on": "cut/6", "amount": 22_500_000_000_000},
    "rochi": None,
}
CUT_OR_OVER = r"""() => {
    const found = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const { currentNode: text } = texts, box = text.parentElement.closest("li, article, header, footer");
        if (!/\d(,\d{3}){3}/.test(text.data) || !box) continue;
        if (text.parentElement.closest(".chip, .log, .quiet, svg")) continue;
        const range = document.createRange(), { left, right } = box.getBoundingClientRect();
        range.selectNodeContents(text);
        for (const line of range.getClientRects())
            if (line.right > Math.min(right, innerWidth) + 1 || line.left < left - 1) found.push(text.data);
    }
    return found;
}"""


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(390, 844), (1024, 768), (1280, 800), (1920, 1080)])
@pytest.mark.parametrize("game", STAKES)
def test_no_fortune_runs_into_the_next_seat_or_off_the_page(
    open_house: Callable[..., House], sit: Callable[..., Page], browse: Callable[..., Page], game: str,
    size: tuple[int, int],
) -> None:  # fmt: skip
    """What is cut off, or drawn over by the next number, is read as another number."""
    house = open_house(game, RICH)
    for name, _ in RICH if STAKES[game] else ():
        house.do(do="bet", player=name, **STAKES[game])
    viewport = {"width": size[0], "height": size[1]}
    room = browse(house.url, viewport=viewport)
    room.wait_for_selector(".live.on")
    for page in (room, sit(house, 0, viewport=viewport)):
        assert page.get_by_text(re.compile(r"\d(,\d{3}){4}")).count() > 0
        assert page.evaluate(CUT_OR_OVER) == []
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
