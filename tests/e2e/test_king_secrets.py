"""King of Roulette's secrets on a phone that a neighbor can look at, in a real browser, tap by tap."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect
from webhouse import House

pytestmark = pytest.mark.browser

NAMES = ("Ann", "Ben", "Cora", "Dirk")
SENTENCE = "The brave win twice"
TOUCH = {"is_mobile": True, "has_touch": True}
"""As on a phone there is no pointer that hovers, and what was tapped last counts as hovered."""


@pytest.fixture
def house(open_house) -> House:
    return open_house("king-of-roulette", tuple((name, 10) for name in NAMES))


def crown(house: House, king: str = "Ann") -> None:
    for name in NAMES:
        house.do(do="vote", player=name, **{"for": king})


def tap(phone: Page, group: str, name: str) -> None:
    phone.locator(group).get_by_role("button", name=name, exact=True).tap()


def seal(phone: Page) -> None:
    phone.locator(".seal").tap()
    expect(phone.locator(".seal")).to_have_text("Seal anew")
    expect(phone.locator("[aria-pressed=true]")).to_have_count(0)  # not before the table has confirmed it


def looks(phone: Page, group: str) -> set[str]:
    """How the buttons of a group look: one entry where none stands out."""
    style = "((s) => [s.color, s.backgroundColor, s.borderColor].join())(getComputedStyle(one))"
    return set(phone.locator(f"{group} button").evaluate_all(f"all => all.map((one) => {style})"))


def test_a_sealed_bet_is_hidden_until_it_is_asked_for(house, sit):
    """The chosen space stays black below "Show my secret" no longer; asked for, it is said."""
    crown(house)
    phone = sit(house, 2, **TOUCH)
    tap(phone, ".pick-space", "5")
    assert len(looks(phone, ".pick-space")) == 2
    seal(phone)
    assert len(looks(phone, ".pick-space")) == 1
    expect(phone.locator(".secret p")).to_have_count(0)
    phone.get_by_role("button", name="Show my secret").tap()
    expect(phone.locator(".secret p")).to_have_text(["Your bet: 5"])
    tap(phone, ".pick-space", "King")
    seal(phone)
    expect(phone.locator(".secret p")).to_have_count(0)
    assert house.service.view("seat/2")["secrets"]["space"] == "king"


def test_the_kings_sealed_rule_and_guess_are_hidden_until_they_are_asked_for(house, sit):
    crown(house)
    phone = sit(house, 1, **TOUCH)
    for group, space in ((".pick-one", "2"), (".pick-one", "3"), (".pick-two", "1")):
        tap(phone, group, space)
    phone.get_by_label("Your rule, in one sentence").tap()
    phone.keyboard.type(SENTENCE)
    phone.locator(".pick-range button", has_text="2-3").tap()
    seal(phone)
    field = phone.get_by_label("Your rule, in one sentence")
    expect(field).to_have_value("")
    expect(field).to_have_attribute("placeholder", "")
    assert SENTENCE not in phone.content()
    phone.get_by_role("button", name="Show my secret").tap()
    expect(phone.locator(".secret")).to_contain_text(SENTENCE)
    expect(phone.locator(".secret")).to_contain_text("Your guess: 2-3 will earn")


@pytest.mark.parametrize("doubles", [False, True])
def test_one_undo_takes_back_what_a_phone_sealed_with_one_tap(house, sit, doubles):
    crown(house)
    house.do(do="buy-bonus", player="Ben")
    house.do(do="bet", player="Cora", space=2)
    phone = sit(house, 2, **TOUCH)
    tap(phone, ".pick-space", "4")
    if doubles:
        phone.get_by_label("Use a Double Bonus this round").tap()
    seal(phone)
    assert house.service.view("seat/2")["secrets"]["uses_bonus"] is doubles
    house.do(do="undo", whole=True)
    assert house.service.view()["ready"]["bets"] == ["Cora"]
    assert house.service.view("seat/2")["secrets"]["uses_bonus"] is False


@pytest.mark.thorough
def test_a_phone_does_not_show_whether_its_bonus_is_in_use(house, sit):
    """Two phones with a bonus each, one in use: they look the same until the secret is asked for."""
    crown(house)
    phones = []
    for seat, doubles in ((2, True), (3, False)):
        house.do(do="buy-bonus", player=NAMES[seat - 1])
        phone = sit(house, seat, **TOUCH)
        tap(phone, ".pick-space", "4")
        if doubles:
            phone.get_by_label("Use a Double Bonus this round").tap()
        seal(phone)
        phones.append(phone)
    parts = [phone.locator(".bet-form").inner_text() for phone in phones]
    assert parts[0] == parts[1]
    for phone in phones:
        expect(phone.get_by_label("Use a Double Bonus this round")).not_to_be_checked()
    phones[0].get_by_role("button", name="Show my secret").tap()
    expect(phones[0].locator(".secret")).to_contain_text("Your points count double this round")
    expect(phones[0].get_by_label("Use a Double Bonus this round")).to_have_count(0)
    tap(phones[0], ".pick-space", "6")
    seal(phones[0])
    assert house.service.view("seat/2")["secrets"]["uses_bonus"] is True


def test_no_button_tells_who_was_voted_for(house, sit):
    phone = sit(house, 4, **TOUCH)
    tap(phone, ".choose-player", "Cora")
    expect(phone.locator(".toast")).to_have_text(["Sealed"])
    expect(phone.locator(".secret p")).to_have_count(0)
    assert len(looks(phone, ".choose-player")) == 1


def test_a_vote_that_was_shown_is_hidden_by_the_next(house, sit):
    phone = sit(house, 4, **TOUCH)
    tap(phone, ".choose-player", "Cora")
    phone.get_by_role("button", name="Show my secret").tap()
    expect(phone.locator(".secret p")).to_have_text(["You voted for Cora"])
    phone.wait_for_timeout(500)  # a second tap sooner than that is taken for none
    tap(phone, ".choose-player", "Ben")
    expect(phone.locator(".secret p")).to_have_count(0)
    phone.get_by_role("button", name="Show my secret").tap()
    expect(phone.locator(".secret p")).to_have_text(["You voted for Ben"])


def test_a_phone_says_that_the_vote_was_tied(house, sit):
    """All votes are gone, also a shown one; who has voted again waits like everybody."""
    phone = sit(house, 4, **TOUCH)
    for name, king in zip(NAMES[:3], ("Ann", "Ann", "Ben"), strict=True):
        house.do(do="vote", player=name, **{"for": king})
    expect(phone.locator("main > .panel .big")).to_have_text("Cast your vote in secret")
    tap(phone, ".choose-player", "Ben")
    expect(phone.locator("main > .panel .big")).to_have_text(
        "The vote was tied, and all votes are gone. Vote again in secret"
    )
    expect(phone.locator(".secret")).to_have_count(0)
    phone.wait_for_timeout(500)
    tap(phone, ".choose-player", "Ann")
    expect(phone.locator("main > .panel .big")).to_have_text("Sealed. Waiting for 3 players")


def ready(house: House) -> None:
    """All but Ben are done, who has a bonus."""
    crown(house)
    house.do(do="buy-bonus", player="Ben")
    house.do(do="rule", text=SENTENCE, one=[2, 3], two=1)
    house.do(do="guess", range="2-3")
    for name, space in (("Cora", "king"), ("Dirk", 6)):  # so that the reveal crowns Cora
        house.do(do="bet", player=name, space=space)


def before_the_second(phone: Page, do: Callable[[], object]) -> None:
    """Do something while the second command of a press is on its way."""
    sent: list[Route] = []

    def pass_on(route: Route) -> None:
        sent.append(route)
        if len(sent) == 2:
            do()
        route.continue_()

    phone.route("**/api/v1/commands*", pass_on)


def double(phone: Page) -> None:
    phone.get_by_label("Use a Double Bonus this round").check()
    tap(phone, ".pick-space", "5")
    phone.locator(".seal").tap()


def test_what_is_sealed_for_a_round_does_not_come_in_the_next(house, sit):
    """The bet made the round complete, and it was revealed while the bonus was on its way: it is kept, not used."""
    ready(house)
    phone = sit(house, 2, **TOUCH)
    before_the_second(phone, lambda: house.do(do="reveal"))
    double(phone)
    said = "The round was revealed without the Double Bonus: it is not used up."
    expect(phone.locator(".toast.error")).to_contain_text(said)
    assert house.service.view("room")["round"] == 2
    assert house.service.view("room")["bonuses"]["Ben"] == 1
    assert house.service.view("seat/2")["secrets"]["uses_bonus"] is False


def test_what_others_seal_meanwhile_stops_nothing_and_what_the_dealer_does_has_it_sealed_again(house, sit):
    ready(house)
    phone = sit(house, 2, **TOUCH)

    def meanwhile() -> None:
        house.do(do="bet", player="Cora", space=1)
        house.do(do="buy-bonus", player="Dirk")

    before_the_second(phone, meanwhile)
    double(phone)
    expect(phone.locator(".seal")).to_have_text("Seal anew")
    expect(phone.locator("[aria-pressed=true]")).to_have_count(0)
    assert house.service.view("seat/2")["secrets"]["uses_bonus"] is True
    assert house.service.view("seat/2")["secrets"]["space"] == 5


@pytest.mark.parametrize("seat", [0, 4])
def test_a_vote_that_comes_after_its_ballot_was_tied_is_not_in_the_next(house, sit, seat):
    """Dirk changes his vote, by his phone or by the dealer's hand, and Cora's vote, the last one, comes before it."""
    for name in ("Ann", "Ben", "Dirk"):
        house.do(do="vote", player=name, **{"for": name})
    page = sit(house, seat)
    if not seat:
        page.locator(".pick-who").get_by_role("button", name="Dirk", exact=True).click()
    came: list[str] = []

    def pass_on(route: Route) -> None:
        came.append(route.request.url)
        if len(came) == 1:
            house.do(do="vote", player="Cora", **{"for": "Cora"})
        route.continue_()

    page.route("**/api/v1/commands*", pass_on)
    page.locator(".choose-player").get_by_role("button", name="Ann", exact=True).click()
    expect(page.locator(".toast.error")).to_contain_text("Something came in between")
    assert house.service.view("room")["vote_tied"] is True
    assert house.service.view("room")["voted"] == []
