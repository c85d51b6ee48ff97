"""Whether a die was thrown is decided from rendered pixels of rolling dice and hands; its value comes from a fake."""

from dataclasses import replace

import numpy as np
import pytest

from companion.games.rugen.camera.throws import THROWS
from companion.objects.dice import D20_FACES
from companion.testing import new_table
from companion.tracking.dice.sight import DieSight
from companion.tracking.dice.tray import Spot
from companion.tracking.dice.verdict import Verdict
from companion.vision.frame import Frame
from hardware.demo.dice.models import RADIUS_MM, shown_by
from hardware.demo.dice.table import TrayTable


class KnowingEye:
    """Fake reader: finds the tray's dice at their true positions, and is certain of a flat one after three frames."""

    def __init__(self, tray):
        self.tray, self.readings = tray, 0

    def find(self, image):
        camera = self.tray._tray.camera
        left, top = (round(share * side) for share, side in zip(self.tray.zone[:2], camera.size, strict=True))
        more = round(0.08 * min(round(s * n) for s, n in zip(self.tray.zone[2:], camera.size, strict=True)))
        is_room = image.shape[1] < camera.size[0]
        off = (max(0, left - more), max(0, top - more)) if is_room else (0, 0)
        spots = []
        for die in self.tray._dice:
            x, y = camera.project(np.array([[die.pose.x, die.pose.y, 10.0]]))[0] - off
            r = RADIUS_MM[die.kind] * camera.px_per_mm
            spots.append(Spot((round(x - r), round(y - r), round(2 * r), round(2 * r))))
        return spots

    def start(self):
        self.readings = 0

    def set_known_dice(self, dice):
        pass

    def set_axis(self, axis):
        pass

    def observe(self, image, spot):
        self.readings += 1
        if self.readings < 3:
            return None
        value = int(shown_by("d20", self.tray._dice[-1].face))
        return Verdict("d20", value, D20_FACES[value - 1], 0.999)


class Film:
    """A House Rugen table with the tray, run frame by frame."""

    def __init__(self, seed, fps):
        self.tray, self.fps, self.t = TrayTable(size=(480, 270), seed=seed), fps, 0.0
        self.sight = DieSight(KnowingEye(self.tray), THROWS, zone=self.tray.zone)
        self.throws, self.kinds = 0, set()
        self.table = new_table("rugen-house", [("Ann", 60)]).situation()
        self.run(0.6)

    def frame(self):
        self.t += 1 / self.fps
        self.sight.see(Frame(self.tray.picture(self.t), self.t, 0), self.t)
        now = replace(self.table, state=replace(self.table.state, throws=self.throws))
        advice = self.sight.propose(now)
        if advice.command is not None:
            self.sight.played(advice, now)
            self.throws += 1
        self.kinds = {question.kind for question in advice.questions}

    def run(self, seconds):
        for _ in range(round(seconds * self.fps)):
            self.frame()

    def act(self, what):
        """Perform a hand action, and wait for the result."""
        what()
        self.frame()
        while self.tray.busy:
            self.frame()
        self.run(1.5)


@pytest.mark.parametrize(("seed", "fps"), [(173, 10), (86, 10), (103, 10), (52, 15), (22, 6)])
def test_a_short_throw_that_the_hand_hides_at_first_counts(seed, fps):
    """These throws end two or three die sizes from the throwing hand."""
    film = Film(seed, fps)
    film.act(film.tray.throw)
    assert (film.throws, film.kinds) == (1, set())


@pytest.mark.parametrize(("seed", "fps"), [(1, 10), (2, 6), (3, 30)])
@pytest.mark.thorough
def test_a_die_that_a_hand_sets_down_is_no_throw(seed, fps):
    film = Film(seed, fps)
    film.act(lambda: film.tray.put("12"))
    assert film.throws == 0
    film.act(film.tray.throw)
    film.act(lambda: film.tray.put("7"))
    assert (film.throws, film.kinds) == (1, {"placed"})


@pytest.mark.parametrize("fps", [6, 10])
def test_every_die_that_leaves_the_tray_is_told(fps):
    film = Film(1, fps)
    for _ in range(2):
        film.act(film.tray.overshoot)
        assert film.kinds == {"off-tray"}
        film.act(film.tray.take)
    assert film.throws == 0
