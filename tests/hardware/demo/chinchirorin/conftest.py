"""A small demo bowl with the real rules and a fake camera that knows the dice."""

import pytest
from demo_world import Service
from demo_world import World as AnyWorld

from companion.games.chinchirorin.demo.agent import THROWING, ChinchirorinAgent, Timing
from companion.games.chinchirorin.demo.table import BowlTable
from companion.plugins.panel import OpenQuestion
from companion.tracking.entered import answer_text
from companion.tracking.watched import COUNT, label_of


class World(AnyWorld):
    """Agent, bowl and a fake camera that can be blinded; it reports the dice of each throw in a different order."""

    def __init__(self, *, auto=True, seed=4, is_watching=True, service=None):
        self.bowl = BowlTable(size=(192, 108), seed=seed, pace=6)
        super().__init__(self.bowl, is_watching=is_watching)
        self.service = service or Service("chinchirorin")
        self.agent = ChinchirorinAgent(
            self.service, self.bowl, auto=auto, seed=seed, clock=self.clock,
            timing=Timing(saying_s=0.2, before_s=0.3, asked_s=0.5, overdue_s=2),
        )  # fmt: skip
        self.read = self.counted = 0
        self.truths = []
        "True dice of each confirmed throw."

    @property
    def is_throwing(self):
        return self.service.moment().state.phase in THROWING

    def look(self):
        if self.bowl.count == self.read or not self.is_throwing:
            return
        self.read, shown = self.bowl.count, self.bowl.shown
        if shown is not None:
            answer = {"out": True} if shown == "out" else {"dice": list(shown)[::-1]}
            self.service.questions = [
                OpenQuestion(f"watch-rest:{self.read}", "?", ((COUNT, label_of(answer_text(answer))),))
            ]

    def run(self, seconds=None, until=lambda: False):
        def both():
            answers = getattr(self.service, "answers", ())  # a real table applies answers itself
            for _ in answers[self.counted :]:
                self.truths.append(self.agent.truth())
                self.service.submit(self.truths[-1], source="camera")
            self.counted = len(answers)
            if hasattr(self.service, "answers") and not self.is_throwing:
                self.service.questions = []
            return until()

        return super().run(seconds, both)


@pytest.fixture
def world():
    return World
