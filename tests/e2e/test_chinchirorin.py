"""An evening of chinchirorin at real pages: the dealer taps the dice, phones bet, the room looks on."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from webhouse import House, seen

PLAYERS = (("Ann", 100), ("Bo", 60), ("Cy", 40))
SIZES = [(390, 844), (1024, 768), (1920, 1080)]


@pytest.fixture
def bowl(open_house: Callable[..., House]) -> House:
    return open_house("chinchirorin", PLAYERS)


def draw(page: Page, player: str, die: int) -> None:
    page.get_by_role("group", name=player).get_by_label(f"A die that shows {die}").click()


def announce(page: Page, coins: str) -> None:
    form = page.locator("form[data-verb=bank]")
    form.get_by_label("Amount").press_sequentially(coins)
    form.get_by_role("button", name="Announce the bank").click()


def bet(page: Page, player: str, coins: str) -> None:
    page.get_by_role("group", name="Bets for").get_by_role("button", name=player).click()
    form = page.locator("form[data-verb=bet]")
    form.get_by_label("Amount").press_sequentially(coins)
    form.get_by_role("button", name="Bet", exact=True).click()
    expect(page.locator(".bank-bets")).to_contain_text(player)


def bet_by_phone(page: Page, coins: str) -> None:
    page.locator("form[data-verb=bet]").get_by_label("Amount").press_sequentially(coins)
    page.get_by_role("button", name="Bet", exact=True).tap()


def throw(page: Page, *dice: int) -> None:
    for die in dice:
        page.get_by_role("group", name="Dice").get_by_label(f"A die that shows {die}").click()
    page.get_by_role("button", name=f"Count {'-'.join(map(str, dice))}").click()
    expect(page.get_by_role("button", name="Count", exact=False)).to_have_count(0)


def next_step(page: Page, text: str) -> None:
    expect(page.locator(".next .big")).to_have_text(text)


def coins(house: House) -> dict[str, int]:
    return {player["name"]: player["coins"] for player in house.service.view()["players"]}


def too_wide(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


@pytest.mark.thorough
def test_an_evening_with_a_draw_storms_scores_a_wash_and_the_end(
    bowl: House, sit: Callable[..., Page], browse: Callable[..., Page]
) -> None:
    dealer, bo, cy = sit(bowl, 0, viewport={"width": 1024, "height": 768}), sit(bowl, 2), sit(bowl, 3)
    room = browse(bowl.url, viewport={"width": 1920, "height": 1080})
    row = dealer.get_by_role("group", name="Cy")
    place = row.bounding_box()
    draw(dealer, "Ann", 5)
    expect(dealer.get_by_role("group", name="Ann").get_by_label("A die that shows 5")).to_have_attribute(
        "aria-pressed", "true"
    )
    assert row.bounding_box() == place, "no row moves while a finger is on its way to it"
    for player, die in (("Bo", 2), ("Cy", 5)):
        draw(dealer, player, die)
    next_step(dealer, "A tie at 5. Another die for the first bank: Ann and Cy")
    for player, die in (("Ann", 4), ("Cy", 1)):
        draw(dealer, player, die)
    next_step(dealer, "Ann has the bank: how much is it?")

    announce(dealer, "50")  # the banker's score is beaten
    bet_by_phone(bo, "30")
    expect(cy.locator(".bank-bets")).to_contain_text("throws for all")
    bet_by_phone(cy, "15")
    expect(bo.locator("main")).to_contain_text("Somebody further on has bet")
    expect(dealer.locator(".bank-panel")).to_contain_text("Room for 5 more")
    seen(dealer.get_by_role("button", name="No more bets")).click()
    throw(dealer, 1, 2, 4)
    throw(dealer, 6, 3, 6)
    expect(bo.locator("[role=status].my-turn")).to_contain_text("Throw for all bettors")
    throw(dealer, 5, 4, 4)
    expect(room.locator(".summary")).to_contain_text("Ann has 3, Bo 5: Ann pays the bets. Bo gets 30, Cy gets 15")
    expect(bo.locator(".dues")).to_contain_text("You get, from Ann")
    assert coins(bowl) == {"Ann": 55, "Bo": 90, "Cy": 55}

    next_step(dealer, "Bo has the bank: how much is it?")  # a wash: the bank is kept
    announce(dealer, "20")
    bet(dealer, "Cy", "20")
    seen(dealer.get_by_role("button", name="No more bets")).click()
    throw(dealer, 2, 2, 4)
    throw(dealer, 3, 4, 3)
    next_step(dealer, "A wash: Bo keeps the bank or passes it")
    expect(bo.locator("[role=status].my-turn")).to_contain_text("keep the bank, or pass it")
    seen(dealer.get_by_role("button", name="Keep the bank")).click()

    announce(dealer, "90")  # a storm that not everybody can pay
    bet(dealer, "Cy", "50")
    bet(dealer, "Ann", "40")
    seen(dealer.get_by_role("button", name="No more bets")).click()
    throw(dealer, 6, 5, 4)
    expect(room.locator(".summary")).to_contain_text("Cy owes 100, has only 55 and pays that, Ann owes 80, has only 55")
    assert coins(bowl) == {"Ann": 0, "Bo": 200, "Cy": 0}
    next_step(dealer, "The game is over")
    seen(dealer.locator(".do-undo"))
    dealer.keyboard.press("u")
    next_step(dealer, "Bo throws for the bank; throws left: 3")
    dealer.get_by_role("button", name="Out of the bowl").click()
    next_step(dealer, "Cy has the bank: how much is it?")
    assert coins(bowl) == {"Ann": 95, "Bo": 0, "Cy": 105}
    dealer.goto(f"{bowl.url}/history")
    expect(dealer.locator(".hand h2")).to_have_count(3)
    dealer.goto(f"{bowl.url}/history/1/1")
    expect(dealer.locator(".step .big")).to_contain_text("Ann has 3, Bo 5")


def test_the_banker_says_the_bank_and_keeps_it_by_phone(bowl: House, sit: Callable[..., Page]) -> None:
    for player, die in (("Ann", 2), ("Bo", 6), ("Cy", 5)):
        bowl.do(do="throw-for-bank", player=player, die=die)
    bo, cy = sit(bowl, 2), sit(bowl, 3)
    expect(bo.locator("[role=status].my-turn")).to_contain_text("You have the bank: how much is it?")
    expect(cy.locator("form")).to_have_count(0)
    bo.locator("form[data-verb=bank]").get_by_label("Amount").press_sequentially("70")
    bo.get_by_role("button", name="Announce the bank").tap()
    expect(bo.locator(".toast.error")).to_contain_text("60")  # more than there is
    bo.locator("form[data-verb=bank]").get_by_label("Amount").fill("")
    bo.locator("form[data-verb=bank]").get_by_label("Amount").press_sequentially("20")
    bo.get_by_role("button", name="Announce the bank").tap()
    bet_by_phone(cy, "20")
    expect(bo.locator(".bank-bets")).to_contain_text("Cy")
    for record in ({"do": "close"}, {"do": "throw", "dice": [2, 2, 4]}, {"do": "throw", "dice": [3, 4, 3]}):
        bowl.do(**record)
    expect(cy.get_by_role("button", name="Keep the bank")).to_have_count(0)
    bo.get_by_role("button", name="Keep the bank").tap()
    expect(bo.locator("[role=status].my-turn")).to_contain_text("how much is it?")
    assert bowl.service.view()["banker"] == "Bo"


@pytest.mark.thorough
def test_more_than_the_bank_needs_the_bankers_word(bowl: House, sit: Callable[..., Page]) -> None:
    for player, die in (("Ann", 6), ("Bo", 2), ("Cy", 5)):
        bowl.do(do="throw-for-bank", player=player, die=die)
    bowl.do(do="bank", amount=10)
    dealer, bo = sit(bowl, 0), sit(bowl, 2)
    bet_by_phone(bo, "12")
    expect(bo.locator(".toast.error")).to_contain_text("The bank has room for 10 more, not 12")
    dealer.get_by_role("group", name="Bets for").get_by_role("button", name="Bo").click()
    dealer.get_by_label("The banker allows more than the bank").check()
    dealer.locator("form[data-verb=bet]").get_by_label("Amount").press_sequentially("12")
    dealer.get_by_role("button", name="Bet", exact=True).click()
    expect(bo.locator(".bank-bets")).to_contain_text("12")
    bo.get_by_role("button", name="Take my 12 back").tap()
    expect(bo.locator(".bank-bets li")).to_have_count(0)
    assert coins(bowl) == {"Ann": 100, "Bo": 60, "Cy": 40}


@pytest.mark.thorough
def test_a_banker_who_is_short_pays_no_more_than_there_is(
    open_house: Callable[..., House], sit: Callable[..., Page], browse: Callable[..., Page]
) -> None:
    """Own stakes that come back are nobody's payment, and it is said what was owed. Who has nothing left is out."""
    house = open_house("chinchirorin", (("Celia", 174), ("A/B", 200), ("Aubrey", 100)), banker=1)
    dealer, celia, winner, room = sit(house, 0), sit(house, 1), sit(house, 2), browse(house.url)
    house.do(do="bank", amount=174)
    for player, amount in (("A/B", 100), ("Aubrey", 40)):
        house.do(do="bet", player=player, amount=amount)
    house.do(do="close")
    house.do(do="throw", dice=[1, 1, 1])
    said = "1-1-1: Celia owes 3 times the bets, 420 in all, and has only 174. A/B gets 87 of 300, Aubrey gets 87 of 120"
    for page in (dealer, celia, room):
        expect(page.locator(".bowl .summary")).to_have_text(said)
    expect(dealer.locator(".pay-step.is-hand .pay-coins > b")).to_have_text(["87", "87"])
    expect(dealer.locator(".pay-step.is-keep .pay-coins > b")).to_have_text(["100", "40"])
    expect(celia.locator(".dues .owe")).to_have_count(2)
    expect(celia.locator(".dues .owe").first).to_contain_text("You pay A/B")
    expect(celia.locator(".dues .owe").first).to_contain_text("87")
    paid, kept = winner.locator(".dues .get").all()
    expect(paid).to_contain_text("You get, from Celia")
    expect(paid).to_contain_text("87")
    expect(kept).to_contain_text("Your own stake")
    expect(kept).to_contain_text("stake of 100 stays or goes back")

    house.do(do="bank", amount=50)
    expect(celia.locator(".my-turn, .panel .big").first).to_have_text("You have no coins: you are out of the game.")
    expect(celia.locator("form")).to_have_count(0)
    expect(dealer.get_by_role("group", name="Bets for").get_by_role("button")).to_have_count(1)
    expect(room.locator(".people li").filter(has_text="Celia")).to_contain_text("Out")


