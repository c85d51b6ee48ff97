"""The pay sheet at real pages: ticked by touch and by typed keys, seen by all, printed on one page."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from webhouse import House, seen

from companion.service.settings import TableSettings

pytestmark = pytest.mark.browser
Browse = Callable[..., Page]
Open = Callable[..., House]

PLAYERS = (("Aubrey", 100), ("Benedict", 100), ("Chance", 100))
SIZES = ((1366, 768), (1024, 768), (1920, 1080), (390, 844))
BETS = (("Aubrey", "cut/2", 4), ("Benedict", "cut/2", 10), ("Chance", "cut/6", 9))


def settle(house: House) -> None:
    for player, on, amount in BETS:
        house.do(do="bet", player=player, on=on, amount=amount)
    for record in ({"do": "no-more-bets"}, {"do": "deal", "card": "2D1"}, {"do": "deal", "card": "2D2"}):
        house.do(**record)


@pytest.fixture
def settled(open_house: Open) -> House:
    house = open_house("roche", PLAYERS)
    settle(house)
    return house


def ticks(page: Page) -> list[bool]:
    return [one.get_attribute("aria-checked") == "true" for one in page.locator(".pay-tick[role=checkbox]").all()]


def wait_for_ticks(page: Page, count: int) -> None:
    expect(page.locator(".pay-tick[aria-checked=true]")).to_have_count(count)
    expect(page.locator(".pay-tick[aria-disabled=true]")).to_have_count(0)  # until then a second press is ignored


def test_the_steps_stand_in_the_order_of_the_hands(settled: House, sit: Browse) -> None:
    """First what is taken, then the winners, whoever gets most first; 30 is 2 tens, and the stake of ten that stays."""
    dealer = sit(settled, 0)
    assert [row.inner_text().split("\n")[0].strip() for row in dealer.locator(".pay-what").all()] == [
        "Take from the spots",
        "Pay 2 Benedict",
        "Pay 1 Aubrey",
    ]
    rows = dealer.locator(".pay-step")
    expect(rows.nth(0)).to_contain_text("Kin cuts: Chance 9")
    expect(rows.nth(1).locator("b")).to_have_text("30")
    expect(rows.nth(1).locator(".pay-chips")).to_have_text("2 ×10+1 ×10")
    expect(rows.nth(2)).to_contain_text("8 from the house · stake of 4 stays or goes back")
    expect(dealer.locator(".pay-house")).to_have_text("House −19")


def test_typed_keys_tick_in_order_and_back_and_everybody_sees_it(settled: House, sit: Browse, browse: Browse) -> None:
    dealer, other, room = sit(settled, 0), sit(settled, 0), browse(f"{settled.url}/")
    phone = sit(settled, 1)
    dealer.keyboard.press("x")
    wait_for_ticks(dealer, 1)
    dealer.keyboard.press("x")
    wait_for_ticks(dealer, 2)
    assert ticks(dealer) == [True, True, False]
    dealer.keyboard.press("Shift+X")
    wait_for_ticks(dealer, 1)
    expect(dealer.locator(".pay-left")).to_have_text("2 steps to do")
    for page in (other, room):
        expect(page.locator(".pay-step.is-paid")).to_have_count(1)
    assert room.locator(".pay-sheet button").count() == 0, "the room only looks"
    seen(other.locator(".pay-tick", has_text="Aubrey")).click()
    expect(phone.locator(".dues .get")).to_contain_text("✓")
    expect(dealer.locator(".pay-step.is-paid")).to_have_count(2)
    dealer.reload()
    wait_for_ticks(dealer, 2)
    assert ticks(dealer) == [True, False, True]
    dealer.locator(".pay-tick", has_text="Benedict").focus()
    dealer.keyboard.press("Space")
    expect(dealer.locator(".pay-left")).to_have_text("✓ All done")
    expect(room.locator(".pay-sheet.is-done")).to_be_visible()


def test_ticks_are_there_after_a_restart(settled: House, sit: Browse) -> None:
    sit(settled, 0).get_by_role("button", name="Tick all").click()
    dealer = sit(settled, 0)
    wait_for_ticks(dealer, 3)
    settled.stop()
    settled.start()
    dealer.reload()
    wait_for_ticks(dealer, 3)


@pytest.mark.thorough
def test_undo_takes_the_sheet_away_and_says_what_has_to_come_back(settled: House, sit: Browse) -> None:
    dealer = sit(settled, 0)
    dealer.keyboard.press("x")
    wait_for_ticks(dealer, 1)
    dealer.keyboard.press("u")
    expect(dealer.locator(".pay-sheet")).to_have_count(0)
    expect(dealer.locator(".toast", has_text=COME_BACK.format("Take 9 from 1 spot"))).to_be_visible()
    seen(dealer.locator(".do-redo"))
    dealer.keyboard.press("r")
    expect(dealer.locator(".pay-sheet")).to_be_visible()
    assert ticks(dealer) == [False, False, False]


@pytest.mark.thorough
def test_of_an_undone_reveal_a_purchase_before_it_has_not_to_come_back(open_house: Open, sit: Browse) -> None:
    """The sheets before and after have different names, and the purchase lies on both: it is paid still."""
    names = ("Ann", "Bo", "Cy", "Dee")
    house = open_house("king-of-roulette", tuple((name, 9) for name in names))

    def choose(guess: str, **bets: int) -> None:
        house.do(do="rule", text="Low", one=[1, 2], two=3)
        house.do(do="guess", range=guess)
        for name, space in bets.items():
            house.do(do="bet", player=name, space=space)

    for name in names:
        house.do(do="vote", player=name, **{"for": "Ann"})
    house.do(do="buy-bonus", player="Ann")
    house.do(do="use-bonus", player="Ann")
    choose("0-1", Bo=6, Cy=6, Dee=6)
    house.do(do="reveal")  # 8 points for Ann, and a garnet
    house.do(do="elect", player="Bo")
    house.do(do="buy-bonus", player="Cy")
    choose("2-3", Ann=3, Cy=6, Dee=6)
    dealer = sit(house, 0)
    dealer.locator(".pay-tick[role=checkbox]").last.click()
    wait_for_ticks(dealer, 1)
    house.do(do="reveal")  # 10 points
    expect(dealer.locator(".pay-step").first).to_contain_text("Cy")
    dealer.locator(".pay-tick[role=checkbox]").last.click()
    wait_for_ticks(dealer, 2)
    house.do(do="undo")
    expect(dealer.locator(".toast")).to_contain_text(COME_BACK.format("Pay Ann 1"))
    wait_for_ticks(dealer, 1)


COME_BACK = "is undone now: {}. Move these coins back."
BOTH = "Take 9 from 1 spot; Pay Benedict 30: 20 and the stake of 10, which stays or goes back"


DOZING = """EventSource = class extends EventSource {
    addEventListener(kind, hear) { super.addEventListener(kind, (event) => window.dozes || hear(event)); }
};"""
"Streams of which the page hears nothing while it dozes."


def dozing_dealer(house: House, sit: Browse) -> Page:
    """Return the dealer's page with the first step ticked."""
    page = sit(house, 0)
    page.add_init_script(DOZING)
    page.reload()
    page.wait_for_selector(".live.on")
    page.keyboard.press("x")
    wait_for_ticks(page, 1)
    return page


