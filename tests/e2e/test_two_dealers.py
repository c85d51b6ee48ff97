"""Two devices of the dealer's, or one and the camera: what both do at the same moment is done once."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect
from webhouse import BLINK_MS, House, seen

from companion.service.questions import Choice, Question

pytestmark = pytest.mark.browser
Sit = Callable[..., Page]
Open = Callable[..., House]

COMMANDS = "**/api/v1/commands*"


def overtake(page: Page, house: House, **record: object) -> None:
    """Have the other device's command come first, while this page's next one is on its way."""

    def meanwhile(route: Route) -> None:
        house.do(**record)
        route.continue_()

    hold_up(page, meanwhile)


def hold_up(page: Page, meanwhile: Callable[[Route], None]) -> None:
    """Let the page's next command go by way of the test, and wait until it does.

    A request that the browser begins just as it is told so would pass unseen.
    """
    page.route(COMMANDS, meanwhile, times=1)
    page.route("**/held-up", lambda route: route.fulfill(status=204))
    page.wait_for_function("async () => (await fetch('/held-up')).status === 204")


def at_the_moment(page: Page, shown: str, act: str, happens: Callable[[], Any]) -> None:
    """Do something on the page at the very moment that it shows what has happened.

    Args:
        shown: a condition, in JavaScript.
        act: what is done then, in JavaScript; `press(key)` presses a key.
    """
    page.evaluate(
        f"""() => {{
            const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", {{key, bubbles: true}}));
            delete document.documentElement.dataset.acted;
            new MutationObserver((_, watch) => {{
                if (!({shown})) return;
                watch.disconnect();
                {act};
                document.documentElement.dataset.acted = "yes";
            }}).observe(document.body, {{subtree: true, childList: true, characterData: true, attributes: true}});
        }}"""
    )
    happens()
    expect(page.locator("html[data-acted]")).to_have_count(1)


def number(house: House) -> int:
    return int(house.service.view()["commands"])


@pytest.mark.parametrize("game", ["rugen-house", "blackjack"])
def test_a_throw_or_card_that_both_enter_counts_once(open_house: Open, sit: Sit, game: str) -> None:
    house = open_house(game, (("Ann", 1000),))
    if game == "blackjack":
        house.do(do="bet", player="Ann", amount=50)
        for to, card in (("Ann", "5S"), ("dealer", "TD"), ("Ann", "5H")):
            house.do(do="deal", to=to, card=card)
        house.do(do="hole")
    page = sit(house, 0)
    done = number(house)
    if game == "blackjack":
        overtake(page, house, do="hit", card="2C")
        page.keyboard.press("c")
    else:
        overtake(page, house, do="throw", d20=17)
    page.keyboard.press("/")
    page.keyboard.type("2c" if game == "blackjack" else "17")
    page.keyboard.press("Enter")
    expect(page.locator(".toast.error")).to_contain_text("Something came in between, so this was not played")
    assert number(house) == done + 1


def split(open_house: Open) -> House:
    """Ann decides on the first of two hands."""
    house = open_house("blackjack", (("Ann", 1000),))
    house.do(do="bet", player="Ann", amount=100)
    for to, dealt in (("Ann", "8S"), ("dealer", "TD"), ("Ann", "8H")):
        house.do(do="deal", to=to, card=dealt)
    house.do(do="hole")
    house.do(do="split", cards=["2C", "3C"])
    return house


@pytest.mark.parametrize(("game", "key"), [("rochi", "f"), ("captains", "p"), ("blackjack", "s")])
def test_what_both_say_for_a_player_is_said_for_no_other(open_house: Open, sit: Sit, game: str, key: str) -> None:
    """Nor for the same player's second hand."""
    if game == "blackjack":
        house = split(open_house)
    else:
        house = open_house(game, (("Ann", 1000), ("Bo", 1000), ("Cy", 1000))[: 3 if game == "rochi" else 2])
        for seed in ("6D1", "6N1", "5D1", "7D1", "7D2", "2D1", "5D2", "4D1"):
            if house.service.view()["phase"] == "seeding":
                house.do(do="seed", card=seed)
    page = sit(house, 0)
    done = number(house)
    overtake(page, house, do={"f": "fold", "p": "pass", "s": "stand"}[key])
    page.keyboard.press(key)
    expect(page.locator(".toast.error")).to_contain_text("Something came in between, so this was not played")
    assert number(house) == done + 1