@pytest.mark.thorough
def test_everybody_reads_what_holds_for_them(
    bowl: House, sit: Callable[..., Page], browse: Callable[..., Page]
) -> None:
    bo, cy, room = sit(bowl, 2), sit(bowl, 3), browse(bowl.url)
    for player, die in (("Ann", 6), ("Bo", 2), ("Cy", 5)):
        bowl.do(do="throw-for-bank", player=player, die=die)
    bowl.do(do="bank", amount=40)
    expect(room.locator(".prompt .big")).to_have_text("Bets against Ann, clockwise")
    expect(bo.locator(".panel .big").first).to_have_text("You may bet against Ann.")
    bet_by_phone(cy, "15")
    expect(bo.locator(".panel .big").first).to_have_text("Somebody further on has bet: you are past in this round.")
    expect(bo.locator("form")).to_have_count(0)
    field, back = cy.get_by_label("Amount").bounding_box(), cy.get_by_role("button", name="Take my 15").bounding_box()
    assert field
    assert back
    assert back["y"] - (field["y"] + field["height"]) >= 8, "a finger that misses one hits nothing"
    bowl.do(do="hold", why="the dealer asked for it")
    expect(room.locator(".prompt .big")).to_have_text("On hold")
    expect(cy.locator(".panel .big").first).to_have_text("On hold")