def doze(page: Page, meanwhile: Callable[[], None]) -> None:
    """Let a page hear of what was done meanwhile only when it wakes up."""
    page.evaluate("window.dozes = true")
    meanwhile()
    page.evaluate("window.dozes = false")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")


@pytest.mark.thorough
def test_what_was_unticked_elsewhere_need_not_come_back(settled: House, sit: Browse) -> None:
    """Coins that were put back, unticked and undone on another device would be moved a second time."""
    dealer = dozing_dealer(settled, sit)
    sheet = settled.service.view()["pay_sheet"]

    def unticked_and_undone() -> None:
        settled.service.tick(sheet["id"], sheet["paid"], is_paid=False, source="dealer")
        settled.do(do="undo")

    doze(dealer, unticked_and_undone)
    expect(dealer.locator(".pay-sheet")).to_have_count(0)
    dealer.wait_for_timeout(500)
    assert dealer.locator(".toast").all_inner_texts() == []


@pytest.mark.thorough
def test_a_page_that_slept_says_all_that_was_ticked_and_is_undone(settled: House, sit: Browse) -> None:
    """Another device ticked more, took the cut back and entered another: as many commands count as before."""
    dealer = dozing_dealer(settled, sit)
    sheet = settled.service.view()["pay_sheet"]

    def ticked_and_corrected() -> None:
        settled.service.tick(sheet["id"], [sheet["steps"][1]["key"]], is_paid=True, source="dealer")
        settled.do(do="undo")
        settled.do(do="deal", card="2N1")

    doze(dealer, ticked_and_corrected)
    expect(dealer.locator(".toast.error")).to_contain_text(COME_BACK.format(BOTH))


