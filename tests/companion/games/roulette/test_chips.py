"""Chips on the printed layout, detected in rendered pictures, become bets; ambiguous ones become questions."""

from collections import Counter

import pytest
from chip_table import HIGH, LEFT, TOP, WIDE, ChipTable, middle

from companion.games.roulette.layout import layout
from companion.games.roulette.mats.spots import MATS, UNSURE, spot_at

pytestmark = pytest.mark.thorough


@pytest.fixture
def table() -> ChipTable:
    made = ChipTable()
    made.wait(2.2)
    return made


# ---- positions


@pytest.mark.parametrize("wheel", ["european", "american"])
@pytest.mark.thorough
def test_every_bet_of_the_layout_has_its_place_and_no_place_has_another(wheel):
    """On a 2 mm grid over the mat: all bets can be laid, and no others."""
    found = Counter(spot_at(x, y, wheel) for x in range(760) for y in range(400))
    assert found.keys() - {UNSURE, None} == layout(wheel).keys()
    assert min(found[on] for on in layout(wheel)) > 25  # of 4 mm2


@pytest.mark.parametrize(
    ("x", "y", "on"),
    [
        (4.5, 1.5, "straight/14"),
        (4.5, 1.3, "straight/14"),
        (5, 1.5, "split/14/17"),
        (4.5, 1, "split/14/15"),
        (5, 1, "corner/14"),
        (4.5, 3, "street/13"),
        (5, 3, "line/13"),
        (-0.5, 1.5, "straight/0"),
        (0, 0.5, "split/0/3"),
        (0, 1, UNSURE),  # three numbers with a zero are not offered
        (4.5, 0, UNSURE),  # above the first row lies nothing
        (4.79, 1.5, UNSURE),  # a finger's breadth from the line
        (2, 3.3, "dozen/1"),
        (5, 4, "red"),
        (12.5, 0.5, "column/3"),
        (6, -0.6, None),
    ],
)
def test_a_chip_on_a_line_touches_what_lies_on_both_sides(x, y, on):
    assert spot_at(LEFT + x * WIDE, TOP + y * HIGH, "european") == on


def test_two_zeros_share_the_left():
    at = [(-0.5, 0.7), (-0.5, 2.4), (-0.5, 1.5), (0, 1.3), (0, 1.7), (0, 1.5)]
    assert [spot_at(LEFT + x * WIDE, TOP + y * HIGH, "american") for x, y in at] == [
        "straight/00", "straight/0", "split/0/00", "split/00/2", "split/0/2", UNSURE,
    ]  # fmt: skip
    assert set(MATS) == {"european", "american"}


# ---- bets


def test_a_chip_that_lies_still_is_a_bet(table):
    x, y = middle(17)
    table.lay("C1-5", middle(14))
    table.lay("C2-25", (x - WIDE / 2, y), turn=70)
    table.lay("C1-1", (x - WIDE / 2, y - HIGH / 2), turn=250)
    assert table.bets == {("Ann", "straight/14"): 5, ("Bo", "split/14/17"): 25, ("Ann", "corner/14"): 1}
    assert table.kinds() == []


def test_another_chip_beside_it_adds_to_the_bet(table):
    x, y = middle(36)
    table.lay("C2-5", (x, y - 10))
    table.lay("C2-1", (x, y + 17))
    assert table.bets == {("Bo", "straight/36"): 6}


def test_a_chip_that_is_only_carried_across_is_no_bet(table):
    for number in (1, 4, 7, 10):
        table.chips = [("C1-5", middle(number), 0.0)]
        table.wait(0.4)
    table.chips = []
    table.wait(3.0)
    assert (table.bets, table.kinds()) == ({}, [])


@pytest.mark.thorough
def test_a_chip_between_spots_is_asked_about_until_it_is_moved(table):
    x, y = middle(14)
    table.lay("C1-5", (x + 13, y))
    assert (table.bets, table.kinds()) == ({}, ["place"])
    table.chips = [("C1-5", middle(14), 20.0)]
    table.wait(4.0)
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): 5}, [])


