"""Rounds that a dealer plays by keys alone: nothing is clicked, tapped or reached with Tab."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from webhouse import House

pytestmark = pytest.mark.browser
Sit = Callable[..., Page]
Open = Callable[..., House]

PLAYERS = (("Aubrey", 1000), ("Benedict", 1000))


def typed(page: Page, *lines: str) -> None:
    """Type lines one after another, each done with Enter, and leave the line."""
    for text in lines:
        for key in text:
            page.keyboard.press("Space" if key == " " else key)
        expect(page.locator(".quick-says.ready")).to_be_visible()
        page.keyboard.press("Enter")
        expect(page.locator(".quick-text")).to_have_value("")
    page.keyboard.press("Escape")


def go_on(page: Page) -> None:
    """Press the key of the main button, once that has recovered from the last time."""
    before = page.locator(".next .big").inner_text()
    expect(page.locator(".main-actions .primary:not([aria-disabled=true])")).to_be_visible()
    page.keyboard.press("n")
    expect(page.locator(".next .big")).not_to_have_text(before)


def test_a_round_of_blackjack(open_house: Open, sit: Sit) -> None:
    """Bets, cards with and without a slash, the face-down card, a double and a stand."""
    house = open_house("blackjack", PLAYERS)
    page = sit(house, 0)
    big = page.locator(".next .big")
    typed(page, "1 50", "2 50", "/5s", "/th", "/9c", "/6d", "8h")
    expect(page.locator(".main-actions .primary")).to_be_visible()
    page.keyboard.press("n")
    expect(big).to_contain_text("Aubrey")
    page.keyboard.press("d")
    expect(page.locator(".as-double")).to_have_attribute("aria-pressed", "true")
    typed(page, "/ts")
    expect(big).to_contain_text("Benedict")
    page.keyboard.press("s")
    expect(big).to_have_text("Turn the dealer's face-down card")
    typed(page, "/kd")
    expect(page.locator(".pay-sheet")).to_be_visible()
    page.keyboard.press("x")
    expect(page.locator(".pay-step.is-paid")).to_have_count(1)
    assert [(one["name"], one["coins"]) for one in house.service.view()["players"]] == [
        ("Aubrey", 1100),
        ("Benedict", 950),
    ]


def test_a_hand_of_holdem(open_house: Open, sit: Sit) -> None:
    """Blinds, cards, a call, a raise, the flop, and a fold that ends it."""
    house = open_house("holdem", PLAYERS)
    page = sit(house, 0)
    big = page.locator(".next .big")
    for said in ("Two cards for", "Two cards for", "to call"):
        go_on(page)
        expect(big).to_contain_text(said)
    typed(page, "200")
    expect(page.locator(".holdem-middle .total b")).to_have_text("250")
    go_on(page)
    expect(big).to_contain_text("Deal the flop")
    typed(page, "/ks qd jh")
    expect(big).to_contain_text("check or bet")
    first = house.service.view()["turn"]
    page.keyboard.press("f")
    expect(page.locator(".holdem-middle .summary")).to_be_visible()
    assert [(one["from"], one["to"] == first, one["coins"]) for one in house.service.view()["result"]["transfers"]] == [
        ("pot/main", False, 400)
    ]
