"""What the networks for dice in a bowl learn from."""

from __future__ import annotations

import numpy as np

from companion.games.chinchirorin.camera.canvas import CLOSE_PX, CLOSE_SIDE, STRIDE
from tools.training.bowls.closeups import NO_VALUE, Told, closeups
from tools.training.bowls.looks import Shot
from tools.training.bowls.pieces import SIDE, Wanted, piece
from tools.training.bowls.throws import Lying, Note


def shot(note: Note = "sure") -> Shot:
    """A white die on a black bowl that fills most of the picture."""
    picture = np.zeros((272, 272, 3), np.uint8)
    picture[120:150, 100:130] = 255
    turn = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    rim = np.column_stack([136 + 125 * np.cos(turn), 136 + 125 * np.sin(turn)]).astype(np.float32)
    die = Lying(4 if note == "sure" else None, note, (100.0, 120.0, 30.0, 30.0), 1.0, (0.0, 0.0))
    return Shot(picture, (die,), rim, 0.0, 0.0)


def pieces(note: Note = "sure") -> list[tuple[np.ndarray, Wanted]]:
    return [piece(shot(note), np.random.default_rng(seed)) for seed in range(12)]


def test_the_heat_is_where_the_die_is():
    whole = [(inputs, wanted) for inputs, wanted in pieces() if wanted.heat.max() == 1]
    assert len(whole) >= 8
    for inputs, wanted in whole:
        row, column = np.unravel_index(wanted.heat.argmax(), wanted.heat.shape)
        half = STRIDE // 2
        around = inputs[:3, half * row : half * row + half, half * column : half * column + half]
        assert inputs.shape == (6, SIDE, SIDE)
        assert around.mean() > inputs[:3].mean() + 0.2


def shown(note: Note = "sure") -> list[tuple[np.ndarray, Told]]:
    return [each for seed in range(6) for each in closeups(shot(note), np.random.default_rng(seed), 8)]


def test_a_closeup_of_a_die_shows_it_where_it_is_told():
    dice = [(inputs, told) for inputs, told in shown() if told.is_die == 1]
    assert len(dice) >= 20
    for inputs, told in dice:
        x, y = (int(CLOSE_SIDE / 2 + CLOSE_PX * off) for off in told.off[:2])
        assert inputs[:3, y, x].mean() > inputs[:3].mean() + 0.2


def test_a_flat_die_has_its_value_and_a_cocked_one_none():
    assert {(told.flat, told.value) for _, told in shown() if told.is_die == 1} == {(1, 3)}
    assert {(told.flat, told.value) for _, told in shown("cocked") if told.is_die == 1} == {(0, NO_VALUE)}


def test_what_is_no_die_has_neither():
    none = [told for _, told in shown() if told.is_die == 0]
    assert none
    assert {(told.flat, told.value) for told in none} == {(-1, NO_VALUE)}
