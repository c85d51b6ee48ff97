"""What an evening played by hand in a browser found: a control, a number or a word that surprised somebody."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from waiting import until
from webclient import FakeDemo
from webhouse import House, seen

pytestmark = pytest.mark.browser
Open = Callable[..., House]
Sit = Callable[..., Page]

TWO = (("Ann", 100), ("Bo", 100))


@pytest.mark.thorough
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
    seen(deal)
    with dealer.expect_response("**/dealer/demo"):
        deal.click()
    assert demo.asked == [("deal",)]


def lose_the_round(house: House) -> None:
    """Ann's 3 on Mages by day are lost, Bo's 5 on the cut win."""
    house.do(do="bet", player="Ann", on="day/2", amount=3)
    house.do(do="bet", player="Bo", on="cut/2", amount=5)
    for record in ({"do": "no-more-bets"}, {"do": "deal", "card": "2N1"}, {"do": "deal", "card": "2N2"}):
        house.do(**record)


def test_a_lost_stake_is_taken_and_not_paid_once_more(open_house: Open, sit: Sit) -> None:
    """The coins lie on the spot already: the phone does not ask for them."""
    house = open_house("roche", TWO)
    lose_the_round(house)
    expect(sit(house, 1).locator(".dues .owe")).to_contain_text("The house takes your stake")


def undo_a_ticked_payment(house: House, sit: Sit) -> Page:
    """Lose a round, tick its payment on the dealer's page, and undo it there."""
    lose_the_round(house)
    dealer = sit(house, 0)
    dealer.keyboard.press("x")
    expect(dealer.locator(".pay-tick[aria-checked=true]")).to_have_count(1)
    dealer.wait_for_timeout(500)
    dealer.keyboard.press("u")
    return dealer


def test_an_undone_payment_says_which_coins_have_to_come_back(open_house: Open, sit: Sit) -> None:
    """The sheet that said so is gone by then."""
    dealer = undo_a_ticked_payment(open_house("roche", TWO), sit)
    expect(dealer.locator(".toast.error")).to_contain_text("is undone now: Take 3 from 1 spot. Move these coins back.")


@pytest.fixture
def banked(open_house: Open) -> House:
    """Ann has a bank of 40 at chinchirorin, and Bo has bet 15."""
    house = open_house("chinchirorin", (("Ann", 100), ("Bo", 60), ("Cy", 60)))
    for player, die in (("Ann", 6), ("Bo", 2), ("Cy", 1)):
        house.do(do="throw-for-bank", player=player, die=die)
    house.do(do="bank", amount=40)
    house.do(do="bet", player="Bo", amount=15)
    return house


def test_the_bankers_phone_does_not_ask_them_to_bet_against_themselves(banked: House, sit: Sit) -> None:
    """Everybody else is told whom to bet against."""
    expect(sit(banked, 1).locator(".panel .big")).to_have_text("You have the bank; the others bet.")
    expect(sit(banked, 3).locator(".panel .big")).to_have_text("You may bet against Ann.")


def test_an_amount_stays_in_its_field_when_the_table_refuses_it(banked: House, sit: Sit) -> None:
    """The dealer can let the banker allow it without typing it again."""
    dealer = sit(banked, 0)
    dealer.get_by_role("group", name="Bets for").get_by_role("button", name="Cy").click()
    amount = dealer.locator("form[data-verb=bet]").get_by_label("Amount")
    amount.press_sequentially("30")
    dealer.get_by_role("button", name="Bet", exact=True).click()
    expect(dealer.locator(".toast.error")).to_contain_text("The bank has room for 25 more, not 30")
    expect(amount).to_have_value("30")


@pytest.mark.thorough
def test_a_refusal_goes_once_the_same_was_done(banked: House, sit: Sit) -> None:
    """It does not cover what the table says next, nor stand over the next phase."""
    dealer, phone = sit(banked, 0), sit(banked, 3)
    dealer.get_by_role("group", name="Bets for").get_by_role("button", name="Cy").click()
    dealer.locator("form[data-verb=bet]").get_by_label("Amount").press_sequentially("30")
    dealer.get_by_role("button", name="Bet", exact=True).click()
    expect(dealer.locator(".toast.error")).to_contain_text("The bank has room for 25 more, not 30")
    dealer.wait_for_timeout(500)  # a second tap just after the first is none
    dealer.get_by_label("The banker allows more than the bank").check()
    dealer.get_by_role("button", name="Bet", exact=True).click()
    expect(dealer.locator(".toast.ok")).to_have_text("Cy bets 30", timeout=3000)
    expect(dealer.locator(".toast.error")).to_have_count(0, timeout=100)
    expect(dealer.locator(".board")).to_contain_text("5 over the bank, as the banker allows")
    phone.locator("form[data-verb=bet]").get_by_label("Amount").press_sequentially("5")
    phone.locator("form[data-verb=bet]").get_by_role("button", name="Bet", exact=True).tap()
    expect(phone.locator(".toast.error")).to_contain_text("The bank has room for 0 more, not 5")
    phone.wait_for_timeout(2000)
    banked.do(do="close")
    expect(phone.locator(".toast.error")).to_have_count(0, timeout=2000)


