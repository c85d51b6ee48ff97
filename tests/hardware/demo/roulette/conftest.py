"""A small demo wheel with the real rules and a fake camera that knows ball and chips."""

import pytest
from demo_world import Service, asked
from demo_world import World as AnyWorld

from companion.games.roulette.demo.agent import RouletteAgent, Timing
from companion.games.roulette.demo.table import RouletteTable
from companion.plugins.panel import OpenQuestion
from companion.tracking.watched import COUNT, label_of


class World(AnyWorld):
    """Agent, wheel and a fake camera that can be blinded. It bets chips, and misreads the ball ``misread`` times."""

    def __init__(self, *, auto=True, seed=4, is_watching=True, service=None, misread=0):
        self.wheel = RouletteTable(size=(320, 180), seed=seed, pace=6)
        super().__init__(self.wheel, is_watching=is_watching)
        self.service = service or Service("roulette")
        self.agent = RouletteAgent(
            self.service, self.wheel, auto=auto, seed=seed, clock=self.clock,
            timing=Timing(open_s=0.5, betting_s=1, asked_s=1, overdue_s=3, result_s=1),
        )  # fmt: skip
        self.seen, self.laid, self.misread = set(), [], misread

    def look(self):
        state = self.service.moment().state
        if state.phase.value == "betting":
            self._book(state)
        elif self.wheel.rests is not None and self.wheel.rests_for_s > 0.3 and hasattr(self.service, "answers"):
            self._read()

    def _book(self, state):
        """Bet each chip once, as the camera does."""
        players = {seat.number: seat.player for seat in state.seats}
        for thing in self.wheel._view.lying:
            chip = self.wheel._meant[id(thing)]
            if id(thing) not in self.seen and not self.agent._to_clear:
                self.seen.add(id(thing))
                record = {"do": "bet", "player": players[chip.seat], "on": chip.on, "amount": chip.value}
                self.laid.append(record)
                self.service.submit(record, source="camera")

    def _read(self):
        key = f"watch-rest:{len(self.wheel.spun)}"
        if key not in self.seen:
            self.seen.add(key)
            pocket = "37" if self.misread else self.wheel.rests
            self.misread = max(0, self.misread - 1)
            self.service.questions = [OpenQuestion(key, "?", ((COUNT, label_of(pocket)),), kind="confirm")]

    def count_what_was_confirmed(self):
        """Apply the readings confirmed by the dealer, as the table does."""
        for question_id, choice, source in getattr(self.service, "answers", ()):  # a real table applies answers itself
            if choice == COUNT and question_id.startswith("watch-") and question_id not in self.seen_answers:
                self.seen_answers.add(question_id)
                self.service.submit({"do": "spin", "pocket": self.wheel.rests}, source=source)
        if self.service.moment().state.phase.value == "betting" and hasattr(self.service, "answers"):
            self.service.questions = []

    def run(self, seconds=None, until=lambda: False):
        self.seen_answers = getattr(self, "seen_answers", set())

        def both():
            self.count_what_was_confirmed()
            return until()

        return super().run(seconds, both)


@pytest.fixture
def world():
    return World


@pytest.fixture
def question():
    return asked
