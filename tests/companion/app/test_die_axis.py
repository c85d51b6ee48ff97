"""The tray camera's axis comes from the settings or the calibrated mat; else straight down is assumed."""

import numpy as np
import pytest

from companion.app.die_axis import die_axis
from companion.config.tables import Config, DieConfig
from companion.testing import MATS
from companion.vision.dice.axis import Axis, Lens
from companion.vision.mat import MatCalibration


def seen_from(tilt_deg):
    """The calibration of a camera that stands off towards the picture's lower side."""
    t, far, f = np.radians(tilt_deg), 900.0, 1400.0
    eye = np.array([300.0, 300.0 + far * np.sin(t), -far * np.cos(t)])
    turned = np.array([[1, 0, 0], [0, np.cos(t), np.sin(t)], [0, -np.sin(t), np.cos(t)]])
    lens = np.array([[f, 0, 640], [0, f, 480], [0, 0, 1]]) @ np.hstack([turned, (-turned @ eye)[:, None]])
    to_px = lens[:, [0, 1, 3]]
    return MatCalibration(MATS["rochi"], (1280, 960), tuple(map(tuple, to_px.tolist())), 1.5, 1.3, 0.2, 0.1)


def config(**die):
    return Config(die=DieConfig(**die))


def test_what_was_set_holds_and_without_a_mat_nothing_is_known_unless_it_was():
    assert die_axis(config(), None) is None
    assert die_axis(config(axis=(20, 90)), seen_from(25.0)) == Axis(20.0, 90.0)
    assert die_axis(config(axis=(0, 0)), None) == Axis(0.0, 0.0)
    assert die_axis(config(axis=(0, 0), view=90), None) == Axis(0.0, 0.0, Lens(2.0))
    assert die_axis(config(axis="mat", view=90), seen_from(25.0)).lens == Lens(2.0)


def test_the_calibrated_mat_says_it_where_that_is_wanted():
    for tilt in (15.0, 30.0):
        found = die_axis(config(axis="mat"), seen_from(tilt))
        assert found.tilt_deg == pytest.approx(tilt, abs=0.1)
        assert found.towards_deg == pytest.approx(270.0, abs=0.5)
        assert found.lens.width == pytest.approx(1280 / 1400, rel=0.01)
    assert die_axis(config(axis="mat"), seen_from(0.0)) == Axis(0.0)


def test_where_the_settings_say_nothing_the_calibrated_mat_does_and_a_camera_aside_is_warned_of(caplog):
    assert die_axis(config(), seen_from(5.0)) == Axis(0.0)
    assert die_axis(config(camera="/dev/video2"), seen_from(25.0)) is None
    assert caplog.text == ""
    assert die_axis(config(), seen_from(25.0)).tilt_deg == pytest.approx(25.0, abs=0.1)
    assert "at 25 degrees from the vertical: dice are read accordingly" in caplog.text


def test_a_tray_nearer_to_the_camera_is_seen_from_less_far_aside(caplog):
    for top, said in ((0.75, "at 19 degrees"), (0.05, "at 45 degrees")):
        caplog.clear()
        die_axis(config(zone=(0.4, top, 0.2, 0.2)), seen_from(32.0))
        assert said in caplog.text
    assert "too far to read dice" in caplog.text


def test_without_a_calibrated_mat_the_camera_is_taken_to_look_down_and_the_log_says_so(caplog):
    assert die_axis(config(axis="mat"), None) is None
    assert "no mat is calibrated" in caplog.text
