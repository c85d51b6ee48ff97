"""A blackjack demo without pixels: a perfect camera on the mat, with the real interpreter."""

import numpy as np
from cards_on_mat import lying, quad
from demo_world import Service, World

from companion.games.blackjack.camera.interpreter import BlackjackInterpreter
from companion.games.blackjack.demo.agent import BlackjackAgent, Timing
from companion.games.blackjack.demo.table import BlackjackTable, print_blackjack_mat
from companion.games.blackjack.mats.zones import MAT
from companion.objects.cards import STANDARD_CARDS
from companion.objects.chips import CHIPS
from companion.plugins.panel import OpenQuestion
from companion.plugins.perception import CardSettings
from companion.tracking.cards.observations import TrackedTable
from companion.tracking.cards.zones import place_of
from companion.tracking.chips import TrackedChip
from hardware.demo.faces import BACK, Faces

PRINTED = print_blackjack_mat()
TIMING = Timing(
    open_s=2, betting_s=1, deciding_s=0.4, between_cards_s=0.1, asked_s=1, incident_s=2, result_s=1, overdue_s=8
)


def plain_side(side, make):
    grey = 60 if side == BACK else {"genuine": 220, "forged": 160, "foreign": 120}[make]
    return np.full((100, 72, 3), grey, np.uint8)


class BlackjackWorld(World):
    """Players, mat and perfect camera."""

    def __init__(self, *, auto=True, seed=4, options=None, players=()):
        self.table = BlackjackTable(Faces(plain_side), STANDARD_CARDS, size=(192, 108), seed=seed, pace=10, mat=PRINTED)
        super().__init__(self.table)
        self.service = Service("blackjack", players, options)
        self.agent = BlackjackAgent(self.service, self.table, auto=auto, seed=seed, timing=TIMING, clock=self.clock)
        self.eyes = BlackjackInterpreter(CardSettings())
        self.tracks, self.questions, self.asked = {}, {}, []

    def look(self):
        tracked = TrackedTable(self.now, tuple(self._cards()), chips=tuple(self._chips()), mat=MAT.name, step_s=1 / 12)
        while True:
            now = self.service.table.situation()
            proposal = self.eyes.interpret(tracked, now, {})
            if proposal.command is None:
                break
            self.service.submit(proposal.command, source="camera")
            self.eyes.played(proposal, now)
        for name, choice, _ in self.service.answers:
            self._answered(self.questions[name], choice)
        self.service.answers.clear()
        self.questions |= {one.id: one for one in proposal.questions}
        self.asked += [one.kind for one in proposal.questions if one.kind not in self.asked]
        self.service.questions = [
            OpenQuestion(one.id, one.text, tuple((c.id, c.label) for c in one.choices), kind=one.kind)
            for one in proposal.questions
        ]

    def _answered(self, question, choice):
        chosen = next(one for one in question.choices if one.id == choice)
        if chosen.command is not None:
            self.service.submit(chosen.command, source="demo")
        self.eyes.answered(question, chosen)

    def _track(self, thing):
        return self.tracks.setdefault(id(thing), (len(self.tracks) + 1, self.now, thing))

    def _cards(self):
        for thing in self.table.lying:
            track, since, _ = self._track(thing)
            at = (thing.pose.x + MAT.width_mm / 2, thing.pose.y + MAT.height_mm / 2)
            place = place_of(quad(at, thing.pose.angle_deg), MAT.zones)
            status = {} if thing.card.make == "genuine" else {"status": "forged"}
            name = thing.card.id if thing.card.face_up else None
            yield lying(
                track, name, at, thing.pose.angle_deg, t=since, zone=place.zone, astride=place.astride, **status
            )

    def _chips(self):
        for thing in self.table.chips:
            track, since, _ = self._track(thing)
            at = (thing.pose.x + MAT.width_mm / 2, thing.pose.y + MAT.height_mm / 2)
            yield TrackedChip(track, CHIPS[thing.card.id], at, quad(at), since, self.now, times=9)

    @property
    def state(self):
        return self.service.table.situation().state

    def coins(self):
        ledger = self.service.table.position.ledger
        return {seat.player: ledger.balance(seat.player) for seat in self.state.seats}
