"""A rendered wheel is one that the reader of wheels knows, and its ball is where it should be."""

import numpy as np
import pytest

from companion.games.roulette.camera.reader import find_wheel, sight
from companion.games.roulette.wheel import RIMS, color_of
from companion.rendering.wheels.rotor_art import Pocket
from companion.rendering.wheels.shape import Ball, Eye, seen_at
from companion.rendering.wheels.wheel import Place, Wheel

GROUNDS = {"red": (30, 26, 178), "black": (28, 26, 26), "green": (60, 130, 30)}


def table(wheel: str = "european") -> tuple[Wheel, np.ndarray]:
    """Return a wheel, and the picture of the table with all of it that never moves."""
    place = Place((230.0, 240.0), 200.0, 1.1, Eye(150.0, 0.0, 1500.0))
    made = Wheel([Pocket(pocket, GROUNDS[color_of(pocket)]) for pocket in RIMS[wheel]], place)
    still = np.full((480, 640, 3), (52, 78, 40), np.uint8)
    made.draw_still(still)
    return made, still


@pytest.mark.parametrize("wheel", ["european", "american"])
def test_the_reader_sees_the_ball_in_its_pocket(wheel: str) -> None:
    made, still = table(wheel)
    for place, turn in ((5, 0.3), (20, 2.9), (31, 5.0)):
        picture = still.copy()
        made.draw(picture, turn, made.resting(place, turn))
        found = find_wheel(picture)
        assert found is not None
        assert sight(picture, found).pocket == RIMS[wheel][place]


def test_only_rotor_and_ball_are_drawn_anew() -> None:
    made, still = table()
    first, second = still.copy(), still.copy()
    made.draw(first, 0.0, None)
    made.draw(second, 1.0, None)
    ys, xs = np.nonzero((first != second).any(axis=2))
    away = np.hypot(xs - 230.0, ys - 240.0)
    assert away.max() < 0.62 * 200 * 1.1
    assert (still[:, 520:] == first[:, 520:]).all()


def test_a_ball_on_its_track_is_seen_there() -> None:
    made, still = table()
    picture = still.copy()
    made.draw(picture, 0.0, None)
    bare = picture.copy()
    made.draw(picture, 0.0, Ball(0.5, made.track_mm))
    ys, xs = np.nonzero((picture.astype(int) - bare > 60).any(axis=2))
    x, y = seen_at((made.track_mm * np.cos(0.5), made.track_mm * np.sin(0.5), 38.0), made.place.eye)
    assert (xs.mean(), ys.mean()) == pytest.approx((230 + 1.1 * x, 240 + 1.1 * y), abs=2.5)
