"""A throw counts exactly once, whatever people do: `BowlWatch`, the sight that proposes throws, and the table."""

from collections.abc import Sequence

import pytest
from drawn_bowl import EMPTY, ONE, STEP_S, FakeTable, Lying

from companion.games.chinchirorin.camera.watch import BowlWatch
from companion.games.chinchirorin.plugin import CHINCHIRORIN
from companion.kernel.table import Header, Table
from companion.plugins.perception import WatchPerception
from companion.service.questions import Question
from companion.tracking.watched import WatchSight
from companion.vision.frame import Frame

NOTHING: Lying = ((1, (150, 250)), (3, (240, 180)), (6, (200, 110)))
PAIR: Lying = ((2, (150, 250)), (5, (200, 110)), (2, (240, 180)))
BY_HAND = {"do": "throw", "dice": [2, 2, 5]}


class Evening:
    """A bowl under the camera, and a table that plays the proposals: the banker throws, then the player."""

    def __init__(self, *, is_closed: bool = True, is_asked: bool = False) -> None:
        self.is_asked = is_asked
        self.notes: list[str] = []
        self.bowl = FakeTable()
        self.table = Table(Header(CHINCHIRORIN.rules, (("Ann", 100), ("Bo", 100)), {"banker": 1}))
        self.played: list[dict[str, object]] = []
        self.questions: Sequence[Question] = ()
        self.do("bank", amount=20)
        self.do("bet", player="Bo", amount=5)
        if is_closed:
            self.do("close")
        self.start()

    def start(self) -> None:
        """Start or restart the program."""
        self.bowl.watch = BowlWatch(self.bowl)
        phases = frozenset({"banker", "player"})
        perception = WatchPerception(lambda: self.bowl.watch, "throw", phases, is_asked=self.is_asked)
        self.sight = WatchSight(perception)

    def do(self, verb: str, **more: object) -> None:
        self.table.do({"do": verb, **more})

    def shows(self, lying: Lying | None = None, seconds: float = 3.2) -> None:
        self.bowl.lying = self.bowl.lying if lying is None else lying
        for _ in range(round(seconds / STEP_S)):
            self.look()

    def hand(self) -> None:
        """Pass a hand over the bowl."""
        for self.bowl.hand in range(0, 400, 40):
            self.look()
        self.bowl.hand = None

    def look(self) -> None:
        notes = self.sight.see(Frame(self.bowl.picture(), self.bowl.t, 1), self.bowl.t)
        self.notes += [note.text for note in notes]
        self.bowl.t += STEP_S
        advice = self.sight.propose(now := self.table.situation())
        if advice.command is not None:
            self.table.do(advice.command)
            self.played.append(advice.command)
            self.sight.played(advice, now)
            advice = self.sight.propose(self.table.situation())
        self.questions = advice.questions

    @property
    def asked(self) -> list[str]:
        return [question.kind for question in self.questions]

    @property
    def phase(self) -> str:
        return self.table.situation().state.phase.value


def test_a_throw_entered_by_hand_before_the_dice_are_read_does_not_count_for_the_next_thrower_too() -> None:
    evening = Evening()
    evening.shows(EMPTY)
    evening.shows(PAIR, seconds=0.3)
    evening.table.do(BY_HAND)
    evening.shows()
    assert (evening.played, evening.asked, evening.phase) == ([], ["twice"], "player")
    assert evening.questions[0].text == (
        "2-5-2 was still on its way when one was entered by hand. Does it count as well?"
    )
    evening.sight.answered(evening.questions[0], evening.questions[0].choices[1])
    evening.shows(EMPTY)
    evening.shows(NOTHING)
    assert evening.played == [{"do": "throw", "dice": [1, 6, 3]}]


@pytest.mark.parametrize("is_unread", [False, True])
def test_a_throw_entered_by_hand_before_a_fist_hides_the_dice_does_not_count_once_they_show(is_unread: bool) -> None:
    evening = Evening()
    evening.shows(EMPTY)
    if is_unread:
        evening.bowl.d6_probability = 0.01
        evening.shows(ONE)
        evening.sight.answered(evening.questions[0], evening.questions[0].choices[0])
        evening.bowl.d6_probability = 1.0
    evening.shows(PAIR, seconds=0.3)
    evening.table.do(BY_HAND)
    evening.shows(EMPTY)
    evening.shows(PAIR)
    assert (evening.played, evening.asked, evening.phase) == ([], ["confirm"], "player")


def test_a_throw_entered_by_hand_after_a_restart_does_not_count_though_a_fist_hides_the_dice_at_first() -> None:
    evening = Evening()
    evening.shows(PAIR, seconds=0.3)
    evening.table.do(BY_HAND)
    evening.shows(EMPTY)
    evening.shows(PAIR)
    assert (evening.played, evening.asked, evening.phase) == ([], ["confirm"], "player")


