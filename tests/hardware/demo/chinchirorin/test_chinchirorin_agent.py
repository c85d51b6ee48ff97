"""The demo agent throws by the real rules: banks pass; the dealer confirms, corrects, errs and undoes."""

import pytest
from demo_world import Service

from companion.games.chinchirorin.demo.agent import INCIDENTS
from companion.games.chinchirorin.demo.players import LOW, NAMES, PURSE
from hardware.demo.felt_table import DemoError

ROUNDS = 8


def coins_of(service):
    return sum(player["coins"] + player["staked"] for player in service.view()["players"])


def bought(service):
    return PURSE * (len(service.said("join")) + len(service.said("buy-in")))


def rounds(table):
    return len(table.service.table.results)


def test_a_whole_evening_is_booked_as_it_was_thrown(world):
    """Every recorded throw is the true one, and no coin appears or disappears."""
    table = world()
    assert table.run(seconds=900, until=lambda: rounds(table) == ROUNDS)
    thrown = table.service.said("throw")
    assert thrown == table.truths
    assert len(thrown) == table.agent.confirmed
    assert table.agent.corrected == 0
    assert coins_of(table.service) == bought(table.service)
    assert {record["player"] for record in table.service.said("join")} == set(NAMES)
    assert len({record["player"] for record in table.service.said("bank")}) > 1


def test_what_the_camera_does_not_read_the_dealer_enters(world):
    table = world(is_watching=False)
    assert table.run(until=lambda: rounds(table) == 2)
    assert table.agent.corrected == len(table.service.said("throw"))
    assert coins_of(table.service) == bought(table.service)


def test_a_wrong_throw_is_taken_back(world):
    table = world()
    table.agent.cause_incident("wrong")
    assert table.run(until=lambda: len(table.service.said("undo")) == 1)
    wrong = table.service.said("throw")[-1]
    assert table.run(until=lambda: rounds(table) == 3)
    assert wrong not in table.truths[:1]
    assert [record for record in table.service.said("throw") if record is not wrong][1:] == table.truths[1:]
    assert coins_of(table.service) == bought(table.service)


def test_a_die_out_of_the_bowl_decides(world):
    table = world()
    assert table.run(until=lambda: table.service.view()["phase"] == "banker" and not table.bowl.busy
                     and table.bowl.count == 0)  # fmt: skip
    table.agent.cause_incident("out")
    assert table.run(until=lambda: rounds(table) == 1)
    assert table.service.said("throw") == [{"do": "throw", "out": True}]


@pytest.mark.parametrize("kind", ["cocked", "two"])
def test_a_throw_that_does_not_count_is_thrown_again(world, kind):
    table = world()
    assert table.run(until=lambda: table.service.view()["phase"] == "banker" and not table.bowl.busy
                     and table.bowl.count == 0)  # fmt: skip
    table.agent.cause_incident(kind)
    assert table.run(until=lambda: table.bowl.count == 2)
    assert table.service.said("throw") == []
    assert table.run(until=lambda: rounds(table) == 1)


def test_a_banker_who_risks_all_may_be_short(world):
    """Bets allowed by the banker exceed the bank."""
    table = world()
    table.agent.cause_incident("short")
    assert table.run(until=lambda: table.service.view()["phase"] == "banker")
    view = table.service.view()
    assert view["bank"] == PURSE
    assert sum(bet["amount"] for bet in view["bets"]) > PURSE
    assert table.run(until=lambda: rounds(table) == 1)
    assert coins_of(table.service) == bought(table.service)


@pytest.mark.parametrize("kind", [kind for kind in INCIDENTS if kind not in ("lost", "short")])
def test_the_house_goes_on_after_every_incident(world, kind):
    table = world()
    table.run(until=lambda: rounds(table) == 1)
    for _ in range(600):
        try:
            table.agent.cause_incident(kind)
            break
        except DemoError:
            table.run(seconds=0.1)
    else:
        pytest.fail("it was never possible")
    before = rounds(table)
    assert table.run(until=lambda: rounds(table) >= before + 2)
    assert coins_of(table.service) == bought(table.service)


def test_a_person_throws_only_when_a_throw_is_due(world):
    table = world(auto=False)
    table.run(seconds=1)
    with pytest.raises(DemoError, match="No throw is due now"):
        table.agent.deal()
    table.run(seconds=20)
    assert table.service.view()["phase"] == "betting"
    table.service.submit({"do": "close"}, source="dealer")
    table.agent.deal()
    assert table.run(seconds=10, until=lambda: table.bowl.count == 1 and not table.bowl.busy)
    assert table.service.said("throw") == []
    assert table.agent.state()["can_deal"] is False
    with pytest.raises(DemoError, match="Say first what they show"):
        table.agent.deal()
    table.agent.gather()
    assert table.run(seconds=10, until=lambda: table.bowl.is_empty)


def test_whoever_is_almost_broke_buys_in_again(world):
    table = world(service=Service("chinchirorin", [("Aubrey", LOW - 1), ("Celia", LOW), ("X", 9)], {"banker": 2}))
    table.run(seconds=2)
    assert table.service.said("buy-in") == [{"do": "buy-in", "player": "Aubrey", "coins": PURSE}]


def test_unknown_incident_names_the_known(world):
    with pytest.raises(DemoError, match="cocked"):
        world().agent.cause_incident("cheat")
    with pytest.raises(DemoError, match="No dice lie"):
        world().agent.cause_incident("nudge")
