"""A table of a house, in a browser: the dealer signs on, reads of new prices, and finds what the floor sets."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from floor_database import cluster, database  # noqa: F401  (fixtures)
from floor_wire import ServedHouse, until
from playwright.sync_api import Page, expect
from webclient import PLAYERS
from webhouse import House, free_port

from companion.app.floor.wiring import FloorMembership, start_floor_services
from companion.config.file import load_config
from companion.floor.cluster import Cluster
from companion.floor.desk.prices import Scope
from companion.journal.store import FILE_NAME
from companion.service.table_service import TableService
from companion.testing import INSTALLED

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core comes with the dev extra")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]

SIZES = ((390, 844), (1024, 768), (1366, 768), (1920, 1080))


@pytest.fixture
def floor(cluster: Cluster, database: str, tmp_path: Path) -> Iterator[ServedHouse]:  # noqa: F811
    with ServedHouse(cluster, database, tmp_path / "floor") as served:
        served.house.set_person("Dan", "dealer", "1234", "test")
        yield served


@pytest.fixture
def house(floor: ServedHouse, tmp_path: Path) -> Iterator[House]:
    folder = tmp_path / "table"
    folder.mkdir()
    path = folder / "companion.toml"
    path.write_text('[table]\ngame = "roche"\n')
    floor.join(folder)
    (folder / FILE_NAME).symlink_to(folder / "journal.db")  # where the follower looks for it
    side = FloorMembership.of(folder, path, load_config(path, INSTALLED)[0], INSTALLED)
    assert side is not None
    with ExitStack() as stack:

        def cashier_of(service: TableService) -> object:
            followed = start_floor_services(stack, folder, service, side)
            found.append(followed)
            return followed.cashier

        found: list[object] = []
        made = House(folder, free_port(), PLAYERS, cashier_of=cashier_of)  # type: ignore[arg-type]
        made.app.extensions["duty"] = found[0].directives  # type: ignore[attr-defined]
        changer = made.app.extensions["changer"]
        changer.table_setup.floor_prices = side.desk.prices
        yield made
        made.stop()


def faults(page: Page) -> list[str]:
    found = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        found += [f"{wide} px too wide at {width}"] if wide > 0 else []
        found += [f"{width}: {one['id']}" for one in axe.Axe().run(page).response["violations"]]
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_dealer_signs_on_and_reads_of_new_prices(
    floor: ServedHouse, house: House, sit: Callable[..., Page], theme: str
):
    page = sit(house, 0, locale="en", color_scheme=theme)
    page.get_by_role("button", name="Nobody is on duty").click()
    dialog = page.get_by_role("dialog", name="Dealer on duty")
    dialog.get_by_label("PIN at the floor").fill("9999")
    dialog.get_by_role("button", name="Sign on").click()
    expect(page.locator(".toast.error")).to_contain_text("Name or PIN is wrong.")
    assert faults(page) == []
    dialog.get_by_label("PIN at the floor").fill("1234")
    dialog.get_by_role("button", name="Sign on").click()
    expect(page.get_by_role("button", name="On duty: Dan")).to_be_visible()
    until(lambda: floor.house.duty.now() == {1: "Dan"})

    house.service.submit({"do": "bet", "player": "Aubrey", "on": "cut/6", "amount": 5}, source="dealer")
    floor.house.prices.set_games(Scope("house"), "roche", {"table.max": 50}, base=0, who="Pia")
    expect(page.get_by_text("New prices from the floor from the next round: version 1, set by Pia.")).to_be_visible()
    assert faults(page) == []
    house.service.submit({"do": "take-back", "player": "Aubrey", "on": "cut/6"}, source="dealer")
    until(lambda: house.service.options.get("max") == 50)
    page.wait_for_selector(".live.on")
    page.get_by_role("button", name="Change game").click()
    page.locator(".choice", has_text="Roche").first.click()
    page.get_by_text("Rules and limits for this time").click()
    expect(page.get_by_text("Set by the floor, and not to be changed here: Maximum per spot")).to_be_visible()
    expect(page.get_by_label("Maximum per spot")).to_have_count(0)
