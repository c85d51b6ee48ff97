"""Bets and insurance from chips on the blackjack mat: which chips count, and which lead to questions."""

import pytest
from blackjack_film import Film
from blackjack_table import bets, dealers, spot

from companion.games.blackjack.mats.zones import MAT
from companion.games.blackjack.state import Phase

LINE = (MAT.zones["insurance"].x + 300.0, MAT.zones["insurance"].y + 15.0)


@pytest.fixture
def film() -> Film:
    film = Film()
    film.wait(4)
    return film


def staked(film: Film) -> dict[str, int]:
    return {box.player: box.hands[0].amount for box in film.state.boxes}


def test_a_chip_in_its_own_bet_box_is_bet_and_more_are_added(film):
    film.chip("C1-100", bets(1))
    assert staked(film) == {"Ann": 100}
    film.chip("C1-25", bets(1, 1))
    assert (staked(film), film.kinds()) == ({"Ann": 125}, [])


def test_chips_below_the_least_bet_are_asked_and_bet_once_there_are_enough(film):
    film.chip("C2-25", bets(2))
    assert (staked(film), film.kinds()) == ({}, []), "another chip may be on its way"
    film.wait(8)
    assert (staked(film), film.kinds()) == ({}, ["refused"])
    film.chip("C2-25", bets(2, 1))
    assert staked(film) == {"Bo": 50}


@pytest.mark.parametrize(
    ("chip", "at", "kind"),
    [
        ("C2-100", bets(1), "place"),  # another seat's box
        ("C1-100", (MAT.zones["bet/1"].x - 3.0, bets(1)[1]), "place"),  # between two
        ("C9-100", bets(1), "empty-seat"),
        ("C1-100", LINE, "late"),  # insurance, before anything is dealt
    ],
)
def test_a_chip_that_is_not_clear_is_asked_and_not_bet(film, chip, at, kind):
    film.chip(chip, at)
    assert (staked(film), film.kinds()) == ({}, [kind])


def test_a_chip_that_somebody_has_left_there_is_no_bet_of_whoever_takes_the_seat(film):
    """No coins of Zoe's are staked for a chip that was there before she sat down."""
    film.chip("C2-25", bets(2))
    film.do("cash-out", player="Bo")
    film.do("leave", player="Bo")
    film.wait(8)
    film.do("join", player="Zoe", coins=500, seat=2)
    film.chip("C2-100", bets(2, 1))
    film.wait(8)
    assert staked(film) == {"Zoe": 100}


def test_a_chip_beside_all_boxes_means_nothing(film):
    film.chip("C1-100", spot(1))
    assert (staked(film), film.kinds()) == ({}, [])


def test_a_chip_that_is_taken_up_is_asked(film):
    chip = film.chip("C1-100", bets(1))
    film.take_chip(chip)
    assert film.kinds() == ["taken-up"]
    film.answer("back")
    assert (staked(film), film.kinds()) == ({}, [])


def test_what_was_bet_by_phone_is_not_given_back_with_chips_that_are_gone(film):
    film.do("bet", player="Ann", amount=50)
    chip = film.chip("C1-100", bets(1))
    assert staked(film) == {"Ann": 150}
    film.take_chip(chip)
    (question,) = film.questions
    assert (question.kind, [choice.id for choice in question.choices]) == ("taken-up", ["leave"])


def test_a_bet_that_was_taken_back_by_hand_is_not_bet_again(film):
    film.chip("C1-100", bets(1))
    film.do("take-back", player="Ann")
    film.wait(6)
    assert (staked(film), film.kinds()) == ({}, [])


@pytest.mark.parametrize(("way", "coins"), [("all", 125), ("top", 100)])
def test_a_chip_on_another_is_asked(film, way, coins):
    below = film.chip("C1-25", bets(1), wait=0)
    film.chip("C1-100", bets(1), over=below)
    assert film.kinds() == ["stack"]
    film.answer(way)
    assert (staked(film), film.kinds()) == ({"Ann": coins}, [])


@pytest.mark.parametrize(("way", "coins"), [("all", 225), ("top", 125), ("leave", 125)])
def test_a_chip_that_may_have_been_pulled_out_from_under_another_is_asked(film, way, coins):
    below = film.chip("C1-100", bets(1))
    film.chip("C1-25", bets(1), over=below)
    film.answer("all")
    film.chip("C1-100", bets(1, 1))
    assert (staked(film), film.kinds()) == ({"Ann": 125}, ["stack"])
    film.answer(way)
    film.wait(2)
    assert (staked(film), film.kinds()) == ({"Ann": coins}, [])