def test_a_phone_stands_on_no_hand_that_it_has_not_shown(open_house: Open, sit: Sit) -> None:
    """The dealer enters for the first hand what Ann says, as her phone says it."""
    house = split(open_house)
    phone = sit(house, 1)
    done = number(house)
    overtake(phone, house, do="stand")
    phone.get_by_role("button", name="Stand").click()
    expect(phone.locator(".toast.error")).to_contain_text("Something came in between, so this was not played")
    assert number(house) == done + 1


@pytest.mark.parametrize("verb", ["insure", "take-back"])
def test_what_a_phone_says_of_its_own_bet_counts_whatever_others_do(open_house: Open, sit: Sit, verb: str) -> None:
    """Insurance is offered to everybody at once, and everybody bets at once."""
    house = open_house("blackjack", (("Ann", 1000), ("Bo", 1000)))
    for player in ("Ann", "Bo"):
        house.do(do="bet", player=player, amount=100)
    if verb == "insure":
        for to, dealt in (("Ann", "8S"), ("Bo", "9S"), ("dealer", "AD"), ("Ann", "7H"), ("Bo", "9H")):
            house.do(do="deal", to=to, card=dealt)
        house.do(do="hole")
    phone = sit(house, 1)
    overtake(phone, house, do=verb, player="Bo")
    phone.get_by_role("button", name="Take insurance" if verb == "insure" else "Take my 100 back").click()
    expect(phone.locator(".purse")).to_contain_text("850" if verb == "insure" else "1,000")
    expect(phone.locator(".toast.error")).to_have_count(0)


def test_an_undo_takes_no_other_bet_back_than_the_one_it_names(house: House, dealer: Page) -> None:
    """Another device puts a bet right while the undo is on its way: as many commands count, the latest is a bet."""
    house.do(do="bet", player="Aubrey", on="cut/2", amount=4)
    seen(dealer.locator(".do-undo", has_text="4 on Mages"))

    def meanwhile(route: Route) -> None:
        house.do(do="undo")
        house.do(do="bet", player="Aubrey", on="cut/2", amount=40)
        route.continue_()

    hold_up(dealer, meanwhile)
    dealer.keyboard.press("u")
    expect(dealer.locator(".toast.error")).to_contain_text("Something came in between, so this was not played")
    assert house.service.view()["staked"] == 40


def test_a_level_that_both_begin_is_one_level(open_house: Open, sit: Sit) -> None:
    house = open_house("holdem-tournament", (("Ann", 1000), ("Bo", 1000)))
    page = sit(house, 0)
    overtake(page, house, do="next-level")
    page.get_by_role("button", name="Next level").click()
    expect(page.locator(".toast.error")).to_contain_text("Something came in between, so this was not played")
    assert house.service.view()["tournament"]["level"]["level"] == 2


def test_dice_tapped_for_a_throw_that_another_entered_are_dropped(open_house: Open, sit: Sit) -> None:
    house = open_house("chinchirorin", (("Ann", 100), ("Bo", 60)))
    for player, die in (("Ann", 5), ("Bo", 2)):
        house.do(do="throw-for-bank", player=player, die=die)
    house.do(do="bank", amount=50)
    house.do(do="bet", player="Bo", amount=20)
    house.do(do="close")
    page = sit(house, 0)
    for die in (1, 2, 4):
        page.get_by_role("group", name="Dice").get_by_label(f"A die that shows {die}").click()
    expect(page.get_by_role("button", name="Count 1-2-4")).to_be_visible()
    house.do(do="throw", dice=[1, 2, 4])
    expect(page.locator(".next .big")).to_contain_text("throws left: 2")
    expect(page.get_by_role("button", name="Count 1-2-4")).to_have_count(0)