def test_a_seat_where_nobody_sits_bets_nothing(table):
    table.lay("C5-5", middle(2))
    assert (table.bets, table.kinds()) == ({}, ["empty-seat"])


@pytest.mark.parametrize(("choice", "coins"), [("all", 6), ("top", 1)])
@pytest.mark.thorough
def test_a_chip_on_a_chip_is_asked_about(table, choice, coins):
    """The same hand may have removed the one below."""
    table.chips = [("C1-5", middle(14), 20.0), ("C1-1", middle(14), 50.0)]
    table.chips.pop()
    table.wait(0.4)  # not a bet yet
    table.chips.append(("C1-1", middle(14), 50.0))
    table.wait(1.5)
    assert "stack" in table.kinds()
    table.answer("stack", choice)
    assert table.bets == {("Ann", "straight/14"): coins}
    table.wait(4.0)
    assert table.kinds() == []


def test_an_equal_chip_on_a_chip_is_noticed_and_a_nudge_is_no_bet(table):
    x, y = middle(14)
    table.lay("C1-5", (x, y))
    table.lay("C1-5", (x + 1, y - 1), turn=65.0)
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): 5}, ["stack"])
    table.answer("stack", "top")
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): 5}, [])


@pytest.mark.parametrize(("choice", "coins"), [("all", 30), ("back", 5), ("leave", 25)])
def test_a_smaller_chip_on_a_bet_one_is_asked_about(table, choice, coins):
    """The same hand may have taken the other chip, which would reduce the bet."""
    table.lay("C1-25", middle(14))
    table.lay("C1-5", middle(14), turn=65.0)
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): 25}, ["stack"])
    table.answer("stack", choice)
    table.wait(4.0)
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): coins}, [])


@pytest.mark.parametrize(("choice", "coins"), [("all", 35), ("top", 30), ("leave", 30)])
def test_a_chip_that_may_have_been_pulled_out_from_under_another_is_asked_about(table, choice, coins):
    """Its place is covered, so it may be gone."""
    x, y = LEFT + 5 * WIDE, TOP + 4 * HIGH
    table.lay("C1-5", (x, y))
    table.lay("C1-25", (x, y), turn=65.0)
    table.answer("stack", "all")
    table.lay("C1-5", (x - 28, y))
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 30}, ["stack"])
    table.answer("stack", choice)
    table.wait(4.0)
    assert (table.bets, table.kinds()) == ({("Ann", "red"): coins}, [])


def test_a_chip_beside_a_stack_without_one_like_it_adds_to_the_bet(table):
    x, y = LEFT + 5 * WIDE, TOP + 4 * HIGH
    table.lay("C1-5", (x, y))
    table.lay("C1-25", (x, y), turn=65.0)
    table.answer("stack", "all")
    table.lay("C1-1", (x - 28, y))
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 31}, [])


def test_what_a_phone_has_bet_is_not_taken_back_with_a_chip(table):
    """Only the dealer knows how much of it: no answer takes back all."""
    table.lay("C1-25", middle(14))
    table.do(do="bet", player="Ann", on="straight/14", amount=2)
    table.lay("C1-5", middle(14), turn=65.0)
    assert [choice.id for one in table.questions if one.kind == "stack" for choice in one.choices] == ["all", "leave"]


def test_a_chip_that_was_taken_up_gives_the_bet_back_if_the_dealer_says_so(table):
    table.lay("C2-25", middle(20))
    table.lay("C2-5", (middle(20)[0], middle(20)[1] + 27))
    table.take("C2-25")
    assert (table.bets, table.kinds()) == ({("Bo", "straight/20"): 25, ("Bo", "split/19/20"): 5}, ["taken-up"])
    table.answer("taken-up", "back")
    assert table.bets == {("Bo", "split/19/20"): 5}


