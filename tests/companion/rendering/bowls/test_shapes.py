"""How dice come to rest in a bowl."""

import numpy as np
import pytest

from companion.rendering.bowls.shapes import Bowl, beside, lifted, overlap, rest, tipped, upright

BOWL = Bowl(radius=4.0, height=2.2, depth=2.0)


@pytest.mark.parametrize("far", [0.0, 0.8, 1.6])
def test_a_die_touches_the_bowl_and_does_not_pass_through_it(far: float):
    pose = rest(BOWL, far, 0.0, upright(2, 1, 0.4))
    assert pose is not None
    corners = pose.corners
    above = corners[:, 2] - BOWL.inside(corners[:, 0], corners[:, 1])
    assert -0.05 < above.min() < 0.05


def test_a_die_on_the_slope_leans_towards_the_middle():
    pose = rest(BOWL, 1.6, 0.0, upright(2, 1, 0.0))
    assert pose is not None
    up = pose.turn[:, 2]
    assert up[0] < -0.3
    assert up[2] > 0.7


@pytest.mark.parametrize(("axis", "sign"), [(0, 1), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1)])
def test_each_face_can_lie_up(axis: int, sign: int):
    turn = upright(axis, sign, 1.1)
    assert np.allclose(turn @ turn.T, np.eye(3))
    assert np.linalg.det(turn) > 0
    assert np.allclose(turn[:, axis] * sign, (0, 0, 1))


def test_a_die_pushed_against_another_touches_it():
    first = rest(BOWL, 0.0, 0.0, upright(2, 1, 0.0))
    assert first is not None
    second = beside(BOWL, [first], upright(0, 1, 0.3), 0.5, first.middle[:2], 0.0)
    assert second is not None
    assert not overlap(first, second)
    assert np.linalg.norm(first.middle - second.middle) < 1.5


def test_dice_in_one_place_overlap_and_a_lifted_one_does_not():
    first = rest(BOWL, 0.0, 0.0, upright(2, 1, 0.0))
    second = rest(BOWL, 0.3, 0.0, upright(2, 1, 0.7))
    assert first is not None
    assert second is not None
    assert overlap(first, second)
    assert not overlap(first, lifted(BOWL, tipped(second, 0.6, 1.0), [first]))