@pytest.mark.thorough
def test_a_table_that_waits_goes_on_only_when_all_is_ticked(settled: House, sit: Browse) -> None:
    settled.service.set_settings(TableSettings(wait_for_payments=True))
    dealer = sit(settled, 0)
    expect(dealer.locator(".pay-left")).to_have_text("The table waits for 3 ticks")
    expect(dealer.get_by_role("button", name="New round")).to_have_count(0)
    dealer.keyboard.press("n")
    assert settled.service.view()["phase"] == "settled"
    for count in (1, 2, 3):
        dealer.keyboard.press("x")
        wait_for_ticks(dealer, count)
    seen(dealer.get_by_role("button", name="New round"))
    dealer.keyboard.press("n")
    expect(dealer.locator(".pay-sheet")).to_have_count(0)
    assert settled.service.view()["phase"] == "betting"


@pytest.mark.thorough
@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_the_printed_sheet_is_one_page_with_nothing_else(settled: House, sit: Browse, language: str) -> None:
    dealer = sit(settled, 0)
    dealer.get_by_label("Language").select_option(language)
    expect(dealer.locator(f"html[lang={language}]")).to_have_count(1)
    expect(dealer.locator(".pay-sheet")).to_be_visible()
    assert len(re.findall(rb"/Type\s*/Page\b", dealer.pdf(format="A4"))) == 1
    dealer.emulate_media(media="print")
    for name, coins in (("Benedict", "30"), ("Aubrey", "12")):
        expect(dealer.locator(".is-pay", has_text=name).locator("b")).to_have_text(coins)
    expect(dealer.locator(".pay-of")).to_be_visible()
    expect(dealer.locator(".pay-of")).to_have_text(re.compile(r"^Roche · .* ?1$"))
    inks = dealer.locator(".pay-who .seat").evaluate_all("all => all.map(one => getComputedStyle(one).color)")
    assert set(inks) == {"rgb(0, 0, 0)"}, "white numbers on colours that no printer prints"
    for other in ("header.bar", ".next", ".tabs", ".board", ".foot", ".pay-sheet button.pay-all"):
        assert not dealer.locator(other).first.is_visible(), other


@pytest.mark.thorough
@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_too_wide(settled: House, sit: Browse, browse: Browse, size: tuple[int, int]) -> None:
    viewport = {"width": size[0], "height": size[1]}
    for page in (sit(settled, 0, viewport=viewport), browse(f"{settled.url}/", viewport=viewport)):
        expect(page.locator(".pay-sheet")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        small = "all => all.filter(one => one.getBoundingClientRect().height < 44).length"
        assert page.locator(".pay-sheet button").evaluate_all(small) == 0
