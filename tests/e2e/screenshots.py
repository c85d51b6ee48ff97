"""Takes pictures of every page at each stage of a round of every game, in four sizes, light and dark, for inspection.

    python tests/e2e/screenshots.py [FOLDER] [--only NAME] [--size NAME]... [--theme NAME]... [--language en]

Real tables, real servers and a real browser; the folder is `screenshots/` unless another is named.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
sys.path.insert(0, str(Path(__file__).parents[1] / "web_ui"))

from crowded import NAMES, TABLES, Crowded
from served import served

from companion.service.questions import Choice, Question
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from web_ui import AccessStore, create_app
from web_ui.server import Server

SIZES = {"phone": (390, 844), "tablet": (1024, 768), "laptop": (1366, 768), "tv": (1920, 1080)}
THEMES = ("dark", "light")
PIN = "4711"
SETUP_STEPS = 9
SEAT = 2
TABS = ("Cards", "Players", "Log", "Camera")
AFTERWARDS = (
    "/history", "/history/1/1/receipt", "/history/session/1", "/history/recall", "/history/log", "/verify",
    "/players", f"/players/{NAMES[0]}", "/overlay", "/trust",
)  # fmt: skip
"""Pages about what was played."""
OWNERS = ("/dealer/standing", "/dealer/house", "/dealer/house/update", "/dealer/browsers")
"""Pages that only the dealer sees."""


class NoCamera:
    """Stands for the camera's thread: one grey picture, drawn once."""

    def picture(self) -> bytes:
        import cv2
        import numpy as np

        return bytes(cv2.imencode(".jpg", np.full((540, 960, 3), 70, np.uint8))[1])

    def stats(self) -> dict[str, float]:
        return {}


@dataclass(frozen=True)
class Wishes:
    """What is to be taken."""

    folder: Path
    only: str | None
    sizes: tuple[str, ...]
    themes: tuple[str, ...]
    language: str


@dataclass
class Shooter:
    """Takes the pictures of one table."""

    wishes: Wishes
    base: str
    browser: Browser

    def shoot(
        self, name: str, path: str, *, dealer: bool = False, then: Callable[[Page], object] | None = None
    ) -> None:
        wishes = self.wishes
        if wishes.only and wishes.only not in name:
            return
        with self._page() as page:
            if dealer:
                log_in(page, self.base)
            page.goto(self.base + path)
            page.wait_for_timeout(300)
            if then is not None:
                then(page)
            for size in wishes.sizes:
                page.set_viewport_size(dict(zip(("width", "height"), SIZES[size], strict=True)))  # type: ignore[arg-type]
                for theme in wishes.themes:
                    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
                    page.wait_for_timeout(250)
                    page.screenshot(path=wishes.folder / f"{name}-{size}-{theme}.png", full_page=size != "tv")

    @contextmanager
    def _page(self) -> Iterator[Page]:
        context = self.browser.new_context(reduced_motion="reduce")
        context.add_cookies([{"name": "language", "value": self.wishes.language, "url": self.base}])
        yield context.new_page()
        context.close()


def log_in(page: Page, base: str) -> None:
    """Log a browser in as the dealer."""
    page.goto(base + "/dealer")
    page.locator("input[name=pin]").fill(PIN)
    page.locator("form button[type=submit]").click()
    page.wait_for_selector(".next")


def sit_down(page: Page, base: str, access: AccessStore, seat: int) -> None:
    """Log a browser in as a seat's phone."""
    page.goto(f"{base}/seat/{seat}#{access.seat_code(seat)}")
    page.wait_for_selector(".purse")


def tab(number: int) -> Callable[[Page], object]:
    """Return what opens a tab of the dealer's page, counted from the last one."""
    return lambda page: page.get_by_role("tab").nth(-number).click()


def take_table(name: str, crowded: Crowded, shooter: Shooter, service: TableService, access: AccessStore) -> None:
    """The pages of a game at each moment of a crowded round."""
    seated = lambda page: sit_down(page, shooter.base, access, SEAT)  # noqa: E731
    shooter.shoot(f"{name}-0-empty-table", "/")
    shooter.shoot(f"{name}-0-empty-dealer", "/dealer", dealer=True)
    for number, (moment, records) in enumerate(crowded.moments.items(), start=1):
        for record in records:
            service.submit(record, source="dealer")
        at = f"{name}-{number}-{moment}"
        shooter.shoot(f"{at}-table", "/")
        shooter.shoot(f"{at}-dealer", "/dealer", dealer=True)
        shooter.shoot(f"{at}-seat", f"/seat/{SEAT}", then=seated)
        shooter.shoot(f"{at}-odds", "/odds")
    shooter.shoot(f"{name}-steps", "/history/1/1", then=lambda page: page.keyboard.press("ArrowLeft"))
    shooter.shoot(f"{name}-standing", "/dealer/standing", dealer=True)
    shooter.shoot(f"{name}-receipt", "/history/1/1/receipt")


