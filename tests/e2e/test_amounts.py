"""Amounts typed key by key in a real browser: exactly what was typed is sent, or nothing and the page says why."""

from collections.abc import Callable
from typing import Any

import pytest
from crowded import OUTSIDE
from playwright.sync_api import Locator, Page, Request, Route, expect
from webhouse import House

from companion.service.questions import Choice, Question

pytestmark = pytest.mark.browser
Browse = Callable[..., Page]
Open = Callable[..., House]

RICH = (("Aubrey", 1000), ("Benedict", 1000))
TRIO = (("Aubrey", 100), ("Benedict", 100), ("Chance", 100))
KIN = ".felt-row[data-suit='6'] .kind-cut"
COINS = "Enter a whole number of coins, 1 or more"
DIGITS = "Use only the digits 0 to 9"
REFUSED = {
    "-": COINS,
    "-5": COINS,
    "0": COINS,
    "abc": DIGITS,
    "1.5": DIGITS,
    "1e3": DIGITS,
    "1,000": DIGITS,
    "1.000": DIGITS,
    "1 000": DIGITS,
    "٣": DIGITS,
    "99999999999999999999": "at most",
}
LONGEST = (
    "Seitdem kamen Münzen aus einem Geldbeutel des Hauses oder gingen dorthin, und das Haus hat das gebucht. Kaufe "
    "ein oder zahle aus, statt es rückgängig zu machen."
)
"The longest sentence with which a press is refused."
DEALER, PHONE = 0, 1
DEAFENED = """const Heard = EventSource;
window.EventSource = class extends Heard {
  addEventListener(name, tell) {
    super.addEventListener(name, (event) => (window.isDeaf && name === "view") || tell(event));
  }
};"""
TABLET = {"width": 1024, "height": 768}


@pytest.fixture
def roche(open_house: Open) -> House:
    return open_house("roche", RICH)


@pytest.fixture(params=[DEALER, PHONE], ids=["dealer", "phone"])
def page(request: pytest.FixtureRequest, roche: House, sit: Browse) -> Page:
    """The dealer's page or Aubrey's phone at a table of Roche."""
    options: dict[str, Any] = {} if request.param else {"viewport": TABLET}
    found = sit(roche, request.param, **options)
    if request.param == DEALER:
        found.get_by_role("tab", name="Bets").click()
    return found


def bets(house: House) -> list[tuple[str, str, int]]:
    return [(bet["player"], bet["on"], bet["amount"]) for bet in house.service.view()["bets"]]


def own(page: Page) -> Locator:
    return page.get_by_label("Other amount")


def armed(page: Page) -> list[str]:
    """The chips that are shown as chosen."""
    return page.locator(".chip-button[aria-pressed='true']").all_inner_texts()


def type_keys(field: Locator, text: str) -> None:
    """Type one key after the other; after each the field shows what was typed so far."""
    before = field.input_value()
    for i, key in enumerate(text, start=1):
        field.press_sequentially(key)
        expect(field).to_have_value(before + text[:i], timeout=1000)


def clear_keys(field: Locator) -> None:
    """Delete what a field holds key by key."""
    field.press("End")
    for left in range(len(field.input_value()) - 1, -1, -1):
        field.press("Backspace")
        assert len(field.input_value()) == left


def sent(page: Page) -> list[Any]:
    """The commands that the page sends from now on."""
    found: list[Any] = []

    def note(request: Request) -> None:
        if "/api/v1/commands" in request.url:
            found.append(request.post_data_json)

    page.on("request", note)
    return found


def expect_refused(field: Locator, why: str) -> None:
    """The field is marked as wrong, and the text that describes it can be seen."""
    expect(field).to_have_attribute("aria-invalid", "true")
    reason = field.page.locator(f"[id='{field.get_attribute('aria-describedby')}']")
    expect(reason).to_be_visible()
    expect(reason).to_contain_text(why)
    expect(reason).to_contain_text("Enter a whole number")


# ---- Roche: the own amount


def test_what_is_typed_after_something_else_is_what_is_bet(roche: House, page: Page) -> None:
    """12, deleted key by key, then another amount: also one that is a chip's, or begins like one."""
    type_keys(own(page), "12")
    for suit, amount in (("6", "50"), ("5", "5"), ("4", "100"), ("3", "250")):
        clear_keys(own(page))
        type_keys(own(page), amount)
        assert armed(page) == []
        spot = page.locator(f".felt-row[data-suit='{suit}'] .kind-cut")
        spot.click()
        expect(spot.locator(".chip.own")).to_have_text(amount)
        expect(own(page)).to_have_value(amount)
    assert [(on, coins) for _, on, coins in bets(roche)] == [
        ("cut/6", 50),
        ("cut/5", 5),
        ("cut/4", 100),
        ("cut/3", 250),
    ]


