"""The hold'em demo: a dealer, players who bet, fold and show, a camera that reads the cards, incidents."""

from dataclasses import replace

import pytest
from cards_on_mat import lying
from demo_world import Service, World
from holdem_live import mat, plain_side

from companion.games.holdem.camera.interpreter import HoldemInterpreter
from companion.games.holdem.demo.agent import INCIDENTS, HoldemAgent, Timing
from companion.games.holdem.demo.players import NAMES, PURSE
from companion.games.holdem.demo.table import CHIP, HoldemTable
from companion.games.holdem.printed.mat import HOLDEM_MAT
from companion.games.holdem.tournament.agent import TournamentAgent
from companion.games.standard_cards import CARDS
from companion.objects.cards import LEADER_BUTTON
from companion.objects.chips import CHIPS
from companion.plugins.panel import OpenQuestion
from companion.plugins.perception import CardSettings
from companion.tracking.cards.observations import MotionLog, Movement, TrackedTable
from companion.tracking.cards.zones import place_of
from companion.tracking.chips import TrackedChip
from hardware.demo.faces import Faces
from hardware.demo.felt_table import DemoError

BOX = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
TIMING = Timing(open_s=0, think_s=0.5, result_s=2, asked_s=1, incident_s=2, overdue_s=9, late_s=5.5)


class HoldemWorld(World):
    """Players, mat, and a perfect camera for all face-up cards, with the real interpreter."""

    longest_s = 300.0
    game, agent_kind = "holdem", HoldemAgent

    def __init__(self, *, auto=True, seed=4, players=(), **options):
        self.table = HoldemTable(Faces(plain_side), CARDS, size=(192, 108), seed=seed, pace=8, mat=mat())
        super().__init__(self.table)
        self.service = Service(self.game, players, options)
        self.agent = self.agent_kind(self.service, self.table, auto=auto, seed=seed, timing=TIMING, clock=self.clock)
        self.eyes = HoldemInterpreter(CardSettings())
        self.seen, self.known, self.questions, self.asked = {}, {}, {}, []
        self.before, self.moved, self.kept = {}, [], {}

    def look(self):
        tracked = self._tracked()
        while True:
            now = self.service.table.situation()
            proposal = self.eyes.interpret(tracked, now, {})
            if proposal.command is None:
                break
            self.service.submit(proposal.command, source="camera")
            self.eyes.played(proposal, now)
        for name, choice, _ in self.service.answers:
            question = self.questions[name]
            chosen = next(one for one in question.choices if one.id == choice)
            if chosen.command is not None:
                self.service.submit(chosen.command, source="dealer")
            self.eyes.answered(question, chosen)
        self.service.answers.clear()
        self.questions |= {one.id: one for one in proposal.questions}
        self.asked += [one.kind for one in proposal.questions]
        self.service.questions = [
            OpenQuestion(one.id, one.text, tuple((c.id, c.label) for c in one.choices), kind=one.kind)
            for one in proposal.questions
        ]

    def _tracked(self):
        cards, chips, zones = [], [], {}
        for thing in self.table.lying:
            at = thing.pose.x + HOLDEM_MAT.width_mm / 2, thing.pose.y + HOLDEM_MAT.height_mm / 2
            key = (id(thing), thing.card.face_up)
            self.kept[id(thing)] = thing  # kept alive, so that its id is not reused
            track, t = self.seen.setdefault(key, (len(self.seen) + 1, self.now))
            if thing.where == CHIP:
                chips.append(TrackedChip(track, CHIPS[thing.card.id], at, BOX, t, self.now + 1, times=9))
            elif thing.card.id != LEADER_BUTTON:
                cards.append(self.known.setdefault(key, None) or self._card(key, thing, at, track, t))
                zones[key] = cards[-1].zone
        changed = {
            zone for key, zone in [*zones.items(), *self.before.items()] if (key in zones) != (key in self.before)
        }
        self.before = zones
        self.moved = [*self.moved[-200:], *(Movement(self.now, None, ((zone, 0.5),)) for zone in changed if zone)]
        return TrackedTable(
            self.now, tuple(cards), chips=tuple(chips), mat="holdem", motion=MotionLog(tuple(self.moved))
        )

    def _card(self, key, thing, at, track, t):
        status = "unreadable" if not thing.card.face_up else "ok" if thing.card.make == "genuine" else "forged"
        card = lying(track, thing.card.id if thing.card.face_up else None, at, t=t, status=status)
        found = place_of(card.on_mat, HOLDEM_MAT.zones)
        self.known[key] = replace(card, zone=found.zone, astride=found.astride)
        return self.known[key]

    @property
    def state(self):
        return self.service.table.situation().state

    def is_in(self, phase):
        return self.state.phase.value == phase


