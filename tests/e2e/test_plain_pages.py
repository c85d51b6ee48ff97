"""A game that brings rules and nothing else is played at real pages: none of them is another game's."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from toygame import TOY_GAMES
from webhouse import House, free_port, seen

from web_ui.strings import catalogue

PLAYERS = (("Ann", 100), ("Bo", 50))
SIZES = [(390, 844), (1024, 768)]


@pytest.fixture
def toss(tmp_path: Path) -> Iterator[House]:
    running = House(tmp_path, free_port(), PLAYERS, game="coin-toss", games=TOY_GAMES)
    yield running
    running.stop()


def too_wide(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


@pytest.mark.thorough
def test_the_dealer_takes_bets_tosses_and_opens_the_next_round(toss: House, sit: Callable[..., Page]) -> None:
    page = sit(toss, 0, viewport={"width": 1024, "height": 768})
    expect(page.locator(".brand")).to_have_text("Coin Toss")
    bet = page.locator("form[data-verb=bet]")
    bet.get_by_label("Player").select_option("Bo")
    bet.get_by_label("Bet on").select_option("tails")
    bet.get_by_label("Amount").press_sequentially("12")
    bet.get_by_role("button", name="Bet").click()
    expect(page.locator("#tab .plain-list li")).to_contain_text("tails")
    assert toss.service.view()["bets"] == [{"player": "Bo", "on": "tails", "amount": 12}]
    page.locator("form[data-verb=toss]").get_by_label("Side").press_sequentially("tails")
    page.locator("form[data-verb=toss]").get_by_role("button", name="Toss").click()
    expect(page.locator(".result")).to_contain_text("12 won, stake of 12 back: 24 in all")
    seen(page.get_by_role("button", name="New round")).click()
    expect(page.locator(".next .big")).to_have_text("Take the bets, then toss the coin")
    assert toss.service.view()["players"][1]["coins"] == 62
    seen(page.locator(".do-undo"))
    page.keyboard.press("u")
    expect(page.locator(".next .big")).to_have_text("Open a new round")
    page.get_by_role("tab", name="Players").click()
    expect(page.locator(".players")).to_contain_text("Ann")


def test_an_amount_that_is_no_number_of_coins_is_refused_with_a_reason(toss: House, sit: Callable[..., Page]) -> None:
    page = sit(toss, 0)
    bet = page.locator("form[data-verb=bet]")
    bet.get_by_label("Player").select_option("Ann")
    bet.get_by_label("Bet on").select_option("heads")
    bet.get_by_label("Amount").press_sequentially("-5")
    bet.get_by_role("button", name="Bet").click()
    expect(page.locator(".toast.error")).to_contain_text("Enter a whole number of coins, 1 or more.")
    assert toss.service.view()["bets"] == []


def test_a_text_of_spaces_is_refused_with_a_sentence(toss: House, sit: Callable[..., Page]) -> None:
    page = sit(toss, 0)
    page.locator("form[data-verb=toss]").get_by_label("Side").press_sequentially("   ")
    page.locator("form[data-verb=toss]").get_by_role("button", name="Toss").click()
    expect(page.locator(".toast.error")).to_have_text("“Side” is empty. Fill it in.")


@pytest.mark.thorough
def test_nobody_is_chosen_to_bet_before_the_dealer_chooses(toss: House, sit: Callable[..., Page]) -> None:
    page = sit(toss, 0)
    bet = page.locator("form[data-verb=bet]")
    bet.get_by_label("Amount").press_sequentially("5")
    bet.get_by_role("button", name="Bet").click()
    assert page.evaluate("document.activeElement.name") == "player", "the browser asks for it"
    assert toss.service.view()["bets"] == []


def test_a_seat_bets_and_takes_back_for_its_own_player(toss: House, sit: Callable[..., Page]) -> None:
    page = sit(toss, 1)
    expect(page.locator(".purse")).to_contain_text("Ann")
    bet = page.locator("form[data-verb=bet]")
    expect(bet.get_by_label("Player")).to_have_count(0)
    expect(page.locator("form")).to_have_count(1)
    bet.get_by_label("Bet on").select_option("heads")
    bet.get_by_label("Amount").press_sequentially("7")
    bet.get_by_role("button", name="Bet").click()
    expect(page.locator(".plain-list li")).to_contain_text("7")
    assert toss.service.view()["bets"] == [{"player": "Ann", "on": "heads", "amount": 7}]
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".plain-list li")).to_have_count(0)
    assert toss.service.view()["bets"] == []


def test_the_room_the_odds_and_the_history_show_what_happens(toss: House, browse: Callable[..., Page]) -> None:
    page = browse(toss.url, viewport={"width": 1024, "height": 768})
    toss.do(do="bet", player="Ann", on="heads", amount=5)
    expect(page.locator(".plain-board")).to_contain_text("heads")
    toss.do(do="toss", side="tails")
    expect(page.locator(".result")).to_contain_text("The coin shows tails. No bet won")
    expect(page.locator(".plain-board")).to_contain_text("Shows")
    expect(page.locator(".people")).to_contain_text("95")
    page.goto(f"{toss.url}/odds")
    expect(page.locator("main")).to_contain_text("No odds right now.")
    page.goto(f"{toss.url}/history")
    expect(page.locator(".hand h2")).to_have_text("Toss 1")
    page.goto(f"{toss.url}/history/1/1")
    expect(page.locator(".step .big")).to_contain_text("The coin shows tails")
    expect(page.locator(".plain-board")).to_contain_text("tails")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".step .big")).to_contain_text("Ann bets 5")


@pytest.mark.parametrize("language", ["en", "de", "es"])
@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.thorough
def test_the_pages_fit_in_every_language(
    toss: House, sit: Callable[..., Page], width: int, height: int, language: str
) -> None:
    toss.do(do="bet", player="Ann", on="heads", amount=5)
    page = sit(toss, 1, viewport={"width": width, "height": height}, locale=language)
    texts = catalogue(language)
    expect(page.locator("form[data-verb=bet] button")).to_have_text(texts["do_bet"])
    assert too_wide(page) == 0
    for path in ("/", "/odds", "/history/1/1"):
        page.goto(toss.url + path)
        expect(page.locator("#app main")).to_be_visible()
        assert too_wide(page) == 0, path
        assert page.locator("html").get_attribute("lang") == language
