"""From the networks' outputs to dice in the picture."""

from collections.abc import Sequence
from math import atan2, degrees, hypot, sqrt
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from companion.games.chinchirorin.camera import detection
from companion.games.chinchirorin.camera.canvas import (
    SIDE,
    STRIDE,
    Frame,
    bowl_frame,
    crop_input,
    die_frame,
    finder_input,
    warped,
)
from companion.games.chinchirorin.camera.decision import TOWARDS_CAMERA
from companion.games.chinchirorin.camera.detection import (
    TRAY_MARGINS,
    BowlNetworks,
    Candidate,
    Pass,
    candidates_in,
    detections_in,
    distinct,
    next_candidates,
)
from companion.games.chinchirorin.camera.orientation import UPRIGHT, quartic
from companion.games.chinchirorin.camera.rim import Rim
from companion.vision.dice.axis import UPPER_FACE_HEIGHT
from companion.vision.dice.boxes import DieBox

RIM = Rim((300.0, 200.0), 320.0, 320.0, 0.0, 0.0, 0.0)
PLACES = SIDE // STRIDE


def frame(turn_deg: float = 0.0) -> Frame:
    return bowl_frame(RIM.center, RIM.major_px, turn_deg, 0.0)


def maps(*dice: tuple[int, int]) -> np.ndarray:
    """Return heat maps with dice at some cells (row, column)."""
    found = np.full((7, PLACES, PLACES), -6, np.float32)
    found[4:7] = 0
    for row, column in dice:
        found[0:4, row, column] = 4, 3, 3, 2
    return found


def close(x: float, y: float) -> Frame:
    return die_frame((x, y), 40.0, RIM.major_px, 30.0, 0.0)


def says(value: int, *, is_die: float = 4.0, flat: float = 4.0, off: tuple[float, float] = (0.0, 0.0)) -> np.ndarray:
    said = np.array([is_die, *off, 0, flat, *([-5.0] * 6), 0, 0, *np.eye(3).ravel(), *UPRIGHT, 2.0], np.float32)
    said[4 + value] = 5
    return said


def test_nothing_is_no_dice():
    assert candidates_in(maps(), frame()) == ()


def test_a_die_may_lie_where_the_heat_is():
    middle = PLACES // 2
    (candidate,) = candidates_in(maps((middle, middle)), frame())
    assert (candidate.x, candidate.y) == pytest.approx((305, 205), abs=2)
    assert candidate.size == pytest.approx(40)


def test_two_dice_side_by_side_are_two_spots_and_one_is_not_doubled():
    assert len(candidates_in(maps((10, 10), (10, 14)), frame())) == 2
    assert len(candidates_in(maps((10, 10), (10, 11)), frame())) == 1


def test_a_die_is_what_its_closeup_says():
    (die,) = distinct(detections_in(says(4)[None], [close(305, 205)], RIM))
    assert die.box.center == pytest.approx((305, 205), abs=1)
    assert die.box.size_px == 40
    assert die.values.argmax() == 3
    assert die.flat > 0.9
    assert die.place == "in"


def test_how_a_die_is_turned_is_told_as_the_picture_shows_it():
    """The crop is rotated by 30 degrees: right in the crop is right and down in the picture."""
    (die,) = distinct(detections_in(says(4)[None], [close(305, 205)], RIM))
    right = [3**0.5 / 2, 0.5, 0.0]
    assert die.faces[0] == pytest.approx(right)
    assert quartic(np.array([right, [1, 0, 0]])) @ die.orientation == pytest.approx([1, 0.625])


def test_a_closeup_beside_a_die_says_where_it_is():
    """The offset, in die sizes, is relative to the rotated crop."""
    (die,) = distinct(detections_in(says(4, off=(0.0, 0.5))[None], [die_frame((305, 205), 40.0, 320, 90.0, 0.0)], RIM))
    assert die.box.center == pytest.approx((285, 205), abs=1)


def test_two_closeups_of_one_die_are_one_die():
    two = distinct(
        detections_in(
            np.stack([says(4, off=(0.3, 0)), says(4, off=(-0.3, 0))]), [close(300, 205), close(318, 215)], RIM
        )
    )
    far = distinct(detections_in(np.stack([says(4), says(5)]), [close(300, 205), close(328, 205)], RIM))
    assert (len(two), len(far)) == (1, 2)


def test_a_die_beyond_the_rim_is_out():
    (die,) = distinct(detections_in(says(4)[None], [close(130, 40)], RIM))
    assert die.place == "out"


@pytest.mark.parametrize("turn_deg", [0.0, 35.0, 180.0])
def test_a_point_comes_back_from_the_canvas(turn_deg: float):
    point = np.array([311.0, 77.0])
    laid = frame(turn_deg).matrix @ (*point, 1)
    assert frame(turn_deg).back(laid[None])[0] == pytest.approx(point)


def test_what_leads_away_from_the_camera_is_up_on_the_canvas():
    picture = np.zeros((400, 600, 3), np.uint8)
    picture[:, 400:] = 255  # to the right of the bowl's middle
    canvas = warped(picture, frame(90.0))
    assert canvas[:30].mean() > 250 > 5 > canvas[-30:].mean()


def test_the_network_is_told_where_each_pixel_lies_in_the_bowl():
    told = finder_input(
        np.zeros((SIDE, SIDE, 3), np.uint8), bowl_frame(RIM.center, RIM.major_px, 0.0, 15.0), RIM.center
    )
    assert told[0, 3, 0, -1] == pytest.approx(SIDE / 256, abs=0.01)
    assert told[0, 4, 0, 0] == pytest.approx(-SIDE / 256, abs=0.01)
    assert told[0, 5].max() == 0.5


