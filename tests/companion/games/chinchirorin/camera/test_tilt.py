"""The tilt of the camera, and which dice have a clear upper face: from the rim and the dice's orientations."""

from math import cos, radians, sin

import numpy as np
import pytest

from companion.games.chinchirorin.camera.orientation import encoded
from companion.games.chinchirorin.camera.rim import Rim
from companion.games.chinchirorin.camera.tilt import OrientedDie, Tilt, estimate_tilt, with_tilt

AT = ((120.0, 180.0), (200.0, 240.0), (260.0, 150.0))


def rim(tilt_deg: float, away_deg: float = 0.0) -> Rim:
    return Rim((200.0, 200.0), 300.0, 300.0, 0.0, tilt_deg, away_deg)


def facing(at: tuple[float, float], way: tuple[float, float], yaw: float = 0.4) -> OrientedDie:
    """Return a die with a face in the given direction."""
    up = np.array([*way, np.sqrt(1 - way[0] ** 2 - way[1] ** 2)])
    side = np.cross(up, [cos(yaw), sin(yaw), 0.0])
    side /= np.linalg.norm(side)
    return OrientedDie(at, encoded(np.stack([side, np.cross(up, side), up])))


def lying(up: tuple[float, float], slope: float) -> list[OrientedDie]:
    """Return dice on the slope of a bowl."""
    return [facing(at, (up[0] - slope * (at[0] - 200) / 150, up[1] - slope * (at[1] - 200) / 150)) for at in AT]


@pytest.mark.parametrize("slope", [0.1, 0.4, 0.7])
def test_dice_on_the_slope_tell_which_way_is_up(slope: float):
    found = estimate_tilt(rim(0), lying((0.0, -0.3), slope))
    assert found.up[0] == pytest.approx(0, abs=0.1)
    assert -0.35 < found.up[1] < -0.1
    assert min(found.face_up) > 0.95


def test_without_dice_the_rim_tells_the_direction_or_its_opposite():
    assert estimate_tilt(rim(25, 40), ()).face_up == ()


@pytest.mark.parametrize("way", [1, -1])
def test_dice_tell_which_of_the_two_ways_of_the_rim_it_is(way: int):
    found = estimate_tilt(rim(25), lying((0.0, 0.42 * way), 0.4))
    assert found.up[1] * way > 0.25


@pytest.mark.parametrize("way", [(0.7, 0.0), (0.0, -0.7), (0.5, 0.5)])
def test_a_die_on_its_edge_fits_no_way_up_that_the_others_and_the_rim_leave(way: tuple[float, float]):
    first, second, third = lying((0.0, -0.1), 0.4)
    found = estimate_tilt(rim(6), [first, second, facing(third.center, way)])
    assert found.face_up[2] < 0.45
    assert min(found.face_up[:2]) > 0.9


@pytest.mark.parametrize("aside", [0.2, -0.2])
def test_a_die_that_leans_on_another_has_a_clear_upper_face(aside: float):
    """It leans sideways, unlike dice resting on the slope."""
    first, second, third = lying((0.0, 0.0), 0.4)
    out = np.array([third.center[0] - 200, third.center[1] - 200]) / 150
    across = np.array([-out[1], out[0]]) / np.hypot(*out)
    leaning = facing(third.center, tuple(aside * across - 0.4 * out))
    assert min(estimate_tilt(rim(0), [first, second, leaning]).face_up) > 0.9


def test_a_die_of_which_nothing_is_seen_is_no_surer_than_dice_are():
    unseen = OrientedDie(
        AT[0], np.mean([facing(AT[0], (0.0, 0.0), yaw).orientation for yaw in np.arange(0, 1.6, 0.1)], axis=0) * 0
    )
    assert 0.9 < estimate_tilt(rim(0), [unseen]).face_up[0] < 0.96


def test_the_upper_face_looks_up_the_slope():
    (die,) = lying((0.0, 0.0), 0.4)[:1]
    (upper,) = estimate_tilt(rim(0), [die]).upper
    assert upper == pytest.approx([0.21, 0.05, 0.97], abs=0.07)


def test_a_told_tilt_is_an_angle_and_a_direction():
    changed = with_tilt(rim(3), Tilt((0.5 * sin(radians(70)), -0.5 * cos(radians(70))), ()))
    assert (changed.tilt_deg, changed.away_deg) == (pytest.approx(30), pytest.approx(70))
