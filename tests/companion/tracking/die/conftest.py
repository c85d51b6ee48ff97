"""A dice tray drawn in flat colours, a fake die reader, and the real pipeline with the real rules of Rugen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
import pytest

from companion.games.rugen.camera.throws import THROWS
from companion.kernel.table import Table
from companion.service.questions import Question
from companion.testing import new_header
from companion.tracking.dice.sight import WHOLE, DieSight
from companion.tracking.dice.tray import Spot
from companion.tracking.dice.verdict import Verdict
from companion.vision.frame import Frame

WIDTH, HEIGHT, DIE = 480, 320, 44
FPS = 30.0
ENDS = ((150.0, 150.0), (230.0, 190.0), (110.0, 220.0), (300.0, 140.0))
_RNG = np.random.default_rng(4)
_CLOTH = (90 + _RNG.normal(0, 4, (HEIGHT, WIDTH, 3))).clip(0, 255).astype(np.uint8)
_TROUBLES = {"?": "unsure", "/": "leaning", "d12": "wrong-kind"}


@dataclass
class Here:
    """A die in the tray: its middle, and what a good eye would say about it ("?" unsure, "/" leaning, "d12")."""

    x: float
    y: float
    shown: str

    @property
    def spot(self) -> Spot:
        return Spot((round(self.x - DIE / 2), round(self.y - DIE / 2), DIE, DIE))


def verdict_of(shown: str) -> Verdict:
    if shown in _TROUBLES:
        likely = ("6", "9") if shown == "?" else ()
        return Verdict(None if shown == "d12" else "d20", trouble=_TROUBLES[shown], likely=likely)  # type: ignore[arg-type]
    from companion.objects.dice import face_of_d20, number_of

    if shown.isdigit():
        return Verdict("d20", int(shown), face_of_d20(int(shown)), 0.999)
    return Verdict("rugen", number_of(shown), shown, 0.999)


@dataclass
class Eye:
    """Finds every die that is not under the hand; reaches a verdict after three frames."""

    tray: TrayFilm
    readings: int = 0

    def find(self, image: Any) -> list[Spot]:
        left = WIDTH - image.shape[1]  # what is cut off is cut off at the left
        spots = [die.spot.box for die in self.tray.dice if not self.tray.covers(die)]
        return [Spot((x - left, y, w, h)) for x, y, w, h in spots if 0 <= x + w / 2 - left < image.shape[1]]

    def start(self) -> None:
        self.readings = 0

    def set_known_dice(self, dice: Any) -> None:
        self.known = tuple(dice)

    def set_axis(self, axis: Any) -> None:
        self.axis = axis

    def observe(self, image: Any, spot: Spot) -> Verdict | None:
        self.readings += 1
        left = WIDTH - image.shape[1]
        here = Spot((spot.box[0] + left, *spot.box[1:]))
        near = [die for die in self.tray.dice if die.spot.apart(here) < 0.3]
        return verdict_of(near[0].shown) if near and self.readings >= 3 else None


@dataclass
class TrayFilm:
    """Feeds frames of the tray to a pipeline, and plays its proposals by the real rules."""

    game: str = "rugen-house"
    players: tuple[tuple[str, int], ...] = (("Ann", 1000), ("Ben", 1000))
    t: float = 100.0
    dice: list[Here] = field(default_factory=list)
    hand: tuple[float, float] | None = None
    questions: tuple[Question, ...] = ()
    notes: list[str] = field(default_factory=list)
    played_at: float | None = None
    thrown: int = 0
    zone: tuple[float, float, float, float] = WHOLE
    fps: float = FPS

    def __post_init__(self) -> None:
        self.table = Table(new_header(self.game, self.players, {}))
        self.new_sight()

    def new_sight(self) -> None:
        self.sight = DieSight(Eye(self), THROWS, zone=self.zone)

    # -- pictures

    def covers(self, die: Here) -> bool:
        return self.hand is not None and abs(self.hand[0] - die.x) < 45 and die.y > self.hand[1] - 20

    def picture(self) -> Any:
        image = _CLOTH.copy()
        for die in self.dice:
            x, y, w, h = die.spot.box
            cv2.rectangle(image, (x, y), (x + w, y + h), (200, 205, 210), -1)
            number = die.shown if len(die.shown) < 3 else "#"
            cv2.putText(image, number, (x + 4, y + 32), cv2.FONT_HERSHEY_SIMPLEX, 0.9, (20, 20, 30), 2)
        if self.hand is not None:
            x, y = (round(v) for v in self.hand)
            cv2.rectangle(image, (x - 45, y), (x + 45, HEIGHT), (120, 150, 210), -1)
        return image

    def frame(self) -> None:
        self.t += 1 / self.fps
        self.notes += [note.text for note in self.sight.see(Frame(self.picture(), self.t, 0), self.t)]
        self._follow()

    def _follow(self) -> None:
        while True:
            advice = self.sight.propose(self.table.situation())
            self.questions = advice.questions
            if advice.command is None:
                return
            before = self.table.situation()
            self.table.do(advice.command)
            self.played_at = self.t
            self.sight.played(advice, before)

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds * FPS)):
            self.frame()

    # -- hand actions

    def reach(self, x: float, y: float, *, seconds: float = 0.3) -> None:
        """Move the hand in from the lower edge of the picture."""
        steps = max(1, round(seconds * FPS))
        for i in range(steps):
            self.hand = (x, HEIGHT - (HEIGHT - y) * (i + 1) / steps)
            self.frame()

    def leave(self, *, seconds: float = 0.2) -> None:
        assert self.hand is not None
        x, y = self.hand
        steps = max(1, round(seconds * FPS))
        for i in range(steps):
            self.hand = (x, y + (HEIGHT - y) * (i + 1) / steps)
            self.frame()
        self.hand = None
        self.frame()

    def pick_up(self) -> None:
        """Pick up all dice."""
        for die in list(self.dice):
            self.reach(die.x, die.y - 30)
            self.run(0.1)
            self.dice.remove(die)
            self.leave()

    def roll(self, shown: str, start: tuple[float, float], end: tuple[float, float], seconds: float = 0.8) -> None:
        """Roll a die in without a hand; its numbers change on the way."""
        die = Here(*start, "1")
        self.dice.append(die)
        steps = round(seconds * FPS)
        for i in range(steps):
            share = 1 - (1 - (i + 1) / steps) ** 2
            die.x, die.y = (a + (b - a) * share for a, b in zip(start, end, strict=True))
            die.shown = str(3 + i % 15) if i < steps - 1 else shown
            self.frame()

    def throw(self, shown: str) -> None:
        """Pick up the die, throw it to another place, and wait for the result."""
        self.pick_up()
        self.thrown += 1
        self.roll(shown, (440.0, 60.0), ENDS[self.thrown % len(ENDS)])
        self.run(0.8)

    def put(self, shown: str, x: float = 200.0, y: float = 150.0) -> None:
        """Put a die down by hand."""
        self.reach(x, y - 30)
        self.dice.append(Here(x, y, shown))
        self.run(0.2)
        self.leave()
        self.run(0.8)

    # -- the table

    def do(self, verb: str, **more: Any) -> None:
        self.table.do({"do": verb, **more})
        self._follow()

    def answer(self, kind: str, choice: str) -> None:
        question = next(q for q in self.questions if q.kind == kind)
        chosen = next(c for c in question.choices if c.id.startswith(choice))
        if chosen.command is not None:
            self.table.do(chosen.command)
        self.sight.answered(question, chosen)
        self._follow()

    @property
    def chain(self) -> list[str]:
        return list(self.table.view()["chain"])

    @property
    def throws(self) -> int:
        return int(self.table.view()["throws"])

    @property
    def kinds(self) -> list[str]:
        return [question.kind for question in self.questions]


@pytest.fixture
def tray() -> TrayFilm:
    """A House Rugen table whose camera has seen its tray empty for a second."""
    film = TrayFilm()
    film.run(1.0)
    return film


@pytest.fixture
def film() -> type[TrayFilm]:
    return TrayFilm


@pytest.fixture
def here() -> type[Here]:
    return Here