@pytest.mark.parametrize("language", ["en", "de", "es"])
@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.thorough
def test_the_pages_fit_in_every_language(
    bowl: House, sit: Callable[..., Page], browse: Callable[..., Page], width: int, height: int, language: str
) -> None:
    options: dict[str, Any] = {"viewport": {"width": width, "height": height}, "locale": language}
    pages = [sit(bowl, 0, **options)] if language == "en" else []
    pages += [sit(bowl, 2, **options), browse(bowl.url, **options), browse(f"{bowl.url}/odds", **options)]
    for record in (
        *({"do": "throw-for-bank", "player": player, "die": die} for player, die in (("Ann", 6), ("Bo", 2), ("Cy", 5))),
        {"do": "bank", "amount": 50}, {"do": "bet", "player": "Bo", "amount": 30}, {"do": "close"},
        {"do": "throw", "dice": [1, 2, 4]}, {"do": "throw", "dice": [6, 3, 6]}, {"do": "throw", "dice": [1, 4, 2]},
    ):  # fmt: skip
        bowl.do(**record)
        if record["do"] in ("throw-for-bank", "bank", "throw"):
            assert [too_wide(page) for page in pages] == [0] * len(pages), record


@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_the_odds_fit_the_smallest_phone(bowl: House, browse: Callable[..., Page], language: str) -> None:
    """In Spanish the prices of storms made the page wider than its window."""
    page = browse(f"{bowl.url}/odds", viewport={"width": 360, "height": 740}, locale=language)
    expect(page.locator(".odds-table tbody tr").first).to_be_visible()
    assert too_wide(page) == 0