@pytest.mark.thorough
def test_an_amount_that_is_none_bets_nothing_and_the_page_says_why(roche: House, page: Page) -> None:
    commands = sent(page)
    for text, why in REFUSED.items():
        type_keys(own(page), text)
        expect_refused(own(page), why)
        assert armed(page) == []
        expect(page.locator(KIN)).to_have_attribute("aria-disabled", "true")
        page.locator(KIN).click(force=True)
        expect(page.locator(".toast.error").last).to_contain_text(why)
        expect(own(page)).to_have_value(text)
        clear_keys(own(page))
    assert commands == []
    own(page).press_sequentially("7x")
    expect_refused(own(page), DIGITS)
    own(page).press("Backspace")
    expect(own(page)).not_to_have_attribute("aria-invalid", "true")
    page.locator(KIN).click()
    expect(page.locator(".bet-list b")).to_have_text("7")
    assert bets(roche) == [("Aubrey", "cut/6", 7)]


def test_a_pasted_amount_counts_only_as_it_stands(roche: House, page: Page) -> None:
    """Blanks around a number change nothing about it; a separator could mean two numbers and is refused."""
    own(page).focus()
    page.keyboard.insert_text("1.000")
    expect_refused(own(page), DIGITS)
    clear_keys(own(page))
    page.keyboard.insert_text(" 12 ")
    expect(own(page)).to_have_value(" 12 ")
    page.locator(KIN).click()
    expect(page.locator(".bet-list b")).to_have_text("12")
    assert bets(roche) == [("Aubrey", "cut/6", 12)]


def test_others_bet_while_an_amount_is_typed(roche: House, page: Page) -> None:
    """After each key the table changes and the page is drawn anew; the text, its reason and the focus stay."""
    others = page.locator(f"{KIN} .chip.others")
    keys = (("1", "1"), ("Backspace", ""), ("2", "2"), ("5", "25"), ("0", "250"), ("-", "250-"), ("Backspace", "250"))
    staked = 0
    own(page).focus()
    for i, (key, text) in enumerate(keys, start=1):
        page.keyboard.press(key)
        staked += i
        roche.do(do="bet", player="Benedict", on="cut/6", amount=i)
        expect(others).to_have_text(str(staked))
        expect(own(page)).to_have_value(text)
        expect(own(page)).to_be_focused()
        if key == "-":
            expect_refused(own(page), COINS)
    page.locator(KIN).click()
    expect(page.locator(f"{KIN} .chip.own")).to_have_text("250")
    assert bets(roche) == [("Benedict", "cut/6", staked), ("Aubrey", "cut/6", 250)]


def test_a_chip_clears_the_own_amount_and_stays_armed_while_it_is_empty(roche: House, page: Page) -> None:
    type_keys(own(page), "1")
    page.get_by_role("button", name="25 coins").click()
    expect(own(page)).to_have_value("")
    assert armed(page) == ["25"]
    type_keys(own(page), "x")
    page.get_by_role("button", name="10 coins").click()
    expect(own(page)).to_have_value("")
    expect(own(page)).not_to_have_attribute("aria-invalid", "true")
    assert armed(page) == ["10"]
    type_keys(own(page), "33")
    assert armed(page) == []
    clear_keys(own(page))
    assert armed(page) == ["10"]
    page.locator(KIN).click()
    expect(page.locator(".bet-list b")).to_have_text("10")
    assert bets(roche) == [("Aubrey", "cut/6", 10)]


@pytest.mark.parametrize("width", [360, 390])
def test_a_long_amount_is_read_whole_while_it_is_typed(roche: House, sit: Browse, width: int) -> None:
    """On a phone the field showed the first six digits of thirteen."""
    field = own(sit(roche, PHONE, viewport={"width": width, "height": 640}))
    type_keys(field, "1000000000000")
    assert field.evaluate("one => one.scrollWidth - one.clientWidth") <= 0
    assert field.evaluate_all(OUTSIDE) == []
    assert field.page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("seat", [DEALER, PHONE], ids=["dealer", "phone"])
