"""What Rochi says to a dealer and a player who do not know the program, in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from webhouse import House

pytestmark = pytest.mark.browser
Browse = Callable[..., Page]
Open = Callable[..., House]

TRIO = (("Aubrey", 100), ("Benedict", 100), ("Chance", 100))
SEEDS = ("6D1", "6D2", "7D1", "5N2", "4D1", "3D1")
PAIR_SEEDS = ("3D1", "7D1", "7D2", "6D1", "6D2", "5D1", "4D1", "4D2")


@pytest.fixture
def played(open_house: Open) -> House:
    """Aubrey has played a card for 3 coins: it is still Aubrey's turn."""
    house = open_house("rochi", TRIO)
    for card in SEEDS:
        house.do(do="seed", card=card)
    house.do(do="play", card="6D3")
    return house


@pytest.mark.thorough
def test_a_turn_is_ended_by_one_button(played: House, sit: Browse) -> None:
    dealer = sit(played, 0)
    ends = dealer.get_by_role("button", name="End turn")
    expect(ends).to_have_count(1)
    expect(ends).to_have_class("primary")
    dealer.keyboard.press("e")
    expect(dealer.locator(".next .big")).to_have_text("Benedict to act")


@pytest.mark.thorough
def test_a_typed_card_says_itself_whether_it_is_played(played: House, sit: Browse) -> None:
    played.do(do="end")
    dealer = sit(played, 0)
    dealer.keyboard.type("6n1")
    expect(dealer.locator(".quick-says")).to_have_text("Play or deal? Type y or d after it: 6n1 y")
    dealer.keyboard.type(" d")
    expect(dealer.locator(".quick-says")).to_have_text("Kin night 1: Dealt")
    dealer.keyboard.press("Backspace")
    dealer.keyboard.type("y")
    dealer.keyboard.press("Enter")
    expect(dealer.locator(".toast").last).to_have_text("Benedict plays Kin night 1, pays Aubrey 4")
    dealer.keyboard.type("6n2 y")
    expect(dealer.locator(".quick-says")).to_have_text(
        "Benedict has played a card this turn already. Deal, or say end."
    )


def test_settling_up_in_a_hand_says_that_coins_lie_in_the_pots(played: House, sit: Browse) -> None:
    dealer = sit(played, 0)
    dealer.get_by_role("button", name="Settle up").click()
    sheet = dealer.get_by_role("dialog")
    expect(sheet).to_contain_text("3 coins lie in the pots and are nobody’s yet. Press “Last hand”")


@pytest.mark.thorough
def test_captains_antes_and_its_end_are_said(open_house: Open, sit: Browse) -> None:
    house = open_house("captains", TRIO[:2])
    dealer = sit(house, 0)
    expect(dealer.locator(".next .hint").first).to_contain_text("Each player puts 1 coin into each pot.")
    for card in PAIR_SEEDS:
        house.do(do="seed", card=card)
    house.do(do="stop")
    expect(dealer.locator(".next .big")).to_have_text("The game is over")


def test_a_phone_says_once_what_comes_next(played: House, sit: Browse) -> None:
    phone = sit(played, 2)
    expect(phone.locator(".my-turn .big")).to_have_text("Aubrey to act")
    expect(phone.locator("#toasts")).to_be_empty()


def test_the_pots_are_named_on_a_small_screen(played: House, browse: Browse) -> None:
    room = browse(f"{played.url}/", viewport={"width": 1366, "height": 768})
    for label in room.locator(".pot .label").all():
        expect(label).to_be_visible()
