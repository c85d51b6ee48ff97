"""The dealer's page and the room's screen with a full table: everything there at once, nothing cut, nothing covered."""

from collections.abc import Callable
from typing import Any

import pytest
from crowded import NAMES, OUTSIDE, TABLES, Crowded
from playwright.sync_api import Locator, Page, expect
from webhouse import House, seen

from companion.service.questions import Choice, Question

pytestmark = pytest.mark.browser
Browse = Callable[..., Page]
Open = Callable[..., House]

LAPTOP, TABLET, TV = (1366, 768), (1024, 768), (1920, 1080)
PARTS = (
    ".next .big",
    ".main-actions button",
    ".actions.second button",
    ".tabs button",
    ".sitting li",
    ".lead > .risk",
    ".board .suit-list :is(h2, .distance, .hint), .undo-row button",
    ".board .stack, .board .suit-list li, .board .small-bets li",
    ".board .seat-card",
    ".board .number-space, .board .house-felt, .board .wheel-felt",
    ".board .hand, .board .holdem-middle, .bj-box",
    ".board .bank-bets li",
    ".card-button, .pad-key, .card-key, .d20-button, .tab-bets .wheel",
    ".console .chip-button, .console .spot .what",
)
"""What a dealer has to see at once, where a game has it: next step, undo, suits or spaces, bets, players, the pad."""
ONE_ROW_PX = 62
STEPS_OUT = """() => {
    const pay = document.querySelector(".pay");
    const end = pay.getBoundingClientRect().bottom + 1;
    const steps = [...pay.querySelectorAll(".pay-step")];
    const cut = steps.filter(one => one.getBoundingClientRect().bottom > end);
    return steps.length > 5 ? [] : cut.map(one => one.textContent);
}"""
"""Payments that would have to be scrolled to; of more than five some may."""
FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
COVERED = """() => {
    const toasts = [...document.querySelectorAll(".toast")].map(one => one.getBoundingClientRect());
    const meets = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const at = box => document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return [...document.querySelectorAll("button, a, input, select, summary, [role=button]")]
        .map(one => [one, one.getBoundingClientRect()])
        .filter(([one, box]) => one.contains(at(box)) && toasts.some(toast => meets(toast, box)))
        .map(([one]) => one.textContent);
}"""
"""Controls that can be touched and that a message lies over."""
SMALLEST = """() => {
    const found = [];
    const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const parent = walk.currentNode.parentElement;
        if (!walk.currentNode.data.trim() || parent.closest(".quiet, svg, title")) continue;
        if (!parent.checkVisibility()) continue;
        found.push([parseFloat(getComputedStyle(parent).fontSize) / innerHeight * 100, walk.currentNode.data]);
    }
    return found.sort((a, b) => a[0] - b[0])[0];
}"""
"""The smallest text beside the layouts, in hundredths of the screen's height."""
FAR_VH = 1.6
"""With the switch: on a television 60 cm high 10 mm, which is read from four metres (20/40 vision needs 8 mm)."""


