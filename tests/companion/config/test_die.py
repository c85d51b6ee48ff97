"""The tray and the die in the configuration."""

import pytest
from pydantic import ValidationError

from companion.config.tables import DieConfig


def test_without_a_word_any_die_of_the_game_counts_anywhere_in_the_picture():
    assert DieConfig().kinds == ("d20", "rugen")
    assert DieConfig().zone is None


@pytest.mark.parametrize("kind", ["d20", "rugen"])
def test_one_kind_alone_can_be_asked_for(kind):
    assert DieConfig(kind=kind).kinds == (kind,)


def test_a_zone_is_shares_of_the_picture():
    assert DieConfig(zone=(0.1, 0, 0.8, 1)).zone == (0.1, 0.0, 0.8, 1.0)


@pytest.mark.parametrize("zone", [(0.5, 0, 0.8, 1), (0, 0, 0.01, 1), (0, 0.9, 1, 0.2), (-0.1, 0, 1, 1), (0, 0, 1)])
def test_a_zone_outside_the_picture_is_refused(zone):
    with pytest.raises(ValidationError):
        DieConfig(zone=zone)


@pytest.mark.parametrize("axis", ["mat", (0, 0), (25, 270), (35.0, 359.5)])
def test_the_camera_may_look_at_the_tray_from_aside(axis):
    assert DieConfig(axis=axis).axis == axis


@pytest.mark.parametrize("axis", ["side", (36, 0), (-1, 0), (20, 360), (20,), 20, (True, 90), (20, False), ("20", 90)])
def test_an_axis_is_a_tilt_and_a_direction_within_what_can_be_read(axis):
    with pytest.raises(ValidationError):
        DieConfig(axis=axis)


def test_a_tray_s_own_camera_does_not_look_as_the_table_s_at_the_mat():
    with pytest.raises(ValidationError, match=r"set axis to degrees off the vertical and a direction"):
        DieConfig(camera="/dev/video2", axis="mat")


def test_a_d6_is_no_die_of_rugen():
    with pytest.raises(ValidationError):
        DieConfig(kind="d6")
