"""The pit in a browser: it holds a real table, and sees its alarm, who is told, and the broker; all fits a phone."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from floor_database import cluster, database  # noqa: F401  (fixtures)
from floor_pictures import PICTURE
from floor_wire import ServedHouse
from playwright.sync_api import Page, expect
from webclient import PLAYERS
from webhouse import House, free_port

from companion.app.floor.journal_shipper import JournalShipper
from companion.app.floor.orders import Orders
from companion.floor.alarms.monitor import AlarmMonitor
from companion.floor.cluster import Cluster
from web_ui.push.subscriptions import Subscriptions

pytestmark = [pytest.mark.browser, pytest.mark.thorough]
SIZES = ((390, 844), (1024, 768), (1366, 768), (1920, 1080))


@dataclass
class Pit:
    floor: ServedHouse
    table: House

    @property
    def hold(self) -> str | None:
        return self.table.service.view("room")["hold"]


@pytest.fixture
def pit(cluster: Cluster, database: str, tmp_path: Path) -> Iterator[Pit]:  # noqa: F811
    folder = tmp_path / "table"
    folder.mkdir()
    with ServedHouse(cluster, database, tmp_path / "floor") as floor:
        floor.app.extensions["phones"] = Subscriptions(floor.folder)
        floor.house.set_person("Pia", "pit", "2222", "test")
        member = floor.join(folder, "Blue table")
        table = House(folder, free_port(), PLAYERS)
        made = Pit(floor, table)
        follower = JournalShipper(
            folder / "journal.db", table.service, member.client(), member.name, orders=Orders(table.service),
            picture=lambda: {**PICTURE, "hold": made.hold and str(made.hold)},
        )  # fmt: skip
        with follower.start(), AlarmMonitor(floor.house.connection, floor.house.board.lines, []).start():
            yield made
        table.stop()


@pytest.fixture
def page(pit: Pit, browse: Callable[..., Page]) -> Page:
    opened = browse(f"https://127.0.0.1:{pit.floor.port}/login", ignore_https_errors=True, locale="en")
    opened.locator("[name=name]").fill("Pia")
    opened.locator("[name=pin]").fill("2222")
    opened.locator("[name=pin]").press("Enter")
    expect(opened.locator("#board")).to_be_visible()
    return opened


def test_the_pit_holds_a_table_and_lets_it_go_on(pit: Pit, page: Page) -> None:
    card = page.locator(".floor-table", has_text="Blue table")
    card.get_by_role("button", name="Hold: Blue table").click()
    expect(card.locator(".floor-need.hold")).to_be_visible(timeout=20_000)
    assert pit.hold
    ends, alarm = time.monotonic() + 20, page.locator("main li", has_text="Blue table")
    while not alarm.count() and time.monotonic() < ends:  # an alarm is looked for once a second
        page.goto(f"https://127.0.0.1:{pit.floor.port}/alarms")
    expect(alarm).to_contain_text("On hold")
    page.goto(f"https://127.0.0.1:{pit.floor.port}/")
    card.get_by_role("button", name="Go on: Blue table").click()
    expect(card.get_by_role("status")).to_have_text("Done.", timeout=20_000)
    expect(card.locator(".floor-need.hold")).to_be_hidden(timeout=20_000)
    assert not pit.hold


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("path", ["/", "/alarms", "/broker"])
def test_the_pages_fit(pit: Pit, page: Page, path: str, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"https://127.0.0.1:{pit.floor.port}{path}")
    expect(page.locator("h1").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