def test_a_refusal_of_four_lines_is_whole_on_a_small_phone(roche: House, sit: Browse, seat: int) -> None:
    page = sit(roche, seat, viewport={"width": 360, "height": 640}, locale="de")
    page.route(
        "**/api/v1/commands*", lambda route: route.fulfill(status=409, json={"code": "gone", "message": LONGEST})
    )
    if seat == PHONE:
        page.locator(KIN).tap()
    else:
        page.locator(".next .primary").click()
    toast = page.locator(".toast.error")
    expect(toast).to_have_text(LONGEST)
    assert toast.evaluate_all(OUTSIDE) == []


@pytest.mark.thorough
def test_cards_to_burn(roche: House, sit: Browse) -> None:
    """The count begins anew with what is typed, and the button burns that many or says why not."""
    roche.do(do="bet", player="Aubrey", on="cut/6", amount=5)
    roche.do(do="no-more-bets")
    dealer = sit(roche, DEALER, viewport=TABLET)
    dealer.get_by_role("tab", name="Cards").click()
    commands = sent(dealer)
    field = dealer.get_by_label("Cards to burn")
    for text in ("1.5", "1e1", "21", ""):
        clear_keys(field)
        type_keys(field, text)
        expect_refused(field, "1 or more")
        dealer.locator(".do-burn").click(force=True)
        expect(dealer.locator(".toast").last).to_contain_text("Enter a whole number, 1 or more")
    assert commands == []
    type_keys(field, "3")
    dealer.locator(".do-burn").click()
    expect(dealer.locator(".toast").last).to_contain_text("3")
    assert commands == [{"do": "burn", "count": 3}]


def test_a_question_between_two_keys_is_not_answered_by_the_second(roche: House, sit: Browse) -> None:
    """The field keeps the focus as the question appears above it: a digit stays a digit, not a keyboard shortcut."""
    roche.do(do="no-more-bets")
    dealer = sit(roche, DEALER, viewport=TABLET)
    dealer.get_by_role("tab", name="Cards").click()
    field = dealer.get_by_label("Cards to burn")
    field.click()
    clear_keys(field)
    dealer.keyboard.type("1")
    choices = (Choice("there", "It lies there"), Choice("gone", "Gone"))
    roche.service.set_questions("camera", [Question("gone-1", "vanished", "Where is 6D5?", choices, blocks=True)])
    expect(dealer.locator(".question")).to_be_visible()
    dealer.keyboard.type("2")
    expect(field).to_have_value("12")
    expect(dealer.locator(".question")).to_have_count(1)
    assert roche.service.take_answers() == ()


# ---- coins that come to the table


def players_tab(house: House, sit: Browse) -> Page:
    dealer = sit(house, DEALER, viewport=TABLET)
    dealer.get_by_role("tab", name="Players").click()
    return dealer


def coins(house: House) -> dict[str, int]:
    return {player["name"]: player["coins"] for player in house.service.view()["players"]}


@pytest.mark.thorough
@pytest.mark.parametrize("game", ["rochi", "rugen-house"])
def test_a_buy_in_is_what_was_typed_or_none(open_house: Open, sit: Browse, game: str) -> None:
    house = open_house(game, TRIO)
    dealer = players_tab(house, sit)
    commands = sent(dealer)
    row = dealer.locator(".players li", has_text="Benedict")
    field, button = row.get_by_label("Buy in"), row.get_by_role("button", name="Buy in")
    for text in ("-5", "1e2", "1.5", "0", ""):
        clear_keys(field)
        type_keys(field, text)
        expect_refused(field, COINS)
        expect(button).to_have_attribute("aria-disabled", "true")
        button.click(force=True)
        expect(dealer.locator(".toast.error").last).to_contain_text(COINS)
    assert commands == []
    type_keys(field, "50")
    button.click()
    expect(row.locator(".player-head b")).to_have_text("150")
    assert coins(house) == {"Aubrey": 100, "Benedict": 150, "Chance": 100}


def test_enter_buys_in(open_house: Open, sit: Browse) -> None:
    """As Enter does at every other amount: here nothing happened, and nothing was said."""
    house = open_house("rugen-house", TRIO)
    field = players_tab(house, sit).locator(".players li", has_text="Benedict").get_by_label("Buy in")
    field.fill("12,5")
    field.press("Enter")
    expect(field.page.locator(".toast.error").last).to_contain_text(DIGITS)
    field.fill("50")
    field.press("Enter")
    expect(field.page.locator(".players li .player-head b")).to_have_text(["100", "150", "100"])


