"""A simulated table: readings of cards, frame by frame, with a real game behind them."""

import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from companion.games.roche.camera.interpreter import RocheInterpreter
from companion.kernel.table import Header, Table
from companion.objects.geometry import POKER
from companion.service.questions import Question
from companion.testing import new_header
from companion.tracking.cards.observations import Observation
from companion.tracking.cards.tracker import Tracker
from companion.vision.sightings import CardSighting, FrameReading, Quad

PX_PER_MM = 2.1


def quad(x: float, y: float, w: float, h: float) -> Quad:
    return ((x, y), (x + w, y), (x + w, y + h), (x, y + h))


def sighting(card: str | None, x: float, y: float, status: str = "ok", deck: str | None = "K7QX", **more: Any):
    """Return the sighting of a card with its top-left corner at x, y px."""
    s = PX_PER_MM
    outline = quad(x, y, POKER.width * s, POKER.height * s)
    box = POKER.qr if status in ("ok", "forged", "foreign") else POKER.first_tag
    corners = outline if status == "unreadable" else quad(x + box.x * s, y + box.y * s, box.width * s, box.height * s)
    known = None if status in ("tag", "unreadable") else deck
    return CardSighting(card, known, status, corners, outline, **more)


@dataclass
class Film:
    """Feeds frames to a tracker. `lay`, `take` and `change` change the table from the next frame on."""

    fps: float = 30.0
    tracker: Tracker = field(default_factory=Tracker)
    t: float = 0.0
    cards: dict[str, CardSighting] = field(default_factory=dict)
    moving: bool = False
    unread_since: float | None = None
    unsure: tuple[Quad, ...] = ()
    cut: bool = False
    seen: list[Observation] = field(default_factory=list)
    shake: random.Random | None = None

    def lay(self, card: str, x: float = 100, y: float = 100, *, name: str = "", **more: Any) -> None:
        self.cards[name or card] = sighting(card, x, y, **more)

    def take(self, *names: str) -> None:
        for name in names:
            del self.cards[name]

    def frame(self) -> tuple[Observation, ...]:
        cards = tuple(self.cards.values())
        if self.shake is not None:
            cards = tuple(c for c in cards if self.shake.random() > 0.2)
        reading = FrameReading(
            (1920, 1080), cards, moving=self.moving, unread_since=self.unread_since, unsure=self.unsure, cut=self.cut
        )
        seen = self.tracker.update(reading, self.t)
        self.t += (1 / self.fps) * (1 if self.shake is None else self.shake.uniform(0.7, 3.0))
        self.seen += seen
        return seen

    def run(self, seconds: float) -> list[Observation]:
        seen: list[Observation] = []
        ends = self.t + seconds
        while self.t < ends - 1e-9:
            seen += self.frame()
        return seen

    def gap(self, seconds: float) -> None:
        self.t += seconds


@dataclass
class Round(Film):
    """Frames of a Roche table, run through the interpreter and the real rules as by the camera thread."""

    header: Header = field(default_factory=lambda: new_header("roche", (("Ann", 1000),)))
    roche: RocheInterpreter = field(default_factory=RocheInterpreter)
    questions: tuple[Question, ...] = ()

    def __post_init__(self) -> None:
        self.table = Table(self.header)

    def frame(self) -> tuple[Observation, ...]:
        seen = super().frame()
        while True:
            advice = self.roche.interpret(self.tracker.tracked(), self.table.situation())
            self.questions = advice.questions
            if advice.command is None:
                return seen
            before = self.table.situation()
            self.table.do(advice.command)
            self.roche.played(advice, before)

    def do(self, verb: str, **more: Any) -> None:
        self.table.do({"do": verb, **more})

    def restart(self) -> None:
        """Restart the program: only the table's own state is kept."""
        self.tracker, self.roche = Tracker(), RocheInterpreter()

    def answer(self, kind: str, choice: str) -> None:
        question = next(q for q in self.questions if q.kind == kind)
        chosen = next(c for c in question.choices if c.id == choice)
        if chosen.command is not None:
            self.table.do(chosen.command)
        self.roche.answered(question, chosen)

    @property
    def dealt(self) -> list[str]:
        return list(self.table.view()["dealt"])

    @property
    def kinds(self) -> list[str]:
        return [q.kind for q in self.questions]


@pytest.fixture
def film() -> Film:
    return Film()


@pytest.fixture
def betting() -> Round:
    """A table whose camera has seen it empty for two seconds; bets are open."""
    table = Round()
    table.run(2)
    return table


@pytest.fixture
def dealing(betting: Round) -> Round:
    """The same, after no more bets."""
    betting.do("no-more-bets")
    betting.run(0.5)
    return betting
