"""An evening of blackjack at real pages: the dealer taps ranks and suits, phones bet, stand and insure."""

from collections.abc import Callable
from typing import Any

import pytest
from crowded import OUTSIDE
from playwright.sync_api import Page, expect
from webhouse import House, press_late, seen

PLAYERS = (("Ann", 1000), ("Bo", 500), ("Cy", 300))
SIZES = [(390, 844), (1024, 768), (1920, 1080)]
RANKS = {"A": "Ace", "K": "King", "T": "Ten", "9": "Nine", "8": "Eight", "7": "Seven", "6": "Six", "5": "Five"}
SUITS = {"S": "Spades", "H": "Hearts", "D": "Diamonds", "C": "Clubs"}


@pytest.fixture
def shoe(open_house: Callable[..., House]) -> House:
    return open_house("blackjack", PLAYERS)


def tap(page: Page, *cards: str) -> None:
    """Tap a rank and a suit for each card; the table says what it was before the next one."""
    for card in cards:
        page.get_by_role("group", name="Rank").get_by_role("button", name=RANKS[card[0]]).click()
        page.get_by_role("group", name="Suit").get_by_role("button", name=SUITS[card[1]]).click()
        expect(page.get_by_role("button", name="Undo:")).to_contain_text(f"{RANKS[card[0]]} of {SUITS[card[1]]}")
        expect(page.locator(".card-pad [aria-disabled]")).to_have_count(0)


def bet(page: Page, player: str, coins: int) -> None:
    page.get_by_role("group", name="Bets for").get_by_role("button", name=player).click()
    page.get_by_role("button", name=f"Bet {coins}", exact=True).click()
    expect(page.locator("#tab .bet-list")).to_contain_text(player)


def next_step(page: Page, text: str) -> None:
    expect(page.locator(".next .big")).to_have_text(text)


def coins(house: House) -> dict[str, int]:
    return {player["name"]: player["coins"] for player in house.service.view()["players"]}


