"""What the networks for dice in a bowl learn from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.games.chinchirorin.camera.canvas import CLOSE_PX, CLOSE_SIDE, STRIDE
from companion.rendering.bowls.rays import Camera, Die
from companion.rendering.bowls.shapes import Bowl, Pose, lifted, rest, tipped, upright
from companion.rendering.materials import Material
from tools.training.bowls.closeups import NO_VALUE, Told, closeups
from tools.training.bowls.looks import Shot
from tools.training.bowls.pieces import SIDE, Wanted, piece
from tools.training.bowls.throws import Lying, Note
from tools.training.bowls.throws import told as lying_of


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


def test_how_a_die_is_turned_is_told_as_the_closeup_shows_it():
    whole = shot()
    faces = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0))
    turned = replace(whole, dice=(replace(whole.dice[0], faces=faces),))
    told = [each for _, each in closeups(turned, np.random.default_rng(3), 12) if each.is_die == 1]
    assert len({round(each.faces[0][0], 3) for each in told}) > 3
    for each in told:
        assert np.linalg.det(np.array(each.faces)) == pytest.approx(-1)
        assert each.faces[1] == (0, 0, 1)
        assert each.lies == 1


def test_a_die_lies_on_the_slope_and_not_once_it_is_tipped():
    bowl = Bowl(3.0, 2.0, 1.5)
    pose = rest(bowl, 0.8, 0.3, upright(0, 1, 0.4))
    assert pose is not None
    camera = Camera((200, 200), 800.0, 20.0, roll=0.3)
    layout = (1, 2, 3, 4, 5, 6)
    tip = lifted(bowl, tipped(pose, 0.5, 1.0), [])
    lying, standing = (
        lying_of(Die((), Material((0.0, 0.0, 0.0)), each, 1.0), layout, 1.0, camera, bowl) for each in (pose, tip)
    )
    assert (lying.lies, standing.lies) == (True, False)
    assert lying.faces is not None
    assert np.array(lying.faces) @ np.array(lying.faces).T == pytest.approx(np.eye(3), abs=1e-6)


def test_a_die_off_the_middle_is_seen_from_its_inner_side():
    """Below a camera that looks straight down a level die looks outwards, as its inner side shows."""
    camera = Camera((200, 200), 800.0, 20.0)
    die = Die((), Material((0.0, 0.0, 0.0)), Pose(np.array([4.0, 0.0, 0.5]), np.eye(3)), 1.0)
    seen = lying_of(die, (1, 2, 3, 4, 5, 6), 1.0, camera, Bowl(6.0, 1.0, 1.0, flat=0.95))
    assert seen.faces is not None
    upper = max((np.array(face) * sign for face in seen.faces for sign in (1, -1)), key=lambda face: float(face[2]))
    x, y = camera.project(np.array([[4.0, 0.0, 0.5]]))[0] - 100
    assert upper[:2] == pytest.approx(np.array([x, y]) / np.hypot(x, y) * 0.196, abs=0.01)


def test_what_is_no_die_has_neither():
    none = [told for _, told in shown() if told.is_die == 0]
    assert none
    assert {(told.flat, told.value) for told in none} == {(-1, NO_VALUE)}
