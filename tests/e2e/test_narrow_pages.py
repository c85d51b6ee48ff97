"""Long names, large sums and long words on phones and tablets: whole words, nothing one above the other."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect
from webhouse import House

pytestmark = [pytest.mark.browser, pytest.mark.thorough]
Browse = Callable[..., Page]
Open = Callable[..., House]

RICH = (("Wilhelmina Freifrau von Hohenlohe-Langen", 12_345), ("Benedict", 98_765), ("Chance", 10_000))
SEEDS = ("6D1", "6D2", "7D1", "5N2", "2D1", "2D2")
SMALL = {"width": 320, "height": 640}
UPRIGHT = {"width": 768, "height": 1024}
TABLET = {"width": 1024, "height": 768}
LINES = "one => Math.round(one.getBoundingClientRect().height / parseFloat(getComputedStyle(one).lineHeight))"
CUT_OFF = "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.textContent)"


def ripe(open_house: Open) -> House:
    """The Mages are locked; Kin is ripe and Benedict's, and Wilhelmina has a Shield of it; Chance has the Commons."""
    house = open_house("rochi", RICH)
    records = [
        *({"do": "seed", "card": card} for card in SEEDS),
        *({"do": "play", "card": "6D3"}, {"do": "end"}, {"do": "play", "card": "6N1"}, {"do": "deal", "card": "7D2"}),
        *({"do": "play", "card": "7D3"}, {"do": "end"}, {"do": "play", "card": "6N2"}, {"do": "end"}),
        {"do": "play", "card": "6D4"},
    ]
    house.do_at_once(*records)
    return house


def box_of(shown: Locator) -> dict[str, float]:
    box = shown.bounding_box()
    assert box is not None
    return dict(box)


def test_a_name_beside_a_large_sum_is_not_broken_within_its_words(open_house: Open, sit: Browse) -> None:
    """On a tablet held upright the dealer's page broke "Bened-ict", and Wilhelmina into seven lines."""
    dealer = sit(ripe(open_house), 0, viewport=UPRIGHT)
    cards = dealer.locator(".seat-card")
    assert cards.locator(".who").nth(1).evaluate(LINES) == 1
    assert cards.locator(".who").first.evaluate(LINES) <= 3


def test_a_locked_suit_says_whole_that_it_is_not_for_sale(open_house: Open, browse: Browse) -> None:
    """On a tablet the German word lost its last letter at the edge of the stack."""
    room = browse(ripe(open_house).url, viewport=TABLET, locale="de")
    expect(room.locator("[data-suit='2'] .price")).to_have_text("Unverkäuflich")
    assert room.locator(".stack .price, .stack > header").evaluate_all(CUT_OFF) == []


@pytest.mark.parametrize("language", ["de", "es"])
def test_how_far_a_suit_is_takes_three_short_lines_at_most(open_house: Open, sit: Browse, language: str) -> None:
    """On a small phone what Kin costs left "5 of 6 · Ripe" one word a line."""
    phone = sit(ripe(open_house), 1, viewport=SMALL, locale=language)
    for suit, lines in ((6, 2), (3, 2), (7, 3)):
        assert phone.locator(f".price-list [data-suit='{suit}'] .distance span").evaluate(LINES) <= lines
    assert phone.locator(".price-list .to").evaluate_all(CUT_OFF) == []


def test_yes_and_cancel_lie_apart_on_a_phone(open_house: Open, sit: Browse) -> None:
    """They touched each other: a thumb that meant one could press the other."""
    house = open_house("rochi", RICH)
    house.do_at_once(*({"do": "seed", "card": card} for card in SEEDS))
    phone = sit(house, 1)
    phone.get_by_role("button", name="Fold").tap()
    yes, cancel = (box_of(phone.get_by_role("button", name=name, exact=True)) for name in ("Yes", "Cancel"))
    assert cancel["x"] - yes["x"] - yes["width"] >= 8


def test_the_dealers_page_ends_at_the_screens_edge_while_nothing_is_said(open_house: Open, sit: Browse) -> None:
    """A black bar for messages hid the foot of the page also while there was none."""
    house = ripe(open_house)
    dealer = sit(house, 0, viewport=UPRIGHT)
    at_the_foot = "() => document.elementFromPoint(innerWidth / 2, innerHeight - 10).id"
    assert dealer.evaluate(at_the_foot) != "toasts"
    dealer.get_by_role("button", name="Undo").click()
    expect(dealer.locator("#toasts .toast")).to_be_visible()
    assert dealer.evaluate("() => getComputedStyle(document.getElementById('toasts')).backgroundColor") != (
        "rgba(0, 0, 0, 0)"
    )


def test_ones_own_large_bet_is_read_whole_beside_the_others(open_house: Open, sit: Browse) -> None:
    """The sum of what others bet lay above the own stake: ".012" was left of it, and less of the price."""
    house = open_house("roche", RICH)
    for name, _ in RICH:
        house.do(do="bet", player=name, on="cut/7", amount=1_012)
    phone = sit(house, 2, viewport={"width": 390, "height": 844})
    own = phone.locator(".chip.own")
    expect(own).to_have_text("1,012")
    box = box_of(own)
    assert own.evaluate("(own, [x, y]) => document.elementFromPoint(x, y) === own", [box["x"] + 3, box["y"] + 9])
    price = box_of(own.locator("xpath=..").locator(".price"))
    assert box["y"] >= price["y"] + price["height"] - 2


def test_the_end_of_captains_rochi_says_nothing_that_is_not_so(open_house: Open, sit: Browse) -> None:
    """The loser is told that it is the loser's coin; whoever stays takes all pots, and they are divided with nobody."""
    house = open_house("captains", (("Aubrey", 100), ("Benedict", 100)))
    seeds = ("7D1", "7D2", "5D1", "5D2", "5D3", "4D1", "6D1", "3D1")
    house.do_at_once(
        *({"do": "seed", "card": card} for card in seeds),
        *({"do": "play", "card": "5N1"}, {"do": "end"}, {"do": "play", "card": "5N2"}, {"do": "deal", "card": "6D2"}),
        *({"do": "play", "card": "5N3"}, {"do": "deal", "card": "5D4"}),
    )
    winner, loser = sit(house, 1), sit(house, 2)
    expect(loser.locator(".my-turn .big")).to_have_text("You owe the odd coin")
    expect(winner.locator(".my-turn .big")).to_have_text("Benedict owes the odd coin")
    expect(loser.locator(".price-list li[data-suit='5']")).to_contain_text("Cut")
    expect(loser.locator(".price-list li[data-suit='5']")).to_contain_text("Not for sale")
    house.do(do="odd-coin", pot=2)
    house.do(do="drop", player="Benedict")
    expect(loser.locator(".my-turn .hint")).to_have_text("The pots have been paid out.")
