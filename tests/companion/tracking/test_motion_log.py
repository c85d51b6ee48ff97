"""Attributing arms to seats, by the edge they cross and the shoulder they point to."""

import numpy as np
import pytest

from companion.testing import MATS
from companion.tracking.cards.arms import Arm, seat_scores, shoulders_of
from companion.tracking.cards.motion_log import MotionWatch, mapped
from companion.vision.live.change import CELL_PX

MAT = MATS["rochi"]
PX_PER_MM, LEFT_MM, TOP_MM = 1.72, 180.0, 40.0
SHAPE = (-(-1080 // CELL_PX), -(-1920 // CELL_PX))


class Zones:
    """The mapping of a camera straight above the mat."""

    mat, version = MAT, 1

    def cell_mm(self, shape, cell_px):
        rows, columns = np.indices(shape)
        return (columns + 0.5) * cell_px / PX_PER_MM - LEFT_MM, (rows + 0.5) * cell_px / PX_PER_MM - TOP_MM


X, Y = Zones().cell_mm(SHAPE, CELL_PX)


def arm(shoulder, tip, width=35.0):
    """Return the cells between a shoulder and a hand (positions in mm)."""
    (ax, ay), (bx, by) = shoulder, tip
    along = np.clip(((X - ax) * (bx - ax) + (Y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2), 0, 1)
    return np.hypot(X - ax - along * (bx - ax), Y - ay - along * (by - ay)) < width


def middle(zone):
    box = MAT.zones[zone]
    return box.x + box.width / 2, box.y + box.height / 2


def reaching(seat, *tips, fps=10, watch=None):
    """Move a hand from tip to tip; return the log."""
    watch, t, shoulder = watch or MotionWatch(), 0.0, shoulders_of(MAT)[seat]
    for tip in tips:
        t += 1 / fps
        motion = watch.update(arm(shoulder, tip), Zones(), t)
    return motion


@pytest.mark.parametrize("seat", range(1, 7))
@pytest.mark.parametrize("zone", ["deck", "stack/2", "stack/4", "stack/7"])
def test_every_seat_s_arm_is_its_own_wherever_it_reaches(seat, zone):
    way = np.linspace(middle(f"seat/{seat}"), middle(zone), 6)
    assert reaching(seat, *map(tuple, way)).log[-1].seat == seat


def test_the_hand_is_the_far_end():
    log = reaching(1, middle("seat/1"), middle("stack/5"), middle("deck")).log
    assert log[-1].tip == pytest.approx(middle("deck"), abs=40)


def test_zones_are_touched_with_their_share():
    moved = reaching(1, middle("seat/1"), middle("stack/6")).log[-1]
    assert moved.share("seat/1") > 0.2
    assert moved.share("stack/6") > 0.2
    assert moved.share("stack/2") == 0


def test_an_arm_that_first_looked_like_the_neighbour_s_is_put_right_in_what_was_noted():
    """Motion on the border of two seats is ambiguous; reaching for the deck decides, also for the first frame."""
    log = reaching(1, (375.0, 520.0), (300.0, 350.0), middle("deck"), middle("deck")).log
    assert {moved.seat for moved in log} == {1}


def test_what_never_touched_the_edge_is_nobody_s():
    watch = MotionWatch()
    motion = watch.update(arm(middle("stack/4"), (400.0, 250.0)), Zones(), 0.1)
    assert motion.log[0].seat is None
    assert motion.log[0].tip is None


def test_nothing_moves_without_motion():
    watch = MotionWatch()
    assert watch.update(None, Zones(), 0.1).log == ()
    assert watch.update(np.zeros(SHAPE, bool), Zones(), 0.2).last == float("-inf")


def test_without_a_mat_only_the_time_of_motion_is_known():
    zones = Zones()
    zones.mat = None
    motion = MotionWatch().update(np.ones(SHAPE, bool), zones, 0.1)
    assert motion.log == ()
    assert motion.last == 0.1


def test_what_moved_long_ago_is_forgotten():
    watch = MotionWatch()
    reaching(1, middle("seat/1"), middle("deck"), watch=watch)
    assert watch.update(None, Zones(), 30.0).log == ()


def test_two_arms_at_once_are_two():
    shoulders, watch = shoulders_of(MAT), MotionWatch()
    for t in (0.1, 0.2, 0.3):
        both = arm(shoulders[2], middle("stack/2")) | arm(shoulders[6], middle("stack/7"))
        motion = watch.update(both, Zones(), t)
    assert {moved.seat for moved in motion.log} == {2, 6}


def test_an_arm_without_evidence_is_nobody_s():
    assert Arm(0.0).seat is None
    table = mapped(MAT, X, Y)
    off = np.zeros(3, np.intp)
    assert seat_scores(X[0, :3], Y[0, :3], off, table.shoulders) == {}


def test_an_arm_that_lays_another_mat_with_fewer_seats_is_nobody_s_there():
    """The seat on the old mat means nothing on the new one."""
    watch, other = MotionWatch(), Zones()
    reaching(6, middle("seat/6"), middle("stack/6"), watch=watch)
    other.mat, other.version = MATS["roche"], 2
    motion = watch.update(arm(shoulders_of(MAT)[6], middle("stack/6")), other, 0.3)
    assert [moved.seat for moved in motion.log] == [None]
