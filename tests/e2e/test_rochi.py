"""Rochi and Captain's Rochi in a real browser: the dealer, phones and the room at once."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect
from webhouse import House, press_late, seen

from companion.kernel.words import card_words

pytestmark = pytest.mark.browser
Browse = Callable[..., Page]
Open = Callable[..., House]

TRIO = (("Aubrey", 100), ("Benedict", 100), ("Chance", 100))
SEEDS = ("6D1", "6D2", "7D1", "5N2", "4D1", "3D1")
TV = {"width": 1920, "height": 1080}


def seeded(open_house: Open, **options: object) -> House:
    """A table of three whose stacks are seeded: it is Aubrey's turn."""
    house = open_house("rochi", TRIO, **options)
    for card in SEEDS:
        house.do(do="seed", card=card)
    return house


def touch(page: Page, card: str) -> None:
    """Touch a card of the grid."""
    page.locator("#tab").get_by_role("button", name=card_words(card), exact=True).click()


def coins_of(room: Page, player: str) -> Locator:
    return room.locator(".seat-card", has_text=player).locator(".coins")


def test_an_end_of_a_turn_by_phone_folds_nobody_whose_card_is_undone(open_house: Open, sit: Browse) -> None:
    """Aubrey's card is undone before the table hears of her end: an empty turn that is ended is a fold."""
    house = seeded(open_house)
    house.do(do="play", card="6D3")
    aubrey = sit(house, 1)
    press_late(aubrey.locator(".my-turn").get_by_role("button", name="End turn"), lambda: house.do(do="undo"))
    view = house.service.view()
    assert (view["turn"], [one["has_folded"] for one in view["hands"]]) == ("Aubrey", [False] * 3)


def test_a_fold_by_phone_is_of_no_later_turn(open_house: Open, sit: Browse) -> None:
    """The dealer has gone on with Aubrey's hand; her turn has come again by the time that her fold is heard."""
    house = seeded(open_house)
    aubrey = sit(house, 1)
    aubrey.locator(".my-turn").get_by_role("button", name="Fold").tap()

    def meanwhile() -> None:
        for card in ("7D2", "7D3", "7N1"):
            house.do(do="deal", card=card)
            house.do(do="end")

    press_late(aubrey.get_by_role("button", name="Yes"), meanwhile)
    view = house.service.view()
    assert (view["turn"], [one["has_folded"] for one in view["hands"]]) == ("Aubrey", [False] * 3)


@pytest.mark.thorough
def test_a_whole_hand_from_the_dealers_page(open_house: Open, sit: Browse, browse: Browse) -> None:
    """Seeded, played, dealt, folded and won without a camera; two phones and the room see every step."""
    house = open_house("rochi", TRIO)
    dealer, room = sit(house, 0), browse(f"{house.url}/", viewport=TV)
    aubrey, benedict = sit(house, 1), sit(house, 2)
    expect(room.locator(".prompt .big")).to_have_text("Seed 6 more cards")
    for card in SEEDS:
        touch(dealer, card)
        expect(room.locator(f".laid[aria-label='{card_words(card)}']")).to_be_visible()

    expect(room.locator(".prompt .big")).to_contain_text("Aubrey to act")
    expect(aubrey.locator(".my-turn .big")).to_have_text("Your turn")
    expect(benedict.locator(".my-turn .big")).to_have_text("Aubrey to act")
    touch(dealer, "6D3")
    dealer.get_by_role("button", name="Played by Aubrey").click()
    expect(coins_of(room, "Aubrey")).to_have_text("97")
    expect(room.locator("[data-place='pot/6'] b")).to_have_text("3")
    expect(room.locator(".seat-card", has_text="Aubrey").get_by_label("Token of Kin")).to_be_visible()
    expect(benedict.locator(".price-list li[data-suit='6'] .to")).to_contain_text("4 to")
    seen(dealer.locator(".next .primary", has_text="End turn"))
    dealer.keyboard.press("e")

    touch(dealer, "6N1")
    dealer.get_by_role("button", name="Played by Benedict").click()
    expect(aubrey.locator(".coins")).to_have_text("101")
    expect(benedict.locator(".coins")).to_have_text("96")
    expect(benedict.locator(".mine").get_by_label("Token of Kin")).to_be_visible()
    touch(dealer, "6N2")  # after a play, a card can only be dealt
    expect(room.locator("[data-suit='6'] .distance")).to_have_text("Ripe: 1 to cut")
    seen(dealer.get_by_role("button", name="Fold")).click()
    expect(room.locator(".seat-card.is-folded")).to_contain_text("Chance")

    expect(aubrey.locator(".price-list li[data-suit='6']")).to_contain_text("cut: you pay 6")
    touch(dealer, "6N3")
    dealer.get_by_role("button", name="Dealt", exact=True).last.click()
    expect(room.locator(".prompt .big")).to_contain_text("Benedict wins with Kin")
    expect(benedict.locator(".coins")).to_have_text("105")
    expect(aubrey.locator(".coins")).to_have_text("95")
    expect(coins_of(room, "Chance")).to_have_text("100")
    benedict.locator(".own-history summary").click()
    expect(benedict.locator(".own-history li").first).to_contain_text("+9")
    seen(dealer.locator(".next .primary"))
    dealer.keyboard.press("n")
    expect(room.locator("body")).to_contain_text("Hand 2")
    assert house.service.view()["leader"] == "Benedict"


