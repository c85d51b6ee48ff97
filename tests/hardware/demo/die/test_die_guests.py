"""At Rugen tables the demo never stakes for players who joined by phone."""

import pytest
from phones import Phone, open_table, said

from companion.games.rugen.demo.players import NAMES, plan
from companion.testing import moment_at, new_table

GAMES = ["rugen-house", "rugen-street", "rugen-capital"]


@pytest.mark.parametrize("game", GAMES)
def test_who_has_joined_by_phone_stakes_alone(world, tmp_path, game):
    """Benedict's phone joins when the first bets are planned; chains continue with only the others playing."""
    with open_table(tmp_path, game, NAMES) as service:
        table = world(game, service=service)
        assert table.run(until=lambda: bool(table.agent._plan) or service.view()["phase"] == "point")
        Phone(service, tmp_path, 2)
        table.run(until=lambda: service.view()["rounds"] == 2)
        assert said(service, "Benedict") == []
        assert said(service, None, "bet", "take", "stake", "side-bet")
        assert service.view()["rounds"] == 2


@pytest.mark.parametrize("auto", [True, False])
def test_a_shooter_on_the_phone_stakes_alone(world, tmp_path, auto):
    """In Street nobody stakes for a shooter on the phone; the table waits."""
    with open_table(tmp_path, "rugen-street", NAMES) as service:
        phone = Phone(service, tmp_path, 1)
        table = world("rugen-street", service=service, auto=auto)
        service.submit({"do": "throw", "face": "3d"}, source="dealer")
        table.run(seconds=20)
        assert service.view()["phase"] == "stake"
        phone.do(do="stake", units=1)
        assert service.view()["phase"] == "taking"
        table.run(seconds=3)
        assert said(service, None, "stake") == []
        assert said(service, "Aubrey") == []


def test_a_phone_that_joins_between_plan_and_stake_is_left_alone(world, tmp_path):
    with open_table(tmp_path, "rugen-street", NAMES) as service:
        table = world("rugen-street", service=service, auto=False)
        service.submit({"do": "throw", "face": "3d"}, source="dealer")
        assert table.run(until=lambda: any(planned.record["do"] == "stake" for planned in table.agent._plan))
        Phone(service, tmp_path, 1)
        table.run(seconds=20)
        assert service.view()["phase"] == "stake"


def test_a_plan_has_no_stake_of_somebody_else():
    table = new_table("rugen-street", [("Zoë", 200), (NAMES[0], 200)])
    table.do({"do": "throw", "face": "3d"})
    assert plan(moment_at(table), NAMES[:1], None) == []
