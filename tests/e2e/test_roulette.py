"""Roulette in a real browser: an evening with two phones, and every spot of the layout by finger and by keyboard."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect
from webhouse import House, seen

pytestmark = [pytest.mark.browser, pytest.mark.thorough]
Browse = Callable[..., Page]
Open = Callable[..., House]

PAIR = (("Aubrey", 100), ("Benedict", 100))
TV = {"width": 1920, "height": 1080}
SMALL = {"width": 360, "height": 740}

SPOTS = "[...document.querySelectorAll('.touchable .zone')].map((zone) => zone.dataset.on)"
TOUCHED = """(on) => {
  const zone = document.querySelector(`.touchable [data-on="${on}"]`);
  zone.scrollIntoView({ block: "center" });
  const box = zone.querySelector(".ground").getBoundingClientRect();
  const found = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)?.closest(".zone");
  return { on: found?.dataset.on, name: zone.getAttribute("aria-label"), side: Math.min(box.width, box.height) };
}"""
PATH = """async ([script, from, seen]) => {
  const { inside, outside, nextPlace } = await import(script);
  const places = [...inside("american", false), ...outside(false)];
  const [known, ways] = [new Set([from]), [[from, []]]];
  for (const [on, keys] of ways) {
    if (!seen.includes(on)) return keys;
    for (const key of ["ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"]) {
      const next = nextPlace(places, on, key);
      if (next && !known.has(next)) ways.push([next, [...keys, [key, next]]]), known.add(next);
    }
  }
  return null;
}"""
COVERED = """() => {
  const inner = ({ x, y, right, height }) =>
    ({ x: x + 1, y: y + height * 0.22, right: right - 1, bottom: y + height * 0.78 });
  return [...document.querySelectorAll(".wheel-felt")].flatMap((felt) => {
    const discs = [...felt.querySelectorAll(".chip-svg .disc")].map((one) => one.getBoundingClientRect());
    return [...felt.querySelectorAll(".cell text")].flatMap((text) => {
      const box = inner(text.getBoundingClientRect());
      if (text.hasAttribute("transform")) box.x += 2, (box.right -= 2);
      const hit = discs.some((d) => d.x < box.right && d.right > box.x && d.y < box.bottom && d.bottom > box.y);
      return hit ? [text.textContent] : [];
    });
  });
}"""
"""The words and numbers of every layout on the page that a chip lies on; of letters the strokes, not their line."""
SMALLEST = """() => Math.min(...[...document.querySelectorAll(".wheel-felt")].flatMap((felt) =>
  [...felt.querySelectorAll(".zone:not([data-on*='/']) .amount")]
    .map((one) => parseFloat(one.style.fontSize) * felt.getScreenCTM().a)))"""
"""How large the amounts on the even-money bets are, px."""
RING = """() => {
  const [sign, board] = [document.querySelector(".numbers-came li"), document.querySelector(".console .board")];
  return sign.getBoundingClientRect().left - board.getBoundingClientRect().left;
}"""
FOCUSED = "document.activeElement?.dataset.on"


def spot(page: Page, on: str) -> Locator:
    return page.locator(f'.touchable [data-on="{on}"]')


def bet(page: Page, on: str, coins: str) -> None:
    """Touch a spot; nothing is bet before the table has confirmed it."""
    spot(page, on).tap()
    expect(page.locator(".coins")).to_have_text(coins)


def spin(dealer: Page, pocket: str) -> None:
    """Call no more bets, then touch the pocket on the drawn wheel."""
    seen(dealer.get_by_role("button", name="No more bets")).click()
    dealer.locator(f'[data-pocket="{pocket}"]').click()
    expect(dealer.locator(".wheel")).to_have_count(0)


def test_an_evening_with_prison_and_two_phones(open_house: Open, sit: Browse, browse: Browse) -> None:
    house = open_house("roulette", PAIR)
    dealer, room = sit(house, 0), browse(f"{house.url}/", viewport=TV)
    aubrey, benedict = sit(house, 1), sit(house, 2)
    bet(aubrey, "straight/17", "95")
    bet(aubrey, "corner/17", "90")
    aubrey.get_by_role("button", name="1 coins").tap()
    bet(aubrey, "split/17/20", "89")
    bet(benedict, "red", "95")
    expect(aubrey.locator(".aimed")).to_contain_text("Split 17/20")
    expect(aubrey.locator(".aimed b")).to_have_text("1 of yours there")
    expect(aubrey.locator(".cell.covered")).to_have_count(2)
    expect(room.locator(".chip-svg")).to_have_count(4)
    expect(dealer.locator(".risk .worst")).to_contain_text("227")  # 175 + 40 + 17, less the 5 on red

    benedict.get_by_role("button", name="Take back 5 from Red").tap()
    expect(benedict.locator(".coins")).to_have_text("100")
    bet(benedict, "even", "95")
    spin(dealer, "17")
    expect(room.locator(".last-pocket .name")).to_have_text("17 black")
    expect(room.locator(".pay-sheet .is-pay b")).to_have_text("243")
    expect(room.locator(".pay-sheet .is-pay")).to_contain_text("232 from the house · stake of 11 stays or goes back")
    expect(aubrey.locator(".coins")).to_have_text("332")
    expect(benedict.locator(".outcome .big")).to_have_text("You lost 5")
    expect(room.locator(".dolly")).to_have_count(1)

    dealer.locator(".payouts > summary").click()
    for on, edge in (("Number 17", "2.7"), ("Even", "1.4")):  # what a zero leaves of an even-money bet counts
        why = dealer.locator(".payouts li", has_text=on)
        why.locator("summary").click()
        expect(why.locator(".explained")).to_contain_text(f"{edge} %")

    bet(benedict, "black", "90")
    bet(benedict, "dozen/1", "85")
    spin(dealer, "0")
    expect(benedict.locator(".own-bets")).to_contain_text("In prison")
    expect(benedict.get_by_role("button", name="Take back")).to_have_count(0)
    expect(room.locator(".prisoners")).to_have_text("1 bet in prison")
    bet(benedict, "black", "80")
    spin(dealer, "2")
    expect(benedict.locator(".coins")).to_have_text("95")  # the prisoner's 5 alone, the fresh bet's 5 and 5 more
    expect(benedict.locator(".brought li")).to_have_count(2)

    seen(dealer.locator(".do-undo"))
    dealer.keyboard.press("u")
    expect(dealer.locator(".wheel")).to_have_count(1)
    expect(benedict.locator(".coins")).to_have_text("80")
    dealer.locator('[data-pocket="4"]').click()
    expect(benedict.locator(".coins")).to_have_text("95")
    expect(room.locator(".numbers-came").first.locator("li")).to_have_text(["4", "0", "17"])
    dealer.goto(f"{house.url}/history/1/3")
    expect(dealer.locator(".last-pocket b")).to_have_text("4")


def test_every_spot_is_touched_where_it_is_on_a_small_phone(open_house: Open, sit: Browse) -> None:
    """All 157 of the American layout: each a place of its own of at least 24 pixels, with a name of its own."""
    phone = sit(open_house("roulette", PAIR, wheel="american"), 1, viewport=SMALL)
    spots = phone.evaluate(SPOTS)
    assert len(set(spots)) == len(spots) == 157
    found = [phone.evaluate(TOUCHED, on) for on in spots]
    assert [one["on"] for one in found] == spots
    assert len({one["name"] for one in found}) == 157
    assert min(one["side"] for one in found) >= 24
    bet(phone, "split/00/2", "95")
    bet(phone, "line/31", "90")


def test_every_spot_is_reached_with_the_arrow_keys(open_house: Open, sit: Browse) -> None:
    phone = sit(open_house("roulette", PAIR, wheel="american"), 1, viewport={"width": 900, "height": 1100})
    script = phone.evaluate("document.querySelector('script[type=module][src*=\"/seat.js\"]').src").replace(
        "seat.js", "layout.js"
    )
    phone.locator(".touchable [tabindex='0']").focus()
    seen = [phone.evaluate(FOCUSED)]
    while (keys := phone.evaluate(PATH, [script, seen[-1], seen])) is not None:
        for key, expected in keys:
            phone.keyboard.press(key)
            assert phone.evaluate(FOCUSED) == expected
            seen.append(expected)
    assert len(set(seen)) == 157
    assert phone.locator(".touchable [tabindex='0']").count() == 1
    phone.keyboard.press("Enter")
    expect(phone.locator(".coins")).to_have_text("95")
    phone.keyboard.press("Enter")  # just after: the same bet
    expect(phone.locator(".own-bets b")).to_have_text("5")


def test_the_wheel_is_turned_with_the_arrow_keys(open_house: Open, sit: Browse) -> None:
    dealer = sit(open_house("roulette", PAIR, wheel="american"), 0)
    dealer.keyboard.press("n")
    dealer.locator(".wheel [tabindex='0']").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowLeft"):
        dealer.keyboard.press(key)
    assert dealer.evaluate("document.activeElement.dataset.pocket") == "2"
    dealer.keyboard.press("Enter")
    expect(dealer.locator(".undo-what, .do-undo")).to_contain_text("2, black")


def lay(house: House, *bets: tuple[str, str, int]) -> None:
    for player, on, amount in bets:
        house.do(do="bet", player=player, on=on, amount=amount)


def rest(house: House, pocket: str) -> None:
    house.do(do="no-more-bets")
    house.do(do="spin", pocket=pocket)


EVEN_MONEY = ("red", "black", "odd", "even", "low", "high")
CLOSE = ("split/14/17", "split/17/20", "split/16/17", "split/17/18", "corner/13", "corner/17", "street/16")
THREE = (("Aubrey", 400), ("Benedict", 400), ("Celia", 400))


@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_no_chip_lies_on_a_word_or_a_number(open_house: Open, sit: Browse, browse: Browse, language: str) -> None:
    """Three players on every outside bet, chips on and all round a number: on each layout all of it can be read."""
    house = open_house("roulette", THREE)
    outside = (*EVEN_MONEY, *(f"{kind}/{n}" for kind in ("dozen", "column") for n in (1, 2, 3)))
    lay(house, *((name, on, 25) for name, _ in THREE for on in outside))
    lay(house, *(("Aubrey", on, 5) for on in (*CLOSE, "straight/17", "straight/0", "straight/30")))
    lay(house, ("Benedict", "straight/30", 7))
    room = browse(f"{house.url}/", viewport=TV, locale=language)
    dealer = sit(house, 0, viewport={"width": 1024, "height": 768}, locale=language)
    phone = sit(house, 1, locale=language)
    for page in (room, dealer, phone):
        expect(page.locator(".wheel-felt .chip-svg").first).to_be_visible()
        page.evaluate("Promise.all(document.getAnimations().map((one) => one.finished))")  # chips drop
        assert page.evaluate(COVERED) == [], page.url
    assert dealer.evaluate(SMALLEST) >= 8
    assert phone.evaluate(SMALLEST) >= 9


@pytest.mark.parametrize("size", [TV, {"width": 1024, "height": 768}])
def test_the_result_stays_large_beside_a_long_pay_sheet(open_house: Open, browse: Browse, size: dict[str, int]) -> None:
    house = open_house("roulette", tuple((f"Player {n}", 200) for n in range(1, 9)))
    lay(house, *((f"Player {n}", on, 5) for n in range(1, 9) for on in ("straight/17", "red", "black")))
    rest(house, "17")
    room = browse(f"{house.url}/", viewport=size)
    expect(room.locator(".pay-sheet [data-row]")).to_have_count(9)
    expect(room.locator(".last-pocket .name")).to_have_text("17 black")
    place = room.locator(".last-pocket b").bounding_box()
    assert place is not None
    assert min(place["width"], place["height"]) >= 80
    assert place["y"] + place["height"] <= size["height"]


def test_a_prisoner_and_a_fresh_bet_are_two_stakes_and_every_page_says_what_becomes_of_them(
    open_house: Open, sit: Browse, browse: Browse
) -> None:
    house = open_house("roulette", PAIR)
    lay(house, ("Aubrey", "red", 5), ("Aubrey", "straight/3", 1), ("Benedict", "red", 20))
    rest(house, "0")
    room, dealer, phone, other = browse(f"{house.url}/", viewport=TV), sit(house, 0), sit(house, 1), sit(house, 2)
    expect(phone.locator(".outcome .big")).to_have_text("You lost 1")
    expect(phone.locator(".outcome .imprisoned")).to_have_text("Red: 5 in prison until the next spin")
    expect(other.locator(".outcome .big")).to_have_text("In prison")
    lay(house, ("Aubrey", "red", 5))
    for page in (room, dealer, phone):
        red = page.locator('.wheel-felt [data-on="red"]').first
        expect(red.locator(".chip-svg .amount")).to_have_text(["20", "5", "5"])
        expect(red.locator(".chip-svg.locked")).to_have_count(2)
    expect(room.locator(".board-wheel .quiet li").first).to_have_text("Aubrey: 5 on Red (In prison)")
    rest(house, "7")
    expect(room.locator(".released")).to_have_text("2 bets released from prison")
    expect(phone.locator(".brought li").first).to_have_text("Red: Released from prison, stake of 5 back")
    expect(other.locator(".outcome .big")).to_have_text("No gain, no loss")  # “Even” is the name of a bet that lost
    phone.goto(f"{house.url}/history/1/2/receipt")
    rows = phone.locator(".receipt table").first.locator("tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.nth(0)).to_contain_text("Released from prison")
    expect(rows.nth(1)).not_to_contain_text("prison")
    expect(phone.locator(".receipt table").last.locator("tr", has_text="Benedict")).to_have_text("Benedict20200")


def test_what_a_zero_halves_is_said(open_house: Open, sit: Browse, browse: Browse) -> None:
    house = open_house("roulette", PAIR, wheel="american")
    lay(house, ("Aubrey", "even", 7))
    rest(house, "00")
    room, phone = browse(f"{house.url}/", viewport=TV), sit(house, 1)
    expect(room.locator(".halved")).to_have_text("1 bet lost half")
    expect(phone.locator(".brought")).to_have_text("Even: Half lost: −3, 4 back")


def test_the_ring_round_the_newest_number_is_whole(open_house: Open, sit: Browse) -> None:
    house = open_house("roulette", PAIR)
    rest(house, "5")
    assert sit(house, 0).evaluate(RING) >= 4  # 3 px, and 1 between


def test_a_long_list_of_bets_fits_a_small_screen(open_house: Open, sit: Browse) -> None:
    """Of the longest words of names beside the longest word on a button the button was cut off."""
    house = open_house("roulette", (("Dorothea Winkelmannsdorf", 100), ("Bartholomew von Finsteri", 100)))
    lay(house, ("Dorothea Winkelmannsdorf", "corner/16", 12), ("Bartholomew von Finsteri", "line/13", 32))
    dealer = sit(house, 0, viewport={"width": 390, "height": 844}, locale="de")
    expect(dealer.locator(".bet-list li")).to_have_count(2)
    assert dealer.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.browser
def test_a_bet_in_prison_is_not_called_nobodys(open_house: Open, sit: Browse) -> None:
    """The dealer's page said "Nobody had a bet." right above the bet that the zero had locked up."""
    house = open_house("roulette", (("Ann", 100), ("Bo", 100)))
    dealer = sit(house, 0)
    house.do(do="bet", player="Ann", on="red", amount=5)
    house.do(do="no-more-bets")
    house.do(do="spin", pocket="0")
    expect(dealer.locator(".pay")).to_contain_text("In prison")
    expect(dealer.locator(".pay")).not_to_contain_text("Nobody had a bet")
    house.do(do="no-more-bets")
    house.do(do="spin", pocket="1")
    house.do(do="no-more-bets")
    house.do(do="spin", pocket="2")
    expect(dealer.locator(".pay")).to_contain_text("Nobody had a bet.")


@pytest.mark.browser
def test_two_players_chips_on_one_number_can_be_told_apart(open_house: Open, sit: Browse) -> None:
    """Where no chip lies on its edges the whole cell is free for them: at 1024 they were 11 px wide."""
    house = open_house("roulette", THREE)
    lay(house, ("Aubrey", "straight/17", 5), ("Benedict", "straight/17", 25))
    dealer = sit(house, 0, viewport={"width": 1024, "height": 768})
    discs = dealer.locator('.touchable [data-on="straight/17"] .disc')
    expect(discs).to_have_count(2)
    dealer.evaluate("Promise.all(document.getAnimations().map((one) => one.finished))")  # chips drop
    assert min(box["width"] for one in discs.all() if (box := one.bounding_box())) >= 14
    assert dealer.evaluate(COVERED) == []
    lay(house, ("Celia", "split/17/20", 5))
    expect(dealer.locator('.touchable [data-on="split/17/20"] .disc')).to_have_count(1)
    dealer.evaluate("Promise.all(document.getAnimations().map((one) => one.finished))")
    assert dealer.evaluate(COVERED) == [], "the edge is the split's now"
