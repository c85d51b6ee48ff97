"""Finding the mat: what is measured, what is stored, and what a person is told to mend."""

from __future__ import annotations

import json
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.cli import run
from companion.mat import MATS
from companion.tracking.calibration import Calibration, CalibrationError, calibrate, mat_in, troubles
from companion.vision.sightings import TagSeen

TAGS = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
ROCHE = MATS["roche"]


def view(px_per_mm: float = 2.2, tilt: float = 0.00015) -> np.ndarray:
    """A camera's homography, mm to px, with a little perspective."""
    return np.array([[px_per_mm, 0.02, 90], [-0.03, px_per_mm, 30], [0, tilt, 1]])


def tags(matrix: np.ndarray, skip: int | None = None, noise: float = 0.0) -> tuple[TagSeen, ...]:
    rng = np.random.default_rng(1)
    found = []
    for number, box in ROCHE.tags.items():
        px = cv2.perspectiveTransform(np.array([box.corners]), matrix)[0] + rng.normal(0, noise, (4, 2))
        if number != skip:
            found.append(TagSeen(number, tuple((float(x), float(y)) for x, y in px)))
    return tuple(found)


def photograph(matrix: np.ndarray, hide: int | None = None) -> np.ndarray:
    """The mat as printed: its corner tags on paper, seen by that camera."""
    s = 4
    mat = np.full((round(ROCHE.height_mm * s), round(ROCHE.width_mm * s)), 190, np.uint8)
    for number, box in ROCHE.tags.items():
        if number == hide:
            continue
        x, y, side = round(box.x * s), round(box.y * s), round(box.width * s)
        mat[y - 6 * s : y + side + 6 * s, x - 6 * s : x + side + 6 * s] = 255
        mat[y : y + side, x : x + side] = cv2.aruco.generateImageMarker(TAGS, number, side, borderBits=1)
    picture = cv2.warpPerspective(mat, matrix @ np.diag([1 / s, 1 / s, 1]), (1920, 1300), borderValue=60)
    return cv2.cvtColor(cv2.GaussianBlur(picture, (0, 0), 0.7), cv2.COLOR_GRAY2BGR)


def test_a_mat_seen_exactly_gives_its_camera_back():
    found = calibrate(ROCHE, [tags(view())] * 3, (1920, 1300))
    assert found.error_px < 0.01
    assert found.shake_px < 0.01
    assert troubles(found) == ()
    for name, box in ROCHE.zones.items():
        x, y = box.x + box.width / 2, box.y + box.height / 2
        at = cv2.perspectiveTransform(np.array([[[x, y]]]), view())[0, 0]
        assert found.to_mm(*at) == pytest.approx((x, y), abs=0.05)
        assert found.zone_at(*at) == name


def test_the_scale_is_the_worst_direction_at_the_farthest_corner():
    found = calibrate(ROCHE, [tags(view(tilt=0.0003))], (1920, 1300))
    h = view(tilt=0.0003)
    corner = np.array([[[760.0, 550.0]], [[760.1, 550.0]], [[760.0, 550.1]]])
    here, right, down = cv2.perspectiveTransform(corner, h)[:, 0]
    steepest = min(np.linalg.norm(right - here), np.linalg.norm(down - here)) / 0.1
    assert found.least_px_per_mm <= steepest * 1.001
    assert found.least_px_per_mm < found.px_per_mm


def test_a_covered_corner_is_named():
    second = list(ROCHE.tags)[1]
    with pytest.raises(CalibrationError, match=f"tag {second}: uncover the top right corner"):
        calibrate(ROCHE, [tags(view(), skip=second)], (1920, 1300))


def test_which_mat_it_is_and_that_there_is_none():
    assert mat_in([tags(view())]) is ROCHE
    with pytest.raises(CalibrationError, match="No mat was seen"):
        mat_in([()])


def test_each_trouble_has_its_way_out():
    good = calibrate(ROCHE, [tags(view())], (1920, 1300))
    assert "Mount the camera lower" in troubles(replace(good, least_px_per_mm=1.2))[0]
    assert "Lay the mat flat" in troubles(replace(good, error_px=9))[0]
    assert "shakes" in troubles(replace(good, shake_px=5))[0]


def test_what_is_stored_comes_back():
    found = calibrate(ROCHE, [tags(view(), noise=0.2)], (1920, 1300))
    again = Calibration.from_json(json.loads(json.dumps(found.to_json())))
    assert again.to_px == found.to_px
    assert again.zones() == found.zones()
    with pytest.raises(CalibrationError, match="Run `companion calibrate` again"):
        Calibration.from_json({"mat": "roche"})


def test_the_command_stores_a_good_calibration(tmp_path, capsys):
    cv2.imwrite(str(tmp_path / "mat.png"), photograph(view()))
    home = tmp_path / "home"
    assert run(["calibrate", "--camera", str(tmp_path / "mat.png"), "--data", str(home)]) == 0
    out = capsys.readouterr().out
    assert "Mat: roche" in out
    assert "PASS" in out
    stored = Calibration.from_json(json.loads((home / "calibration.json").read_text()))
    assert np.abs(np.array(stored.to_px) / stored.to_px[2][2] - view()).max() < 0.5
    assert stored.error_px < 0.5


def test_the_command_says_which_corner_is_covered_and_stores_nothing(tmp_path, capsys):
    third = list(ROCHE.tags)[2]
    cv2.imwrite(str(tmp_path / "mat.png"), photograph(view(), hide=third))
    assert run(["calibrate", "--camera", str(tmp_path / "mat.png"), "--data", str(tmp_path / "home")]) == 1
    assert f"tag {third}: uncover the bottom right corner" in capsys.readouterr().err
    assert not (tmp_path / "home" / "calibration.json").exists()


def test_the_command_refuses_a_camera_too_far_away(tmp_path, capsys):
    cv2.imwrite(str(tmp_path / "mat.png"), photograph(view(1.3)))
    assert run(["calibrate", "--camera", str(tmp_path / "mat.png"), "--data", str(tmp_path), "--json"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["ok"] is False
    assert "Cards are too small" in err
