"""What King of Roulette's reveal says and where, on the dealer's page and the room's screen, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from webhouse import House

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
