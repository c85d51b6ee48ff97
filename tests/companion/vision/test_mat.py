"""Calibration of the mat: measurement, storage, and the remedies shown to people."""

import json
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.locale import Translator
from companion.testing import MATS
from companion.vision.mat import MatCalibration, MatNotSeen, calibrate_mat, mat_in, troubles
from companion.vision.sightings import TagSeen, to_quad

ROCHE = MATS["roche"]
SIZE = (1920, 1300)


def view(px_per_mm: float = 2.2, tilt: float = 0.00015) -> np.ndarray:
    """A camera's homography, mm to px, with a little perspective."""
    return np.array([[px_per_mm, 0.02, 90], [-0.03, px_per_mm, 30], [0, tilt, 1]])


def upside_down(matrix: np.ndarray) -> np.ndarray:
    """The same camera with the dealer on the other side of the table."""
    return matrix @ np.array([[-1, 0, ROCHE.width_mm], [0, -1, ROCHE.height_mm], [0, 0, 1]])


def tags(matrix: np.ndarray, skip: int | None = None, noise: float = 0.0, seed: int = 1) -> tuple[TagSeen, ...]:
    rng = np.random.default_rng(seed)
    found = []
    for number, box in ROCHE.tags.items():
        px = cv2.perspectiveTransform(np.array([box.corners]), matrix)[0] + rng.normal(0, noise, (4, 2))
        if number != skip:
            found.append(TagSeen(number, tuple((float(x), float(y)) for x, y in px)))
    return tuple(found)


def through(matrix: np.ndarray, x: float, y: float) -> tuple[float, float]:
    px = cv2.perspectiveTransform(np.array([[[x, y]]], np.float64), matrix)[0, 0]
    return float(px[0]), float(px[1])


@pytest.mark.parametrize(
    "matrix", [view(), view(2.5, tilt=0.0003), upside_down(view())], ids=["plain", "tilted", "turned"]
)
def test_a_mat_seen_exactly_gives_its_camera_back(matrix):
    found = calibrate_mat([tags(matrix)] * 3, ROCHE, SIZE)
    assert found.error_px < 0.01
    assert found.shake_px < 0.01
    assert troubles(found) == ()
    for name, box in ROCHE.zones.items():
        middle = (box.x + box.width / 2, box.y + box.height / 2)
        at = through(matrix, *middle)
        assert found.mm(at) == pytest.approx(middle, abs=0.05)
        assert found.px(middle) == pytest.approx(at, abs=0.05)
        assert found.mat.zone_at(*found.mm(at)) == name
    assert found.mat.zone_at(*found.mm(through(matrix, -40, -40))) is None


def test_frames_average_the_noise_away():
    frames = [tags(view(), noise=0.5, seed=i) for i in range(10)]
    found = calibrate_mat(frames, ROCHE, SIZE)
    assert 0.5 < found.shake_px < 3
    assert found.mm(through(view(), 380, 275)) == pytest.approx((380, 275), abs=0.3)


def test_the_scale_is_the_worst_direction_at_the_farthest_corner():
    found = calibrate_mat([tags(view(tilt=0.0003))], ROCHE, SIZE)
    h = view(tilt=0.0003)
    corner = np.array([[[760.0, 550.0]], [[760.1, 550.0]], [[760.0, 550.1]]])
    here, right, down = cv2.perspectiveTransform(corner, h)[:, 0]
    steepest = min(np.linalg.norm(right - here), np.linalg.norm(down - here)) / 0.1
    assert found.least_px_per_mm <= steepest * 1.001
    assert found.least_px_per_mm < found.px_per_mm


def test_a_covered_corner_is_named():
    second = list(ROCHE.tags)[1]
    with pytest.raises(MatNotSeen, match=f"tag {second}: uncover the top right corner"):
        calibrate_mat([tags(view(), skip=second)], ROCHE, SIZE)


def test_which_mat_it_is_and_that_there_is_none():
    assert mat_in([tags(view())], MATS) is ROCHE
    with pytest.raises(MatNotSeen, match="No mat was seen"):
        mat_in([()], MATS)


def test_a_second_mat_is_named():
    seen = tags(view())
    scrap = TagSeen(seen[3].number, to_quad(np.array(seen[3].corners, np.float32) + np.float32([300, -120])))
    with pytest.raises(MatNotSeen, match="bottom left corner is in the picture twice"):
        calibrate_mat([(*seen, scrap)], ROCHE, SIZE)
    astray = calibrate_mat([(*seen[:3], scrap)], ROCHE, SIZE)
    assert "only one of them" in troubles(astray)[0]


def test_each_trouble_has_its_way_out():
    good = calibrate_mat([tags(view())], ROCHE, SIZE)
    assert "Mount the camera lower" in troubles(replace(good, least_px_per_mm=1.2))[0]
    assert "Lay the mat flat" in troubles(replace(good, error_px=9))[0]
    assert "shakes" in troubles(replace(good, shake_px=5))[0]


def test_what_is_to_be_put_right_is_said_in_other_languages():
    good, second = calibrate_mat([tags(view())], ROCHE, SIZE), list(ROCHE.tags)[1]
    with pytest.raises(MatNotSeen) as covered:
        calibrate_mat([tags(view(), skip=second)], ROCHE, SIZE)
    german = Translator([])(covered.value.args[0], "de")
    assert f"Marke {second}: die Ecke oben rechts freilegen" in german
    assert "Pixel je Modul" in Translator([])(troubles(replace(good, least_px_per_mm=1.2))[0], "de")


def test_what_is_stored_comes_back():
    found = calibrate_mat([tags(view(), noise=0.2)], ROCHE, SIZE)
    again = MatCalibration.from_json(json.loads(json.dumps(found.to_json())), MATS)
    assert again.to_px == found.to_px
    assert again.zones() == found.zones()
    with pytest.raises(MatNotSeen, match="Run `companion calibrate` again"):
        MatCalibration.from_json({"mat": "roche"}, MATS)
