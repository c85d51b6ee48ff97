"""What a page says can be done is done when a dealer does just that: examples of keys, lists, pills, amounts."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from webhouse import House

pytestmark = pytest.mark.browser
Open = Callable[..., House]
Sit = Callable[..., Page]

TRIO = (("Ann", 1000), ("Bo", 1000), ("Cy", 1000))


@pytest.mark.thorough
@pytest.mark.parametrize("game", ["roche", "roulette", "rugen-house", "blackjack"])
def test_every_example_of_a_bet_on_the_keys_sheet_is_understood(open_house: Open, sit: Sit, game: str) -> None:
    dealer = sit(open_house(game, TRIO), 0)
    dealer.keyboard.press("?")
    examples = [key.strip() for key in dealer.locator(".keys kbd").all_inner_texts()]
    bets = [
        example for example in examples if " " in example and "–" not in example and example.split()[-1].isdecimal()
    ]
    dealer.keyboard.press("Escape")
    assert bets
    for typed in sorted(
        bets, key=lambda bet: -len(bet.split())
    ):  # those with a seat first: the others are for whoever bet last
        dealer.keyboard.press("/")
        dealer.keyboard.type(typed)
        expect(dealer.locator(".quick-says.ready")).to_contain_text("Cy")
        dealer.keyboard.press("Enter")
        expect(dealer.locator(".quick-text")).to_have_value("")
        expect(dealer.locator(".toast.ok").last).to_contain_text("Cy")
        dealer.keyboard.press("Escape")


def test_the_room_says_which_game_comes_next_until_it_is_on(open_house: Open, browse: Callable[..., Page]) -> None:
    house = open_house("roche", TRIO)
    room = browse(house.url, viewport={"width": 1920, "height": 1080})
    expect(room.locator(".night-next")).to_have_count(0)
    rows = [{"place": 0, "game": "roche", "at": "20:00"}, {"place": 1, "game": "roulette", "at": "21:30"}]
    house.service.set_night({"plan": rows, "next": rows[1], "due": None})
    expect(room.locator(".night-next")).to_have_text("Next: Roulette at 21:30")
    house.service.set_night({"plan": rows, "next": rows[0], "due": None})
    expect(room.locator(".night-next")).to_have_count(0)  # it is on the table


def test_a_list_of_the_history_shows_what_is_chosen(house: House, browse: Callable[..., Page]) -> None:
    house.do(do="bet", player="Aubrey", on="cut/2", amount=10)
    house.do(do="no-more-bets")
    for card in ("2D1", "2D2"):
        house.do(do="deal", card=card)
    house.do(do="new-round")
    history = browse(f"{house.url}/history")
    expect(history.locator(".hands article")).to_have_count(2)
    for result, rounds in (("won", 1), ("lost", 0), ("decided", 1)):
        history.get_by_label("Result").select_option(result)
        history.get_by_role("button", name="Show", exact=True).click()
        expect(history.get_by_label("Result")).to_have_value(result)
        expect(history.locator(".hands article")).to_have_count(rounds)


def test_blackjacks_amount_is_kept_where_it_is_refused(open_house: Open, sit: Sit) -> None:
    """A dealer who typed too much corrects it instead of typing it anew; what was bet is gone from the field."""
    house = open_house("blackjack", TRIO, min=50, max=500)
    dealer = sit(house, 0)
    amount = dealer.locator("[data-verb='bet'] [name='amount']")
    amount.fill("700")
    dealer.get_by_role("button", name="Bet", exact=True).click()
    expect(dealer.locator(".toast.error").last).to_contain_text("500")
    expect(amount).to_have_value("700")
    dealer.wait_for_timeout(500)  # one press is not two: a button rests a moment
    amount.fill("70")
    dealer.get_by_role("button", name="Bet", exact=True).click()
    expect(amount).to_have_value("")
    assert house.service.view()["bets"][0]["amount"] == 70


def test_too_many_or_too_few_for_captains_are_sent_to_the_game_that_fits(open_house: Open, sit: Sit) -> None:
    dealer = sit(open_house("roche", TRIO), 0)
    dealer.get_by_role("button", name="Change game").click()
    sheet = dealer.get_by_role("dialog")
    expect(sheet).to_contain_text("Captain's Rochi is for 2 players, and 3 sit here. With 3 to 6, play Rochi.")
    expect(sheet.locator("input[value='captains']")).to_be_disabled()
    sheet.locator("input[value='rochi']").check()
    sheet.get_by_role("button", name="Change to Rochi").click()
    expect(dealer.locator(".next .big")).to_have_text("Seed 6 more cards")