def take_roche(shooter: Shooter, service: TableService) -> None:
    """What is alike in all games, once a round has been played, and while something is asked or lost."""
    for path in AFTERWARDS:
        shooter.shoot(f"page-{path.strip('/').replace('/', '-')}", path)
    for path in OWNERS:
        shooter.shoot(f"page-{path.strip('/').replace('/', '-')}", path, dealer=True)
    shooter.shoot("page-seat-join", "/seat/2")
    shooter.shoot("page-login", "/dealer")
    shooter.shoot("page-setup", "/setup", dealer=True)
    for number, title in enumerate(reversed(TABS), start=1):
        shooter.shoot(f"tab-{title}", "/dealer", dealer=True, then=tab(number))
    choices = (Choice("6D3", "Kin day 3"), Choice("6D5", "Kin day 5"), Choice("none", "Neither: read it again"))
    question = Question("q1", "unsure", "Is this Kin day 3 or Kin day 5?", choices, card="6D3", blocks=True)
    service.set_questions("camera", [question])
    shooter.shoot("tab-question", "/dealer", dealer=True)
    service.set_questions("camera", [])
    service.submit({"do": "hold"}, source="dealer")
    service.set_camera("lost", "The camera is gone since 20:14. Check its cable.", "0")
    shooter.shoot("page-hold-table", "/")
    shooter.shoot("page-hold-dealer", "/dealer", dealer=True)


def take_house(shooter: Shooter) -> None:
    """The pages that need a whole house behind them: every step of the set-up, and the enrollment for a die."""
    for step in range(SETUP_STEPS):
        go = lambda page, step=step: page.locator(".steps button").nth(step).click()  # noqa: E731
        shooter.shoot(f"wizard-{step}", "/setup", dealer=True, then=go)
    for path in (
        "/setup/dice",
        "/setup/axis",
        "/setup/deck",
        "/setup/print",
        "/setup/check",
        "/dealer/house",
        "/dealer",
    ):
        shooter.shoot(f"house-{path.strip('/').replace('/', '-')}", path, dealer=True)
    shooter.shoot("house-enrollment", "/setup/dice", dealer=True, then=_begin_enrollment)


def _begin_enrollment(page: Page) -> None:
    page.locator("main form input").first.fill("house die")
    page.locator("main form button[type=submit]").click()
    page.wait_for_timeout(3000)


@contextmanager
def table(crowded: Crowded) -> Iterator[tuple[Server, TableService, AccessStore]]:
    """A table with a dashboard on a free port."""
    with tempfile.TemporaryDirectory() as folder:
        access = AccessStore(Path(folder))
        access.set_pin(PIN)
        header = new_header(crowded.game, crowded.players, crowded.options)
        with TableService.open(Path(folder) / "journal.db", header, INSTALLED) as service:
            app = create_app(service, access=access, watch=NoCamera())
            with Server(app, "127.0.0.1", 0) as server:
                yield server, service, access


def take_all(wishes: Wishes, browser: Browser, tables: tuple[str, ...]) -> None:
    """Take what is wished for of these tables, and of a whole house if all are asked for."""
    for name in tables:
        with table(TABLES[name]) as (server, service, access):
            shooter = Shooter(wishes, f"http://127.0.0.1:{server.port}", browser)
            take_table(name, TABLES[name], shooter, service, access)
            if name == "roche":
                take_roche(shooter, service)
    if len(tables) == len(TABLES):
        with (
            tempfile.TemporaryDirectory() as data,
            served(["--game", "rugen-house", "--data", data, "--camera", "demo"], PIN) as (_, address),
        ):
            take_house(Shooter(wishes, address.rstrip("/"), browser))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("screenshots"))
    parser.add_argument("--only", help="only pictures whose names contain this")
    parser.add_argument("--table", action="append", choices=list(TABLES), help="only this table's pictures")
    parser.add_argument("--size", action="append", choices=list(SIZES))
    parser.add_argument("--theme", action="append", choices=THEMES)
    parser.add_argument("--language", default="en")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    wishes = Wishes(
        options.folder, options.only, tuple(options.size or SIZES), tuple(options.theme or THEMES), options.language
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
        )
        take_all(wishes, browser, tuple(options.table or TABLES))
        browser.close()
    print(f"{len(list(options.folder.glob('*.png')))} pictures in {options.folder}")


if __name__ == "__main__":
    main()
