"""The demo agent spins by the real rules: bets by chip and phone; the dealer confirms, corrects, errs and undoes."""

import pytest
from demo_world import Service

from companion.games.roulette.demo.agent import INCIDENTS
from companion.games.roulette.demo.players import LOW, NAMES, PURSE
from companion.games.roulette.demo.table import LaidChip
from companion.games.roulette.wheel import POCKETS
from hardware.demo.felt_table import DemoError

SPINS = 8


def coins_of(service):
    view = service.view()
    return sum(player["coins"] + player["staked"] for player in view["players"]) + view["house"]


def bought(service):
    return PURSE * (len(service.said("join")) + len(service.said("buy-in")))


def test_a_whole_evening_is_booked_as_it_was_played(world):
    """Every recorded pocket is the true one, every chip is a bet, and no coin appears or disappears."""
    table = world()
    assert table.run(seconds=900, until=lambda: len(table.service.view()["last"]) == SPINS)
    assert list(reversed(table.service.view()["last"])) == table.wheel.spun
    assert table.agent.confirmed == SPINS
    assert table.agent.corrected == 0
    by_camera = table.service.said("bet", "camera")
    assert by_camera == table.laid
    assert len(by_camera) > SPINS
    assert table.service.said("bet", "demo")
    assert coins_of(table.service) == bought(table.service)
    assert {record["player"] for record in table.service.said("join")} == set(NAMES)


def test_what_the_camera_reads_wrongly_the_dealer_corrects(world):
    table = world(misread=1)
    assert table.run(until=lambda: len(table.service.view()["last"]) == 2)
    assert (table.agent.confirmed, table.agent.corrected) == (1, 1)
    assert list(reversed(table.service.view()["last"])) == table.wheel.spun


def test_what_the_camera_does_not_read_the_dealer_enters(world):
    table = world(is_watching=False)
    assert table.run(until=lambda: len(table.service.view()["last"]) == 2)
    assert list(reversed(table.service.view()["last"])) == table.wheel.spun


def test_a_wrong_pocket_is_taken_back(world):
    table = world()
    table.agent.cause_incident("wrong")
    assert table.run(until=lambda: len(table.service.said("undo")) == 1)
    assert table.run(until=lambda: len(table.service.view()["last"]) == 2)
    entered = table.service.said("spin")
    assert len(entered) == 3
    assert entered[0]["pocket"] != table.wheel.spun[0]
    assert list(reversed(table.service.view()["last"])) == table.wheel.spun
    assert coins_of(table.service) == bought(table.service)


def test_a_wrong_pocket_that_was_followed_up_is_left_to_the_dealer(world):
    table = world()
    table.agent.cause_incident("wrong")
    assert table.run(until=lambda: bool(table.service.said("spin")))
    table.service.submit({"do": "buy-in", "player": "Celia", "coins": 5}, source="dealer")
    table.run(seconds=10)
    assert table.service.said("undo") == []


def test_a_late_chip_is_taken_back_and_never_bet(world, question):
    table = world()
    assert table.run(until=lambda: table.wheel.is_running)
    table.agent.cause_incident("late")
    late = table.agent._odd
    assert table.run(seconds=20, until=lambda: late in table.wheel.chips)
    table.service.questions = [question("late:9", "late", choices=("leave",))]
    assert table.run(seconds=20, until=lambda: late not in table.wheel.chips)
    assert {"do": "bet", "player": "Aubrey", "on": late.on, "amount": 1} not in table.service.said("bet", "camera")


def test_a_ball_that_hops_on_rests_one_pocket_further(world):
    table = world()
    assert table.run(until=lambda: table.wheel.is_running)
    table.agent.cause_incident("hop")
    assert table.run(until=lambda: len(table.service.view()["last"]) == 1)
    assert table.service.view()["last"] == table.wheel.spun
    assert len(table.wheel.spun) == 1


def test_a_ball_put_by_hand_is_entered_by_the_dealer(world):
    table = world(is_watching=False)
    assert table.run(until=lambda: not table.agent._wishes and table.service.view()["phase"] == "betting"
                     and not table.wheel.busy and bool(table.service.said("bet")))  # fmt: skip
    table.agent.cause_incident("placed")
    assert table.run(until=lambda: len(table.service.view()["last"]) == 1)
    assert table.service.view()["last"] == table.wheel.spun


@pytest.mark.parametrize("kind", [kind for kind in INCIDENTS if kind != "lost"])
def test_the_house_goes_on_after_every_incident(world, kind):
    table = world()
    table.run(until=lambda: len(table.service.view()["last"]) == 1)
    for _ in range(600):
        try:
            table.agent.cause_incident(kind)
            break
        except DemoError:
            table.run(seconds=0.25)
    else:
        pytest.fail("it was never possible")
    before = len(table.service.view()["last"])
    table.service.questions = []
    assert table.run(until=lambda: len(table.service.view()["last"]) >= before + 2)
    assert list(reversed(table.service.view()["last"])) == table.wheel.spun


def test_a_person_spins_and_clears(world):
    table = world(auto=False)
    table.run(seconds=30)
    assert table.service.view()["phase"] == "betting"
    assert "No more bets" in table.agent.state()["text"]  # no button spins the ball before that
    table.agent.deal()
    assert table.run(seconds=30, until=lambda: table.wheel.rests is not None)
    with pytest.raises(DemoError, match="spun already"):
        table.agent.deal()
    table.agent.gather()
    assert table.run(seconds=10, until=lambda: table.wheel.chips == ())
    assert table.service.said("spin") == []


def test_prisoners_stay_on_the_layout(world):
    table = world(auto=False, is_watching=False)
    table.run(seconds=2)
    table.agent._wishes = ()
    table.service.submit({"do": "bet", "player": "Aubrey", "on": "red", "amount": 5}, source="camera")
    for chip in (LaidChip(1, 5, "red"), LaidChip(2, 1, "straight/7")):
        table.wheel.lay_chip(chip)
    table.run(seconds=10)
    for record in ({"do": "no-more-bets"}, {"do": "spin", "pocket": "0"}):
        table.service.submit(record, source="dealer")
    table.agent.gather()
    table.run(seconds=10)
    assert LaidChip(1, 5, "red") in table.wheel.chips
    assert LaidChip(2, 1, "straight/7") not in table.wheel.chips


def test_whoever_is_almost_broke_buys_in_again(world):
    table = world(service=Service("roulette", [("Aubrey", LOW - 1), ("Celia", LOW), ("X", 0)]))
    table.run(seconds=2)
    assert table.service.said("buy-in") == [{"do": "buy-in", "player": "Aubrey", "coins": PURSE}]


def test_unknown_incident_names_the_known(world):
    with pytest.raises(DemoError, match="between"):
        world().agent.cause_incident("cheat")
    with pytest.raises(DemoError, match="No ball rests"):
        world().agent.cause_incident("hop")
    assert "0" in POCKETS["european"]
