"""The King of Roulette demo: players with phones or cards, a camera that reads the cards, incidents."""

import logging

import numpy as np
import pytest
from demo_world import Service, World

from companion.games.king.camera.interpreter import KingInterpreter
from companion.games.king.demo.agent import INCIDENTS, KingAgent, Timing
from companion.games.king.demo.players import NAMES
from companion.games.king.demo.table import KingTable, print_king_mat
from companion.games.king.printed.mat import KING_MAT
from companion.games.king.state import Phase
from companion.plugins.panel import OpenQuestion
from companion.plugins.perception import CardSettings
from companion.tracking.cards.observations import LyingCard, TrackedTable
from hardware.demo.faces import BACK, Faces
from hardware.demo.felt_table import DemoError

MAT = print_king_mat()
BOX = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
TIMING = Timing(choosing_s=4, result_s=3, deciding_s=1, asked_s=1, incident_s=3, away_s=8, reveal_s=1, overdue_s=9)


def plain_side(side, make):
    return np.full(
        (1039, 744, 3), 60 if side == BACK else {"genuine": 220, "forged": 160, "foreign": 120}[make], np.uint8
    )


class KingWorld(World):
    """Players, mat, and a perfect camera for all face-up cards, with the real interpreter."""

    def __init__(self, *, auto=True, seed=4, options=None, players=()):
        self.table = KingTable(Faces(plain_side), size=(192, 108), seed=seed, pace=8, mat=MAT)
        super().__init__(self.table)
        self.service = Service("king-of-roulette", players, options or {"rounds": 3})
        self.agent = KingAgent(self.service, self.table, auto=auto, seed=seed, timing=TIMING, clock=self.clock)
        self.eyes = KingInterpreter(CardSettings())
        self.seen, self.questions, self.asked = {}, {}, set()

    def look(self):
        while True:
            now = self.service.table.situation()
            proposal = self.eyes.interpret(TrackedTable(self.now, tuple(self._lying()), mat=KING_MAT.name), now, {})
            if proposal.command is None:
                break
            self.service.submit(proposal.command, source="camera")
            self.eyes.played(proposal, now)
        for name, choice, _ in self.service.answers:
            question = self.questions[name]
            self.eyes.answered(question, next(one for one in question.choices if one.id == choice))
        self.service.answers.clear()
        self.questions |= {one.id: one for one in proposal.questions}
        self.asked |= {one.id.partition(":")[0] for one in proposal.questions}
        self.service.questions = [
            OpenQuestion(one.id, one.text, tuple((c.id, c.label) for c in one.choices), kind=one.kind)
            for one in proposal.questions
        ]

    def _lying(self):
        for thing in self.table.lying:
            if not thing.card.face_up:
                continue
            track = self.seen.setdefault(id(thing), len(self.seen) + 1)
            x, y = thing.pose.x + KING_MAT.width_mm / 2, thing.pose.y + KING_MAT.height_mm / 2
            status = "ok" if thing.card.make == "genuine" else "forged"
            zone, astride = KING_MAT.zone_at(x, y), ()
            if zone is None:
                astride = ("bet/1", "bet/2")
            yield LyingCard(
                track, thing.card.id, "K", status, BOX, BOX, 1.0, 1.0, 1.0, 1.0, 5, zone=zone, astride=astride
            )

    @property
    def state(self):
        return self.service.table.situation().state

    def is_in_round(self):
        return self.state.phase is Phase.ROUND


@pytest.mark.parametrize("seed", [4, 5, 6])
def test_a_whole_game_is_played_and_another_begun(seed):
    world = KingWorld(seed=seed)
    assert world.run(until=lambda: is_over(world))
    state = world.state
    assert state.names == NAMES
    assert len(world.service.said("reveal")) == 3
    sources = {entry["source"] for entry in world.service.entries if entry["record"]["do"] == "bet"}
    assert sources == {"demo", "camera"}
    assert world.run(until=lambda: world.service.said("new-game"))
    assert world.run(until=lambda: world.state.phase is Phase.ROUND)


def is_over(world):
    return world.state.phase is Phase.OVER


ASKED = {
    "early": "open", "wrong-space": "elsewhere", "between": "between", "two": "several", "king-bets": "king",
    "forged": "unread", "away": None, "hand": None, "lost": None, "tidy": None,
}  # fmt: skip


@pytest.mark.parametrize("kind", sorted(INCIDENTS))
def test_a_mistake_is_asked_about_put_right_and_the_round_goes_on(kind):
    world = KingWorld()
    assert world.run(until=lambda: world.is_in_round() and not world.table.busy and has_bets_down(world))
    revealed = len(world.service.said("reveal"))
    world.asked.clear()
    world.agent.cause_incident(kind)
    if kind == "away":
        assert world.run(until=lambda: "has dropped out" in world.agent.state()["text"])
    assert world.run(until=lambda: len(world.service.said("reveal")) > revealed)
    assert ASKED[kind] is None or ASKED[kind] in world.asked


def has_bets_down(world):
    """Whether a bet card still lies face down before a seat."""
    return any(not thing.card.face_up and thing.where.startswith("seat/") for thing in world.table.lying)


def test_an_unknown_mistake_or_one_that_is_not_possible_now_is_refused_in_words():
    world = KingWorld()
    with pytest.raises(DemoError, match="knows no mischief"):
        world.agent.cause_incident("sing")
    for kind in ("early", "two", "king-bets"):
        with pytest.raises(DemoError, match="Wait"):
            world.agent.cause_incident(kind)


def test_a_person_who_presses_turns_the_cards_up_and_reveals():
    world = KingWorld(auto=False)
    assert world.run(until=lambda: world.is_in_round() and world.agent.state()["can_deal"])
    world.agent.deal()
    assert world.run(until=lambda: any(question.kind == "open" for question in world.service.questions))
    assert not world.run(30, until=lambda: not world.service.questions)
    world.service.answer(world.service.questions[0].id, "read", source="dealer")
    assert world.run(until=lambda: world.is_in_round() and world.state.is_ready)
    assert world.service.said("reveal") == []
    world.agent.deal()
    assert len(world.service.said("reveal")) == 1


def test_the_demo_moves_nobody_real():
    world = KingWorld(players=tuple((name, 9) for name in ("Ann", "Bo", "Cy", "Dee")))
    world.service.entries += [
        {"kind": "command", "record": {"do": "join", "player": name}, "source": "seat/1"}
        for name in ("Ann", "Bo", "Cy", "Dee")
    ]
    world.run(40)
    mine = {
        e["record"].get("player")
        for e in world.service.entries
        if e["source"] == "demo" and e["record"]["do"] == "vote"
    }
    assert mine <= set(NAMES)


def test_neither_texts_nor_log_tell_a_secret(caplog):
    """With the same seed and other choices, the demo's texts and logs stay the same."""
    caplog.set_level(logging.DEBUG)
    world, said = KingWorld(), set()
    world.run(until=lambda: said.add(world.agent.state()["text"]) or len(world.service.said("reveal")) == 2)
    told = " ".join([*said, *(record.getMessage() for record in caplog.records)])
    words = {"rule", "guess", "range", "space"} | set("123456")
    assert not words & set(told.replace(".", " ").replace(":", " ").split()), told
    assert "'space'" not in told
