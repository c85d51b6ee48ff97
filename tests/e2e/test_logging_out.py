"""Logging out and leaving a seat: at once, and never only in appearance."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from webhouse import House

pytestmark = pytest.mark.browser
Sit = Callable[..., Page]
AFTER_TAP_MS = 500


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
