"""Roulette in a real browser: an evening with two phones, and every spot of the layout by finger and by keyboard."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect
from webhouse import House

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
FOCUSED = "document.activeElement?.dataset.on"


def spot(page: Page, on: str) -> Locator:
    return page.locator(f'.touchable [data-on="{on}"]')


def bet(page: Page, on: str, coins: str) -> None:
    """Touch a spot; nothing is bet before the table has confirmed it."""
    spot(page, on).tap()
    expect(page.locator(".coins")).to_have_text(coins)


def spin(dealer: Page, pocket: str) -> None:
    """Call no more bets, then touch the pocket on the drawn wheel."""
    dealer.get_by_role("button", name="No more bets").click()
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

    dealer.wait_for_timeout(300)  # an undo of what came a blink ago is refused
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