class TournamentWorld(HoldemWorld):
    """A tournament: three short levels, with a break and a chip race after the first."""

    longest_s = 6000.0
    game, agent_kind = "holdem-tournament", TournamentAgent
    levels = (
        {"blinds": [25, 75], "chip": 25}, {"break": 5}, {"blinds": [200, 400], "chip": 200, "ante": 200},
        {"blinds": [600, 1200], "chip": 200},
    )  # fmt: skip

    def __init__(self, **more):
        super().__init__(levels=list(self.levels), rebuy_until=2, prizes=[65, 35], **more)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [4, pytest.param(5, marks=pytest.mark.slow), pytest.param(6, marks=pytest.mark.slow)])
def test_hands_are_played_one_after_the_other_and_the_camera_reads_every_card(seed):
    world = HoldemWorld(seed=seed)
    assert world.run(until=lambda: world.state.hand == 3 and world.is_in("preflop"))
    assert tuple(seat.player for seat in world.state.seats) == NAMES
    assert world.agent.entered == 0
    for verb in ("hole", "board", "show"):
        assert {e["source"] for e in world.service.entries if e["record"]["do"] == verb} <= {"camera"}
    assert {e["source"] for e in world.service.entries if e["record"]["do"] == "muck"} <= {"dealer"}
    assert set(world.asked) <= {"gone"}
    assert sum(world.service.table.situation().ledger.balance(name) for name in NAMES) <= PURSE * (
        len(NAMES) + len(world.service.said("buy-in"))
    )


def test_shown_hands_are_those_that_were_dealt():
    world, held = HoldemWorld(seed=5), {}

    def note():
        for seat in world.state.seats:
            lying_there = [thing.card.id for thing in world.table.at(f"seat/{seat.number}")]
            if len(lying_there) == 2:
                held[world.state.hand, seat.player] = set(lying_there)
            for player in world.state.players:
                if player.cards:
                    assert set(player.cards) == held[world.state.hand, player.name]
        return world.state.hand == 3 and world.service.said("show")

    assert world.run(until=note)


ASKED = {
    "misdeal": "misdeal", "exposed": "exposed", "early": "early", "forged": "foreign", "touch": "touch", "late": "late",
    "hand": None,
}  # fmt: skip


@pytest.mark.parametrize("kind", sorted(INCIDENTS.keys() - {"lost", "tidy"}))
@pytest.mark.thorough
def test_a_mistake_is_asked_about_put_right_and_the_game_goes_on(kind):
    world = HoldemWorld()
    assert world.run(until=lambda: world.is_in("preflop") and not world.table.busy)
    world.asked.clear()
    world.agent.cause_incident(kind)
    wanted = ASKED[kind]
    assert world.run(until=lambda: wanted is None or wanted in world.asked)
    hand = world.state.hand
    assert world.run(until=lambda: world.state.hand >= hand + 1 and world.is_in("preflop"))
    assert world.agent.entered == 0
    kinds = {"gone"} if wanted is None else {"gone", wanted, "face-down"}
    assert set(world.asked) <= kinds


def test_an_unknown_mistake_or_one_that_is_not_possible_now_is_refused_in_words():
    world = HoldemWorld()
    with pytest.raises(DemoError, match="knows no mischief"):
        world.agent.cause_incident("sing")
    with pytest.raises(DemoError, match="while bets are made"):
        world.agent.cause_incident("early")


def test_a_person_who_presses_deals_the_hand():
    world = HoldemWorld(auto=False)
    pressed = 0
    assert world.run(until=lambda: len(world.state.seats) == len(NAMES))

    def press():
        nonlocal pressed
        if world.agent.state()["can_deal"] and not world.service.questions and world.now % 4 < 0.1:
            try:
                world.agent.deal()
                pressed += 1
            except DemoError:
                pass
        for question in world.service.questions:
            world.service.answer(question.id, question.choices[0][0], source="dealer")
        return world.state.decided is not None

    assert world.run(until=press)
    assert pressed >= 4