def too_wide(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


@pytest.mark.thorough
def test_a_round_with_insurance_a_split_a_double_and_a_blackjack(
    shoe: House, sit: Callable[..., Page], browse: Callable[..., Page]
) -> None:
    dealer, bo = sit(shoe, 0, viewport={"width": 1024, "height": 768}), sit(shoe, 2)
    room = browse(shoe.url, viewport={"width": 1920, "height": 1080})
    bet(dealer, "Ann", 100)
    bo.get_by_role("button", name="Bet 50", exact=True).tap()
    expect(bo.get_by_role("button", name="Take my 50 back")).to_be_visible()
    expect(dealer.locator("#tab .bet-list")).to_contain_text("Bo")
    next_step(dealer, "Take bets, then deal")
    tap(dealer, "8S", "AS", "AD")  # the cards go round the table without a word about where
    next_step(dealer, "Deal Ann a card")
    tap(dealer, "8H", "KS")
    seen(dealer.get_by_role("button", name="Face-down card dealt").first).click()

    next_step(dealer, "Ann decides on 16")
    expect(room.locator(".insurance-line")).to_contain_text("Insurance is open")
    bo.get_by_role("button", name="Take insurance").tap()
    expect(dealer.locator("[data-box='2']")).to_contain_text("Insured 25")
    dealer.get_by_role("button", name="Split").click()
    tap(dealer, "5C")
    next_step(dealer, "Ann's hand 1 decides on 13")
    dealer.get_by_role("button", name="Double").click()
    tap(dealer, "8D")
    next_step(dealer, "Deal Ann's hand 2 its second card")
    tap(dealer, "9H")
    dealer.get_by_role("button", name="Stand", exact=True).click()
    next_step(dealer, "Turn the dealer's face-down card")
    tap(dealer, "5S")
    next_step(dealer, "The dealer has soft 16 and must draw")
    expect(room.locator(".bj-dealer")).to_contain_text("must draw")
    tap(dealer, "TC")
    next_step(dealer, "The dealer has 16 and must draw")
    tap(dealer, "AH")
    expect(dealer.locator(".result")).to_contain_text("The dealer has 17. Ann wins 200, Bo wins 50")
    expect(dealer.locator(".pay-sheet .is-pay", has_text="Ann").locator("b")).to_have_text("500")
    expect(room.locator(".result")).to_contain_text("Ann wins 200")
    expect(bo.locator(".outcome")).to_contain_text("50")
    assert coins(shoe) == {"Ann": 1200, "Bo": 550, "Cy": 300}
    assert shoe.service.view()["house"] == -250


@pytest.mark.thorough
def test_the_player_whose_turn_it_is_stands_and_surrenders_by_phone(shoe: House, sit: Callable[..., Page]) -> None:
    for record in (
        {"do": "bet", "player": "Ann", "amount": 51}, {"do": "bet", "player": "Bo", "amount": 50},
        *({"do": "deal", "to": to, "card": card} for to, card in (
            ("Ann", "TS"), ("Bo", "TH"), ("dealer", "9S"), ("Ann", "6S"), ("Bo", "9C"))),
        {"do": "hole"},
    ):  # fmt: skip
        shoe.do(**record)
    ann, bo = sit(shoe, 1), sit(shoe, 2)
    expect(ann.locator("[role=status].my-turn")).to_contain_text("Your turn")
    expect(bo.get_by_role("button", name="Stand")).to_have_count(0)
    ann.get_by_role("button", name="Surrender").tap()
    expect(bo.locator("[role=status].my-turn")).to_contain_text("Your turn")
    bo.get_by_role("button", name="Stand").tap()
    expect(bo.locator("[role=status]").first).to_contain_text("Face-down card")
    shoe.do(do="reveal", card="8D")
    expect(ann.locator(".outcome")).to_contain_text("Ann loses 25, Bo wins 50")
    assert coins(shoe) == {"Ann": 975, "Bo": 550, "Cy": 300}


def test_a_phone_is_told_of_a_push_and_of_a_surrender(shoe: House, sit: Callable[..., Page]) -> None:
    """A push read "0 won, stake of 50 back: 50 in all"."""
    for record in (*PLAYING, {"do": "surrender"}, {"do": "stand"}, {"do": "reveal", "card": "TD"}):
        shoe.do(**record)
    expect(sit(shoe, 1).locator(".brought")).to_have_text("Hand 1: Surrendered: −25, 26 back")
    expect(sit(shoe, 2).locator(".brought")).to_have_text("Hand 1: Push: stake of 50 back")


PLAYING = (
    {"do": "bet", "player": "Ann", "amount": 51}, {"do": "bet", "player": "Bo", "amount": 50},
    *({"do": "deal", "to": to, "card": card} for to, card in (
        ("Ann", "TS"), ("Bo", "TH"), ("dealer", "9S"), ("Ann", "6S"), ("Bo", "9C"))),
    {"do": "hole"},
)  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("verb", ["Stand", "Surrender"])
def test_what_others_do_meanwhile_refuses_no_decision_by_phone(
    shoe: House, sit: Callable[..., Page], verb: str
) -> None:
    for record in PLAYING:
        shoe.do(**record)
    ann = sit(shoe, 1)
    press_late(ann.get_by_role("button", name=verb), lambda: shoe.do(do="buy-in", player="Cy", coins=100))
    assert shoe.service.view()["turn"] == "Bo"


@pytest.mark.thorough
@pytest.mark.parametrize("verb", ["Stand", "Surrender"])
def test_a_decision_by_phone_counts_for_no_other_cards(shoe: House, sit: Callable[..., Page], verb: str) -> None:
    """The dealer has tapped a wrong card for Bo and mends it, just as he decides; it is his turn before and after."""
    for record in PLAYING[:-2]:
        shoe.do(**record)
    for record in ({"do": "deal", "to": "Bo", "card": "6C"}, {"do": "hole"}, {"do": "stand"}):
        shoe.do(**record)
    bo = sit(shoe, 2)

    def mend() -> None:
        for record in (*[{"do": "undo"}] * 3, *PLAYING[-2:], {"do": "stand"}):
            shoe.do(**record)

    press_late(bo.get_by_role("button", name=verb), mend)
    assert shoe.service.view()["turn"] == "Bo"
    hands = shoe.service.view()["boxes"][1]["hands"]
    assert [(one["cards"], one["state"]) for one in hands] == [(["TH", "9C"], "turn")]


def test_what_the_dealer_chose_for_one_player_is_nobody_elses(shoe: House, sit: Callable[..., Page]) -> None:
    """At another device a buy-in is undone and Ann stands: as many commands count, and Bo's card is no double."""
    dealer = sit(shoe, 0)
    for record in (*PLAYING, {"do": "buy-in", "player": "Cy", "coins": 50}):
        shoe.do(**record)
    next_step(dealer, "Ann decides on 16")
    double = dealer.get_by_role("button", name="Double")
    double.click()
    expect(double).to_have_attribute("aria-pressed", "true")
    shoe.do_at_once({"do": "undo"}, {"do": "stand", "player": "Ann"})
    next_step(dealer, "Bo decides on 19")
    expect(double).to_have_attribute("aria-pressed", "false")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("language", "theirs", "mine"),
    [
        ("en", "Insure {} for 1,617", "Take insurance for 1,617"),
        ("de", "{} versichern für 1.617", "Versichern für 1.617"),
        ("es", "Asegurar a {} por 1.617", "Tomar el seguro por 1.617"),
    ],
)
def test_insurance_says_its_price_before_it_is_taken(
    open_house: Callable[..., House], sit: Callable[..., Page], language: str, theirs: str, mine: str
) -> None:
    """Half of 3,235 coins, and no half coins: as many as the table then takes."""
    house = open_house("blackjack", tuple((name, 9000) for name in LONG[:2]), max=5000)
    for name in LONG[:2]:
        house.do(do="bet", player=name, amount=3235)
    for to, card in zip((*LONG[:2], "dealer", *LONG[:2]), ("9S", "8H", "AS", "7D", "KC"), strict=True):
        house.do(do="deal", to=to, card=card)
    house.do(do="hole")
    dealer = sit(house, 0, viewport={"width": 360, "height": 740}, locale=language)
    phone = sit(house, 2, viewport={"width": 360, "height": 740}, locale=language)
    expect(dealer.locator(".insurance button").first).to_have_accessible_name(theirs.format(LONG[0]))
    assert too_wide(dealer) == too_wide(phone) == 0
    phone.get_by_role("button", name=mine, exact=True).click()
    expect(dealer.locator(".insurance button")).to_have_count(1)
    assert [box["insured"] for box in house.service.view()["boxes"]] == [0, 1617]


