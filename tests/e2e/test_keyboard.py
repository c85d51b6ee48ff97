"""A round of every game that a dealer plays by keys alone: players, bets, cards or dice, payments, undo, help."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from webhouse import House, seen

from companion.testing import INSTALLED

pytestmark = pytest.mark.browser
Sit = Callable[..., Page]
Open = Callable[..., House]

NAMES = ("Aubrey", "Benedict", "Chance", "Dorothea")
MAX_TABS = 150
AFTER_TAP_MS = 500
PATIENCE_MS = 10_000


@dataclass
class Desk:
    """The dealer's page, which is never clicked or tapped."""

    page: Page
    house: House
    big: Locator = field(init=False)

    def __post_init__(self) -> None:
        self.big = self.page.locator(".next .big")

    @property
    def view(self) -> dict[str, Any]:
        return self.house.service.view()

    def until(self, happened: Callable[[], bool], what: str) -> None:
        """Wait until the table has taken something."""
        for _ in range(PATIENCE_MS // 50):
            if happened():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"The table has not taken {what}")

    def key(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def say(self, key: str) -> None:
        """Press the key of a button, once it can be pressed again: twice in a blink is once."""
        self.page.wait_for_timeout(AFTER_TAP_MS)
        self.key(key)

    def typed(self, *lines: str) -> None:
        """Type lines one after another where nothing has the focus, each done with Enter, and leave the line."""
        for text in lines:
            for key in text:
                self.key("Space" if key == " " else key)
            expect(self.page.locator(".quick-says.ready")).to_be_visible()
            done = self.view["commands"]
            self.key("Enter")
            expect(self.page.locator(".quick-text")).to_have_value("")
            self.until(lambda done=done: self.view["commands"] > done, text)
        self.key("Escape")

    def go_on(self) -> None:
        """Press the key of the main button, once that has recovered from the last time."""
        expect(self.page.locator(".main-actions .primary:not([aria-disabled=true])")).to_be_visible()
        self.page.wait_for_timeout(AFTER_TAP_MS)
        before, done = self.big.inner_text(), self.view["commands"]
        self.key("n")
        self.until(lambda: self.view["commands"] > done, f"the main button of {before!r}")
        expect(self.big).not_to_have_text(before)

    def reach(self, target: Locator) -> None:
        """Press Tab until something has the focus."""
        expect(target).to_be_visible()
        for _ in range(MAX_TABS):
            if target.evaluate("one => one === document.activeElement"):
                return
            self.key("Tab")
        raise AssertionError(f"Tab does not reach {target}")

    def press(self, name: str, within: str = "main") -> None:
        """Reach a button by its text and press it."""
        button = self.page.locator(within).get_by_role("button", name=name, exact=True)
        self.reach(button)
        expect(button).not_to_have_attribute("aria-disabled", "true")
        self.key("Enter")

    def join(self, letter: str, names: tuple[str, ...], coins: str) -> None:
        """Let players in with the form of their tab, and leave its field."""
        self.key(letter)
        name = self.page.locator(".join-form [name=player]")
        for count, player in enumerate(names, start=1):
            self.reach(name)
            self.page.keyboard.type(player)
            self.key("Tab", "Control+A")
            self.page.keyboard.type(coins)
            self.key("Enter")
            expect(self.page.locator(".players li")).to_have_count(count)
            self.page.wait_for_timeout(AFTER_TAP_MS)  # Enter twice in a blink lets one in
        self.key("Escape")

    def tick_all(self) -> None:
        """Tick every payment of the sheet, one after another."""
        steps = self.page.locator(".pay-step")
        expect(steps).not_to_have_count(0)
        self.page.wait_for_timeout(AFTER_TAP_MS)  # the sheet is that of the last thing done
        for count in range(1, steps.count() + 1):
            self.key("x")
            expect(self.page.locator(".pay-step.is-paid")).to_have_count(count)
            self.page.wait_for_timeout(AFTER_TAP_MS)

    def take_back_and_again(self) -> None:
        """What was done last is undone, and done once more."""
        done = self.view["commands"]
        for key, commands in (("u", done - 1), ("r", done)):
            seen(self.page.locator(".do-undo"))
            self.key(key)
            self.page.wait_for_timeout(AFTER_TAP_MS)
            assert self.view["commands"] == commands


@dataclass(frozen=True)
class Round:
    """How a game is played by keys up to what is to be paid.

    Attributes:
        tab: the key of the players' tab.
        pays: whether its payments are ticked.
        goes_on: whether there is something to do next, with the key N.
    """

    play: Callable[[Desk], None]
    players: int = 2
    coins: str = "1000"
    options: dict[str, Any] = field(default_factory=dict)
    tab: str = "p"
    pays: bool = True
    goes_on: bool = True


def roche(desk: Desk) -> None:
    desk.typed("1 c6 5", "2 2d 10")
    desk.go_on()
    desk.typed("/2d1", "2d2")


def meant(desk: Desk, key: str, what: str) -> None:
    """Say what the next card is."""
    desk.say(key)
    expect(desk.page.locator(f".intend-{what}")).to_have_attribute("aria-pressed", "true")


def rochi(desk: Desk) -> None:
    """A card played and one dealt, a turn ended, and folds until a suit cuts."""
    desk.go_on()
    desk.typed("/6d1", "7d1", "5n2", "3d1", "7n1", "4d1")
    expect(desk.big).to_contain_text("to act")
    meant(desk, "y", "play")
    desk.typed("/6d3")
    meant(desk, "d", "deal")
    desk.typed("/2d1")
    expect(desk.big).to_contain_text("Benedict")
    desk.say("f")
    expect(desk.big).to_contain_text("Chance")
    desk.say("f")
    expect(desk.big).not_to_contain_text("Chance")


def captains(desk: Desk) -> None:
    desk.go_on()
    desk.typed("/3d1", "7d1", "7d2", "6d1", "6d2", "5d1", "4d1", "4d2")
    expect(desk.big).to_contain_text("to act")
    meant(desk, "y", "play")
    desk.typed("/3d2")
    desk.say("e")
    expect(desk.big).to_contain_text("Benedict")
    meant(desk, "y", "play")
    desk.typed("/5d2")
    meant(desk, "d", "deal")
    desk.typed("/3n1")


def roulette(desk: Desk) -> None:
    desk.typed("1 17 5", "2 red 10")
    desk.go_on()
    desk.typed("17")


def rugen_house(desk: Desk) -> None:
    desk.typed("1 ce1 4", "2 d2 4", "1d")


def rugen_street(desk: Desk) -> None:
    desk.typed("4d")
    desk.go_on()
    desk.typed("2 1", "1:2 2:3 4")
    desk.go_on()
    desk.typed("3n", "1d")


def rugen_capital(desk: Desk) -> None:
    desk.typed("1 1 2", "2 2", "1 3")
    desk.go_on()
    desk.typed("4d", "1d")


def chinchirorin(desk: Desk) -> None:
    desk.typed("1 6", "2 3", "50", "2 20")
    desk.go_on()
    desk.typed("124", "636")
    desk.say("o")


def blackjack(desk: Desk) -> None:
    """Bets, cards with and without a slash, the face-down card, a double and a stand."""
    desk.typed("1 50", "2 50", "/5s", "/th", "/9c", "/6d", "8h")
    expect(desk.page.locator(".main-actions .primary")).to_be_visible()
    desk.key("n")
    expect(desk.big).to_contain_text("Aubrey")
    desk.key("d")
    expect(desk.page.locator(".as-double")).to_have_attribute("aria-pressed", "true")
    desk.typed("/ts")
    expect(desk.big).to_contain_text("Benedict")
    desk.key("s")
    expect(desk.big).to_have_text("Turn the dealer's face-down card")
    desk.typed("/kd")


def holdem(desk: Desk) -> None:
    """Blinds, cards, a raise and a call, the whole board, and two hands that are shown."""
    for said in ("Two cards for", "Two cards for", "to call"):
        desk.go_on()
        expect(desk.big).to_contain_text(said)
    desk.typed("200")
    desk.go_on()
    desk.typed("/ks qd jh")
    for card in ("/tc", "2h", None):
        for _ in range(2):
            desk.go_on()
        if card:
            desk.typed(card)
    expect(desk.big).to_contain_text("show")
    desk.typed("/ah as")
    desk.say("m")


def king(desk: Desk) -> None:
    """Votes, the king's rule and guess, the others' bets: typed, and the first of each reached with Tab."""
    desk.key("a")
    desk.press(NAMES[0], ".pick-who")
    desk.press(NAMES[0], ".choose-player")
    desk.page.wait_for_timeout(AFTER_TAP_MS)
    desk.typed("2 1", "chance 1", "4 1")
    desk.press(NAMES[0], ".pick-who")
    for place, choice in (("one", "1"), ("one", "2"), ("two", "3")):
        desk.press(choice, f".pick-{place}")
    desk.reach(desk.page.locator(".pick-range button").first)
    desk.key("Enter")
    desk.press("Seal", ".king-form")
    desk.press(NAMES[1], ".pick-who")
    desk.press("2", ".pick-space")
    desk.press("Seal", ".bet-form")
    desk.page.wait_for_timeout(AFTER_TAP_MS)
    desk.typed("3 2", "4 k", "1 46 1 2-3")
    assert (desk.view["ready"]["rule"], len(desk.view["ready"]["bets"])) == (True, 3)
    desk.go_on()


ROUNDS = {
    "roche": Round(roche),
    "rochi": Round(rochi, players=3, tab="s", coins="100", options={"leader": 1}),
    "captains": Round(captains, tab="s", coins="100", goes_on=False),
    "roulette": Round(roulette, goes_on=False),
    "rugen-house": Round(rugen_house, goes_on=False),
    "rugen-street": Round(rugen_street, goes_on=False),
    "rugen-capital": Round(rugen_capital, players=2),
    "chinchirorin": Round(chinchirorin, goes_on=False),
    "blackjack": Round(blackjack, goes_on=False),
    "holdem": Round(holdem),
    "holdem-tournament": Round(holdem),
    "king-of-roulette": Round(king, players=4, pays=False, goes_on=False),
}
QUICK = ("roche", "holdem")
THOROUGH = (pytest.mark.thorough,)


def test_every_game_has_its_round() -> None:
    assert set(ROUNDS) == set(INSTALLED)


@pytest.mark.thorough
@pytest.mark.parametrize("game", [pytest.param(game, marks=() if game in QUICK else THOROUGH) for game in ROUNDS])
def test_a_round(open_house: Open, sit: Sit, game: str) -> None:
    """From an empty table to the next round: nothing is clicked or tapped."""
    its = ROUNDS[game]
    house = open_house(game, (), **its.options)
    desk = Desk(sit(house, 0), house)
    desk.key("?")
    expect(desk.page.get_by_role("dialog", name="Keyboard")).to_be_visible()
    desk.key("Escape")
    expect(desk.page.get_by_role("dialog")).to_have_count(0)
    desk.join(its.tab, NAMES[: its.players], its.coins)
    its.play(desk)
    if its.pays:
        desk.tick_all()
    desk.take_back_and_again()
    if its.goes_on:
        desk.go_on()
    desk.key("h")
    expect(desk.big).to_have_text("The table is on hold")
    desk.key("h")
    expect(desk.big).not_to_have_text("The table is on hold")


def play(house: House, *records: dict[str, Any]) -> None:
    for record in records:
        house.do(**record)


@pytest.mark.thorough
@pytest.mark.parametrize("game", ["rugen-house", "roulette"])
def test_no_felt_keeps_the_keyboard(open_house: Open, sit: Sit, game: str) -> None:
    """Tab leads into a drawn felt and out of it again, to what stands below."""
    page = sit(open_house(game, ((NAMES[0], 100),)), 1)
    below = page.get_by_role("button", name="Leave this phone")
    zones = set()
    for _ in range(MAX_TABS):
        page.keyboard.press("Tab")
        if below.evaluate("one => one === document.activeElement"):
            break
        zones.add(page.evaluate("document.activeElement.closest('.zone')?.getAttribute('aria-label')"))
    expect(below).to_be_focused()
    assert zones - {None}


SHOWN = """one => {
    const box = one.getBoundingClientRect();
    return one.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2));
}"""


def test_what_has_the_focus_does_not_lie_under_the_chips(open_house: Open, sit: Sit) -> None:
    """On a phone with keys the chips stand over the foot of the page."""
    page = sit(open_house("roche", ((NAMES[0], 100),)), 1)
    page.locator(".dock .chip-button").first.wait_for()
    below = page.locator("summary", has_text="My coins")
    for _ in range(MAX_TABS):
        page.keyboard.press("Tab")
        if below.evaluate("one => one === document.activeElement"):
            break
    expect(below).to_be_focused()
    assert below.evaluate(SHOWN)


@pytest.mark.parametrize("name", ["Keyboard", "Change game"])
def test_a_dialog_takes_the_focus_and_gives_it_back(dealer: Page, name: str) -> None:
    """However it is closed: with Escape, or with its cross."""
    opener, sheet = dealer.get_by_role("button", name=name, exact=True), dealer.get_by_role("dialog", name=name)
    opener.focus()
    for close in ("Escape", "Enter"):
        dealer.keyboard.press("Enter")
        expect(sheet).to_be_visible()
        expect(sheet.get_by_role("button", name="Close")).to_be_focused()
        dealer.keyboard.press(close)
        expect(sheet).to_have_count(0)
        expect(opener).to_be_focused()


def test_an_insurance_is_typed(open_house: Open, sit: Sit) -> None:
    house = open_house("blackjack", tuple((name, 1000) for name in NAMES[:2]))
    play(house, *({"do": "bet", "player": name, "amount": 50} for name in NAMES[:2]))
    dealt = ((NAMES[0], "5S"), (NAMES[1], "TH"), ("dealer", "AC"), (NAMES[0], "6D"), (NAMES[1], "8H"))
    play(house, *({"do": "deal", "to": to, "card": card} for to, card in dealt), {"do": "hole"})
    desk = Desk(sit(house, 0), house)
    expect(desk.page.get_by_role("button", name=f"Insure {NAMES[1]}")).to_contain_text("2 I")
    desk.typed("2 i")
    assert desk.view["may_insure"] == [NAMES[0]]


def test_a_hand_that_is_turned_up_is_typed(open_house: Open, sit: Sit) -> None:
    """Both are all in: the cards lie open before the board does."""
    house = open_house("holdem", ((NAMES[0], 100), (NAMES[1], 100)))
    play(house, {"do": "post"}, *({"do": "hole", "player": name} for name in NAMES[1::-1]))
    play(house, {"do": "raise", "to": 100}, {"do": "call"})
    desk = Desk(sit(house, 0), house)
    desk.typed("2 ks qd", "/2c 7d jh")
    assert [one["cards"] for one in desk.view["in_hand"] if one["player"] == NAMES[1]] == [["KS", "QD"]]
    assert desk.view["board"] == ["2C", "7D", "JH"]


def test_a_rebuy_is_typed(open_house: Open, sit: Sit) -> None:
    """The loser of an all-in comes in again."""
    house = open_house("holdem-tournament", ((NAMES[0], 1000), (NAMES[1], 1000)), rebuy_until=2)
    play(house, {"do": "post"}, *({"do": "hole", "player": name} for name in NAMES[1::-1]))
    play(house, {"do": "raise", "to": 1000}, {"do": "call"})
    play(house, {"do": "table", "player": NAMES[0], "cards": ["KS", "KD"]})
    play(house, {"do": "table", "player": NAMES[1], "cards": ["2C", "7D"]})
    play(house, *({"do": "board", "cards": cards} for cards in (["KH", "KC", "9S"], ["8D"], ["3H"])))
    desk = Desk(sit(house, 0), house)
    desk.key("a")
    expect(desk.page.locator(".do-rebuy-Benedict")).to_contain_text("2 R")
    desk.typed("2 r")
    assert desk.view["tournament"]["may_come_in"] == []


def test_the_tables_keys_work_while_a_box_to_tick_has_the_focus(open_house: Open, sit: Sit) -> None:
    """It takes no letters: N closes the bets just after the banker has allowed more."""
    house = open_house("chinchirorin", tuple((name, 100) for name in NAMES[:2]), banker=1)
    play(house, {"do": "bank", "amount": 10})
    desk = Desk(sit(house, 0), house)
    desk.page.get_by_role("group", name="Bets for").get_by_role("button", name=NAMES[1]).click()
    allowed = desk.page.get_by_label("The banker allows more than the bank")
    allowed.check()
    expect(allowed).to_be_focused()
    desk.go_on()
    assert desk.view["phase"] == "banker"
