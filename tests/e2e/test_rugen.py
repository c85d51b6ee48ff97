"""The Rugen games in a real browser: bets from two phones, the dealer throwing by hand, the room looking on."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect
from webhouse import House, seen

pytestmark = [pytest.mark.browser, pytest.mark.thorough]
Browse = Callable[..., Page]
Open = Callable[..., House]

TRIO = (("Aubrey", 100), ("Benedict", 100), ("Chance", 100))
TV = {"width": 1920, "height": 1080}
COMMANDS = "**/api/v1/commands*"


def spot(page: Page, name: str) -> Locator:
    """A spot of the felt that can be touched."""
    return page.get_by_role("button", name=re.compile(rf"^{name}, pays"))


def bet(page: Page, name: str, more: int = 0) -> None:
    """Touch a spot, raise the bet by `more` steps, place it, wait until the table has it."""
    spot(page, name).tap()
    for _ in range(more):
        page.get_by_role("button", name="More").tap()
    with page.expect_response(COMMANDS):
        page.locator(".place").tap()


def throw(dealer: Page, value: int) -> None:
    """Touch what the d20 shows, wait until the table has it: a bet of this moment is on the next throw."""
    with dealer.expect_response(COMMANDS):
        dealer.locator(".d20-pad").get_by_role("button", name=re.compile(rf"^{value}: ")).click()


def test_a_chain_with_bets_from_two_phones(open_house: Open, sit: Browse, browse: Browse) -> None:
    """Center and chain bets by touching the felt, three throws on the die's pad, and everybody is paid."""
    house = open_house("rugen-house", TRIO)
    dealer, room = sit(house, 0), browse(f"{house.url}/", viewport=TV)
    aubrey, benedict = sit(house, 1), sit(house, 2)
    bet(aubrey, "Center 3", more=1)
    expect(aubrey.locator(".coins")).to_have_text("94")
    bet(benedict, "Chain 2", more=4)
    expect(benedict.locator(".coins")).to_have_text("95")
    expect(room.locator(".chip-svg")).to_have_count(2)
    expect(room.locator("[data-on='center/3'] .chip-svg .amount")).to_have_text("6")

    throw(dealer, 8)  # 3 by day: center 3 pays 7:3
    expect(room.locator(".prompt .big")).to_have_text("3 by day")
    expect(room.locator(".pay-sheet .is-pay b")).to_have_text("20")
    expect(room.locator(".pay-sheet .is-pay")).to_contain_text("14 from the house · stake of 6 stays or goes back")
    expect(aubrey.locator(".coins")).to_have_text("114")
    expect(room.locator(".marker.on")).to_have_count(1)
    expect(spot(benedict, "Chain 4")).to_have_attribute("aria-disabled", "true")

    throw(dealer, 5)
    expect(room.locator(".chain-strip li")).to_have_count(2)
    throw(dealer, 3)  # the second 2 breaks the chain, by day: chain 2 pays 3:1
    expect(room.locator(".prompt .big")).to_have_text("2 breaks the chain, 2 by day")
    expect(benedict.locator(".outcome")).to_contain_text("You won 15")
    expect(benedict.locator(".coins")).to_have_text("115")
    expect(aubrey.locator(".outcome")).to_contain_text("You won 14")
    expect(room.locator(".marker.on")).to_have_count(0)
    assert house.service.view()["house"] == -29


def test_a_phone_says_what_the_chain_and_what_its_last_throw_brought(open_house: Open, sit: Browse) -> None:
    """A bet is lost in the middle of a chain that ends well: both sums are there, and each says what it is of."""
    house = open_house("rugen-house", TRIO)
    dealer, phone = sit(house, 0), sit(house, 1)
    throw(dealer, 8)
    bet(phone, "Center 4", more=4)
    throw(dealer, 5)
    bet(phone, "Center 2")
    throw(dealer, 3)
    expect(phone.locator(".outcome p")).to_have_text(["The whole chain", "You lost 12", re.compile(".+")])
    expect(phone.locator(".this-throw")).to_contain_text("This throw")
    expect(phone.locator(".this-throw")).to_contain_text("8 won")