def test_insurance_that_arrives_a_round_later_is_not_taken(shoe: House, sit: Callable[..., Page]) -> None:
    """The phone's press was under way for long; an ace lies before the dealer again."""
    up = [{**record, "card": "AS"} if record.get("to") == "dealer" else record for record in PLAYING]
    for record in up:
        shoe.do(**record)
    bo = sit(shoe, 2)

    def next_round() -> None:
        for record in ({"do": "stand"}, {"do": "stand"}, {"do": "reveal", "card": "8D"}, *up[:-3]):
            shoe.do(**record)
        for record in (
            {"do": "deal", "to": "Ann", "card": "2C"}, {"do": "deal", "to": "Bo", "card": "3C"}, {"do": "hole"},
        ):  # fmt: skip
            shoe.do(**record)

    press_late(bo.get_by_role("button", name="Take insurance"), next_round)
    view = shoe.service.view()
    assert (view["may_insure"], [box["insured"] for box in view["boxes"]]) == (["Ann", "Bo"], [0, 0])


@pytest.mark.thorough
def test_a_wrong_card_is_refused_and_undone(shoe: House, sit: Callable[..., Page]) -> None:
    dealer = sit(shoe, 0)
    bet(dealer, "Cy", 50)
    tap(dealer, "AS")
    dealer.get_by_role("group", name="The card goes to").get_by_role("button", name="Cy").click()
    tap(dealer, "AS")  # two decks
    dealer.get_by_role("group", name="Rank").get_by_role("button", name="Ace").click()
    spades = dealer.get_by_role("group", name="Suit").get_by_role("button", name="Spades")
    expect(spades).to_have_attribute("aria-disabled", "true")
    seen(dealer.locator(".do-undo"))
    dealer.keyboard.press("u")
    expect(spades).not_to_have_attribute("aria-disabled", "true")
    assert [len(hand["cards"]) for hand in shoe.service.view()["boxes"][0]["hands"]] == [1]


