"""Dice come to rest in the demo's bowl as they were thrown."""

import random

import numpy as np
import pytest
from demo_world import driven

from companion.games.chinchirorin.demo.scene import BOWL
from companion.games.chinchirorin.demo.table import HAPPENINGS, BowlTable
from companion.games.chinchirorin.demo.throws import come_to_rest, flights
from companion.rendering.bowls.shapes import overlap
from hardware.demo.felt_table import DemoError


@pytest.fixture
def table():
    return driven(BowlTable(size=(192, 108), seed=2, pace=6), 60.0)


def test_a_throw_shows_what_it_was_told(table):
    table.throw([6, 3, 6])
    table.run()
    assert sorted(table.shown) == [3, 6, 6]
    table.throw([1, 2, 3], "out")
    table.run()
    assert table.shown == "out"
    for ends in ("cocked", "two"):
        table.throw([1, 2, 3], ends)
        table.run()
        assert table.shown is None
    table.take()
    table.run()
    assert table.is_empty


def test_dice_lie_in_the_bowl_and_not_in_each_other():
    rng = random.Random(3)
    for _ in range(30):
        values = [rng.randint(1, 6) for _ in range(3)]
        thrown = come_to_rest(values, "flat", rng)
        assert list(thrown.values) == values
        assert thrown.out == 0
        for i, pose in enumerate(thrown.poses):
            assert np.hypot(*pose.middle[:2]) < BOWL.radius
            assert not any(overlap(pose, other) for other in thrown.poses[:i])


def test_a_die_flies_from_the_hand_to_where_it_lies():
    rng = random.Random(3)
    thrown = come_to_rest([1, 2, 3], "flat", rng)
    for flight, pose in zip(flights(thrown, (60.0, 50.0), rng), thrown.poses, strict=True):
        start, end = flight.at(0.0), flight.at(1.0)
        assert (start.x, start.y) == pytest.approx((60, 50), abs=15)
        assert (end.x, -end.y, end.z) == pytest.approx([16 * v for v in pose.middle])


def test_a_nudge_changes_one_die(table):
    table.throw([6, 3, 6])
    table.run()
    before = table.shown
    table.nudge()
    table.run()
    assert table.shown != before
    assert len(table.shown) == 3


def test_what_a_scenario_may_have_happen(table):
    for what in HAPPENINGS:
        table.happen(what)
        table.run()
    for what in ("dance", "throw 6-3", "throw 7-1-1", "throw 6-3-6 up", ""):
        with pytest.raises(DemoError):
            table.happen(what)