def test_two_chips_beside_a_stack_that_holds_one_like_them_are_one_more_at_least(film):
    below = film.chip("C1-100", bets(1))
    film.chip("C1-25", bets(1), over=below)
    film.answer("all")
    film.chip("C1-100", bets(1, 1), wait=0)
    film.chip("C1-100", bets(1, 2))
    (question,) = film.questions
    assert [(one.command or {}).get("amount", 0) for one in question.choices] == [200, 100, 0]


@pytest.mark.parametrize(("way", "coins"), [("there", 125), ("back", 25)])
def test_a_chip_that_something_hides_for_long_is_asked_about_once(film, way, coins):
    hidden = film.chip("C1-100", bets(1))
    film.chip("C1-25", bets(1, 1))
    film.chips[hidden].is_seen, film.chips[hidden].unseen_s = False, 10.0
    film.wait()
    assert film.kinds() == []
    film.chips[hidden].unseen_s = 16.0
    assert (staked(film), film.kinds()) == ({"Ann": 125}, ["hidden"])
    film.answer(way)
    film.wait(9)
    assert (staked(film), film.kinds()) == ({"Ann": coins} if coins >= 50 else {}, [] if coins >= 50 else ["refused"])


@pytest.mark.parametrize(("way", "coins"), [("all", 225), ("back", 125), ("leave", 200)])
def test_a_smaller_chip_on_one_that_is_bet_is_asked(film, way, coins):
    """The same hand may have taken the other chip, which would reduce the bet."""
    film.chip("C1-100", bets(1))
    below = film.chip("C1-100", bets(1, 1))
    film.chip("C1-25", bets(1, 1), over=below)
    assert (staked(film), film.kinds()) == ({"Ann": 200}, ["stack"])
    film.answer(way)
    film.wait(2)
    assert (staked(film), film.kinds()) == ({"Ann": coins}, [])


def test_a_chip_that_comes_too_late_is_asked_and_a_doubling_players_is_not(film):
    film.chip("C1-100", bets(1))
    film.do("bet", player="Bo", amount=100)
    film.lay("8S", spot(1))
    late = film.chip("C1-100", bets(1, 1))
    assert (film.kinds(), staked(film)["Ann"]) == (["late"], 100)
    film.take_chip(late)
    film.lay("KD", spot(2))
    film.lay("5C", dealers(0))
    film.lay("3D", spot(1, 0, 1))
    film.lay("5D", spot(2, 0, 1))
    film.lay(None, dealers(1))
    film.chip("C1-100", bets(1, 1))
    assert (film.state.turn, film.kinds()) == ("Ann", [])


def test_a_doubled_bet_is_asked_about_until_its_chips_lie_there(film):
    film.chip("C1-100", bets(1))
    film.lay("8S", spot(1))
    film.lay("5C", dealers(0))
    film.lay("3D", spot(1, 0, 1))
    film.lay(None, dealers(1))
    film.wait(8)
    assert film.kinds() == [], "nothing is doubled yet"
    film.do("double", card="TD")
    film.wait(1)
    assert "short" not in film.kinds(), "the chips may still come"
    film.wait(8)
    assert "short" in film.kinds()
    film.chip("C1-25", bets(1, 1))
    film.wait(3)
    assert "short" in film.kinds()
    film.chip("C1-25", bets(1, 2))
    film.chip("C1-100", bets(1, 3))
    film.wait(3)
    assert "short" not in film.kinds()


def round_with_an_ace(film: Film) -> None:
    film.chip("C1-100", bets(1))
    film.lay("8S", spot(1))
    film.lay("AC", dealers(0))
    film.lay("TD", spot(1, 0, 1))
    film.hole = film.lay(None, dealers(1))


def test_half_the_bet_on_the_line_insures_and_another_amount_is_asked(film):
    round_with_an_ace(film)
    film.chip("C1-25", LINE)
    assert film.kinds() == ["insurance"]
    film.chip("C1-25", (LINE[0] + 32, LINE[1]))
    assert (film.state.boxes[0].insured, film.kinds()) == (50, [])


def test_a_premium_of_which_a_chip_is_covered_is_asked_about(film):
    """The lower one may have been removed unseen."""
    round_with_an_ace(film)
    below = film.chip("C1-25", LINE)
    film.chip("C1-25", (LINE[0] + 2, LINE[1]), over=below)
    assert (film.state.boxes[0].insured, film.kinds()) == (0, ["insurance"])


def test_insurance_that_was_undone_is_not_taken_again_before_other_chips_are_laid(film):
    round_with_an_ace(film)
    chips = [film.chip("C1-25", LINE), film.chip("C1-25", (LINE[0] + 32, LINE[1]))]
    film.do("undo")
    film.wait(6)
    assert (film.state.boxes[0].insured, film.kinds()) == (0, [])
    for chip in chips:
        film.take_chip(chip)
    film.chip("C1-25", LINE)
    film.chip("C1-25", (LINE[0] + 32, LINE[1]))
    assert (film.state.boxes[0].insured, film.kinds()) == (50, [])


