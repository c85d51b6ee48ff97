"""Chips of imprisoned bets that are removed, moved, covered or hidden: no bet is duplicated or lost."""

import pytest
from chip_table import HIGH, LEFT, TOP, WIDE, ChipTable, middle

pytestmark = pytest.mark.thorough
RED = (LEFT + 5 * WIDE, TOP + 4 * HIGH)
BESIDE = (RED[0] - 28, RED[1])


@pytest.fixture
def table() -> ChipTable:
    """A table with Ann's imprisoned 5 on red; the layout is not paid yet."""
    made = ChipTable()
    made.wait(2.2)
    made.lay("C1-5", RED)
    made.do(do="no-more-bets")
    made.do(do="spin", pocket="0")
    return made


def answers(table: ChipTable, kind: str) -> dict[str, int]:
    """Return answer -> coins bet, for a question."""
    question = next(one for one in table.questions if one.kind == kind)
    return {one.id: (one.command or {}).get("amount", 0) for one in question.choices}


@pytest.mark.parametrize("paid", ["stay", "away"])
@pytest.mark.parametrize(("choice", "bets"), [("same", {}), ("more", {("Ann", "red"): 5}), ("leave", {})])
def test_a_chip_that_comes_where_one_in_prison_was_taken_up_is_asked_about(table, paid, choice, bets):
    """It may be the same one laid back or a new bet: only the dealer knows."""
    table.answer("paying", paid)
    table.take("C1-5")
    table.lay("C1-5", BESIDE)
    assert (table.bets, table.kinds()) == ({}, ["earlier"])
    table.answer("earlier", choice)
    table.wait(3.0)
    assert (table.bets, table.kinds()) == (bets, [])


def test_a_chip_that_was_laid_back_is_no_bet_and_the_next_one_is(table):
    table.answer("paying", "stay")
    table.take("C1-5")
    table.lay("C1-5", BESIDE)
    table.answer("earlier", "same")
    table.lay("C1-25", RED)
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 25}, [])


def test_a_new_bet_is_known_when_the_chip_in_prison_comes_back(table):
    table.answer("paying", "stay")
    table.take("C1-5")
    table.lay("C1-5", BESIDE)
    table.answer("earlier", "more")
    table.lay("C1-5", RED)
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 5}, ["earlier"])
    table.answer("earlier", "same")
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 5}, [])


@pytest.mark.parametrize("paid", ["stay", "away", None])
def test_a_chip_in_prison_that_is_moved_is_asked_about_and_never_bet_unasked(table, paid):
    if paid:
        table.answer("paying", paid)
    table.chips.clear()
    table.lay("C1-5", BESIDE)
    assert table.bets == {}
    table.wait(3.0)
    if not paid:
        table.answer("paying", "stay")
        table.wait(3.0)
    assert (table.bets, table.kinds()) == ({}, ["earlier"])


def test_a_chip_in_prison_that_is_moved_under_a_hand_is_never_bet_unasked(table):
    table.answer("paying", "stay")
    table.chips.clear()
    table.hand = (RED[0] + 50, RED[1])
    table.lay("C1-5", (RED[0] - 36, RED[1]))
    table.wait(6.0)
    assert (table.bets, table.kinds()) == ({}, ["earlier"])


@pytest.mark.parametrize("paid", ["stay", "away"])
def test_a_chip_beside_one_in_prison_is_a_bet(table, paid):
    table.answer("paying", paid)
    table.lay("C1-5", BESIDE)
    table.wait(3.0)
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 5}, [])


@pytest.mark.parametrize(("choice", "coins"), [("same", 0), ("more", 5)])
def test_a_chip_on_one_in_prison_is_asked_about(table, choice, coins):
    """The same hand may have removed the one below, which stays imprisoned nevertheless."""
    table.answer("paying", "stay")
    table.lay("C1-5", RED, turn=70.0)
    assert (table.bets, table.kinds()) == ({}, ["earlier"])
    table.answer("earlier", choice)
    table.wait(3.0)
    assert (table.bets, table.kinds()) == ({("Ann", "red"): coins} if coins else {}, [])


def test_a_bigger_chip_in_place_of_one_in_prison_is_asked_about(table):
    """Either the 5 was changed into it, or all of it is a new bet."""
    table.chips.clear()
    table.lay("C1-25", BESIDE)
    table.wait(3.0)
    table.answer("paying", "stay")
    table.wait(3.0)
    assert (table.bets, table.kinds()) == ({}, ["earlier"])
    assert answers(table, "earlier") == {"same": 20, "more": 25, "leave": 0}
    table.answer("earlier", "same")
    table.wait(3.0)
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 20}, [])


@pytest.mark.parametrize(("choice", "coins"), [("same", 25), ("more", 26)])
def test_a_bet_beside_a_chip_in_prison_that_is_taken_up_stays_what_it_is(table, choice, coins):
    table.answer("paying", "stay")
    table.lay("C1-25", BESIDE)
    table.take("C1-5")
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 25}, ["taken-up"])
    table.answer("taken-up", "leave")
    table.lay("C1-1", (RED[0] + 32, RED[1]))
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 25}, ["earlier"])
    assert answers(table, "earlier") == {"same": 0, "more": 1, "leave": 0}
    table.answer("earlier", choice)
    assert (table.bets, table.kinds()) == ({("Ann", "red"): coins}, [])


# ---- a restart in between


