"""Faint new objects that turn with the rotor are found; static ones are not."""

import cv2
import numpy as np
import pytest

from companion.games.roulette.camera.memory import STEPS, Memory, View, lasting, thirds_of
from companion.games.roulette.camera.rest import even

POCKETS, ROWS = 37, 54
COLUMNS = POCKETS * STEPS


def disc(place: float, *, row: int = 22, size: float = 4.0) -> np.ndarray:
    """Return a mask of a disc on the rotor, float (rows, columns, 1); ``place`` in pockets."""
    y, x = np.mgrid[0:ROWS, 0:COLUMNS]
    across = (x - place * STEPS + COLUMNS / 2) % COLUMNS - COLUMNS / 2
    return (np.hypot(across, y - row) < size)[..., None].astype(float)


def views(times: list[float], ball: float | None, *, level: float = 25.0, hops: float = 0.0) -> list[View]:
    """Return views of a noisy rotor under a static lamp, with a ball that hops by ``hops`` pockets after 0.5 s."""
    rng = np.random.default_rng(5)
    rotor = cv2.resize(rng.uniform(20, 160, (9, POCKETS * 2, 3)), (COLUMNS, ROWS))
    made = []
    for i, t in enumerate(times):
        turn = int(40 * t) % COLUMNS
        colors = rotor + 80 * np.roll(disc(9.5, size=6.0), -turn, 1) + rng.normal(0, 4, rotor.shape)
        if ball is not None:
            colors = colors + level * disc(ball + (hops if i >= len(times) // 2 else 0.0))
        made.append(View(t, (turn + 0.25) / STEPS, colors.clip(0, 255).astype(np.uint8)))
    return made


def memory() -> Memory:
    made = Memory()
    for view in views([0.15 * i for i in range(12)], None):
        made.learn(view)
    return made


def latest() -> list[float]:
    return [3.0 + i / 15 for i in range(14)]


@pytest.mark.parametrize("ball", [0.2, 9.5, 21.5, 36.8])
def test_a_faint_ball_is_found_in_its_pocket(ball: float) -> None:
    remembered = memory()
    seen = [remembered.unlit(view) for view in views(latest(), ball)]
    difference = remembered.difference_map(lasting(*thirds_of(seen))).strongest()
    assert (difference.place - ball + POCKETS / 2) % POCKETS - POCKETS / 2 == pytest.approx(0, abs=0.15)
    assert difference.clear > 3
    places, shares = remembered.traces(seen, difference)
    assert np.abs(places).max() < 0.3
    assert shares.min() > 0.4


def test_a_lamp_that_does_not_turn_is_nothing_new() -> None:
    remembered = memory()
    difference = remembered.difference_map(
        lasting(*thirds_of([remembered.unlit(view) for view in views(latest(), None)]))
    ).strongest()
    assert difference.contrast < 8


def test_a_ball_that_hops_is_not_in_the_same_place_in_all_views() -> None:
    remembered = memory()
    seen = [remembered.unlit(view) for view in views(latest(), 20.5, level=60, hops=1.0)]
    places, shares = remembered.traces(seen, remembered.difference_map(lasting(*thirds_of(seen))).strongest())
    assert ((shares > 0.4) & (np.abs(places - np.median(places)) < 0.3)).mean() < 0.75


def test_only_views_of_an_even_turning_count() -> None:
    seen = views(latest(), None)
    odd = [*seen[:3], View(seen[3].t, seen[3].turn + 2, seen[3].colors), *seen[4:]]
    assert even(odd, POCKETS) == [*seen[:3], *seen[4:]]
    assert even([View(v.t, v.turn + 2 * (i % 3), v.colors) for i, v in enumerate(seen)], POCKETS) == []
