"""The solids are what they are called, and know which faces touch and oppose each other."""

import random
from typing import get_args

import numpy as np
import pytest

from companion.rendering.layouts import STANDARD_NEIGHBOURS, d6_layout, d20_layout, day_night_layout, standard_d20
from companion.rendering.poses import UP, leaning, matrix, resting, top_face
from companion.rendering.solids import SolidName, solid

COUNTS = {"d4": (4, 4, 3), "d6": (8, 6, 4), "d8": (6, 8, 3), "d10": (12, 10, 4), "d12": (20, 12, 5), "d20": (12, 20, 3)}


@pytest.mark.parametrize("name", get_args(SolidName))
def test_a_solid_has_its_corners_and_flat_outward_faces(name):
    die = solid(name)
    corners, faces, sides = COUNTS[name]
    assert (len(die.vertices), len(die.faces)) == (corners, faces)
    for face, ring in enumerate(die.faces):
        heights = die.vertices[list(ring)] @ die.normals[face]
        assert len(ring) == sides
        assert np.allclose(heights, heights[0])
        assert (die.vertices @ die.normals[face] <= heights[0] + 1e-9).all()


@pytest.mark.parametrize("name", get_args(SolidName))
def test_neighbours_are_mutual_and_opposites_parallel(name):
    die = solid(name)
    for face in range(len(die.faces)):
        assert all(face in die.neighbours(other) for other in die.neighbours(face))
        opposite = die.opposite(face)
        assert (opposite is None) == (name == "d4")
        assert opposite is None or np.allclose(die.normals[face], -die.normals[opposite])


@pytest.mark.parametrize("mirrored", [False, True])
def test_the_usual_d20_has_its_neighbours_and_opposites_of_21(mirrored):
    die, layout = solid("d20"), standard_d20(mirrored=mirrored)
    assert sorted(layout) == list(range(1, 21))
    for face, value in enumerate(layout):
        assert {layout[other] for other in die.neighbours(face)} == set(STANDARD_NEIGHBOURS[value])
        assert layout[die.opposite(face)] == 21 - value


def test_the_mirrored_d20_runs_the_other_way_round():
    die = solid("d20")

    def around_20(layout):
        ring = [layout[other] for other in die.neighbours(layout.index(20))]
        return ring[ring.index(2) :] + ring[: ring.index(2)]

    assert around_20(standard_d20()) == [2, *around_20(standard_d20(mirrored=True))[:0:-1]]


@pytest.mark.parametrize("seed", range(5))
def test_each_number_of_a_spindown_lies_beside_the_next(seed):
    die, layout = solid("d20"), d20_layout("spindown", random.Random(seed))
    assert sorted(layout) == list(range(1, 21))
    for value in range(1, 20):
        assert layout.index(value + 1) in die.neighbours(layout.index(value))


@pytest.mark.parametrize(("name", "turn"), [("western", 1), ("asian", -1)])
def test_opposites_of_a_d6_add_to_7_and_1_2_3_run_its_way_round(name, turn):
    die, layout = solid("d6"), d6_layout(name)
    assert all(layout[face] + layout[die.opposite(face)] == 7 for face in range(6))
    one, two, three = (die.normals[layout.index(value)] for value in (1, 2, 3))
    assert np.sign(np.cross(one, two) @ three) == turn


def test_a_rugen_die_has_every_face_once():
    assert sorted(day_night_layout()) == list(range(20))
    assert sorted(day_night_layout(random.Random(3))) == list(range(20))


@pytest.mark.parametrize("name", ["d6", "d8", "d10", "d12", "d20"])
def test_a_resting_die_shows_the_face_it_was_laid_with(name):
    die = solid(name)
    for face in range(len(die.faces)):
        seen, off = top_face(die, resting(die, face, 37.0 * face))
        assert (seen, round(off, 4)) == (face, 0.0)


def test_a_tetrahedron_rests_on_a_face():
    die = solid("d4")
    lowest = die.vertices @ matrix(resting(die, 2, 50.0)).T @ UP
    assert np.allclose(sorted(lowest)[:3], lowest.min())


def test_a_leaning_die_is_off_by_the_angle():
    die = solid("d20")
    assert top_face(die, leaning(resting(die, 4), 17.0, 200.0)) == (4, pytest.approx(17.0))