def settle(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate(FRAMES)


def in_german(page: Page) -> Page:
    """Its words are the longest."""
    page.context.add_cookies([{"name": "language", "value": "de", "url": page.url}])
    page.reload()
    page.wait_for_selector(".live.on")
    return page


def play(house: House, *records: dict[str, Any]) -> None:
    for record in records:
        house.do(**record)


@pytest.fixture
def full(open_house: Open) -> Callable[[str], tuple[House, Crowded]]:
    def open_full(name: str) -> tuple[House, Crowded]:
        table = TABLES[name]
        return open_house(table.game, table.players, **table.options), table

    return open_full


@pytest.mark.thorough
@pytest.mark.parametrize("name", TABLES)
def test_the_dealer_sees_everything_at_once(
    full: Callable[[str], tuple[House, Crowded]], sit: Browse, name: str
) -> None:
    """In German, whose words are longest, at each moment of a round: every part lies whole on the screen."""
    house, table = full(name)
    dealer = in_german(sit(house, 0))
    for moment, records in table.moments.items():
        play(house, *records)
        seen(dealer.locator(".live.on"))
        for size in (LAPTOP, TABLET):
            settle(dealer, size)
            assert dealer.evaluate("scrollY + (scrollTo(0, 999), scrollY)") == 0, f"{moment} {size}: the page scrolls"
            assert dealer.locator(".bar").bounding_box()["height"] < ONE_ROW_PX, f"{moment} {size}"  # type: ignore[index]
            assert dealer.evaluate(STEPS_OUT) == [], f"{moment} {size}: a payment is cut off"
            for part in PARTS:
                pad = dealer.locator(part)
                if dealer.locator(".pay:not(:empty)").count() and part.startswith((".card-button", ".console .chip")):
                    continue  # just decided: what is to be paid comes first
                assert pad.evaluate_all(OUTSIDE) == [], f"{moment} {size}: {part}"


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["roche", "rochi"])
def test_the_whole_pad_of_cards_is_there(full: Callable[[str], tuple[House, Crowded]], sit: Browse, name: str) -> None:
    house, table = full(name)
    dealer = in_german(sit(house, 0))
    for records in list(table.moments.values())[:2]:
        play(house, *records)
    dealer.get_by_role("tab", name="Karten").click()
    for size in (LAPTOP, TABLET):
        settle(dealer, size)
        cards = dealer.locator(".card-button")
        expect(cards).to_have_count(54)
        boxes = cards.evaluate_all("all => all.map(one => one.getBoundingClientRect()).map(b => [b.width, b.height])")
        assert all(wide >= 32 and high >= 44 for wide, high in boxes), size
        if name == "roche":
            assert cards.evaluate_all(OUTSIDE) == [], size


def test_while_something_is_asked_the_answer_is_the_main_button(house: House, dealer: Page) -> None:
    house.do(do="bet", player="Aubrey", on="cut/6", amount=5)
    choices = (Choice("6D3", "Kin day 3"), Choice("6D5", "Kin day 5"))
    question = Question("q1", "unsure", "Is this Kin day 3 or Kin day 5?", choices, card="6D3", blocks=True)
    house.service.set_questions("camera", [question])
    answer = dealer.locator(".question .primary")
    expect(answer).to_have_text("Kin day 31")
    expect(dealer.locator(".next .primary")).to_have_count(0)
    assert answer.bounding_box()["y"] < dealer.locator(".main-actions button").bounding_box()["y"]  # type: ignore[index]
    dealer.keyboard.press("n")
    expect(dealer.locator(".toast.error")).to_contain_text("Answer the question first")
    assert house.service.view()["phase"] == "betting"
    house.service.set_questions("camera", [])
    expect(dealer.locator(".next .primary")).to_contain_text("No more bets")


@pytest.mark.thorough
def test_a_message_covers_no_control_and_moves_nothing(house: House, dealer: Page, phones: tuple[Page, Page]) -> None:
    """On the dealer's page at both sizes and on a phone, whose messages say "you"."""
    spot = phones[0].locator('[data-suit="6"] .kind-cut')
    before = spot.bounding_box()
    spot.tap()
    expect(phones[0].locator(".toast")).to_have_text("You bet 5 on Kin cuts")
    assert abs(spot.bounding_box()["y"] - before["y"]) < 3, "it was pressed down"  # type: ignore[index]
    assert phones[0].evaluate(COVERED) == []
    for size in (LAPTOP, TABLET):
        settle(dealer, size)
        button = dealer.locator(".do-undo")
        before = button.bounding_box()
        dealer.keyboard.press("h" if size == LAPTOP else "n")
        expect(dealer.locator(".toast").first).to_be_visible()
        assert dealer.evaluate(COVERED) == [], size
        house.do(do="undo")
        expect(dealer.locator(".toast")).to_have_count(0)
        assert button.bounding_box()["y"] == before["y"]  # type: ignore[index]


def typed(page: Page, text: str) -> Locator:
    """Type keys one by one where nothing has the focus; the line opens by itself."""
    for key in text:
        page.keyboard.press("Space" if key == " " else key)
    return page.locator(".quick-says")