def test_a_throw_entered_by_hand_does_not_count_again_though_more_was_done_before_the_next_picture() -> None:
    evening = Evening()
    evening.shows(EMPTY)
    evening.shows(PAIR, seconds=0.3)
    evening.table.do(BY_HAND)
    evening.do("hold")
    evening.do("release")
    evening.shows()
    assert (evening.played, evening.asked, evening.phase) == ([], ["twice"], "player")


def test_a_throw_after_one_that_was_entered_by_hand_while_it_was_taken_up_is_asked_about() -> None:
    """To the camera it may be the same throw, hidden for a while."""
    evening = Evening()
    evening.shows(EMPTY)
    evening.bowl.d6_probability = 0.01
    evening.shows(PAIR)
    evening.shows(PAIR[:1], seconds=0.2)
    evening.table.do(BY_HAND)
    evening.shows(EMPTY)
    evening.bowl.d6_probability = 1.0
    evening.shows(NOTHING)
    assert (evening.played, [question.text for question in evening.questions]) == (
        [],
        ["The camera reads 1-6-3. Does it count?"],
    )


def test_a_throw_after_one_that_was_entered_by_hand_counts() -> None:
    evening = Evening()
    evening.shows(EMPTY)
    evening.bowl.d6_probability = 0.01
    evening.shows(PAIR)
    assert evening.asked == ["unsure"]
    evening.table.do(BY_HAND)
    evening.hand()
    evening.shows(EMPTY)
    evening.bowl.d6_probability = 1.0
    evening.shows(NOTHING)
    assert evening.played == [{"do": "throw", "dice": [1, 6, 3]}]


def test_dice_thrown_before_the_bets_were_closed_stay_early_when_a_hand_passes_over_them() -> None:
    evening = Evening(is_closed=False)
    evening.shows(EMPTY)
    evening.shows(PAIR)
    evening.do("close")
    evening.hand()
    evening.shows()
    assert (evening.played, evening.asked) == ([], ["early"])


def test_dice_that_were_turned_while_the_table_was_held_are_asked_about() -> None:
    evening = Evening()
    evening.shows(EMPTY)
    evening.do("hold")
    evening.shows(PAIR)
    evening.hand()
    evening.shows((*PAIR[:2], (6, PAIR[2][1])))
    evening.do("release")
    evening.shows()
    assert (evening.played, evening.asked) == ([], ["early"])


def test_dice_in_the_bowl_are_no_throw_when_the_program_starts_again_under_a_moving_hand() -> None:
    evening = Evening()
    evening.shows(EMPTY)
    evening.shows(PAIR)
    assert len(evening.played) == 1
    evening.start()
    evening.hand()
    evening.shows()
    assert (len(evening.played), evening.asked) == (1, ["unseen"])
    assert evening.questions[0].text == "2-5-2 lies there, but nobody saw it come. Does it count?"
    evening.shows(EMPTY)
    evening.shows(NOTHING)
    assert len(evening.played) == 2


def test_a_throw_entered_by_hand_while_the_camera_was_away_does_not_count_again() -> None:
    evening = Evening()
    evening.shows(EMPTY)
    evening.shows(NOTHING)
    evening.bowl.t += 20.0
    evening.table.do(BY_HAND)
    evening.shows(PAIR)
    assert (len(evening.played), evening.asked, evening.phase) == (1, ["unseen"], "player")


def test_dice_that_were_entered_by_hand_and_laid_flat_are_no_other_throw() -> None:
    """An unreadable die is picked up, inspected and laid back."""
    evening = Evening()
    evening.shows(EMPTY)
    evening.bowl.d6_probability = 0.01
    evening.shows(PAIR)
    evening.table.do(BY_HAND)
    evening.bowl.d6_probability = 1.0
    evening.shows(PAIR[:2])
    evening.shows((*PAIR[:2], (4, PAIR[2][1])))
    assert (evening.played, evening.asked, evening.phase) == ([], [], "player")


def test_a_throw_entered_by_hand_while_a_hand_hides_a_die_does_not_count_once_all_are_seen() -> None:
    evening = Evening()
    evening.shows(EMPTY)
    evening.shows(PAIR[1:], seconds=5.0)
    assert evening.asked == ["unsure"]
    evening.table.do(BY_HAND)
    evening.hand()
    evening.shows(PAIR)
    assert (evening.played, evening.asked, evening.phase) == ([], [], "player")


