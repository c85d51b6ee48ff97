"""A tournament at real pages: clock, hands turned up, a rebuy, a break, a chip race, and the prizes."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect
from webhouse import House, seen

PLAYERS = (("Ann", 1000), ("Bo", 1000), ("Cy", 1000))
LEVELS = [
    {"blinds": [25, 50], "ante": 25, "minutes": 20},
    {"break": 10},
    {"blinds": [100, 200], "chip": 100, "minutes": 20},
]
SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
SIZES = {"phone": (390, 844), "tablet": (1024, 768), "laptop": (1366, 768), "tv": (1920, 1080)}


@pytest.fixture
def felt(open_house: Callable[..., House]) -> House:
    house = open_house("holdem-tournament", PLAYERS, levels=LEVELS, rebuy_until=1, add_on=550, prizes=[70, 30])
    house.service.set_settings(replace(house.service.settings, chances=True))
    return house


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
    press(page, f"{what} {text}")
    expect(page.get_by_role("button", name=f"{what} {text}", exact=True)).to_have_count(0)


def too_wide(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def turn_up(dealer: Page, player: str, *ids: str) -> None:
    press(dealer, f"{player} turns up")
    cards(dealer, "Shows", *ids)


def all_in(dealer: Page, *labels: str) -> None:
    """Have whoever's turn it is fold or go all-in, on the dealer's page."""
    for label in labels:
        if label.startswith("All-in"):
            dealer.locator(".sizes").get_by_role("button", name="All-in").click()
        dealer.locator(".acting").get_by_role("button", name=label, exact=True).click()


@pytest.mark.thorough
def test_a_tournament_from_the_first_hand_to_the_prizes(
    felt: House, sit: Callable[..., Page], browse: Callable[..., Page]
) -> None:
    dealer = sit(felt, 0, viewport={"width": 1366, "height": 768})
    room = browse(felt.url, viewport={"width": 1920, "height": 1080})
    phone = sit(felt, 1)
    press(dealer, "Start the clock")
    expect(room.locator(".level-clock")).not_to_contain_text("paused")
    expect(phone.locator(".level-clock .now")).to_have_text("25/50ante 25")
    begin(dealer)
    all_in(dealer, "Fold", "All-in with 975", "Call 925")
    turn_up(dealer, "Ann", "AS", "AD")
    expect(room.locator(".hole .playing.black")).to_have_count(1)
    expect(room.locator(".chance")).to_have_count(0)  # one hand is face down
    turn_up(dealer, "Bo", "KS", "KD")
    expect(room.locator(".chance").first).to_contain_text("≈")
    cards(dealer, "Lay", "2C", "7H", "9D")
    cards(dealer, "Lay", "TH")
    expect(room.locator(".chance")).to_have_text(["95.5 % to win", "4.5 % to win"])
    cards(dealer, "Lay", "3C")
    expect(room.locator(".standing")).to_contain_text("2 of 3")
    press(dealer, "Bo comes in with 1,000")
    press(dealer, "Ann: add-on of 550")
    expect(dealer.locator(".do-add-on-Ann")).to_have_count(0)
    seen(dealer.locator(".do-next-level")).click()
    expect(room.locator(".level-clock .label")).to_have_text("Break")
    seen(dealer.locator(".main-actions").get_by_role("button", name="Next level")).click()
    expect(dealer.locator(".next .big")).to_contain_text("Race for 1 chip of 100")
    press(dealer, "Cy (75)")
    dealer.locator(".do-chip-race").click()
    expect(room.locator(".hands")).to_contain_text("1,000")
    begin(dealer)
    assert too_wide(room) == too_wide(phone) == too_wide(dealer) == 0
    felt.do(do="fold")
    felt.do(do="fold")
    press(dealer, "End without prizes")
    dealer.locator("dialog").get_by_role("button", name="End without prizes").click()
    expect(dealer.locator(".next .big")).to_have_text("The tournament is over")
    expect(phone.locator(".big")).to_contain_text("The tournament is over")


@pytest.mark.slow
@pytest.mark.parametrize("size", list(SIZES))
def test_a_tournament_fits_at_every_size(
    felt: House, sit: Callable[..., Page], browse: Callable[..., Page], size: str
) -> None:
    here = {"viewport": dict(zip(("width", "height"), SIZES[size], strict=True))}
    pages = [sit(felt, 0, **here), sit(felt, 2, **here), browse(felt.url, **here, locale="de")]
    for page in pages:
        expect(page.locator(".level-clock .time")).to_be_visible()
        assert too_wide(page) == 0


@pytest.mark.parametrize("minutes", [-11, 11])
def test_a_device_whose_clock_is_wrong_shows_the_tables_time(
    felt: House, browse: Callable[..., Page], minutes: int
) -> None:
    """It learns the table's time from what the table sends: the level's clock and the turn's timer go by that."""
    felt.service.set_settings(replace(felt.service.settings, turn_seconds=500))
    for record in ({"do": "start-clock"}, {"do": "post"}, *({"do": "hole", "player": name} for name, _ in PLAYERS)):
        felt.do(**record)
    page = browse(felt.url)
    page.add_init_script(f"const real = Date.now; Date.now = () => real() + {minutes * 60_000};")
    page.reload()
    expect(page.locator(".level-clock .time")).to_have_text(re.compile(r"^(20:00|19:[345]\d)$"))
    expect(page.locator(".timer b")).to_have_text(re.compile(r"^(4[789]\d|500)$"))


