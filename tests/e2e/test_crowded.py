"""Pages when there is more on the table than usual: large pots, six full stacks, long messages, large type."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from crowded import CUT, NAMES, OUTSIDE, ROCHI, TABLES
from playwright.sync_api import Page, Route, expect
from webhouse import House

from companion.service.questions import Choice, Question

pytestmark = [pytest.mark.browser, pytest.mark.thorough]
Browse = Callable[..., Page]
Open = Callable[..., House]

LAPTOP, TABLET, PHONE, TV = (1366, 768), (1024, 768), (390, 844), (1920, 1080)
LANGUAGES = ("en", "de", "es")
FORTUNE = 131_000
KINDS = ("cut", "day", "night")
CUT_AND_TOLD = """all => all
    .filter(one => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 2)
    .map(one => one.title === one.textContent)"""
"Of each name that is cut off, whether whoever points at it reads the whole of it."
COVERED = """all => all.filter(hand => {
    const name = hand.querySelector(".who").getBoundingClientRect();
    return [...hand.querySelectorAll(".hole > *")].map(card => card.getBoundingClientRect())
        .some(card => card.left < name.right - 0.5 && card.top < name.bottom && card.bottom > name.top);
}).map(hand => hand.textContent)"""
"Hands whose cards lie over a name."
LONG_NAMED = ("rochi", "rugen-street", "chinchirorin", "holdem")
REFUSAL = (
    "Seitdem kamen Münzen aus einem Geldbeutel des Hauses oder gingen dorthin, und das Haus hat das gebucht. Kaufe "
    "ein oder zahle aus, statt es rückgängig zu machen."
)
"The longest sentence with which a dealer's press is refused."
SHORTENED = """names => names.filter(name => name.scrollWidth > name.clientWidth + 1
    || getComputedStyle(name).textOverflow === "ellipsis").map(name => name.textContent)"""
PARTLY = """lines => lines.filter(line => {
    const box = line.getBoundingClientRect();
    const name = line.querySelector(".name").getBoundingClientRect();
    const isWhole = name.right <= box.right + 1 && name.left >= box.left - 1 && name.bottom <= box.bottom + 1;
    return !isWhole && name.height > 0 && name.top < box.bottom - 1;
}).map(line => line.textContent)"""
"Owners whose name is neither whole nor away."
PARTS = ".stack > :not(.pile, .pile-place), .stack .tally > *, .stack .name, .seat-card > *"
APART = """() => [...document.querySelectorAll(".undo-row button")].map(one => one.getBoundingClientRect())
    .map(({left, top, right, bottom}) => [left, top, right, bottom])"""
MEETS = """toast => [...document.querySelectorAll(".next :is(button, input, select, a)")].filter(one => {
    const [a, b] = [one.getBoundingClientRect(), toast.getBoundingClientRect()];
    return a.height > 0 && a.top < b.bottom - 0.5 && b.top < a.bottom && a.left < b.right && b.left < a.right;
}).map(one => one.textContent)"""


def settle(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_timeout(300)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")  # has fitted


def speaking(page: Page, language: str) -> Page:
    page.context.add_cookies([{"name": "language", "value": language, "url": page.url}])
    page.reload()
    page.wait_for_selector(".live.on", state="attached")
    return page


def rich(open_house: Open) -> House:
    """Six players of Rochi in mid-hand, with a fortune in each pot."""
    house = open_house("rochi", tuple((name, FORTUNE) for name in NAMES[:6]))
    for suit in range(2, 8):
        house.do(do="recount", pot=suit, coins=FORTUNE, reason="counted")
    for record in ROCHI["turn"]:
        house.do(**record)
    return house


def full_stacks(open_house: Open, layout: str) -> House:
    """Eight players who have all bet on each of the six suits, at a table without a bank."""
    table = TABLES["grand" if layout == "grand" else "roche"]
    house = open_house(table.game, table.players, **table.options)
    for record in table.moments["bets"]:
        house.do(**record)
    for suit in range(2, 8):
        for seat, name in enumerate(NAMES):
            house.do(do="bet", player=name, on=f"{KINDS[(seat + suit) % 3]}/{suit}", amount=5)
    return house


@pytest.mark.parametrize("language", LANGUAGES)
def test_owners_stand_whole_beside_a_fortune_or_by_their_badge(
    open_house: Open, sit: Browse, browse: Browse, language: str
) -> None:
    """Four of the six suits are owned; nobody reads a part of a name."""
    house = rich(open_house)
    dealer = speaking(sit(house, 0), language)
    for size in (LAPTOP, TABLET):
        settle(dealer, size)
        owners = dealer.locator(".suit-list .owner:has(.name)")
        expect(owners).to_have_count(4)
        assert owners.evaluate_all(PARTLY) == [], size
        assert owners.locator(".seat").evaluate_all(OUTSIDE) == [], size
        assert dealer.locator(".suit-list :is(.hint, .distance, h2)").evaluate_all(OUTSIDE) == [], size
    settle(dealer, LAPTOP)
    assert dealer.locator(".suit-list .name").evaluate_all(OUTSIDE) == [], "there is room for all four"
    room = browse(f"{house.url}/", viewport={"width": LAPTOP[0], "height": LAPTOP[1]}, locale=language)
    for size in (LAPTOP, TV):
        settle(room, size)
        expect(room.locator(".price .name")).to_have_count(4)
        assert room.locator(".price .name").evaluate_all(SHORTENED) == [], size
        assert room.locator(".price .name, .pot b, .stack .if-cut").evaluate_all(OUTSIDE) == [], size


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("layout", ["basic", "grand"])
def test_the_risk_stays_in_sight_under_six_full_stacks(
    open_house: Open, sit: Browse, layout: str, language: str
) -> None:
    dealer = speaking(sit(full_stacks(open_house, layout), 0), language)
    for size in (TABLET, LAPTOP):
        settle(dealer, size)
        assert dealer.locator(".lead > .risk, .lead > .risk .worst, .sitting li").evaluate_all(OUTSIDE) == [], size
        rows = dealer.locator("[role=tablist]").first.get_by_role("tab")
        assert len({one.bounding_box()["y"] for one in rows.all()}) == 1, f"{size}: a tab has wrapped"  # type: ignore[index]
        assert rows.evaluate_all(OUTSIDE) == [], size


@pytest.mark.parametrize("name", ["roche", "rochi", "blackjack"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_undo_redo_and_hold_lie_apart_on_a_phone(open_house: Open, sit: Browse, name: str, language: str) -> None:
    table = TABLES[name]
    house = open_house(table.game, table.players, **table.options)
    for record in next(iter(table.moments.values())):
        house.do(**record)
    house.do(do="undo")
    dealer = speaking(sit(house, 0, viewport={"width": PHONE[0], "height": PHONE[1]}), language)
    boxes = dealer.evaluate(APART)
    assert len(boxes) == 3
    for left, top, right, bottom in boxes:
        assert bottom - top >= 44
        assert right - left >= 44
    for (left, top, right, bottom), (other_left, other_top, other_right, other_bottom) in pairwise(boxes):
        apart = max(other_left - right, left - other_right, other_top - bottom, top - other_bottom)
        assert apart >= 8


@pytest.mark.parametrize("name", ["roche", "rochi", "blackjack", "chinchirorin"])
def test_the_longest_message_is_whole_and_covers_no_control(open_house: Open, sit: Browse, name: str) -> None:
    table = TABLES[name]
    house = open_house(table.game, table.players, **table.options)
    for record in next(iter(table.moments.values())):
        house.do(**record)
    dealer = speaking(sit(house, 0), "de")

    def refuse(route: Route) -> None:
        route.fulfill(status=409, json={"code": "gone", "message": REFUSAL})

    dealer.route("**/api/v1/commands*", refuse)
    for size in (LAPTOP, TABLET):
        settle(dealer, size)
        dealer.keyboard.press("h")
        toast = dealer.locator(".say .toast").last
        expect(toast).to_have_text(REFUSAL)
        dealer.wait_for_timeout(600)  # the page fits itself to it
        assert toast.evaluate_all(OUTSIDE) == [], size
        assert toast.evaluate("one => one.scrollHeight - one.clientHeight") <= 1, size
        assert toast.evaluate(MEETS) == [], size


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["roche", "rochi", "captains"])
def test_large_type_cuts_no_stack(open_house: Open, browse: Browse, name: str, language: str) -> None:
    table = TABLES[name]
    house = open_house(table.game, table.players, **table.options)
    still = {"locale": language, "reduced_motion": "reduce"}
    room = browse(f"{house.url}/", viewport={"width": TV[0], "height": TV[1]}, **still)
    room.locator(".type-size").click()
    for moment, records in table.moments.items():
        for record in records:
            house.do(**record)
        room.wait_for_timeout(600)
        assert room.locator(PARTS).evaluate_all(OUTSIDE) == [], moment
        covers = """all => all.filter(one => one.querySelector(".tally").getBoundingClientRect().top
            < one.querySelector(".pile").getBoundingClientRect().bottom - 1).map(one => one.textContent)"""
        assert room.locator(".stack:has(.pile):has(.tally)").evaluate_all(covers) == [], moment


LONGEST_WORDS = [(name, "de") for name in TABLES] + [
    (name, language) for name in ("roche", "grand", "rochi") for language in ("en", "es")
]


@pytest.mark.parametrize(("name", "language"), LONGEST_WORDS)
def test_no_text_is_cut_off(open_house: Open, sit: Browse, browse: Browse, name: str, language: str) -> None:
    """The room's screen, a phone, the odds, the replay, the charts and the receipt, at each size that they have."""
    table = TABLES[name]
    house = open_house(table.game, table.players, **table.options)
    still = {"locale": language, "reduced_motion": "reduce"}
    room = browse(f"{house.url}/", **still)
    phone = sit(house, 2, **still)
    odds = browse(f"{house.url}/odds", viewport={"width": PHONE[0], "height": PHONE[1]}, **still)
    for moment, records in table.moments.items():
        for record in records:
            house.do(**record)
        for size in (LAPTOP, TABLET, TV):
            settle(room, size)
            assert room.evaluate(CUT) == [], f"{moment} {size}"
            assert room.locator(".just-now li:visible").evaluate_all(OUTSIDE) == [], f"{moment} {size}"
        assert phone.evaluate(CUT) == [], moment
        assert odds.evaluate(CUT) == [], moment
    for path in ("/history", "/history/1/1", "/history/1/1/receipt"):
        room.goto(f"{house.url}{path}")
        for size in (LAPTOP, TABLET, TV, PHONE):
            settle(room, size)
            assert room.evaluate(CUT) == [], f"{path} {size}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_long_name_stands_whole_on_its_seat(open_house: Open, sit: Browse, browse: Browse, language: str) -> None:
    """Forty letters are the most; the suits' counts take two lines at most."""
    house = open_house("rochi", tuple((f"{letter}lexandrine von Hohenstaufen-Wittelsb 01", 100) for letter in "ABCDEF"))
    for record in ROCHI["turn"]:
        house.do(**record)
    dealer = speaking(sit(house, 0), language)
    room = browse(f"{house.url}/", locale=language, reduced_motion="reduce")
    for size in (LAPTOP, TABLET):
        settle(dealer, size)
        settle(room, size)
        for page in (dealer, room):
            assert page.locator(".seat-card .who").evaluate_all(SHORTENED) == [], size
        lines = "all => all.map(one => one.getClientRects().length)"
        assert max(dealer.locator(".suit-list .distance span").evaluate_all(lines)) <= 2, size
    assert room.locator(".seat-card, .seat-card .who").evaluate_all(OUTSIDE) == []


