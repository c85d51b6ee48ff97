"""A rendered die leaning on the tray's wall is not answered, neither in a still picture nor at a running table."""

import random
from dataclasses import replace

import pytest

from companion.games.rugen.camera.throws import THROWS
from companion.rendering.poses import resting
from companion.testing import new_table
from companion.tracking.dice.reader import TrayReader
from companion.tracking.dice.sight import DieSight
from companion.vision.dice.finding.walls import AT_WALL
from companion.vision.dice.reader import DiceReader
from companion.vision.frame import Frame
from hardware.demo.dice.flight import DiePose, leaning_pose
from hardware.demo.dice.models import RADIUS_MM, face_index, model
from hardware.demo.dice.scene import HALF_MM, DieView, TrayScene

RADIUS = RADIUS_MM["d20"]
WALL = HALF_MM[0] - 0.86 * RADIUS
APART = 1.5 * 2 * RADIUS


@pytest.fixture(scope="module")
def scene():
    return TrayScene((1920, 1080), seed=2)


@pytest.fixture(scope="module", params=[("16", 40.0, 3), ("2", 200.0, 5)])
def pair(scene, request):
    """The same die leaning on the left wall, and flat one and a half die sizes from it; and its value."""
    shown, angle, seed = request.param
    flat = resting(model("d20").solid, face_index("d20", shown), angle)
    leans = picture(scene, DiePose(-WALL, 10.0, 0.0, leaning_pose(flat, random.Random(seed))))
    return leans, picture(scene, DiePose(-WALL + APART, 10.0, 0.0, flat)), int(shown)


def picture(scene, pose):
    scene.dice = (DieView("d20", pose),)
    return scene.picture((), 0)


def test_the_reader_of_pictures_says_why_and_answers_the_die_that_lies(pair):
    leans, lies, value = pair
    reader = DiceReader(("d20",), alone=True)
    assert [(die.value, die.reason) for die in reader.read(leans).dice] == [(None, AT_WALL)]
    assert [(die.value, die.reason) for die in reader.read(lies).dice] == [(value, "")]


def test_the_running_table_is_not_sure_of_it_and_reads_the_die_that_lies(scene, pair):
    leans, lies, value = pair
    reports = [watched(scene, image) for image in (leans, lies)]
    assert [report["shown"] for report in reports] == [None, str(value)]
    assert reports[0]["state"] in ("unsure", "leaning")


def watched(scene, image):
    """Return the report on a die that lies in the tray from the beginning."""
    sight = DieSight(TrayReader(), THROWS, zone=scene.zone)
    for number in range(12):
        sight.see(Frame(image, number / 30, number), number / 30)
        sight.propose(replace(new_table("rugen-house").situation(), expected=frozenset()))
    return sight.report()
