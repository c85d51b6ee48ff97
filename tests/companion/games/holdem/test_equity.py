"""Equities: published values, full enumeration, and none while a hand is face down."""

from math import comb

import holdem_second_opinion as second_opinion
import pytest

from companion.games.holdem.odds import equity
from companion.games.holdem.odds.equity import MAX_HANDS, chances_now, equities
from companion.testing import INSTALLED, new_table

BOARDS = 1_712_304
PUBLISHED = {
    ("AS AD", "KS KD"): (1_410_336, 292_660, 9_308),
}
"""Two hands -> numbers of boards won by the first, won by the second, and shared."""


def hands(*texts):
    return tuple(tuple(text.split()) for text in texts)


def all_in(*more):
    """Return a table at which Cy folded and Ann and Bo are all-in before the flop, after further commands."""
    table = new_table("holdem", [("Ann", 500), ("Bo", 500), ("Cy", 500)])
    actions = [{"do": "fold"}, {"do": "all-in"}, {"do": "call"}]
    dealt = [{"do": "hole", "player": name} for name in ("Ann", "Bo", "Cy")]
    for record in ({"do": "post"}, *dealt, *actions, *more):
        table.do(record)
    return table


TABLED = (
    {"do": "table", "player": "Bo", "cards": ["KS", "KD"]},
    {"do": "table", "player": "Ann", "cards": ["AS", "AD"]},
)
FLOP = {"do": "board", "cards": ["2C", "7H", "9D"]}
TURN = {"do": "board", "cards": ["TH"]}


@pytest.mark.parametrize("pair", list(PUBLISHED))
def test_before_the_flop_a_sample_is_right_within_the_error_that_is_told(pair):
    wins, losses, _ = PUBLISHED[pair]
    (win, _, share, error), (lose, *_) = equities(hands(*pair), ())
    assert abs(win - wins / BOARDS) < 2 * error
    assert abs(lose - losses / BOARDS) < 2 * error
    assert win < share < win + 0.02


@pytest.mark.slow
@pytest.mark.parametrize("pair", list(PUBLISHED))
def test_all_boards_are_as_published(pair, monkeypatch):
    monkeypatch.setattr(equity, "MAX_HANDS", 2 * BOARDS)
    equities.cache_clear()
    (win, tie, _, error), (lose, *_) = equities(hands(*pair), ())
    equities.cache_clear()
    assert (round(win * BOARDS), round(lose * BOARDS), round(tie * BOARDS)) == PUBLISHED[pair]
    assert error == 0


def test_with_one_card_to_come_outs_are_counted():
    """Of 44 cards, nine spades make the flush and three more jacks the straight; the aces win with all others."""
    (win, tie, share, error), (draw, *_) = equities(hands("AH AD", "KS QS"), ("2S", "7S", "9D", "TH"))
    assert (win, draw) == pytest.approx((32 / 44, 12 / 44))
    assert (tie, error, share) == (0, 0, win)


def test_pokerkit_counts_the_same_in_four_hundred_situations():
    """Two to five hands all-in with one or two cards to come: wins, ties and pot shares agree exactly."""
    told, said = second_opinion.heard_equities(), []
    for dealt, board in second_opinion.situations():
        count = comb(52 - 2 * len(dealt) - len(board), 5 - len(board))
        for win, tie, share, error in equities(tuple(map(tuple, dealt)), tuple(board)):
            assert error == 0
            said += [round(win * count), round(tie * count), round(share * count * 60)]
    assert len(said) == len(told)
    assert said == list(told)


def test_the_same_hand_twice_shares_every_board():
    found = equities(hands("AH KD", "AS KC"), ("2S", "7D", "9C"))
    assert found[0] == found[1]
    assert found[0][2] == pytest.approx(0.5)


@pytest.mark.parametrize("count", [2, 5, 10])
def test_shares_come_to_one(count):
    cards = [rank + suit for rank in "KQJT9" for suit in "SHDC"]
    found = equities(tuple(tuple(cards[2 * i : 2 * i + 2]) for i in range(count)), ("2S", "3D", "4C"))
    assert sum(one[2] for one in found) == pytest.approx(1)
    assert all(one[3] == 0 for one in found), "with a flop every board is counted"


def test_nothing_is_shown_while_a_hand_that_plays_is_face_down():
    assert chances_now(all_in().position.state) == ()
    assert chances_now(all_in(TABLED[0]).position.state) == ()
    assert chances_now(all_in(TABLED[0], FLOP).position.state) == ()
    assert {one.player for one in chances_now(all_in(*TABLED, FLOP).position.state)} == {"Ann", "Bo"}
    last = chances_now(all_in(*TABLED, FLOP, TURN).position.state)
    assert [round(one.win * 44) for one in last] == [42, 2]


def test_hands_that_lie_open_end_with_the_river():
    table = all_in(*TABLED, FLOP, TURN, {"do": "board", "cards": ["3C"]})
    assert table.phase == "ready"
    assert table.position.ledger.balance("Ann") == 1000
    assert table.results[-1][1]["hands"]["Bo"]["rank"] == "pair"


def test_pages_have_the_chances_where_they_are_switched_on():
    state = all_in(*TABLED, FLOP).position.state
    for name in ("holdem", "holdem-tournament"):
        told = INSTALLED[name].odds.chances(state)
        assert [one["player"] for one in told] == ["Ann", "Bo"]
        assert MAX_HANDS > 990, "two hands with a flop are counted"