@pytest.mark.thorough
def test_bets_and_cards_at_typing_speed(house: House, dealer: Page) -> None:
    """Seat, spot, coins and Enter; in words before it is done; nothing is done that is not clear."""
    bets = lambda: [(one["player"], one["on"], one["amount"]) for one in house.service.view()["bets"]]  # noqa: E731
    expect(typed(dealer, "2 6d 1")).to_have_text("2 Benedict: 1 on Kin by day, pays 4,000:1")
    assert bets() == []
    dealer.keyboard.press("Enter")
    expect(dealer.locator(".quick-text")).to_have_value("")
    typed(dealer, "c6 5")
    dealer.keyboard.press("Enter")
    expect(dealer.locator(".small-bets li")).to_have_count(2)
    assert bets() == [("Benedict", "day/6", 1), ("Benedict", "cut/6", 5)]
    expect(typed(dealer, "au 7 3")).to_contain_text("Aubrey: 3 on Commons cuts")
    dealer.keyboard.press("Enter")
    expect(dealer.locator(".small-bets li")).to_have_count(3)
    for text, says in (("9 6d 1", "Which player"), ("1 9x 1", "No spot “9x”"), ("1 6d x", "Seat, spot, coins")):
        expect(typed(dealer, text)).to_contain_text(says)
        dealer.keyboard.press("Enter")
        dealer.locator(".quick-text").fill("")
    assert len(bets()) == 3
    dealer.keyboard.press("Escape")
    expect(dealer.locator(".quick-line")).to_have_count(0)
    dealer.keyboard.press("n")
    expect(dealer.locator(".next .big")).to_contain_text("Turn the first card over")
    expect(typed(dealer, "6d3")).to_have_text("Kin day 3")
    dealer.keyboard.press("Enter")
    expect(dealer.locator(".card-button.seen, .board .stack[data-suit='6'] .count b")).to_have_text("1")
    assert house.service.view()["dealt"] == ["6D3"]
    dealer.keyboard.press("Escape")
    dealer.keyboard.press("?")
    expect(dealer.locator("dialog .keys")).to_contain_text("3 6d 10")


@pytest.mark.thorough
@pytest.mark.parametrize("name", TABLES)
def test_the_room_sees_everything_without_scrolling(
    full: Callable[[str], tuple[House, Crowded]], browse: Browse, name: str
) -> None:
    house, table = full(name)
    room = browse(f"{house.url}/", viewport={"width": 1024, "height": 768}, locale="de", reduced_motion="reduce")
    for moment, records in table.moments.items():
        play(house, *records)
        seen(room.locator(".live.on"))
        for size in (TABLET, LAPTOP, TV):
            settle(room, size)
            assert room.evaluate("scrollY + (scrollTo(0, 999), scrollY)") == 0, f"{moment} {size}"
            parts = ".prompt .big, .people li, .room .stack .tally .count, .seat-card, .number-space, .bj-box, .hand"
            assert room.locator(parts).evaluate_all(OUTSIDE) == [], f"{moment} {size}"


@pytest.mark.thorough
def test_large_type_is_kept_and_reads_from_four_metres(
    full: Callable[[str], tuple[House, Crowded]], browse: Browse
) -> None:
    house, table = full("roche")
    for records in list(table.moments.values())[:2]:
        play(house, *records)
    room = browse(f"{house.url}/", viewport={"width": 1920, "height": 1080}, locale="en")
    small = room.evaluate(SMALLEST)
    room.get_by_role("button", name="Large type").click()
    room.reload()
    expect(room.get_by_role("button", name="Large type")).to_have_attribute("aria-pressed", "true")
    large = room.evaluate(SMALLEST)
    assert large[0] >= FAR_VH, large
    assert large[0] > 1.2 * small[0]


@pytest.mark.thorough
def test_prices_and_their_words_stay_while_the_cards_are_dealt(
    full: Callable[[str], tuple[House, Crowded]], browse: Browse
) -> None:
    house, table = full("roche")
    room = browse(f"{house.url}/", viewport={"width": 1920, "height": 1080}, locale="en")
    for records in list(table.moments.values())[:2]:
        play(house, *records)
        felt = room.locator("[data-suit='3']", has=room.locator(".price")).first
        for text in ("Day", "Cut", "Night", "7:2", "75:1"):
            expect(room.locator("main svg text", has_text=text).first).to_be_visible()
        expect(felt).to_be_visible()
    assert room.locator(".stack .strip").evaluate_all(OUTSIDE) == []
    expect(room.locator(".last-card image")).to_have_attribute("href", "/art/6N6.svg")
    expect(room.locator(".printed-name")).to_have_text("The Old Root")
    answer = room.request.get(f"{house.url}/art/6N6.svg")
    assert answer.ok
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert room.request.get(f"{house.url}/art/9X9.svg").status == 404