@pytest.mark.parametrize(("choice", "coins"), [("all", 30), ("top", 25)])
def test_a_chip_that_comes_where_one_is_not_seen_any_more_is_asked_about(table, choice, coins):
    """It may be additional or in its place: the camera cannot know."""
    x, y = middle(14)
    table.lay("C1-5", (x, y - 10))
    table.take("C1-5")
    table.answer("taken-up", "leave")
    table.lay("C1-25", (x, y + 17))
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): 5}, ["stack"])
    table.answer("stack", choice)
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): coins}, [])


def test_a_smaller_chip_where_one_is_not_seen_any_more_may_be_all_that_lies_there(table):
    table.lay("C1-25", middle(14))
    table.take("C1-25")
    table.answer("taken-up", "leave")
    table.lay("C1-5", (middle(14)[0], middle(14)[1] + 17))
    table.answer("stack", "back")
    table.wait(4.0)
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): 5}, [])


def test_a_hand_over_the_chips_changes_nothing(table):
    table.lay("C1-5", middle(14))
    table.hand = middle(14)
    table.wait(6.0)
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): 5}, [])
    table.hand = None
    table.wait(1.0)
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): 5}, [])


def test_bets_from_phones_stay_as_they_are(table):
    table.do(do="bet", player="Ann", on="straight/14", amount=7)
    table.lay("C1-5", middle(14))
    assert table.bets == {("Ann", "straight/14"): 12}
    table.take("C1-5")
    question = next(one for one in table.questions if one.kind == "taken-up")
    assert [choice.id for choice in question.choices] == ["leave"]  # taking back would include the phone's bet


def test_what_the_player_cannot_pay_is_asked_about(table):
    table.lay("C1-500", middle(14))
    assert (table.bets, table.kinds()) == ({}, ["refused"])


@pytest.mark.parametrize("record", [{"do": "take-back", "player": "Ann", "on": "straight/14"}, {"do": "undo"}])
@pytest.mark.thorough
def test_what_is_taken_back_by_hand_is_not_bet_again(table, record):
    table.lay("C1-5", middle(14))
    table.do(**record)
    table.wait(2.0)
    assert (table.bets, table.kinds()) == ({}, [])
    table.chips = []
    table.wait(4.0)
    table.lay("C1-5", middle(14))
    assert table.bets == {("Ann", "straight/14"): 5}


def test_a_chip_that_somebody_has_left_there_is_no_bet_of_whoever_takes_the_seat():
    """No coins of Zoe's are staked for a chip from before she sat down, but for one that she lays."""
    table = ChipTable(players=(("Ann", 3), ("Bo", 100)))
    table.wait(2.2)
    table.lay("C1-5", middle(14))
    assert (table.bets, table.kinds()) == ({}, ["refused"])
    table.do(do="cash-out", player="Ann")
    table.do(do="leave", player="Ann")
    assert table.kinds() == ["empty-seat"]
    table.do(do="join", player="Zoe", coins=50, seat=1)
    table.wait(4.0)
    assert table.bets == {}
    table.lay("C1-1", middle(20))
    assert table.bets == {("Zoe", "straight/20"): 1}


# ---- after "no more bets"


@pytest.mark.parametrize(("choice", "bets"), [("all", {("Ann", "straight/14"): 5}), ("none", {})])
def test_a_chip_that_was_taken_back_and_nudged_is_asked_about(table, choice, bets):
    x, y = middle(14)
    table.lay("C1-5", (x, y))
    table.do(do="take-back", player="Ann", on="straight/14")
    table.chips.clear()
    table.lay("C1-5", (x + 3, y))
    table.wait(1.0)
    assert (table.bets, table.kinds()) == ({}, ["moved"])
    table.answer("moved", choice)
    assert (table.bets, table.kinds()) == (bets, [])


def test_a_chip_after_no_more_bets_is_late(table):
    table.do(do="no-more-bets")
    table.lay("C1-5", middle(14))
    assert (table.bets, table.kinds()) == ({}, ["late"])


