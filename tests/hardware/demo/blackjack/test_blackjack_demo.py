"""The blackjack demo: players with phones or chips, a dealer, a camera that reads the mat, incidents."""

import pytest
from blackjack_world import BlackjackWorld

from companion.games.blackjack.demo.agent import INCIDENTS
from companion.games.blackjack.demo.players import NAMES
from companion.games.blackjack.state import Phase
from hardware.demo.felt_table import DemoError


def decided(world):
    return len(world.service.said("reveal"))


@pytest.mark.parametrize("seed", [5, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (4, 6, 7))])
def test_rounds_are_bet_dealt_played_and_paid(seed):
    world = BlackjackWorld(seed=seed)
    assert world.run(until=lambda: decided(world) == 3)
    bets = {entry["source"] for entry in world.service.entries if entry["record"]["do"] == "bet"}
    dealt = {entry["source"] for entry in world.service.entries if entry["record"]["do"] in ("deal", "hole", "reveal")}
    assert (bets, dealt) == ({"demo", "camera"}, {"camera"})
    assert {seat.player for seat in world.state.seats} == set(NAMES)
    assert set(world.asked) <= {"paying", "vanished"}


ASKED = {
    "wrong-box": {"order", "place"}, "between": {"place"}, "face-down": {"unreadable"}, "flash": {"flashed"},
    "late-chip": {"late"}, "forged": {"forged"}, "remove": {"vanished"},
}  # fmt: skip


@pytest.mark.parametrize(
    "kind",
    [kind if kind in ("wrong-box", "flash") else pytest.param(kind, marks=pytest.mark.slow) for kind in INCIDENTS],
)
def test_a_mistake_is_asked_about_put_right_and_the_round_goes_on(kind):
    world = BlackjackWorld()
    assert world.run(until=lambda: is_possible(world, kind))
    world.asked.clear()
    before = decided(world)
    world.agent.cause_incident(kind)
    assert world.run(until=lambda: decided(world) > before)
    assert not ASKED.get(kind) or ASKED[kind] & set(world.asked)
    assert world.run(until=lambda: world.state.phase is Phase.DEALING), "the next round is dealt"


def is_possible(world, kind):
    """Whether an incident can happen now: cards are being dealt to players, or they decide."""
    phase = Phase.PLAYING if kind in ("flash", "late-chip", "remove") else Phase.DEALING
    return world.state.phase is phase and not world.table.busy and not world.agent._is_behind(world.state)


def test_what_is_not_possible_now_is_refused_in_words():
    world = BlackjackWorld()
    with pytest.raises(DemoError, match="knows no mischief"):
        world.agent.cause_incident("sing")
    for kind in ("wrong-box", "flash", "late-chip", "remove"):
        with pytest.raises(DemoError):
            world.agent.cause_incident(kind)


def test_a_person_who_presses_deals_card_by_card():
    world = BlackjackWorld(auto=False)
    assert world.run(until=lambda: len(world.state.boxes) == 4)
    assert not world.run(20, until=lambda: world.state.seen)
    for cards in range(1, 4):
        assert world.run(until=lambda: world.agent.state()["can_deal"])
        world.agent.deal()
        assert world.run(until=lambda dealt=cards: len(world.state.seen) == dealt)


def test_the_table_is_laid_again_after_a_restart():
    world = BlackjackWorld()
    assert world.run(until=lambda: world.state.phase is Phase.PLAYING and not world.table.busy)
    seen = world.state.seen
    world.agent.set_up_table(world.service.moment())
    assert sorted(thing.card.id for thing in world.table.lying if thing.card.face_up) == sorted(seen)
    before = decided(world)
    assert world.run(until=lambda: decided(world) > before)


def test_the_demo_bets_and_decides_for_nobody_real():
    world = BlackjackWorld(players=(("Ann", 900), ("Bo", 900)))
    world.service.entries += [
        {"kind": "command", "record": {"do": "join", "player": name}, "source": "seat/1"} for name in ("Ann", "Bo")
    ]
    world.service.submit({"do": "bet", "player": "Ann", "amount": 100}, source="seat/1")
    assert world.run(until=lambda: world.state.phase is Phase.PLAYING)
    world.run(10)
    assert not {"Ann", "Bo"} & {
        e["record"].get("player") for e in world.service.entries if e["source"] in ("demo", "camera")
        and e["record"]["do"] in ("bet", "stand", "hit", "double", "split")
    }  # fmt: skip
