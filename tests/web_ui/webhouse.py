"""A table with its dashboard on a port, for tests that use a real browser."""

import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Locator, Route, expect
from webclient import PIN, PLAYERS

from companion.app.floor.purse_cashier import PurseCashier
from companion.app.game_changer import GameChanger
from companion.app.setup.service import TableSetup
from companion.config.file import FILE_NAME, load_config
from companion.config.tables import Config
from companion.journal.store import Clock, utc_now
from companion.kernel.commands import Record
from companion.kernel.header import Header
from companion.plugins.registry import Games
from companion.service import night
from companion.service.table_service import TableService
from companion.testing import INSTALLED
from web_ui import AccessStore, create_app
from web_ui.server import Server

BLINK_MS: Final = 400
"""What came a shorter time ago nobody at a page has seen: no press acts on it."""
SEEN = """blink => new Promise(done => {
    let timer = setTimeout(done, blink);
    document.addEventListener("view", () => (clearTimeout(timer), (timer = setTimeout(done, blink))));
})"""


def seen(shown: Locator) -> Locator:
    """Wait until a page shows something and has stood as it is for a blink: whoever presses now has seen it.

    The dealer's page takes no press that comes within a blink of what another device did. So what is to be pressed,
    or what a key is pressed for, is seen first: ``seen(button).click()``.
    """
    expect(shown).to_be_visible()
    shown.page.evaluate(SEEN, BLINK_MS)
    return shown


def press_late(button: Locator, meanwhile: Callable[[], object]) -> None:
    """Tap a phone's button and have something happen before the table hears of it, such as on a bad network."""

    def overtaken(route: Route) -> None:
        meanwhile()
        route.continue_()

    page = button.page
    page.route("**/api/v1/commands*", overtaken)
    with page.expect_response("**/api/v1/commands*"):
        button.tap()
    page.unroute("**/api/v1/commands*")


@dataclass
class House:
    """A table with its dashboard, which a test may stop and start again on the same port."""

    folder: Path
    port: int
    players: tuple[tuple[str, int], ...] = PLAYERS
    options: dict[str, Any] = field(default_factory=dict)
    game: str = "roche"
    games: Games = field(default_factory=lambda: INSTALLED)
    clock: Clock = utc_now
    cashier_of: Callable[[TableService], PurseCashier | None] = lambda service: None

    def __post_init__(self) -> None:
        self.access = AccessStore(self.folder)
        if not self.access.has_pin:
            self.access.set_pin(PIN)
        self.start()

    def start(self) -> None:
        header = Header(self.games.rules(self.game), self.players, self.options)
        self.service = TableService.open(self.folder / "journal.db", header, self.games, clock=self.clock)
        changer = changer_of(self.service, self.folder)
        self.app = create_app(self.service, access=self.access, changer=changer, cashier=self.cashier_of(self.service))
        self.server = Server(self.app, "127.0.0.1", self.port)
        self.server.start()

    def stop(self) -> None:
        self.server.close()
        self.service.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def do(self, **record: Any) -> None:
        self.service.submit(record, source="camera")

    def do_at_once(self, *records: Record) -> None:
        """Have several commands come together, so that every page is shown only what became of them all."""
        jobs = [self.service._command(record, "camera", None, None) for record in records]
        self.service._queue(*jobs)
        for job in jobs:
            job.future.result(5)


def changer_of(service: TableService, folder: Path) -> GameChanger:
    """Return what changes the game at a table, with its configuration in this folder; a saved plan is shown at once."""
    path = folder / FILE_NAME
    config, _ = load_config(path if path.exists() else None, service.games)
    table_setup = TableSetup(folder, path, config, service, NoCameras())

    def replanned(config: Config) -> None:
        service.set_night(night.shown(config.plan, NOON, service.header.game, datetime(2026, 5, 1, 1)))

    return GameChanger(table_setup, on_plan=replanned)


NOON: Final = datetime(2026, 5, 1, 12)
"""The time at which the tests' plans of the night are shown."""


class NoCameras:
    """Stands for the set-up's cameras: there are none."""

    def sources(self) -> list[Any]:
        return []

    def view(self, source: str) -> Any:
        raise AssertionError(source)

    calibrate = check = view


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])