@pytest.mark.parametrize(("choice", "bets"), [("stay", {("Ann", "straight/14"): 5}), ("away", {})])
@pytest.mark.thorough
def test_after_a_spin_chips_count_once_the_dealer_has_paid(table, choice, bets):
    table.lay("C1-5", middle(14))
    table.do(do="no-more-bets")
    table.do(do="spin", pocket="14")
    x, y = middle(17)
    table.chips.append(("C1-100", (x, y), 0.0))  # the winnings, just being laid
    table.wait(1.5)
    assert (table.bets, table.kinds()) == ({}, ["paying"])
    table.chips.pop()
    table.wait(4.0)
    table.answer("paying", choice)
    assert (table.bets, table.kinds()) == (bets, [])


def test_an_undone_spin_does_not_bet_twice(table):
    table.lay("C1-5", middle(14))
    table.do(do="no-more-bets")
    table.do(do="spin", pocket="2")
    table.do(do="undo")
    table.do(do="undo")
    table.answer("paying", "stay")
    assert table.bets == {("Ann", "straight/14"): 5}


def test_a_spin_that_is_undone_after_it_was_paid_does_not_bet_twice(table):
    """The chip was bet on the next spin, which is undone with the rest."""
    table.lay("C1-5", middle(14))
    table.do(do="no-more-bets")
    table.do(do="spin", pocket="2")
    table.answer("paying", "stay")
    for _ in range(3):
        table.do(do="undo")
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): 5}, ["paying"])
    table.answer("paying", "stay")
    assert table.bets == {("Ann", "straight/14"): 5}


def test_a_spin_and_a_bet_that_are_undone_and_done_again_do_not_bet_twice(table):
    """After the redo the chip has its bet."""
    table.lay("C1-5", middle(14))
    table.do(do="no-more-bets")
    table.do(do="spin", pocket="2")
    table.answer("paying", "stay")
    for verb in ("undo", "undo", "redo", "redo"):
        table.do(do=verb)
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): 5}, ["paying"])
    table.answer("paying", "stay")
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): 5}, [])
    table.take("C1-5")
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): 5}, ["taken-up"])


def test_chips_in_prison_are_no_second_bet(table):
    table.lay("C1-5", (LEFT + 5 * WIDE, TOP + 4 * HIGH))
    table.do(do="no-more-bets")
    table.do(do="spin", pocket="0")
    table.answer("paying", "stay")
    assert (table.bets, table.table.view()["imprisoned"]) == ({}, [{"player": "Ann", "on": "red", "amount": 5}])
    table.lay("C1-1", (LEFT + 4.4 * WIDE, TOP + 4 * HIGH))
    assert table.bets == {("Ann", "red"): 1}


@pytest.mark.parametrize("is_paid", [True, False])
def test_chips_in_prison_are_never_late(table, is_paid):
    """Neither after an undone spin, nor before the dealer has confirmed the payout."""
    table.lay("C1-5", (LEFT + 5 * WIDE, TOP + 4 * HIGH))
    table.do(do="no-more-bets")
    table.do(do="spin", pocket="0")
    if is_paid:
        table.answer("paying", "stay")
        table.lay("C1-1", (LEFT + 4.4 * WIDE, TOP + 4 * HIGH))
    table.do(do="no-more-bets")
    assert table.kinds() == []
    table.do(do="spin", pocket="2")
    table.do(do="undo")
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 1} if is_paid else {}, [])
    table.lay("C1-100", middle(14))
    assert table.kinds() == ["late"]


def test_a_table_that_starts_anew_does_not_bet_its_chips_again(table):
    table.lay("C1-5", middle(14))
    table.sight = type(table.sight)()
    table.wait(2.5)
    assert table.bets == {("Ann", "straight/14"): 5}


@pytest.mark.parametrize(("choice", "coins"), [("same", 5), ("more", 10)])
def test_chips_that_a_hand_hid_at_the_start_are_not_bet_again_unasked(table, choice, coins):
    x, y = middle(14)
    table.lay("C1-5", (x, y - 10))
    table.sight, table.hand = type(table.sight)(), middle(14)
    table.wait(4.0)
    table.hand = None
    table.wait(2.0)
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): 5}, ["known"])
    table.answer("known", choice)
    table.lay("C1-1", (x, y + 17))
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): coins + 1}, [])
