"""From first motion to rest: a throw counts once."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from drawn_bowl import EMPTY, ONE, OTHER, STEP_S, FakeTable, Lying
from test_decision import RIM

from companion.games.chinchirorin.camera.detection import CROPS_PER_STEP, REGIONS, VIEWS, Candidate, Pass, Region, View
from companion.games.chinchirorin.camera.rim import Rim
from companion.games.chinchirorin.camera.watch import QUESTIONS


@pytest.fixture
def table() -> FakeTable:
    return FakeTable()


def test_dice_in_motion_are_no_throw_and_at_rest_they_are(table: FakeTable):
    table.show(EMPTY)
    for k in range(8):
        seen = table.show(tuple((1, (x - 8 * k, y)) for _, (x, y) in OTHER), seconds=STEP_S)
        assert seen[0].moving
        assert seen[0].answer is None
    last = table.show(ONE)[-1]
    assert not last.moving
    assert last.answer == {"dice": [4, 5, 6]}
    assert last.box == RIM.box
    assert last.key == 1


def test_other_dice_are_no_throw(table: FakeTable):
    table.show(EMPTY)
    table.d6_probability = 0.01
    last = table.show(ONE)[-1]
    assert last.answer is None
    assert last.question == QUESTIONS["doubtful"]


def test_what_lies_there_in_the_first_picture_is_no_throw(table: FakeTable):
    assert all(seen.answer is None and seen.question is None for seen in table.show(ONE))


def test_a_hand_over_resting_dice_is_no_second_throw(table: FakeTable):
    table.show(EMPTY)
    first = table.show(ONE)[-1]
    assert all(seen.answer is None and seen.key == 1 for seen in table.wave())
    assert table.show()[-1].key == first.key == 1


def test_the_next_throw_is_another_even_with_the_same_values(table: FakeTable):
    table.show(EMPTY)
    table.show(ONE)
    moved = tuple((value, (x, y + 40)) for value, (x, y) in ONE)
    again = table.show(moved)[-1]
    assert (again.answer, again.key) == ({"dice": [4, 5, 6]}, 2)


def test_a_look_that_misses_a_die_does_not_make_the_same_dice_another_throw(table: FakeTable):
    table.show(EMPTY)
    table.show(ONE)
    table.blind = 1
    table.wave()
    assert table.show()[-1].answer is None
    table.blind = 0
    table.wave()
    assert table.show()[-1].key == 1


def test_a_die_moved_by_a_sleeve_is_no_second_throw(table: FakeTable):
    table.show(EMPTY)
    table.show(ONE)
    table.wave()
    assert table.show((*ONE[:2], (2, (280, 220))))[-1].key == 1


def test_dice_from_an_emptied_bowl_are_another_throw_unless_two_lie_as_before(table: FakeTable):
    """A hand may have hidden them all and moved one, but no throw lands exactly like the previous one."""
    table.show(EMPTY)
    table.show(ONE)
    assert table.show(EMPTY)[-1].answer is None
    assert table.show(ONE)[-1].key == 1
    table.show(EMPTY)
    assert table.show((*ONE[:2], (6, (240, 110))))[-1].key == 1
    table.show(EMPTY)
    assert table.show((ONE[0], (5, (150, 280)), (6, (260, 150))))[-1].key == 2


def test_a_die_outside_is_out_of_the_bowl(table: FakeTable):
    table.show(EMPTY)
    seen = table.show((*ONE[:2], (3, (378, 200))))[-1]
    assert seen.answer == {"out": True}


def test_a_die_on_the_rim_is_asked_about(table: FakeTable):
    table.show(EMPTY)
    seen = table.show((*ONE[:2], (3, (352, 200))))[-1]
    assert seen.answer is None
    assert seen.question == QUESTIONS["rim"]


@pytest.mark.parametrize("lying", [ONE[:2], (*ONE, (1, (180, 120)))])
def test_two_or_four_dice_are_never_answered(table: FakeTable, lying: Lying):
    table.show(EMPTY)
    seen = table.show(lying, seconds=5)
    assert all(each.answer is None for each in seen)
    assert seen[-1].question == QUESTIONS["count"]


def test_dice_picked_up_one_by_one_are_no_question(table: FakeTable):
    table.show(EMPTY)
    table.show(ONE)
    for left in (ONE[:2], ONE[:1], EMPTY):
        assert all(seen.question is None for seen in table.show(left, seconds=1.5))


def test_at_rest_nothing_is_computed_again(table: FakeTable):
    table.show(EMPTY)
    table.show(ONE)
    looks = table.looks
    table.show(seconds=3)
    assert table.looks == looks


def test_dice_found_after_a_gap_count_only_if_they_are_others(table: FakeTable):
    table.show(EMPTY)
    table.show(ONE)
    table.t += 60
    assert table.show()[-1].key == 1
    table.t += 60
    assert table.show(OTHER)[-1].key == 2


def test_dice_are_looked_for_all_around_the_bowl_too(table: FakeTable):
    table.show(ONE)
    assert table.regions == list(REGIONS)


def test_no_picture_takes_more_than_a_few_close_ups():
    class Table(FakeTable):
        most = 0

        def classify(self, picture: np.ndarray, rim: Rim, candidates: Sequence[Candidate], view: View) -> Pass:
            self.most = max(self.most, len(candidates))
            whole = super().classify(picture, rim, candidates, view)
            dice = tuple(
                die for die in whole.dice if die.box.center in {(candidate.x, candidate.y) for candidate in candidates}
            )
            return Pass(rim, dice, tuple(candidate for candidate in candidates if candidate.probability))

        def candidates(self, picture: np.ndarray, rim: Rim, region: Region) -> tuple[Candidate, ...]:
            nothing = tuple(Candidate(60 + 30 * k, 320, 60, 0.5) for k in range(4))
            return (*nothing, *super().candidates(picture, rim, region)) if self.lying else ()

    table = Table()
    table.show(EMPTY)
    assert table.show(ONE, seconds=5)[-1].answer == {"dice": [4, 5, 6]}
    assert table.most == CROPS_PER_STEP


def test_every_reason_has_a_question():
    from companion.games.chinchirorin.camera.reader import WHY

    assert set(QUESTIONS) == set(WHY)


def test_every_view_is_asked_before_a_throw_counts():
    class Table(FakeTable):
        def classify(self, picture: np.ndarray, rim: Rim, candidates: Sequence[Candidate], view: View) -> Pass:
            seen_pass = super().classify(picture, rim, candidates, view)
            if view == VIEWS[-1]:
                seen_pass = Pass(rim, tuple(replace(die, values=np.roll(die.values, 1)) for die in seen_pass.dice))
            return seen_pass

    table = Table()
    table.show(EMPTY)
    last = table.show(ONE, seconds=4)[-1]
    assert last.answer is None
    assert last.question == QUESTIONS["unsure"]


def test_what_the_dealer_would_be_asked_is_read_by_the_networks_for_trays_first():
    class Table(FakeTable):
        def classify(self, picture: np.ndarray, rim: Rim, candidates: Sequence[Candidate], view: View) -> Pass:
            seen_pass = super().classify(picture, rim, candidates, view)
            doubtful = np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.5], np.float32)
            return Pass(rim, tuple(replace(die, values=doubtful) if die.values.argmax() == 5 else die
                                    for die in seen_pass.dice))  # fmt: skip

    lying: Lying = ((6, (150, 250)), (2, (240, 180)), (1, (200, 110)))
    for second, answer in ((0.5, None), (0.99, {"dice": [6, 1, 2]})):
        table = Table()
        table.second = np.array([*[(1 - second) / 5] * 5, second], np.float32)
        table.show(EMPTY)
        last = table.show(lying, seconds=4)[-1]
        assert last.answer == answer
        assert (last.question is None) == (answer is not None)
