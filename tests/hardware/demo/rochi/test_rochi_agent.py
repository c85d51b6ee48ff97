"""Simulated Rochi players: they play, press buttons, pay and correct, and never enter what the camera has to see."""

import pytest

from companion.games.rochi.demo.agent import RochiAgent
from companion.games.rochi.demo.follow import open_on
from companion.games.rochi.demo.incidents import INCIDENTS
from companion.games.rochi.demo.moves import token_home_of
from companion.kernel.errors import TableError
from hardware.demo.felt_table import DemoError

pytestmark = pytest.mark.slow  # renders complete hands

SEEN = ("seed", "play", "deal")


def agrees(world):
    """Whether cards, tokens and coins lie as in the companion's view."""
    board, felt = world.board, world.felt
    wanted = {token: token_home_of(board, token) for token in felt.tokens}
    return (
        open_on(felt) == board.open_cards
        and {token: felt.token_at(token) for token in felt.tokens} == wanted
        and {place: coins for place, coins in felt.coins.items() if coins}
        == {place: coins for place, coins in board.coins.items() if coins}
    )


@pytest.mark.parametrize(
    "players", [4, pytest.param(3, marks=pytest.mark.slow), pytest.param(6, marks=pytest.mark.slow)]
)
def test_whole_hands_are_played_and_nobody_types(world, players):
    """Every card comes from the camera; only end, fold and next hand are button presses."""
    table = world(players, seed=players)
    assert table.run(1500, until=lambda: len(table.service.table.results) >= 1)
    by_hand = {e["record"]["do"] for e in table.service.entries if e["source"] != "camera"}
    assert by_hand <= {"end", "fold", "next-hand", "buy-in"}
    seen = [e["record"]["do"] for e in table.service.entries if e["source"] == "camera"]
    assert set(seen) <= set(SEEN)
    assert table.agent.counts["understood"] >= len(seen) - 1 >= 8  # the last one may not have been read yet
    assert table.agent.counts["tapped"] == 0


def test_things_lie_where_the_ledger_has_them(world):
    table = world(4, seed=8)
    for _ in range(6):
        table.to_turn()
        table.run(6, until=lambda: not table.felt.busy and agrees(table))
        assert agrees(table)
        table.run(1.0)


def test_captains_plays_on_through_cuts(world):
    table = world(2, seed=5, game="captains", pace=8)
    assert table.run(2500, until=lambda: len(table.service.table.results) >= 4 and not table.felt.busy)
    by_hand = {e["record"]["do"] for e in table.service.entries if e["source"] != "camera"}
    assert by_hand <= {"end", "pass", "odd-coin"}
    table.to_phase("turns")
    cards = [card for seat in table.felt.seats for card in table.felt.hand(seat)]
    cards += [*open_on(table.felt), *table.felt.discards, *table.felt.next_cards(60)]
    assert len(cards) == len(set(cards)) == 54


def test_a_restart_in_mid_hand_finds_the_table_as_it_was(world):
    first = world(4, seed=2)
    first.to_turn()
    first.run(40)
    first.to_turn()
    second = world(4, service=first.service)
    second.agent.tick()
    assert agrees(second)
    view = second.view
    assert [len(second.felt.hand(seat)) for seat in (1, 2, 3, 4)] == [hand["cards"] for hand in view["hands"]]
    assert second.felt.deck_left == view["left"]
    results = len(view["rounds"] * "x")
    assert second.run(1200, until=lambda: len(second.service.table.results) > results)


def test_a_card_that_is_never_seen_is_tapped_in_the_end(world):
    table = world(4)
    table.to_turn()
    table.sees = lambda awaited: None
    assert table.run(60, until=lambda: table.agent.counts["tapped"] > 0)
    assert table.service.entries[-1]["source"] == "demo"


def test_a_play_that_was_taken_for_a_deal_is_put_right(world):
    table = world(4)
    table.to_turn()
    table.sees = lambda awaited: {**awaited.record, "do": "deal" if awaited.record["do"] == "play" else "play"}
    assert table.run(60, until=lambda: any(name.startswith("corrected") for name in table.agent.counts))
    undone = [e["source"] for e in table.service.entries if e["record"]["do"] == "undo"]
    assert undone == ["demo"]


