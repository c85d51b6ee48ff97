"""King of Roulette's reveal as a show in the room, and twelve players with long names on every page."""

import pytest
from playwright.sync_api import expect
from webhouse import House

pytestmark = pytest.mark.browser

NAMES = ("Ann", "Bo", "Cy", "Dee")
TWELVE = (
    "Maximiliane-Charlotte von", "Bartholomäus von Hagen", "José María Fernández-Ruiz", "Åsa", "Guillermo de la Cruz",
    "Henriette", "Li", "Konstantin Alexandrovich", "Dorothea", "Eli", "Flo", "Zoë-Marie Müller-Lüdensch",
)  # fmt: skip
RULE = (
    "Only who crosses seven bridges comes home again: the second and the sixth are worth the walk, the fifth twice, "
    "and who looks at the king gets nothing but the crown"
)
BROKEN = """all => all.flatMap(one => [...one.firstChild.data.matchAll(/[^\\s-]+/g)].filter(word => {
    const range = document.createRange();
    range.setStart(one.firstChild, word.index);
    range.setEnd(one.firstChild, word.index + word[0].length);
    return new Set([...range.getClientRects()].map(line => line.top)).size > 1;
})).map(word => word[0])"""
"Words that go on in the next line."
LINES = """all => all.map(one => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return new Set([...range.getClientRects()].map(line => Math.round(line.bottom))).size;
})"""
TOO_LOW = """people => [...document.querySelectorAll(".stage *, .side > *")]
    .filter(one => one.getBoundingClientRect().bottom > people.getBoundingClientRect().top + 1)
    .map(one => one.className)"""
"What in the room lies over those who sit round it."


def crown(house: House, names: tuple[str, ...], king: str) -> None:
    for name in names:
        house.do(do="vote", player=name, **{"for": king})


def seal(house: House, *spaces: int | str, text: str = "Low") -> None:
    """Rig the spaces 2 and 6 for a point and 5 for two; the others, in seat order, bet on these."""
    view = house.service.view()
    house.do(do="rule", text=text, one=[2, 6], two=5)
    house.do(do="guess", range="2-3")
    for name, space in zip([name for name in view["points"] if name != view["king"]], spaces, strict=True):
        house.do(do="bet", player=name, space=space)


def reveal(house: House, *spaces: int | str, text: str = "Low") -> None:
    seal(house, *spaces, text=text)
    house.do(do="reveal")


def test_nothing_beside_a_reveal_tells_how_it_ends(open_house, browse):
    """The points, the next king's crown and the verdict stood on the screen before the first space was turned up."""
    house = open_house("king-of-roulette", tuple((name, 4) for name in NAMES), rounds=2)
    crown(house, NAMES, "Ann")
    seal(house, 5, "king", 6)
    room = browse(house.url, viewport={"width": 1920, "height": 1080})
    room.clock.install()
    points, crowned = room.locator(".scores b"), room.locator(".scores li:has(.crown)")
    house.do(do="reveal")
    expect(room.locator(".reveal blockquote")).to_contain_text("Low")
    expect(points).to_have_text(["0"] * 4)
    expect(crowned).to_contain_text("Ann")
    expect(room.locator(".prompt")).to_contain_text("Round 1: all is in")
    room.clock.fast_forward(12_000)
    expect(points).to_have_text(["3", "2", "0", "1"])
    expect(crowned).to_contain_text("Cy")
    reveal(house, 1, 5, 6)
    expect(room.locator(".reveal h2")).to_have_text("Round 2 revealed")
    expect(room.locator(".verdict")).to_have_count(0)
    room.clock.fast_forward(12_000)
    expect(room.locator(".verdict .wins")).to_have_text("Bo wins 2 Tokens of Life")


def test_a_reveal_that_is_undone_or_held_is_shown_no_longer(open_house, browse):
    house = open_house("king-of-roulette", tuple((name, 4) for name in NAMES))
    crown(house, NAMES, "Ann")
    seal(house, 5, "king", 6)
    room = browse(house.url, viewport={"width": 1920, "height": 1080})
    room.clock.install()
    house.do(do="reveal")
    expect(room.locator(".reveal")).to_have_count(1)
    house.do(do="undo")
    expect(room.locator(".reveal")).to_have_count(0)
    house.do(do="redo")
    expect(room.locator(".scores b").first).to_have_text("0")
    house.do(do="hold")
    expect(room.locator(".prompt")).to_contain_text("On hold")
    expect(room.locator(".scores b").first).to_have_text("3")


@pytest.fixture
def twelve(open_house) -> House:
    house = open_house("king-of-roulette", tuple((name, 4) for name in TWELVE), rounds=1)
    crown(house, TWELVE, TWELVE[0])
    return house


BETS = (5, "king", 3, 2, 6, "king", "king", 1, 2, 5, 5)


def test_a_narrow_phone_breaks_no_guess_and_no_name(twelve, sit):
    """ "0-1" stood on two lines and "Bartholom-äus" too."""
    phone = sit(twelve, 1, viewport={"width": 320, "height": 640}, locale="de")
    ranges = phone.locator(".pick-range .unbroken")
    expect(ranges).to_have_count(6)
    assert ranges.evaluate_all(LINES) == [1] * 6
    reveal(twelve, *BETS)
    names = phone.locator(".reveal .space li")
    expect(names).to_have_count(11)
    assert names.evaluate_all(BROKEN) == []


@pytest.mark.parametrize("size", [(1920, 1080), (1366, 768), (1280, 720)])
def test_a_reveal_and_the_verdict_lie_above_twelve_players(twelve, browse, size):
    """The points of the last players and the points won ran behind those who sit round it."""
    room = browse(twelve.url, viewport=dict(zip(("width", "height"), size, strict=True)), locale="de",
                  reduced_motion="reduce")  # fmt: skip
    people = room.locator(".people")
    twelve.do(do="buy-bonus", player=TWELVE[1])
    reveal(twelve, *BETS, text=RULE)
    expect(room.locator(".reveal .gained li")).to_have_count(6)
    assert people.evaluate(TOO_LOW) == []
    twelve.do(do="choose", player=TWELVE[2])
    expect(room.locator(".verdict")).to_be_visible()
    assert people.evaluate(TOO_LOW) == []


def test_the_kings_space_fits_its_button_on_the_dealers_page(twelve, sit):
    """ "König" ran over its edges at 1024x768."""
    dealer = sit(twelve, 0, viewport={"width": 1024, "height": 768}, locale="de")
    dealer.locator(".pick-who button").nth(2).click()
    king = dealer.locator(".pick-space button").last
    expect(king).to_have_text("König")
    assert king.evaluate("one => one.scrollWidth <= one.clientWidth")
