"""Every throw counts once, nothing else counts without asking, and doubts are asked about with their reason."""

import pytest

from companion.testing import new_table
from companion.tracking.sight import NO_PROPOSAL
from companion.vision.dice.axis import Axis


def test_a_thrown_die_counts_once_and_lies_there_without_counting_again(tray):
    tray.throw("8")
    assert tray.chain == ["3d"]
    tray.run(5)
    assert tray.throws == 1
    assert tray.questions == ()
    assert tray.sight.report()["counted"] is True
    assert tray.sight.report()["shown"] == "8"


def test_the_value_is_there_within_half_a_second_of_the_rest(tray):
    tray.roll("14", (440.0, 60.0), (150.0, 150.0))
    rested = tray.t
    tray.run(1)
    assert tray.chain == ["4d"]
    assert 0 < tray.played_at - rested <= 0.5


def test_the_same_value_thrown_twice_counts_twice(tray):
    tray.throw("17")
    tray.throw("17")
    assert tray.chain == ["4n", "4n"]


def test_a_whole_chain_is_played_by_the_die_alone(tray):
    for shown in ("17", "8", "3", "11"):
        tray.throw(shown)
    assert tray.chain == ["4n", "3d", "2d", "3n"]
    tray.throw("12")
    assert tray.chain == []
    assert tray.table.results[-1][1]["number"] == 3


def test_a_rolling_die_has_no_value(tray):
    tray.roll("20", (440.0, 60.0), (150.0, 150.0))
    assert tray.throws == 0
    assert tray.sight.state in ("moving", "settling")


def test_a_die_put_down_by_hand_is_asked_about_and_does_not_count_by_itself(tray):
    tray.put("19")
    assert tray.throws == 0
    tray.throw("3")
    tray.pick_up()
    tray.put("19")
    assert (tray.throws, tray.kinds) == (1, ["placed"])
    assert "was moved, not thrown, and shows 19 (night 4) now" in tray.questions[0].text
    tray.answer("placed", "again")
    assert (tray.throws, tray.kinds) == (1, [])


def test_a_placed_die_counts_if_the_dealer_says_so(tray):
    tray.throw("3")
    tray.pick_up()
    tray.put("19")
    tray.answer("placed", "count")
    assert tray.chain == ["2d", "4n"]
    tray.run(2)
    assert tray.throws == 2


def test_an_unsure_die_waits_for_the_dealer_with_the_likely_values(tray):
    tray.throw("?")
    assert tray.kinds == ["unsure"]
    assert [choice.label for choice in tray.questions[0].choices][:2] == ["6 (night 2)", "9 (day 3)"]
    assert tray.sight.report()["state"] == "unsure"
    tray.run(3)
    assert tray.throws == 0
    tray.answer("unsure", "count-9")
    assert (tray.chain, tray.kinds) == (["3d"], [])
    tray.throw("20")
    assert tray.chain == ["3d", "4n"]


def test_a_tapped_face_answers_the_question_about_an_unsure_die(tray):
    tray.throw("?")
    tray.do("throw", d20=9)
    tray.run(1)
    assert (tray.chain, tray.kinds) == (["3d"], [])


def test_an_unsure_throw_is_not_overtaken_by_the_next(tray):
    tray.throw("?")
    tray.throw("20")
    assert (tray.throws, tray.kinds) == (0, ["unsure"])
    tray.answer("unsure", "count-6")
    tray.run(0.2)
    assert tray.chain == ["2n", "4n"]


def test_a_die_taken_up_before_it_was_read_does_not_count_and_people_are_told(tray):
    tray.roll("20", (440.0, 60.0), (150.0, 150.0))
    while tray.sight.state != "settling":
        tray.frame()
    tray.run(5 / 30)
    assert tray.sight.state == "settling"
    tray.reach(150.0, 120.0, seconds=0.1)
    tray.dice.clear()
    tray.leave()
    tray.run(1.5)
    assert (tray.throws, tray.kinds, tray.sight.state) == (0, [], "empty")
    assert tray.notes == ["The die was taken up before it could be read: that throw does not count."]


def test_a_thrown_again_unsure_die_counts_only_the_second_time(tray):
    tray.throw("?")
    tray.answer("unsure", "again")
    tray.throw("20")
    assert tray.chain == ["4n"]


@pytest.mark.parametrize(("shown", "kind", "state"), [("/", "leaning", "leaning"), ("d12", "wrong-die", "wrong kind")])
def test_a_leaning_or_wrong_die_does_not_count_and_says_why(tray, shown, kind, state):
    tray.throw(shown)
    assert (tray.throws, tray.kinds, tray.sight.state) == (0, [kind], state)
    tray.throw("5")
    assert (tray.chain, tray.kinds) == (["2n"], [])


