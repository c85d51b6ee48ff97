"""Tracked cards on the hold'em mat, and a table that plays the interpreter's commands."""

from dataclasses import replace

from cards_on_mat import lying

from companion.games.holdem.camera.interpreter import HoldemInterpreter
from companion.games.holdem.printed.mat import HOLDEM_MAT
from companion.games.holdem.printed.measures import BOARD_STEP_MM
from companion.kernel.table import Table
from companion.plugins.perception import CardSettings
from companion.testing import new_header
from companion.tracking.cards.observations import MotionLog, Movement, TrackedTable
from companion.tracking.cards.zones import place_of

NAMES = ("Ann", "Bo", "Cy")
FLOP = ("AS", "KD", "2C")
DECK = CardSettings(deck_id="K7QX")


class Mat:
    """Cards on the mat by name, and a hold'em table."""

    def __init__(self, players=3, coins=1000, settings=DECK):
        self.table = Table(new_header("holdem", tuple((name, coins) for name in NAMES[:players]), {}))
        self.eyes = HoldemInterpreter(settings)
        self.cards, self.chips, self.moved, self.given, self.questions = {}, (), (), [], ()
        self.t, self.count, self.notes = 10.0, 0, []

    # ---- actions

    def do(self, verb, **more):
        self.table.do({"do": verb, **more})
        self.look(0.0)

    def post(self):
        self.do("post")
        self.look()

    def holes(self):
        while self.state.phase.value == "hole":
            self.do("hole", player=self.state.turn)

    def checks(self):
        phase = self.state.phase
        while self.state.phase is phase:
            self.do("call" if self.table.view()["to_call"] else "check")

    def to_board(self):
        """Play until the flop is due."""
        self.post()
        self.holes()
        self.checks()

    def to_showdown(self):
        self.to_board()
        for cards in (FLOP, ("7H",), ("9C",)):
            self.do("board", cards=list(cards))
            self.checks()

    def lay(self, name, zone, place=0, card=None, aside=(0.0, 0.0), **more):
        """Lay a card with this name; it shows its back if the name is not a card."""
        box = HOLDEM_MAT.zones[zone]
        step = BOARD_STEP_MM * (place - (2.0 if zone == "board" else 0.5))
        step = step if zone == "board" or zone.startswith("seat/") else 0.0
        at = (box.x + box.width / 2 + step + aside[0], box.y + box.height / 2 + aside[1])
        self.count += 1
        shown = card or (name if name[0] in "23456789TJQKA" and len(name) == 2 else None)
        self.cards[name] = lying(self.count, shown, at, t=self.t, **more)

    def take(self, *names):
        for name in names:
            del self.cards[name]

    def hand_at(self, zone):
        """Move a hand over a zone."""
        self.moved = (*self.moved, Movement(self.t, None, ((zone, 0.5),)))

    def look(self, seconds=2.0):
        """Let time pass, and play what is proposed."""
        self.t += seconds
        while True:
            proposal = self.eyes.interpret(self.tracked(), self.table.situation(), {})
            self.questions = proposal.questions
            self.notes += [note.text for note in proposal.notes]
            if proposal.command is None:
                return
            before = self.table.situation()
            self.table.do(proposal.command)
            self.given.append(proposal.command)
            self.eyes.played(proposal, before)

    def tracked(self):
        log = MotionLog(self.moved, max([m.t for m in self.moved], default=0.0))
        here = tuple(map(placed, self.cards.values()))
        return TrackedTable(self.t, here, chips=self.chips, mat="holdem", motion=log)

    def answer(self, kind, choice):
        question = next(one for one in self.questions if one.kind == kind)
        chosen = next(one for one in question.choices if one.id == choice)
        if chosen.command is not None:
            self.table.do(chosen.command)
        self.eyes.answered(question, chosen)
        self.look(0.1)

    # ---- results

    @property
    def state(self):
        return self.table.situation().state

    @property
    def phase(self):
        return self.state.phase.value

    @property
    def kinds(self):
        return [one.kind for one in self.questions]

    def said(self, kind):
        return next(one.text for one in self.questions if one.kind == kind)

    def ways(self, kind):
        return [choice.label for one in self.questions if one.kind == kind for choice in one.choices]


def placed(card):
    found = place_of(card.on_mat, HOLDEM_MAT.zones)
    return replace(card, zone=found.zone, astride=found.astride)