def test_the_next_card_is_said_before_it_lies_there(open_house: Open, sit: Browse) -> None:
    """PLAY and DEAL decide for the camera, and one touch of the card is enough then."""
    house = seeded(open_house)
    dealer = sit(house, 0)
    dealer.keyboard.press("d")
    expect(dealer.locator(".intend-deal")).to_have_attribute("aria-pressed", "true")
    assert house.service.take_intentions() == (("deal", "dealer"),)
    touch(dealer, "2D1")
    expect(dealer.locator(".suit-list li[data-suit='2']")).to_contain_text("1 of 2 · Ripe")
    expect(dealer.locator(".intend-deal")).to_have_attribute("aria-pressed", "false")
    dealer.locator(".intend-deal").click(force=True)
    expect(dealer.locator(".toast.error, .toast.ok").last).to_contain_text("Aubrey has dealt a card this turn already")
    seen(dealer.get_by_role("button", name="Undo: the deal of Mages day 1")).click()
    expect(dealer.locator(".suit-list li[data-suit='2']")).to_contain_text("0 of 2")


def test_a_token_tells_whose_it_is_and_moves_by_its_card(open_house: Open, sit: Browse) -> None:
    house = seeded(open_house)
    dealer = sit(house, 0)
    dealer.get_by_role("button", name="Token of Valor: whose?").click()
    sheet = dealer.get_by_role("dialog")
    expect(sheet).to_contain_text("Nobody owns it")
    expect(sheet.get_by_role("button", name="Valor night 2")).to_have_attribute("aria-disabled", "true")
    sheet.get_by_role("button", name="Valor day 4").click()
    expect(dealer.locator(".suit-list li[data-suit='5']")).to_contain_text("Aubrey")
    assert house.service.view()["pots"]["5"] == 2


@pytest.mark.thorough
def test_a_player_folds_on_the_phone_after_being_asked(open_house: Open, sit: Browse) -> None:
    house = seeded(open_house)
    aubrey, benedict = sit(house, 1), sit(house, 2)
    expect(benedict.get_by_role("button", name="Fold")).to_have_count(0)
    aubrey.get_by_role("button", name="Fold").tap()
    expect(aubrey.get_by_role("dialog")).to_contain_text("Fold this hand?")
    aubrey.get_by_role("button", name="Yes").tap()
    expect(benedict.locator(".my-turn .big")).to_have_text("Your turn")
    expect(aubrey.locator(".mine")).to_contain_text("Folded")


@pytest.mark.thorough
def test_a_newcomer_spreads_the_fee_over_the_pots(open_house: Open, sit: Browse) -> None:
    """Five coins in the pots, three players: two are due, one into each of two pots; sitting out and back is free."""
    house = seeded(open_house)
    house.do(do="play", card="6D3")
    house.do(do="end")
    house.do(do="play", card="5D1")
    house.do(do="end")
    house.do(do="play", card="7D2")
    for verb in ("end", "fold", "fold"):
        house.do(do=verb)
    dealer = sit(house, 0)
    dealer.keyboard.press("s")
    expect(dealer.locator(".pot-split legend")).to_have_text("2 coins into the pots")
    dealer.get_by_role("button", name="One less into Kin").click()
    expect(dealer.locator(".pot-split")).to_contain_text("1 coin to place")
    dealer.get_by_role("button", name="One more into Mages").click()
    dealer.get_by_label("Name").fill("Dorothea")
    dealer.get_by_label("Coins").fill("50")
    dealer.get_by_role("button", name="Add player").click()
    row = dealer.locator(".players li", has_text="Dorothea")
    expect(row.locator(".player-head")).to_contain_text("48")
    assert {suit: coins for suit, coins in house.service.view()["pots"].items() if coins} == {"2": 1, "5": 2, "6": 4}
    row.get_by_role("button", name="Sit out").click()
    expect(row).to_contain_text("Sits out since hand 1")
    row.get_by_role("button", name="Return").click()
    expect(row.get_by_role("button", name="Sit out")).to_be_visible()


