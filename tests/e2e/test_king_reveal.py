"""What King of Roulette's reveal says and where, on the dealer's page and the room's screen, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from webhouse import House

from companion.service.questions import Choice, Question

pytestmark = pytest.mark.browser

NAMES = ("Aubrey", "Benedict", "Celia", "Dorothea", "Eleanor")


@pytest.fixture
def house(open_house) -> House:
    return open_house("king-of-roulette", tuple((name, 10) for name in NAMES), rounds=7)


def crown(house: House, king: str = "Celia") -> None:
    for name in NAMES:
        house.do(do="vote", player=name, **{"for": king})


def play(house: House, *spaces: int | str, guess: str = "2-3", text: str = "1 + 2 = 1, 3 = 2") -> None:
    """Reveal a round in which the others, in seat order, bet on these spaces."""
    king = house.service.view()["king"]
    house.do(do="rule", text=text, one=[1, 2], two=3)
    house.do(do="guess", range=guess)
    for name, space in zip([name for name in NAMES if name != king], spaces, strict=True):
        house.do(do="bet", player=name, space=space)
    house.do(do="reveal")


@pytest.mark.parametrize(
    ("locale", "nobody", "one"),
    [
        ("en-US", "Nobody else earned points. Celia guessed 2-3: wrong", "1 other player earned points."),
        ("de-DE", "Niemand sonst bekam Punkte. Celia tippte auf 2-3: falsch", "1 andere Person bekam Punkte."),
        ("es-ES", "Nadie más ganó puntos. Celia dijo 2-3: falló", "1 persona más ganó puntos."),
    ],
)
def test_how_many_earned_is_said_of_nobody_and_of_one(house, browse, locale, nobody, one):
    crown(house)
    room = browse(house.url, viewport={"width": 1920, "height": 1080}, reduced_motion="reduce", locale=locale)
    play(house, 4, "king", 5, 6)
    expect(room.locator(".reveal .guess")).to_have_text(nobody)
    play(house, 3, 4, 5, 6)
    expect(room.locator(".reveal .guess")).to_contain_text(one)


LINES = """node => {
    const found = document.createTreeWalker(node, NodeFilter.SHOW_TEXT), lines = [];
    for (let text = found.nextNode(); text; text = found.nextNode())
        for (const value of text.data.matchAll(/\\d+(-\\d+)+/g)) {
            const range = document.createRange();
            range.setStart(text, value.index);
            range.setEnd(text, value.index + value[0].length);
            lines.push(new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size);
        }
    return lines;
}"""
"""On how many lines each value such as 2-3 stands in an element."""


def test_no_guess_is_broken_at_its_hyphen(house, sit):
    """"2-" stood at the end of a line and "3: falsch" below, in German at 1024x768."""
    crown(house)
    play(house, "king", "king", "king", "king")
    dealer = sit(house, 0, locale="de-DE", viewport={"width": 1280, "height": 768})
    guess = dealer.locator(".reveal .guess")
    expect(guess).to_contain_text("Celia tippte auf 2-3: falsch")
    for width in range(300, 700, 12):
        guess.evaluate("(node, width) => (node.style.width = `${width}px`)", width)
        assert guess.evaluate(LINES) == [1]


def test_no_value_is_broken_on_the_button_that_confirms_it(house, sit):
    question = Question("d:1", "dice", "The camera reads 3-3-6. Does it count?", (Choice("y", "Yes: count 3-3-6"),))
    house.service.set_questions("camera", [question])
    dealer = sit(house, 0)
    button = dealer.get_by_role("button", name="Yes: count 3-3-6")
    for width in range(140, 300, 8):
        button.evaluate("(node, width) => (node.style.cssText = `flex: none; width: ${width}px`)", width)
        assert button.evaluate(LINES) == [1]
    text = dealer.locator(".question p.big")
    for width in range(100, 500, 16):
        text.evaluate("(node, width) => (node.style.width = `${width}px`)", width)
        assert text.evaluate(LINES) == [1]