def test_a_player_leaves_while_anothers_buy_in_is_typed(open_house: Open, sit: Browse) -> None:
    """The rows above go, the field stays under the hands of who types in it."""
    house = open_house("rugen-house", (("Aubrey", 0), ("Benedict", 100)))
    dealer = players_tab(house, sit)
    row = dealer.locator(".players li", has_text="Benedict")
    field = row.get_by_label("Buy in")
    field.click()
    clear_keys(field)
    dealer.keyboard.type("3")
    house.do(do="leave", player="Aubrey")
    expect(dealer.locator(".players li")).to_have_count(1)
    dealer.keyboard.type("0")
    expect(field).to_have_value("30")
    row.get_by_role("button", name="Buy in").click()
    expect(row.locator(".player-head b")).to_have_text("130")
    assert coins(house) == {"Benedict": 130}


@pytest.mark.thorough
@pytest.mark.parametrize("game", ["rochi", "rugen-street"])
def test_nobody_is_let_in_with_coins_that_were_not_typed(open_house: Open, sit: Browse, game: str) -> None:
    house = open_house(game, TRIO[:2])
    dealer = players_tab(house, sit)
    commands = sent(dealer)
    dealer.get_by_label("Name").fill("Dorothea")
    field, seat, button = (
        dealer.get_by_label("Coins"),
        dealer.get_by_label("Seat"),
        dealer.locator(".join-form .primary"),
    )
    for text in ("", "1e2", "-1"):
        clear_keys(field)
        type_keys(field, text)
        expect_refused(field, "Enter a whole number of coins, 0 or more")
        button.click(force=True)
        expect(dealer.locator(".toast.error").last).to_contain_text("Enter a whole number of coins, 0 or more")
    clear_keys(field)
    type_keys(field, "40")
    type_keys(seat, "4.")
    expect_refused(seat, "Enter a whole number, 1 or more")
    button.click(force=True)
    expect(dealer.locator(".toast.error").last).to_contain_text("Enter a whole number, 1 or more")
    assert commands == []
    clear_keys(seat)
    type_keys(seat, "4")
    button.click()
    expect(dealer.locator(".players li", has_text="Dorothea").locator(".player-head")).to_contain_text("40")
    expect(seat).to_have_value("")
    assert coins(house)["Dorothea"] == 40


def test_another_seat_is_a_whole_number(roche: House, sit: Browse) -> None:
    dealer = players_tab(roche, sit)
    commands = sent(dealer)
    dealer.locator(".players li", has_text="Benedict").get_by_role("button", name="Name or seat").click()
    sheet = dealer.get_by_role("dialog")
    seat = sheet.get_by_label("Seat")
    clear_keys(seat)
    type_keys(seat, "1e0")
    expect_refused(seat, "Enter a whole number, 1 or more")
    sheet.get_by_role("button", name="Change it").click(force=True)
    expect(sheet.locator(".toast.error")).to_contain_text(DIGITS)
    assert commands == []
    clear_keys(seat)
    type_keys(seat, "6")
    sheet.get_by_role("button", name="Change it").click()
    expect(dealer.locator(".toast", has_text="Benedict sits in seat 6")).to_be_visible()


# ---- Rochi


@pytest.mark.thorough
def test_a_recount_writes_what_was_typed(open_house: Open, sit: Browse) -> None:
    """Also while the table goes on: a card is seeded between two keys."""
    house = open_house("rochi", TRIO)
    dealer = players_tab(house, sit)
    commands = sent(dealer)
    dealer.locator(".players li", has_text="Chance").get_by_role("button", name="Recount").click()
    sheet = dealer.get_by_role("dialog")
    field, button = sheet.get_by_label("Coins counted"), sheet.get_by_role("button", name="Correct it")
    for text in ("", "1e2", "9.", "-"):
        clear_keys(field)
        type_keys(field, text)
        expect_refused(field, "Enter a whole number of coins, 0 or more")
        button.click(force=True)
        expect(sheet.locator(".toast.error").last).to_contain_text("Enter a whole number of coins, 0 or more")
    assert commands == []
    clear_keys(field)
    field.press_sequentially("9")
    house.do(do="seed", card="6D1")
    expect(dealer.locator(".next")).to_contain_text("5 more")
    field.press_sequentially("8")
    expect(field).to_have_value("98")
    sheet.get_by_label("Reason").fill("two fell under the table")
    button.click()
    expect(dealer.locator(".players li", has_text="Chance").locator(".player-head")).to_contain_text("98")
    assert coins(house) == {"Aubrey": 100, "Benedict": 100, "Chance": 98}