def test_what_has_to_come_back_is_said_whatever_is_done_next(open_house: Open, sit: Sit) -> None:
    dealer = undo_a_ticked_payment(open_house("roche", TWO), sit)
    warning = dealer.locator(".toast.error", has_text="Move these coins back")
    expect(warning).to_be_visible()
    dealer.keyboard.press("h")
    expect(dealer.locator(".next .big")).to_have_text("The table is on hold")
    expect(warning).to_be_visible(timeout=100)


def test_the_pay_sheet_names_each_source_once(banked: House, sit: Sit) -> None:
    """Two lost bets: the sum stands at the end of the line, and each owner behind it."""
    banked.do(do="bet", player="Cy", amount=20)
    banked.do(do="close")
    for dice in ([4, 4, 6], [5, 5, 2]):
        banked.do(do="throw", dice=dice)
    expect(sit(banked, 0).locator(".pay-step .pay-detail")).to_have_text("others’ stakes · Bo 15, Cy 20")


def test_a_plan_without_a_time_is_not_sent(house: House, dealer: Page) -> None:
    """The dealer is asked for it in their own words, not by a line of the configuration."""
    dealer.get_by_role("button", name="Change game").click()
    dealer.locator(".night-plan summary").click()
    dealer.get_by_role("button", name="Add a game").click()
    dealer.get_by_role("button", name="Save plan").click()
    expect(dealer.locator(".toast.error")).to_have_text("Give each game of the plan a time.")


def test_without_a_camera_no_tab_is_named_that_is_not_there(open_house: Open, sit: Sit) -> None:
    """Roulette has no tab Play: the pocket is tapped beside the bets."""
    house = open_house("roulette", TWO)
    house.service.set_camera("lost", "The camera is gone: plug it in again.", "camera 0")
    expect(sit(house, 0).locator(".blind .hint")).to_have_text("The game goes on: enter by hand what happens.")


@pytest.mark.thorough
def test_the_latest_sentences_have_no_gap(open_house: Open, browse: Sit) -> None:
    """A sentence that has no room ends the list: an older, shorter one behind it would tell another story."""
    house = open_house("roche", (("Ann", 9999), ("Maximiliana-Alexandra von Hohenstein-Sonderburg", 9999)))
    room = browse(house.url, viewport={"width": 1366, "height": 768})
    for coins in range(1, 5):
        house.do(do="bet", player="Ann", on="cut/2", amount=coins)
        house.do(do="bet", player="Maximiliana-Alexandra von Hohenstein-Sonderburg", on="cut/3", amount=2 * coins)
    until(room, "document.querySelectorAll('.just-now li').length > 3")
    for height in range(480, 769, 48):
        room.set_viewport_size({"width": 1366, "height": height})
        room.wait_for_timeout(200)
        hidden = room.locator(".just-now li").evaluate_all("lines => lines.map(line => line.hidden)")
        assert hidden == sorted(hidden), (height, hidden)


OVERLAPS = """hands => hands.flatMap(hand => {
    const parts = [...hand.querySelectorAll(".who, .left, .tag, .hole, .stake, .dealer-button")];
    const boxes = parts.map(part => [part.className, part.getBoundingClientRect()]).filter(([, box]) => box.width);
    const outer = hand.getBoundingClientRect();
    const out = boxes.filter(([, box]) => box.left < outer.left - 1 || box.right > outer.right + 1);
    const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    const pairs = boxes.flatMap(([one, a], i) =>
        boxes.slice(i + 1).filter(([, b]) => meet(a, b)).map(([two]) => `${one} over ${two}`));
    return [...out.map(([name]) => `${name} outside`), ...pairs];
})"""


@pytest.mark.thorough
def test_what_somebody_has_at_holdem_is_not_behind_the_cards(open_house: Open, sit: Sit, browse: Sit) -> None:
    """Blinds, all-in and the rank of a shown hand, also beside a long name, in the room and on the dealer's page."""
    long_name = "Maximiliana-Alexandra von Hohenstein"
    house = open_house("holdem", (("Ann", 169), (long_name, 55), ("Bo", 48), ("Cy", 174)), button=4)
    pages = [browse(house.url, viewport={"width": 1920, "height": 1080}), sit(house, 0)]
    sizes = ([(1920, 1080), (1366, 768)], [(1366, 768), (1024, 768)])
    house.do(do="post")
    for player in ("Ann", long_name, "Bo", "Cy"):
        house.do(do="hole", player=player)
    for record in ({"do": "call"}, {"do": "raise", "to": 100}, {"do": "call"}, {"do": "call"}):
        house.do(**record)
    no_overlaps(pages, sizes)
    house.do(do="board", cards=["AS", "KH", "7D"])
    for card in ("2C", "3C"):
        for _ in range(2):
            house.do(do="check")
        house.do(do="board", cards=[card])
    for _ in range(2):
        house.do(do="check")
    for player, cards in (("Ann", ["AH", "9S"]), (long_name, ["KS", "KC"]), ("Bo", ["QS", "JS"])):
        house.do(do="show", player=player, cards=cards)
    house.do(do="muck", player="Cy")
    no_overlaps(pages, sizes)