def long_named(value: Any) -> Any:
    """Return a command with names of forty letters."""
    if isinstance(value, dict):
        return {key: long_named(one) for key, one in value.items()}
    return f"{value} von Hohenstaufen-Wittelsbach-Sachsen"[:38] + " 1" if value in NAMES else value


@pytest.mark.parametrize("name", ["rugen-capital", "roulette", "chinchirorin", "holdem"])
def test_names_of_24_letters_are_whole_in_strip_tabs_and_across_the_room(
    open_house: Open, sit: Browse, browse: Browse, name: str
) -> None:
    """Two lines rather than half a name, on the dealer's page and the room's screen; they cover nothing else."""
    table = TABLES[name]
    renamed = lambda value: (  # noqa: E731
        {key: renamed(one) for key, one in value.items()} if isinstance(value, dict)
        else f"{value} von Winkelmannsdorf"[:24] if value in NAMES else value
    )  # fmt: skip
    house = open_house(table.game, tuple((renamed(one), coins) for one, coins in table.players), **table.options)
    dealer, room = sit(house, 0, locale="de"), browse(f"{house.url}/", locale="de", reduced_motion="reduce")
    for moment, records in list(table.moments.items())[:2]:
        for record in records:
            house.do(**renamed(record))
        for size in ((360, 740), (1280, 900), TV):
            settle(dealer, size)
            settle(room, size)
            assert dealer.evaluate(CUT) == [], f"{moment} {size}"
            assert dealer.locator(".who:visible").evaluate_all(CUT_AND_TOLD) == [], f"{moment} {size}"
            assert room.locator(".who:visible").evaluate_all(SHORTENED) == [], f"{moment} {size}"
            assert room.evaluate(CUT) == [], f"{moment} {size}"
            ends = room.evaluate("""() => [...document.querySelectorAll(".chain-place, .people")]
                .map(one => one.getBoundingClientRect()).flatMap(box => [box.top, box.bottom])""")
            assert ends == sorted(ends), f"{moment} {size}: the chain lies over the names"


