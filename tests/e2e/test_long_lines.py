"""What must not be cut or broken: amounts on a narrow phone, the undo button, names of players to bet for, bets."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

LONG = (
    "Maximiliane-Charlotte von", "Bartholomäus von Hagen", "José María Fernández-Ruiz", "Åsa", "Guillermo",
    "Konstantin Alexandrovich", "Dorothea", "Zoë-Marie Müller-Lüdensch",
)  # fmt: skip
BROKEN = """all => all.flatMap(one => {
    const found = document.createTreeWalker(one, NodeFilter.SHOW_TEXT), broken = [];
    for (let text = found.nextNode(); text; text = found.nextNode())
        for (const word of text.data.matchAll(/[^\\s-]+/g)) {
            const range = document.createRange();
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            if (new Set([...range.getClientRects()].map(line => line.top)).size > 1) broken.push(word[0]);
        }
    return broken;
})"""
"Words that go on in the next line."


@pytest.mark.parametrize("amount", ["2500", "123456"])
def test_an_own_amount_is_whole_on_a_narrow_phone(open_house, sit, amount):
    """ "2500" was cut at "250" on a phone of 320 px."""
    house = open_house("roulette", (("Ann", 200_000),))
    phone = sit(house, 1, viewport={"width": 320, "height": 640})
    own = phone.locator(".own-amount")
    own.press_sequentially(amount)
    expect(own).to_have_value(amount)
    assert own.evaluate("one => one.scrollWidth <= one.clientWidth")


def test_no_word_of_undo_is_broken_beside_redo(open_house, sit):
    """The German one stood letter by letter in seven lines at 1024x768."""
    house = open_house("king-of-roulette", tuple((name, 4) for name in LONG), rounds=1)
    for name in LONG:
        house.do(do="vote", player=name, **{"for": LONG[0]})
    house.do(do="buy-bonus", player=LONG[1])
    house.do(do="rule", text="Low", one=[1, 2], two=3)
    house.do(do="guess", range="0-1")
    for name in LONG[1:]:
        house.do(do="bet", player=name, space=1)
    house.do(do="reveal")
    house.do(do="undo")
    dealer = sit(house, 0, viewport={"width": 1024, "height": 768}, locale="de")
    buttons = dealer.locator(".undo-row button")
    expect(buttons).to_have_count(3)
    assert buttons.evaluate_all(BROKEN) == []
    assert buttons.evaluate_all("all => all.every(one => one.scrollWidth <= one.clientWidth)")


def test_no_name_is_broken_where_the_dealer_chooses_who_bets(open_house, sit):
    """ "Bartholomäu-s" and "Alexandrovic-h" at 1024x768."""
    house = open_house("roulette", tuple((name, 100) for name in (*LONG, "Eli", "Flo", "Gus", "Henriette")))
    dealer = sit(house, 0, viewport={"width": 1024, "height": 768})
    names = dealer.locator(".work .who-tabs .who")
    expect(names).to_have_count(12)
    assert names.evaluate_all(BROKEN) == []


@pytest.mark.parametrize(("seat", "width"), [(0, 1024), (3, 320)])
def test_a_long_name_leaves_room_for_its_bet_at_chinchirorin(open_house, sit, seat, width):
    """The coins of whoever throws for all lay over the next bet, or stuck out of the panel."""
    house = open_house("chinchirorin", tuple((name, 100_000) for name in LONG), banker=1)
    house.do(do="bank", amount=90_000)
    for player in (1, 3, 4):
        house.do(do="bet", player=LONG[player], amount=20_000 - player)
    page = sit(house, seat, viewport={"width": width, "height": 768}, locale="de")
    bets = page.locator(".bank-bets li")
    expect(bets).to_have_count(3)
    assert bets.evaluate_all("all => all.every(one => one.scrollWidth <= one.clientWidth)")


def test_a_phone_at_chinchirorin_says_what_its_player_is_to_do(open_house, sit):
    """All names stood there for one who was to throw, and "you are past" for one whose bet lay on the table."""
    house = open_house("chinchirorin", (("Ann", 100), ("Bo", 100), ("Cy", 100)))
    phone = sit(house, 2)
    expect(phone.locator("main > [role=status] .big")).to_have_text("Throw one die for the first bank")
    for player, die in (("Ann", 6), ("Bo", 2), ("Cy", 1)):
        house.do(do="throw-for-bank", player=player, die=die)
    house.do(do="bank", amount=50)
    house.do(do="bet", player="Bo", amount=5)
    house.do(do="bet", player="Cy", amount=5)
    expect(phone.locator("main > [role=status] .big")).to_have_text("Somebody further on has bet: your bet stands.")
