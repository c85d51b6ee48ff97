"""Hands of hold'em at real pages: phones bet, the dealer taps the cards, the room looks on."""

from collections.abc import Callable
from typing import Any

import pytest
from crowded import CUT, OUTSIDE
from playwright.sync_api import Page, expect
from webhouse import House, press_late, seen

PLAYERS = (("Ann", 1000), ("Bo", 1000), ("Cy", 300))
SIZES = [(390, 844), (1024, 768), (1920, 1080)]
SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


@pytest.fixture
def felt(open_house: Callable[..., House]) -> House:
    return open_house("holdem", PLAYERS)


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def begin(dealer: Page) -> None:
    for name in ("Put the blinds in", "Everybody has two cards"):
        seen(dealer.locator(".main-actions").get_by_role("button", name=name)).click()
    expect(dealer.locator(".acting")).to_be_visible()


def cards(page: Page, what: str, *ids: str) -> None:
    """Tap each card's rank and suit, then say all of them."""
    for card in ids:
        page.locator(f".ranks [data-key='{card[0]}']").click()
        page.locator(f".suits [data-key='{card[1]}']").click()
    text = " ".join(card[0].replace("T", "10") + SUITS[card[1]] for card in ids)
    page.get_by_role("button", name=f"{what} {text}", exact=True).click()
    expect(page.get_by_role("button", name=f"{what} {text}", exact=True)).to_have_count(0)


def size(phone: Page, name: str, then: str) -> None:
    phone.locator(".sizes").get_by_role("button", name=name).tap()
    phone.get_by_role("button", name=then, exact=True).tap()


def tap(phone: Page, name: str) -> None:
    phone.locator(".stay").get_by_role("button", name=name, exact=True).tap()


def next_step(page: Page, text: str) -> None:
    expect(page.locator(".next .big")).to_have_text(text)


def coins(house: House) -> dict[str, int]:
    return {player["name"]: player["coins"] for player in house.service.view()["players"]}


