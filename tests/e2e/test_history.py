"""The history in a real browser: a round step by step with keys, slider and finger; receipts, filters, the summary."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from webhouse import House

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core comes with the dev extra")
pytestmark = pytest.mark.browser
Browse = Callable[..., Page]
Open = Callable[..., House]

TV, PHONE = {"width": 1920, "height": 1080}, {"width": 390, "height": 844}
DEAL = ("7D1", "2D1", "2N1")


def a_round(house: House) -> None:
    house.do(do="bet", player="Aubrey", on="cut/2", amount=5)
    house.do(do="no-more-bets")
    for card in DEAL:
        house.do(do="deal", card=card)


def faults(page: Page) -> list[str]:
    """What axe-core finds, and whether the page is wider than its window."""
    page.wait_for_timeout(600)
    found = [f"{v['id']}: {n['target']}" for v in axe.Axe().run(page).response["violations"] for n in v["nodes"]]
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return found + ([f"{over} px too wide"] if over > 0 else [])


@pytest.mark.thorough
def test_a_round_is_replayed_step_by_step(house: House, browse: Browse) -> None:
    """First, back, forth and last by buttons, keys and slider; the table is the one of that moment."""
    a_round(house)
    page = browse(f"{house.url}/history", viewport=TV)
    page.get_by_role("link", name="Round 1: Step by step").click()
    said, count = page.locator(".step .big"), page.locator(".controls output")
    expect(count).to_have_text("6 of 6")
    expect(said).to_contain_text("Mages cut with Mages night 1")
    expect(page.locator(".payments")).to_contain_text("Aubrey")
    page.keyboard.press("ArrowLeft")
    expect(said).to_contain_text("Mages day 1 dealt: 1 of 2")
    expect(page.locator("[data-suit='2'] .count b")).to_have_text("1")
    page.keyboard.press("Home")
    expect(page.get_by_role("button", name="Step back")).to_have_attribute("aria-disabled", "true")
    page.get_by_role("button", name="Next step").click()
    expect(said).to_have_text("Aubrey bets 5 on Mages to cut")
    expect(page.locator(".route")).to_contain_text("The layout")
    expect(page.locator(".step .label")).to_contain_text("Camera")
    slider = page.get_by_role("slider", name="Step")
    slider.fill("3")
    expect(said).to_contain_text("Commons day 1")
    expect(slider).to_have_attribute("aria-valuetext", "4 of 6")
    page.locator(".step-list button", has_text="No more bets").click()
    expect(count).to_have_text("3 of 6")
    page.get_by_role("button", name="Play").click()
    expect(count).to_have_text("4 of 6")
    page.get_by_role("button", name="Pause").click()
    page.keyboard.press("End")
    page.reload()
    expect(count).to_have_text("6 of 6")
    assert "#s6" in page.url


@pytest.mark.thorough
def test_a_finger_goes_through_a_chain_on_a_phone(open_house: Open, browse: Browse) -> None:
    house = open_house("rugen-house", (("Aubrey", 100), ("Benedict", 100)))
    house.do(do="bet", player="Aubrey", on="day/1", amount=5)
    house.do(do="throw", d20=1)
    page = browse(f"{house.url}/history/1/1", viewport=PHONE, has_touch=True)
    count = page.locator(".controls output")
    expect(count).to_have_text("3 of 3")
    swipe(page, 100, 300)
    expect(count).to_have_text("2 of 3")
    expect(page.locator(".step .big")).to_have_text("Aubrey bets 5 on 1 by day")
    swipe(page, 300, 100)
    expect(count).to_have_text("3 of 3")
    assert faults(page) == []


def swipe(page: Page, start: int, end: int) -> None:
    """Draw a finger over the page."""
    page.evaluate(
        """([start, end]) => {
            const main = document.querySelector("main");
            const at = (x) => new Touch({ identifier: 1, target: main, clientX: x, clientY: 300 });
            const send = (kind, more) => main.dispatchEvent(new TouchEvent(kind, { bubbles: true, ...more }));
            send("touchstart", { touches: [at(start)], changedTouches: [at(start)] });
            send("touchend", { touches: [], changedTouches: [at(end)] });
        }""",
        [start, end],
    )


@pytest.mark.thorough
def test_a_receipt_opens_its_round_and_a_forged_one_is_told(house: House, browse: Browse) -> None:
    a_round(house)
    page = browse(f"{house.url}/history/1/1/receipt", viewport=PHONE)
    assert faults(page) == []
    address = page.locator(".qr").get_attribute("href") or ""
    head = address.partition("#")[2]
    page.goto(f"{house.url}/history/1/1#{head}")
    expect(page.locator(".receipt-check")).to_contain_text("The receipt fits")
    page.goto(f"{house.url}/history")
    page.goto(f"{house.url}/history/1/1#head={'0' * 24}")
    expect(page.locator(".receipt-check")).to_contain_text("does not fit")


OVERLAPS = """() => [...document.querySelectorAll(".stack")].filter(one => {
    const text = new Range();
    text.selectNodeContents(one.querySelector("h2"));
    return text.getBoundingClientRect().right > one.querySelector(".count").getBoundingClientRect().left;
}).map(one => one.getAttribute("aria-label"))"""


def test_words_of_a_round_have_room_on_a_small_phone(house: House, browse: Browse) -> None:
    """In Spanish "2 de 2" lay over "Magos", and the receipt broke "Benedict" before its last letter."""
    house.do(do="bet", player="Benedict", on="cut/2", amount=5)
    a_round(house)
    for language, suit in (("de", "Magier"), ("es", "Magos")):
        page = browse(f"{house.url}/history/1/1", viewport={"width": 320, "height": 640}, locale=language)
        expect(page.locator(".stack.is-cut h2")).to_have_text(suit)
        assert page.evaluate(OVERLAPS) == []
    page.goto(f"{house.url}/history/1/1/receipt")
    name = page.get_by_role("cell", name="Benedict", exact=True).or_(page.get_by_role("rowheader", name="Benedict"))
    lines = "cell => { const all = new Range(); all.selectNodeContents(cell); return all.getClientRects().length; }"
    assert name.first.evaluate(lines) == 1


@pytest.mark.thorough
def test_the_summary_prints_on_one_page_and_the_charts_have_words(house: House, browse: Browse, tmp_path: Path) -> None:
    for _ in range(3):
        a_round(house)
        house.do(do="new-round")
    page = browse(f"{house.url}/history", viewport=TV)
    page.get_by_text("The same as a table").click()
    expect(page.get_by_role("img", name="Coins of each player after each hand")).to_be_visible()
    expect(page.locator(".chart-table tbody tr")).to_have_count(4)
    page.get_by_label("Result").select_option("lost")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator(".hands")).to_contain_text("No hand matches")
    page.goto(f"{house.url}/history/session/1")
    pdf = page.pdf(path=tmp_path / "summary.pdf", format="A4")
    assert pdf.count(b"/Type /Page\n") == 1


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("game", ["roche", "rochi", "rugen-house", "rugen-street"])
@pytest.mark.thorough
def test_nothing_stands_in_anybodys_way(open_house: Open, browse: Browse, game: str, theme: str) -> None:
    """axe-core, large and at 200 %."""
    house = open_house(game, (("Aubrey", 100), ("Benedict", 100), ("Chance", 100)))
    if game == "roche":
        a_round(house)
    page = browse(f"{house.url}/history", viewport=TV, color_scheme=theme)
    page.evaluate(f"localStorage.setItem('theme', '{theme}')")
    for path in ("/history", "/history/session/1", "/history/1/1"):
        page.goto(house.url + path)
        assert faults(page) == [], path
    page.set_viewport_size({"width": 640, "height": 400})
    for path in ("/history", "/history/session/1", "/history/1/1"):
        page.goto(house.url + path)
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, path