@pytest.mark.thorough
def test_the_dice_tables_print_whole_prices_and_the_pot(
    full: Callable[[str], tuple[House, Crowded]], browse: Browse
) -> None:
    house, _ = full("rugen-house")
    for language, words in (("en", ("day 8:2", "night 7:2")), ("de", ("Tag 8:2", "Nacht 7:2"))):
        room = browse(f"{house.url}/", viewport={"width": 1920, "height": 1080}, locale=language)
        for text in (*words, "17:2", "90:1"):
            expect(room.locator(".house-felt text", has_text=text).first).to_be_visible()
    capital, table = full("rugen-capital")
    play(capital, *table.moments["taking"])
    room = browse(f"{capital.url}/", viewport={"width": 1920, "height": 1080}, locale="en")
    expect(room.locator(".all-stakes")).to_contain_text("26")


@pytest.mark.thorough
def test_every_bet_on_the_grand_layout_is_written_with_its_owner(
    full: Callable[[str], tuple[House, Crowded]], browse: Browse
) -> None:
    house, table = full("grand")
    play(house, *table.moments["bets"])
    room = browse(f"{house.url}/", viewport={"width": 1920, "height": 1080}, locale="en")
    rows = room.locator(".all-bets [data-row]")
    expect(rows).to_have_count(8)
    assert rows.evaluate_all(OUTSIDE) == []
    for name in NAMES:
        mine = [one["amount"] for one in house.service.view()["bets"] if one["player"] == name]
        assert sorted(map(int, rows.filter(has_text=name).locator("b").all_inner_texts())) == sorted(mine)


WORD_TOPS = """(button, word) => {
    const text = document.createTreeWalker(button, NodeFilter.SHOW_TEXT).nextNode();
    const range = document.createRange();
    range.setStart(text, text.data.indexOf(word));
    range.setEnd(text, text.data.indexOf(word) + word.length);
    return new Set([...range.getClientRects()].map(box => Math.round(box.top))).size;
}"""
"""How many lines a word stands in."""
LONGEST_IN_ONE_LINE = ("Bartholomew", "Wilhelmina", "Konstantin", "Guillermina", "Maximiliane", "Clementine")


@pytest.mark.thorough
@pytest.mark.parametrize("game", ["roulette", "blackjack"])
def test_no_name_is_broken_on_the_buttons_of_who_bets(open_house: Open, sit: Browse, game: str) -> None:
    """At every size "Bartholome-w" stood in two lines."""
    dealer = sit(open_house(game, tuple((name, 1000) for name in LONGEST_IN_ONE_LINE)), 0)
    for size in (LAPTOP, TABLET, TV):
        settle(dealer, size)
        names = dealer.locator(".work .player-button .who")
        expect(names).to_have_count(len(LONGEST_IN_ONE_LINE))
        lines = "all => all.map(one => one.getBoundingClientRect().height / parseFloat(getComputedStyle(one).fontSize))"
        assert max(names.evaluate_all(lines)) < 2, size


@pytest.mark.thorough
def test_undo_is_whole_while_two_things_are_asked(open_house: Open, sit: Browse) -> None:
    """On a tablet, after a spin whose number the camera reads otherwise: "Zurücknehmen" and ":" stood in two lines."""
    house = open_house("roulette", tuple((name, 1000) for name in LONGEST_IN_ONE_LINE))
    play(house, {"do": "bet", "player": "Bartholomew", "on": "red", "amount": 5}, {"do": "no-more-bets"})
    play(house, {"do": "spin", "pocket": "17"})
    dealer = in_german(sit(house, 0))
    settle(dealer, TABLET)
    ways = tuple(Choice(name, f"Ausgezahlt: Chips dort sind {name} Einsätze") for name in ("die", "keine"))
    asked = ("17 wurde von Hand eingegeben, die Kamera liest aber 18.", "Auszahlen und das Tableau räumen.")
    questions = [Question(text, "unsure", f"{text} Nach dieser Antwort zählen Chips wieder.", ways) for text in asked]
    house.service.set_questions("camera", questions)
    expect(dealer.locator(".question")).to_have_count(2)
    settle(dealer, TABLET)
    undo = dealer.locator(".do-undo")
    expect(undo).to_contain_text("Zurücknehmen: der Wurf: 17, schwarz")
    assert undo.evaluate(WORD_TOPS, "Zurücknehmen:") == 1