def test_the_demo_acts_for_nobody_real():
    world = HoldemWorld(players=(("Ann", 2000), ("Bo", 2000)))
    world.service.entries += [
        {"kind": "command", "record": {"do": "join", "player": name}, "source": "seat/1"} for name in ("Ann", "Bo")
    ]
    world.run(60)
    mine = {e["record"].get("player") for e in world.service.entries if e["source"] == "demo"}
    assert not mine & {"Ann", "Bo"}


def test_a_person_has_time_to_muck_before_the_demo_turns_up_their_hand():
    """It turned it up as fast as a simulated player would have shown it."""
    names = NAMES[:2]
    world = HoldemWorld(players=tuple((name, 2000) for name in names))
    for name in names:
        world.service.notice("", source="web", data={"joined": name})

    def bet_on():
        expected = world.service.view()["expected"]
        verb = next((verb for verb in ("check", "call") if verb in expected), None)
        if verb is not None:
            world.service.submit({"do": verb}, source="seat/1")
        return world.is_in("showdown")

    assert world.run(until=bet_on)
    seat = world.state.actor.seat
    assert not world.run(seconds=TIMING.overdue_s - 1, until=lambda: world.table.at(f"seat/{seat}", is_up=True))
    assert world.run(until=lambda: world.service.said("show", "camera"))


def test_after_a_restart_the_hand_lies_there_as_the_journal_has_it():
    world = HoldemWorld()
    assert world.run(until=lambda: world.is_in("flop"))
    again = HoldemTable(Faces(plain_side), CARDS, size=(192, 108), pace=8, mat=mat())
    HoldemAgent(world.service, again, seed=1, timing=TIMING, clock=world.clock).tick()
    assert [thing.card.id for thing in again.at("board")] == list(world.state.board)
    live = [player.seat for player in world.state.players if not player.folded]
    assert all(len(again.at(f"seat/{seat}", is_up=False)) == 2 for seat in live)


def tournament_evening(seed, mistakes=()):
    """Play a tournament to its end, with one incident in each of the first hands; return the world."""
    world, left = TournamentWorld(seed=seed), list(mistakes)

    def note():
        if left and world.is_in("preflop") and world.state.hand > len(mistakes) - len(left) and not world.table.busy:
            world.agent.cause_incident(left.pop(0))
        return world.is_in("over")

    assert world.run(until=note)
    assert not left
    return world


def test_in_a_tournament_short_stacks_go_all_in_turn_their_hands_up_and_are_out():
    class Turbo(TournamentWorld):
        levels = ({"blinds": [500, 1000], "chip": 500}, {"blinds": [1000, 2000]}, {"blinds": [1000, 2000]})

    world = Turbo(seed=4)
    assert world.run(until=lambda: world.service.said("table") and world.state.tour.out)
    assert {e["source"] for e in world.service.entries if e["record"]["do"] == "table"} == {"camera"}


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [4, pytest.param(5, marks=pytest.mark.slow), pytest.param(6, marks=pytest.mark.slow)])
def test_a_tournament_is_played_to_its_end_with_a_break_a_race_rebuys_and_bust_outs(seed):
    world = tournament_evening(seed)
    tour = world.state.tour
    for verb in ("start-clock", "next-level", "table", "show"):
        assert world.service.said(verb), verb
    assert tour.rebuys > 0
    assert [record["winners"] for record in world.service.said("chip-race")] != [[]]
    assert len(tour.out) == len(NAMES) - 1
    coins = {name: world.service.table.situation().ledger.balance(name) for name in NAMES}
    assert {place.player: place.coins for place in tour.places if place.coins} == {k: v for k, v in coins.items() if v}
    assert sum(coins.values()) == PURSE * (len(NAMES) + tour.rebuys)
    assert world.agent.entered == 0


@pytest.mark.thorough
def test_a_tournament_with_mistakes_is_played_to_its_end():
    world = tournament_evening(7, ("misdeal", "exposed", "early", "forged", "late"))
    assert {"misdeal", "exposed", "early", "foreign"} <= set(world.asked)
    assert world.agent.entered == 0