@pytest.fixture
def all_called(felt: House) -> House:
    """Ann and Bo are all-in in the first hand; the board is to come."""
    for record in (
        {"do": "post"},
        {"do": "hole", "player": "Ann"},
        {"do": "hole", "player": "Bo"},
        {"do": "hole", "player": "Cy"},
        {"do": "fold"},
        {"do": "raise", "to": 975},
        {"do": "call"},
    ):
        felt.do(**record)
    return felt


def all_visible(page: Page, selector: str) -> bool:
    """Whether every element is whole within the tab that holds it."""
    fits = """found => { const tab = document.getElementById("tab").getBoundingClientRect();
        return found.length > 0 && found.every(one => one.getBoundingClientRect().bottom <= tab.bottom + 1); }"""
    return bool(page.locator(selector).evaluate_all(fits))


def test_the_whole_card_pad_is_seen_below_a_pay_sheet(all_called: House, sit: Callable[..., Page]) -> None:
    dealer = sit(all_called, 0, viewport={"width": 1024, "height": 768})
    expect(dealer.locator(".pay-tick").first).to_be_visible()
    expect(dealer.locator(".tables")).to_have_count(2)
    assert all_visible(dealer, ".card-key, .give")


@pytest.mark.thorough
def test_the_rooms_screen_names_who_shows_five_cards_and_a_phone_who_is_out(
    all_called: House, sit: Callable[..., Page], browse: Callable[..., Page]
) -> None:
    room = browse(all_called.url, viewport={"width": 1920, "height": 1080})
    dealer = sit(all_called, 0)
    turn_up(dealer, "Ann", "AS", "AD")
    turn_up(dealer, "Bo", "KS", "KD")
    cards(dealer, "Lay", "2C", "7H", "9D")
    cards(dealer, "Lay", "TH")
    cards(dealer, "Lay", "3C")
    expect(room.locator(".five")).to_have_count(2)
    cut = "names => names.filter(name => name.scrollWidth > name.clientWidth).map(name => name.textContent)"
    assert room.locator(".hand .who").evaluate_all(cut) == []
    expect(room.locator(".standing")).to_contain_text("Prizes")
    loser = next(one["seat"] for one in all_called.service.view()["players"] if one["coins"] == 0)
    phone = sit(all_called, loser)
    expect(phone.locator("main")).to_contain_text("Tell the dealer if you come in again, with 1,000.")
    expect(phone.locator("#toasts")).to_be_empty()


def test_the_end_says_how_another_tournament_begins(felt: House, sit: Callable[..., Page]) -> None:
    dealer = sit(felt, 0)
    felt.do(do="post")
    for player in ("Ann", "Bo", "Cy"):
        felt.do(do="hole", player=player)
    for verb in ("fold", "fold", "call-off"):
        felt.do(do=verb)
    expect(dealer.locator(".next .hint")).to_contain_text("For another tournament: Change game")
