"""The demo agent runs Rugen by the real rules: it bets, throws and answers, and never enters what the camera sees."""

import random

import pytest
from demo_world import Service, asked

from companion.games.rugen.demo.agent import INCIDENTS, new_tray
from companion.games.rugen.demo.players import LOW, NAMES, PURSE, plan
from companion.testing import moment_at, new_table
from hardware.demo.felt_table import DemoError


@pytest.mark.parametrize("game", ["rugen-house", "rugen-street", "rugen-capital"])
def test_it_plays_chains_by_itself_and_only_the_camera_throws(world, game):
    table = world(game)
    assert table.run(until=lambda: len(table.service.table.results) == 2)
    assert table.service.said("throw", "demo") == []
    assert len(table.service.said("throw", "camera")) == table.service.view()["throws"]
    assert {r["player"] for r in table.service.said("join")} == set(NAMES)
    view = table.service.view()
    coins = sum(p["coins"] + p["staked"] for p in view["players"]) + view.get("house", 0)
    bought = PURSE * (len(table.service.said("join")) + len(table.service.said("buy-in")))
    assert coins == bought


def test_people_have_time_to_bet_before_the_first_throw(world):
    table = world()
    table.run(seconds=2)
    assert table.tray.thrown == 0
    assert table.agent.state()["betting_left_s"] > 0
    assert table.run(seconds=5, until=lambda: table.tray.thrown == 1)


def test_a_blind_camera_makes_it_throw_again_and_say_so(world):
    table = world(is_watching=False)
    texts = set()
    table.run(seconds=25, until=lambda: texts.add(table.agent.state()["text"]))
    assert "The throw does not count. Throw again." in texts
    assert table.service.view()["throws"] == 0


def test_an_unreadable_throw_is_told_as_it_lies(world):
    table = world(is_watching=False)
    assert table.run(until=lambda: bool(table.tray.lying))
    shown = table.tray.lying[0]
    table.service.questions = [asked("unsure:1", "unsure")]
    assert table.run(seconds=10, until=lambda: bool(table.service.said("throw")))
    assert table.service.said("throw", "demo") == [{"do": "throw", "d20": int(shown)}]


def test_an_unreadable_throw_that_lies_there_no_more_does_not_count(world):
    """After an incident another die lies there: its value is not that of the throw in question."""
    table = world(is_watching=False)
    assert table.run(until=lambda: bool(table.tray.lying) and not table.tray.busy)
    table.service.questions = [asked("unsure:1", "unsure")]
    table.agent.cause_incident("put")
    assert table.run(seconds=15, until=lambda: bool(table.service.answers))
    assert table.service.answers == [("unsure:1", "again", "demo")]
    assert table.service.said("throw") == []


def test_a_person_throws_only_when_a_throw_is_due(world):
    table = world("rugen-capital", auto=False)
    table.run(seconds=1)
    with pytest.raises(DemoError, match=r"^No throw is due now\. "):
        table.agent.deal()


def test_a_person_throws_and_takes_the_die_out(world):
    table = world(auto=False)
    table.run(seconds=1)
    table.agent.deal()
    with pytest.raises(DemoError):
        table.agent.deal()
    assert table.run(seconds=10, until=lambda: table.service.view()["throws"] == 1)
    table.agent.gather()
    assert table.run(seconds=10, until=lambda: table.tray.is_empty)


@pytest.mark.parametrize("kind", [kind for kind in INCIDENTS if kind != "lost"])
def test_every_incident_ends_and_the_house_goes_on(world, kind):
    table = world()
    assert table.run(until=lambda: table.service.view()["throws"] == 1 and not table.tray.busy)
    table.agent.cause_incident(kind)
    before = table.service.view()["throws"]
    assert table.run(seconds=90, until=lambda: table.service.view()["throws"] >= before + 2)


def test_unknown_incident_names_the_known(world):
    with pytest.raises(DemoError, match="leaning"):
        world().agent.cause_incident("cheat")
    with pytest.raises(DemoError, match="No die lies in the demo tray"):
        world().agent.cause_incident("nudge")


def test_whoever_is_almost_broke_buys_in_again(world):
    """Only simulated players, before they bet."""
    players = [("Aubrey", LOW - 1), ("Celia", LOW), ("X", 0)]
    table = world(service=Service("rugen-house", players))
    table.run(seconds=2)
    assert table.service.said("buy-in") == [{"do": "buy-in", "player": "Aubrey", "coins": PURSE}]


def test_bets_are_within_the_purse_and_in_multiples_of_their_number():
    moment = moment_at(new_table("rugen-house", [(name, 200) for name in NAMES]))
    for seed in range(40):
        bets = [record for record, _ in plan(moment, NAMES, random.Random(seed))]
        for name in NAMES:
            assert sum(b["amount"] for b in bets if b["player"] == name) <= 50
        for bet in bets:
            kind, number = bet["on"].split("/")
            assert kind.startswith("chain") or bet["amount"] % int(number) == 0


def test_a_new_tray_has_the_die_that_was_asked_for():
    assert new_tray(size=(192, 108), rugen=True).kind == "rugen"
    assert new_tray(size=(192, 108)).kind == "d20"