def test_a_camera_that_is_lost_is_waited_for(world):
    table = world(4)
    table.to_turn()
    table.sees = lambda awaited: None
    table.service.camera = "lost"
    table.run(30)
    assert table.agent.counts["tapped"] == 0
    assert "camera is lost" in table.agent.state()["text"]


def test_a_card_that_was_undone_is_taken_back(world):
    """The dealer undoes the latest card on a page: a player takes it back into the hand or onto the deck."""
    table = world(4)
    table.to_turn()
    table.run(20, until=lambda: table.service.entries[-1]["record"]["do"] in ("play", "deal") and not table.felt.busy)
    card = table.service.entries[-1]["record"]["card"]
    table.agent.auto(False)
    table.run(3)
    table.service.submit({"do": "undo"}, source="dealer")
    assert table.run(20, until=lambda: card not in open_on(table.felt))
    assert table.run(20, until=lambda: agrees(table))


def test_a_card_that_was_tapped_on_a_page_is_laid_down(world):
    table = world(4)
    table.to_turn()
    table.agent.auto(False)
    table.run(2)
    card = table.felt.next_cards(1)[0]
    table.service.submit({"do": "deal", "card": card}, source="dealer")
    assert table.run(20, until=lambda: card in open_on(table.felt))


def test_the_dealer_s_page_can_drive_it(world):
    table = world(4, auto=False)
    table.run(2)
    for _ in range(3):  # deal out, seed, the first turn
        table.run(90, until=lambda: not (table.felt.busy or table.agent._awaited))
        assert table.agent.state()["can_deal"]
        table.agent.deal()
    assert table.view["phase"] == "turns"
    with pytest.raises(DemoError, match="still over the table"):
        table.agent.deal()
    table.run(30, until=lambda: not (table.felt.busy or table.agent._awaited))
    with pytest.raises(DemoError, match="The hand is not over"):
        table.agent.gather()


def test_nothing_moves_while_a_person_drives(world):
    table = world(4, auto=False)
    table.run(30)
    assert table.service.entries == []
    assert not table.felt.busy


AT_A_TURN = [kind for kind in INCIDENTS if kind not in ("seven-seeds", "tidy", "shield-wrong-player")]


@pytest.mark.parametrize("kind", AT_A_TURN)
def test_after_any_incident_the_table_is_put_right_and_they_play_on(world, kind):
    """All cards in play count, stray objects are gone, and everything lies in its place."""
    table = world(4, seed=6)
    table.to_turn()
    table.run(8)
    for _ in range(40):  # until it is possible
        table.to_turn()
        try:
            table.agent.cause_incident(kind)
            break
        except DemoError:
            table.run(2)
    assert table.agent.counts[f"mischief {kind}"] == 1
    said = len(table.service.entries)
    assert table.run(60, until=lambda: len(table.service.entries) > said + 3 and not table.felt.busy and agrees(table))
    assert all(thing.card.make == "genuine" for thing in table.felt.lying)


def test_seven_seeds_leave_six(world):
    table = world(3, seed=6)
    assert table.run(60, until=lambda: table.view["phase"] == "seeding" and table.felt.hand(3) and not table.felt.busy)
    table.agent._awaited.clear()
    if not open_on(table.felt):
        table.agent.cause_incident("seven-seeds")
        assert table.run(120, until=lambda: table.view["phase"] == "turns")
        assert len(table.service.said("seed")) == 6
        assert table.run(60, until=lambda: agrees(table))


def test_an_unknown_incident_is_named(world):
    table = world(4)
    table.run(1)
    with pytest.raises(DemoError, match="knows no mischief 'fire'"):
        table.agent.cause_incident("fire")


def test_a_person_without_coins_buys_in_between_hands(world):
    table = world(3, seed=4, coins=16)
    assert table.run(3000, until=lambda: table.service.said("buy-in"))
    assert table.service.said("buy-in")[0]["coins"] == 100


def test_a_refusal_does_not_stop_the_house(world, service):
    class Moody(service):
        def submit(self, record, *, source, key=None, timeout_s=5.0):
            if record["do"] == "end" and not self.said("end"):
                self.entries.append({"kind": "command", "record": dict(record), "source": "refused"})
                raise TableError("Not now. Try again.")
            super().submit(record, source=source)

    moody = Moody(4)
    agent = RochiAgent(moody, world(4).felt)
    with pytest.raises(TableError):
        agent._press({"do": "end"})
    assert agent.counts["pressed end"] == 0
