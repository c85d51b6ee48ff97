"""Pictures of every page in several phases of a round, at three sizes, light and dark: look at each.

    python tests/e2e/screenshots.py [FOLDER] [--only NAME]

A real table, a real server and a real browser; the folder is `screenshots/` unless another is named.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from served import served

from companion.service.questions import Choice, Question
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from web_ui import AccessStore, create_app
from web_ui.server import Server

SIZES = {"phone": (390, 844), "tablet": (1024, 768), "tv": (1920, 1080)}
PIN = "4711"
SETUP_STEPS = 9
PLAYERS = (("Aubrey", 240), ("Benedict", 95), ("Chance", 1310), ("Dorothea", 60))
BETS = (
    ("Aubrey", "cut/6", 15),
    ("Aubrey", "night/6", 2),
    ("Benedict", "cut/3", 5),
    ("Chance", "cut/7", 100),
    ("Chance", "day/2", 10),
    ("Dorothea", "cut/5", 4),
    ("Dorothea", "cut/4", 6),
)
DEALT = ("6N2", "7D1", "4D3", "6N5", "3N1", "7N6", "5D2", "6D1", "4N4", "7D5", "6N1", "2D1", "5N5", "6N6")
LAST = ("6N4",)


class NoCamera:
    """Stands for the camera's thread: one grey picture, drawn once."""

    def picture(self) -> bytes:
        import cv2
        import numpy as np

        return bytes(cv2.imencode(".jpg", np.full((540, 960, 3), 70, np.uint8))[1])

    def stats(self) -> dict[str, float]:
        return {}


@dataclass
class Shooter:
    """Takes the pictures of one table."""

    folder: Path
    base: str
    browser: Browser
    only: str | None

    def shoot(
        self, name: str, path: str, *, dealer: bool = False, then: Callable[[Page], object] | None = None
    ) -> None:
        if self.only and self.only not in name:
            return
        with self._page() as page:
            if dealer:
                log_in(page, self.base)
            page.goto(self.base + path)
            page.wait_for_timeout(300)
            if then is not None:
                then(page)
            for size, (width, height) in SIZES.items():
                page.set_viewport_size({"width": width, "height": height})
                for theme in ("dark", "light"):
                    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
                    page.wait_for_timeout(250)
                    page.screenshot(path=self.folder / f"{name}-{size}-{theme}.png", full_page=size != "tv")

    @contextmanager
    def _page(self) -> Iterator[Page]:
        context = self.browser.new_context(reduced_motion="reduce")
        yield context.new_page()
        context.close()


def log_in(page: Page, base: str) -> None:
    """Log a browser in as the dealer."""
    page.goto(base + "/dealer")
    page.get_by_label("PIN").fill(PIN)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_selector(".next")


def sit_down(page: Page, base: str, access: AccessStore, seat: int) -> None:
    """Log a browser in as a seat's phone."""
    page.goto(f"{base}/seat/{seat}#{access.seat_code(seat)}")
    page.wait_for_selector(".purse")


