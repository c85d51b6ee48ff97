"""Blackjack's odds page, the card of basic strategy and the hint, at real pages."""

import tomllib
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from webhouse import House, changer_of

PLAYERS = (("Ann", 1000), ("Bo", 500))
PAGES = [(390, "en"), (390, "de"), (390, "es"), (1024, "de"), (1366, "es"), (1920, "de")]
HEIGHTS = {390: 844, 1024: 768, 1366: 768, 1920: 1080}
DEAL = ({"do": "bet", "player": "Ann", "amount": 100}, {"do": "bet", "player": "Bo", "amount": 50},
        *({"do": "deal", "to": to, "card": card} for to, card in (
            ("Ann", "8S"), ("Bo", "TS"), ("dealer", "9D"), ("Ann", "8C"), ("Bo", "7S"))), {"do": "hole"})  # fmt: skip


def deal(house: House) -> None:
    for record in DEAL:
        house.do(**record)


def turn_on(phone: Page) -> None:
    phone.locator("summary", has_text="Basic strategy").tap()
    phone.get_by_role("switch", name="Give me a hint when it is my turn").tap()


@pytest.mark.thorough
def test_a_hint_is_only_on_the_phone_that_asked_for_it(
    open_house: Callable[..., House], sit: Callable[..., Page]
) -> None:
    house = open_house("blackjack", PLAYERS)
    ann, bo = sit(house, 1), sit(house, 2)
    hint = ann.locator(".bj-hint")
    deal(house)
    expect(ann.locator(".my-turn").first).to_be_visible()
    expect(hint).to_have_count(0)
    turn_on(ann)
    expect(hint).to_have_text("Basic strategy: Split, else Hit")
    ann.reload()
    expect(hint).to_have_text("Basic strategy: Split, else Hit")
    house.do(do="stand")
    expect(bo.locator(".my-turn").first).to_be_visible()
    expect(hint).to_have_count(0)
    expect(bo.locator(".bj-hint")).to_have_count(0)
    assert not any("hint" in str(entry).lower() for entry in house.service.events(0, 500, "dealer"))


@pytest.mark.thorough
def test_a_house_that_forbids_hints_offers_none(open_house: Callable[..., House], sit: Callable[..., Page],
                                                browse: Callable[..., Page]) -> None:  # fmt: skip
    house = open_house("blackjack", PLAYERS, hints=False)
    ann, odds, dealer = sit(house, 1), browse(f"{house.url}/odds"), sit(house, 0)
    deal(house)
    ann.locator("summary", has_text="Basic strategy").tap()
    expect(ann.get_by_text("This house forbids hints at the table.")).to_be_visible()
    expect(ann.get_by_role("switch", name="hint")).to_have_count(0)
    expect(odds.locator(".live-odds")).to_contain_text("keeps the odds of the hand to act to itself")
    dealer.get_by_role("tab", name="Odds").click()
    expect(dealer.locator(".live-odds tbody tr")).to_have_count(5)


def test_the_odds_follow_the_hand_that_decides(open_house: Callable[..., House], browse: Callable[..., Page]) -> None:
    house = open_house("blackjack", PLAYERS)
    odds = browse(f"{house.url}/odds")
    live = odds.locator(".live-odds")
    expect(live).to_contain_text("While somebody decides")
    deal(house)
    expect(live.locator("h2")).to_have_text("Ann, hand 1")
    expect(live.locator("tbody tr").first).to_contain_text("best")
    house.do(do="split", cards=["3H"])
    expect(live.locator("tbody tr th").first).to_have_text("Doublebest")
    house.do(do="stand")
    house.do(do="deal", to="Ann", card="KD")
    house.do(do="stand")
    expect(live.locator("h2")).to_have_text("Bo, hand 1")
    expect(odds.locator(".shoe-left")).to_have_count(0)  # who counts cards is told nothing, unless the house wants it
    assert odds.locator(".strategy td").count() > 200


@pytest.mark.parametrize(("width", "language"), PAGES)
@pytest.mark.thorough
def test_the_pages_fit(open_house: Callable[..., House], sit: Callable[..., Page], browse: Callable[..., Page],
                       width: int, language: str) -> None:  # fmt: skip
    house = open_house("blackjack", PLAYERS)
    house.service.set_settings(house.service.settings.__class__(chances=True))
    deal(house)
    options: dict[str, Any] = {"viewport": {"width": width, "height": HEIGHTS[width]}, "locale": language}
    odds = browse(f"{house.url}/odds", **options)
    expect(odds.locator(".live-odds tbody tr")).to_have_count(5)
    expect(odds.locator(".shoe-left tbody tr")).to_have_count(10)
    pages = [odds, sit(house, 1, **options)]
    pages[1].locator("summary").filter(has_text="strat").tap()
    expect(pages[1].locator(".strategy")).to_be_visible()
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert [page.evaluate(wide) for page in pages] == [0, 0]
    cells = ".strategy td, .strategy tbody th"
    cut = "all => all.filter(cell => cell.scrollWidth > cell.clientWidth).map(cell => cell.textContent)"
    assert [page.locator(cells).evaluate_all(cut) for page in pages] == [[], []]


@pytest.mark.slow
def test_the_decks_of_the_shoe_are_ticked_in_set_up(open_house: Callable[..., House], sit: Callable[..., Page]) -> None:
    """Their number and that of the rules are one; a single deck leaves the players an edge and is not saved."""
    house = open_house("blackjack", PLAYERS)
    path = house.folder / "companion.toml"
    path.write_text('[table]\ngame = "blackjack"\nmin = 50\n[blackjack]\ndecks = 6\n')
    (house.folder / "journal.sqlite3").symlink_to(house.folder / "journal.db")  # as `companion run` calls it
    table_setup = changer_of(house.service, house.folder).table_setup
    decks = [table_setup.new_deck("standard", name)["id"] for name in ("Red", "Blue")]
    house.app.extensions["table_setup"] = table_setup
    page = sit(house, 0)
    page.goto(f"{house.url}/setup")
    page.locator(".steps button", has_text="Cards").click()
    page.get_by_role("checkbox", name="Red").check()
    page.get_by_role("checkbox", name="Blue").check()
    page.get_by_role("button", name="Save and continue").click()
    expect(page.locator("#step-title")).not_to_have_text("Cards", timeout=40000)
    saved = tomllib.loads(path.read_text())
    assert (sorted(saved["table"]["shoe"]), saved["blackjack"]["decks"]) == (sorted(decks), 2)
    page.locator(".steps button", has_text="Cards").click()
    page.get_by_role("checkbox", name="Blue").uncheck()
    page.get_by_role("button", name="Save and continue").click()
    expect(page.get_by_role("alert").filter(has_text="leave the players an edge of 0.26%")).to_be_visible(timeout=40000)
    assert tomllib.loads(path.read_text()) == saved
