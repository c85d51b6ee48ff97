"""A die is taught in a real browser before a real camera thread on the demo's tray; the table knows it at once."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from webclient import PIN
from webhouse import free_port

from companion.app.pipeline import die_enrollment, die_sight
from companion.config.tables import DieConfig
from companion.games.rugen.demo.agent import new_tray
from companion.journal.evidence import EvidenceRing
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from companion.tracking.watch import TableWatch
from companion.vision.dice.enrolled import EnrolledDice
from companion.vision.dice.faces.classifier import has_network
from hardware.demo.camera import DemoCamera
from hardware.demo.dice.table import TrayTable
from web_ui import AccessStore, create_app
from web_ui.server import Server

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not has_network(), reason="the networks are not trained yet"),
]
FACES = {f"{n}{half}": f"{n} by {word}" for n in range(1, 5) for half, word in (("d", "day"), ("n", "night"))}
SLOW_MS = 60_000


@dataclass
class Tray:
    """A Rugen table whose camera sees the demo's tray."""

    url: str
    tray: TrayTable
    watch: TableWatch
    service: TableService
    dice: EnrolledDice

    def show(self, face: str) -> None:
        """Lay the printed Rugen die there with this face up."""
        self.tray.clear()
        self.tray.lay(face)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Tray]:
    die, access = DieConfig(), AccessStore(tmp_path)
    access.set_pin(PIN)
    with ExitStack() as stack:
        service = stack.enter_context(
            TableService.open(tmp_path / "journal.db", new_header("rugen-house", (("Ann", 99),)), INSTALLED)
        )
        tray = new_tray(seed=4, rugen=True)
        sight = die_sight(die, None, EvidenceRing(tmp_path / "evidence"), service, tray.zone, data_dir=tmp_path)
        watch = stack.enter_context(TableWatch(DemoCamera(tray, 5), sight, service)).start()
        app = create_app(service, access=access, watch=watch, enrollment=die_enrollment(watch, die, tmp_path))
        server = stack.enter_context(Server(app, "127.0.0.1", free_port()))
        yield Tray(f"http://127.0.0.1:{server.port}", tray, watch, service, EnrolledDice(tmp_path))


@pytest.mark.thorough
def test_a_dealer_teaches_the_house_die(
    table: Tray, browse: Callable[..., Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Name it, be told why a picture will not do, take one back, show all faces, show two of them once more: it is
    known without a new start.
    """
    strangers = [("2d", "3n")]  # what is drawn here is always known again
    monkeypatch.setattr(
        "companion.vision.dice.enrollment.unrecognized_faces", lambda *_: strangers.pop() if strangers else ()
    )
    page = browse(f"{table.url}/setup/dice", viewport={"width": 1280, "height": 900}, locale="en")
    page.get_by_label("PIN").fill(PIN)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/dealer")
    page.goto(f"{table.url}/setup/dice")
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    page.get_by_label("What do you call it?").fill("house die")
    page.get_by_label("Rugen die").check()
    page.get_by_role("button", name="Begin").click()

    expect(page.get_by_text("no die is to be seen")).to_be_visible()
    expect(page.get_by_role("button", name="8 faces are missing")).to_have_attribute("aria-disabled", "true")
    for face, name in FACES.items():
        table.show(face)
        expect(page.get_by_text("The die is seen well.")).to_be_visible()
        take(page, name)
        if face == "1d":
            page.get_by_role("button", name="Take it back").click()
            expect(page.get_by_text("0 of 8 faces")).to_be_visible()
            take(page, name)
    assert faults(page) == []
    assert table.dice.names() == {}
    assert table.service.view("dealer")["throws"] == 0, "nothing counts as a throw meanwhile"
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="Done: know this die").click()
    why = page.get_by_role("alert").filter(has_text="would hardly know these faces again: day 2, night 3.")
    expect(why).to_be_in_viewport()
    expect(page.get_by_role("button", name="2 faces are missing")).to_be_visible()
    assert table.dice.names() == {}
    for face in ("2d", "3n"):
        table.show(face)
        expect(page.get_by_text("The die is seen well.")).to_be_visible()
        take(page, FACES[face])
    page.get_by_role("button", name="Done: know this die").click()
    expect(page.get_by_text("house die is known from the next throw on.")).to_be_visible()
    assert table.dice.names() == {"house die": "rugen"}
    assert table.watch.sight.report()["knows"] == ["house die"]


def faults(page: Page) -> list[str]:
    """What axe-core finds on the page."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core comes with the dev extra")
    return [f"{v['id']}: {v['nodes'][0]['target']}" for v in axe.Axe().run(page).response["violations"]]


def take(page: Page, name: str) -> None:
    """Tap a face until the die, which has just been laid there, is learnt."""
    wanted = page.get_by_role("button", name=f"{name}, still wanted", exact=True)
    shown = page.get_by_role("button", name=f"{name}, shown already; tap to add a picture", exact=True)
    for _ in range(5):
        wanted.click()
        expect(page.locator(".faces button:not([aria-disabled])").first).to_be_visible()
        if shown.count():
            return
    expect(shown).to_be_visible()
