"""A small demo tray with the real rules and a fake camera that knows the die."""

import pytest
from demo_world import Service, asked
from demo_world import World as AnyWorld

from companion.games.rugen.demo.agent import RugenAgent, Timing
from companion.kernel.errors import TableError
from companion.objects.dice import D20_FACES
from hardware.demo.dice.table import TrayTable


class World(AnyWorld):
    """Agent, tray and a fake camera that can be blinded; not every frame is rendered."""

    longest_s = 600.0

    def __init__(self, game="rugen-house", *, auto=True, seed=4, is_watching=True, kind="d20", service=None):
        self.tray = TrayTable(kind, size=(192, 108), seed=seed, pace=5)
        super().__init__(self.tray, is_watching=is_watching)
        self.service = service or Service(game)
        self.agent = RugenAgent(
            self.service, self.tray, auto=auto, seed=seed, clock=self.clock,
            timing=Timing(betting_s=3, between_s=1.5, asked_s=2, overdue_s=4),
        )  # fmt: skip
        self.read = 0

    def look(self):
        if len(self.tray.lying) == 1 and self.tray.thrown != self.read:
            self.read = self.tray.thrown
            shown = self.tray.lying[0]
            try:
                record = {"do": "throw", "d20": int(shown)} if shown.isdigit() else {"do": "throw", "face": shown}
                self.service.submit(record, source="camera")
            except TableError:
                self.service.questions = [asked("early:1", "early")]


@pytest.fixture
def world():
    return World


@pytest.fixture
def d20_faces():
    return D20_FACES
