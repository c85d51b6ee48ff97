"""Pips counted without a network: correctly, or not at all."""

import numpy as np
import plain_dice
import pytest

from companion.vision.dice.boxes import DieBox
from companion.vision.dice.faces.pips import count_pips, pattern_of


def d6(value: int, rng: np.random.Generator, **how: float) -> tuple[np.ndarray, DieBox]:
    size = int(rng.uniform(70, 160))
    ground = str(rng.choice(plain_dice.GROUNDS))
    scene = plain_dice.Scene(plain_dice.ground(ground, (240, 240), rng))
    drawn = plain_dice.put(scene, "d6", value, (120, 120), size, plain_dice.random_look(rng), rng, **how)
    return plain_dice.finish(scene.image, rng), DieBox(drawn.box, 1.0)


@pytest.mark.parametrize("value", range(1, 7))
def test_pips_are_counted(value: int) -> None:
    rng = np.random.default_rng(40 + value)
    counts = [count_pips(*d6(value, rng)) for _ in range(24)]
    assert set(counts) <= {value, None}
    assert counts.count(value) >= 16


def test_a_bare_background_has_no_pips() -> None:
    bare = plain_dice.ground("paper", (200, 200), np.random.default_rng(1))
    assert count_pips(bare, DieBox((50, 50, 100, 100), 1.0)) is None


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("turn", [0.0, 0.4, 1.1])
def test_each_face_has_its_pattern(value: int, turn: float) -> None:
    spots = np.array(plain_dice.PIPS[value], float) * 0.2
    turned = spots @ np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    assert pattern_of(turned) == value


def test_spots_without_a_pattern_are_no_face() -> None:
    assert pattern_of(np.zeros((0, 2))) is None
    assert pattern_of(np.array([(0.3, 0.3)])) is None  # off-center
    row = np.array([(x, 0.0) for x in (-0.3, -0.1, 0.1, 0.3)])
    assert pattern_of(row) is None
    assert pattern_of(np.array([(x, 0.0) for x in (-0.3, -0.15, 0, 0.15, 0.3)])) is None
    assert pattern_of(np.array([(np.cos(a) * 0.3, np.sin(a) * 0.3) for a in np.arange(6) * np.pi / 3])) is None