def take_all(shooter: Shooter, service: TableService, access: AccessStore) -> None:
    """Play a round and take pictures on the way."""

    def do(**record: Any) -> None:
        service.submit(record, source="dealer")

    def tab(name: str) -> Callable[[Page], object]:
        return lambda page: page.get_by_role("tab", name=name).click()

    seated = lambda page: sit_down(page, shooter.base, access, 1)  # noqa: E731
    shooter.shoot("table-0-empty", "/")
    for player, on, amount in BETS:
        do(do="bet", player=player, on=on, amount=amount)
    shooter.shoot("table-1-betting", "/")
    shooter.shoot("dealer-1-betting", "/dealer", dealer=True)
    shooter.shoot("dealer-2-players", "/dealer", dealer=True, then=tab("Players"))
    shooter.shoot("seat-1-betting", "/seat/1", then=seated)
    shooter.shoot("seat-0-join", "/seat/2")
    do(do="no-more-bets")
    for card in DEALT:
        do(do="deal", card=card)
    shooter.shoot("table-2-dealing", "/")
    shooter.shoot("odds-dealing", "/odds")
    choices = (Choice("6D3", "Kin day 3"), Choice("6D5", "Kin day 5"), Choice("none", "Neither: read it again"))
    question = Question("q1", "unsure", "Is this Kin day 3 or Kin day 5?", choices, card="6D3", blocks=True)
    service.set_questions("camera", [question])
    shooter.shoot("dealer-3-cards", "/dealer", dealer=True, then=tab("Cards"))
    service.set_questions("camera", [])
    service.set_camera("ok", "Camera 0, 1920 × 1080, 30 pictures a second", "0")
    shooter.shoot("dealer-4-camera", "/dealer", dealer=True, then=tab("Camera"))
    shooter.shoot("seat-2-dealing", "/seat/1", then=seated)
    for card in LAST:
        do(do="deal", card=card)
    shooter.shoot("table-3-settled", "/")
    explain = lambda page: (tab("Log")(page), page.locator("details summary").first.click())  # noqa: E731
    shooter.shoot("dealer-5-settled", "/dealer", dealer=True, then=explain)
    shooter.shoot("seat-3-settled", "/seat/1", then=seated)
    shooter.shoot("history", "/history")
    shooter.shoot("history-steps", "/history/1/1", then=lambda page: page.keyboard.press("ArrowLeft"))
    shooter.shoot("history-receipt", "/history/1/1/receipt")
    shooter.shoot("history-session", "/history/session/1")
    shooter.shoot("history-recall", "/history/recall")
    shooter.shoot("log", "/history/log")
    shooter.shoot("players", "/players")
    shooter.shoot("player", "/players/Aubrey")
    shooter.shoot("overlay", "/overlay")
    shooter.shoot("verify", "/verify")
    shooter.shoot("setup", "/setup", dealer=True)
    shooter.shoot("login", "/dealer")
    do(do="hold")
    service.set_camera("lost", "The camera is gone since 20:14. Check its cable.", "0")
    shooter.shoot("table-4-hold", "/")


def take_grand(shooter: Shooter, service: TableService, access: AccessStore) -> None:
    """The same for Grand Roche's larger layout."""
    for player, on, amount in (
        *BETS,
        ("Chance", "cavalry", 3),
        ("Aubrey", "terminus/6N4", 1),
        ("Aubrey", "card/6D2", 5),
    ):
        service.submit({"do": "bet", "player": player, "on": on, "amount": amount}, source="dealer")
    shooter.shoot("grand-table", "/")

    def single(page: Page) -> None:
        sit_down(page, shooter.base, access, 1)
        page.get_by_role("button", name="Single cards").click()

    shooter.shoot("grand-seat-single", "/seat/1", then=single)


SEEDS = ("6D1", "7D1", "5N2", "3D1")
HAND: tuple[dict[str, Any], ...] = (
    *({"do": "seed", "card": card} for card in SEEDS),
    {"do": "play", "card": "6D3"},
    {"do": "deal", "card": "2D1"},
    {"do": "play", "card": "3N2"},
    {"do": "deal", "card": "6N5"},
    {"do": "fold"},
    {"do": "play", "card": "6D5"},
    {"do": "deal", "card": "6N6"},
    {"do": "play", "card": "2N2"},
    {"do": "deal", "card": "5D4"},
    {"do": "end"},
)
CAPTAINS: tuple[dict[str, Any], ...] = (
    *({"do": "seed", "card": card} for card in ("3D1", "7D1", "7D2", "6D1", "6D2", "5D1", "4D1", "4D2")),
    {"do": "play", "card": "3D2"},
    {"do": "end"},
    {"do": "play", "card": "3N1"},
)
CHAIN: tuple[dict[str, Any], ...] = (
    {"do": "bet", "player": "Aubrey", "on": "center/3", "amount": 6},
    {"do": "bet", "player": "Aubrey", "on": "chain/2", "amount": 5},
    {"do": "bet", "player": "Benedict", "on": "chain-day/4", "amount": 2},
    {"do": "bet", "player": "Chance", "on": "chain/2", "amount": 100},
    {"do": "bet", "player": "Chance", "on": "day/4", "amount": 8},
    {"do": "throw", "d20": 14},
    {"do": "bet", "player": "Dorothea", "on": "center/2", "amount": 4},
)
STREET: tuple[dict[str, Any], ...] = (
    {"do": "throw", "d20": 8},
    {"do": "stake", "units": 2},
    {"do": "take", "player": "Benedict", "number": 1},
    {"do": "take", "player": "Dorothea", "number": 4},
    {"do": "side-bet", "units": 1, "numbers": {"Chance": 2, "Dorothea": 4}},
    {"do": "close"},
    {"do": "throw", "face": "4d"},
    {"do": "throw", "face": "3n"},
)
CAPITAL: tuple[dict[str, Any], ...] = (
    {"do": "take", "player": "Benedict", "number": 1, "units": 2},
    {"do": "take", "player": "Aubrey", "number": 4},
    {"do": "close"},
    {"do": "throw", "face": "4d"},
)
GAMES = {"rochi": HAND, "captains": CAPTAINS, "rugen-house": CHAIN, "rugen-street": STREET, "rugen-capital": CAPITAL}