def test_coins_that_disagree_are_recounted_with_a_reason(open_house: Open, sit: Browse) -> None:
    house = seeded(open_house)
    dealer = sit(house, 0)
    dealer.keyboard.press("s")
    dealer.locator(".players li", has_text="Chance").get_by_role("button", name="Recount").click()
    dealer.get_by_label("Coins counted").fill("98")
    dealer.get_by_label("Reason").fill("two fell under the table")
    dealer.get_by_role("button", name="Correct it").click()
    expect(dealer.locator(".players li", has_text="Chance").locator(".player-head")).to_contain_text("98")
    expect(dealer.locator(".toast").last).to_contain_text("two fell under the table")


@pytest.mark.thorough
def test_motion_shows_what_happened_unless_it_is_not_wanted(open_house: Open, browse: Browse) -> None:
    """The card slides to its stack and the token to its owner; with reduced motion nothing moves."""
    house = seeded(open_house)
    counting = """() => {
        const plain = Element.prototype.animate;
        window.slid = [];
        Element.prototype.animate = function (...how) {
            window.slid.push(this.dataset.fly);
            return plain.apply(this, how);
        };
    }"""
    lively, calm = browse(f"{house.url}/", viewport=TV), browse(f"{house.url}/", viewport=TV, reduced_motion="reduce")
    for page in (lively, calm):
        page.evaluate(counting)
        expect(page.locator(".live.on")).to_be_visible()
    house.do(do="play", card="6D3")
    for page in (lively, calm):
        expect(coins_of(page, "Aubrey")).to_have_text("97")
    assert set(lively.evaluate("window.slid")) >= {"6D3", "T6"}
    assert calm.evaluate("window.slid") == []


@pytest.mark.thorough
def test_captains_odd_coin_goes_where_the_loser_says(open_house: Open, sit: Browse, browse: Browse) -> None:
    """A cut against one Shield of an odd suit: the game waits for the loser's pot, on buttons of its own."""
    house = open_house("captains", TRIO[:2])
    for card in ("3D1", "7D1", "7D2", "6D1", "6D2", "5D1", "4D1", "4D2"):
        house.do(do="seed", card=card)
    dealer, room = sit(house, 0), browse(f"{house.url}/", viewport=TV)
    dealer.locator(".intend-deal").click(force=True)
    expect(dealer.locator(".toast.error, .toast.ok").last).to_contain_text("may not deal on the first turn")
    touch(dealer, "3D2")
    seen(dealer.locator(".next .primary", has_text="End turn"))
    dealer.keyboard.press("n")
    expect(dealer.locator(".next .big")).to_have_text("Benedict to act")
    touch(dealer, "3N1")
    dealer.get_by_role("button", name="Played by Benedict").click()
    expect(room.locator(".seat-card", has_text="Aubrey").locator(".shield")).to_have_count(1)
    touch(dealer, "3N2")
    expect(room.locator(".prompt .big")).to_contain_text("Aubrey owes the odd coin")
    dealer.get_by_role("button", name="Odd coin into Commons").click()
    expect(room.locator("[data-place='pot/7'] b")).to_have_text("3")
    expect(room.locator(".deck-line")).to_contain_text("1 cut so far")
    dealer.get_by_role("button", name="Stop the game").click()
    dealer.get_by_role("button", name="Yes").click()
    expect(room.locator("[data-place='pot/7'] b")).to_have_text("0")
    assert sum(house.service.view()["pots"].values()) == 0


@pytest.mark.thorough
def test_before_the_first_hand_a_player_changes_seat_and_later_only_by_paying(open_house: Open, sit: Browse) -> None:
    """Another seat means leaving and coming anew: free while no pot has a coin; then the button is gone."""
    house = open_house("rochi", TRIO[:2])
    dealer = sit(house, 0)
    dealer.get_by_role("tab", name="Players").click()
    row = dealer.locator("#tab .players li", has_text="Benedict")
    row.get_by_role("button", name="Name or seat").click()
    sheet = dealer.get_by_role("dialog")
    sheet.get_by_label("Seat").fill("5")
    sheet.get_by_role("button", name="Change it").click()
    expect(row.locator(".seat")).to_have_text("5")
    seated = {player["name"]: (player["seat"], player["coins"]) for player in house.service.view()["players"]}
    assert seated == {"Aubrey": (1, 100), "Benedict": (5, 100)}
    assert house.service.view()["undo"]


def test_in_a_hand_nobody_changes_seat(open_house: Open, sit: Browse) -> None:
    house = seeded(open_house)
    dealer = sit(house, 0)
    dealer.get_by_role("tab", name="Players").click()
    expect(dealer.locator("#tab .players li")).to_have_count(3)
    expect(dealer.get_by_role("button", name="Name or seat")).to_have_count(0)
