"""A small demo tray, the real rules behind it, and an eye that knows what lies there."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from companion.dice import D20_FACES
from companion.errors import TableError
from companion.table import Header, Table
from hardware.demo.die_dealer import DemoRugen, Timing
from hardware.demo.die_table import TrayTable

FPS = 12


class Service:
    """The real table without a journal; remembers who said what."""

    def __init__(self, game="rugen-house"):
        self.table = Table(Header(game, (), {}))
        self.commands, self.questions, self.answers = [], [], []

    def submit(self, record, *, source, key=None, timeout_s=5.0):
        self.table.do(record)
        self.commands.append((source, dict(record)))
        return SimpleNamespace(seq=len(self.commands))

    def view(self, viewer="room"):
        return {**self.table.view(), "questions": list(self.questions)}

    def wait(self, after, timeout_s):
        return after + 1

    def answer(self, question_id, choice_id, *, source):
        self.answers.append((question_id, choice_id, source))
        self.questions = [q for q in self.questions if q["id"] != question_id]

    def said(self, verb, source=None):
        return [r for s, r in self.commands if r["do"] == verb and source in (None, s)]


class World:
    """Runs house, tray and eye together on a clock of its own, without drawing a picture of every moment."""

    def __init__(self, game="rugen-house", *, auto=True, seed=4, is_seeing=True, kind="d20"):
        self.now = 50.0
        self.service = Service(game)
        self.tray = TrayTable(kind, size=(192, 108), seed=seed, pace=5)
        self.house = DemoRugen(
            self.service, self.tray, auto=auto, seed=seed, clock=lambda: self.now,
            timing=Timing(betting_s=3, between_s=1.5, asked_s=2, overdue_s=4),
        )  # fmt: skip
        self.is_seeing, self.read = is_seeing, 0

    def run(self, seconds=1e9, until=lambda: False):
        end = self.now + min(seconds, 600)
        while self.now < end:
            self.house.tick()
            self.tray.picture(self.now)
            if self.is_seeing and not self.tray.busy:
                self.look()
            if until():
                return True
            self.now += 1 / FPS
        return False

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
