"""What King of Roulette's reveal says and where, on the dealer's page and the room's screen, in a real browser."""

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
    view = house.service.view()
    house.do(do="rule", text=text, one=[1, 2], two=3)
    house.do(do="guess", range=guess)
    for name, space in zip([name for name in view["points"] if name != view["king"]], spaces, strict=True):
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


@pytest.mark.thorough
def test_no_guess_is_broken_at_its_hyphen(house, sit):
    """ "2-" stood at the end of a line and "3: falsch" below, in German at 1024x768."""
    crown(house)
    play(house, "king", "king", "king", "king")
    dealer = sit(house, 0, locale="de-DE", viewport={"width": 1280, "height": 768})
    guess = dealer.locator(".reveal .guess")
    expect(guess).to_contain_text("Celia tippte auf 2-3: falsch")
    for width in range(300, 700, 12):
        guess.evaluate("(node, width) => (node.style.width = `${width}px`)", width)
        assert guess.evaluate(LINES) == [1]


@pytest.mark.thorough
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


GARNETS = ("Aubrey", "Benedict", "Dorothea", "Eleanor")


def earn(house: House) -> None:
    """Give four players points for a garnet: a pay sheet of four steps, and a king to elect."""
    for name in NAMES:
        house.do(do="buy-bonus", player=name)
    for name in NAMES:
        house.do(do="use-bonus", player=name)
    play(house, 3, 3, 3, 3, guess="4")
    house.do(do="elect", player="Celia")
    for name in GARNETS:
        house.do(do="buy-bonus", player=name)
        house.do(do="use-bonus", player=name)
    play(house, 1, 2, 1, 2, guess="0-1")


def is_all_in_sight(dealer: Page) -> None:
    """Whatever was announced, and a Play tab that is not empty."""
    for part in (".reveal blockquote p", ".reveal .space", ".reveal .guess", ".reveal .gained li"):
        shown = [one for one in dealer.locator(part).all() if one.is_visible()]
        assert shown
        for one in shown:
            expect(one).to_be_in_viewport(ratio=1)
    assert dealer.locator("#tab").inner_text() != ""
    expect(dealer.locator(".pay[data-more]")).to_have_count(0)


@pytest.mark.parametrize("size", [(1280, 900), (1024, 768), (1920, 1080)])
def test_the_dealer_sees_all_of_a_reveal_beside_the_pay_sheet(house, sit, size):
    """Below the cut lay the last spaces, the guess, who earned points and the next king."""
    width, height = size
    crown(house)
    dealer = sit(house, 0, viewport={"width": width, "height": height})
    house.do(do="buy-bonus", player="Aubrey")
    house.do(do="use-bonus", player="Aubrey")
    play(house, 3, 1, "king", 5, text="All named <b>x</b> & A/B earn a point; spaces 4+5 earn 9")
    expect(dealer.locator(".reveal .next-king")).to_be_in_viewport(ratio=1)
    expect(dealer.locator(".pay-sheet")).to_be_visible()
    is_all_in_sight(dealer)
    dealer.get_by_role("button", name="Celia", exact=True).click()
    expect(dealer.locator(".bet-form .seal")).to_be_visible()


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(1280, 900), (1024, 768), (1920, 1080)])
@pytest.mark.parametrize("rounds", [2, 7])
def test_the_dealer_sees_all_of_a_reveal_where_nothing_is_to_be_entered(open_house, sit, size, rounds):
    """In the succession and when the game is over the Play tab says so, and leaves its room to the reveal."""
    width, height = size
    house = open_house("king-of-roulette", tuple((name, 10) for name in NAMES), rounds=rounds)
    crown(house)
    dealer = sit(house, 0, viewport={"width": width, "height": height})
    earn(house)
    expect(dealer.locator(".reveal")).to_contain_text("Round 2 revealed")
    expect(dealer.locator(".pay-step")).to_have_count(4)
    is_all_in_sight(dealer)
    expect(dealer.locator("#tab")).to_have_text("Nothing to enter now.")
    if rounds == 2:
        for line in dealer.locator(".verdict p").all():
            expect(line).to_be_in_viewport(ratio=1)


@pytest.mark.thorough
def test_a_reveal_that_has_no_room_says_that_more_lies_below(house, sit):
    crown(house)
    dealer = sit(house, 0, viewport={"width": 1024, "height": 768})
    earn(house)
    dealer.set_viewport_size({"width": 1024, "height": 650})
    expect(dealer.locator(".pay[data-more]")).to_be_visible()
    dealer.locator(".pay").evaluate("pay => pay.scrollTo(0, pay.scrollHeight)")
    expect(dealer.locator(".pay[data-more]")).to_have_count(0)
    expect(dealer.locator(".reveal .gained")).to_be_in_viewport(ratio=1)


LONG = "Maximiliane Bernadottova"
BROKEN = """all => all.flatMap(one => [...one.firstChild.data.matchAll(/\\S+/g)].filter(word => {
    const range = document.createRange();
    range.setStart(one.firstChild, word.index);
    range.setEnd(one.firstChild, word.index + word[0].length);
    return new Set([...range.getClientRects()].map(line => line.top)).size > 1;
})).map(word => word[0])"""
"Words that go on in the next line."


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(1024, 768), (1280, 800), (1920, 1080)])
def test_a_long_name_is_broken_nowhere(open_house, sit, browse, size):
    """Not on the spaces, the narrower where the verdict stands beside them, nor on the dealer's buttons."""
    names = (*NAMES, LONG)
    house = open_house("king-of-roulette", tuple((name, 10) for name in names), rounds=2)
    viewport = dict(zip(("width", "height"), size, strict=True))
    dealer, room = sit(house, 0, viewport=viewport), browse(house.url, viewport=viewport, reduced_motion="reduce")
    for name in names:
        house.do(do="vote", player=name, **{"for": "Celia"})
    buttons = dealer.get_by_role("button", name=LONG, exact=True)
    expect(buttons).to_have_count(1)
    assert buttons.evaluate_all(BROKEN) == []
    play(house, 3, 1, 4, 5, 3)
    dealer.wait_for_selector(".choose-player")
    assert buttons.evaluate_all(BROKEN) == []
    house.do(do="elect", player="Celia")
    play(house, 3, 1, 1, 5, 2)
    for page in (dealer, room):
        expect(page.locator(".verdict")).to_be_visible()
        spaces = page.locator(".reveal .space li")
        expect(spaces).to_have_count(5)
        assert spaces.evaluate_all(BROKEN) == []


def test_a_player_is_not_told_to_begin_a_new_game(open_house, sit):
    """That is the dealer's to do."""
    house = open_house("king-of-roulette", tuple((name, 10) for name in NAMES), rounds=1)
    phone = sit(house, 1)
    crown(house)
    play(house, 3, 3, 3, 4, guess="4")
    house.do(do="choose", player="Celia")
    expect(phone.locator("main > .panel .big").first).to_have_text("The game is over")