def take_game(shooter: Shooter, service: TableService, access: AccessStore) -> None:
    """The pages of any other game with something on the table."""
    game = service.view()["game"]
    shooter.shoot(f"{game}-table-0-empty", "/")
    for record in GAMES[game]:
        service.submit(record, source="dealer")
    shooter.shoot(f"{game}-table", "/")
    shooter.shoot(f"{game}-dealer", "/dealer", dealer=True)
    shooter.shoot(f"{game}-odds", "/odds")
    shooter.shoot(f"{game}-seat", "/seat/1", then=lambda page: sit_down(page, shooter.base, access, 1))
    shooter.shoot(f"{game}-history", "/history/1/1", then=lambda page: page.keyboard.press("ArrowLeft"))


def take_house(shooter: Shooter) -> None:
    """The pages that need a whole house behind them: every step of the set-up, and the enrollment for a die."""
    for step in range(SETUP_STEPS):
        go = lambda page, step=step: page.locator(".steps button").nth(step).click()  # noqa: E731
        shooter.shoot(f"wizard-{step}", "/setup", dealer=True, then=go)
    shooter.shoot("enroll-0-dice", "/setup/dice", dealer=True)
    shooter.shoot("enroll-deck", "/setup/deck", dealer=True)
    shooter.shoot("print", "/setup/print", dealer=True)
    shooter.shoot("enroll-1-enrollment", "/setup/dice", dealer=True, then=_begin_enrollment)


def _begin_enrollment(page: Page) -> None:
    page.get_by_label("What do you call it?").fill("house die")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_timeout(3000)


@contextmanager
def table(layout: str | None = None, game: str = "roche") -> Iterator[tuple[Server, TableService, AccessStore]]:
    """A table with a dashboard on a free port."""
    with tempfile.TemporaryDirectory() as folder:
        access = AccessStore(Path(folder))
        access.set_pin(PIN)
        players = PLAYERS[:2] if game == "captains" else PLAYERS
        header = new_header(game, players, {"layout": layout} if layout else {})
        with TableService.open(Path(folder) / "journal.db", header, INSTALLED) as service:
            app = create_app(service, access=access, watch=NoCamera())
            with Server(app, "127.0.0.1", 0) as server:
                yield server, service, access


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("screenshots"))
    parser.add_argument("--only", help="only pictures whose name holds this")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
        )
        rounds = (({"layout": "basic"}, take_all), ({"layout": "grand"}, take_grand))
        for asked, take in (*rounds, *(({"game": game}, take_game) for game in GAMES)):
            with table(**asked) as (server, service, access):
                take(Shooter(options.folder, f"http://127.0.0.1:{server.port}", browser, options.only), service, access)
        with (
            tempfile.TemporaryDirectory() as data,
            served(["--game", "rugen-house", "--data", data, "--camera", "demo"], PIN) as (_, address),
        ):
            take_house(Shooter(options.folder, address.rstrip("/"), browser, options.only))
        browser.close()
    print(f"{len(list(options.folder.glob('*.png')))} pictures in {options.folder}")


if __name__ == "__main__":
    main()