def test_where_dice_seem_to_lean_again_and_again_the_camera_is_suspected(tray):
    tray.throw("/")
    assert "camera" not in tray.questions[0].text
    tray.throw("/")
    assert (tray.throws, tray.kinds) == (0, ["leaning"])
    assert "If it lies flat, the camera looks from aside" in tray.questions[0].text
    tray.throw("5")
    tray.throw("/")
    assert "camera" not in tray.questions[0].text


def test_two_dice_do_not_count_and_the_one_that_is_left_is_asked_about(tray):
    tray.throw("5")
    tray.roll("9", (440.0, 60.0), (300.0, 220.0))
    tray.run(0.8)
    assert (tray.throws, tray.kinds, tray.sight.state) == (1, ["two-dice"], "two dice")
    assert "Two dice lie in the tray." in tray.questions[0].text
    assert [mark.label for mark in tray.sight.marks(())] == ["x2", "x2"]
    tray.reach(300.0, 190.0)
    tray.run(0.1)
    del tray.dice[1]
    tray.leave()
    tray.run(1)
    assert tray.throws == 1
    tray.throw("20")
    assert tray.chain == ["2n", "4n"]


def test_a_die_that_rolls_out_of_the_picture_is_said_to_be_off_the_tray(tray):
    tray.roll("5", (440.0, 60.0), (-60.0, 150.0))
    tray.dice.clear()
    tray.run(2.5)
    assert (tray.throws, tray.kinds, tray.sight.state) == (0, ["off-tray"], "off the tray")
    tray.throw("5")
    assert (tray.chain, tray.kinds) == (["2n"], [])


def test_a_die_beside_the_tray_is_seen_there(film):
    tray = film(zone=(0.25, 0.0, 0.75, 1.0))
    tray.run(1)
    tray.roll("5", (440.0, 60.0), (60.0, 150.0))
    tray.run(2.5)
    assert (tray.throws, tray.kinds) == (0, ["off-tray"])
    assert "lies outside the tray" in tray.questions[0].text
    assert "The die lies outside the tray." in tray.notes


@pytest.mark.parametrize(("seconds", "chain", "kinds"), [(0.6, ["2n"], []), (4, [], ["placed"])])
def test_while_a_hand_is_in_the_tray_nothing_counts(tray, seconds, chain, kinds):
    """After a short occlusion the throw counts; a hand that stays long may have turned the die: that is asked."""
    tray.reach(250.0, 120.0)
    tray.roll("5", (440.0, 60.0), (120.0, 150.0))
    for i in range(round(30 * seconds)):  # no real hand is still
        tray.hand = (250.0 + i % 3, 120.0)
        tray.frame()
    assert (tray.throws, tray.sight.state) == (0, "hand")
    tray.leave()
    tray.run(1)
    assert (tray.chain, tray.kinds) == (chain, kinds)


def test_a_shadow_or_a_hand_over_a_resting_die_changes_nothing(tray):
    tray.throw("5")
    tray.reach(150.0, 120.0)
    tray.run(0.5)
    tray.leave()
    tray.run(1)
    assert (tray.throws, tray.kinds) == (1, [])


def test_undo_asks_about_the_die_that_still_lies_there(tray):
    tray.throw("5")
    tray.do("undo")
    tray.run(1)
    assert (tray.throws, tray.kinds) == (0, ["undone"])
    tray.answer("undone", "again")
    tray.throw("20")
    assert tray.chain == ["4n"]


def test_a_throw_entered_by_hand_while_the_die_rolls_is_not_counted_twice(tray):
    tray.pick_up()
    tray.roll("5", (440.0, 60.0), (150.0, 150.0))
    tray.do("throw", d20=5)
    tray.run(1)
    assert (tray.throws, tray.kinds) == (1, ["twice"])
    tray.answer("twice", "again")
    tray.throw("20")
    assert tray.chain == ["2n", "4n"]


def test_an_undone_hand_entry_is_not_taken_for_the_throw_of_the_die(tray):
    """Nothing is asked about the die, whose throw still counts."""
    tray.throw("17")
    tray.do("throw", d20=5)
    tray.run(0.3)
    tray.do("undo")
    tray.run(0.3)
    assert (tray.chain, tray.kinds) == (["4n"], [])
    tray.do("undo")
    assert (tray.chain, tray.kinds) == ([], ["undone"])


