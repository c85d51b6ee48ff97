"""What an evening played by hand in a browser found: a control, a number or a word that surprised somebody."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from webclient import FakeDemo
from webhouse import House

pytestmark = pytest.mark.browser
Open = Callable[..., House]
Sit = Callable[..., Page]


def test_the_demo_is_not_asked_to_deal_while_its_hand_is_over_the_table(house: House, dealer: Page) -> None:
    """The button says why it waits, and is there again as soon as the hand is gone."""
    demo = FakeDemo(busy=True)
    house.app.extensions["demo"] = demo
    house.service.set_demo(True)
    house.do(do="no-more-bets")
    deal = dealer.locator(".next").get_by_role("button", name="Deal")
    expect(deal).to_have_attribute("aria-disabled", "true")
    dealer.keyboard.press("n")
    expect(dealer.locator(".toast").last).to_contain_text("hand is still over the table")
    expect(dealer.locator(".toast.error")).to_have_count(0)
    assert demo.asked == []
    demo.busy = False
    expect(deal).not_to_have_attribute("aria-disabled", "true")
    with dealer.expect_response("**/dealer/demo"):
        deal.click()
    assert demo.asked == [("deal",)]