def test_dice_that_a_fist_hid_wholly_are_no_other_throw() -> None:
    evening = Evening()
    evening.shows(EMPTY)
    evening.shows(PAIR)
    evening.shows(EMPTY)
    evening.shows(PAIR)
    assert (len(evening.played), evening.asked, evening.phase) == (1, [], "player")


def test_dice_that_a_fist_hid_wholly_after_one_was_laid_back_elsewhere_are_no_other_throw() -> None:
    evening = Evening()
    evening.shows(EMPTY)
    evening.shows(NOTHING)
    evening.shows(NOTHING[1:], seconds=0.3)
    moved = ((1, (120, 210)), *NOTHING[1:])
    evening.shows(moved, seconds=0.3)
    evening.shows(EMPTY)
    evening.shows(moved)
    assert (len(evening.played), evening.asked, evening.phase) == (1, [], "banker")


def test_dice_that_lay_there_at_the_start_are_no_throw_after_a_fist_hid_them() -> None:
    evening = Evening()
    evening.shows(PAIR)
    evening.shows(EMPTY)
    evening.shows(PAIR)
    assert (evening.played, evening.asked) == ([], [])


@pytest.mark.parametrize("taken_up_s", [0.2, 3.2], ids=["at once", "slowly"])
def test_two_dice_thrown_again_beside_one_that_nobody_touched_are_another_throw(taken_up_s: float) -> None:
    """Regression: they were taken for the previous, counted throw, so nothing was played or asked."""
    evening = Evening()
    evening.shows(EMPTY)
    evening.shows(NOTHING)
    evening.shows(NOTHING[:1], seconds=taken_up_s)
    evening.shows((NOTHING[0], (1, (130, 150)), (5, (250, 130))))
    assert [one["dice"] for one in evening.played] == [[1, 6, 3], [1, 1, 5]]
    evening.hand()
    evening.shows()
    assert len(evening.played) == 2


def test_dice_that_are_laid_into_the_bowl_one_by_one_are_one_throw() -> None:
    evening = Evening()
    for count in range(4):
        evening.shows(PAIR[:count])
    assert evening.played == [{"do": "throw", "dice": [2, 5, 2]}]


# ---- a throw that was entered wrongly

WRONG = {"do": "throw", "dice": [2, 2, 4]}
SAID = "2-2-4 was entered by hand, but the camera reads 2-5-2. 2-2-4 counts unless it is undone."


def test_a_wrong_throw_of_the_banker_entered_before_it_is_read_is_named_in_the_question() -> None:
    evening = Evening()
    evening.shows(EMPTY)
    evening.shows(PAIR, seconds=0.3)
    evening.table.do(WRONG)
    evening.shows()
    said = "2-5-2 was still on its way when 2-2-4 was entered by hand. Does 2-5-2 count as well?"
    assert [question.text for question in evening.questions] == [said]
    assert evening.notes == [said]
    evening.sight.answered(evening.questions[0], evening.questions[0].choices[1])
    evening.shows()
    assert (evening.asked, evening.notes) == ([], [said])


def test_a_wrong_throw_that_decides_the_round_is_told_though_it_was_entered_before_it_was_read() -> None:
    evening = Evening()
    evening.shows(EMPTY)
    evening.shows(NOTHING)  # no score yet: two more by hand
    for _ in range(2):
        evening.do("throw", dice=[1, 6, 3])
    evening.shows(EMPTY)
    evening.shows(PAIR, seconds=0.3)
    assert evening.phase == "player"
    evening.table.do(WRONG)
    assert evening.phase == "bank"
    evening.shows()
    assert [question.text for question in evening.questions] == [SAID]
    assert evening.notes == ["2-2-4 was entered by hand, but the camera reads 2-5-2. What was entered counts."]
    evening.table.do(evening.questions[0].choices[1].command)
    evening.shows()
    assert [question.text for question in evening.questions] == ["The camera reads 2-5-2. Does it count?"]


def test_a_wrong_throw_is_told_though_the_dice_are_taken_up_already() -> None:
    evening = Evening(is_asked=True)
    evening.shows(EMPTY)
    evening.shows(PAIR)
    assert evening.asked == ["confirm"]
    evening.shows(EMPTY)
    evening.table.do(WRONG)
    evening.shows(EMPTY)
    assert [question.text for question in evening.questions] == [SAID]


def test_the_throw_after_one_that_was_entered_late_is_not_told_as_a_wrong_one() -> None:
    evening = Evening(is_asked=True)
    evening.shows(EMPTY)
    evening.shows(PAIR)
    evening.shows(ONE, seconds=0.3)
    evening.table.do(WRONG)  # of the pair, while the next dice roll
    evening.shows()
    assert (evening.notes, evening.asked) == ([], ["twice"])
