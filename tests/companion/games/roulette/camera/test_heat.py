"""The most ball-like place is found all around the ring, and its strongest rival."""

import numpy as np
import pytest

from companion.games.roulette.camera.heat import (
    COLUMNS,
    FIRST,
    LAST,
    Kind,
    Peak,
    at_once,
    columns_near,
    highest,
    middle_odds,
    new_ring,
    ring_odds,
)
from companion.games.roulette.camera.rotor import INNERMOST, OUTERMOST, ROWS

HIGH, WIDE = LAST - FIRST, 37 * COLUMNS


class FakeBrightHeat:
    """Fake network: the first channel is the log-odds of a ball."""

    def heat(self, kind: Kind, rings: np.ndarray) -> np.ndarray:
        n, _, high, wide = rings.shape
        return rings[:, 0].reshape(n, high // 2, 2, wide // 2, 2).mean((2, 4))


def ring(*balls: tuple[float, float]) -> np.ndarray:
    """Return a ring, float32 (6, rows, columns), with balls of given log-odds at places in pockets; -5 elsewhere."""
    made = np.full((6, HIGH, WIDE), -5.0, np.float32)
    for place, odds in balls:
        at = (round(place * COLUMNS) + np.arange(-2, 2)) % WIDE
        made[0, 20:24, at] = odds
    return made


def peak_of(*balls: tuple[float, float]) -> Peak:
    """Return the most likely position of a ball in a ring with these balls."""
    return highest(at_once(ring_odds(FakeBrightHeat(), "rest", ring(*balls))))


@pytest.mark.parametrize("place", [0.0, 0.5, 12.5, 36.5, 36.9])
def test_a_ball_is_found_all_round_the_ring(place: float) -> None:
    peak = peak_of((place, 4.0))
    assert (peak.place - place + 18.5) % 37 - 18.5 == pytest.approx(0, abs=0.1)
    assert (peak.odds, peak.rival) == (4.0, -5.0)
    row = (peak.radius - INNERMOST) / (OUTERMOST - INNERMOST) * (ROWS - 1)
    assert row == pytest.approx(FIRST + 21.5, abs=1.1)


def test_a_second_ball_is_a_rival() -> None:
    peak = peak_of((5.5, 4.0), (30.5, 3.0))
    assert peak.rival == 3.0


@pytest.mark.parametrize("place", [0.1, 18.5, 36.9])
def test_each_part_of_the_views_is_asked_about_the_same_place(place: float) -> None:
    rings = np.stack([ring((place, 4.0)), ring(), ring(((place + 2) % 37, 4.0))])
    near = rings[..., columns_near(place, 37)]
    assert middle_odds(FakeBrightHeat(), "rest", near, 0.3).tolist() == [4.0, -5.0, -5.0]


def test_what_is_new_is_told_apart_from_what_is_usual() -> None:
    usual = np.full((HIGH, WIDE, 3), 64.0, np.float32)
    made = new_ring(usual + 16, usual)
    assert made.shape == (6, HIGH, WIDE)
    assert np.unique(made[:3]).tolist() == [0.5]
    assert np.unique(made[3:]).tolist() == [-0.5]
