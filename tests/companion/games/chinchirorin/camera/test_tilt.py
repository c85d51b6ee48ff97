"""The tilt of the camera: what the rim and the dice tell together."""

from __future__ import annotations

from math import cos, radians, sin

import pytest

from companion.games.chinchirorin.camera.rim import Rim
from companion.games.chinchirorin.camera.tilt import Facing, Tilt, tilt_of, told, up_of

AT = ((120.0, 180.0), (200.0, 240.0), (260.0, 150.0))


def rim(tilt_deg: float, away_deg: float = 0.0) -> Rim:
    return Rim((200.0, 200.0), 300.0, 300.0, 0.0, tilt_deg, away_deg)


def lying(up: tuple[float, float], slope: float) -> list[Facing]:
    """Dice on the slope of a bowl."""
    return [Facing(at, (up[0] - slope * (at[0] - 200) / 150, up[1] - slope * (at[1] - 200) / 150)) for at in AT]


@pytest.mark.parametrize("slope", [0.1, 0.4, 0.7])
def test_dice_on_the_slope_tell_which_way_is_up(slope: float):
    found = tilt_of(rim(0), lying((0.0, -0.3), slope))
    assert found.up[0] == pytest.approx(0, abs=0.1)
    assert -0.35 < found.up[1] < -0.15
    assert max(found.off) < 0.18


def test_without_dice_the_rim_tells_the_direction():
    found = tilt_of(rim(25, 40), ())
    assert told(rim(25, 40), found).away_deg == pytest.approx(40, abs=0.1)
    assert found.off == ()


def test_dice_tell_which_of_the_two_ways_of_the_rim_it_is():
    up = (0.0, 0.42)
    assert up_of(rim(25))[1] == pytest.approx(-sin(radians(25)))
    found = tilt_of(rim(25), lying(up, 0.4))
    assert found.up[1] > 0.3
    assert abs(told(rim(25), found).away_deg) == pytest.approx(180, abs=10)


def test_a_cocked_die_is_off_and_the_others_are_not():
    first, second, third = lying((0.0, 0.0), 0.4)
    cocked = Facing(third.at, (third.up[0] + 0.6, third.up[1] + 0.2))
    off = tilt_of(rim(0), [first, second, cocked]).off
    assert off[2] > 0.35
    assert max(off[:2]) < 0.2


def test_a_told_tilt_is_an_angle_and_a_direction():
    changed = told(rim(3), Tilt((0.5 * sin(radians(70)), -0.5 * cos(radians(70))), ()))
    assert (changed.tilt_deg, changed.away_deg) == (pytest.approx(30), pytest.approx(70))
