"""A small demo table with the real rules and a perfect camera."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from demo_world import Service as AnyService
from demo_world import World as AnyWorld
from demo_world import driven

from companion.games.roche.demo.agent import RocheAgent, Timing
from companion.games.roche.demo.felt import felt_of
from companion.games.roche_deck.design import FULL_DECK
from hardware.demo.card_table import CardTable
from hardware.demo.faces import BACK, Faces


def plain_side(side, make):
    """Quick placeholder for a printed side: a shade of grey for each kind."""
    grey = {"genuine": 220, "forged": 160, "foreign": 120}[make]
    return np.full((1039, 744, 3), 60 if side == BACK else grey, np.uint8)


class Service(AnyService):
    def __init__(self, players=(), options=None):
        super().__init__("roche", players, options)


class World(AnyWorld):
    """Agent, felt and a perfect camera that can be blinded."""

    def __init__(self, service=None, *, auto=True, seed=3, is_watching=True, **how):
        how_drawn = {"size": (192, 108), "seed": seed, "pace": 6, "clock": self.clock}
        self.felt = CardTable(Faces(plain_side), FULL_DECK, felt_of(FULL_DECK), **how_drawn)
        super().__init__(self.felt, is_watching=is_watching)
        self.service = service or Service()
        timing = Timing(betting_s=4, result_s=2, between_cards_s=0.2, empty_s=0.5, leftover_s=1)
        self.agent = RocheAgent(self.service, self.felt, auto=auto, seed=seed, timing=timing, clock=self.clock, **how)

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
    """Placeholder card faces."""
    return Faces(plain_side)


@pytest.fixture
def felt(plain_faces):
    """A small table with placeholder cards, driven by `run`."""
    return driven(CardTable(plain_faces, FULL_DECK, felt_of(FULL_DECK), size=(480, 270), seed=3, pace=4), 20.0)