@pytest.mark.parametrize("language", ["en", "de", "es"])
@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.thorough
def test_the_pages_fit_in_every_language(
    shoe: House, sit: Callable[..., Page], browse: Callable[..., Page], width: int, height: int, language: str
) -> None:
    options: dict[str, Any] = {"viewport": {"width": width, "height": height}, "locale": language}
    pages = [sit(shoe, 0, **options)] if language == "en" else []
    pages += [sit(shoe, 1, **options), browse(shoe.url, **options)]
    deals = [("Ann", "8S"), ("Bo", "TS"), ("dealer", "AD"), ("Ann", "8C"), ("Bo", "KS")]
    for record in (
        {"do": "bet", "player": "Ann", "amount": 100}, {"do": "bet", "player": "Bo", "amount": 50},
        *({"do": "deal", "to": to, "card": card} for to, card in deals), {"do": "hole"},
        {"do": "insure", "player": "Bo"}, {"do": "split", "cards": ["8H"]}, {"do": "split", "cards": ["8D"]},
        {"do": "split", "cards": ["2D"]}, {"do": "hit", "card": "2H"}, {"do": "stand"},
        {"do": "deal", "to": "Ann", "card": "3C"}, {"do": "double", "card": "TD"},
        {"do": "deal", "to": "Ann", "card": "TH"}, {"do": "stand"}, {"do": "deal", "to": "Ann", "card": "TC"},
        {"do": "hit", "card": "KH"}, {"do": "stand"}, {"do": "reveal", "card": "3H"},
        {"do": "dealer-hit", "card": "3D"},
    ):  # fmt: skip
        shoe.do(**record)
        if record["do"] in ("hole", "split", "double", "reveal", "dealer-hit"):
            assert [too_wide(page) for page in pages] == [0] * len(pages), record


SPILT = """all => all.filter(button => {
    const range = document.createRange();
    range.selectNodeContents(button);
    const words = range.getBoundingClientRect(), frame = button.getBoundingClientRect();
    return words.left < frame.left || words.right > frame.right;
}).map(button => button.textContent)"""


@pytest.mark.thorough
@pytest.mark.parametrize("language", ["en", "de", "es"])
@pytest.mark.parametrize("width", [390, 820, 1280])
def test_what_a_decision_is_called_stands_on_its_button(
    shoe: House, sit: Callable[..., Page], width: int, language: str
) -> None:
    """In German "Verdoppeln" ran over both sides of its own on a tablet."""
    dealer = sit(shoe, 0, viewport={"width": width, "height": 1180}, locale=language)
    shoe.do(do="bet", player="Ann", amount=100)
    for to, card in (("Ann", "8S"), ("dealer", "AD"), ("Ann", "8C")):
        shoe.do(do="deal", to=to, card=card)
    shoe.do(do="hole")
    expect(dealer.locator(".decisions button")).to_have_count(5)
    assert dealer.locator(".decisions button").evaluate_all(SPILT) == []


SHORT = ("Ann", "Bo", "Cy", "Di", "Eve", "Florentina-Maria", "Gus")
LONG = (
    "Maximiliane Bernadottova", "Bartholomew von Finsteri", "Charlotte-Anne McDonough", "Dorothea Winkelmannsdorf",
    "Esperanza de los Angeles", "Friedrich Wilhelm Second", "Guillermo Etxeberria Ruiz",
)  # fmt: skip


@pytest.mark.parametrize("names", [SHORT, LONG], ids=["short", "long"])
def test_seven_boxes_with_split_hands_fit_the_screen_across_the_room(
    open_house: Callable[..., House], browse: Callable[..., Page], names: tuple[str, ...]
) -> None:
    full = open_house("blackjack", tuple((name, 12345) for name in names))
    room = browse(full.url, viewport={"width": 1920, "height": 1080})
    for name in names:
        full.do(do="bet", player=name, amount=100)
    for suit in "SH":
        for name, rank in zip(names, "8TQ7296", strict=True):
            full.do(do="deal", to=name, card=rank + suit)
    for record in (
        {"do": "deal", "to": "dealer", "card": "AD"}, {"do": "hole"}, {"do": "insure", "player": names[3]},
        *({"do": "split", "cards": [card]} for card in ("8D", "8C", "3C")),
        *({"do": "hit", "card": card} for card in ("2C", "2D", "AC")),
    ):  # fmt: skip
        full.do(**record)
    expect(room.locator(".bj-hand")).to_have_count(10)
    heights = room.locator(".board-bj").evaluate("board => [board.scrollHeight, board.clientHeight]")
    assert heights[0] <= heights[1], heights


