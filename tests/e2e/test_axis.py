"""A dealer with a phone tells how the camera looks at the tray: a real browser before a real camera thread."""

import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tilted_tray import ASIDE, FakeRig, Tray, drawn
from webclient import PIN
from webhouse import NoCameras, free_port

from companion.app.pipeline import die_sight
from companion.app.setup.service import TableSetup
from companion.app.setup.tray_axis import TrayAxis
from companion.config.file import FILE_NAME
from companion.config.tables import Config, DieConfig
from companion.journal.evidence import EvidenceRing
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from companion.tracking.dice.axis_session import AxisSession
from companion.tracking.dice.questions import about_leaning
from companion.tracking.enrollment import EnrollError
from companion.tracking.watch import TableWatch
from companion.vision.dice.axis import ORTHOGRAPHIC, Axis
from companion.vision.dice.faces.classifier import has_network
from web_ui import AccessStore, create_app
from web_ui.server import Server

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not has_network(), reason="the networks are not trained yet"),
]
PHONE = {"width": 390, "height": 844}
SLOW_MS = 60_000


@dataclass
class Table:
    """A table whose camera stands aside."""

    url: str
    tray: Tray
    rig: FakeRig
    service: TableService
    file: Path


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    access, file = AccessStore(tmp_path), tmp_path / FILE_NAME
    access.set_pin(PIN)
    file.write_text("# ours\n[table]\nmin = 5\n")
    with ExitStack() as stack:
        header = new_header("rugen-house", (("Ann", 99),))
        service = stack.enter_context(TableService.open(tmp_path / "journal.db", header, INSTALLED))
        tray = Tray(drawn("d6"))
        sight = die_sight(DieConfig(), None, EvidenceRing(tmp_path / "evidence"), service)
        watch = stack.enter_context(TableWatch(tray, sight, service)).start()
        session = AxisSession(watch, lens=ORTHOGRAPHIC)
        sight.suspend_while(lambda: session.is_open)
        rig = FakeRig(session)
        setup = TableSetup(tmp_path, file, Config(), service, NoCameras())
        app = create_app(service, access=access, watch=watch, tray_axis=TrayAxis(rig, setup.save_unlisted))
        server = stack.enter_context(Server(app, "127.0.0.1", free_port()))
        yield Table(f"http://127.0.0.1:{server.port}", tray, rig, service, file)


def opened(table: Table, browse: Callable[..., Page], language: str = "en") -> Page:
    page = browse(f"{table.url}/setup/axis", viewport=PHONE, has_touch=True, locale=language)
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    page.locator("input[type=password]").fill(PIN)
    page.locator("main button[type=submit]").tap()
    page.wait_for_url("**/dealer")
    page.goto(f"{table.url}/setup/axis")
    return page


def tell(page: Page, table: Table, face: str, said: str | None = None) -> None:
    """Lay the die there with a face up, and tap a face."""
    before = page.locator(".told li").count()
    table.tray.show("d6", face)
    button = page.get_by_role("button", name=f"{said or face} lies on top", exact=True)
    expect(button).not_to_have_attribute("aria-disabled", "true")
    for _ in range(5):  # the die has just been laid there: it may seem to move
        button.tap()
        expect(page.get_by_role("button", name="Cancel")).not_to_have_attribute("aria-disabled", "true")
        if page.locator(".told li").count() > before:
            return
    expect(page.locator(".told li")).to_have_count(before + 1)


@pytest.mark.thorough
def test_a_camera_that_stands_aside_is_told_of_at_the_table(table: Table, browse: Callable[..., Page]) -> None:
    """Five faces; a slip is named and taken back; what was found is written, counts at once, and can be cleared."""
    page = opened(table, browse)
    expect(page.get_by_text("The camera looks straight down.")).to_be_visible()
    assert faults(page) == []
    page.get_by_label("d6").check()
    page.get_by_role("button", name="Begin").tap()
    expect(page.get_by_text("no die is to be seen")).to_be_visible()
    tell(page, table, "2")
    expect(page.get_by_text("1 of 5", exact=True)).to_be_visible()
    expect(page.get_by_text("2 is taken. Now turn another face up.")).to_be_visible()
    for face in ("5", "3", "6"):
        tell(page, table, face)
    page.get_by_role("button", name="Take 3 back").tap()
    expect(page.get_by_text("3 of 5", exact=True)).to_be_visible()
    assert faults(page) == []
    for face in ("3", "1"):
        tell(page, table, face)
    expect(page.locator(".found")).to_contain_text("from the lower edge of the picture")
    assert faults(page) == []
    assert "axis" not in table.file.read_text()
    page.get_by_role("button", name="Read dice so").tap()
    expect(page.get_by_text("Dice are read so from the next throw on.")).to_be_visible()
    tilt, towards = tomllib.loads(table.file.read_text())["die"]["axis"]
    assert tilt == pytest.approx(ASIDE.tilt_deg, abs=6)
    assert towards == pytest.approx(ASIDE.towards_deg, abs=15)
    assert table.rig.told == [(tilt, towards)]
    assert table.service.view("dealer")["throws"] == 0, "nothing counts as a throw meanwhile"

    page.get_by_role("button", name="Clear: it looks straight down").tap()
    page.get_by_role("button", name="Really clear it?").tap()
    expect(page.get_by_text("Cleared.")).to_be_visible()
    assert table.file.read_text().startswith("# ours\n[table]\nmin = 5\n")
    assert tomllib.loads(table.file.read_text())["die"] == {}
    assert table.rig.told[1:] == [None]


