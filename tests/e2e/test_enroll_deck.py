"""An ordinary deck is taught in a real browser before a real camera thread; the cards are drawn in a plain font."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from webclient import PIN
from webhouse import free_port

from companion.objects.cards import STANDARD_CARDS
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from companion.tracking.cards.enrollment import OwnDeckEnrollment
from companion.tracking.sight import NoSight
from companion.tracking.watch import TableWatch
from companion.vision.frame import Frame, Image
from companion.vision.own_deck.store import OwnDecks
from web_ui import AccessStore, create_app
from web_ui.server import Server

sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "vision" / "own_deck"))

from ordinary_deck import drawn, face_of, look
from table_scene import Placed, photograph

pytestmark = pytest.mark.browser
SLOW_MS = 30_000


def lying(*cards: str) -> Image:
    """A photograph of cards on the cloth, apart."""
    placed = [Placed(card, drawn(card), 90.0 * k - 45.0 * (len(cards) - 1), 0.0, 8.0) for k, card in enumerate(cards)]
    return photograph(placed, look(), np.random.default_rng(1))[0]


@dataclass
class OverTheTable:
    """A camera over whatever a test lays there."""

    image: Image
    name: str = "test"
    _number: int = field(default=0)

    def read(self, timeout_s: float) -> Frame:
        time.sleep(0.05)
        self._number += 1
        return Frame(self.image, time.monotonic(), self._number)

    def close(self) -> None: ...


@dataclass
class House:
    url: str
    camera: OverTheTable
    decks: OwnDecks
    data: Path


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    access, camera, decks = AccessStore(tmp_path), OverTheTable(lying()), OwnDecks(tmp_path)
    access.set_pin(PIN)
    with ExitStack() as stack:
        header = new_header("roche", (("Ann", 99),))
        service = stack.enter_context(TableService.open(tmp_path / "journal.db", header, INSTALLED))
        watch = stack.enter_context(TableWatch(camera, NoSight(), service)).start()
        app = create_app(service, access=access, watch=watch, deck_enrollment=OwnDeckEnrollment(watch, decks))
        server = stack.enter_context(Server(app, "127.0.0.1", free_port()))
        yield House(f"http://127.0.0.1:{server.port}", camera, decks, tmp_path)


@pytest.fixture
def page(house: House, browse: Callable[..., Page]) -> Page:
    """The page, the dealer logged in."""
    page = browse(f"{house.url}/setup/deck", viewport={"width": 1366, "height": 768}, locale="en")
    page.get_by_label("PIN").fill(PIN)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/dealer")
    page.goto(f"{house.url}/setup/deck")
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    return page


def begin(page: Page, name: str) -> None:
    page.get_by_label("What do you call the deck?").fill(name)
    page.get_by_role("button", name="Begin").click()


@pytest.mark.thorough
def test_a_dealer_shows_cards_breaks_off_and_goes_on(page: Page, house: House) -> None:
    """Named, refused with the reason, taken by key and by tap, taken back, broken off and found again."""
    begin(page, "red deck")
    expect(page.get_by_text("0 of 52 cards")).to_be_visible()
    expect(page.get_by_text("✗ Not now")).to_be_visible()
    house.camera.image = lying("2S", "5H")
    expect(page.get_by_text("2 cards are to be seen: leave only one")).to_be_visible()
    expect(page.get_by_role("button", name="Waiting for 2♠")).to_have_attribute("aria-disabled", "true")

    house.camera.image = lying("2S")
    expect(page.get_by_text("The card is seen well.")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 of 52 cards")).to_be_visible()
    expect(page.get_by_text("✓ Now lay down: 3 of Spades")).to_be_visible()
    page.get_by_role("button", name="Take it as 3♠").click()
    expect(page.get_by_role("alert")).to_have_text("✗ Not this picture: this is the card that was shown as 2S.")
    expect(page.get_by_text("1 of 52 cards")).to_be_visible()

    page.get_by_role("button", name="Ace of Hearts, still wanted").click()
    house.camera.image = lying("AH")
    expect(page.get_by_text("The card is seen well.")).to_be_visible()
    page.get_by_role("button", name="Take it as A♥").click()
    expect(page.get_by_role("button", name="Ace of Hearts, shown already")).to_be_visible()
    page.get_by_role("button", name="Take it back").click()
    expect(page.get_by_text("1 of 52 cards")).to_be_visible()

    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core comes with the dev extra")
    assert [fault["id"] for fault in axe.Axe().run(page).response["violations"]] == []
    page.get_by_role("button", name="Break off, go on later").click()
    expect(page.get_by_role("heading", name="red deck is not complete")).to_be_visible()
    expect(page.get_by_text("1 of 52 cards")).to_be_visible()
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("button", name="2 of Spades, shown already")).to_be_visible()
    page.get_by_role("button", name="Discard").click()
    page.get_by_role("button", name="Really? The pictures are lost").click()
    expect(page.get_by_label("What do you call the deck?")).to_be_visible()
    assert house.decks.all() == ()


OVERLAP = """() => {
    const faces = [...document.querySelectorAll(".deck .face")].map((one) => one.getBoundingClientRect());
    const inside = document.querySelector(".deck .faces").getBoundingClientRect();
    const across = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5;
    const on = (a, b) => a !== b && across(a, b) && a.top < b.bottom && b.top < a.bottom;
    return faces.some((a) => a.right > inside.right + 0.5 || faces.some((b) => on(a, b)));
}"""


def test_no_card_lies_on_another_at_any_width(page: Page) -> None:
    """Fifty-two buttons as wide as a finger: on a tablet held upright they overlapped, and a tap took the wrong one."""
    begin(page, "red deck")
    expect(page.get_by_text("0 of 52 cards")).to_be_visible()
    for width in (360, 390, 768, 1024, 1366):
        page.set_viewport_size({"width": width, "height": 900})
        assert not page.evaluate(OVERLAP), width


def test_a_known_deck_is_replaced_only_after_a_question(page: Page, house: House) -> None:
    house.decks.store("red deck", {card: face_of(card) for card in STANDARD_CARDS})
    begin(page, "Red Deck")
    question = page.get_by_role("alertdialog", name="Replace Red Deck?")
    question.get_by_role("button", name="No, another name").click()
    expect(question).to_have_count(0)
    page.get_by_role("button", name="Begin").click()
    question.get_by_role("button", name="Yes, show it anew").click()
    expect(page.get_by_text("0 of 52 cards")).to_be_visible()
    assert len(house.decks.all()) == 1
