"""The picture changes abruptly: what cannot be seen again is unknown, and no card vanishes that lies there yet."""

import numpy as np
import pytest

pytestmark = pytest.mark.thorough


def stall(table, seconds):
    """The camera hangs: time passes and the pictures of it are lost."""
    ends = table.demo.now + seconds
    while table.demo.now < ends:
        table.camera.read(0.0)


def test_a_card_taken_while_the_camera_hangs_is_missed_at_once_and_asked_about(table):
    table.open_deal()
    table.deal("6D3")
    table.deal("5N1")
    table.demo.remove("6D3")
    stall(table, 8)
    table.run(1.5)
    assert (table.dealt, table.kinds) == (["6D3", "5N1"], ["vanished"])


def test_after_a_stall_the_cards_that_lie_there_yet_are_known(table):
    table.open_deal()
    table.deal("6D3")
    table.deal("5N1")
    stall(table, 8)
    table.run(3)
    assert (table.dealt, table.kinds_seen) == (["6D3", "5N1"], [])


def test_somebody_leans_over_the_whole_table_for_a_moment(table):
    table.open_deal()
    table.deal("6D3")
    table.deal("5N1")
    table.camera.spoil = lambda image: np.full_like(image, 35)
    table.run(2)
    table.camera.spoil = None
    table.run(2)
    table.deal("4D4")
    assert (table.dealt, table.kinds_seen) == (["6D3", "5N1", "4D4"], [])


def test_the_light_is_switched_on_and_off(table):
    table.open_deal()
    table.deal("6D3")
    for level in (0.45, 1.0, 0.6):
        table.camera.spoil = lambda image, level=level: np.clip(image * level, 0, 255).astype(np.uint8)
        table.run(1)
    table.deal("5N1")
    assert (table.dealt, table.kinds_seen) == (["6D3", "5N1"], [])


def test_the_camera_is_bumped_by_some_millimetres(table):
    table.open_deal()
    table.deal("6D3")
    table.deal("5N1")
    table.camera.spoil = lambda image: np.roll(image, (7, -9), axis=(0, 1))
    table.run(3)
    table.deal("4D4")
    assert (table.dealt, table.kinds_seen) == (["6D3", "5N1", "4D4"], [])
