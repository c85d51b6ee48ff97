"""A casino night in browsers: the dealer changes the game, and every page follows with everybody's coins."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from webclient import FakeDemo
from webhouse import House

from companion.kernel.header import Header

pytestmark = pytest.mark.browser

ROUND = ("no-more-bets", "deal 2D1", "deal 2D2")


def change_to(dealer: Page, game: str) -> None:
    """Choose a game in the dealer's sheet; the page then loads itself anew."""
    dealer.get_by_role("button", name="Change game").click()
    dealer.get_by_role("radio", name=re.compile(f"^{game}")).check()
    dealer.get_by_role("button", name=f"Change to {game}").click()


@pytest.mark.thorough
def test_roche_then_house_rugen_then_roulette(
    house: House, dealer: Page, phones: tuple[Page, Page], browse: Callable[..., Page]
) -> None:
    """Two phones, the room's screen, odds and history change with the dealer's page; coins are the same before and
    after, phones stay logged in, and the history has all of it."""
    room = browse(house.url, viewport={"width": 1920, "height": 1080})
    odds, history = browse(f"{house.url}/odds"), browse(f"{house.url}/history")
    house.do(do="bet", player="Aubrey", on="cut/2", amount=10)
    for text in ROUND:
        verb, _, card = text.partition(" ")
        house.do(do=verb, **({"card": card} if card else {}))
    coins = {player["name"]: player["coins"] for player in house.service.view()["players"]}
    assert coins["Aubrey"] > 100

    for game, title in (("rugen-house", "House Rugen"), ("roulette", "Roulette")):
        change_to(dealer, title)
        for page in (dealer, room, *phones):
            expect(page.locator(f"main.{game}, .bar .brand span:has-text('{title}')").first).to_be_visible()
            expect(page.locator(".bar .brand")).to_contain_text(title)
        expect(odds.locator(".bar .brand")).to_contain_text(title)
        for page, (name, held) in zip(phones, coins.items(), strict=True):
            expect(page.locator(".purse")).to_contain_text(name)
            expect(page.locator(".purse .coins")).to_have_text(str(held))
        session = house.service.session
        expect(history.locator(f"[data-session='{session}']")).to_be_visible()

    phones[0].locator("[data-on='red'], .spot:has-text('Red'), button:has-text('Red')").first.wait_for()
    house.do(do="bet", player="Aubrey", on="red", amount=5)
    house.do(do="no-more-bets")
    house.do(do="spin", pocket="2")
    expect(phones[0].locator(".purse .coins")).to_have_text(str(coins["Aubrey"] - 5))
    history.reload()
    expect(history.locator(".hands")).to_contain_text("Roche")
    expect(history.locator(".hands")).to_contain_text("Roulette")
    expect(history.locator(".evening h2").first).to_have_text("Session 1–3: Roche, House Rugen, Roulette")
    history.get_by_role("link", name="Summary to print").click()
    row = history.get_by_role("row", name=re.compile("^Aubrey"))
    expect(row).to_contain_text(f"{coins['Aubrey'] - 5 - 100:+d}")


def test_a_change_in_the_middle_of_a_round_says_what_to_do(house: House, dealer: Page) -> None:
    """A bet lies on the table: the sheet says so and offers nothing that would be refused."""
    house.do(do="bet", player="Aubrey", on="cut/2", amount=10)
    dealer.get_by_role("button", name="Change game").click()
    expect(dealer.locator("dialog .error")).to_contain_text("10 coins are staked. First settle the round")
    dealer.get_by_role("radio", name=re.compile("^House Rugen")).check()
    dealer.get_by_role("button", name="Change to House Rugen").click(force=True)
    expect(dealer.locator("dialog")).to_be_visible()
    assert house.service.session == 1
    expect(dealer.get_by_role("radio", name=re.compile("^Rochi"))).to_be_disabled()


@pytest.mark.thorough
def test_changing_back_while_nothing_was_played(house: House, dealer: Page) -> None:
    """A slip of the finger: one button undoes the change, and says that it does."""
    change_to(dealer, "House Rugen")
    expect(dealer.locator(".bar .brand")).to_contain_text("House Rugen")
    dealer.wait_for_selector(".live.on")
    expect(dealer.locator(".do-undo")).to_have_attribute("aria-disabled", "true")
    dealer.get_by_role("button", name="Change game").click()
    expect(dealer.locator(".change-back")).to_contain_text("changing back undoes it")
    dealer.get_by_role("button", name="Back to Roche").click()
    expect(dealer.locator(".bar .brand")).to_contain_text("Roche")
    assert [one["game"] for one in house.service.view()["evening"]] == ["roche", "rugen-house", "roche"]


