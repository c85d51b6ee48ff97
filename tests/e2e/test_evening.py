"""Whole evenings in a real browser: the dealer, two phones and the room at once."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from webhouse import House, free_port, seen

from companion.service.questions import Choice, Question
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from web_ui import AccessStore, create_app
from web_ui.server import Server

pytestmark = pytest.mark.browser
Browse = Callable[..., Page]


def spot(page: Page, name: str) -> Page:
    return page.get_by_role("button", name=re.compile(rf"Bet \d+ on {name}"))  # type: ignore[return-value]


def test_a_whole_round(house: House, dealer: Page, phones: tuple[Page, Page], browse: Browse) -> None:
    """Bets from two phones and the dealer, the deal by camera and by tapping, and everybody sees who was paid."""
    room = browse(f"{house.url}/", viewport={"width": 1920, "height": 1080})
    aubrey, benedict = phones
    aubrey.get_by_role("button", name="10 coins").tap()
    spot(aubrey, "Mages cuts").tap()
    expect(aubrey.locator(".own-bets")).to_contain_text("Mages cuts")
    expect(aubrey.locator(".coins")).to_have_text("90")
    spot(benedict, "Kin by night").tap()
    expect(benedict.locator(".coins")).to_have_text("45")
    dealer.locator(".player-button", has_text="Benedict").click()
    spot(dealer, "Kin cuts").click()
    expect(benedict.locator(".coins")).to_have_text("40")
    expect(room.locator(".chip-svg")).to_have_count(3)

    seen(dealer.get_by_role("button", name="No more bets")).click()
    expect(aubrey.locator(".watching")).to_contain_text("No more bets")
    expect(room.locator(".prompt .big")).to_have_text("No more bets")
    house.do(do="deal", card="6D3")
    expect(room.locator("[data-suit='6'] .count")).to_have_text("1 of 6")
    expect(room.locator("[data-suit='6'] .distance")).to_have_text("5 to cut")
    dealer.get_by_role("tab", name="Cards").click()
    dealer.get_by_role("button", name="Mages day 1").click()
    expect(room.locator("[data-suit='2'] .distance")).to_have_text("Ripe: 1 to cut")
    expect(dealer.get_by_role("button", name="Mages day 1", exact=True)).to_have_attribute("aria-disabled", "true")
    dealer.get_by_role("button", name="Mages night 2").click()

    expect(room.locator(".prompt .big")).to_have_text("Mages cuts!")
    expect(room.locator(".pay-sheet .is-pay")).to_contain_text("20 from the house · stake of 10 stays or goes back")
    expect(room.locator(".pay-sheet .is-pay b")).to_have_text("30")
    expect(aubrey.locator(".outcome")).to_contain_text("You won 20")
    expect(aubrey.locator(".coins")).to_have_text("120")
    expect(benedict.locator(".outcome")).to_contain_text("You lost 10")
    dealer.locator(".payouts > summary").click()
    dealer.locator(".payouts li summary").first.click()
    expect(dealer.locator(".explained").first).to_contain_text("10 staked: 10 × 2 = 20 won")

    seen(dealer.get_by_role("button", name="New round"))
    dealer.keyboard.press("n")
    expect(room.locator(".prompt .big")).to_have_text("Place your bets")
    expect(room.locator("body")).to_contain_text("Round 2")
    view = house.service.view()
    assert {p["name"]: p["coins"] for p in view["players"]} == {"Aubrey": 120, "Benedict": 40}
    assert view["house"] == -10


def test_undo_says_what_it_undoes_and_redo_brings_it_back(house: House, dealer: Page) -> None:
    house.do(do="bet", player="Aubrey", on="cut/6", amount=5)
    undo = dealer.get_by_role("button", name="Undo: Aubrey's bet of 5 on Kin to cut")
    seen(undo).click()
    seen(dealer.get_by_role("button", name="Redo: Aubrey's bet of 5 on Kin to cut"))
    assert house.service.view()["bets"] == []
    dealer.keyboard.press("r")
    expect(undo).to_be_visible()
    assert house.service.view()["staked"] == 5


def test_undo_takes_back_only_what_the_dealer_has_seen(house: House, dealer: Page) -> None:
    """A card that the camera deals a blink before the tap stays; so does one that the page does not even show yet."""
    house.do(do="no-more-bets")
    undo = dealer.get_by_role("button", name="Undo: no more bets")
    expect(undo).to_be_visible()
    dealer.evaluate(  # the very moment that the page shows it
        """() => new Promise(done => new MutationObserver((_, watch) => {
            const button = document.querySelector(".do-undo");
            if (button.textContent.includes("Kin day 3")) { watch.disconnect(); button.click(); done(); }
        }).observe(document.body, {subtree: true, childList: true, characterData: true}) || fetch("/api/v1/commands", {
            method: "POST", headers: {"Content-Type": "application/json", "Authorization": "Bearer 4711"},
            body: JSON.stringify({do: "deal", card: "6D3"})}))"""
    )
    expect(dealer.locator(".toast")).to_contain_text("The table changed as you pressed")
    assert house.service.view()["dealt"] == ["6D3"]
    seen(dealer.get_by_role("button", name="Undo: the deal of Kin day 3")).click()
    expect(undo).to_be_visible()
    assert house.service.view()["dealt"] == []


def test_a_double_tap_is_one_bet(house: House, phones: tuple[Page, Page]) -> None:
    kin = spot(phones[0], "Kin cuts")
    kin.dblclick()  # type: ignore[attr-defined]
    expect(phones[0].locator(".own-bets b")).to_have_text("5")
    phones[0].wait_for_timeout(700)
    assert house.service.view()["staked"] == 5


def test_a_bet_is_never_shown_before_the_table_has_it(house: House, phones: tuple[Page, Page]) -> None:
    aubrey = phones[0]
    aubrey.get_by_label("Other amount").fill("101")
    spot(aubrey, "Kin cuts").tap()  # type: ignore[attr-defined]
    expect(aubrey.locator(".toast.error")).to_contain_text("100 coins and cannot bet 101")
    expect(aubrey.locator(".own-bets li")).to_have_count(0)


def test_a_lost_answer_is_asked_for_again_and_played_once(house: House, phones: tuple[Page, Page]) -> None:
    """The bet reaches the table, its answer does not reach the phone: the phone repeats it, the table does not."""
    aubrey = phones[0]
    lost = []

    def lose_first_answer(route: object) -> None:
        if not lost:
            lost.append(route.fetch())  # type: ignore[attr-defined]
            route.abort()  # type: ignore[attr-defined]
        else:
            route.continue_()  # type: ignore[attr-defined]

    aubrey.route("**/api/v1/commands*", lose_first_answer)
    spot(aubrey, "Kin cuts").tap()  # type: ignore[attr-defined]
    expect(aubrey.locator(".toast.ok")).to_contain_text("5 on Kin cuts")
    assert len(lost) == 1
    assert house.service.view()["staked"] == 5


def test_take_back(house: House, phones: tuple[Page, Page]) -> None:
    house.do(do="bet", player="Aubrey", on="day/3", amount=8)
    phones[0].get_by_role("button", name="Take back 8 from Realm by day").tap()
    expect(phones[0].locator(".coins")).to_have_text("100")
    assert house.service.view()["bets"] == []


def test_a_wrong_pin_is_told_and_locks_in_the_end(house: House, browse: Browse) -> None:
    page = browse(f"{house.url}/dealer")
    for _ in range(4):
        page.get_by_label("PIN").fill("9999")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("alert")).to_contain_text("That PIN is wrong")
    page.get_by_label("PIN").fill("9999")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_contain_text("Wait 30 seconds")


@pytest.mark.thorough
def test_a_stopped_server_is_told_and_a_restarted_one_found(house: House, dealer: Page, browse: Browse) -> None:
    """Never a stale table: after six seconds without a sign of life the page says so, and recovers by itself."""
    room = browse(f"{house.url}/")
    expect(room.locator(".live.on")).to_be_visible()
    house.stop()
    expect(room.locator("#stale")).to_contain_text(re.compile(r"Not live – last known at \d\d:\d\d:\d\d"), timeout=9000)
    expect(room.locator(".live.off")).to_be_visible()
    expect(dealer.locator("#stale")).to_be_visible()
    house.start()
    house.do(do="bet", player="Aubrey", on="cut/6", amount=7)
    expect(room.locator("#stale")).to_be_hidden(timeout=9000)
    expect(room.locator("[data-on='cut/6'] .chip-svg title")).to_have_text("Aubrey: 7")
    expect(dealer.locator("#stale")).to_be_hidden(timeout=9000)
    seen(dealer.get_by_role("button", name="No more bets")).click()
    expect(room.locator(".prompt .big")).to_have_text("No more bets")


def test_a_page_that_comes_back_from_the_browsers_memory_is_live_at_once(house: House, browse: Browse) -> None:
    """Back and forward again within a blink: its connection was closed, and it must not look live without one."""
    room = browse(f"{house.url}/", viewport={"width": 1920, "height": 1080})
    room.wait_for_selector(".live.on")
    for event in ("pagehide", "pageshow"):
        room.evaluate(f"dispatchEvent(new PageTransitionEvent('{event}', {{persisted: true}}))")
    house.do(do="bet", player="Aubrey", on="cut/6", amount=7)
    expect(room.locator("[data-on='cut/6'] .chip-svg title")).to_have_text("Aubrey: 7", timeout=2000)


def test_questions_are_answered_by_key_and_by_tap(house: House, dealer: Page) -> None:
    house.do(do="no-more-bets")
    deal = {card: Choice(card, card, {"do": "deal", "card": card}) for card in ("6D3", "6D5")}
    ask = Question("unsure-1", "unsure", "6D3 or 6D5?", (deal["6D3"], deal["6D5"]), card="6D3", blocks=True)
    house.service.set_questions("camera", [ask])
    expect(dealer.locator(".question")).to_contain_text("6D3 or 6D5?")
    expect(dealer.locator(".next .big")).to_have_text("Answer the question")
    seen(dealer.locator(".question"))
    dealer.keyboard.press("2")
    expect(dealer.locator(".question")).to_have_count(0)
    assert house.service.view()["last"] == "6D5"
    other = Question("gone-1", "vanished", "Where is 6D5?", (Choice("there", "It lies there"), Choice("off", "Gone")))
    house.service.set_questions("camera", [other])
    dealer.get_by_role("button", name="It lies there").click()
    expect(dealer.locator(".question")).to_have_count(0)
    assert [(q.id, c.id) for q, c in house.service.take_answers()][-1] == ("gone-1", "there")


def test_players_come_and_go(house: House, dealer: Page) -> None:
    dealer.get_by_role("tab", name="Players").click()
    dealer.get_by_label("Name").fill("Chance")
    dealer.get_by_label("Coins").fill("30")
    dealer.get_by_role("button", name="Add player").click()
    row = dealer.locator(".players li", has_text="Chance")
    expect(row).to_contain_text("30")
    row.get_by_label("Buy in").fill("12")
    row.get_by_role("button", name="Buy in").click()
    expect(row).to_contain_text("42")
    row.get_by_label("Buy in").fill("10")  # is for buying in alone
    row.get_by_role("button", name="Cash out all 42").click()
    expect(dealer.get_by_role("dialog")).to_contain_text("Cash out Chance: all 42?")
    dealer.get_by_role("button", name="Yes, cash out").click()
    row.get_by_role("button", name="Leave").click()
    expect(row).to_have_count(0)
    assert [p["name"] for p in house.service.view()["players"]] == ["Aubrey", "Benedict"]


NO_NAME = {"en": "Enter a name.", "de": "Bitte einen Namen eingeben.", "es": "Escriba un nombre."}


@pytest.mark.parametrize("language", NO_NAME)
def test_a_name_of_spaces_is_refused_with_a_sentence(house: House, sit: Browse, language: str) -> None:
    dealer = sit(house, 0, locale=language)
    dealer.locator("#tab-players").click()
    dealer.locator(".join-form [name=player]").fill("   ")
    dealer.locator(".join-form [type=submit]").click()
    expect(dealer.locator(".toast.error")).to_have_text(NO_NAME[language])
    assert len(house.service.view()["players"]) == 2


def test_nobody_is_seated_anew_without_a_name(house: House, dealer: Page) -> None:
    """Nor cashed out for it."""
    dealer.get_by_role("tab", name="Players").click()
    dealer.locator(".players li").first.get_by_role("button", name="Name or seat").click()
    sheet = dealer.get_by_role("dialog")
    sheet.get_by_label("Name").fill("   ")
    commands = house.service.view()["commands"]
    sheet.locator("[type=submit]").click()
    expect(sheet.locator(".toast.error")).to_have_text("Enter a name.")
    assert house.service.view()["commands"] == commands


def test_a_phone_joins_by_the_code_on_the_dealers_screen(house: House, dealer: Page, browse: Browse) -> None:
    dealer.get_by_role("tab", name="Players").click()
    dealer.locator(".players li", has_text="Benedict").get_by_role("button", name="Phone code").click()
    code = dealer.locator(".code").inner_text()
    expect(dealer.get_by_role("dialog").get_by_role("img")).to_be_visible()
    phone = browse(f"{house.url}/seat/2")
    phone.get_by_label("Code").fill(code.lower())
    phone.get_by_role("button", name="Sit down").click()
    expect(phone.locator(".purse")).to_contain_text("Benedict")
    expect(dealer.locator(".code")).not_to_have_text(code)  # used up; another phone may be held to the sheet
    assert dealer.locator(".code").inner_text().replace("-", "") == house.access.seat_code(2).replace("-", "")


def test_the_keyboard_reaches_everything(house: House, dealer: Page) -> None:
    dealer.keyboard.press("?")
    expect(dealer.get_by_role("dialog")).to_contain_text("answer the question")
    dealer.keyboard.press("Escape")
    expect(dealer.get_by_role("dialog")).to_have_count(0)
    dealer.keyboard.press("c")
    expect(dealer.get_by_role("tab", name="Cards")).to_have_attribute("aria-selected", "true")
    dealer.keyboard.press("h")
    seen(dealer.locator(".next .big", has_text="The table is on hold"))
    dealer.keyboard.press("h")
    expect(dealer.locator(".next .big")).not_to_have_text("The table is on hold")


def test_first_start_in_a_browser(tmp_path: Path, browse: Browse) -> None:
    folder = tmp_path
    access = AccessStore(folder)
    with (
        TableService.open(folder / "journal.db", new_header("roche", ()), INSTALLED) as service,
        Server(create_app(service, access=access), "127.0.0.1", free_port()) as server,
    ):
        page = browse(f"http://127.0.0.1:{server.port}/setup?code={access.setup_code}")
        page.get_by_label("New PIN, 4 to 12 digits").fill("2468")
        page.get_by_label("New PIN again").fill("2468")
        page.get_by_role("button", name="Save the PIN").click()
        expect(page.locator(".next .big")).to_have_text("Add a player")


def test_grand_roche_has_every_spot(tmp_path: Path, browse: Browse) -> None:
    house = House(tmp_path, free_port(), options={"layout": "grand"})
    try:
        phone = browse(f"{house.url}/seat/1#{house.access.seat_code(1)}", viewport={"width": 390, "height": 844})
        phone.get_by_role("button", name="Single cards").click()
        phone.get_by_role("button", name="Comes last").click()
        phone.get_by_role("button", name="Kin", exact=True).click()
        spot(phone, "Kin night 2 comes last").click()  # type: ignore[attr-defined]
        expect(phone.locator(".own-bets")).to_contain_text("Kin night 2 comes last")
        phone.get_by_role("button", name="More", exact=True).click()
        spot(phone, "Cavalry").click()  # type: ignore[attr-defined]
        expect(phone.locator(".own-bets li")).to_have_count(2)
        assert {bet["on"] for bet in house.service.view()["bets"]} == {"terminus/6N2", "cavalry"}
    finally:
        house.stop()


def test_a_lost_camera_sends_the_dealer_to_the_cards(house: House, dealer: Page) -> None:
    """Whatever tab is open, the dealer sees it, and is one tap from going on by hand."""
    house.do(do="no-more-bets")
    house.service.set_camera("lost", "The camera is gone: plug it in again.", "camera 0")
    expect(dealer.locator(".blind")).to_contain_text("The camera is gone: plug it in again.")
    dealer.get_by_role("button", name="Tap the cards").click()
    dealer.get_by_role("button", name="Mages day 1").click()
    expect(dealer.locator("[data-suit='2'] .distance")).to_have_text("Ripe: 1 to cut")
    house.service.set_camera("ok", "camera 0 sends pictures.", "camera 0")
    expect(dealer.locator(".blind")).to_have_count(0)


def test_odds_stay_within_their_stack(house: House, browse: Browse) -> None:
    """On a small laptop, with prices and chances as long as they get."""
    house.do(do="no-more-bets")
    room = browse(f"{house.url}/", viewport={"width": 1280, "height": 720})
    house.do(do="deal", card="7N5")
    house.do(do="deal", card="2N1")
    expect(room.locator("[data-suit='2'] .distance")).to_have_text("Ripe: 1 to cut")
    wide = "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.innerText)"
    assert room.locator(".worth, .worth p, .tally, .tally p, .stack h2").evaluate_all(wide) == []


def test_odds_after_the_cut_are_those_of_the_next_deal(house: House, browse: Browse) -> None:
    """A decided bet has no chance and no edge: the page says what cut, and what a full deck will be worth."""
    page = browse(f"{house.url}/odds", viewport={"width": 1280, "height": 900})
    expect(page.locator("main .hint").first).to_contain_text("Nothing dealt yet")
    fresh = page.locator("main table").all_inner_texts()
    house.do(do="no-more-bets")
    house.do(do="deal", card="2D1")
    expect(page.locator("main .hint").first).to_contain_text("1 card dealt")
    house.do(do="deal", card="2N1")
    expect(page.locator("main .hint").first).to_contain_text("This round is decided: Mages cut.")
    expect(page.locator("main .hint").first).to_contain_text("Exact odds of the next deal, from a full deck")
    assert page.locator("main table").all_inner_texts() == fresh
    expect(page.locator("section[data-suit='2'] h2 small")).to_have_text("0 of 2")
    assert not any("100 %" in text.replace("\xa0", " ") for text in fresh)


def test_a_payout_is_explained_with_its_exact_chance_and_ruling(house: House, dealer: Page) -> None:
    house.do(do="bet", player="Aubrey", on="cut/2", amount=5)
    house.do(do="no-more-bets")
    for card in ("2D1", "2N1"):
        house.do(do="deal", card=card)
    dealer.locator(".payouts > summary").click()
    dealer.locator(".payouts li summary").first.click()
    why = dealer.locator(".payouts .explained").first
    expect(why).to_contain_text("8200387771878869/25893181691713050, that is 31.67 %")
    expect(why).to_contain_text("Ruling Roche 1")
    expect(why).to_contain_text("the house keeps 5.0 %")
    why.get_by_role("link", name="The whole hand, step by step").click()
    expect(dealer.locator(".controls output")).to_have_text("5 of 5")


@pytest.mark.thorough
def test_a_player_changes_name_and_seat(house: House, dealer: Page) -> None:
    """All of it or nothing: a seat that is taken leaves everything as it was."""
    dealer.get_by_role("tab", name="Players").click()
    row = dealer.locator(".players li", has_text="Benedict")
    for seat, said in (("1", "Seat 1 is taken"), ("4", "Bea sits in seat 4")):
        row.get_by_role("button", name="Name or seat").click()
        dealer.get_by_role("dialog").get_by_label("Name").fill("Bea")
        dealer.get_by_role("dialog").get_by_label("Seat").fill(seat)
        dealer.get_by_role("button", name="Change it").click()
        expect(dealer.locator(".toast").last).to_contain_text(said)
        dealer.wait_for_timeout(500)
    expect(dealer.locator(".players li", has_text="Bea")).to_contain_text("50")
    assert [(one["seat"], one["name"], one["coins"]) for one in house.service.view()["players"]] == [
        (1, "Aubrey", 100),
        (4, "Bea", 50),
    ]
