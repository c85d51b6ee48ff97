"""The Rochi demo neither plays cards, nor folds, nor buys coins for players who joined by phone."""

from dataclasses import replace

import pytest
from phones import Phone, open_table, said

from companion.games.rochi.demo.moves import board_of
from companion.games.rochi.demo.players import NAMES
from hardware.demo.felt_table import DemoError


def acts_of(service, player):
    """Return the commands in a player's turns, with their sources."""
    turn, found = None, []
    for entry in service.events(limit=1000):
        if turn == player and entry["kind"] == "command":
            found.append((entry["do"], entry["source"]))
        turn = next((e["player"] for e in entry["events"] if e["event"] == "TurnStarted"), turn)
    return found


@pytest.mark.parametrize("auto", [True, False])
def test_the_table_waits_for_a_phone_whose_turn_it_is(world, tmp_path, auto):
    """Benedict acts after the leader: the demo plays Aubrey's turn and waits; it continues after a fold by phone."""
    with open_table(tmp_path, "rochi", NAMES[:4], coins=100) as service:
        phone = Phone(service, tmp_path, 2)
        table = world(service=service)
        assert table.run(
            until=lambda: service.view()["turn"] == "Benedict" and table.agent.state()["text"].startswith("Benedict")
        )
        table.agent.auto(auto)
        done = said(service)
        table.run(seconds=12)
        assert said(service) == done
        if not auto:
            with pytest.raises(DemoError, match="Benedict plays by phone"):
                table.agent.deal()
        phone.do(do="fold", player="Benedict")
        assert service.view()["turn"] == "Celia"
        table.agent.auto(True)
        assert table.run(until=lambda: service.view()["turn"] in ("Dorian", "Aubrey"))
        assert acts_of(service, "Benedict") == [("fold", "seat/2")]


def test_the_demo_buys_no_coins_for_a_phone(world, tmp_path):
    with open_table(tmp_path, "rochi", NAMES[:4], coins=14) as service:
        Phone(service, tmp_path, 2)
        table = world(service=service)
        table.agent.tick()
        moment = service.moment()
        table.agent._press = lambda record: None
        table.agent._begin_hand(moment, replace(board_of(moment), expected=frozenset({"next-hand"})))
        assert [record["player"] for record in said(service, None, "buy-in")] == ["Aubrey", "Celia", "Dorian"]


@pytest.mark.parametrize("loser", ["Aubrey", "Benedict"])
def test_the_odd_coin_is_its_players_choice(world, tmp_path, loser):
    with open_table(tmp_path, "captains", NAMES[:2], coins=100) as service:
        Phone(service, tmp_path, 2)
        table = world(2, service=service)
        table.agent.tick()
        pressed = []
        table.agent._press = pressed.append
        board = replace(board_of(service.moment()), phase="odd-coin", odd_coin=loser, turn=None, held={1: 0, 2: 0})
        table.agent._next_step(board)
        assert bool(pressed) == (loser == "Aubrey")
