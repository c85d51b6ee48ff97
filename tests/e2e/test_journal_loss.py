"""A lost end of the journal, as the dealer meets it: what is missing, and the way out."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from webclient import PIN
from webhouse import House

pytestmark = pytest.mark.browser

SIZES = {"phone": (390, 844), "tablet": (1024, 768), "laptop": (1366, 768), "tv": (1920, 1080)}


def lose_the_end(house: House) -> None:
    """Stop the table, take the last three entries off, and start it again."""
    for _ in range(3):
        house.do(do="buy-in", player="Aubrey", coins=10)
    house.stop()
    with closing(sqlite3.connect(house.folder / "journal.db")) as file, file:
        last = file.execute("SELECT max(seq) FROM entry").fetchone()[0]
        for table in ("entry", "signature"):
            file.execute(f"DELETE FROM {table} WHERE seq > ?", (last - 3,))
    house.start()


@pytest.mark.thorough
def test_the_dealer_accepts_a_lost_end(house: House, browse: Callable[..., Page]) -> None:
    """Everybody reads what is missing; only the dealer's page has a way out, with a second look; then play goes on."""
    lose_the_end(house)
    room = browse(house.url)
    expect(room.get_by_text("The end of the journal is lost")).to_be_visible()
    expect(room.get_by_role("button", name="Accept the loss")).to_have_count(0)
    dealer = browse(f"{house.url}/dealer", viewport={"width": 390, "height": 844})
    dealer.get_by_label("PIN").fill(PIN)
    dealer.get_by_role("button", name="Log in").click()
    dealer.wait_for_selector(".live.on")
    for name, (width, height) in SIZES.items():
        dealer.set_viewport_size({"width": width, "height": height})
        _picture(dealer, name)
        assert dealer.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    dealer.get_by_role("button", name="Accept the loss").click()
    expect(dealer.get_by_text("count them with the players first")).to_be_visible()
    _picture(dealer, "dialog")
    dealer.keyboard.press("Escape")
    assert "journal" in house.service.view()
    dealer.get_by_role("button", name="Accept the loss").click()
    dealer.get_by_role("button", name="Accept and continue").click()
    expect(dealer.locator(".journal-trouble")).to_have_count(0)
    expect(room.get_by_text("The end of the journal is lost:")).to_have_count(1)  # the log keeps it
    house.do(do="buy-in", player="Aubrey", coins=10)


def _picture(page: Page, name: str) -> None:
    """Keep a picture where somebody wants to look at it."""
    folder = os.environ.get("PICTURES")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png")
