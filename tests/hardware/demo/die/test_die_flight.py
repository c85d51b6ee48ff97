"""A throw ends in its random pose, without a jump on its way."""

import math
import random
from itertools import pairwise

import numpy as np
import pytest

from companion.objects.dice import D20_FACES
from companion.rendering.poses import matrix, resting, top_face
from companion.rendering.solids import solid
from hardware.demo.dice.flight import DiePose, leaning_pose, plan_flight, plan_nudge
from hardware.demo.dice.models import face_index, model, shown_by
from hardware.demo.dice.scene import HALF_MM

D20 = solid("d20")


@pytest.mark.parametrize("seed", range(6))
def test_a_throw_ends_flat_inside_the_tray_with_the_face_that_was_meant(seed):
    rng = random.Random(seed)
    flight = plan_flight(D20, 13.0, 7, (90.0, 45.0), HALF_MM, rng)
    end = flight.at(flight.seconds)
    face, off = top_face(D20, end.turn)
    assert (face, round(off, 3), round(end.z, 3)) == (7, 0.0, 0.0)
    assert abs(end.x) < HALF_MM[0] - 13
    assert abs(end.y) < HALF_MM[1] - 13
    assert flight.at(flight.seconds + 5).x == end.x


@pytest.mark.parametrize("seed", range(3))
def test_it_never_jumps_or_sinks_and_slows_down(seed):
    flight = plan_flight(D20, 13.0, 3, (90.0, 45.0), HALF_MM, random.Random(seed))
    poses = [flight.at(flight.seconds * i / 300) for i in range(301)]
    steps = [math.dist((a.x, a.y), (b.x, b.y)) for a, b in pairwise(poses)]
    assert max(steps) < 3.0
    assert sum(steps[:60]) > 3 * sum(steps[-60:])
    assert min(pose.z for pose in poses) > -1e-6
    lowest = [float((D20.vertices @ matrix(p.turn).T)[:, 2].min()) * 13.0 + p.z for p in poses]
    assert max(lowest) - min(lowest) < 40


def test_a_nudge_ends_on_a_face_beside_the_one_before():
    rng = random.Random(2)
    pose = DiePose(10.0, -5.0, 0.0, resting(D20, 4, 30.0))
    faces = {top_face(D20, plan_nudge(pose, D20, 13.0, rng).end)[0] for _ in range(20)}
    assert faces <= set(D20.neighbours(4))
    assert len(faces) > 1


def test_a_leaning_die_lies_on_no_face():
    off = [top_face(D20, leaning_pose(resting(D20, 1, 15.0 * i), random.Random(i)))[1] for i in range(20)]
    assert min(off) > 15


@pytest.mark.parametrize("shown", ["1", "9", "20"])
def test_every_value_has_its_face_on_the_d20(shown):
    assert shown_by("d20", face_index("d20", shown)) == shown


def test_the_rugen_die_has_every_face_as_often_as_its_table_says():
    shown = [shown_by("rugen", face) for face in range(20)]
    assert sorted(shown) == sorted(D20_FACES)
    assert all(shown_by("rugen", face_index("rugen", face)) == face for face in set(D20_FACES))


def test_models_are_made_once():
    assert model("d20") is model("d20")
    assert len(model("rugen").art) == 20
    assert np.asarray(model("d12").solid.normals).shape == (12, 3)
