"""Where a thing lies on the mat."""

from __future__ import annotations

import math

import numpy as np
import pytest
from table_scene import Look, camera

from companion.mat import MATS, Mat
from companion.vision.mat import MatNotSeen, calibrate_mat
from companion.vision.sightings import TagSeen, to_quad

ROCHE = MATS["roche"]


def view(mat: Mat, tilt: float, turn: float) -> np.ndarray:
    """The homography from the mat's mm to a tilted, turned camera's pixels."""
    look = Look(px_per_module=2.3, tilt_deg=tilt, azimuth_deg=40.0)
    a = math.radians(turn)
    c, s = math.cos(a), math.sin(a)
    centre = np.array([[1, 0, -mat.width_mm / 2], [0, 1, -mat.height_mm / 2], [0, 0, 1]])
    return camera(look) @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ centre


def through(matrix: np.ndarray, points: np.ndarray) -> np.ndarray:
    out = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return out[:, :2] / out[:, 2:]


def tags_of(mat: Mat, matrix: np.ndarray, noise: float = 0.0) -> list[TagSeen]:
    rng = np.random.default_rng(1)
    quads = {n: through(matrix, np.array(b.corners)) + rng.normal(0, noise, (4, 2)) for n, b in mat.tags.items()}
    return [TagSeen(n, to_quad(q.astype(np.float32))) for n, q in quads.items()]


@pytest.mark.parametrize(("tilt", "turn"), [(0, 0), (15, 3), (20, 180), (8, 91)])
def test_points_go_to_the_mat_and_back(tilt: float, turn: float) -> None:
    matrix = view(ROCHE, tilt, turn)
    found = calibrate_mat(tags_of(ROCHE, matrix, 0.3), ROCHE)
    assert found.tags == tuple(sorted(ROCHE.tags))
    assert 0.05 < found.error_px < 0.8
    for mm in [(10.0, 10.0), (300.0, 200.0), (ROCHE.width_mm - 5, ROCHE.height_mm - 5)]:
        px = through(matrix, np.array([mm]))[0]
        assert np.hypot(*(np.array(found.mm((float(px[0]), float(px[1])))) - mm)) < 1.5
        assert np.hypot(*(np.array(found.px(mm)) - px)) < 3
    assert found.px_per_mm == pytest.approx(2.3 / (30 / 21), rel=0.1)


def test_every_zone_is_found_by_its_middle() -> None:
    matrix = view(ROCHE, 12, 5)
    found = calibrate_mat(tags_of(ROCHE, matrix, 0.3), ROCHE)
    for name, box in ROCHE.zones.items():
        middle = through(matrix, np.array([[box.x + box.width / 2, box.y + box.height / 2]]))[0]
        assert found.zone_of((float(middle[0]), float(middle[1]))) == name
    outside = through(matrix, np.array([[-40.0, -40.0]]))[0]
    assert found.zone_of((float(outside[0]), float(outside[1]))) is None


def test_two_tags_are_enough_and_one_is_not() -> None:
    tags = tags_of(ROCHE, view(ROCHE, 5, 0))
    assert calibrate_mat(tags[:2], ROCHE).error_px < 0.5
    with pytest.raises(MatNotSeen, match="1 of the mat's 4 tags"):
        calibrate_mat(tags[:1], ROCHE)
    with pytest.raises(MatNotSeen, match="0 of the mat's"):
        calibrate_mat([], ROCHE)


def test_a_scrap_of_another_mat_is_left_out() -> None:
    tags = tags_of(ROCHE, view(ROCHE, 5, 0))
    astray = TagSeen(tags[3].number, to_quad(np.array(tags[3].corners, np.float32) + np.float32([-300, 120])))
    found = calibrate_mat([*tags[:3], astray], ROCHE)
    assert found.tags == tuple(sorted(t.number for t in tags[:3]))