def test_a_bet_grows_in_the_spots_own_steps(open_house: Open, sit: Browse) -> None:
    """On a 4 by night only multiples of 4 can be chosen; a double tap is one bet; it can be taken back."""
    house = open_house("rugen-house", TRIO)
    phone = sit(house, 1)
    spot(phone, "4 by night").tap()
    expect(phone.locator(".bet-bar")).to_contain_text("In steps of 4")
    expect(phone.get_by_role("textbox", name="Amount")).to_have_value("4")
    expect(phone.get_by_role("button", name="Less")).to_have_attribute("aria-disabled", "true")
    phone.get_by_role("button", name="20", exact=True).tap()
    phone.get_by_role("button", name="More").tap()
    phone.get_by_role("button", name="Bet 24 on 4 by night").dblclick()
    expect(phone.locator(".own-bets b")).to_have_text("24")
    phone.wait_for_timeout(600)
    assert house.service.view()["staked"] == 24
    phone.get_by_role("button", name="Take back 24 from 4 by night").tap()
    expect(phone.locator(".coins")).to_have_text("100")


def test_an_amount_of_five_digits_is_typed(open_house: Open, sit: Browse) -> None:
    """It took a tap on More for each step: thousands of them. What is no multiple of the spot's unit is refused."""
    house = open_house("rugen-house", (("Aubrey", 50_000), ("Benedict", 100)))
    phone = sit(house, 1)
    spot(phone, "4 by night").tap()
    amount = phone.get_by_role("textbox", name="Amount")
    amount.fill("12346")
    expect(phone.locator(".bet-bar")).to_contain_text("Enter a multiple of 4.")
    expect(phone.locator(".place")).to_have_attribute("aria-disabled", "true")
    phone.get_by_role("button", name="Less").tap()
    expect(amount).to_have_value("12344")
    with phone.expect_response(COMMANDS):
        phone.get_by_role("button", name="Bet 12,344 on 4 by night").tap()
    assert house.service.view()["staked"] == 12_344


def test_a_stake_and_a_number_are_for_as_many_units_as_are_typed(open_house: Open, sit: Browse) -> None:
    """The shooter's stake stands above the numbers, in coins; whoever takes a number first at Capital types units."""
    street = open_house("rugen-street", (("Aubrey", 50_000), ("Benedict", 50_000)))
    street.do(do="throw", d20=8)
    shooter = sit(street, 1, viewport={"width": 320, "height": 640})
    shooter.get_by_role("textbox", name="Amount").fill("4000")
    place = shooter.get_by_role("button", name="Stake 4,000 on 3")
    expect(place).to_be_in_viewport(ratio=1)
    with shooter.expect_response(COMMANDS):
        place.tap()
    assert street.service.view()["staked"] == 4_000

    capital = open_house("rugen-capital", (("Aubrey", 50_000), ("Benedict", 50_000)))
    phone = sit(capital, 2)
    phone.get_by_role("textbox", name="Units").fill("")
    expect(phone.locator(".take-numbers button").first).to_have_attribute("aria-disabled", "true")
    phone.get_by_role("textbox", name="Units").fill("300")
    with phone.expect_response(COMMANDS):
        phone.get_by_role("button", name="for 1,200").tap()
    assert capital.service.view()["staked"] == 1_200


def test_the_dealer_is_asked_only_what_can_be_answered(open_house: Open, sit: Browse) -> None:
    """The shooter takes no number, and stood first among those whose number was asked for."""
    house = open_house("rugen-street", TRIO)
    dealer = sit(house, 0)
    throw(dealer, 8)
    dealer.locator(".stepper").get_by_role("textbox", name="Units").fill("20")
    with dealer.expect_response(COMMANDS):
        seen(dealer.get_by_role("button", name="Aubrey stakes 80 on 3")).click()
    dealer.keyboard.press("b")
    expect(dealer.locator("#tab")).to_contain_text("Which number does Benedict take?")
    expect(dealer.locator(".who-tabs button")).to_have_text([re.compile("Benedict"), re.compile("Chance")])


def test_capital_asks_for_takers_again_once_a_chain_is_broken(open_house: Open, sit: Browse) -> None:
    """The dealer's next step said only what had broken the chain."""
    house = open_house("rugen-capital", TRIO)
    dealer = sit(house, 0)
    for record in ({"do": "take", "player": "Aubrey", "number": 1, "units": 1}, {"do": "close"}):
        house.do(**record)
    house.do(do="throw", d20=1)
    expect(dealer.locator(".next .big")).to_have_text("Who takes a number?")
    expect(dealer.locator(".next .hint").first).to_contain_text("1 breaks the chain")


