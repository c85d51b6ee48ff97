"""The pocket, and nothing else, is reported while the wheel still turns, after the ball has run."""

from dataclasses import replace

import built_wheels
import numpy as np
import pytest
import turned_wheels
from spins import Spin, spin

from companion.games.roulette.camera.finding import Plane
from companion.games.roulette.camera.orbit import Orbit
from companion.games.roulette.camera.watch import WheelWatch
from companion.plugins.perception import WatchReading


def film(looks, seed: int, kind: str, **plan: object) -> Spin:
    made = spin(looks.wheel(looks.look(seed, film=True)), np.random.default_rng(seed), kind)
    return replace(made, **{"fps": 15.0, "rest_s": 1.5, **plan})


def watched(plan: Spin) -> list[tuple[float, WatchReading]]:
    watch = WheelWatch()
    return [(shot.t, watch.see(shot.picture, shot.t)) for shot in plan.shots()]


@pytest.mark.parametrize(("looks", "seed"), [(turned_wheels, 1), (built_wheels, 2)], ids=["turned", "built"])
@pytest.mark.thorough
def test_a_spin_is_answered_once_the_ball_rests(looks, seed: int) -> None:
    plan = film(looks, seed, "spun")
    seen = watched(plan)
    answers = [(t, reading) for t, reading in seen if reading.answer is not None]
    assert {reading.answer["pocket"] for _, reading in answers} == {plan.pocket}
    assert answers[0][0] - plan.rests_at < plan.turn_s
    assert any(reading.moving for _, reading in seen)
    assert {reading.key for _, reading in answers} == {1}


@pytest.mark.thorough
def test_a_ball_put_into_its_pocket_is_asked_about() -> None:
    plan = film(turned_wheels, 1, "placed", rest_s=3.0)
    seen = [reading for _, reading in watched(plan)]
    assert {reading.answer for reading in seen} == {None}
    assert plan.pocket in str(seen[-1].question)


@pytest.mark.thorough
def test_a_ball_that_leaves_the_wheel_is_not_answered() -> None:
    plan = film(turned_wheels, 1, "lost", rest_s=1.2)
    assert {reading.answer for _, reading in watched(plan)} == {None}


@pytest.mark.thorough
def test_the_spin_after_one_that_was_not_read_is_another() -> None:
    """The ball jumped out, or its pocket was entered by hand; nothing else marks the new spin."""
    plan = film(turned_wheels, 1, "lost", rest_s=0.2)
    watch = WheelWatch()
    for shot in plan.shots():
        ran = watch.see(shot.picture, shot.t)
    assert (ran.moving, ran.key) == (True, 1)
    for t in range(4, 13):
        waits = watch.see(shot.picture, float(t))
    assert (waits.moving, waits.answer, waits.key) == (False, None, 1)
    assert str(waits.question).startswith("The ball ran round the wheel, but is seen in no pocket.")
    keys = {watch.see(shot.picture, 13 + shot.t).key for shot in replace(plan, kind="running").shots()}
    assert keys == {1, 2}


def test_an_empty_picture_has_no_wheel() -> None:
    assert WheelWatch().see(np.zeros((240, 320, 3), np.uint8), 0.0) == WatchReading(moving=False)


# ---- the ball's revolutions


def turns(angles: list[float], fps: float = 30.0) -> float:
    """Return the counted revolutions of a white dot at these angles (revolutions)."""
    orbit = Orbit(Plane(np.float32([160, 160]), np.eye(2, dtype=np.float32) / 80, np.zeros(2, np.float32)))
    for i, angle in enumerate(angles):
        picture = np.full((320, 320, 3), 60, np.uint8)
        x, y = 160 + 130 * np.cos(2 * np.pi * angle), 160 + 130 * np.sin(2 * np.pi * angle)
        picture[round(y) - 5 : round(y) + 5, round(x) - 5 : round(x) + 5] = 230
        orbit.see(picture, i / fps)
    return orbit.turns


def test_revolutions_are_counted_either_way() -> None:
    way = [i / 30 * 1.2 for i in range(60)]
    assert turns(way) == pytest.approx(2.2, abs=0.25)
    assert turns([-angle for angle in way]) == pytest.approx(2.2, abs=0.25)


def test_a_ball_that_lies_or_rocks_makes_no_revolution() -> None:
    assert turns([0.3] * 40) == 0
    assert turns([0.3 + 0.05 * (i // 4 % 2) for i in range(60)]) < 0.5
