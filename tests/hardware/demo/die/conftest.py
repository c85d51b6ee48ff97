"""A small demo tray, the real rules behind it, and an eye that knows what lies there."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from demo_world import World as AnyWorld

from companion.games.rugen.demo.dealer import DemoRugen, Timing
from companion.kernel.errors import TableError
from companion.kernel.table import Table
from companion.objects.dice import D20_FACES
from companion.testing import new_header
from hardware.demo.dice.table import TrayTable


class Service:
    """The real table without a journal; remembers who said what."""

    def __init__(self, game="rugen-house"):
        self.table = Table(new_header(game, (), {}))
        self.commands, self.questions, self.answers = [], [], []

    def submit(self, record, *, source, key=None, timeout_s=5.0):
        self.table.do(record)
        self.commands.append((source, dict(record)))
        return SimpleNamespace(seq=len(self.commands))

    def events(self, after=0, limit=100, viewer="room"):
        told = [{"kind": "command", "record": record, "source": source} for source, record in self.commands]
        return told[after : after + limit]

    def view(self, viewer="room"):
        return {**self.table.view(), "questions": list(self.questions)}

    def wait(self, after, timeout_s):
        return after + 1

    def answer(self, question_id, choice_id, *, source):
        self.answers.append((question_id, choice_id, source))
        self.questions = [q for q in self.questions if q["id"] != question_id]

    def said(self, verb, source=None):
        return [r for s, r in self.commands if r["do"] == verb and source in (None, s)]


class World(AnyWorld):
    """House, tray and an eye that can be shut, without drawing a picture of every moment."""

    longest_s = 600.0

    def __init__(self, game="rugen-house", *, auto=True, seed=4, is_watching=True, kind="d20", service=None):
        self.tray = TrayTable(kind, size=(192, 108), seed=seed, pace=5)
        super().__init__(self.tray, is_watching=is_watching)
        self.service = service or Service(game)
        self.house = DemoRugen(
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
                self.service.questions = [{"id": "early:1", "kind": "early"}]


@pytest.fixture
def world():
    return World


@pytest.fixture
def d20_faces():
    return D20_FACES
