"""A watcher's answer becomes one command, provided that its object came to rest while the game waited for it."""

from dataclasses import dataclass

import numpy as np
import pytest
from watched_tables import BOX, EMPTY, RUNS, Bowl, Wheel, rests

from companion.games.chinchirorin.plugin import CHINCHIRORIN
from companion.journal.evidence import EvidenceRing
from companion.kernel.messages import message
from companion.kernel.table import Header
from companion.plugins.perception import WatchReading
from companion.service.table_service import TableService
from companion.testing import INSTALLED
from companion.tracking.watch import TableWatch
from companion.vision.frame import Frame


@pytest.fixture
def wheel() -> Wheel:
    return Wheel()


def test_a_ball_that_comes_to_rest_is_played_once(wheel: Wheel) -> None:
    wheel.shows(EMPTY)
    wheel.closes()
    wheel.shows(EMPTY)
    wheel.shows(RUNS)
    assert wheel.shows(rests("17")).command == {"do": "spin", "pocket": "17"}
    assert wheel.table.situation().state.last == ("17",)
    for _ in range(3):
        assert wheel.shows(rests("17")).command is None
    wheel.closes()
    advice = wheel.shows(rests("17"))  # a ball already at rest is not a new spin
    assert (advice.command, advice.questions) == (None, ())
    wheel.shows(WatchReading(True, box=BOX, key=2))
    assert wheel.shows(rests("5", 2)).command == {"do": "spin", "pocket": "5"}


def test_a_watcher_that_is_not_trusted_yet_only_asks() -> None:
    wheel = Wheel(is_asked=True)
    wheel.shows(EMPTY)
    wheel.closes()
    wheel.shows(RUNS)
    advice = wheel.shows(rests("17"))
    assert (advice.command, [question.kind for question in advice.questions]) == (None, ["confirm"])
    assert advice.questions[0].choices[0].command == {"do": "spin", "pocket": "17"}
    assert wheel.table.situation().state.last == ()


def test_two_spins_with_the_same_pocket_both_count(wheel: Wheel) -> None:
    for key in (1, 2):
        wheel.shows(EMPTY)
        wheel.closes()
        wheel.shows(WatchReading(True, box=BOX, key=key))
        assert wheel.shows(rests("17", key)).command is not None
    assert wheel.table.situation().state.last == ("17", "17")


def test_a_ball_on_its_way_at_no_more_bets_counts(wheel: Wheel) -> None:
    wheel.shows(RUNS)
    wheel.closes()
    wheel.shows(RUNS)
    assert wheel.shows(rests("0")).command == {"do": "spin", "pocket": "0"}


def test_a_ball_that_rested_before_no_more_bets_is_asked_about(wheel: Wheel) -> None:
    wheel.shows(RUNS)
    assert wheel.shows(rests("17")).questions == ()
    wheel.closes()
    advice = wheel.shows(rests("17"))
    assert advice.command is None
    (question,) = advice.questions
    assert (question.kind, question.text) == (
        "early",
        "17 lay there before the table waited for it. Does it count?",
    )
    assert question.choices[0].command == {"do": "spin", "pocket": "17"}
    wheel.sight.answered(question, question.choices[1])
    assert wheel.shows(rests("17")).questions == ()
    wheel.shows(WatchReading(True, box=BOX, key=2))
    assert wheel.shows(rests("5", 2)).command == {"do": "spin", "pocket": "5"}


def test_a_pocket_entered_by_hand_is_not_played_again(wheel: Wheel) -> None:
    wheel.shows(EMPTY)
    wheel.closes()
    wheel.shows(RUNS)
    wheel.table.do({"do": "spin", "pocket": "17"})
    wheel.shows(RUNS)
    assert wheel.shows(rests("17")).questions == ()
    wheel.closes()
    assert wheel.shows(rests("17")).command is None


def rested(wheel: Wheel) -> None:
    """Show a spin that is read and played."""
    wheel.shows(EMPTY)
    wheel.closes()
    wheel.shows(RUNS)
    assert wheel.shows(rests("17")).command is not None


def test_an_undone_spin_is_asked_about(wheel: Wheel) -> None:
    rested(wheel)
    wheel.table.do({"do": "undo"})
    advice = wheel.shows(rests("17"))
    assert (advice.command, [q.kind for q in advice.questions]) == (None, ["undone"])


def test_an_undone_spin_is_asked_about_though_as_many_commands_count(wheel: Wheel) -> None:
    """An undo followed by another command before the next frame must not go unnoticed."""
    rested(wheel)
    wheel.table.do({"do": "undo"})
    wheel.table.do({"do": "buy-in", "player": "Ann", "coins": 5})
    advice = wheel.shows(rests("17"))
    assert (advice.command, [q.kind for q in advice.questions]) == (None, ["undone"])