def test_a_throw_entered_while_the_die_rolls_again_after_an_undo_is_not_counted_twice(tray):
    tray.throw("17")
    tray.do("undo")
    tray.pick_up()
    tray.roll("20", (440.0, 60.0), (170.0, 240.0))
    tray.do("throw", d20=20)
    tray.run(1)
    assert (tray.throws, tray.kinds) == (1, ["twice"])


def test_a_throw_entered_while_a_die_that_was_asked_about_rolls_is_not_counted_twice(tray):
    tray.put("17")
    assert tray.kinds == ["placed"]
    die = tray.dice[0]
    tray.reach(die.x, die.y - 30)
    tray.dice.clear()
    tray.leave(seconds=0.1)
    tray.roll("20", (440.0, 60.0), (170.0, 240.0))
    tray.do("throw", d20=20)
    tray.run(1)
    assert (tray.throws, tray.kinds) == (1, ["twice"])


def test_after_a_restart_the_die_in_the_tray_is_not_a_throw(tray):
    tray.throw("5")
    tray.new_sight()
    tray.run(2)
    assert tray.throws == 1
    tray.throw("20")
    assert tray.chain == ["2n", "4n"]


def test_while_the_camera_was_away_nobody_saw_a_throw(tray):
    tray.throw("5")
    tray.t += 30.0
    tray.dice[0].shown, tray.dice[0].x = "18", 300.0
    tray.run(1)
    assert (tray.throws, tray.kinds) == (1, ["unseen"])


def test_on_hold_nothing_is_played_and_after_it_the_die_may_count(tray):
    tray.do("hold")
    tray.throw("5")
    assert tray.throws == 0
    tray.do("release")
    tray.throw("20")
    assert tray.chain == ["4n"]


@pytest.mark.parametrize("game", ["rugen-street", "rugen-capital"])
def test_a_throw_before_the_bets_are_closed_does_not_count_yet(film, game):
    tray = film(game=game)
    tray.run(1)
    if game == "rugen-street":
        tray.throw("8")
        assert tray.table.view()["phase"] == "stake"
        tray.do("stake", units=1)
    else:
        tray.do("take", player="Ann", number=3, units=1)
    count = tray.throws
    tray.throw("20")
    assert (tray.throws, tray.kinds) == (count, ["early"])
    assert tray.questions[0].choices[0].label == "Close; it is the first throw of the chain"
    tray.answer("early", "first")
    tray.run(0.2)
    assert (tray.throws, tray.kinds) == (count + 1, [])


def test_a_game_without_throws_is_none_of_its_business(tray):
    assert tray.sight.propose(new_table("roche").situation()) == NO_PROPOSAL


def test_a_die_that_touches_the_wall_is_asked_about_for_it_may_lean(film):
    tray = film(zone=(0.25, 0.0, 0.75, 1.0))
    tray.run(1)
    tray.roll("5", (440.0, 60.0), (120.0 + 20.0, 150.0))  # the wall is at 120, half a die is 22
    tray.run(1)
    assert (tray.throws, tray.kinds, tray.sight.state) == (0, ["unsure"], "unsure")
    assert "touches the wall" in tray.questions[0].text
    assert tray.questions[0].choices[0].command["d20"] == 5
    tray.throw("6")
    assert tray.throws == 0, "nothing overtakes a throw that is asked about"


def test_nothing_counts_while_a_die_is_taught_and_what_lies_there_then_does_not_either(tray):
    teaching = [True]
    tray.sight.suspend_while(lambda: teaching[0])
    tray.throw("5")
    assert (tray.throws, tray.kinds, tray.sight.state) == (0, [], "enrollment")
    teaching[0] = False
    tray.run(2)
    assert (tray.throws, tray.kinds) == (0, [])
    tray.throw("9")
    assert (tray.throws, tray.chain) == (1, ["3d"])


def test_the_reader_is_told_which_part_of_the_lens_s_picture_it_is_shown(film):
    tray, axis = film(zone=(0.5, 0.25, 0.4, 0.5)), Axis(20.0, 90.0)
    height, width = tray.picture().shape[:2]
    tray.sight.set_axis(axis)
    tray.frame()
    told = tray.sight._reader.axis
    assert (told.tilt_deg, told.towards_deg) == (20.0, 90.0)
    rim = round(0.08 * min(0.4 * width, 0.5 * height))
    shown = (0.4 * width + 2 * rim, 0.5 * height + 2 * rim)
    corner = told.lens.slope((0.0, 0.0), (int(shown[1]), int(shown[0])))
    whole = axis.lens.slope((0.5 * width - rim, 0.25 * height - rim), (height, width))
    assert corner == pytest.approx(whole, abs=1e-6)
    tray.sight.set_axis(None)
    assert tray.sight._reader.axis is None