@pytest.mark.thorough
@pytest.mark.parametrize(("width", "height", "language"), [(1280, 800, "en"), (1024, 768, "en"), (1024, 768, "de")])
def test_the_card_pad_and_all_coins_stay_in_sight_while_seven_may_insure(
    open_house: Callable[..., House], sit: Callable[..., Page], width: int, height: int, language: str
) -> None:
    """Each of seven long names had a line of its own, and the suits, later undo and the coins lay below the edge."""
    house = open_house("blackjack", tuple((name, 5000) for name in LONG))
    for name in LONG:
        house.do(do="bet", player=name, amount=100)
    for name, card in [*zip(LONG, "89TJQ79", strict=True), ("dealer", "A"), *zip(LONG, "TT99878", strict=True)]:
        house.do(do="deal", to=name, card=card + "S" if name == "dealer" else card + "SHDC"[LONG.index(name) % 4])
    house.do(do="hole")
    dealer = sit(house, 0, viewport={"width": width, "height": height}, locale=language)
    expect(dealer.locator(".insurance button")).to_have_count(7)
    for part in (*dealer.locator(".suits .pad-key").all(), dealer.locator(".do-undo")):
        expect(part).to_be_in_viewport(ratio=1)
    end = dealer.locator(".risk").bounding_box()
    assert end is not None
    for coins in dealer.locator(".sitting .held").all():
        box = coins.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= end["y"] + 1


@pytest.mark.thorough
def test_what_a_player_cannot_pay_is_off_and_says_why(
    open_house: Callable[..., House], sit: Callable[..., Page]
) -> None:
    """Eighty coins, sixty of them staked: neither a hundred nor a double is offered."""
    house = open_house("blackjack", (("Ann", 80),), min=50, max=500)
    dealer, phone = sit(house, 0), sit(house, 1)
    for page, says in ((dealer, "Ann has 80, and this costs 100. Buy in first."), (phone, "You have 80: buy in first")):
        page.locator(".quick-bets").get_by_role("button", name="Bet 100", exact=True).click(force=True)
        expect(page.locator(".toast").last).to_contain_text(says)
    assert house.service.view()["bets"] == []
    house.do(do="bet", player="Ann", amount=60)
    for to, card in (("Ann", "5S"), ("dealer", "9H"), ("Ann", "6S")):
        house.do(do="deal", to=to, card=card)
    house.do(do="hole")
    expect(dealer.locator(".as-double")).to_have_attribute("aria-disabled", "true")
    seen(dealer.locator(".as-double"))
    dealer.keyboard.press("d")
    expect(dealer.locator(".toast").last).to_have_text("Ann has 20, and this costs 60. Buy in first.")
    expect(dealer.locator(".as-hit")).to_have_attribute("aria-pressed", "true")


@pytest.mark.browser
def test_a_double_tap_on_insurance_does_not_stand(shoe: House, sit: Callable[..., Page]) -> None:
    """Once the insurance is taken its panel goes, and Stand moves to where it was."""
    shoe.do(do="bet", player="Ann", amount=100)
    for to, card in (("Ann", "9H"), ("dealer", "AD"), ("Ann", "7C")):
        shoe.do(do="deal", to=to, card=card)
    shoe.do(do="hole")
    ann = sit(shoe, 1, viewport={"width": 360, "height": 740})
    spot = ann.get_by_role("button", name="Take insurance").bounding_box()
    assert spot is not None
    at = spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2
    ann.touchscreen.tap(*at)
    expect(ann.get_by_role("button", name="Take insurance")).to_have_count(0)
    ann.touchscreen.tap(*at)
    stand = ann.get_by_role("button", name="Stand")
    expect(stand).to_be_enabled()
    box = stand.bounding_box()
    assert box is not None
    assert box["y"] < at[1] < box["y"] + box["height"], "it stands where the finger came down"
    assert shoe.service.view()["turn"] == "Ann"
    stand.tap()
    expect(ann.locator(".toast").last).to_have_text("You stand")


@pytest.mark.browser
def test_a_phone_gives_no_orders_that_are_for_the_dealer(shoe: House, sit: Callable[..., Page]) -> None:
    """A player read "Deal the dealer's second card face down"."""
    ann = sit(shoe, 1)
    prompt = ann.locator(".seat-page > [role=status] .big")
    shoe.do(do="bet", player="Ann", amount=100)
    for to, card in (("Ann", "9H"), ("dealer", "TD"), ("Ann", "7C")):
        shoe.do(do="deal", to=to, card=card)
        expect(prompt).to_have_text("Dealing")
    shoe.do(do="hole")
    expect(prompt).to_have_text("Your turn")
    shoe.do(do="stand")
    expect(prompt).to_have_text("Face-down card")


