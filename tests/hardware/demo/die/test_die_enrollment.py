"""A die at rest before the camera is enrolled at every tap, whatever its detected outline."""

import pytest

from companion.tracking.dice.enrollment import DieEnrollment
from companion.tracking.enrollment import UnusablePicture
from companion.vision.dice.enrolled import EnrolledDice
from companion.vision.frame import Frame
from hardware.demo.dice.table import TrayTable


class Camera:
    """Renders a new picture of the tray on each read."""

    def __init__(self, tray):
        self.tray, self.t = tray, 0.0

    def frame(self):
        self.t += 0.2
        return Frame(self.tray.picture(self.t), self.t, round(5 * self.t))


@pytest.fixture
def enrollment(tmp_path):
    tray = TrayTable(seed=4)
    tray.lay("17")
    camera = Camera(tray)
    camera.frame()
    return DieEnrollment(camera, EnrolledDice(tmp_path), zone=tray.zone, clock=lambda: camera.t)


def test_a_die_that_lies_still_is_taken_every_time(enrollment):
    enrollment.begin("house", "d20")
    for _ in range(5):
        enrollment.take("17")
    assert [face["face"] for face in enrollment.state()["enrollment"]["faces"] if face["shown"]] == ["17"]


def test_a_die_that_rolls_is_not_taken(enrollment):
    enrollment.begin("house", "d20")
    enrollment._live._camera.tray.nudge()
    with pytest.raises(UnusablePicture, match="still moves"):
        enrollment.take("17")
