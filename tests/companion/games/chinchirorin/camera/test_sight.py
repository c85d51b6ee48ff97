"""From the network's maps to dice in the picture."""

from __future__ import annotations

import numpy as np
import pytest

from companion.games.chinchirorin.camera.canvas import SIDE, STRIDE, Frame, blob, drawn, framed
from companion.games.chinchirorin.camera.rim import Rim
from companion.games.chinchirorin.camera.sight import dice_in

RIM = Rim((300.0, 200.0), 320.0, 320.0, 0.0, 0.0, 0.0)
PLACES = SIDE // STRIDE


def frame(turn_deg: float = 0.0) -> Frame:
    return framed(RIM.center, RIM.longer, turn_deg, 0.0)


def maps(*dice: tuple[int, int, int]) -> np.ndarray:
    """Maps of dice with a value, at some places (row, column)."""
    found = np.full((16, PLACES, PLACES), -6, np.float32)
    found[4:7] = 0
    for row, column, value in dice:
        found[0:4, row, column] = 4, 3, 3, 2
        for r, c in ((row, column), (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            found[7:14, max(r, 0), max(c, 0)] = -5
            found[[7, 7 + value], max(r, 0), max(c, 0)] = 5
    return found


def test_nothing_is_no_dice():
    assert dice_in(maps(), frame(), RIM) == ()


def test_a_die_lies_where_its_heat_is():
    middle = PLACES // 2
    (die,) = dice_in(maps((middle, middle, 4)), frame(), RIM)
    assert die.box.center == pytest.approx((305, 205), abs=2)
    assert die.box.size_px == 40
    assert die.values.argmax() == 3
    assert die.flat > 0.9
    assert die.place == "in"


def test_two_dice_side_by_side_are_two_and_one_is_not_doubled():
    assert len(dice_in(maps((10, 10, 1), (10, 14, 1)), frame(), RIM)) == 2
    assert len(dice_in(maps((10, 10, 1), (10, 11, 1)), frame(), RIM)) == 1


def test_a_die_beyond_the_rim_is_out():
    (die,) = dice_in(maps((0, 0, 4)), frame(), RIM)
    assert die.place == "out"


@pytest.mark.parametrize("turn_deg", [0.0, 35.0, 180.0])
def test_a_point_comes_back_from_the_canvas(turn_deg: float):
    point = np.array([311.0, 77.0])
    laid = frame(turn_deg).where @ (*point, 1)
    assert frame(turn_deg).back(laid[None])[0] == pytest.approx(point)


def test_what_leads_away_from_the_camera_is_up_on_the_canvas():
    picture = np.zeros((400, 600, 3), np.uint8)
    picture[:, 400:] = 255  # to the right of the bowl's middle
    canvas = drawn(picture, frame(90.0))
    assert canvas[:30].mean() > 250 > 5 > canvas[-30:].mean()


def test_the_network_is_told_where_each_pixel_lies_in_the_bowl():
    told = blob(np.zeros((SIDE, SIDE, 3), np.uint8), framed(RIM.center, RIM.longer, 0.0, 15.0))
    assert told[0, 3, 0, -1] == pytest.approx(SIDE / 256, abs=0.01)
    assert told[0, 4, 0, 0] == pytest.approx(-SIDE / 256, abs=0.01)
    assert told[0, 5].max() == 0.5