def test_a_closeup_is_told_where_it_lies_and_which_way_the_camera_is_tilted():
    seen = die_frame((380.0, 200.0), 40.0, RIM.major_px, 90.0, 15.0)  # halfway to the rim on the right, which is up
    told = crop_input(warped(np.zeros((400, 600, 3), np.uint8), seen), seen, RIM.center, 90.0)
    assert told[3].mean() == pytest.approx(0, abs=0.02)
    assert told[4].mean() == pytest.approx(-0.5, abs=0.02)
    assert told[5:, 0, 0] == pytest.approx([0.5, 0], abs=1e-6)
    assert crop_input(warped(np.zeros((400, 600, 3), np.uint8), seen), seen, RIM.center, None)[5:].max() == 0


def test_a_die_beyond_the_picture_is_still_drawn():
    assert warped(np.full((60, 80, 3), 90, np.uint8), close(300, 300)).min() == 90


def seen_at(*places: tuple[float, float]) -> Pass:
    dice = distinct(detections_in(np.stack([says(4) for _ in places]), [close(*at) for at in places], RIM))
    return Pass(RIM, dice, tuple(Candidate(*die.box.center, die.box.size_px, 0.9) for die in dice))


def offered(candidates: Sequence[Candidate], x: float, y: float) -> bool:
    """Whether a candidate is close enough to a point to reveal a die there."""
    return any(np.hypot(candidate.x - x, candidate.y - y) < 0.36 * candidate.size for candidate in candidates)


def test_all_around_three_dice_it_is_looked_for_others_once():
    three = seen_at((240, 205), (300, 205), (360, 205))
    candidates = next_candidates(three, 0)
    assert candidates[:3] == three.candidates
    for hidden in ((240, 185), (270, 205), (313, 178), (400, 205)):  # half under one of them, or touching it
        assert offered(candidates, *hidden)
    assert not offered(candidates, 300, 300)
    assert next_candidates(three, 1) == three.candidates


def test_where_too_few_dice_are_read_the_whole_bowl_is_searched():
    candidates = next_candidates(seen_at((260, 205), (340, 205)), 0)
    at = np.arange(0, 400, 10)
    inside = [(x, y) for x in at + 100 for y in at if RIM.relative_radius((x, y)) < 0.8]
    assert all(offered(candidates, x, y) for x, y in inside)
    assert all(RIM.relative_radius((candidate.x, candidate.y)) < 1 for candidate in candidates)


def test_where_no_die_is_read_none_tells_how_large_they_are():
    assert next_candidates(Pass(RIM, ()), 0) == ()


def shown_to_trays(monkeypatch: pytest.MonkeyPatch, lean: float) -> list[np.ndarray]:
    """Return the inputs of fake tray networks, which give uniform values and a lean."""
    shown: list[np.ndarray] = []

    def predict(crops: list[np.ndarray]) -> list[SimpleNamespace]:
        shown.extend(crops)
        return [SimpleNamespace(d6=np.full(6, 1 / 6, np.float32), lean=lean) for _ in crops]

    monkeypatch.setattr(detection, "shared_classifier", lambda: SimpleNamespace(predict=predict))
    return shown


@pytest.mark.parametrize(("lean", "total"), [(0.3, 1.0), (0.7, 0.0)])
def test_a_die_that_rather_leans_to_the_networks_for_trays_has_no_value_by_them(
    monkeypatch: pytest.MonkeyPatch, lean: float, total: float
):
    """They are not trained on slopes: they may read such a die's side."""
    shown_to_trays(monkeypatch, lean)
    die = DieBox((20, 20, 60, 60), 0.9)
    chances = BowlNetworks().tray_values(np.zeros((200, 200, 3), np.uint8), die, TOWARDS_CAMERA, 0.0)
    assert chances.sum() == pytest.approx(total)


@pytest.mark.parametrize("aside", [(0.0, 0.0), (0.6, 0.0), (0.0, -0.6), (-0.4, 0.4)])
def test_the_networks_for_trays_see_a_die_from_above_its_upper_face(
    monkeypatch: pytest.MonkeyPatch, aside: tuple[float, float]
):
    """A disc on a slanted face is an off-centre ellipse in the picture, and round and centred in their input."""
    shown = shown_to_trays(monkeypatch, 0.0)
    far = hypot(*aside)
    middle = (200 + 100 * UPPER_FACE_HEIGHT * aside[0], 200 + 100 * UPPER_FACE_HEIGHT * aside[1])
    turn_deg = degrees(atan2(aside[1], aside[0]))
    picture = np.zeros((400, 400, 3), np.uint8)
    cv2.ellipse(picture, (middle, (40 * sqrt(1 - far**2), 40.0), turn_deg), (255, 255, 255), -1, cv2.LINE_AA)
    for around in TRAY_MARGINS:
        BowlNetworks().tray_values(picture, DieBox((150, 150, 100, 100), 0.9), (*aside, sqrt(1 - far**2)), around)
    close, wide = (cv2.boundingRect((crop[..., 0] > 127).astype(np.uint8)) for crop in shown)
    for x, y, w, h in (close, wide):
        assert abs(w - h) <= 2
        assert (x + w / 2, y + h / 2) == pytest.approx((shown[0].shape[1] / 2, shown[0].shape[0] / 2), abs=4)
    assert close[2] > wide[2]


def test_spots_that_met_at_one_die_become_one():
    three = seen_at((240, 205), (300, 205), (360, 205))
    met = Pass(RIM, three.dice, (*three.candidates, Candidate(304, 207, 40, 0.2)))
    assert next_candidates(met, 1) == three.candidates