def test_chips_wait_after_a_round_until_the_dealer_has_paid(film):
    round_with_an_ace(film)
    film.do("stand")
    film.turn("9S")
    assert (film.kinds(), staked(film)) == (["paying"], {})
    film.clear()
    film.answer("stay")
    film.wait(4)
    assert staked(film) == {"Ann": 100}


def test_chips_that_are_no_bets_any_more_are_left_alone(film):
    round_with_an_ace(film)
    film.do("stand")
    film.turn("9S")
    film.clear()
    film.answer("away")
    film.wait(4)
    assert (film.kinds(), staked(film)) == ([], {})


def test_a_bet_that_is_done_again_is_that_of_its_chips(film):
    chip = film.chip("C1-100", bets(1))
    other = film.chip("C2-100", bets(2))
    for verb in ("undo", "undo", "redo", "redo"):
        film.do(verb)
    assert (staked(film), film.kinds()) == ({"Ann": 100, "Bo": 100}, [])
    film.take_chip(chip)
    film.take_chip(other)
    assert (staked(film), film.kinds()) == ({"Ann": 100, "Bo": 100}, ["taken-up", "taken-up"])


@pytest.mark.parametrize(("choice", "bet"), [("all", {"Ann": 100}), ("none", {})])
def test_a_chip_that_was_taken_back_and_nudged_is_asked_about(film, choice, bet):
    old = film.chip("C1-100", bets(1))
    film.do("take-back", player="Ann")
    film.chip("C1-100", (bets(1)[0] + 3, bets(1)[1]), over=old)
    assert (staked(film), film.kinds()) == ({}, ["moved"])
    film.answer(choice)
    assert (staked(film), film.kinds()) == (bet, [])


@pytest.mark.parametrize(("choice", "coins"), [("same", 100), ("more", 200)])
def test_chips_that_a_hand_hid_at_the_start_are_not_bet_again_unasked(film, choice, coins):
    number = film.chip("C1-100", bets(1))
    hidden = film.chips.pop(number)
    film.eyes = type(film.eyes)(film.settings)
    film.wait(6)
    film.chips[number] = hidden
    film.wait(6)
    assert (staked(film), film.kinds()) == ({"Ann": 100}, ["known"])
    film.answer(choice)
    film.chip("C1-25", (bets(1)[0] + 15, bets(1)[1]))
    assert (staked(film), film.kinds()) == ({"Ann": coins + 25}, [])


def undo_to_betting(film: Film) -> None:
    while film.state.phase is not Phase.BETTING or not film.state.boxes:
        film.do("undo")


def test_chips_of_a_round_that_is_undone_are_its_bets_whatever_was_undone_since(film):
    round_with_an_ace(film)
    film.do("stand")
    film.turn("9S")
    chips = dict(film.chips)
    film.clear()
    film.answer("stay")
    assert staked(film) == {"Ann": 100}
    film.do("undo")
    undo_to_betting(film)
    film.answer("stay")
    assert (staked(film), film.kinds()) == ({"Ann": 100}, [])
    film.take_chip(*chips)
    assert (staked(film), film.kinds()) == ({"Ann": 100}, ["taken-up"])


def test_winnings_of_a_round_that_is_undone_are_no_bets_unasked(film):
    round_with_an_ace(film)
    film.do("stand")
    film.turn("9S")
    film.clear()
    film.chip("C1-100", bets(1, 1))
    film.do("undo")
    undo_to_betting(film)
    assert (staked(film), film.kinds()) == ({"Ann": 100}, ["paying"])


def test_a_chip_that_was_not_to_be_there_and_is_seen_counts(film):
    below = film.chip("C1-25", bets(1), wait=0)
    above = film.chip("C1-100", bets(1), over=below)
    film.answer("top")
    film.chips[below].cover, film.chips[below].is_seen = None, True
    film.take_chip(above)
    film.answer("back")
    film.chip("C1-25", bets(1, 1))
    assert (staked(film), film.kinds()) == ({"Ann": 50}, [])


def test_a_chip_under_two_that_the_dealer_has_counted_still_counts(film):
    below = film.chip("C1-100", bets(1))
    between = film.chip("C1-5", bets(1), over=below)
    film.answer("all")
    film.chip("C1-25", bets(1), over=between)
    assert (staked(film), film.kinds()) == ({"Ann": 105}, ["stack"])
    film.answer("top")
    assert (staked(film), film.kinds()) == ({"Ann": 125}, [])