@pytest.mark.parametrize("name", LONG_NAMED)
def test_names_of_forty_letters_make_no_column_scroll(open_house: Open, sit: Browse, name: str) -> None:
    """Where all of it has no room the names stand on one line, and whoever points at one reads the whole of it."""
    table = TABLES[name]
    house = open_house(table.game, tuple((long_named(one), coins) for one, coins in table.players), **table.options)
    dealer = speaking(sit(house, 0), "de")
    shortened = 0
    for moment, records in table.moments.items():
        for record in records:
            house.do(**long_named(record))
        for size in (LAPTOP, TABLET):
            settle(dealer, size)
            over = dealer.locator(".lead").evaluate(
                "one => [one.scrollHeight - one.clientHeight, one.scrollWidth - one.clientWidth]"
            )
            assert max(over) <= 1, f"{moment} {size}"
            cut = dealer.locator(".lead .who").evaluate_all(CUT_AND_TOLD)
            assert all(cut), f"{moment} {size}"
            assert dealer.locator(".hand").evaluate_all(COVERED) == [], f"{moment} {size}"
            shortened += len(cut)
    assert shortened or name == "rochi", "two lines in smaller type are enough there"


@pytest.mark.parametrize("name", ["holdem", "holdem-tournament"])
def test_a_question_over_eight_seats_makes_no_column_scroll(open_house: Open, sit: Browse, name: str) -> None:
    table = TABLES[name]
    house = open_house(table.game, table.players, **table.options)
    for record in table.moments["betting"]:
        house.do(**record)
    text = "Die Karten von Anneliese liegen nicht mehr am Platz. Wirft Anneliese weg, oder liegen sie woanders?"
    choices = (Choice("yes", "Ja: wirft weg"), Choice("no", "Nein, die Karten sind noch da"))
    house.service.set_questions("camera", [Question("q1", "unsure", text, choices, card="6D3", blocks=True)])
    dealer = speaking(sit(house, 0), "de")
    for size in (LAPTOP, TABLET):
        settle(dealer, size)
        assert dealer.locator(".lead").evaluate("one => one.scrollHeight - one.clientHeight") <= 1, size
        assert dealer.locator(".question button, .hand").evaluate_all(OUTSIDE) == [], size