def test_a_hold_that_both_ask_for_is_not_ended_by_the_second(house: House, dealer: Page) -> None:
    release = "document.querySelector('.main-actions').textContent.includes('Release')"
    at_the_moment(dealer, release, "press('h')", lambda: house.do(do="hold"))
    expect(dealer.locator(".toast.error")).to_contain_text("The table changed as you pressed")
    assert house.service.view()["hold"] is not None
    seen(dealer.locator(".main-actions", has_text="Release"))
    dealer.keyboard.press("h")
    expect(dealer.get_by_role("button", name="No more bets")).to_be_visible()


TICKED = "document.querySelectorAll('.pay-tick[aria-checked=true]').length == 1"


@pytest.mark.parametrize("act", ["press('x')", "document.querySelector('.pay-tick[role=checkbox]').click()"])
def test_a_payment_that_both_tick_is_ticked_and_no_other(house: House, dealer: Page, act: str) -> None:
    """The second key would tick the next payment, which nobody has handed over; the second tap take the tick back."""
    for player, on in (("Aubrey", "cut/2"), ("Benedict", "cut/6")):
        house.do(do="bet", player=player, on=on, amount=4)
    for record in ({"do": "no-more-bets"}, {"do": "deal", "card": "2D1"}, {"do": "deal", "card": "2D2"}):
        house.do(**record)
    expect(dealer.locator(".pay-tick[role=checkbox]")).to_have_count(2)
    sheet = house.service.view()["pay_sheet"]
    assert sheet is not None
    first = [sheet["steps"][0]["key"]]

    def by_another() -> None:
        house.service.tick(sheet["id"], first, is_paid=True, source="dealer")

    at_the_moment(dealer, TICKED, act, by_another)
    expect(dealer.locator(".toast.error")).to_contain_text("The table changed as you pressed")
    assert (house.service.view()["pay_sheet"] or {})["paid"] == first


def test_a_key_answers_what_was_asked_as_it_was_pressed(house: House, dealer: Page) -> None:
    def asks(name: str, coins: int) -> None:
        record = {"do": "buy-in", "player": "Aubrey", "coins": coins}
        choice = Choice("count", f"Buy in {coins}", record)
        house.service.set_questions("camera", [Question(name, "unsure", f"{name}?", (choice,))])

    asks("first", 10)
    expect(dealer.get_by_role("button", name="Buy in 10")).to_be_visible()
    for act in ("press('1')", "document.querySelector('.question button').click()"):
        other = "document.querySelector('.question').textContent.includes('second')"
        asks("first", 10)
        expect(dealer.get_by_role("button", name="Buy in 10")).to_be_visible()
        at_the_moment(dealer, other, act, lambda: asks("second", 20))
        expect(dealer.locator(".toast.error").last).to_contain_text("The table changed as you pressed")
        assert house.service.view()["players"][0]["coins"] == 100
    seen(dealer.locator(".question"))
    dealer.keyboard.press("1")
    expect(dealer.locator(".question")).to_have_count(0)
    assert house.service.view()["players"][0]["coins"] == 120


@pytest.mark.parametrize("key", ["n", "f"])
def test_a_key_for_one_player_is_none_for_the_next(open_house: Open, sit: Sit, key: str) -> None:
    """Cy's phone folds as the dealer presses the key for Cy: nothing is said for Ann."""
    house = open_house("holdem", (("Ann", 1000), ("Bo", 1000), ("Cy", 1000)))
    house.do(do="post")
    for player in ("Ann", "Bo", "Cy"):
        house.do(do="hole", player=player)
    assert house.service.view()["turn"] == "Cy"
    page = sit(house, 0)
    turn = "document.querySelector('.next .big').textContent.includes('Ann')"
    at_the_moment(page, turn, f"press('{key}')", lambda: house.do(do="fold", player="Cy"))
    expect(page.locator(".toast.error")).to_contain_text("The table changed as you pressed")
    assert house.service.view()["turn"] == "Ann"


