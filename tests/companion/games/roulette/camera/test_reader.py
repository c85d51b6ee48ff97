"""Pictures of wheels by two renderers are read correctly or not at all."""

from dataclasses import replace
from types import ModuleType

import built_wheels
import cv2
import numpy as np
import pytest
import turned_wheels

from companion.games.roulette.camera.finding import Plane
from companion.games.roulette.camera.reader import Wheel, find_wheel, read_wheel, surely_seen

LOOKS = pytest.mark.parametrize("looks", [turned_wheels, built_wheels], ids=["turned", "built"])


def read(looks: ModuleType, seed: int, ball: str) -> tuple[str, str | None]:
    """Return the true pocket and the answer; the ball ``rests``, ``runs`` or there is ``none``."""
    wheel, rng = looks.wheel(looks.look(seed, film=True)), np.random.default_rng([seed, 8])
    turn, pocket = rng.uniform(0, 2 * np.pi), str(wheel.pockets[rng.integers(len(wheel.pockets))])
    lies = {"rests": wheel.resting(pocket, turn, rng.uniform(-0.1, 0.1)), "runs": wheel.on_track(turn), "none": None}
    answer = read_wheel(wheel.picture(turn, lies[ball])).answer
    return pocket, None if answer is None else answer["pocket"]


@LOOKS
@pytest.mark.thorough
def test_a_resting_ball_is_read_and_never_wrong(looks: ModuleType) -> None:
    answers = [read(looks, seed, "rests") for seed in range(300, 312)]
    assert [answer for pocket, answer in answers if answer not in (pocket, None)] == []
    assert sum(answer is not None for _, answer in answers) >= 4


@LOOKS
@pytest.mark.parametrize("ball", ["runs", "none"])
@pytest.mark.thorough
def test_without_a_resting_ball_there_is_no_answer(looks: ModuleType, ball: str) -> None:
    assert {read(looks, seed, ball)[1] for seed in range(320, 324)} == {None}


@pytest.mark.parametrize("size", [(0, 0), (40, 60), (480, 640)])
def test_a_picture_without_a_wheel_has_no_answer(size: tuple[int, int]) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (*size, 3), np.uint8)
    for picture in (np.zeros((*size, 3), np.uint8), noise):
        reading = read_wheel(picture)
        assert (reading.answer, reading.confidence) == (None, 0.0)


def test_a_red_and_black_layout_is_no_wheel() -> None:
    picture = np.full((480, 640, 3), (40, 90, 30), np.uint8)
    for i in range(12):
        for j in range(3):
            color = (30, 30, 190) if (i + j) % 2 else (20, 20, 20)
            cv2.rectangle(picture, (60 + 40 * i, 150 + 50 * j), (98 + 40 * i, 198 + 50 * j), color, -1)
    assert read_wheel(picture).answer is None


def test_the_tilt_of_the_wheel_is_found() -> None:
    """The ellipse alone does not determine the nearer side; perspective does."""
    look = turned_wheels.look(3, film=True)
    look.tilt_deg, look.towards = 30.0, -np.pi / 2
    wheel = turned_wheels.wheel(look)
    found = find_wheel(wheel.picture(1.0, None))
    assert found is not None
    across, away = found.ring.plane.lean
    assert abs(across) < 0.2
    assert away == pytest.approx(np.tan(np.radians(30)), abs=0.15)


def test_a_ring_that_was_taken_for_another_size_is_not_surely_seen() -> None:
    """Its pockets are visible, but at the strip's border, where a ball would be cut off."""
    wheel = turned_wheels.wheel(turned_wheels.look(3, film=True))
    picture = wheel.picture(1.0, None)
    found = find_wheel(picture)
    assert found is not None
    assert surely_seen(found.unroll(picture))
    plane = found.ring.plane
    large = Wheel(replace(found.ring, plane=replace(plane, flat=plane.flat / np.float32(1.6))))
    strip = large.unroll(picture)
    assert (strip.fit > 0.5, strip.wrong) == (True, ())
    assert not surely_seen(strip)


def test_a_plane_maps_there_and_back() -> None:
    plane = Plane(np.float32([300, 200]), np.float32([[0.01, 0.001], [0.001, 0.012]]), np.float32([0.0001, 0.0005]))
    points = np.float32([[0, 0], [1, 0], [-0.3, 0.9]])
    assert plane.to_plane(plane.to_picture(points)) == pytest.approx(points, abs=1e-4)
