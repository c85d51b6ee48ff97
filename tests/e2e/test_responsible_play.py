"""A player's phone says how long its player has played, quietly, and at its foot what coins are worth."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from webclient import PIN
from webhouse import House, free_port

from companion.journal.store import utc_now
from companion.service.settings import TableSettings

pytestmark = pytest.mark.browser
Browse = Callable[..., Page]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


class Clock:
    """The real time and as much as a test adds."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return utc_now() + self.ahead


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def house(tmp_path: Path, clock: Clock) -> Iterator[House]:
    running = House(tmp_path, free_port(), clock=clock)
    running.service.set_settings(TableSettings(remind_minutes=60, most_brought=300))
    yield running
    running.stop()


@pytest.mark.thorough
def test_a_phone_reminds_of_the_time_and_is_put_off_with_one_press(house: House, clock: Clock, browse: Browse) -> None:
    phone = browse(f"{house.url}/seat/1#{house.access.seat_code(1)}", **PHONE)
    phone.wait_for_selector(".live.on")
    expect(phone.locator(".play-notice")).to_have_text("Play money: coins here are worth nothing outside this table.")
    house.do(do="bet", player="Aubrey", on="cut/6", amount=60)
    clock.ahead = timedelta(minutes=121)
    house.do(do="take-back", player="Aubrey", on="cut/6")
    house.do(do="buy-in", player="Aubrey", coins=20)
    reminder = phone.locator(".reminder")
    expect(reminder).to_contain_text("You have played for 2 hours. You brought 120 and have 120.")
    phone.get_by_role("button", name="Bet 5 on Kin cuts, pays 8:1").tap()  # nothing is in the way
    expect(phone.locator(".own-bets b")).to_have_text("5")
    expect(reminder).to_be_visible()
    reminder.get_by_role("button", name="OK").tap()
    expect(reminder).to_have_count(0)
    phone.reload()
    phone.wait_for_selector(".live.on")
    clock.ahead = timedelta(minutes=179)
    house.do(do="take-back", player="Aubrey", on="cut/6")
    expect(phone.locator(".own-bets")).to_contain_text("Touch a spot to bet")
    expect(reminder).to_have_count(0)
    clock.ahead = timedelta(minutes=181)
    house.do(do="cash-out", player="Aubrey")
    expect(reminder).to_contain_text("You have played for 3 hours. You brought 0 and have 0.")


def test_the_dealer_sees_how_long_each_has_played_and_what_cannot_be_brought(
    house: House, clock: Clock, browse: Browse
) -> None:
    house.do(do="bet", player="Aubrey", on="cut/6", amount=5)
    clock.ahead = timedelta(minutes=125)
    house.do(do="bet", player="Aubrey", on="cut/6", amount=5)
    page = browse(f"{house.url}/dealer", viewport={"width": 1280, "height": 900})
    page.get_by_label("PIN").fill(PIN)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_selector(".live.on")
    page.get_by_role("tab", name="Players").click()
    row = page.locator(".players li").first
    expect(row).to_contain_text("2 h 5 min, brought 100")
    row.get_by_label("Buy in").fill("201")
    row.get_by_role("button", name="Buy in").click()
    expect(page.locator(".toast.error")).to_contain_text("Aubrey has brought 100 and can bring 200 more.")