def no_overlaps(pages: list[Page], sizes: tuple[list[tuple[int, int]], ...]) -> None:
    """See that nothing in anybody's line lies over something else, on each page at each of its sizes."""
    for page, own in zip(pages, sizes, strict=True):
        for width, height in own:
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_timeout(600)
            assert page.locator(".hand").evaluate_all(OVERLAPS) == [], (page.url, width)


TABLE_FILLED = {
    "roulette": (
        {"do": "bet", "player": "A/B", "on": "red", "amount": 5},
        {"do": "no-more-bets"},
        {"do": "spin", "pocket": "17"},
    ),
    "rugen-capital": (
        {"do": "take", "player": "A/B", "number": 2, "units": 1},
        {"do": "close"},
        *({"do": "throw", "d20": d20} for d20 in (8, 20, 9, 7)),
    ),
    "rochi": tuple({"do": "seed", "card": card} for card in ("6D1", "7D2", "5N3", "4D1")),
}
"""What lies on the table, by game."""


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(1366, 768), (1024, 768)])
@pytest.mark.parametrize("game", ["roulette", "rugen-capital", "rochi"])
def test_everybodys_coins_are_in_sight_while_the_camera_is_away(
    open_house: Open, sit: Sit, game: str, size: tuple[int, int]
) -> None:
    """The warning takes room from the left column; what is cut off below it must not be the coins."""
    long_name = "Maximiliana-Alexandra von Hohenstein"
    house = open_house(game, (("A/B", 116), (long_name, 70), ("Élodie", 44), ("Tom", 150)))
    text = "There is no camera /dev/video9 (there is: none). Plug it in or choose one with --camera."
    house.service.set_camera("lost", text, "/dev/video9")
    for record in TABLE_FILLED[game]:
        house.do(**record)
    dealer = sit(house, 0, viewport={"width": size[0], "height": size[1]})
    dealer.wait_for_timeout(600)
    lead = dealer.locator(".lead")
    assert lead.evaluate("lead => lead.scrollHeight - lead.clientHeight") <= 1


def test_the_shooters_phone_speaks_to_the_shooter(open_house: Open, sit: Sit) -> None:
    """At Street Rugen the others read a name, and whoever has to throw reads "you"."""
    house = open_house("rugen-street", TWO)
    shooter = house.service.view()["shooter"]
    texts = {
        seat: "You throw a point" if name == shooter else f"{shooter} throws a point"
        for seat, name in ((1, "Ann"), (2, "Bo"))
    }
    for seat, text in texts.items():
        expect(sit(house, seat).locator(".panel .big").first).to_have_text(text)


def test_a_spot_that_is_too_dear_for_the_bank_is_shown_as_closed(open_house: Open, sit: Sit) -> None:
    """The layout offered a bet that the table then refused, whatever its size."""
    house = open_house("roche", TWO, bank=500, cap=50)
    dealer = sit(house, 0)
    dear = dealer.get_by_role("button", name="Commons by day, pays 10,000:1. Too expensive for the bank")
    expect(dear).to_have_attribute("aria-disabled", "true")
    dear.click(force=True)
    expect(dealer.locator(".toast").last).to_contain_text("nothing can be bet there")
    expect(dealer.get_by_role("button", name="Bet 5 on Commons cuts")).not_to_have_attribute("aria-disabled", "true")


def test_a_typed_card_that_does_not_exist_is_named(open_house: Open, sit: Sit) -> None:
    """There is something to type during the deal, and this was no card."""
    house = open_house("roche", TWO)
    house.do(do="bet", player="Ann", on="cut/2", amount=5)
    house.do(do="no-more-bets")
    dealer = sit(house, 0)
    dealer.keyboard.type("7n9")
    expect(dealer.locator("form:has(.quick-text)")).to_contain_text("No card “7n9”")


@pytest.mark.thorough
def test_a_long_name_leaves_the_coins_to_be_seen(open_house: Open, sit: Sit) -> None:
    """One word of forty letters pushed the coins and the phone's button of every player out of the tab."""
    house = open_house("roche", (("Wolfeschlegelsteinhausenbergerdorffalter", 100), ("Bo", 100)))
    dealer = sit(house, 0, viewport={"width": 1024, "height": 768})
    dealer.get_by_role("tab", name="Players").click()
    expect(dealer.locator(".player-head")).to_have_count(2)
    wide = "tab => tab.scrollWidth - tab.clientWidth"
    assert dealer.locator("#tab").evaluate(wide) <= 0
    name, coins = (sit(house, 1).locator(f".purse {one}").bounding_box() for one in ("h1", ".coins"))
    assert name is not None
    assert coins is not None
    assert name["height"] < 2 * coins["height"]
