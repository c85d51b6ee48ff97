"""A reader whose browser writes larger than usual reads larger type on every page, and scrolls nothing sideways."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from webclient import PIN
from webhouse import House

pytestmark = pytest.mark.browser
USUAL_PX, LARGE_PX = 16, 24
PHONE, TABLET = {"width": 390, "height": 844}, {"width": 1024, "height": 768}
ROOM = ("/", "/odds", "/history", "/history/1/1/receipt", "/players", "/verify", "/dealer")
OWNER = ("/dealer", "/dealer/standing", "/setup", "/setup/dice", "/setup/browsers")
TYPE = "parseFloat(getComputedStyle(document.documentElement).fontSize)"
WIDER = "document.documentElement.scrollWidth - innerWidth"


def write_at(page: Page, size_px: int) -> None:
    """Set the type that the browser's owner has chosen."""
    page.context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": {"standard": size_px}})


def show(page: Page, url: str) -> None:
    page.goto(url)
    page.wait_for_load_state("networkidle")


@pytest.mark.thorough
@pytest.mark.parametrize("size", [PHONE, TABLET], ids=["phone", "tablet"])
def test_every_page_follows_the_readers_own_type(
    house: House, browse: Callable[..., Page], size: dict[str, int]
) -> None:
    page = browse(f"{house.url}/", viewport=size, locale="de")
    house.do(do="bet", player="Aubrey", on="cut/6", amount=5)
    for path in (*ROOM, *OWNER):
        if path == OWNER[0] and page.get_by_label("PIN").count():
            page.get_by_label("PIN").fill(PIN)
            page.get_by_label("PIN").press("Enter")
            page.wait_for_url("**/dealer")
        found = []
        for type_px in (USUAL_PX, LARGE_PX):
            write_at(page, type_px)
            show(page, house.url + path)
            found.append(page.evaluate(TYPE))
            assert page.evaluate(WIDER) <= 0, f"{path} at {type_px} px"
        assert found[1] > 1.25 * found[0], path
        assert found[0] >= 14, path


SPILLS = """selector => [...document.querySelectorAll(selector)].filter(one => {
    const words = document.createRange();
    words.selectNodeContents(one);
    return words.getBoundingClientRect().width > one.getBoundingClientRect().width;
}).map(one => one.innerText)"""


@pytest.mark.thorough
def test_on_a_phone_what_is_written_large_stays_in_its_box(
    open_house: Callable[..., House], sit: Callable[..., Page]
) -> None:
    """Two letters in a cell of the basic strategy, and the chip of a hundred, which is as wide as it is high."""
    players = (("Aubrey", 1000), ("Benedict", 1000))
    odds = sit(open_house("blackjack", players), 1)
    write_at(odds, LARGE_PX)
    odds.locator("summary", has_text="Basic strategy").click()
    expect(odds.locator(".strategy td").first).to_be_visible()
    assert odds.evaluate(SPILLS, ".strategy td, .strategy th:not(:first-child)") == []
    phone = sit(open_house("roche", players), 1)
    write_at(phone, LARGE_PX)
    chips = phone.locator(".chip-button")
    expect(chips.last).to_be_visible()
    assert phone.evaluate(SPILLS, ".chip-button") == []
    for box in (one.bounding_box() for one in chips.all()):
        assert box is not None
        assert abs(box["width"] - box["height"]) < 1


def test_the_dealers_page_that_no_longer_fits_is_scrolled(house: House, dealer: Page) -> None:
    """All on one screen is for those who read type of the usual size: larger type is scrolled to, not cut off."""
    for type_px, overflow in ((USUAL_PX, "hidden"), (LARGE_PX, "visible")):
        write_at(dealer, type_px)
        show(dealer, f"{house.url}/dealer")
        assert dealer.evaluate("getComputedStyle(document.body).overflowY") == overflow
