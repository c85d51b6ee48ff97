"""An evening of King of Roulette: six phones, the room's screen and the dealer, tap by tap."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect
from webclient import PIN
from webhouse import seen

NAMES = ("Ann", "Bo", "Cy", "Dee", "Eli", "Flo")
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def table(open_house):
    return open_house("king-of-roulette", tuple((name, 4) for name in NAMES), rounds=2)


def phone(house: Any, browse: Any, seat: int) -> Page:
    page = browse(f"{house.url}/seat/{seat}#{house.access.seat_code(seat)}", viewport=PHONE, has_touch=True)
    page.wait_for_selector(".live.on")
    return page


def press(page: Page, group: str, name: str) -> None:
    page.locator(group).get_by_role("button", name=name, exact=True).click()


def seal(page: Page) -> None:
    page.locator(".seal").click()
    expect(page.locator(".seal")).to_have_text("Seal anew")
    expect(page.locator(".pick [aria-pressed=true]")).to_have_count(0)


def bet(page: Page, space: str) -> None:
    press(page, ".pick-space", space)
    seal(page)


def rig(page: Page, one: tuple[str, str], two: str, guess: str, text: str = "", is_kept: bool = True) -> None:
    for space in one:
        press(page, ".pick-one", space)
    press(page, ".pick-two", two)
    page.get_by_label("Your rule, in one sentence").press_sequentially(text)
    page.locator(".pick-range button", has_text=guess).click()
    if is_kept:
        seal(page)
    else:
        page.locator(".seal").click()
        expect(page.locator(".king-form")).to_have_count(0)


@pytest.mark.browser
@pytest.mark.thorough
def test_an_evening_on_six_phones(table, browse):
    """Two rounds with a bonus, a tie for the crown, a phone that drops out and comes back, and the verdict."""
    room = browse(table.url, viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    phones = dict(zip(NAMES, (phone(table, browse, seat) for seat in range(1, 7)), strict=True))

    for name, page in phones.items():
        press(page, ".choose-player", "Ann" if name != "Bo" else "Bo")
        expect(room.locator(".seals .in")).to_have_count(min(NAMES.index(name) + 1, 5) if name != "Flo" else 0)
    expect(room.locator(".throne")).to_contain_text("Ann")

    phones["Bo"].get_by_role("button", name="Buy a Double Bonus for 2").click()
    phones["Bo"].get_by_label("Use a Double Bonus this round").check()
    bet(phones["Bo"], "5")
    bet(phones["Cy"], "King")
    bet(phones["Dee"], "King")
    rig(phones["Ann"], ("2", "3"), "5", "2-3", "The brave win")
    expect(room.locator(".prompt")).to_contain_text("waiting for Eli, Flo")
    for page in (room, phones["Bo"], phones["Eli"]):
        assert "brave" not in page.content()
        expect(page.locator(".reveal")).to_have_count(0)
    phones["Eli"].close()
    bet(phones["Flo"], "2")
    phones["Eli"] = phone(table, browse, 5)
    bet(phones["Eli"], "1")
    bet(phones["Eli"], "3")
    phones["Eli"].get_by_role("button", name="Show my secret").click()
    expect(phones["Eli"].locator(".secret")).to_contain_text("Your bet: 3")

    phones["Ann"].get_by_role("button", name="Reveal").click()
    expect(room.locator(".reveal blockquote")).to_contain_text("The brave win")
    expect(room.locator(".earns-2")).to_contain_text("Bo")
    expect(room.locator(".guess")).to_contain_text("3 other players earned points. Ann guessed 2-3: right")
    expect(room.locator(".gained")).to_contain_text("Bo +4")
    press(phones["Ann"], ".choose-player", "Dee")

    rig(phones["Dee"], ("1", "2"), "3", "0-1")
    for name in ("Ann", "Bo", "Cy", "Eli", "Flo"):
        bet(phones[name], "6")
    phones["Dee"].get_by_role("button", name="Reveal").click()
    expect(room.locator(".verdict")).to_contain_text("Elimination Candidate: Cy")
    expect(room.locator(".verdict .wins")).to_have_count(2)
    expect(room.locator(".reveal blockquote")).to_contain_text(
        "Spaces 1 and 2 earn 1 point and space 3 earns 2 points."
    )


@pytest.mark.thorough
@pytest.mark.browser
def test_a_bonus_gives_as_many_commands_as_none(table, browse):
    """Whoever counts the table's commands learns nothing."""
    for name in NAMES:
        table.do(do="vote", player=name, **{"for": "Ann"})
    table.do(do="buy-bonus", player="Bo")
    table.do(do="buy-bonus", player="Cy")
    counts = []
    for seat, doubles in ((2, True), (3, False)):
        page, before = phone(table, browse, seat), table.service.view()["commands"]
        if doubles:
            page.get_by_label("Use a Double Bonus this round").check()
        bet(page, "4")
        counts.append(table.service.view()["commands"] - before)
    assert counts == [2, 2]
    assert [table.service.view(f"seat/{seat}")["secrets"]["uses_bonus"] for seat in (2, 3)] == [True, False]