@pytest.mark.parametrize("is_there", [True, False])
def test_a_table_that_starts_anew_knows_of_the_bet_in_prison(table, is_there):
    table.answer("paying", "stay")
    if not is_there:
        table.take("C1-5")
    table.sight = type(table.sight)()
    table.wait(2.5)
    assert (table.bets, table.kinds()) == ({}, [])
    table.lay("C1-5", BESIDE)
    table.wait(1.0)
    assert (table.bets, table.kinds()) == (({("Ann", "red"): 5}, []) if is_there else ({}, ["earlier"]))


def test_one_chip_for_a_bet_and_a_prisoner_is_not_counted_for_both(table):
    """At the start one of the two is hidden: a further chip may be that one or another."""
    table.answer("paying", "stay")
    table.do(do="bet", player="Ann", on="red", amount=5)
    table.sight = type(table.sight)()
    table.wait(2.5)
    table.lay("C1-5", BESIDE)
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 5}, ["known"])
    assert answers(table, "known") == {"same": 0, "more": 5, "leave": 0}


# ---- undo


def test_a_prisoner_of_an_undone_spin_is_a_bet_again(table):
    table.answer("paying", "stay")
    table.do(do="undo")
    table.do(do="undo")
    table.answer("paying", "stay")
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 5}, [])


def test_a_spin_that_is_undone_and_done_again_keeps_its_prisoner(table):
    table.answer("paying", "stay")
    table.do(do="undo")
    table.do(do="redo")
    table.answer("paying", "stay")
    assert (table.bets, table.kinds()) == ({}, [])
    table.lay("C1-1", BESIDE)
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 1}, [])


@pytest.mark.parametrize(("choice", "coins"), [("same", 5), ("more", 10)])
def test_a_chip_that_was_cleared_and_is_laid_back_after_an_undo_is_asked_about(table, choice, coins):
    """The undo restores its bet, although no chip was there then."""
    table.chips.clear()
    table.wait(4.0)
    table.answer("paying", "away")
    table.do(do="undo")
    table.do(do="undo")
    table.lay("C1-5", RED)
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 5}, ["known"])
    table.answer("known", choice)
    table.wait(3.0)
    assert (table.bets, table.kinds()) == ({("Ann", "red"): coins}, [])


def test_a_chip_is_asked_about_where_a_bet_counts_again_whose_chips_are_none(table):
    """The dealer said that the chips on the layout after an undone spin are not bets."""
    table.answer("paying", "stay")
    table.do(do="undo")
    table.do(do="undo")
    table.answer("paying", "away")
    table.chips.clear()
    table.wait(4.0)
    table.lay("C1-5", BESIDE)
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 5}, ["known"])


# ---- any bet


def test_a_chip_that_is_moved_on_its_spot_is_not_bet_twice():
    table = ChipTable()
    table.wait(2.2)
    table.lay("C1-5", RED)
    table.chips.clear()
    table.lay("C1-5", BESIDE)
    assert table.bets == {("Ann", "red"): 5}
    table.wait(3.0)
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 5}, ["taken-up"])
    table.answer("taken-up", "back")
    table.wait(1.0)
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 5}, [])


def test_a_chip_beside_one_that_something_hides_for_long_is_asked_about():
    """The new one may be the hidden one."""
    table = ChipTable()
    table.wait(2.2)
    table.lay("C1-5", RED)
    table.hand = (RED[0] + 50, RED[1])
    table.lay("C1-25", (RED[0] - 36, RED[1]))
    assert table.bets == {("Ann", "red"): 5}
    table.wait(5.0)
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 5}, ["stack"])
    table.answer("stack", "all")
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 30}, [])


def test_a_stack_that_is_cleared_after_a_spin_is_no_bet(table):
    """At the upper chip's place the lower one was seen before, now the mat."""
    table.answer("paying", "stay")
    table.lay("C2-5", middle(14))
    table.lay("C2-1", (middle(14)[0] + 2, middle(14)[1] + 8), turn=70.0)
    table.answer("stack", "all")
    assert table.bets == {("Bo", "straight/14"): 6}
    table.do(do="no-more-bets")
    table.do(do="spin", pocket="2")
    table.chips.clear()
    table.wait(1.0)
    table.answer("paying", "stay")
    table.wait(5.0)
    assert (table.bets, table.kinds()) == ({}, [])


def test_a_chip_that_is_out_of_sight_when_the_layout_is_paid_is_no_bet_before_it_is_seen(table):
    table.answer("paying", "stay")
    table.lay("C2-5", middle(14))
    table.do(do="no-more-bets")
    table.do(do="spin", pocket="0")
    table.hand = middle(14)
    table.wait(5.0)
    table.answer("paying", "stay")
    assert (table.bets, table.kinds()) == ({}, [])
    table.hand = None
    table.wait(1.0)
    assert (table.bets, table.kinds()) == ({("Bo", "straight/14"): 5}, [])


@pytest.mark.parametrize(("choice", "bets"), [("same", {}), ("more", {("Ann", "red"): 5})])
def test_a_chip_that_may_have_come_from_under_another_in_prison_is_asked_about(choice, bets):
    table = ChipTable()
    table.wait(2.2)
    table.lay("C1-5", RED)
    table.lay("C1-25", RED, turn=70.0)
    table.answer("stack", "all")
    table.do(do="no-more-bets")
    table.do(do="spin", pocket="0")
    table.answer("paying", "stay")
    table.lay("C1-5", (RED[0] - 36, RED[1]))
    assert (table.bets, table.kinds()) == ({}, ["earlier"])
    table.answer("earlier", choice)
    table.wait(3.0)
    assert (table.bets, table.kinds()) == (bets, [])
