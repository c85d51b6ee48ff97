"""The ball's revolutions are counted, even if part of the bowl is outside the picture."""

import cv2
import numpy as np
import pytest

from companion.games.roulette.camera.finding import Plane
from companion.games.roulette.camera.orbit import Orbit

RING_PX = 120
STEP_S = 1 / 15


def picture(t: float, middle: tuple[int, int], ball_turns: float | None) -> np.ndarray:
    """Return a picture of a turning rotor with spokes and a ball on its track."""
    shown = np.full((600, 600, 3), 60, np.uint8)
    for k in range(37):
        way = 2 * np.pi * (k / 37 + 0.3 * t)
        end = (round(middle[0] + 1.25 * RING_PX * np.cos(way)), round(middle[1] + 1.25 * RING_PX * np.sin(way)))
        cv2.line(shown, middle, end, (20, 20, 160) if k % 2 else (15, 15, 15), 9, cv2.LINE_AA)
    if ball_turns is not None:
        way = 2 * np.pi * ball_turns
        at = (round(middle[0] + 1.9 * RING_PX * np.cos(way)), round(middle[1] + 1.9 * RING_PX * np.sin(way)))
        cv2.circle(shown, at, 9, (240, 240, 240), -1, cv2.LINE_AA)
    return shown


def counted(middle: tuple[int, int], speed: float | None, seconds: float = 2.6) -> float:
    """Return the counted revolutions at a speed in revolutions per second."""
    orbit = Orbit(Plane(np.float32(middle), np.eye(2, dtype=np.float32) / RING_PX, np.zeros(2, np.float32)))
    for t in np.arange(0, seconds, STEP_S):
        orbit.see(picture(t, middle, None if speed is None else speed * t), t)
    return orbit.turns


@pytest.mark.parametrize("speed", [0.8, -0.6])
def test_revolutions_are_counted_both_ways(speed: float) -> None:
    assert counted((300, 300), speed) == pytest.approx(2.6 * abs(speed), abs=0.25)


@pytest.mark.parametrize("middle", [(300, 450), (450, 300), (150, 300)])
def test_a_ball_runs_on_where_the_wheel_leaves_the_picture(middle: tuple[int, int]) -> None:
    """A rotor turning at the picture's border is not mistaken for motion outside it."""
    assert 1.5 < counted(middle, 0.8) < 2.6 * 0.8


@pytest.mark.parametrize("middle", [(300, 300), (300, 450)])
def test_without_a_ball_nothing_is_counted(middle: tuple[int, int]) -> None:
    assert counted(middle, None) < 0.1
