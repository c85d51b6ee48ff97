"""Phones that sleep, fly or are two: never a bet twice, never an old screen that looks like a new one."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from webhouse import House

pytestmark = pytest.mark.browser
Browse = Callable[..., Page]

KIN = "Bet 5 on Kin cuts, pays 8:1"


def staked(house: House) -> int:
    return int(house.service.view()["staked"])


@pytest.mark.thorough
def test_airplane_mode_and_back(house: House, phones: tuple[Page, Page]) -> None:
    """What is bet in the air is not shown as placed; once landed it counts once, or was said not to count."""
    phone, _ = phones
    phone.context.set_offline(True)
    phone.get_by_role("button", name=KIN).tap()
    expect(phone.locator(".spot.busy")).to_have_count(1)
    expect(phone.locator(".own-bets")).to_contain_text("Touch a spot to bet")
    house.do(do="bet", player="Benedict", on="cut/3", amount=7)
    phone.context.set_offline(False)
    expect(phone.locator(".own-bets b")).to_have_text("5")
    phone.wait_for_timeout(3000)  # no late repetition
    assert staked(house) == 12


@pytest.mark.thorough
def test_a_long_flight_is_told_and_nothing_is_placed_behind_ones_back(house: House, phones: tuple[Page, Page]) -> None:
    phone, _ = phones
    phone.context.set_offline(True)
    phone.get_by_role("button", name=KIN).tap()
    expect(phone.locator(".toast.error")).to_contain_text("cannot be reached", timeout=15_000)
    phone.context.set_offline(False)
    expect(phone.locator(".live.on")).to_be_visible()
    phone.wait_for_timeout(1500)
    assert staked(house) == 0
    expect(phone.locator(".own-bets")).to_contain_text("Touch a spot to bet")


def test_a_phone_that_slept_shows_the_table_as_it_is(house: House, phones: tuple[Page, Page]) -> None:
    """Frozen by its system while bets were closed and a card dealt; awake, it has all of it at once."""
    phone, _ = phones
    system = phone.context.new_cdp_session(phone)
    system.send("Page.setWebLifecycleState", {"state": "frozen"})
    house.do(do="bet", player="Aubrey", on="cut/6", amount=9)
    house.do(do="no-more-bets")
    house.do(do="deal", card="6D3")
    phone.wait_for_timeout(1500)
    system.send("Page.setWebLifecycleState", {"state": "active"})
    expect(phone.locator(".last-small")).to_contain_text("Kin day 3", timeout=3000)
    expect(phone.locator(".own-bets b")).to_have_text("9")
    expect(phone.locator(".coins")).to_have_text("91")


@pytest.mark.thorough
def test_two_phones_on_one_seat_are_one_player(house: House, browse: Browse) -> None:
    """Each has its own code; what one does the other shows; both tapping at once is two bets, each once."""
    both = []
    for _ in range(2):
        address = f"{house.url}/seat/1#{house.access.seat_code(1)}"
        both.append(browse(address, viewport={"width": 390, "height": 844}, has_touch=True))
        both[-1].wait_for_selector(".live.on")
    for phone in both:
        phone.get_by_role("button", name=KIN).tap()
    for phone in both:
        expect(phone.locator(".own-bets b")).to_have_text("10")
        expect(phone.locator(".coins")).to_have_text("90")
    assert staked(house) == 10
    both[0].get_by_role("button", name="Take back 10 from Kin cuts").tap()
    expect(both[1].locator(".own-bets")).to_contain_text("Touch a spot to bet")
    expect(both[1].locator(".coins")).to_have_text("100")
