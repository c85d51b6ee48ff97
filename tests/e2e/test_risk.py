"""The house's risk in a real browser: on the dealer's page, as the phones bet."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from webhouse import House

from companion.config.file import load_config
from companion.testing import INSTALLED

pytestmark = pytest.mark.browser
PLAYERS = (("Aubrey", 100), ("Benedict", 50))


@pytest.mark.thorough
def test_the_dealer_sees_the_worst_case_change_with_every_bet(
    open_house: Callable[..., House], sit: Callable[..., Page]
) -> None:
    """Two phones bet by touch; what cannot be afforded is refused in words, and changes nothing."""
    house = open_house("roche", PLAYERS, **load_config(None, INSTALLED)[1].options)
    dealer, phone, other = (sit(house, seat, locale="en") for seat in (0, 1, 2))
    risk = dealer.locator(".risk")
    expect(risk).to_contain_text("This round cannot cost the house anything.")
    expect(risk).to_contain_text("Bank 2,000")
    expect(risk).to_contain_text("a tenth of it: at most 200 on a spot, no win above 200")

    phone.get_by_role("button", name="10 coins", exact=True).click()
    phone.locator('[data-suit="6"] .kind-cut').click()
    expect(risk.locator(".worst")).to_have_text("This round can cost the house at most 80")
    expect(risk).to_contain_text("If Kin cuts. Most of it to Aubrey: 10 on Kin cuts")
    other.get_by_role("button", name="25 coins", exact=True).click()
    other.locator('[data-suit="7"] .kind-cut').click()
    expect(other.locator(".toast.error")).to_contain_text("At most 20 can be bet there now.")
    other.get_by_role("button", name="5 coins", exact=True).click()
    other.locator('[data-suit="3"] .kind-night').click()
    expect(other.locator(".toast.error").last).to_contain_text("At most 2 can be bet there now.")
    expect(risk.locator(".worst")).to_have_text("This round can cost the house at most 80")
    other.locator('[data-suit="5"] .kind-cut').click()
    expect(risk.locator(".worst")).to_have_text("This round can cost the house at most 75")
    other.locator(".own-bets .quiet-button").click()
    expect(risk.locator(".worst")).to_have_text("This round can cost the house at most 80")


def test_a_table_without_a_bank_says_so_where_it_cannot_be_missed(
    open_house: Callable[..., House], sit: Callable[..., Page]
) -> None:
    dealer = sit(open_house("roche", PLAYERS), 0, locale="en")
    warning = dealer.locator(".risk.alarm").get_by_role("alert")
    expect(warning).to_contain_text("No limit: one bet can cost the house 1,000,000 (100 on Commons by day).")


def test_the_rugen_table_names_the_throws(open_house: Callable[..., House], sit: Callable[..., Page]) -> None:
    house = open_house("rugen-house", PLAYERS, **load_config(None, INSTALLED, "rugen-house")[1].options)
    dealer = sit(house, 0, locale="en")
    house.do(do="bet", player="Aubrey", on="chain-day/4", amount=1)
    expect(dealer.locator(".risk")).to_contain_text("at most 90")
    expect(dealer.locator(".risk")).to_contain_text("If 4 by day breaks the chain. Most of it to Aubrey")
    house.do(do="bet", player="Aubrey", on="day/4", amount=4)
    expect(dealer.locator(".risk .worst")).to_have_text("This round can cost the house at most 105")
    expect(dealer.locator(".risk")).to_contain_text("If the next throw is 4 by day, and 4 by day breaks the chain")


def test_street_has_no_house_and_no_risk(open_house: Callable[..., House], sit: Callable[..., Page]) -> None:
    dealer = sit(open_house("rugen-street", PLAYERS), 0, locale="en")
    expect(dealer.locator(".next")).to_be_visible()
    expect(dealer.locator(".risk")).to_have_count(0)


def test_blackjack_says_that_doubles_and_splits_are_not_in_it(
    open_house: Callable[..., House], sit: Callable[..., Page]
) -> None:
    """A pair of eights that is split and doubled costs the house four times what was said to be the most."""
    house = open_house("blackjack", (("Ann", 1000),))
    dealer = sit(house, 0, locale="en")
    expect(dealer.locator(".risk .worst")).to_have_text("Without doubles or splits the house loses nothing.")
    house.do(do="bet", player="Ann", amount=100)
    for card in ("8S", "8H"):
        house.do(do="deal", to="Ann", card=card)
    expect(dealer.locator(".risk .worst")).to_have_text("Without doubles or splits the house loses at most 100")
    expect(dealer.locator(".risk")).to_contain_text("The dealer goes bust. Most of it to Ann: 100")
