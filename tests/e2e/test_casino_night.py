"""What a casino night showed: coins put aside for games with coins of their own, and numbers in one piece."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from webhouse import House

from companion.testing import new_header

pytestmark = [pytest.mark.browser, pytest.mark.thorough]
Browse = Callable[..., Page]
Open = Callable[..., House]

RICH = (("Ana", 2127), ("Bert", 1951), ("Clara-Luise von Hohenstein", 1947), ("Dimitri", 4))
IN_PIECES = """all => all.filter(one => {
    const text = document.createRange();
    text.selectNodeContents(one);
    return new Set([...text.getClientRects()].map(box => Math.round(box.top))).size > 1;
}).map(one => one.textContent)"""
"Of some elements, those whose text is on several lines."
TOO_WIDE = "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.textContent)"


def change_to(dealer: Page, game: str) -> None:
    dealer.get_by_role("button", name="Change game").click()
    dealer.get_by_role("radio", name=re.compile(f"^{game}")).check()
    dealer.get_by_role("button", name=f"Change to {game}").click()
    expect(dealer.locator(".bar .brand")).to_contain_text(game)
    dealer.wait_for_selector(".live.on")


def coins(house: House) -> list[tuple[int, int | None]]:
    return [(one["coins"], one.get("aside")) for one in house.service.view()["players"]]


def test_a_game_with_coins_of_its_own_between_two_others(open_house: Open, sit: Browse, browse: Browse) -> None:
    """The sheet says with how many coins everybody begins; phone, dealer and room see what lies aside; a buy-in comes
    from there, another name and seat take it along, and the next game has everything in front again."""
    house = open_house("roulette", RICH)
    dealer, phone, room = sit(house, 0), sit(house, 1), browse(house.url, viewport={"width": 1920, "height": 1080})
    dealer.get_by_role("button", name="Change game").click()
    dealer.get_by_role("radio", name=re.compile("^King of Roulette")).check()
    expect(dealer.locator("dialog")).to_contain_text("Everybody begins with 6 of their coins.")
    dealer.keyboard.press("Escape")
    change_to(dealer, "King of Roulette")
    assert coins(house) == [(6, 2121), (6, 1945), (6, 1941), (4, None)]
    expect(phone.locator(".purse")).to_contain_text("2,121")
    expect(room.locator(".people")).to_contain_text("2,121 put aside")

    dealer.get_by_role("tab", name="Players").click()
    ana = dealer.locator(".players li").filter(has_text="Ana")
    expect(ana).to_contain_text("2,121 put aside")
    ana.get_by_role("button", name="Buy in").click()
    expect(ana).to_contain_text("2,115 put aside")
    expect(phone.locator(".purse .coins")).to_have_text("12")
    bert = dealer.locator(".players li").filter(has_text="Bert")
    bert.get_by_role("button", name="Name or seat").click()
    dealer.locator("dialog").get_by_label("Seat").fill("9")
    dealer.get_by_role("button", name="Change it").click()
    expect(bert).to_contain_text("1,945 put aside")
    bert.get_by_role("button", name="Cash out all 1,951").click()
    expect(dealer.locator("dialog")).to_contain_text("Cash out Bert: all 1,951?")
    dealer.get_by_role("button", name="Cancel").click()

    change_to(dealer, "Roulette")
    assert coins(house) == [(2127, None), (1947, None), (4, None), (1951, None)]
    expect(phone.locator(".purse .coins")).to_have_text("2,127")
    expect(room.locator(".people")).not_to_contain_text("put aside")


@pytest.mark.parametrize("size", [(1920, 1080), (1366, 768), (1024, 768)])
@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_how_king_ended_is_read_whole_on_the_rooms_screen(
    open_house: Open, browse: Browse, size: tuple[int, int], language: str
) -> None:
    """The German word for the candidate, and a long name, ran out of the panel and below the next one."""
    house = open_house("king-of-roulette", RICH, rounds=1)
    names = [name for name, _ in RICH]
    for name in names:
        house.do(do="vote", player=name, **{"for": "Ana"})
    house.do(do="rule", text="Spaces 1 and 2 earn 1 point and space 3 earns 2 points.", one=[1, 2], two=3)
    house.do(do="guess", range="0-1")
    for name, space in zip(names[1:], (1, 3, 2), strict=True):
        house.do(do="bet", player=name, space=space)
    house.do(do="reveal")
    room = browse(house.url, viewport={"width": size[0], "height": size[1]}, locale=language)
    expect(room.locator(".verdict .wins")).to_contain_text("Clara-Luise von Hohenstein")
    assert room.locator(".verdict, .verdict p, .reveal, .reveal p").evaluate_all(TOO_WIDE) == []


@pytest.mark.parametrize("seat", [None, 1], ids=["room", "phone"])
def test_a_page_without_network_as_the_game_changes_follows_once_it_is_back(
    open_house: Open, sit: Browse, browse: Browse, seat: int | None
) -> None:
    """It loaded itself anew into the browser's own error page, and stayed there."""
    house = open_house("roulette", RICH)
    page = sit(house, seat) if seat else browse(house.url)
    page.wait_for_selector(".live.on")
    page.context.set_offline(True)  # whoever listens already still hears of the change
    house.service.change_game(new_header("blackjack"), source="dealer")
    page.wait_for_timeout(2500)
    page.context.set_offline(False)
    expect(page.locator(".bar .brand")).to_contain_text("Blackjack")


@pytest.mark.parametrize("width", [360, 820, 1024, 1366, 1920])
def test_coins_beside_a_long_name_stay_in_one_piece(open_house: Open, sit: Browse, width: int) -> None:
    """On a tablet 1,947 stood as 1,9 over 47."""
    dealer = sit(open_house("rochi", RICH), 0, viewport={"width": width, "height": 1180})
    expect(dealer.locator(".seat-card .coins")).to_have_count(len(RICH))
    assert dealer.locator(".seat-card .coins").evaluate_all(IN_PIECES) == []


def test_who_wants_to_leave_in_mid_hand_is_told_why_that_has_to_wait(open_house: Open, sit: Browse) -> None:
    """Table stakes: the buttons did nothing and said nothing."""
    house = open_house("holdem", RICH)
    house.do(do="post")
    dealer = sit(house, 0)
    dealer.get_by_role("tab", name="Players").click()
    for button in ("Cash out all", "Buy in"):
        dealer.locator(".players li").nth(2).get_by_role("button", name=button).click(force=True)
        expect(dealer.locator(".toast.error").last).to_contain_text("This has to wait: the two cards are being dealt.")
    assert house.service.view()["players"][2]["coins"] == RICH[2][1]
