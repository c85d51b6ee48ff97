"""Finding the bowl in a picture, and the camera's tilt."""

import cv2
import numpy as np
import pytest
from held_bowls import dropped, throw

from companion.games.chinchirorin.camera.detection import BowlNetworks
from companion.games.chinchirorin.camera.rim import SEARCH_PX, Rim, bowl_log_odds
from companion.vision.dice.finding.heat import HeatNet
from companion.vision.dice.finding.segments import shrunk
from companion.vision.networks import packaged_model


@pytest.fixture(scope="module")
def networks() -> BowlNetworks:
    return BowlNetworks()


def test_a_point_on_the_rim_is_one_off():
    rim = Rim((100.0, 80.0), 60.0, 40.0, 0.0, 48.0, 0.0)
    assert rim.relative_radius((100, 80)) == 0
    assert rim.relative_radius((130, 80)) == pytest.approx(1)
    assert rim.relative_radius((100, 60)) == pytest.approx(1)
    assert rim.box == (70, 60, 60, 40)


@pytest.mark.parametrize("turn", [0, 40, -40])
def test_up_leads_away_from_the_camera(networks: BowlNetworks, turn: int):
    """Of the two directions compatible with an ellipse, the one nearer to the picture's upper side."""
    picture = np.full((360, 400, 3), (70, 110, 150), np.uint8)
    cv2.ellipse(picture, (200, 180), (150, 128), turn, 0, 360, (215, 225, 230), -1, cv2.LINE_AA)
    rim = networks.rim(picture)
    assert rim is not None
    assert rim.away_deg == pytest.approx(turn, abs=12)
    assert rim.tilt_deg == pytest.approx(31, abs=6)


def test_a_bowl_is_where_it_was_painted(networks: BowlNetworks):
    """Drawn independently of the training: a plain ellipse with a dark rim on a plain table."""
    picture = np.full((360, 480, 3), (70, 110, 150), np.uint8)
    cv2.ellipse(picture, (250, 170), (150, 138), 20, 0, 360, (40, 50, 60), 14, cv2.LINE_AA)
    cv2.ellipse(picture, (250, 170), (146, 134), 20, 0, 360, (215, 225, 230), -1, cv2.LINE_AA)
    rim = networks.rim(picture)
    assert rim is not None
    assert rim.center == pytest.approx((250, 170), abs=8)
    assert rim.major_px == pytest.approx(296, rel=0.06)
    assert rim.tilt_deg < 32


@pytest.mark.parametrize("colour", [(240, 240, 240), (30, 90, 40), (10, 10, 10)])
def test_a_table_alone_has_no_bowl(networks: BowlNetworks, colour: tuple[int, int, int]):
    assert networks.rim(np.full((300, 400, 3), colour, np.uint8)) is None


@pytest.mark.parametrize("seed", [0, 3, 5])
def test_a_rendered_bowl_is_found(networks: BowlNetworks, seed: int):
    shown = throw(seed, size_px=44)
    rim = networks.rim(shown.picture)
    assert rim is not None
    assert all(rim.relative_radius((x + w / 2, y + h / 2)) < 1 for x, y, w, h in shown.boxes)


@pytest.mark.parametrize("number", [32, 567])
def test_a_bowl_on_a_bold_print_is_found(networks: BowlNetworks, number: int):
    """The network is uncertain about all of it, but its edge is complete."""
    shown = throw(number, laid=dropped(number))
    rim = networks.rim(shown.picture)
    assert rim is not None
    assert shown.rim is not None
    assert np.median([rim.relative_radius(point) for point in shown.rim]) == pytest.approx(
        1, abs=0.12
    )  # some lips are thick


def test_a_bowl_is_seen_alike_whichever_way_round_the_picture_is():
    net = HeatNet(packaged_model("companion.games.chinchirorin.camera", "bowl_view.onnx"))
    small = shrunk(throw(3, size_px=44).picture, SEARCH_PX)
    turned = np.ascontiguousarray(np.rot90(small))
    assert np.rot90(bowl_log_odds(small, net)) == pytest.approx(bowl_log_odds(turned, net), abs=1e-3)


@pytest.mark.parametrize("off", [8, 60])
def test_a_bowl_may_reach_a_little_out_of_the_picture(networks: BowlNetworks, off: int):
    """The cropped part must be too narrow for a die."""
    picture = np.full((360, 480, 3), (70, 110, 150), np.uint8)
    cv2.circle(picture, (250, 146 - off), 150, (40, 50, 60), 10, cv2.LINE_AA)
    cv2.circle(picture, (250, 146 - off), 146, (215, 225, 230), -1, cv2.LINE_AA)
    assert (networks.rim(picture) is None) == (off == 60)


def test_a_tiny_picture_is_none(networks: BowlNetworks):
    assert networks.rim(np.zeros((8, 8, 3), np.uint8)) is None