FOLD = ".main-actions .do-fold, .main-actions button:nth-child(2)"


def preflop(open_house: Open) -> House:
    """It is Cy's turn, and Ann's after that."""
    house = open_house("holdem", (("Ann", 1000), ("Bo", 1000), ("Cy", 1000)))
    house.do(do="post")
    for player in ("Ann", "Bo", "Cy"):
        house.do(do="hole", player=player)
    return house


def test_a_finger_for_one_player_is_none_for_the_next(open_house: Open, sit: Sit) -> None:
    """The button looks the same for Ann as for Cy, who has just folded on the phone."""
    house = preflop(open_house)
    page = sit(house, 0)
    turn = "document.querySelector('.next .big').textContent.includes('Ann')"
    click = f"document.querySelector('{FOLD}').click()"
    at_the_moment(page, turn, click, lambda: house.do(do="fold", player="Cy"))
    expect(page.locator(".toast.error")).to_contain_text("The table changed as you pressed")
    assert house.service.view()["turn"] == "Ann"
    seen(page.locator(FOLD)).click()
    expect(page.locator(".next .big")).to_contain_text("put the blinds in")


@pytest.mark.thorough
def test_a_finger_that_came_down_before_the_change_has_not_seen_it(open_house: Open, sit: Sit) -> None:
    house = preflop(open_house)
    page = sit(house, 0)
    page.locator(FOLD).hover()
    page.mouse.down()
    house.do(do="fold", player="Cy")
    expect(page.locator(".next .big")).to_contain_text("Ann")
    page.wait_for_timeout(2 * BLINK_MS)
    page.mouse.up()
    expect(page.locator(".toast.error")).to_contain_text("The table changed as you pressed")
    assert house.service.view()["turn"] == "Ann"


def test_a_key_has_seen_what_came_after_a_finger_that_pressed_nothing(open_house: Open, sit: Sit) -> None:
    """The finger only scrolled, or opened a menu of the browser's: no click followed it."""
    house = preflop(open_house)
    page = sit(house, 0)
    page.locator(".next .big").click(button="right")
    house.do(do="fold", player="Cy")
    expect(page.locator(".next .big")).to_contain_text("Ann")
    page.wait_for_timeout(2 * BLINK_MS)
    page.keyboard.press("f")
    expect(page.locator(".next .big")).to_contain_text("put the blinds in")
    expect(page.locator(".toast.error")).to_have_count(0)


def test_what_a_finger_itself_has_brought_about_it_may_go_on_from_at_once(house: House, dealer: Page) -> None:
    """Two presses in a row, each of what the page shows."""
    hold = "document.querySelector('.main-actions').textContent.includes('Release')"
    at_the_moment(
        dealer, hold, "document.querySelector('.main-actions button').click()", dealer.locator(".do-hold").click
    )
    expect(dealer.get_by_role("button", name="No more bets")).to_be_visible()
    expect(dealer.locator(".toast.error")).to_have_count(0)


def test_what_was_chosen_on_the_page_itself_counts_at_once(open_house: Open, sit: Sit) -> None:
    """The main button says for how much, which changes as the units are tapped."""
    house = open_house("rugen-street", (("Ann", 1000), ("Bo", 1000)))
    house.do(do="throw", face="4d")
    page = sit(house, 0)
    main = page.locator(".main-actions button")
    before = main.text_content() or ""
    changed = f"!document.querySelector('.main-actions button').textContent.includes({before[:-1]!r})"
    more = page.get_by_role("button", name="More", exact=True)
    at_the_moment(page, changed, "document.querySelector('.main-actions button').click()", more.click)
    expect(page.locator(".next .big")).not_to_contain_text("stakes")
    assert house.service.view()["staked"] > 0