def test_the_felt_is_played_by_keyboard(open_house: Open, sit: Browse) -> None:
    house = open_house("rugen-house", TRIO)
    dealer = sit(house, 0)
    dealer.keyboard.press("b")
    spot(dealer, "Chain 1").focus()
    dealer.keyboard.press("Enter")
    expect(spot(dealer, "Chain 1")).to_have_attribute("aria-pressed", "true")
    dealer.get_by_role("button", name="Bet 1 on Chain 1").press("Enter")
    expect(dealer.locator(".board [data-on='chain/1'] .amount")).to_have_text("1")


def test_street_from_the_point_to_the_winner(open_house: Open, sit: Browse, browse: Browse) -> None:
    """The shooter's phone stakes, another takes a number, the dealer makes a side bet; the die passes on."""
    house = open_house("rugen-street", TRIO)
    dealer, room = sit(house, 0), browse(f"{house.url}/", viewport=TV)
    aubrey, benedict = sit(house, 1), sit(house, 2)
    throw(dealer, 8)
    expect(benedict.locator(".bet-bar")).to_have_count(0)
    aubrey.get_by_role("button", name="More").tap()
    aubrey.get_by_role("button", name="Stake 8 on 3").tap()
    expect(aubrey.locator(".coins")).to_have_text("92")
    benedict.locator(".take-numbers button").first.tap()
    expect(benedict.locator(".coins")).to_have_text("84")
    for page in (room, dealer):
        expect(page.locator(".number-space").first).to_contain_text("Benedict")

    dealer.keyboard.press("b")
    for player, number in (("Benedict", 2), ("Chance", 4)):
        dealer.get_by_role("group", name=player).get_by_role("button", name=str(number)).click()
    dealer.locator(".do-side-bet").click()
    expect(room.locator(".side-bets")).to_contain_text("Chance")
    seen(dealer.get_by_role("button", name="No more takers")).click()
    dealer.keyboard.press("d")
    expect(room.locator(".number-space.ignored")).to_have_count(2)
    throw(dealer, 1)
    expect(room.locator(".result")).to_contain_text("Benedict takes all")
    for value in (3, 4):
        throw(dealer, value)
        expect(dealer.locator(".toast").last).to_be_visible()
        dealer.wait_for_timeout(450)
    expect(room.locator(".people li", has_text="Benedict")).to_contain_text("Shooter")
    expect(benedict.locator(".coins")).to_have_text("111")


def test_capital_is_taken_covered_and_thrown(open_house: Open, sit: Browse, browse: Browse) -> None:
    """The first taker says the units; a lost answer is asked for again and taken once; the house covers the rest."""
    house = open_house("rugen-capital", TRIO)
    dealer, room, phone = sit(house, 0), browse(f"{house.url}/", viewport=TV), sit(house, 2)
    lost = []

    def lose_first_answer(route: object) -> None:
        if not lost:
            lost.append(route.fetch())  # type: ignore[attr-defined]
            route.abort()  # type: ignore[attr-defined]
        else:
            route.continue_()  # type: ignore[attr-defined]

    phone.route("**/api/v1/commands*", lose_first_answer)
    phone.get_by_role("button", name="More").tap()
    phone.locator(".take-numbers button").nth(3).tap()
    expect(phone.locator(".toast.ok")).to_contain_text("You took number 4")
    assert len(lost) == 1
    expect(phone.locator(".coins")).to_have_text("94")
    seen(dealer.locator(".main-actions .primary"))
    dealer.keyboard.press("n")
    expect(room.locator(".number-space .holder", has_text="House")).to_have_count(3)
    throw(dealer, 2)
    expect(room.locator(".result")).to_contain_text("The house takes all")
    assert house.service.view()["house"] == 6


def test_odds_of_the_chain_under_way(open_house: Open, browse: Browse) -> None:
    house = open_house("rugen-house", TRIO)
    house.do(do="throw", d20=14)
    page = browse(f"{house.url}/odds")
    expect(page.locator("main")).to_contain_text("Exact chances after 1 throw of this chain")
    expect(page.locator(".odds-grid .panel")).to_have_count(4)
    expect(page.locator("tr", has_text="Center 1").first).to_contain_text("10 %")