def test_the_plan_of_the_night(house: House, dealer: Page, browse: Callable[..., Page]) -> None:
    """The dealer writes the plan; the room sees what is next, and at its time the dealer gets one button."""
    room = browse(house.url, viewport={"width": 1280, "height": 720})
    dealer.get_by_role("button", name="Change game").click()
    dealer.get_by_text("Plan of the night").click()
    for game, time in (("roche", "11:00"), ("roulette", "13:30")):
        dealer.get_by_role("button", name="Add a game").click()
        row = dealer.locator(".night-plan li").last
        row.get_by_label("Game").select_option(game)
        row.get_by_label("Time").fill(time)
    dealer.get_by_role("button", name="Save plan").click()
    expect(dealer.locator(".toast")).to_contain_text("The plan is saved")
    dealer.keyboard.press("Escape")
    expect(room.locator(".night-next")).to_have_text("Next: Roulette at 13:30")
    expect(dealer.locator(".night-next")).to_have_text("Next: Roulette at 13:30")

    rows = house.service.view()["night"]
    assert rows is not None
    house.service.set_night({**rows, "next": None, "due": rows["plan"][1]})
    expect(dealer.locator(".night-due")).to_contain_text("It is time for Roulette (planned for 13:30)")
    expect(room.locator(".night-due")).to_have_count(0)
    dealer.locator(".night-due").get_by_role("button", name="Change to Roulette").click()
    expect(dealer.locator(".bar .brand")).to_contain_text("Roulette")


def test_a_message_on_the_sheet_stands_once_after_it_is_closed(house: House, dealer: Page) -> None:
    """It stood on the dealer's page, and a second time at the foot, over the links there."""
    dealer.get_by_role("button", name="Change game").click()
    dealer.get_by_text("Plan of the night").click()
    dealer.get_by_role("button", name="Save plan").click()
    expect(dealer.locator("dialog .toast")).to_have_text(["The plan is saved."])
    dealer.keyboard.press("Escape")
    expect(dealer.locator("body > .toasts .toast")).to_have_count(0)
    expect(dealer.locator(".say .toast")).to_have_text(["The plan is saved."])


@pytest.mark.thorough
def test_the_new_games_demo_appears_when_it_is_there(house: House, dealer: Page) -> None:
    """The dealer's page was there first: the demo's tab comes by itself."""
    change_to(dealer, "House Rugen")
    expect(dealer.locator(".bar .brand")).to_contain_text("House Rugen")
    expect(dealer.get_by_role("tab", name="Demo")).to_have_count(0)
    house.app.extensions["demo"] = FakeDemo()
    house.service.set_demo(True)
    expect(dealer.get_by_role("tab", name="Demo")).to_be_visible()


def test_a_bet_from_a_page_of_the_game_before_is_refused(house: House, sit: Callable[..., Page]) -> None:
    """A phone that was out of the room still shows the old game: what it sends does not count in the new one."""
    phone = sit(house, 1)
    phone.add_init_script("EventSource = class extends EventTarget { close() {} };")  # one that never hears a thing
    phone.reload()
    house.service.change_game(Header(house.games.rules("rugen-house"), ()), source="dealer")
    status = phone.evaluate(
        """async () => {
          const theme = document.querySelector('script[src*="/js/theme.js"]').src;
          const { command } = await import(theme.replace("theme", "send"));
          const bet = { do: "bet", on: "day/3", amount: 6 };
          return command("seat/1", bet).then(() => "played", (error) => error.message);
        }"""
    )
    assert status == "Another game has begun meanwhile, so this was not played. Look at the table."
    assert house.service.view()["staked"] == 0


def test_the_games_stand_in_the_order_of_their_titles_in_the_dealers_language(
    open_house: Callable[..., House], sit: Callable[..., Page]
) -> None:
    """They stood in the order of their English titles: in Spanish, Chinchirorin between two Rugens and a Torneo."""
    dealer = sit(open_house("roulette", (("Ann", 100), ("Bo", 100))), 0, locale="es")
    dealer.get_by_role("button", name="Cambiar de juego").click()
    titles = dealer.locator("dialog .choices .choice b")
    expect(titles.filter(has_text="Torneo de hold’em")).to_be_visible()
    assert titles.all_text_contents() == sorted(titles.all_text_contents())