def test_a_redo_brings_back_what_was_shown(house: House, dealer: Page) -> None:
    for amount in (4, 6):
        house.do(do="bet", player="Aubrey", on="cut/2", amount=amount)
    house.do(do="undo")
    seen(dealer.locator(".do-redo", has_text="6 on Mages"))
    shown = "document.querySelector('.do-redo').textContent.includes('4 on Mages')"
    at_the_moment(dealer, shown, "document.querySelector('.do-redo').click()", lambda: house.do(do="undo"))
    expect(dealer.locator(".toast.error")).to_contain_text("The table changed as you pressed")
    assert house.service.view()["staked"] == 0


def test_a_misdeal_takes_no_other_hand_back_than_the_one_asked_about(open_house: Open, sit: Sit) -> None:
    house = open_house("holdem", (("Ann", 1000), ("Bo", 1000)))
    house.do(do="post")
    page = sit(house, 0)
    page.get_by_role("button", name="Misdeal").click()
    for player in ("Bo", "Ann"):
        house.do(do="hole", player=player)
    for record in ({"do": "fold"}, {"do": "post"}):
        house.do(**record)
    done = number(house)
    expect(page.locator(".next .big")).to_contain_text("Ann")
    page.get_by_role("button", name="Yes, take the hand back").click()
    expect(page.locator(".toast.error")).to_contain_text("The table changed as you pressed")
    assert number(house) == done


def test_a_misdeal_takes_no_hand_back_that_began_after_another_misdeal(open_house: Open, sit: Sit) -> None:
    """As many hands were decided as when it was asked about."""
    house = open_house("holdem", (("Ann", 1000), ("Bo", 1000)))
    house.do(do="post")
    page = sit(house, 0)
    page.get_by_role("button", name="Misdeal").click()
    house.do(do="misdeal")
    expect(page.locator(".next .big")).to_contain_text("put the blinds in")
    house.do(do="post")
    done = number(house)
    expect(page.locator(".next .big")).not_to_contain_text("put the blinds in")
    page.get_by_role("button", name="Yes, take the hand back").click()
    expect(page.locator(".toast.error")).to_contain_text("The table changed as you pressed")
    assert number(house) == done


def test_a_bet_on_its_way_keeps_no_other_players_bet_from_the_spot(house: House, dealer: Page) -> None:
    on_its_way: list[Route] = []
    dealer.route(COMMANDS, lambda route: on_its_way.append(route), times=1)
    for player in ("Aubrey", "Benedict"):
        dealer.locator(".who-tabs").get_by_role("button", name=player).click()
        dealer.locator("button[aria-label^='Bet 5 on Kin cuts']").dispatch_event("click")
    expect(dealer.locator(".bet-list li")).to_have_count(1)
    on_its_way[0].continue_()
    expect(dealer.locator(".bet-list li")).to_have_count(2)
    assert sorted(bet["player"] for bet in house.service.view()["bets"]) == ["Aubrey", "Benedict"]


def aubreys(page: Page, button: str) -> None:
    page.get_by_role("tab", name="Players").click()
    page.locator(".players li", has_text="Aubrey").get_by_role("button", name=button).click()


def coins(house: House) -> dict[str, int]:
    return {player["name"]: player["coins"] for player in house.service.view()["players"]}


def test_coins_that_came_since_are_not_cashed_out_unseen(house: House, dealer: Page) -> None:
    """The dealer hands over what the question says."""
    aubreys(dealer, "Cash out all 100")
    house.do(do="buy-in", player="Aubrey", coins=50)
    expect(dealer.locator(".players")).to_contain_text("150")
    dealer.get_by_role("button", name="Yes, cash out").click()
    expect(dealer.get_by_role("dialog")).to_contain_text("Cash out Aubrey: all 150?")
    assert coins(house)["Aubrey"] == 150
    dealer.get_by_role("button", name="Yes, cash out").click()
    expect(dealer.locator(".players")).not_to_contain_text("150")
    assert coins(house)["Aubrey"] == 0


def seat_anew(page: Page, name: str) -> None:
    sheet = page.get_by_role("dialog")
    sheet.get_by_label("Name").fill(name)
    sheet.locator("[type=submit]").click()