@pytest.mark.browser
@pytest.mark.thorough
def test_the_dealer_seals_for_players_without_a_phone(table, browse):
    dealer = browse(f"{table.url}/dealer", viewport={"width": 1280, "height": 900})
    dealer.get_by_label("PIN").fill(PIN)
    dealer.get_by_role("button", name="Log in").click()
    dealer.wait_for_selector(".live.on")
    for name in NAMES:
        press(dealer, ".pick-who", name)
        press(dealer, ".choose-player", "Ann")
        expect(dealer.locator(".pick-who [aria-pressed=true]")).to_have_count(0)
    for name in NAMES[1:]:
        press(dealer, ".pick-who", name)
        press(dealer, ".pick-space", "1")
        dealer.locator(".seal").click()
        expect(dealer.locator(".pick-who [aria-pressed=true]")).to_have_count(0)
    press(dealer, ".pick-who", "Ann")
    rig(dealer, ("1", "2"), "3", "4-5", is_kept=False)
    seen(dealer.locator(".main-actions .primary"))
    dealer.keyboard.press("n")
    expect(dealer.locator(".reveal .guess")).to_contain_text("5 other players earned points. Ann guessed 4-5: right")


MANY = ("Ann", "Benedict", "Christopher", "Dorothea", "Eli", "Florentine", "Guy", "Henrietta", "Isidor", "Josephine")
LONG = "A sentence that the king has written to confuse everybody, and that goes on and on until nobody remembers it"


def bottom_of(page: Page, what: str) -> float:
    box = page.locator(what).last.bounding_box()
    assert box is not None
    return box["y"] + box["height"]


@pytest.mark.thorough
@pytest.mark.browser
def test_nothing_on_the_rooms_screen_runs_over_something_else(open_house, browse):
    """Ten players, a rule of many words, all bets on one space, and the verdict beside the last reveal."""
    house = open_house("king-of-roulette", tuple((name, 4) for name in MANY), rounds=1)
    room = browse(house.url, viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")

    def is_clear(*parts: str) -> bool:
        people = room.locator(".people").bounding_box()
        assert people is not None
        return all(bottom_of(room, part) <= people["y"] + 1 for part in parts)

    expect(room.locator(".seals .out")).to_have_count(len(MANY))
    assert is_clear(".scores", ".waiting")
    for name in MANY:
        house.do(do="vote", player=name, **{"for": "Ann"})
    house.do(do="rule", text=LONG, one=[1, 6], two=4)
    house.do(do="guess", range="0-1")
    for name in MANY[1:]:
        house.do(do="bet", player=name, space="king")
    house.do(do="reveal")
    house.do(do="choose", player="Benedict")
    expect(room.locator(".verdict .wins")).to_have_text("Ann wins 2 Tokens of Life")
    assert is_clear(".scores", ".reveal", ".reveal .gained", ".verdict")
    wins, candidate = (room.locator(f".verdict .{part}").bounding_box() for part in ("wins", "candidate"))
    assert wins is not None
    assert candidate is not None
    assert wins["y"] + wins["height"] <= candidate["y"]


@pytest.mark.browser
@pytest.mark.parametrize("size", [(1920, 1080), (1366, 768)])
@pytest.mark.parametrize("count", [7, 8, 12])
def test_the_spaces_lie_above_those_who_sit_round_while_names_are_long(open_house, browse, count, size):
    """With eight long names the seals stood in two lines, and the spaces below them behind the players' coins."""
    names = tuple(f"{letter}aximiliane-Charlotte von" for letter in "ABCDEFGHIJKL"[:count])
    house = open_house("king-of-roulette", tuple((name, 4) for name in names))
    for name in names:
        house.do(do="vote", player=name, **{"for": names[0]})
    room = browse(house.url, viewport={"width": size[0], "height": size[1]}, locale="de", reduced_motion="reduce")
    expect(room.locator(".seals .out")).to_have_count(count)
    people = room.locator(".people").bounding_box()
    assert people is not None
    assert bottom_of(room, ".waiting .space") <= people["y"] + 1


@pytest.mark.browser
def test_no_name_is_broken_on_the_dealers_buttons(open_house, browse):
    house = open_house("king-of-roulette", tuple((name, 4) for name in MANY[:7]))
    dealer = browse(f"{house.url}/dealer", viewport={"width": 1024, "height": 768})
    dealer.get_by_label("PIN").fill(PIN)
    dealer.get_by_role("button", name="Log in").click()
    dealer.wait_for_selector(".live.on")
    heights = {box["height"] for one in dealer.locator(".pick-who button").all() if (box := one.bounding_box())}
    assert len(heights) == 1
    assert max(heights) < 60


BROKEN = """all => all.filter((one) => {
    const words = document.createRange();
    words.selectNodeContents(one);
    const lines = new Set([...words.getClientRects()].map((line) => Math.round(line.top))).size;
    return lines > one.textContent.trim().split(/[\\s-]+/).length;
}).map((one) => one.textContent)"""
"Buttons with more lines than words."


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 820, 1024])
def test_the_next_kings_names_are_whole(open_house, sit, width):
    """Six in a line were broken letter by letter on a tablet held upright, and "Bartholom-ew" on one that lies."""
    names = ("Maximiliane-Charlotte-Lu", "Bartholomäus von Hagen", "José María Fernández-Ru", "Åsa Grünwald-Löwenthal")
    names += ("Guillermo de la Cruz", "Henriette", "Li", "Konstantin Alexandrov")
    house = open_house("king-of-roulette", tuple((name, 4) for name in names), rounds=2)
    for name in names:
        house.do(do="vote", player=name, **{"for": names[0]})
    house.do(do="rule", text="Low", one=[1, 2], two=3)
    house.do(do="guess", range="0-1")
    for name in names[1:]:
        house.do(do="bet", player=name, space=1)
    house.do(do="reveal")
    dealer = sit(house, 0, viewport={"width": width, "height": 1180}, locale="de")
    buttons = dealer.locator(".choose-player .verb")
    expect(buttons).to_have_count(len(names))
    assert buttons.evaluate_all(BROKEN) == []