@pytest.mark.thorough
def test_a_camera_straight_above_is_told_with_two_taps(table: Table, browse: Callable[..., Page]) -> None:
    page = opened(table, browse, "de")
    page.get_by_role("button", name="Die Kamera steht senkrecht darüber").tap()
    assert table.rig.told == []
    page.get_by_role("button", name="Senkrecht, auf fünf Grad genau?").tap()
    expect(page.locator(".done")).to_contain_text("In die Konfiguration geschrieben.")
    expect(page.get_by_role("button", name="Die Kamera steht senkrecht darüber")).to_have_count(0)
    assert tomllib.loads(table.file.read_text())["die"]["axis"] == [0, 0]
    assert faults(page) == []


@pytest.mark.thorough
def test_the_cameras_angle_of_view_is_set_where_the_axis_is_shown(table: Table, browse: Callable[..., Page]) -> None:
    """What is typed stays while the page asks how it stands; what is no angle of view is named and changes nothing."""
    page = opened(table, browse, "de")
    shown, field = page.locator(".axis-now"), page.get_by_label("Grad von links nach rechts, 20 bis 130")
    expect(shown).to_contain_text("Der Bildwinkel der Kamera ist nicht eingestellt: Angenommen werden 55 Grad.")
    field.fill("66")
    page.wait_for_timeout(2500)
    expect(field).to_have_value("66")
    page.get_by_role("button", name="Bildwinkel speichern").tap()
    expect(shown).to_contain_text("Der Bildwinkel der Kamera ist auf 66 Grad eingestellt.")
    assert faults(page) == []
    for wrong in ("19", "131", "66,5", "breit", "-66", "1e2", "99999"):
        field.fill(wrong)
        field.press("Enter")
        expect(page.get_by_role("alert")).to_have_text(
            "Der Bildwinkel ist eine ganze Zahl von Grad von 20 bis 130, etwa 66."
        )
        expect(field).to_have_value(wrong)
        field.fill("66")
        field.press("Enter")
        expect(page.locator(".done")).to_be_visible()
    assert tomllib.loads(table.file.read_text())["die"] == {"view": 66}
    field.fill(" ")
    field.press("Enter")
    expect(shown).to_contain_text("Angenommen werden 55 Grad.")
    expect(field).to_have_value("")
    assert table.rig.view_deg is None


def test_a_die_tells_anew_once_the_angle_of_view_is_another(table: Table, browse: Callable[..., Page]) -> None:
    table.rig.axis_now = ("told", Axis(20.0, 90.0))
    page = opened(table, browse, "es")
    page.get_by_label("Grados de izquierda a derecha, de 20 a 130").fill("102")
    page.get_by_role("button", name="Guardar el ángulo de visión").tap()
    expect(page.get_by_text("Si un dado mostró cómo mira la cámara, deje que lo muestre otra vez")).to_be_visible()


def test_what_is_pressed_and_goes_leaves_the_keyboards_place(table: Table, browse: Callable[..., Page]) -> None:
    """The heading of what was around the button has the focus then, not the top of the page."""
    table.rig.axis_now = ("told", Axis(20.0, 90.0))
    page = opened(table, browse)
    for name in ("Clear: it looks straight down", "Really clear it?"):
        button = page.get_by_role("button", name=name)
        button.focus()
        button.press("Enter")
    expect(page.get_by_text("Cleared.")).to_be_visible()
    expect(page.get_by_role("heading", name="As it is set now")).to_be_focused()
    page.get_by_role("button", name="Begin").press("Enter")
    expect(page.get_by_text("0 of 5", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="How the camera looks at the tray")).to_be_focused()


@pytest.mark.thorough
def test_a_second_browser_follows_what_is_told_at_the_first(table: Table, browse: Callable[..., Page]) -> None:
    """That a search has begun, each picture, what was taken back, and that it is over."""
    page, session = opened(table, browse), table.rig.axis_session
    assert session is not None
    expect(page.locator(".begin")).to_be_visible()
    session.begin("d6")
    expect(page.get_by_text("0 of 5", exact=True)).to_be_visible()
    for face in ("2", "5", "3"):
        table.tray.show("d6", face)
        taken(session, face)
    expect(page.locator(".told li b")).to_have_text(["2", "5", "3"])
    expect(page.get_by_text("3 of 5", exact=True)).to_be_visible()
    session.undo(1)
    expect(page.locator(".told li b")).to_have_text(["5", "3"])
    session.end()
    expect(page.locator(".begin")).to_be_visible()
    table.rig.axis_now = ("told", Axis(7.0, 90.0))
    expect(page.locator(".axis-now")).to_contain_text("7 degrees aside")


def taken(session: AxisSession, face: str) -> None:
    for _ in range(20):  # the die has just been laid there: it may seem to move
        with suppress(EnrollError):
            session.take(face)
            return
    raise AssertionError(face)


LEADS = {"en": "Tell how the camera looks", "de": "Sagen, wie die Kamera blickt", "es": "Decir cómo mira la cámara"}


@pytest.mark.thorough
@pytest.mark.parametrize(("language", "says"), LEADS.items(), ids=LEADS)
def test_the_second_die_that_seems_to_lean_leads_there(
    table: Table, browse: Callable[..., Page], language: str, says: str
) -> None:
    page = opened(table, browse, language)
    page.goto(f"{table.url}/dealer")
    table.service.set_questions("test", [about_leaning(1, in_a_row=1)])
    expect(page.locator(".question")).to_be_visible()
    expect(page.get_by_role("link", name=says)).to_have_count(0)
    table.service.set_questions("test", [about_leaning(2, in_a_row=2)])
    page.get_by_role("link", name=says).tap()
    page.wait_for_url("**/setup/axis")
    expect(page.locator(".begin")).to_be_visible()


def faults(page: Page) -> list[str]:
    """What axe-core finds on the page."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core comes with the dev extra")
    return [f"{v['id']}: {v['nodes'][0]['target']}" for v in axe.Axe().run(page).response["violations"]]
