"""Rounds with the printed mat and cards: rendered pixels, the real reader and rules."""

import pytest
from blackjack_table import FORGED, BlackjackTable, bets, dealers, spot

from companion.games.blackjack.state import Phase


@pytest.mark.thorough
def test_a_round_is_read_from_the_first_card_to_the_payout():
    table = BlackjackTable(names=("Ann",))
    table.do("bet", player="Ann", amount=100)
    table.lay("6S", spot(1), wait=0.8)
    table.lay("9C", dealers(0), wait=0.8)
    table.lay("5H", spot(1, 0, 1), wait=0.8)
    table.lay("QS", dealers(1), is_up=False, wait=1.6)
    x, y = spot(1, 0, 2)
    table.lay("TD", (x, y + 10), turn=91.0, wait=1.0)
    table.take("QS")
    table.lay("QS", dealers(1), wait=1.2)
    assert [one["do"] for one in table.played] == ["deal", "deal", "deal", "hole", "double", "reveal"]
    assert (table.state.phase, table.kinds()) == (Phase.BETTING, [])
    assert table.coins() == {"Ann": 2200}


@pytest.mark.slow
def test_chips_bet_and_a_split_with_a_draw_are_read_and_mistakes_are_asked():
    table = BlackjackTable(names=("Ann", "Bo"))
    table.lay("C1-100", bets(1), wait=2.0)
    table.lay("C2-25", bets(2), wait=6.5)
    assert table.kinds() == ["refused"], "less than the least bet"
    table.lay("C2-25", bets(2, 1), wait=2.0)
    assert [box.hands[0].amount for box in table.state.boxes] == [100, 50]
    table.lay("C2-100", bets(1, 2), wait=2.0)
    assert table.kinds() == ["place"], "a chip of seat 2 in the bet box of seat 1"
    table.take("C2-100", wait=3.0)
    table.lay("C1-25", (bets(1)[0] + 2, bets(1)[1] + 1), turn=50.0, wait=2.0)
    assert table.kinds() == ["stack"]
    table.answer("all")
    assert [box.hands[0].amount for box in table.state.boxes] == [125, 50]

    table.lay("8S", spot(2))
    assert table.kinds() == ["order"], "the wrong box"
    table.move("8S", spot(1))
    table.lay("KD", (spot(2)[0] + 110, spot(2)[1]))
    assert table.kinds() == ["place"], "between two boxes"
    table.move("KD", spot(2))
    table.lay("C1-25", bets(1, 2), wait=2.0)
    assert table.kinds() == ["late"]
    table.things.pop()
    table.wait(3.0)
    table.lay("5C", dealers(0))
    table.lay("8H", spot(1, 0, 1))
    table.lay("5D", spot(2, 0, 1), deck=FORGED)
    assert table.kinds() == ["forged"]
    table.take("5D", wait=2.0)
    table.lay("6D", spot(2, 0, 1))
    table.lay("QS", dealers(1), is_up=False, wait=1.6)
    assert table.state.phase is Phase.PLAYING

    table.take("QS", wait=0.5)
    table.lay("QS", dealers(1), wait=1.5)
    assert table.kinds() == ["flashed"]
    table.take("QS", wait=0.5)
    table.lay("QS", dealers(1), is_up=False, wait=2.0)
    assert table.kinds() == []

    table.move("8H", spot(1, 1, 0))
    table.lay("3C", spot(1, 0, 1))
    x, y = spot(1, 0, 2)
    table.lay("9C", (x, y + 10), turn=91.0)
    table.lay("KC", spot(1, 1, 1))
    table.do("stand")
    table.lay("4S", spot(2, 0, 2))
    table.do("stand")
    table.take("QS")
    table.lay("QS", dealers(1), wait=2.0)
    table.lay("7D", dealers(2), wait=1.5)
    hands = [hand.cards for box in table.state.decided.boxes for hand in box.hands]
    assert hands == [("8S", "3C", "9C"), ("8H", "KC"), ("KD", "6D", "4S")]
    assert table.coins() == {"Ann": 2000 + 250 + 125, "Bo": 2050}
    assert table.kinds() == ["paying"]
    table.clear()
    table.answer("stay")
    table.wait(1.0)
    assert [box.hands[0].amount for box in table.state.boxes] == [125, 50]
