"""The room's screen shows every payment whole, or says how many it does not show."""

from collections.abc import Callable
from typing import Any

import pytest
from crowded import OUTSIDE
from playwright.sync_api import Page, expect
from webhouse import House

pytestmark = [pytest.mark.browser, pytest.mark.thorough]
Browse = Callable[..., Page]
Open = Callable[..., House]

SIZES = ((1920, 1080), (1366, 768), (1280, 720), (3840, 2160), (1024, 768))
LANGUAGES = ("de", "en", "es")
LONG = tuple(
    (f"{letter}lexandrine von Hohenstaufen-Wittelsb {n:02d}", 100) for n, letter in enumerate("ABCDEFGHIJKL", 1)
)
"Names of the most letters that one may have."
SIX_PLAYERS = (
    {"do": "play", "card": "6N1"},
    {"do": "deal", "card": "6N2"},
    {"do": "play", "card": "7D2"},
    {"do": "deal", "card": "6N3"},
    {"do": "play", "card": "5D1"},
    {"do": "deal", "card": "6N4"},
    {"do": "play", "card": "4D2"},
    {"do": "deal", "card": "6N5"},
    {"do": "play", "card": "3D2"},
    {"do": "end"},
    {"do": "play", "card": "7D3"},
)
CUT = {"do": "deal", "card": "6N6"}
SHOWN = "rows => rows.filter(row => !row.hidden).map(row => row.textContent)"


def play(house: House, *records: dict[str, Any]) -> None:
    for record in records:
        house.do(**record)


def rows_of(room: Page) -> list[str]:
    """Return the text of each payment that is shown; all of them lie whole on the screen."""
    room.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")  # has fitted
    rows = room.locator("[data-row]:not([hidden])")
    assert rows.evaluate_all(OUTSIDE) == []
    return rows.evaluate_all(SHOWN)


def roche_bets(players: int) -> tuple[dict[str, Any], ...]:
    """Return three bets of each player: on the Mages, which cut, by day too, and on Kin."""
    spots = (("cut/2", 4), ("day/2", 2), ("cut/6", 9))
    bets = [
        {"do": "bet", "player": name, "on": on, "amount": amount} for name, _ in LONG[:players] for on, amount in spots
    ]
    return (*bets, {"do": "no-more-bets"}, {"do": "deal", "card": "2D1"}, {"do": "deal", "card": "2D2"})


def throw_bets(players: int) -> tuple[dict[str, Any], ...]:
    """Return four bets of each player, and a throw that decides them: three win."""
    spots = (("center/1", 3), ("day/1", 2), ("chain/1", 4), ("night/4", 8))
    bets = [
        {"do": "bet", "player": name, "on": on, "amount": amount} for name, _ in LONG[:players] for on, amount in spots
    ]
    return (*bets, {"do": "throw", "face": "1d"})


def spin_bets(players: int) -> tuple[dict[str, Any], ...]:
    """Return four bets of each player and a zero: one wins, two are lost, one goes to prison."""
    spots = (("split/0/2", 1), ("corner/16", 4), ("dozen/2", 8), ("red", 5))
    bets = [
        {"do": "bet", "player": name, "on": on, "amount": amount} for name, _ in LONG[:players] for on, amount in spots
    ]
    return (*bets, {"do": "no-more-bets"}, {"do": "spin", "pocket": "0"})


