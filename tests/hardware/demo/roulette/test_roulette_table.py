"""Chips lie on their bets, and the ball comes to rest in its pocket, on both wheels."""

from math import dist

import pytest
from demo_world import driven

from companion.games.roulette.demo.places import between, middles, place_of
from companion.games.roulette.demo.table import HAPPENINGS, LaidChip, RouletteTable
from companion.games.roulette.layout import layout
from companion.games.roulette.mats.spots import UNSURE, spot_at
from companion.games.roulette.wheel import RIMS
from companion.objects.chips import CHIP_MM
from hardware.demo.felt_table import DemoError


@pytest.fixture
def table():
    return driven(RouletteTable(size=(320, 180), seed=2, pace=6), 60.0)


@pytest.mark.parametrize("wheel", ["european", "american"])
def test_every_bet_has_a_place_that_is_just_it(wheel):
    assert middles(wheel).keys() == layout(wheel).keys()
    for on in layout(wheel):
        at = place_of(on, wheel, ())
        assert at is not None, on
        assert spot_at(*at, wheel) == on


def test_chips_on_one_bet_lie_side_by_side_as_long_as_there_is_room():
    taken = []
    while (at := place_of("red", "european", taken)) is not None:
        assert all(dist(at, other) > CHIP_MM for other in taken)
        taken.append(at)
    assert len(taken) >= 3
    assert spot_at(*between("straight/14", "european"), "european") == UNSURE


@pytest.mark.parametrize("wheel", ["european", "american"])
def test_the_ball_rests_where_it_was_sent(wheel):
    table = driven(RouletteTable(wheel, size=(320, 180), seed=2, pace=6), 60.0)
    for pocket in ("0", "17", RIMS[wheel][-1]):
        table.spin(pocket)
        table.run()
        assert table.is_running
        assert table.rests is None
        table.run(until_idle=False, seconds=8)
        assert (table.rests, table.is_at_rest) == (pocket, True)
    assert table.spun == ["0", "17", RIMS[wheel][-1]]


def test_the_ball_never_jumps():
    """Between two pictures it moves at most as far as at top speed."""
    table = RouletteTable(size=(320, 180), seed=5)
    table.spin()
    t, before, longest = 0.0, None, 0.0
    while table.rests is None:
        t += 0.01
        table.picture(t)
        ball = table._view.ball
        if ball is not None and before is not None:
            step = abs((ball.angle - before.angle + 3.14159) % 6.28318 - 3.14159) * ball.radius
            longest = max(longest, step, abs(ball.radius - before.radius))
        before = ball
    assert longest < 0.01 * 9.5 * 170


def test_what_a_scenario_may_have_happen(table):
    for what in HAPPENINGS:
        table.happen(what)
        table.run()
        table.run(until_idle=False, seconds=8)
    assert len(table.spun) == 2
    assert table.chips == ()
    for what in ("dance", "spin 37", "lay C1-5 moon", "lay C1-7 red", ""):
        with pytest.raises(DemoError):
            table.happen(what)


def test_chips_are_laid_taken_and_swept(table):
    laid = [LaidChip(1, 5, "red"), LaidChip(2, 1, "straight/17"), LaidChip(3, 25, "dozen/2")]
    for chip in laid:
        assert table.lay_chip(chip)
    table.run()
    assert list(table.chips) == laid
    table.take_chip(laid[1])
    table.run()
    assert list(table.chips) == [laid[0], laid[2]]
    table.clear(keep=[laid[0]])
    table.run()
    assert list(table.chips) == [laid[0]]
