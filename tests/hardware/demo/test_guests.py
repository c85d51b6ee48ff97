"""The demo bets only for players it seated itself, until a real person takes the seat."""

import pytest
from phones import Phone, open_table, said

from companion.games.roche.demo.players import NAMES


@pytest.mark.parametrize("auto", [True, False])
def test_who_has_joined_by_phone_bets_alone(world, tmp_path, auto):
    """Aubrey's phone joins before the betting; the others' bets are simulated, Aubrey's never, in both modes."""
    with open_table(tmp_path, "roche", NAMES) as service:
        Phone(service, tmp_path, 1)
        table = world(service=service, auto=auto)
        table.run(seconds=4.5)
        assert said(service, "Aubrey") == []
        assert {record["player"] for record in said(service, None, "bet")} == set(NAMES[1:])


def test_a_phone_that_joins_while_bets_are_planned_is_left_alone(world, tmp_path):
    with open_table(tmp_path, "roche", NAMES) as service:
        table = world(service=service)
        assert table.run(until=lambda: bool(table.agent._plan))
        Phone(service, tmp_path, 2).do(do="bet", player="Benedict", on="cut/6", amount=1)
        assert table.run(until=lambda: service.view()["rounds"] == 2)
        assert said(service, "Benedict") == []
        assert {record["player"] for record in said(service, None, "bet")} == set(NAMES) - {"Benedict"}


def test_the_demo_buys_no_coins_for_a_phone(world, tmp_path):
    with open_table(tmp_path, "roche", NAMES) as service:
        Phone(service, tmp_path, 1).do(do="bet", player="Aubrey", on="cut/6", amount=195)
        table = world(service=service)
        assert table.run(until=lambda: service.view()["rounds"] == 2)
        assert said(service, "Aubrey") == []


def test_a_restarted_demo_knows_who_is_real(world, tmp_path):
    """It follows from the journal, even if both the phone and the demo agent are new processes."""
    with open_table(tmp_path, "roche", NAMES) as service:
        Phone(service, tmp_path, 3).do(do="bet", player="Celia", on="cut/6", amount=2)
    with open_table(tmp_path, "roche", NAMES) as service:
        table = world(service=service)
        assert table.run(until=lambda: service.view()["rounds"] == 2)
        assert said(service, "Celia") == []
        assert said(service, "Dorian", "bet")


def test_whom_the_dealer_seated_is_not_simulated_whatever_their_name(world, tmp_path):
    with open_table(tmp_path, "roche") as service:
        service.submit({"do": "join", "player": "Aubrey", "coins": 50}, source="dealer")
        table = world(service=service)
        table.run(seconds=5)
        assert said(service, "Aubrey") == []
        assert [player["name"] for player in service.view()["players"]] == ["Aubrey"]


def test_who_has_left_may_be_simulated_again(world, tmp_path):
    """The demo seats a simulated Aubrey once the real one has left."""
    with open_table(tmp_path, "roche", NAMES[:1]) as service:
        phone = Phone(service, tmp_path, 1)
        phone.do(do="bet", player="Aubrey", on="cut/6", amount=1)
        for record in ({"do": "undo"}, {"do": "cash-out", "player": "Aubrey"}, {"do": "leave", "player": "Aubrey"}):
            service.submit(record, source="dealer")
        table = world(service=service)
        table.run(seconds=4.5)
        assert said(service, "Aubrey", "bet")


def test_a_restarted_demo_leaves_the_table_to_the_dealer_who_took_it_over(world, tmp_path):
    """It dealt by itself again, and bet for those whom the dealer had told not to."""
    with open_table(tmp_path, "roche", NAMES) as service:
        agent = world(service=service).agent
        agent.auto(False)
        agent.players(False)
        agent.pause()  # as a restart from the set-up does: it is no choice
    with open_table(tmp_path, "roche", NAMES) as service:
        table = world(service=service)
        table.run(seconds=6)
        assert (table.agent.state()["auto"], table.agent.state()["players"]) == (False, False)
        assert said(service) == []
        table.agent.auto(True)
        table.agent.pause()
    with open_table(tmp_path, "roche", NAMES) as service:
        table = world(service=service)
        table.run(seconds=1)
        assert table.agent.is_auto