STREET = (
    {"do": "throw", "face": "4d"},
    {"do": "stake", "units": 2},
    *({"do": "take", "player": LONG[n][0], "number": n} for n in (1, 2, 3)),
    {"do": "close"},
    {"do": "throw", "face": "1d"},
)
CAPITAL = (
    {"do": "take", "player": LONG[0][0], "number": 1, "units": 2},
    *({"do": "take", "player": LONG[n - 1][0], "number": n} for n in (2, 3, 4)),
    {"do": "close"},
    {"do": "throw", "face": "1d"},
)
LAST_HAND = ({"do": "last-hand"}, *SIX_PLAYERS, CUT)
CAPTAINS = (
    *({"do": "seed", "card": card} for card in ("3D1", "7D1", "7D2", "6D1", "6D2", "5D1", "4D1", "4D2")),
    *({"do": "play", "card": "3D2"}, {"do": "end"}, {"do": "play", "card": "5D2"}, {"do": "deal", "card": "3N1"}),
)
SCENARIOS: dict[str, Any] = {
    "rochi": ("rochi", LONG[:6], {}, (*SIX_PLAYERS, CUT)),
    "rochi-last": ("rochi", LONG[:6], {}, LAST_HAND),
    "captains": ("captains", LONG[:2], {}, CAPTAINS),
    "roche6": ("roche", LONG[:6], {}, roche_bets(6)),
    "roche12": ("roche", LONG, {}, roche_bets(12)),
    "house6": ("rugen-house", LONG[:6], {}, throw_bets(6)),
    "house12": ("rugen-house", LONG, {}, throw_bets(12)),
    "roulette6": ("roulette", LONG[:6], {}, spin_bets(6)),
    "roulette12": ("roulette", LONG, {}, spin_bets(12)),
    "street": ("rugen-street", LONG[:6], {}, STREET),
    "capital": ("rugen-capital", LONG[:6], {}, CAPITAL),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_six_players_of_rochi_with_the_longest_names(open_house: Open, browse: Browse, language: str) -> None:
    """Five penalties of six coins and the pot, at every size of screen: each payer with the exact sum."""
    house = open_house("rochi", LONG[:6])
    play(house, *SIX_PLAYERS, CUT)
    room = browse(f"{house.url}/", viewport={"width": 1920, "height": 1080}, locale=language)
    for wide, high in SIZES:
        room.set_viewport_size({"width": wide, "height": high})
        expect(room.locator("[data-row]")).to_have_count(6)
        shown = rows_of(room)
        assert len(shown) == 6, f"{wide} x {high}: {shown}"
        for name, _ in LONG[1:6]:
            row = next(text for text in shown if name in text)
            assert row.endswith("6"), row
        expect(room.locator(".pay-sum")).to_contain_text(LONG[0][0])
        expect(room.locator(".pay-sum b")).to_have_text("31")
        expect(room.locator(".more-rows")).to_be_hidden()


@pytest.mark.parametrize(
    ("scenario", "language", "least"),
    [
        ("rochi-last", "de", 6),
        ("captains", "es", 2),
        ("roche6", "de", 7),
        ("roche12", "es", 6),
        ("house6", "es", 7),
        ("house12", "de", 6),
        ("roulette6", "de", 7),
        ("roulette12", "es", 6),
        ("street", "de", 1),
        ("capital", "en", 1),
    ],
)
def test_whatever_has_no_room_is_counted(
    open_house: Open, browse: Browse, scenario: str, language: str, least: int
) -> None:
    """At every size of screen at least so many rows are there in full, and the last one says how many are missing."""
    game, players, options, records = SCENARIOS[scenario]
    house = open_house(game, players, **options)
    play(house, *records)
    room = browse(f"{house.url}/", viewport={"width": 1920, "height": 1080}, locale=language)
    rows = room.locator("[data-row]")
    expect(rows.first).to_be_visible()
    for wide, high in SIZES[: -1 if scenario.endswith("12") else None]:  # twelve scroll on a tablet
        room.set_viewport_size({"width": wide, "height": high})
        room.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
        shown = rows_of(room)
        missing = rows.count() - len(shown)
        assert len(shown) >= least, f"{wide} x {high}: {shown}"
        more = room.locator(".more-rows")
        expect(more).to_contain_text(str(missing)) if missing else expect(more).to_be_hidden()
        if missing:
            assert more.evaluate_all(OUTSIDE) == []


def test_a_row_that_had_no_room_comes_back_with_it(open_house: Open, browse: Browse) -> None:
    house = open_house("roche", LONG)
    play(house, *roche_bets(12))
    room = browse(f"{house.url}/", viewport={"width": 1920, "height": 1080}, locale="es")
    room.evaluate("document.body.style.letterSpacing = '0.15em'")  # two lines a name, whatever fonts there are
    room.set_viewport_size({"width": 1280, "height": 720})
    expect(room.locator(".more-rows")).to_contain_text("más: véase la página del crupier")
    room.set_viewport_size({"width": 3840, "height": 2160})
    expect(room.locator(".more-rows")).to_be_hidden()
    expect(room.locator("[data-row]:not([hidden])")).to_have_count(13)


def test_a_win_says_what_to_pay_and_that_the_stake_goes_back(open_house: Open, sit: Browse, browse: Browse) -> None:
    """Three bets on a cut, two of them won: 8 and 30 to pay, stakes of 4 and 2 back, 9 lost; each place says so."""
    house = open_house("roche", (("Dorian", 100), ("Esther", 100)))
    for on, amount in (("cut/2", 4), ("day/2", 2), ("cut/6", 9)):
        house.do(do="bet", player="Dorian", on=on, amount=amount)
    house.do(do="bet", player="Esther", on="cut/2", amount=4)
    play(house, {"do": "no-more-bets"}, {"do": "deal", "card": "2D1"}, {"do": "deal", "card": "2D2"})
    room, dealer, phone = (
        browse(f"{house.url}/", viewport={"width": 1920, "height": 1080}),
        sit(house, 0),
        sit(house, 1),
    )
    for page in (room, dealer):
        take, dorian = page.locator(".pay-sheet .is-take"), page.locator(".pay-sheet .is-pay", has_text="Dorian")
        expect(take.locator("b")).to_have_text("9")
        expect(take).to_contain_text("Kin cuts: Dorian 9")
        expect(dorian.locator("b")).to_have_text("44")
        expect(dorian.locator(".pay-chips")).to_have_text("3 ×10+1 ×5+3 ×1+1 ×5+1 ×1")
        expect(dorian).to_contain_text("38 from the house · stake of 6 stays or goes back")
        expect(page.locator(".pay-sheet .is-pay", has_text="Esther").locator("b")).to_have_text("12")
        expect(page.locator(".pay-house")).to_have_text("House −37")
    expect(dealer.locator(".next")).to_contain_text("46 won, stakes of 10 back: 56 in all")
    dealer.locator(".payouts > summary").click()
    paid = dealer.locator(".payouts li", has_text="Mages by day")
    expect(paid).to_contain_text("30 won, stake of 2 back: 32 in all")
    paid.locator("summary").click()
    expect(paid).to_contain_text("30 won, and the stake comes back: 32 in all")
    expect(phone.locator(".dues .get")).to_contain_text("stake of 6 stays or goes back")
    expect(phone.locator(".dues .get b")).to_have_text("44")
    expect(phone.locator(".dues .owe b")).to_have_text("9")
    expect(phone.locator(".outcome")).to_contain_text("Mages cuts: 8 won, stake of 4 back: 12 in all")
    expect(phone.locator(".outcome")).to_contain_text("Kin cuts: −9")
    phone.goto(f"{house.url}/history/1/1/receipt")
    expect(phone.locator(".receipt .said")).to_contain_text("46 won, stakes of 10 back: 56 in all")
    expect(phone.locator(".receipt table").first.locator("tr", has_text="Mages by day")).to_contain_text("32")


def test_a_throw_of_the_chain_is_paid_once(open_house: Open, sit: Browse, browse: Browse) -> None:
    """What an earlier throw has paid stands apart from what the latest one pays."""
    house = open_house("rugen-house", (("Dorian", 100), ("Esther", 100)))
    house.do(do="bet", player="Dorian", on="center/3", amount=3)
    house.do(do="bet", player="Dorian", on="chain/2", amount=5)
    house.do(do="throw", face="3d")
    room, dealer, phone = (
        browse(f"{house.url}/", viewport={"width": 1920, "height": 1080}),
        sit(house, 0),
        sit(house, 1),
    )
    expect(room.locator(".pay-sheet .is-pay b")).to_have_text("10")
    play(house, {"do": "throw", "face": "2n"}, {"do": "throw", "face": "2d"})
    for page in (room, dealer):
        expect(page.locator(".pay-sheet .is-pay")).to_have_count(1)
        expect(page.locator(".pay-sheet .is-pay b")).to_have_text("20")
        expect(page.locator(".pay-sheet")).to_contain_text("15 from the house · stake of 5 stays or goes back")
    expect(phone.locator(".this-throw")).to_contain_text("15 won, stake of 5 back: 20 in all")
    expect(dealer.locator(".payouts")).to_have_count(2)
    expect(dealer.locator(".payouts").last).to_contain_text("Paid earlier in this chain")
    expect(dealer.locator(".payouts").last).to_contain_text("7 won, stake of 3 back: 10 in all")


def test_who_takes_all_takes_the_stake_too(open_house: Open, sit: Browse, browse: Browse) -> None:
    house = open_house("rugen-street", LONG[:6])
    play(house, *STREET)
    room, phone = browse(f"{house.url}/", viewport={"width": 1920, "height": 1080}), sit(house, 2)
    expect(room.locator(".pay-sheet .is-pay b")).to_have_text("40")
    expect(room.locator(".pay-sheet .is-pay")).to_contain_text("24 from others’ stakes")
    expect(room.locator(".pay-sheet .is-pay")).to_contain_text("stake of 16 stays or goes back")
    expect(phone.locator(".outcome")).to_contain_text("24 won, stake of 16 back: 40 in all")


TWELVE = (*(f"Player {number}" for number in range(1, 12)), "Maximiliane Freifrau von Thurn")


@pytest.mark.parametrize("size", [(1920, 1080), (1366, 768)])
def test_the_bets_of_eleven_against_the_bank_are_all_in_sight(
    open_house: Open, browse: Browse, size: tuple[int, int]
) -> None:
    """Twelve people took half of the screen, and five of their bets lay below its edge."""
    house = open_house("chinchirorin", tuple((name, 1_222_222) for name in TWELVE))
    room = browse(house.url, viewport={"width": size[0], "height": size[1]})
    for place, name in enumerate(TWELVE):
        house.do(do="throw-for-bank", player=name, die=6 if place == 0 else 1 + place % 5)
    house.do(do="bank", amount=1_000_000)
    for name in TWELVE[1:]:
        house.do(do="bet", player=name, amount=12_345)
    expect(room.locator(".bank-bets li")).to_have_count(11)
    assert room.locator(".bank-bets li").evaluate_all(OUTSIDE) == []


LAYOUTS = {
    "roulette": ("straight/17", ".wheel-felt", 0.44),
    "rugen-house": ("chain/2", ".house-felt", 0.44),
    "roche": ("cut/6", ".stacks", 0.44),
}
"""A spot to bet on, the layout, and the least share of the screen's height that it has."""


@pytest.mark.parametrize("game", LAYOUTS)
@pytest.mark.parametrize("size", [(1920, 1080), (1366, 768)])
def test_twelve_people_leave_the_layout_half_of_the_screen(
    open_house: Open, browse: Browse, size: tuple[int, int], game: str
) -> None:
    """It was a quarter as high as the screen, its numbers too small to be read across a room."""
    on, layout, least = LAYOUTS[game]
    house = open_house(game, tuple((name, 1_222_222) for name in TWELVE))
    room = browse(house.url, viewport={"width": size[0], "height": size[1]})
    for name in TWELVE:
        house.do(do="bet", player=name, on=on, amount=12_345)
    if game == "roche":
        house.do(do="no-more-bets")
    expect(room.locator(".people li")).to_have_count(12)
    box = room.locator(layout).bounding_box()
    assert box is not None
    assert box["height"] > least * size[1]
