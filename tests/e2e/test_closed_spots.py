"""Spots that the bank cannot afford are crossed out on the room's screen, in every game with a layout."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from webhouse import House

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("game", ["roche", "roulette", "rugen-house"])
def test_a_closed_spot_is_crossed_out(open_house: Callable[..., House], browse: Callable[..., Page], game: str) -> None:
    house = open_house(game, (("Aubrey", 100), ("Benedict", 100)), min=2, max=20, cap=60)
    closed = house.service.view()["closed_spots"]
    room = browse(f"{house.url}/", viewport={"width": 1920, "height": 1080})
    expect(room.locator(".zone.closed .crossed")).to_have_count(len(closed))
    crossed = room.locator(".zone.closed").evaluate_all("zones => zones.map(zone => zone.dataset.on)")
    assert sorted(crossed) == sorted(closed)
    assert 0 < len(closed) < room.locator(".zone").count()
    expect(room.locator(".closed-legend")).to_contain_text("Crossed-out spots are closed")


def test_nothing_is_crossed_out_where_all_can_be_paid(
    open_house: Callable[..., House], browse: Callable[..., Page]
) -> None:
    house = open_house("roulette", (("Aubrey", 100), ("Benedict", 100)))
    room = browse(f"{house.url}/", viewport={"width": 1920, "height": 1080})
    expect(room.locator(".zone").first).to_be_attached()
    expect(room.locator(".zone.closed, .closed-legend")).to_have_count(0)
