"""Logging out and leaving a seat: at once, and never only in appearance."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect
from webhouse import House

from web_ui.live import HEARTBEAT_S

pytestmark = pytest.mark.browser
Sit = Callable[..., Page]
AFTER_TAP_MS = 500
GOODBYE_MS = 1000 * (HEARTBEAT_S + 1)


@pytest.mark.thorough
@pytest.mark.parametrize(("seat", "button", "where"), [(0, "Log out", "/dealer"), (1, "Leave this phone", "/seat/1")])
def test_whoever_could_not_be_logged_out_is_told(house: House, sit: Sit, seat: int, button: str, where: str) -> None:
    """The page of a tablet that is handed on must not look logged out while the next one is the dealer."""
    page, asked = sit(house, seat), []
    page.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)
    page.route("**/log*out", lambda route: route.abort())
    page.route("**/leave", lambda route: route.abort())
    page.get_by_role("button", name=button).click()
    expect(page.locator(".toast.error")).to_contain_text("The table cannot be reached", timeout=15_000)
    assert page.url.startswith(f"{house.url}{where}")
    page.unroute_all()
    page.wait_for_timeout(AFTER_TAP_MS)
    asked.clear()
    page.get_by_role("button", name=button).click()
    page.wait_for_url(f"{house.url}/")
    assert len(asked) == 1, "the first answer is understood"
    assert house.access.all_sessions() == {}


def first(page: Page, held: list[Route]) -> Route:
    """Return the first request that is held; it is told of a little before."""
    while not held:
        page.wait_for_timeout(20)
    return held[0]


@pytest.mark.thorough
@pytest.mark.parametrize(("seat", "button"), [(0, "Log out"), (1, "Leave this phone")])
def test_whoever_logs_out_comes_to_the_table_though_the_stream_says_goodbye_first(
    house: House, sit: Sit, seat: int, button: str
) -> None:
    """A goodbye loads the page anew, which asks for a PIN or a code: not what one who has just left is to see."""
    page, held = sit(house, seat), list[Route]()
    page.route(re.compile("/(logout|leave)$"), lambda route: held.append(route))
    with page.expect_request(re.compile("/(logout|leave)$")):
        page.get_by_role("button", name=button).click()
    answer = first(page, held).fetch()
    page.wait_for_timeout(GOODBYE_MS)
    held[0].fulfill(response=answer)
    page.wait_for_url(f"{house.url}/")


@pytest.mark.thorough
def test_a_goodbye_counts_again_once_a_log_out_has_failed(house: House, sit: Sit) -> None:
    """Somebody else may log this browser out later; a page that took no notice would look as if it still could."""
    page = sit(house, 0)
    page.route("**/logout", lambda route: route.abort())
    page.get_by_role("button", name="Log out").click()
    expect(page.locator(".toast.error")).to_contain_text("The table cannot be reached", timeout=15_000)
    (session,) = house.access.all_sessions()
    house.access.end_session(session)
    expect(page.get_by_label("PIN")).to_be_visible()


@pytest.mark.thorough
def test_a_goodbye_counts_where_the_answer_to_the_log_out_got_lost(house: House, sit: Sit) -> None:
    """Whoever is logged out must not be shown a page of which nothing works any more."""
    page, held = sit(house, 0), list[Route]()
    page.route("**/logout", lambda route: held.append(route))
    with page.expect_request("**/logout"):
        page.get_by_role("button", name="Log out").click()
    first(page, held).fetch()
    page.wait_for_timeout(GOODBYE_MS)
    page.route("**/logout", lambda route: route.abort())
    held[0].abort()
    expect(page.get_by_label("PIN")).to_be_visible(timeout=15_000)