def too_wide(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


@pytest.mark.thorough
def test_a_misdeal_takes_the_whole_hand_back_and_a_hold_offers_nothing_but_its_end(
    felt: House, sit: Callable[..., Page]
) -> None:
    dealer = sit(felt, 0, viewport={"width": 1366, "height": 768})
    begin(dealer)
    seen(dealer.locator(".main-actions").get_by_role("button", name="Call 50")).click()
    expect(dealer.locator(".next .big")).to_contain_text("Ann")
    dealer.keyboard.press("h")
    expect(dealer.locator(".main-actions button")).to_have_count(1)
    expect(dealer.locator(".main-actions button")).to_contain_text("Release")
    expect(dealer.get_by_role("button", name="Misdeal")).to_have_count(0)
    seen(dealer.locator(".main-actions button"))
    dealer.keyboard.press("n")
    press(dealer, "Misdeal")
    dealer.keyboard.press("Escape")
    assert felt.service.view()["phase"] == "preflop"
    press(dealer, "Misdeal")
    press(dealer, "Yes, take the hand back")
    expect(dealer.locator(".main-actions").get_by_role("button", name="Put the blinds in")).to_be_visible()
    assert coins(felt) == {"Ann": 1000, "Bo": 1000, "Cy": 300}
    assert felt.service.view()["hand"] == 0


@pytest.mark.thorough
def test_what_was_typed_before_another_bet_is_forgotten(felt: House, sit: Callable[..., Page]) -> None:
    """At another device Cy's call is undone and Cy raises: as many commands count, and Ann decides on another bet."""
    dealer = sit(felt, 0, viewport={"width": 1366, "height": 768})
    begin(dealer)
    felt.do(do="call")
    seen(dealer.locator(".sizes").get_by_role("button", name="Minimum")).click()
    expect(dealer.locator("input[name=to]")).to_have_value("100")
    felt.do_at_once({"do": "undo"}, {"do": "raise", "to": 200})
    expect(dealer.locator(".stay")).to_contain_text("Call 175")
    expect(dealer.locator("input[name=to]")).to_have_value("")


def test_what_a_phone_says_late_counts_for_no_later_bet(felt: House, sit: Callable[..., Page]) -> None:
    """The dealer has said Cy's call; by the time that the phone's own is heard another bet waits for one."""
    for record in ({"do": "post"}, *({"do": "hole", "player": name} for name in ("Ann", "Bo", "Cy"))):
        felt.do(**record)
    cy = sit(felt, 3)

    def meanwhile() -> None:
        for record in (
            {"do": "call", "player": "Cy"}, {"do": "call", "player": "Ann"}, {"do": "check", "player": "Bo"},
            {"do": "board", "cards": ["AS", "TD", "7H"]}, {"do": "bet", "to": 200, "player": "Ann"},
            {"do": "fold", "player": "Bo"},
        ):  # fmt: skip
            felt.do(**record)

    press_late(cy.locator(".stay").get_by_role("button", name="Call 50"), meanwhile)
    view = felt.service.view()
    assert (view["turn"], coins(felt)["Cy"]) == ("Cy", 250)


def test_hands_with_a_raise_a_side_pot_a_muck_and_an_undo(
    felt: House, sit: Callable[..., Page], browse: Callable[..., Page]
) -> None:
    dealer = sit(felt, 0, viewport={"width": 1024, "height": 768})
    ann, bo, cy = (sit(felt, seat) for seat in (1, 2, 3))
    room = browse(felt.url, viewport={"width": 1920, "height": 1080})
    begin(dealer)  # Cy has the button, Ann and Bo the blinds
    tap(cy, "Call 50")
    tap(ann, "Fold")
    tap(bo, "Check")
    next_step(dealer, "Deal the flop: three cards")
    cards(dealer, "Lay", "AS", "TD", "7H")
    expect(room.locator(".board-cards .playing.black")).to_have_count(1)
    bo.locator("input[name=to]").press_sequentially("60")
    bo.get_by_role("button", name="Bet 60", exact=True).tap()
    expect(bo.locator(".toast.error")).to_contain_text("in chips of 25")
    size(bo, "Minimum", "Bet 50")
    tap(cy, "Fold")
    expect(room.locator(".summary")).to_contain_text("Bo wins 125 from the main pot")
    assert coins(felt) == {"Ann": 975, "Bo": 1075, "Cy": 250}

    begin(dealer)  # Ann has the button; Cy is all-in for less, so there is a side pot
    size(ann, "Minimum", "Raise to 100")
    tap(bo, "Call 75")
    size(cy, "All-in", "All-in with 250")
    tap(ann, "Call 150")
    tap(bo, "Call 150")
    cards(dealer, "Lay", "AS", "TD", "7H")
    tap(bo, "Check")
    size(ann, "Minimum", "Bet 50")
    tap(bo, "Call 50")
    expect(room.locator("[data-pot=side-1]")).to_contain_text("100")
    cards(dealer, "Lay", "2C")
    tap(bo, "Check")
    tap(ann, "Check")
    cards(dealer, "Lay", "3C")
    tap(bo, "Check")
    next_step(dealer, "Ann: check or bet")
    seen(dealer.locator(".do-undo"))
    dealer.keyboard.press("u")  # it was said too soon
    next_step(dealer, "Bo: check or bet")
    tap(bo, "Check")
    tap(ann, "Check")
    next_step(dealer, "Bo shows or mucks")
    cards(dealer, "Shows", "KC", "TC")
    cards(dealer, "Shows", "AH", "AD")
    ann.get_by_role("button", name="Muck", exact=True).tap()
    expect(room.locator(".won-pots li")).to_have_text(["Main pot 750 → 3 Cy", "Side pot 1 100 → 2 Bo"])
    assert coins(felt) == {"Ann": 675, "Bo": 875, "Cy": 750}
    expect(cy.locator(".dues")).to_contain_text("You get")
    dealer.goto(f"{felt.url}/history")
    expect(dealer.locator(".hand h2")).to_have_count(2)
    dealer.goto(f"{felt.url}/history/1/2")
    expect(dealer.locator(".step .big")).to_contain_text("Cy wins 750")


@pytest.mark.parametrize(("size", "language"), list(zip(SIZES, ("de", "es", "en"), strict=True)))
@pytest.mark.thorough
def test_every_page_fits_at_every_size(
    felt: House, sit: Callable[..., Page], browse: Callable[..., Page], size: tuple[int, int], language: str
) -> None:
    here: dict[str, Any] = {"viewport": {"width": size[0], "height": size[1]}}
    for record in ({"do": "post"}, *({"do": "hole", "player": name} for name in ("Ann", "Bo", "Cy"))):
        felt.do(**record)
    there = {**here, "locale": language}
    pages = [sit(felt, 0, **here), sit(felt, 3, **there), browse(felt.url, **there)]
    for page in pages:
        expect(page.locator(".hands .who")).to_have_count(3)
        assert too_wide(page) == 0


def test_ten_players_fit_on_the_rooms_screen(open_house: Callable[..., House], browse: Callable[..., Page]) -> None:
    house = open_house("holdem", tuple((f"Player {number}", 1000) for number in range(1, 11)))
    room = browse(house.url, viewport={"width": 1920, "height": 1080})
    turn = lambda: house.service.view()["turn"]  # noqa: E731
    house.do(do="post")
    for _ in range(10):
        house.do(do="hole", player=turn())
    while turn():
        house.do(do="all-in" if "all-in" in house.service.view()["expected"] else "call")
    for cards in (["AS", "TD", "7H"], ["2S"], ["3H"]):
        house.do(do="board", cards=cards)
    deck = [rank + suit for rank in "KQJ98" for suit in SUITS]
    for number in range(0, 20, 2):
        house.do(do="show", player=turn(), cards=deck[number : number + 2])
    expect(room.locator(".hole.five")).to_have_count(10)
    assert room.locator(".felt-holdem").evaluate("felt => felt.scrollHeight - felt.clientHeight") <= 0


COVERED = """all => all.filter(one => {
    const range = document.createRange();
    range.selectNodeContents(one);
    const { left, right, top, bottom } = range.getBoundingClientRect();
    const frame = one.closest(".hand").getBoundingClientRect();
    const seen = [left + 2, (left + right) / 2, right - 2].map(x => document.elementFromPoint(x, (top + bottom) / 2));
    return left < frame.left || right > frame.right || seen.some(found => !one.contains(found));
}).map(one => one.textContent)"""


def test_every_digit_of_large_stacks_is_seen_on_the_rooms_screen(
    open_house: Callable[..., House], browse: Callable[..., Page]
) -> None:
    """Eight digits in front and seven staked: the cards lay over the end of what a player has."""
    house = open_house("holdem", tuple((f"Player {number}", 12_345_678) for number in range(1, 11)))
    room = browse(house.url, viewport={"width": 1920, "height": 1080})
    turn = lambda: house.service.view()["turn"]  # noqa: E731
    house.do(do="post")
    for _ in range(10):
        house.do(do="hole", player=turn())
    house.do(do="raise", to=1_234_575)
    house.do(do="call")
    expect(room.locator(".hand .stake", has_text="1,234,575")).to_have_count(2)
    assert room.locator(".hand .left, .hand .stake:not(:empty)").evaluate_all(COVERED) == []


OVER = """all => all.filter(hand => [...hand.querySelectorAll(":scope > :not(.held), .held > *")].some(one =>
    one.getBoundingClientRect().left < hand.getBoundingClientRect().left - 0.5)).map(hand => hand.textContent)"""


@pytest.mark.thorough
def test_split_side_pots_leave_room_for_the_hands(
    open_house: Callable[..., House], sit: Callable[..., Page], browse: Callable[..., Page]
) -> None:
    """Five pots in sentences filled the screens of the room and of the dealer: the hands lay below the edge."""
    names = [f"{name} Bernadottova-Smith"[:24] for name in ("Maximiliane", "Bartholomy", "Charlotte", "Dorothea")]
    names += [f"{name} Etxeberria Winter"[:24] for name in ("Esperanza", "Friedrich", "Guillermo", "Henriette")]
    house = open_house("holdem", tuple((name, 400 * place) for place, name in enumerate(names, start=1)))
    pages = [browse(house.url, viewport={"width": 1920, "height": 1080}), sit(house, 0)]
    turn = lambda: house.service.view()["turn"]  # noqa: E731
    house.do(do="post")
    for _ in names:
        house.do(do="hole", player=turn())
    while turn():
        house.do(do="all-in" if "all-in" in house.service.view()["expected"] else "call")
    for board in (["KS", "QD", "JH"], ["TC"], ["2H"]):
        house.do(do="board", cards=board)
    for place in range(len(names)):
        if turn():
            suit = "SHDC"[place % 4]
            house.do(do="show", player=turn(), cards=[f"{'A9'[place // 4]}{suit}", f"{'34'[place // 4]}{suit}"])
    assert len(house.service.view()["result"]["pots"]) > 4
    for page in pages:
        expect(page.locator(".won-pots li").first).to_contain_text("Main pot")
        for hand in page.locator(".hand").all():
            expect(hand).to_be_in_viewport(ratio=1)
        assert page.locator(".hand").evaluate_all(OVER) == [], "cards that lie over a neighbor's coins"


@pytest.mark.browser
def test_a_phone_gives_no_orders_that_are_for_the_dealer(
    open_house: Callable[..., House], sit: Callable[..., Page]
) -> None:
    """A player read "Move the button and put the blinds in"."""
    house = open_house("holdem", (("Ann", 1000), ("Bo", 1000)))
    ann = sit(house, 1)
    prompt = ann.locator(".seat-page > [role=status] .big")
    expect(prompt).to_have_text("Between hands")
    house.do(do="post")
    house.do(do="hole", player="Bo")
    house.do(do="hole", player="Ann")
    house.do(do="call")
    house.do(do="check")
    expect(prompt).to_have_text("Flop to come")


@pytest.mark.parametrize("count", [7, 10])
def test_long_names_are_as_large_as_the_room_needs_where_there_is_height(
    open_house: Callable[..., House], browse: Callable[..., Page], count: int
) -> None:
    """From across the room: they were 17 pixels high on a screen a third of which was empty."""
    names = tuple(f"{letter}aximiliane-Charlotte von" for letter in "ABCDEFGHIJ"[:count])
    house = open_house("holdem", tuple((name, 12_345) for name in names))
    room = browse(house.url, viewport={"width": 1920, "height": 1080}, locale="de")
    turn = lambda: house.service.view()["turn"]  # noqa: E731
    house.do(do="post")
    for _ in names:
        house.do(do="hole", player=turn())
    for _ in names[1:]:
        house.do(do="call")
    expect(room.locator(".hand .hole")).to_have_count(count)
    size = "all => Math.min(...all.map(one => parseFloat(getComputedStyle(one).fontSize)))"
    assert room.locator(".hand .who").evaluate_all(size) >= 20
    for hand in room.locator(".hand").all():
        expect(hand).to_be_in_viewport(ratio=1)
    assert room.locator(".hand").evaluate_all(OVER) == [], "cards that lie over a neighbor's coins"


ALL_IN = (("Ann", 100), ("Christopherus", 300), ("Cy", 482), ("Dee", 482), ("Eli", 25))
SPILT = """all => all.filter(one => {
    const text = document.createRange();
    text.selectNodeContents(one);
    const [inner, outer] = [text.getBoundingClientRect(), one.getBoundingClientRect()];
    return inner.left < outer.left || inner.right > outer.right;
}).map(one => one.textContent)"""
"Buttons whose text runs over their edge."


def all_in(open_house: Callable[..., House]) -> House:
    """Everybody is all-in before the flop, for four pots."""
    house = open_house("holdem", ALL_IN)
    house.do(do="post")
    for name, _ in ALL_IN:
        house.do(do="hole", player=name)
    for _ in ALL_IN:
        house.do(do="call" if house.service.view()["bet"] > 50 else "all-in")
    return house


@pytest.mark.parametrize("window", [(1024, 768), (1280, 900)])
def test_cards_are_entered_without_scrolling_under_the_pay_sheet_of_four_pots(
    open_house: Callable[..., House], sit: Callable[..., Page], window: tuple[int, int]
) -> None:
    """All are all-in: the sheet is long, and the word that enters a hand is in sight beside its cards."""
    house = all_in(open_house)
    dealer = sit(house, 0, viewport={"width": window[0], "height": window[1]})
    expect(dealer.locator(".pay-step")).to_have_count(5)
    whose = dealer.locator(".tables")
    assert whose.evaluate_all(SPILT) == []
    whose.filter(has_text="Eli").click()
    for card in ("2S", "7H"):
        dealer.locator(f".ranks [data-key='{card[0]}']").click()
        dealer.locator(f".suits [data-key='{card[1]}']").click()
    dealer.locator("#tab").evaluate("tab => tab.scrollTo(0, 0)")
    expect(dealer.locator(".card-picker .give.primary")).to_be_in_viewport(ratio=1)


MEETING = """all => all.filter(hand => {
    const [tags, left] = [".tags", ".left"].map(part => hand.querySelector(part).getBoundingClientRect());
    const first = hand.querySelector(".tags > *")?.getBoundingClientRect();
    return first && first.left < left.right && tags.top < left.bottom && left.top < tags.bottom;
}).map(hand => hand.textContent)"""
"Hands in which a label lies over the coins."


def test_what_a_blind_who_is_all_in_shows_leaves_the_coins_to_be_seen(
    open_house: Callable[..., House], sit: Callable[..., Page]
) -> None:
    """On a tablet blind, all-in and the hand's name together ran over coins and seat."""
    house = all_in(open_house)
    for player, held in (("Ann", ["TS", "QD"]), ("Christopherus", ["JC", "6S"])):
        house.do(do="table", player=player, cards=held)
    for board in (["JS", "KD", "JH"], ["AD"], ["KS"]):
        house.do(do="board", cards=board)
    dealer = sit(house, 0, viewport={"width": 1024, "height": 768})
    expect(dealer.locator(".hand", has_text="Ann")).to_contain_text("Straight")
    assert dealer.locator(".hand").evaluate_all(MEETING) == []


def test_a_stack_of_twelve_digits_leaves_room_for_its_labels(
    open_house: Callable[..., House], sit: Callable[..., Page]
) -> None:
    """On a tablet the blinds' labels lay over the digits."""
    house = open_house("holdem", tuple((name, 123_456_789_012) for name, _ in ALL_IN))
    house.do(do="post")
    for name, _ in ALL_IN:
        house.do(do="hole", player=name)
    house.do(do="fold")
    dealer = sit(house, 0, viewport={"width": 1024, "height": 768}, locale="es")
    expect(dealer.locator(".hand.out")).to_contain_text("123.456.789.012")
    assert dealer.locator(".hand").evaluate_all(MEETING) == []
    assert dealer.locator(".hand .stake:not(:empty)").evaluate_all(OUTSIDE) == []


CUT_NAMES = """all => all.filter(({ scrollHeight, clientHeight, scrollWidth, clientWidth }) =>
    scrollHeight > clientHeight + 3 || scrollWidth > clientWidth + 1).map(one => one.textContent)"""


@pytest.mark.browser
def test_who_won_seven_digits_is_named_and_the_board_is_one_row(
    open_house: Callable[..., House], sit: Callable[..., Page], browse: Callable[..., Page]
) -> None:
    """On a phone the winner was "M a…" beside two sums that ran over the frame, and the fifth card lay below the four;
    on a tablet the last two hands lay below the edge, and "Christopher us" stood in the prompt."""
    names = ("Maximiliane Charlotte", "Christopherus Bartholomäus", *(f"Player {n}" for n in range(3, 11)))
    stacks = (1_450_000, 1_125_000, *(n * 10_000 for n in range(1, 9)))
    house = open_house("holdem", tuple(zip(names, stacks, strict=True)))
    room = browse(house.url, viewport={"width": 1024, "height": 768})
    phone = sit(house, 3, viewport={"width": 320, "height": 640})
    turn = lambda: house.service.view()["turn"]  # noqa: E731
    house.do(do="post")
    for name in names:
        house.do(do="hole", player=name)
    while turn() and turn() != names[1]:
        house.do(do="all-in")
    word = "all => all.map(one => [one.scrollWidth, one.clientWidth]).every(([wide, room]) => wide <= room)"
    expect(room.locator(".prompt .long")).to_contain_text(names[1])
    assert room.locator(".prompt .big").evaluate_all(word)
    while turn():
        house.do(do="all-in" if "all-in" in house.service.view()["expected"] else "call")
    for board in (["KS", "QD", "JH"], ["4C"], ["2H"]):
        house.do(do="board", cards=board)
    deck = iter([rank + suit for rank in "A9876" for suit in SUITS])
    held = {name: [next(deck), next(deck)] for name in names}
    while turn():
        house.do(do="show", player=turn(), cards=held[turn()])
    expect(room.locator(".hole.five")).to_have_count(10)
    assert room.locator(".hand, .hand .stake:not(:empty)").evaluate_all(OUTSIDE) == []
    expect(phone.locator(".hole.five")).to_have_count(10)
    assert phone.evaluate(CUT) == []
    assert phone.locator(".hand .who").evaluate_all(CUT_NAMES) == []
    tops = "all => new Set(all.map(one => one.getBoundingClientRect().top)).size"
    assert phone.locator(".board-cards .playing").evaluate_all(tops) == 1