def test_a_fee_is_placed_before_anybody_is_let_in(open_house: Open, sit: Browse) -> None:
    house = open_house("rochi", TRIO)
    for card in ("6D1", "6D2", "7D1", "5N2", "4D1", "3D1"):
        house.do(do="seed", card=card)
    for card in ("6D3", "5D1", "7D2"):
        house.do(do="play", card=card)
        house.do(do="end")
    for _ in range(2):
        house.do(do="fold")
    dealer = players_tab(house, sit)
    commands = sent(dealer)
    dealer.get_by_label("Name").fill("Dorothea")
    dealer.get_by_role("button", name="One less into Kin").click()
    dealer.locator(".join-form .primary").click(force=True)
    expect(dealer.locator(".toast.error")).to_have_text("1 coin to place")
    assert commands == []


def test_a_bet_whose_answer_was_lost_is_not_made_again(open_house: Open, sit: Browse) -> None:
    """Who presses again while the page hears nothing means the same bet; with the bet before their eyes, another."""

    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    def coins_bet() -> list[int]:
        return [stake["amount"] for stake in house.service.view()["bets"]]

    house = open_house("roulette", RICH)
    phone = sit(house, 1)
    phone.add_init_script(DEAFENED)
    phone.reload()
    phone.wait_for_selector(".live.on")
    spot = phone.locator('.touchable [data-on="red"]')
    phone.evaluate("window.isDeaf = true")
    phone.route("**/api/v1/commands*", lose)
    spot.tap()
    expect(phone.locator(".toast.error").first).to_be_visible(timeout=20_000)
    once = coins_bet()
    assert len(once) == 1
    phone.unroute("**/api/v1/commands*")
    with phone.expect_response("**/api/v1/commands*") as answered:
        spot.tap()
    assert answered.value.ok
    assert coins_bet() == once
    phone.evaluate("window.isDeaf = false")
    house.do(do="hold")
    house.do(do="release")
    expect(phone.locator(".coins")).to_have_text(str(1000 - once[0]), timeout=20_000)
    phone.wait_for_timeout(600)  # a second tap just after the first is none
    with phone.expect_response("**/api/v1/commands*"):
        spot.tap()
    expect(phone.locator(".coins")).to_have_text(str(1000 - 2 * once[0]))


@pytest.mark.thorough
@pytest.mark.parametrize("is_late", [False, True], ids=["lost", "late"])
def test_of_several_commands_that_nobody_heard_of_none_is_given_again(
    open_house: Open, sit: Browse, is_late: bool
) -> None:
    """The network goes while two players buy in, or the table is too slow to say so, and both come through."""

    def lose(route: Route) -> None:
        route.fetch()
        if is_late:
            route.fulfill(status=503, json={"code": "no-answer", "message": "The command may still count."})
        else:
            route.abort()

    house = open_house("roulette", RICH)
    dealer = sit(house, 0, viewport=TABLET)
    dealer.add_init_script(DEAFENED)
    dealer.reload()
    dealer.wait_for_selector(".live.on")
    dealer.get_by_role("tab", name="Players").click()
    buttons = dealer.locator(".players li").get_by_role("button", name="Buy in")
    dealer.evaluate("window.isDeaf = true")
    dealer.route("**/api/v1/commands*", lose)
    for place in (0, 1):
        buttons.nth(place).click()
    expect(dealer.locator(".toast.error")).to_have_count(2, timeout=20_000)
    once = [player["coins"] for player in house.service.view()["players"]]
    assert once == [1100, 1100]
    dealer.unroute("**/api/v1/commands*")
    for place in (0, 1):
        with dealer.expect_response("**/api/v1/commands*") as answered:
            buttons.nth(place).click()
        assert answered.value.ok
    assert [player["coins"] for player in house.service.view()["players"]] == once


@pytest.mark.parametrize(
    ("game", "coins"), [("roulette", "100"), ("holdem", "2000"), ("blackjack", "1500"), ("king-of-roulette", "6")]
)
def test_players_come_with_coins_that_last_in_the_game(open_house: Open, sit: Browse, game: str, coins: str) -> None:
    """With 100 everywhere two blinds, or two bets of blackjack, were all that anybody had, and garnets never ended."""
    dealer = sit(open_house(game, (("Ann", 1000),)), 0)
    dealer.get_by_role("tab", name="Players").click()
    expect(dealer.locator(".join-form [name=coins]")).to_have_value(coins)
    expect(dealer.locator(".players li").get_by_label("Buy in")).to_have_value(coins)
