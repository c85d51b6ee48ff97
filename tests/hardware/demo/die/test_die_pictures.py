"""Pictures of the demo tray: position and size of the die, and hands over it."""

import numpy as np
import pytest

from companion.rendering.poses import resting
from companion.vision.dice.reader import DiceReader
from hardware.demo.dice.flight import DiePose
from hardware.demo.dice.models import model, shown_by
from hardware.demo.dice.scene import VIEW_MM, DieView, TrayScene
from hardware.demo.dice.table import TrayTable

SIZE = (640, 360)
PX_PER_MM = SIZE[0] / VIEW_MM


@pytest.fixture
def tray():
    table = TrayTable(size=SIZE, seed=3, pace=4)
    table.picture(0.0)
    return table


def settled(table, t=0.0):
    while True:
        t += 1 / 12
        image = table.picture(t)
        if not table.busy:
            return table.picture(t + 0.1) if image is None else image


def changed(image, empty):
    far = np.abs(image.astype(int) - empty).max(axis=2) > 40
    rows, columns = np.nonzero(far)
    return columns.min(), rows.min(), columns.max(), rows.max()


def test_a_die_is_drawn_where_it_lies_and_as_large_as_it_is(tray):
    empty = tray.picture(0.1)
    tray.lay("17", -40.0, 20.0)
    x0, y0, x1, y1 = changed(settled(tray), empty)
    assert (x0 + x1) / 2 == pytest.approx(SIZE[0] / 2 - 40 * PX_PER_MM, abs=8)
    assert (y0 + y1) / 2 == pytest.approx(SIZE[1] / 2 + 20 * PX_PER_MM, abs=8)
    assert 24 * PX_PER_MM < x1 - x0 < 36 * PX_PER_MM  # including some shadow
    assert tray.lying == ("17",)


def test_the_zone_is_the_tray_s_inside(tray):
    x, y, w, h = tray.zone
    assert w * SIZE[0] == pytest.approx(286 * PX_PER_MM, rel=0.03)
    assert h * SIZE[1] == pytest.approx(184 * PX_PER_MM, rel=0.03)
    assert 0 < x < 0.2
    assert 0 < y < 0.2


def test_a_thrown_die_ends_with_the_value_that_was_asked_for(tray):
    tray.throw("13")
    settled(tray)
    assert tray.lying == ("13",)
    assert tray.thrown == 1


def test_a_leaning_or_lost_die_shows_nothing(tray):
    tray.lean()
    settled(tray)
    assert tray.lying == ()
    tray.overshoot()
    settled(tray, 60.0)
    assert tray.lying == ()
    assert not tray.is_empty


def test_the_hand_takes_out_what_lies_there(tray):
    tray.lay("17")
    settled(tray)
    tray.throw_second()
    settled(tray, 20.0)
    assert len(tray.lying) == 2
    tray.take()
    settled(tray, 60.0)
    assert tray.is_empty


def test_a_die_knows_no_face_that_it_has_not(tray):
    with pytest.raises(ValueError, match="21"):
        tray.throw("21")


def test_a_moving_die_is_blurred_and_a_lying_one_is_not(tray):
    tray.throw("13")
    t, moving = 0.0, None
    while moving is None:
        t += 1 / 30
        tray.picture(t)
        moving = next((d for d in tray._tray.dice if d.before is not None), None)
    settled(tray, t)
    assert all(die.before is None for die in tray._tray.dice)


@pytest.mark.parametrize(("face", "at", "angle"), [(5, (49.8466, 32.892), 290.395), (16, (-73.515, 12.6351), 100.956)])
def test_what_is_printed_on_a_paper_die_is_no_second_die(face, at, angle):
    scene = TrayScene((1920, 1080), seed=2)
    pose = DiePose(*at, 0.0, resting(model("rugen").solid, face, angle))
    scene.dice = (DieView("rugen", pose),)
    dice = DiceReader(("rugen",), alone=True).read(scene.picture((), 0)).dice
    assert [die.face for die in dice] == [shown_by("rugen", face)]