def test_a_player_who_is_seated_anew_keeps_the_coins_that_came_since(house: House, dealer: Page) -> None:
    aubreys(dealer, "Name or seat")
    house.do(do="buy-in", player="Aubrey", coins=50)
    expect(dealer.locator(".players")).to_contain_text("150")
    seat_anew(dealer, "Aubrey B")
    expect(dealer.locator(".players")).to_contain_text("Aubrey B")
    assert coins(house) == {"Aubrey B": 150, "Benedict": 50}


def test_a_player_is_seated_anew_though_others_bet_meanwhile(house: House, dealer: Page) -> None:
    def meanwhile(route: Route) -> None:
        if route.request.post_data_json["do"] == "leave":
            house.do(do="bet", player="Benedict", on="cut/6", amount=5)
        route.continue_()

    aubreys(dealer, "Name or seat")
    dealer.route(COMMANDS, meanwhile)
    seat_anew(dealer, "Aubrey B")
    expect(dealer.locator(".players")).to_contain_text("Aubrey B")
    assert coins(house) == {"Aubrey B": 100, "Benedict": 45}


@pytest.mark.parametrize(("step", "left"), [("leave", {"Aubrey": 0}), ("join", {})])
def test_seating_somebody_anew_in_vain_takes_back_nothing_of_anybody_else(
    house: House, dealer: Page, step: str, left: dict[str, int]
) -> None:
    """Benedict's phone bets meanwhile: the bet stays, and the dealer is told how far it has come."""
    aubreys(dealer, "Name or seat")

    def meanwhile(route: Route) -> None:
        if route.request.post_data_json["do"] == step:
            house.do(do="bet", player="Benedict", on="cut/6", amount=5)
        route.continue_()

    dealer.route(COMMANDS, meanwhile)
    seat_anew(dealer, "Benedict")
    expect(dealer.locator(".toast.error").last).to_contain_text("Aubrey was cashed out with 100")
    assert house.service.view()["staked"] == 5
    assert coins(house) == {"Benedict": 45, **left}


@pytest.mark.thorough
def test_where_no_answer_comes_to_seating_somebody_anew_nobody_is_said_to_be_out(house: House, dealer: Page) -> None:
    """Aubrey sat again, under the new name and with the coins; who was let in once more would have had them twice."""
    aubreys(dealer, "Name or seat")

    def lost(route: Route) -> None:
        if route.request.post_data_json["do"] == "join":
            route.fetch()  # played, and nobody hears of it
            route.abort()
        else:
            route.continue_()

    dealer.route(COMMANDS, lost)
    seat_anew(dealer, "Aubrey B")
    said = dealer.locator(".toast.error").last
    expect(said).to_contain_text("Look whether Aubrey B sits at the table before you let them in with 100 coins.")
    assert coins(house) == {"Aubrey B": 100, "Benedict": 50}


def test_seating_somebody_anew_in_vain_leaves_all_as_it_was(house: House, dealer: Page) -> None:
    aubreys(dealer, "Name or seat")
    seat_anew(dealer, "Benedict")
    expect(dealer.locator(".toast.error").last).to_contain_text("A player called Benedict sits here already")
    assert coins(house) == {"Aubrey": 100, "Benedict": 50}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "body"),
    [("text/html", "Bad gateway"), ("application/problem+json", '{"code": "busy", "message": "Wait."}')],
)
def test_a_bet_that_a_busy_table_did_not_take_is_sent_again(house: House, dealer: Page, kind: str, body: str) -> None:
    """Under the same key: somebody on the way may have lost the answer only."""
    keys = []

    def busy(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) == 1:
            route.fetch()  # played, but the answer is lost
        route.fulfill(status=503, content_type=kind, body=body) if len(keys) < 3 else route.continue_()

    dealer.route(COMMANDS, busy)
    dealer.locator("button[aria-label^='Bet 5 on Kin cuts']").click()
    expect(dealer.locator(".toast.ok")).to_contain_text("Kin")
    expect(dealer.locator(".toast.error")).to_have_count(0)
    assert len(set(keys)) == 1
    assert house.service.view()["staked"] == 5
