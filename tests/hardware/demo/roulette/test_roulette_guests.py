"""The roulette demo never bets for players who joined by phone."""

from phones import Phone, open_table, said

from companion.games.roulette.demo.players import NAMES


def test_who_has_joined_by_phone_bets_alone(world, tmp_path):
    with open_table(tmp_path, "roulette", NAMES[:3]) as service:
        Phone(service, tmp_path, 2)
        table = world(service=service)
        assert table.run(until=lambda: len(service.view()["last"]) == 2)
        chips = {record["player"] for record in table.laid}
        assert said(service, "Benedict") == []
        assert "Benedict" not in chips
        assert chips


def test_a_phone_that_joins_while_bets_are_laid_is_left_alone(world, tmp_path):
    with open_table(tmp_path, "roulette", NAMES[:3]) as service:
        table = world(service=service)
        assert table.run(until=lambda: any(wish.player == "Aubrey" for wish in table.agent._wishes))
        bets = len(said(service, "Aubrey")) + sum(record["player"] == "Aubrey" for record in table.laid)
        Phone(service, tmp_path, 1)
        assert table.run(until=lambda: len(service.view()["last"]) == 1)
        assert len(said(service, "Aubrey")) + sum(record["player"] == "Aubrey" for record in table.laid) <= bets + 1
