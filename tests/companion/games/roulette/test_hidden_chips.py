"""Chips of bets that are hidden or may have been moved: the dealer is asked once."""

import pytest
from chip_table import HIGH, LEFT, TOP, WIDE, middle
from felt import FeltTable

RED = (LEFT + 5 * WIDE, TOP + 4 * HIGH)
BESIDE = (RED[0] - 28, RED[1])


@pytest.fixture
def table() -> FeltTable:
    made = FeltTable()
    made.wait(2.2)
    return made


@pytest.mark.parametrize(
    ("is_there", "choice", "bets"), [(True, "there", {("Ann", "straight/14"): 5}), (False, "back", {})]
)
def test_a_chip_that_something_hides_for_long_is_asked_about_once(table, is_there, choice, bets):
    table.lay("C1-5", middle(14))
    table.hand = middle(14)
    if not is_there:
        table.chips.clear()
    table.wait(10.0)
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): 5}, []), "a hand that rests goes by itself"
    table.wait(10.0)
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): 5}, ["hidden"])
    table.answer("hidden", choice)
    table.wait(30.0)
    assert (table.bets, table.kinds()) == (bets, [])
    table.hand = None
    table.wait(4.0)
    assert (table.bets, table.kinds()) == (bets, [])


def test_a_chip_that_was_seen_meanwhile_is_asked_about_again(table):
    table.lay("C1-5", middle(14))
    for _ in range(2):
        table.hand = middle(14)
        table.wait(20.0)
        table.answer("hidden", "there")
        table.hand = None
        table.wait(1.0)
        assert table.kinds() == []


def test_a_hidden_chip_beside_one_that_is_seen_gives_its_coins_back_alone(table):
    table.lay("C1-5", RED)
    table.lay("C1-25", BESIDE)
    table.hand = (RED[0] + 36, RED[1])
    table.chips.pop(0)
    table.wait(20.0)
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 30}, ["hidden"])
    table.answer("hidden", "back")
    table.wait(2.0)
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 25}, [])


def test_a_chip_that_a_phone_has_added_to_is_only_left(table):
    table.lay("C1-5", middle(14))
    table.do(do="bet", player="Ann", on="straight/14", amount=7)
    table.hand = middle(14)
    table.wait(20.0)
    assert [choice.id for one in table.questions for choice in one.choices] == ["there", "leave"]


def test_a_chip_under_another_players_chip_is_asked_about(table):
    """Bo's hand may have removed it."""
    table.lay("C1-5", RED)
    table.chips.clear()
    table.lay("C2-25", RED, turn=70.0)
    table.wait(20.0)
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 5, ("Bo", "red"): 25}, ["hidden"])
    table.answer("hidden", "back")
    table.wait(20.0)
    assert (table.bets, table.kinds()) == ({("Bo", "red"): 25}, [])


@pytest.mark.parametrize(("choice", "coins"), [("there", 30), ("back", 25)])
def test_a_chip_that_may_have_been_pulled_out_and_laid_elsewhere_is_asked_about(table, choice, coins):
    """The visible one is bet at once; only the dealer knows whether the hidden one is still there."""
    table.lay("C1-5", RED)
    table.lay("C1-25", RED, turn=65.0)
    table.answer("stack", "all")
    table.lay("C1-5", middle(14))
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 30, ("Ann", "straight/14"): 5}, ["hidden"])
    assert str(table.questions[0].text) == (
        "Ann's 5 on red are out of sight, and an equal chip was laid elsewhere. Do they still lie there?"
    )
    table.answer("hidden", choice)
    table.wait(20.0)
    assert (table.bets, table.kinds()) == ({("Ann", "red"): coins, ("Ann", "straight/14"): 5}, [])


def test_a_hidden_chip_says_how_it_is_taken_back_once_bets_are_closed(table):
    """No bet can be taken back then: "Do they still lie there?" had no negative answer."""
    table.lay("C1-5", RED)
    table.do(do="no-more-bets")
    table.hand = RED
    table.chips.clear()
    table.wait(20.0)
    (question,) = table.questions
    assert str(question.text) == (
        "Ann's 5 on red are out of sight. If they do not lie there, undo “no more bets” and take them back."
    )
    assert [choice.id for choice in question.choices] == ["there", "leave"]
    table.do(do="undo")
    assert str(table.questions[0].text) == "Ann's 5 on red are out of sight. Do they still lie there?"
    table.answer("hidden", "back")
    assert (table.bets, table.kinds()) == ({}, [])


def test_a_chip_unlike_the_hidden_one_raises_no_doubt_of_it(table):
    table.lay("C1-5", RED)
    table.lay("C1-25", RED, turn=65.0)
    table.answer("stack", "all")
    table.lay("C1-1", middle(14))
    table.lay("C2-5", middle(20))
    assert table.kinds() == []


def test_a_chip_that_was_left_and_seen_again_is_asked_about_when_it_is_taken_up(table):
    table.lay("C1-5", middle(14))
    table.take("C1-5")
    table.answer("taken-up", "leave")
    table.lay("C1-5", middle(14))
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): 5}, [])
    table.take("C1-5")
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): 5}, ["taken-up"])


def test_a_late_chip_where_one_in_prison_was_taken_up_is_late(table):
    table.lay("C1-5", RED)
    table.do(do="no-more-bets")
    table.do(do="spin", pocket="0")
    table.answer("paying", "stay")
    table.take("C1-5")
    table.do(do="no-more-bets")
    table.lay("C1-5", BESIDE)
    assert (table.bets, table.kinds()) == ({}, ["late"])


def stack_of_two(table: FeltTable) -> None:
    """Lay Bo's 25 on Ann's 5; the dealer confirms that Ann's is still there."""
    table.lay("C1-5", RED)
    table.lay("C2-25", RED, turn=70.0)
    table.wait(6.0)
    table.answer("hidden", "there")
    assert (table.bets, table.kinds()) == ({("Ann", "red"): 5, ("Bo", "red"): 25}, [])


def test_a_stack_that_is_cleared_while_the_dealer_pays_is_no_bet(table):
    stack_of_two(table)
    table.do(do="no-more-bets")
    table.do(do="spin", pocket="14")
    table.chips.clear()
    table.wait(0.4)
    table.answer("paying", "stay")
    table.wait(20.0)
    assert (table.bets, table.kinds()) == ({}, [])


def test_what_the_dealer_said_of_a_covered_chip_lasts_until_its_cover_is_moved(table):
    stack_of_two(table)
    table.chips = [("C2-25", RED, 110.0)]  # Ann's was removed, and Bo's is rotated
    table.wait(6.0)
    assert sorted(table.kinds()) == ["hidden", "stack"]


def test_a_bet_that_is_hidden_when_no_more_bets_are_taken_is_asked_about(table):
    """It stands whatever the answer, which says nothing about the next round."""
    table.lay("C1-5", middle(14))
    table.hand = middle(14)
    table.wait(6.0)
    table.do(do="no-more-bets")
    table.wait(15.0)
    assert [(one.kind, [choice.id for choice in one.choices]) for one in table.questions] == [
        ("hidden", ["there", "leave"])
    ]
    table.answer("hidden", "leave")
    assert (table.bets, table.kinds()) == ({("Ann", "straight/14"): 5}, [])
    table.do(do="spin", pocket="2")
    table.answer("paying", "stay")
    table.wait(20.0)
    assert (table.bets, table.kinds()) == ({}, [])
