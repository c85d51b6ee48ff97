"""The page that prints, in a real browser: keys alone, every size and language, axe at zero."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from webclient import PIN
from webhouse import House, NoCameras

from companion.app.setup.service import TableSetup
from companion.config.file import FILE_NAME, load_config
from companion.objects.decks import DeckStore
from companion.testing import DECKS

pytestmark = pytest.mark.browser
SIZES = ((390, 844), (1024, 768), (1366, 768), (1920, 1080))
TOUCH_PX = 44


def opened(house: House, browse: Callable[..., Page], **how: object) -> Page:
    """Return a browser in which the dealer is logged in, on the page that prints; with two decks."""
    for kind, name in (("standard", "Blue"), ("roche", "Friday")):
        DeckStore(house.folder, DECKS).new(kind, name)
    config, _ = load_config(None, house.games)
    setup = TableSetup(house.folder, house.folder / FILE_NAME, config, house.service, NoCameras())  # type: ignore[arg-type]
    house.app.extensions["table_setup"] = setup
    page = browse(f"{house.url}/setup/print", **how)
    page.locator("input[name=pin]").press_sequentially(PIN)
    with page.expect_navigation():
        page.keyboard.press("Enter")
    page.wait_for_load_state("networkidle")
    page.goto(f"{house.url}/setup/print")
    return page


@pytest.mark.thorough
def test_a_sheet_is_ordered_with_keys_and_a_mistake_is_said(
    house: House, browse: Callable[..., Page], tmp_path: Path
) -> None:
    page = opened(house, browse, viewport={"width": 1024, "height": 768})
    page.locator("input[name=right]").focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("0,5")
    page.get_by_role("button", name="Spare tokens").focus()
    with page.expect_download() as saved:
        page.keyboard.press("Enter")
    saved.value.save_as(tmp_path / "spare.pdf")
    assert saved.value.suggested_filename.startswith("tokens-")
    assert (tmp_path / "spare.pdf").read_bytes().startswith(b"%PDF")
    page.get_by_label("Deck").select_option(index=1)
    page.get_by_role("button", name="Leader button").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("has no tokens")
    expect(page.locator("input[name=right]")).to_have_value("0,5")
    expect(page.locator("select[name=deck] option:checked")).to_contain_text("Blue")


@pytest.mark.thorough
@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_the_page_fits_and_breaks_no_rule_of_axe(house: House, browse: Callable[..., Page], language: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core comes with the dev extra")
    page = opened(house, browse, locale=language)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide == 0
        heights = page.locator(".sheets :is(button, select, input)").evaluate_all("all => all.map(b => b.offsetHeight)")
        assert min(heights) >= TOUCH_PX
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        assert [fault["id"] for fault in axe.Axe().run(page).response["violations"]] == []
