"""Announcements in the browser: off until switched on, in the page's language, never behind the table."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from waiting import until
from webhouse import House

pytestmark = pytest.mark.browser

LISTEN = """
window.said = [];
window.cut = 0;
const real = window.speechSynthesis;
Object.defineProperty(window, "speechSynthesis", { value: {
  speak: (sentence) => window.said.push([sentence.text, sentence.lang]),
  cancel: () => { window.cut += 1; },
  getVoices: () => real ? real.getVoices() : [],
}});
"""


def test_the_page_says_what_happens_once_it_is_switched_on(house: House, browse: Callable[..., Page]) -> None:
    page = browse("about:blank", locale="de")
    page.add_init_script(LISTEN)
    page.goto(house.url)
    page.wait_for_selector(".live.on")
    house.do(do="bet", player="Aubrey", on="cut/6", amount=5)
    expect(page.locator(".just-now")).to_contain_text("Aubrey setzt 5")
    assert page.evaluate("said") == [], "off by default"

    switch = page.get_by_role("button", name="Ansagen")
    expect(switch).to_have_attribute("aria-pressed", "false")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    house.do(do="no-more-bets")
    until(page, "said.length >= 3")
    assert page.evaluate("said") == [
        ["Die Ansagen sind an.", "de"],
        ["Nichts geht mehr: 1 Einsatz, 5 Münzen", "de"],
        ["Die nächste Karte geben", "de"],
    ]
    assert page.evaluate("cut") == 2, "what still waits is dropped for what is new"

    page.reload()
    page.wait_for_selector(".live.on")
    expect(page.get_by_role("button", name="Ansagen")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Ansagen").click()
    house.do(do="deal", card="6D3")
    expect(page.locator(".just-now")).to_contain_text("Sippe Tag 3")
    assert page.evaluate("said") == []


PLAYERS = (("Ann", 100), ("Bo", 100))
EVENINGS = {
    "roulette": (
        "de",
        "Ansagen",
        ({"do": "bet", "player": "Ann", "on": "split/17/20", "amount": 5}, {"do": "no-more-bets"}),
        {"do": "spin", "pocket": "17"},
        [
            "17, schwarz. 85 gewonnen, Einsatz 5 zurück: zusammen 90",
            "90 an Ann auszahlen: 85 und den Einsatz von 5, der liegen bleibt oder zurückgeht",
            "Einsätze annehmen, dann „Nichts geht mehr“",
        ],
    ),
    "chinchirorin": (
        "es",
        "Anuncios",
        (
            {"do": "bank", "amount": 20},
            {"do": "bet", "player": "Bo", "amount": 5},
            {"do": "close"},
            {"do": "throw", "dice": [6, 3, 6]},
        ),
        {"do": "throw", "dice": [4, 4, 4]},
        [
            "Bo saca 4, 4, 4, un trío",
            "4, 4, 4: Ann paga 3 veces las apuestas. Bo recibe 15",
            "Bo tiene la banca",
            "Ann paga 15 a Bo",
            "Bo: la apuesta de 5 se queda o se devuelve",
            "Bo tiene la banca: ¿de cuánto es?",
        ],
    ),
}


@pytest.mark.parametrize("game", EVENINGS)
def test_what_decides_is_said_whole_in_the_pages_language(
    game: str, open_house: Callable[..., House], browse: Callable[..., Page]
) -> None:
    locale, switch, before, decides, wanted = EVENINGS[game]
    house = open_house(game, PLAYERS, **({"banker": 1} if game == "chinchirorin" else {}))
    for record in before:
        house.do(**record)
    page = browse("about:blank", locale=locale)
    page.add_init_script(LISTEN)
    page.goto(house.url)
    page.wait_for_selector(".live.on")
    page.get_by_role("button", name=switch).click()
    page.evaluate("window.said = []")
    house.do(**decides)
    until(page, f"said.length >= {len(wanted)}")
    assert page.evaluate("said") == [[text, locale] for text in wanted]