def ready_round(table: Any) -> None:
    """Everything of the first round is sealed, Ann is king."""
    for name in NAMES:
        table.do(do="vote", player=name, **{"for": "Ann"})
    table.do(do="rule", text="Low", one=[1, 2], two=3)
    table.do(do="guess", range="0-1")
    for name in NAMES[1:-1]:
        table.do(do="bet", player=name, space=6)


@pytest.mark.thorough
@pytest.mark.browser
def test_no_finger_reveals_the_round_by_mistake(table, browse):
    """Reveal comes to where the king's own secret is shown, just as the last bet is sealed: too late to aim anew."""
    ready_round(table)
    ann = phone(table, browse, 1)
    table.do(do="bet", player="Flo", space=6)
    reveal = ann.get_by_role("button", name="Reveal")
    expect(reveal).to_be_attached()
    reveal.dispatch_event("click")
    assert table.service.view("room")["phase"] == "round", "it was not there when the finger set out"
    expect(reveal).to_be_enabled()
    spot = reveal.bounding_box()
    at = spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2
    ann.touchscreen.tap(*at)
    expect(ann.locator(".choose-player")).to_be_visible()
    for name in ann.locator(".choose-player button").all():
        name.dispatch_event("click")  # a second tap elects nobody
    assert table.service.view("room")["phase"] == "succession"
    expect(ann.locator(".toast")).to_have_text("Round 1 revealed")
    ann.locator(".choose-player").get_by_role("button", name="Cy", exact=True).tap()
    expect(ann.locator(".toast").last).to_have_text("The next king: Cy")


@pytest.mark.thorough
@pytest.mark.browser
def test_a_message_about_the_reveal_leaves_the_next_step_in_sight(table, browse):
    """The log's sentence ran over four lines: on the dealer's page it hid what to do next."""
    ready_round(table)
    table.do(do="bet", player="Flo", space=6)
    dealer = browse(f"{table.url}/dealer", viewport={"width": 1280, "height": 800})
    dealer.get_by_label("PIN").fill(PIN)
    dealer.get_by_role("button", name="Log in").click()
    dealer.wait_for_selector(".live.on")
    seen(dealer.locator(".main-actions .primary"))
    dealer.keyboard.press("n")
    expect(dealer.locator(".toast")).to_have_text("Round 1 revealed")
    expect(dealer.locator(".reveal .guess")).to_contain_text("Nobody else earned points.")
    message, step = dealer.locator(".toast").bounding_box(), dealer.locator(".next .big").bounding_box()
    assert message["y"] + message["height"] <= step["y"]


@pytest.mark.browser
def test_a_rule_without_the_kings_words_reads_in_each_pages_language(table, browse):
    """As the camera reads one from cards, or as a phone in another language sends one."""
    for name in NAMES:
        table.do(do="vote", player=name, **{"for": "Ann"})
    for name in NAMES[1:]:
        table.do(do="bet", player=name, space=1)
    code = table.access.seat_code(1)
    king = browse(f"{table.url}/seat/1#{code}", viewport=PHONE, has_touch=True, locale="es")
    for space in ("1", "2"):
        press(king, ".pick-one", space)
    press(king, ".pick-two", "3")
    king.locator(".pick-range button", has_text="4-5").click()
    king.locator(".seal").click()
    expect(king.locator(".pick [aria-pressed=true]")).to_have_count(0)
    king.get_by_role("button", name="Mostrar mi secreto").click()
    expect(king.locator(".secret")).to_contain_text("Las casillas 1 y 2 dan 1 punto")
    table.do(do="reveal")
    for language, words in (("de", "Die Felder 1 und 2 bringen 1 Punkt"), ("es", "Las casillas 1 y 2 dan 1 punto")):
        room = browse(table.url, locale=language, reduced_motion="reduce")
        expect(room.locator(".reveal blockquote")).to_contain_text(words)