def test_a_spin_undone_as_soon_as_it_counted_is_asked_about(wheel: Wheel) -> None:
    """The undo and the entry came before the next frame."""
    wheel.shows(EMPTY)
    wheel.closes()
    wheel.shows(RUNS)
    wheel.next, wheel.t = rests("17"), wheel.t + 0.1
    wheel.sight.see(Frame(np.zeros((120, 160, 3), np.uint8), wheel.t, 1), wheel.t)
    now = wheel.table.situation()
    advice = wheel.sight.propose(now)
    assert advice.command is not None
    wheel.table.do(advice.command)
    wheel.sight.played(advice, now)
    wheel.table.do({"do": "undo"})
    advice = wheel.shows(rests("17"))
    assert (advice.command, [q.kind for q in advice.questions]) == (None, ["undone"])


def test_what_is_spun_after_an_undo_was_not_undone(wheel: Wheel) -> None:
    """The dealer is asked nevertheless: the ball may only have been picked up and put aside."""
    rested(wheel)
    wheel.table.do({"do": "undo"})
    wheel.shows(rests("17"))
    wheel.shows(WatchReading(True, box=BOX, key=2))
    advice = wheel.shows(rests("5", 2))
    assert (advice.command, [q.kind for q in advice.questions]) == (None, ["confirm"])
    assert advice.questions[0].text == "The camera reads 5. Does it count?"


def test_a_spin_that_was_undone_and_entered_by_hand_is_done(wheel: Wheel) -> None:
    """Before the next picture: what lies there is what was entered, right or wrong."""
    rested(wheel)
    wheel.table.do({"do": "undo"})
    wheel.table.do({"do": "spin", "pocket": "18"})
    assert wheel.shows(rests("17")).questions == ()
    wheel.closes()
    advice = wheel.shows(rests("17"))
    assert (advice.command, advice.questions) == (None, ())


def test_bets_that_are_opened_again_are_no_spin_entered_by_hand(wheel: Wheel) -> None:
    """The ball rests, and “no more bets” is undone, once by itself and once with a bet before the next picture."""
    wheel.shows(EMPTY)
    wheel.closes()
    wheel.shows(rests("17"))
    for more in ([], [{"do": "bet", "player": "Ann", "on": "red", "amount": 1}]):
        for record in ({"do": "undo"}, *more):
            wheel.table.do(record)
        wheel.shows(rests("17"))
        wheel.table.do({"do": "no-more-bets"})
        advice = wheel.shows(rests("17"))
        assert (advice.command, [q.kind for q in advice.questions]) == (None, ["early"]), more


def test_a_ball_that_lay_there_when_the_camera_began_to_look_after_its_spin_is_done(wheel: Wheel) -> None:
    wheel.closes()
    wheel.table.do({"do": "spin", "pocket": "17"})
    wheel.shows(rests("17"))
    wheel.closes()
    assert wheel.shows(rests("17")).questions == ()


def test_what_the_table_does_not_take_is_asked_about(wheel: Wheel) -> None:
    wheel.shows(EMPTY)
    wheel.closes()
    wheel.shows(RUNS)
    advice = wheel.shows(rests("00"))
    assert advice.command is None
    assert advice.questions[0].text.startswith("The camera reads 00, which this table does not take.")


def test_a_watchers_question_is_asked_only_while_the_game_waits(wheel: Wheel) -> None:
    unsure = WatchReading(False, None, 0.0, BOX, message("Which?"), 1)
    assert wheel.shows(unsure).questions == ()
    wheel.closes()
    (question,) = wheel.shows(unsure).questions
    assert question.text == "Which?"
    wheel.sight.answered(question, question.choices[0])
    assert wheel.shows(unsure).questions == ()


def test_the_picture_of_an_answer_is_kept(tmp_path) -> None:
    wheel = Wheel(evidence=EvidenceRing(tmp_path))
    wheel.shows(EMPTY)
    wheel.closes()
    wheel.shows(RUNS)
    command = wheel.shows(rests("17")).command
    assert command is not None
    assert wheel.evidence is not None
    assert wheel.evidence.get(command["evidence"]).facts["pocket"] == "17"


def test_the_report_says_what_is_seen(wheel: Wheel) -> None:
    states = []
    for reading in (WatchReading(False), RUNS, rests("17"), EMPTY):
        wheel.shows(reading)
        states.append(wheel.sight.report()["state"])
    assert states == ["unseen", "moving", "sure", "aside"]
    assert wheel.sight.marks(()) != []


def test_a_ball_that_was_moved_while_the_table_was_held_does_not_count_where_it_lay() -> None:
    wheel = Wheel()
    wheel.shows(EMPTY)
    wheel.closes()
    wheel.shows(RUNS)
    wheel.table.do({"do": "hold"})
    wheel.shows(RUNS)
    wheel.shows(rests("17"))
    wheel.shows(WatchReading(False, None, 0.0, BOX, message("Which?"), 1))
    wheel.table.do({"do": "release"})
    advice = wheel.shows(wheel.next)
    assert (advice.command, [question.text for question in advice.questions]) == (None, ["Which?"])