@pytest.mark.parametrize("hits", [0, 1, 4])
def test_cards_of_seven_whole_hands_are_as_large_as_the_room_needs(
    open_house: Callable[..., House], browse: Callable[..., Page], hits: int
) -> None:
    """They were as small as where every hand is split, on a screen half of which was empty."""
    house = open_house("blackjack", tuple((name, 5000) for name in LONG))
    room = browse(house.url, viewport={"width": 1920, "height": 1080}, locale="de")
    for name in LONG:
        house.do(do="bet", player=name, amount=100)
    for suit in "SH":
        for name, rank in zip(LONG, "2345678", strict=True):
            house.do(do="deal", to=name, card=rank + suit)
        if suit == "S":
            house.do(do="deal", to="dealer", card="9D")
    house.do(do="hole")
    for card in ("2D", "2C", "AD", "AC")[:hits]:
        house.do(do="hit", card=card)
    expect(room.locator(".bj-boxes .std-card")).to_have_count(2 * len(LONG) + hits)
    width = "all => Math.min(...all.map(one => one.getBoundingClientRect().width))"
    assert room.locator(".bj-boxes .std-card").evaluate_all(width) >= 55
    heights = room.locator(".board-bj").evaluate("board => [board.scrollHeight, board.clientHeight]")
    assert heights[0] <= heights[1], heights
    for box in room.locator(".bj-box").all():
        assert box.locator(".std-card").evaluate_all(OUTSIDE) == []


@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_seven_long_names_leave_the_rules_in_sight(
    open_house: Callable[..., House], browse: Callable[..., Page], language: str
) -> None:
    """On a television, with a split hand and insurance, the line of rules was half cut."""
    firsts = ("Anneliese", "Benedikt", "Charlotte", "Dorothea", "Esperanza", "Friedrich", "Guillermo")
    names = [f"{first} von Hohenstaufen-Wittelsbach-Sachsen"[:40] for first in firsts]
    house = open_house("blackjack", tuple((name, 1310) for name in names))
    to = [*names, "dealer", *names]
    cards = ("8S", "8H", "8D", "7C", "6S", "5H", "4D", "AC", "8C", "8S", "3C", "7D", "5S", "6D", "9D")
    house.do_at_once(
        *({"do": "bet", "player": name, "amount": 50} for name in names),
        *({"do": "deal", "to": where, "card": card} for where, card in zip(to, cards, strict=True)),
        {"do": "hole"},
        *({"do": "insure", "player": name} for name in names[:2]),
        {"do": "split", "cards": ["3S", "TS"]},
    )
    room = browse(house.url, viewport={"width": 1920, "height": 1080}, locale=language)
    expect(room.locator(".bj-hand")).to_have_count(8)
    assert room.locator(".house-rules").evaluate_all(OUTSIDE) == []


@pytest.mark.browser
def test_who_has_four_hands_leaves_the_last_box_whole_when_it_is_paid(
    open_house: Callable[..., House], browse: Callable[..., Page]
) -> None:
    """What is paid narrows the table: the seventh box went to a second row, and lay below the edge of the screen."""
    names = LONG
    house = open_house("blackjack", tuple((name, 650_000) for name in names), min=100, max=125_000, decks=6)
    for name in names:
        house.do(do="bet", player=name, amount=125_000)
    for suit in "SC":
        for name in names:
            house.do(do="deal", to=name, card=("8" if name == names[0] else "9") + suit)
    house.do(do="deal", to="dealer", card="TD")
    house.do(do="hole")
    for _ in range(3):
        house.do(do="split", cards=["8H", "8D"])
    for _ in range(10):
        house.do(do="stand")
    house.do(do="reveal", card="7C")
    room = browse(house.url, viewport={"width": 1920, "height": 1080}, locale="de")
    for size in ((1920, 1080), (1024, 768)):
        room.set_viewport_size({"width": size[0], "height": size[1]})
        expect(room.locator(".bj-box")).to_have_count(7)
        room.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
        assert room.locator(".bj-box").evaluate_all(OUTSIDE) == [], size
