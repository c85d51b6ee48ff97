"""A small demo table, the real table rules behind it, and an eye that misses nothing."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from demo_world import World as AnyWorld
from demo_world import driven

from companion.games.roche.demo.dealer import DemoHouse, Timing
from companion.games.roche.demo.felt import felt_of
from companion.games.roche_deck.design import FULL_DECK
from companion.kernel.table import Table
from companion.testing import new_header
from hardware.demo.card_table import CardTable
from hardware.demo.faces import BACK, Faces


def plain_side(side, make):
    """A quick stand-in for the print: grey by what it is."""
    grey = {"genuine": 220, "forged": 160, "foreign": 120}[make]
    return np.full((1039, 744, 3), 60 if side == BACK else grey, np.uint8)


class Service:
    """The real table, without a journal: accepts commands and remembers who gave them."""

    def __init__(self, players=(), options=None):
        self.table = Table(new_header("roche", tuple(players), options or {}))
        self.commands = []
        self.questions = []
        self.version = 1
        self._lock = threading.RLock()

    def submit(self, record, *, source, key=None, timeout_s=5.0):
        with self._lock:
            events = self.table.do(record)
            self.commands.append((source, dict(record)))
            self.version += 1
        return SimpleNamespace(seq=self.version, events=events)

    def events(self, after=0, limit=100, viewer="room"):
        told = [{"kind": "command", "record": record, "source": source} for source, record in self.commands]
        return told[after : after + limit]

    def view(self, viewer="room"):
        with self._lock:
            return {**self.table.view(), "questions": list(self.questions), "version": self.version}

    def wait(self, after, timeout_s):
        threading.Event().wait(min(timeout_s, 0.01))
        return self.version

    def said(self, verb, source=None):
        return [r for s, r in self.commands if r["do"] == verb and source in (None, s)]


class World(AnyWorld):
    """House, felt and an eye that can be shut."""

    def __init__(self, service=None, *, auto=True, seed=3, is_watching=True, **how):
        how_drawn = {"size": (192, 108), "seed": seed, "pace": 6, "clock": self.clock}
        self.felt = CardTable(Faces(plain_side), FULL_DECK, felt_of(FULL_DECK), **how_drawn)
        super().__init__(self.felt, is_watching=is_watching)
        self.service = service or Service()
        timing = Timing(betting_s=4, result_s=2, between_cards_s=0.2, empty_s=0.5, leftover_s=1)
        self.house = DemoHouse(self.service, self.felt, auto=auto, seed=seed, timing=timing, clock=self.clock, **how)

    def look(self):
        view = self.service.view()
        for card in self.felt.lying:
            good = card.make == "genuine" and card.face_up and card.id not in view["dealt"]
            if good and view["phase"] == "dealing" and self.service.view()["phase"] == "dealing":
                self.service.submit({"do": "deal", "card": card.id}, source="camera")


@pytest.fixture
def world():
    return World


@pytest.fixture
def service():
    return Service


@pytest.fixture
def plain_faces():
    """Cards with nothing but their names on them."""
    return Faces(plain_side)


@pytest.fixture
def felt(plain_faces):
    """A small table with plain cards, driven by `run`."""
    return driven(CardTable(plain_faces, FULL_DECK, felt_of(FULL_DECK), size=(480, 270), seed=3, pace=4), 20.0)