def test_what_is_not_read_is_reported_only_while_the_game_waits_for_it(wheel: Wheel) -> None:
    """Nothing needs to be read after a pocket was entered by hand, or while bets are open again."""
    unread = WatchReading(False, None, 0.0, BOX, message("Which?"), 1)
    states = []

    def report() -> None:
        wheel.shows(unread)
        states.append(wheel.sight.report()["state"])

    report()
    wheel.closes()
    report()
    wheel.table.do({"do": "spin", "pocket": "17"})
    report()
    wheel.closes()
    report()
    wheel.shows(WatchReading(True, box=BOX, key=2))
    wheel.next = unread = WatchReading(False, None, 0.0, BOX, message("Which?"), 2)
    report()
    (question,) = wheel.shows(unread).questions
    wheel.sight.answered(question, question.choices[0])
    report()
    assert states == ["aside", "unsure", "aside", "aside", "unsure", "aside"]


def test_an_answer_is_not_that_of_the_next_event_that_is_not_read(wheel: Wheel) -> None:
    wheel.shows(EMPTY)
    wheel.shows(rests("17"))
    wheel.closes()
    advice = wheel.shows(WatchReading(False, None, 0.0, BOX, message("Which?"), 2))
    assert (advice.command, [question.text for question in advice.questions]) == (None, ["Which?"])


# ---- a game that waits for one throw after the other


@pytest.mark.parametrize("is_by_hand", [False, True])
def test_dice_that_were_counted_are_not_asked_about_again(is_by_hand: bool) -> None:
    bowl = Bowl()
    bowl.shows(EMPTY)
    (question,) = bowl.throws([6, 3, 6], 1)
    record = {"do": "throw", "dice": [6, 3, 6]} if is_by_hand else question.choices[0].command
    bowl.table.do(record)
    if not is_by_hand:
        bowl.sight.answered(question, question.choices[0])
    assert bowl.shows(bowl.next).questions == ()
    (after,) = bowl.throws([5, 2, 5], 2)
    assert (after.kind, after.text) == ("confirm", "The camera reads 5-2-5. Does it count?")


def test_an_answer_is_about_the_throw_that_was_asked_about_though_the_dice_are_taken_up_already() -> None:
    bowl = Bowl()
    bowl.shows(EMPTY)
    (question,) = bowl.throws([6, 3, 6], 1)
    bowl.table.do(question.choices[0].command)
    bowl.sight.answered(question, question.choices[0])
    assert bowl.shows(WatchReading(True, box=BOX, key=1)).questions == ()
    (after,) = bowl.throws([5, 2, 5], 2)
    assert after.kind == "confirm"


def test_dice_whose_throw_was_undone_are_asked_about() -> None:
    bowl = Bowl()
    bowl.shows(EMPTY)
    (question,) = bowl.throws([6, 3, 6], 1)
    bowl.table.do(question.choices[0].command)
    bowl.shows(bowl.next)
    bowl.table.do({"do": "undo"})
    (after,) = bowl.shows(bowl.next).questions
    assert after.kind == "undone"
    bowl.table.do(after.choices[0].command)
    assert bowl.shows(bowl.next).questions == ()


def test_dice_that_lie_there_are_still_asked_about_after_a_hold() -> None:
    bowl = Bowl()
    bowl.shows(EMPTY)
    (before,) = bowl.throws([6, 3, 6], 1)
    bowl.table.do({"do": "hold"})
    bowl.shows(bowl.next)
    bowl.table.do({"do": "release"})
    assert bowl.shows(bowl.next).questions == (before,)
    bowl.table.do(before.choices[0].command)
    assert bowl.shows(bowl.next).questions == ()


@dataclass
class Lens:
    """A camera that can be unplugged."""

    name: str = "lens"
    t: float = 0.0
    is_lost: bool = False

    def read(self, timeout_s: float) -> Frame | None:
        self.t += 0.1
        return None if self.is_lost else Frame(np.full((120, 160, 3), 90, np.uint8), self.t, round(10 * self.t))

    def close(self) -> None: ...


def test_a_question_goes_with_its_throw_even_if_the_camera_sees_no_more(tmp_path) -> None:
    """The camera is lost and the dealer enters the throw by hand: an open question would count it twice."""
    bowl, camera = Bowl(), Lens()
    header = Header(CHINCHIRORIN.rules, (("Ann", 100), ("Bo", 100)), {"banker": 1})
    with TableService.open(tmp_path / "journal.sqlite", header, INSTALLED) as service:
        for record in bowl.table.records:
            service.submit(record, source="dealer")
        watch = TableWatch(camera, bowl.sight, service, clock=lambda: camera.t)
        for reading in (EMPTY, WatchReading(True, box=BOX), WatchReading(False, {"dice": [6, 3, 6]}, 0.99, BOX, key=1)):
            bowl.next = reading
            watch.turn(0)
        (question,) = service.view("dealer")["questions"]
        assert question["text"] == "The camera reads 6-3-6. Does it count?"
        camera.is_lost = True
        watch.turn(0)
        assert service.view("dealer")["questions"] == [question]
        service.submit({"do": "throw", "dice": [6, 3, 6]}, source="dealer")
        watch.turn(0)
        assert service.view("dealer")["questions"] == []