@pytest.mark.parametrize("size", [PHONE, TABLET, LAPTOP])
def test_a_headers_signs_are_large_enough_for_fingers(open_house: Open, browse: Browse, size: tuple[int, int]) -> None:
    house = open_house("roche", TABLES["roche"].players)
    viewport = {"width": size[0], "height": size[1]}
    for path in ("/", "/history"):
        page = browse(f"{house.url}{path}", viewport=viewport, has_touch=True, is_mobile=True, locale="de")
        signs = page.locator(".bar .nav :is(button.icon, select.language)")
        boxes = signs.evaluate_all(
            "all => all.map(one => one.getBoundingClientRect()).map(b => [b.width, b.height, b.right])"
        )
        assert len(boxes) >= 2
        assert all(wide >= 44 and high >= 44 and right <= size[0] for wide, high, right in boxes), f"{path} {boxes}"
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


BESIDE_A_DEMO = """() => {
    const line = document.createElement("p");
    line.className = "demo-line";
    line.textContent = "Das Haus wartet auf die Antwort des Gebers.";
    document.querySelector(".next .main-actions").before(line);
    return document.querySelector(".do-undo").getBoundingClientRect().width;
}"""
"The width of the undo button where a demo says what it waits for."


@pytest.mark.parametrize("name", ["rugen-house", "holdem-tournament"])
def test_undo_keeps_its_width_while_a_demo_is_asked(open_house: Open, sit: Browse, name: str) -> None:
    table = TABLES[name]
    house = open_house(table.game, table.players, **table.options)
    for record in next(iter(table.moments.values())):
        house.do(**record)
    yes = Choice("yes", "Ja: 13 (Tag 4) zählen")
    house.service.set_questions("camera", [Question(f"q{n}", "unsure", REFUSAL, (yes,), blocks=True) for n in (1, 2)])
    dealer = speaking(sit(house, 0), "de")
    for size in (LAPTOP, TABLET):
        settle(dealer, size)
        assert "2" in (dealer.locator(".console").get_attribute("data-fit") or ""), "it is as small as it gets"
        assert dealer.evaluate(BESIDE_A_DEMO) > 140, size


def test_the_rooms_prompt_has_the_whole_line_on_a_small_tablet(open_house: Open, browse: Browse) -> None:
    """Beside other panels it had a third of it, and its words stood one below the other."""
    table = TABLES["roche"]
    house = open_house(table.game, table.players, **table.options)
    house.do(do="no-more-bets")
    house.do(do="deal", card="6D3")
    room = browse(f"{house.url}/", viewport={"width": 820, "height": 1180}, locale="de")
    expect(room.locator(".last-card")).to_be_visible()
    width = "one => one.getBoundingClientRect().width"
    assert room.locator(".prompt").evaluate(width) == room.locator(".side").evaluate(width)
