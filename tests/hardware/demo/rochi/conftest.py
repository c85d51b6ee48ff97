"""A small Rochi table with the real rules and a perfect camera."""

from contextlib import suppress
from functools import cache

import numpy as np
import pytest
from demo_world import Service as AnyService
from demo_world import World as AnyWorld
from demo_world import driven

from companion.games.rochi.demo.agent import RochiAgent, RochiTiming
from companion.games.rochi.demo.follow import open_on
from companion.games.rochi.demo.moves import board_of
from companion.games.rochi.demo.players import NAMES
from companion.games.rochi.demo.table import DemoRochiTable, print_rochi_mat
from companion.kernel.errors import TableError
from hardware.demo.faces import BACK, Faces

QUICK = RochiTiming(think_s=(0.05, 0.3), result_s=0.6, empty_s=0.2, grace_s=1, incident_s=2, overdue_s=3, answer_s=0.5)


@cache
def printed_mat():
    """The printed mat, which takes half a second to draw; shared by all tests."""
    return print_rochi_mat()


def plain_side(side, make):
    """Quick placeholder for a printed side: a shade of grey for each kind."""
    return np.full((104, 74, 3), 60 if side == BACK else 200, np.uint8)


class Service(AnyService):
    def __init__(self, players, game="rochi", coins=100, options=None):
        super().__init__(game, tuple((name, coins) for name in NAMES[:players]), options)


class World(AnyWorld):
    """Players, table and perfect camera."""

    longest_s = 300.0

    def __init__(self, players=4, *, seed=3, auto=True, service=None, pace=5, **how):
        self.felt = DemoRochiTable(
            Faces(plain_side), size=(192, 108), seed=seed, pace=pace, clock=self.clock, mat=printed_mat()
        )
        super().__init__(self.felt)
        self.service = service or Service(players, **how)
        self.agent = RochiAgent(self.service, self.felt, auto=auto, seed=seed, timing=QUICK, clock=self.clock)
        self.sees = lambda awaited: awaited.record
        self._last = None

    def look(self):
        if not self.agent._awaited:
            return
        awaited = self.agent._awaited[0]
        record = self.sees(awaited)
        if awaited is self._last or record is None or awaited.record["card"] not in open_on(self.felt):
            return
        self._last = awaited
        with suppress(TableError):
            self.service.submit(record, source="camera")

    @property
    def view(self):
        return self.service.view("dealer")

    @property
    def board(self):
        return board_of(self.service.moment())

    def to_phase(self, phase):
        assert self.run(until=lambda: self.view["phase"] == phase)

    def to_turn(self):
        """Play until a turn starts and everything is at rest."""
        assert self.run(until=lambda: self.view["phase"] == "turns" and self.is_at_rest)

    @property
    def is_at_rest(self):
        view = self.view
        return not (self.felt.busy or self.agent._awaited or any(view["done"].values())) and bool(self.felt.hand(1))


@pytest.fixture
def world():
    return World


@pytest.fixture
def service():
    return Service


@pytest.fixture
def new_felt():
    return lambda: DemoRochiTable(Faces(plain_side), size=(480, 270), seed=3, pace=4, mat=printed_mat())


@pytest.fixture
def felt(new_felt):
    """A small table with placeholder cards and four seats, driven by `run`."""
    table = new_felt()
    table.sit((1, 2, 3, 4))
    return driven(table, 60.0)
