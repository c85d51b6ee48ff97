"""German and Spanish in a real browser: every page fits a phone, and the table speaks the language of the page."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from webclient import PIN
from webhouse import House

from companion.kernel.messages import message
from companion.kernel.words import card_words
from companion.service.questions import Choice, Question
from web_ui.strings import catalogue

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

PHONE = {"width": 390, "height": 844}
SCRIPTS = sorted((Path(__file__).parent.parent / "playthroughs").glob("*/*.jsonl"))


def too_wide(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def busy(house: House) -> None:
    """A round with bets, a question and a card."""
    house.do(do="bet", player="Aubrey", on="cut/6", amount=5)
    house.do(do="bet", player="Benedict", on="night/4", amount=5)
    house.do(do="no-more-bets")
    house.do(do="deal", card="6D3")
    text = message(
        "{card} lies on the table twice. Take both up, look which is real, and lay one back.", card=card_words("6D3")
    )
    go_on = Choice("leave", message("Go on; it counts once"), None)
    house.service.set_questions("test", [Question("d:1", "duplicate", text, (go_on,), "6D3", True)])


@pytest.mark.parametrize("language", ["de", "es"])
def test_every_page_fits_a_phone_in_every_language(house: House, browse: Callable[..., Page], language: str) -> None:
    busy(house)
    page = browse(f"{house.url}/dealer", viewport=PHONE, locale=language, has_touch=True)
    page.fill("#pin", PIN)
    page.click("form button[type=submit]")
    page.wait_for_selector(".live.on")
    texts = catalogue(language)
    for tab in ("bets", "cards", "players", "camera", "log"):
        page.get_by_role("tab", name=texts[f"tab_{tab}"], exact=True).click()
        assert too_wide(page) == 0, tab
    for path in ("/", "/odds", "/history", "/history/log", "/setup", "/setup/pin", "/seat/1", "/offline"):
        page.goto(house.url + path)
        page.wait_for_timeout(150)
        assert page.locator("html").get_attribute("lang") == language
        assert too_wide(page) == 0, path


def test_questions_log_and_prompts_are_translated(house: House, browse: Callable[..., Page]) -> None:
    busy(house)
    page = browse(f"{house.url}/dealer", viewport=PHONE, locale="de")
    page.fill("#pin", PIN)
    page.click("form button[type=submit]")
    expect(page.locator(".question .big")).to_have_text(
        "Sippe Tag 3 liegt zweimal auf dem Tisch. Beide aufnehmen, nachsehen, welche echt ist, und eine zurücklegen."
    )
    expect(page.locator(".question button")).to_contain_text("Weiter; sie zählt einmal")
    page.goto(house.url)
    expect(page.locator(".just-now")).to_contain_text("Sippe Tag 3 gegeben: 1 von 6")


def test_the_control_changes_the_language_and_it_stays(house: House, browse: Callable[..., Page]) -> None:
    page = browse(house.url, locale="en")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.get_by_label("Language").select_option("es")
    expect(page.locator("html")).to_have_attribute("lang", "es")
    page.goto(f"{house.url}/odds")
    expect(page.locator("html")).to_have_attribute("lang", "es")
    page.get_by_label("Idioma").select_option("de")
    expect(page.get_by_label("Sprache")).to_have_value("de")


@pytest.mark.parametrize(("language", "point"), [("en", "."), ("de", ","), ("es", ",")])
def test_the_cameras_numbers_are_written_in_the_readers_language(
    house: House, dealer: Page, language: str, point: str
) -> None:
    faces = [{"face": "17", "seen": 1200, "expected": 1187.5}]
    fairness = {"verdict": "fair", "throws": 1200, "faces": faces}
    house.service.set_sight({"px_per_mm": 2.34, "glare_percent": 12, "fairness": fairness})
    dealer.context.add_cookies([{"name": "language", "value": language, "url": house.url}])
    dealer.reload()
    dealer.get_by_role("tab").nth(3).click()
    expect(dealer.locator(".sight > .meters b").first).to_have_text(f"2{point}34 px/mm")
    expect(dealer.locator(".sight > .meters b").nth(1)).to_have_text("12 %")
    dealer.locator(".fairness summary").click()
    thousands = {".": ",", ",": "."}[point]
    expect(dealer.locator(".fairness .meter b")).to_have_text(f"1{thousands}200")
    expect(dealer.locator(".fairness .grade")).to_have_text(f"(1{thousands}187{point}5)")


WHERE = """([node, text]) => {
    const all = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    for (let one = all.nextNode(); one; one = all.nextNode()) {
        const at = one.data.indexOf(text);
        if (at < 0) continue;
        const range = document.createRange();
        range.setStart(one, at);
        range.setEnd(one, at + text.length);
        return range.getBoundingClientRect().left;
    }
}"""
"""Where on the page a text begins, from the left."""


@pytest.mark.parametrize("name", ["أمينة", "محمد علي", "בן-ציון"])
def test_a_name_from_right_to_left_leaves_numbers_where_they_belong(
    open_house: Callable[..., House], sit: Callable[..., Page], name: str
) -> None:
    """ "50 :أمينة to call" was read as fifty, and "75, 75 أمينة" in the pay sheet as another player's."""
    house = open_house("holdem", (("Ann", 1000), ("Bo", 1000), (name, 1000)))
    house.do(do="post")
    for player in ("Ann", "Bo", name):
        house.do(do="hole", player=player)
    ann = sit(house, 1)
    prompt = ann.locator("[role=status] .big")
    expect(prompt).to_contain_text("50 to call")
    assert ann.evaluate(WHERE, [prompt.element_handle(), name]) < ann.evaluate(
        WHERE, [prompt.element_handle(), "50 to call"]
    )
    words = [ann.evaluate(WHERE, [prompt.element_handle(), word]) for word in name.replace("-", " ").split()]
    assert words == sorted(words, reverse=True), "its own words still run from right to left"
