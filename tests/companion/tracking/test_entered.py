"""The dealer's entry stands; if the camera surely reads another result of the same event, the dealer is told."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from watched_tables import BOX, EMPTY, RUNS, Bowl, Wheel, rests

from companion.games.roulette.plugin import ROULETTE
from companion.journal.evidence import EvidenceRing
from companion.kernel.messages import message
from companion.kernel.table import Header, Table
from companion.plugins.perception import WatchReading
from companion.service.table_service import TableService
from companion.testing import INSTALLED
from companion.tracking.watch import TableWatch
from companion.vision.frame import Frame

SAID = "17 was entered by hand, but the camera reads 18. 17 counts unless it is undone."
UNREAD = WatchReading(False, None, 0.0, BOX, message("Which?"), 1)


def runs(key: int) -> WatchReading:
    return WatchReading(True, box=BOX, key=key)


@dataclass
class Spun(Wheel):
    """A wheel whose readings the dealer confirms, as at a real table; collects the notes."""

    is_asked: bool = True
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__post_init__()
        see = self.sight.see

        def noted(frame, t):
            notes = see(frame, t)
            self.notes += [note.text for note in notes]
            return notes

        self.sight.see = noted
        self.shows(EMPTY)
        self.closes()
        self.shows(RUNS)

    def enters(self, pocket: str) -> None:
        self.table.do({"do": "spin", "pocket": pocket})

    def asked(self, reading: WatchReading) -> list[str]:
        """Show a reading for a while, and return the open questions."""
        for _ in range(3):
            questions = self.shows(reading).questions
        self.questions = questions
        return [question.text for question in questions]

    def answer(self, way: str) -> None:
        (question,) = self.questions
        choice = next(choice for choice in question.choices if choice.id == way)
        if choice.command is not None:
            self.table.do(choice.command)
        self.sight.answered(question, choice)


@pytest.fixture
def wheel() -> Spun:
    return Spun()


def test_a_wrong_pocket_entered_after_it_was_read_is_told_once_and_counts(wheel: Spun) -> None:
    wheel.shows(rests("18"))
    wheel.enters("17")
    assert wheel.asked(rests("18")) == [SAID]
    assert wheel.notes == ["17 was entered by hand, but the camera reads 18. What was entered counts."]
    (question,) = wheel.questions
    assert (question.kind, question.blocks) == ("differs", False)
    wheel.answer("leave")
    assert wheel.asked(rests("18")) == []
    wheel.closes()
    assert wheel.asked(rests("18")) == []
    assert wheel.table.situation().state.last == ("17",)
    assert len(wheel.notes) == 1


def test_a_wrong_pocket_entered_before_it_was_read_is_told(wheel: Spun) -> None:
    wheel.enters("17")
    assert wheel.asked(RUNS) == []
    assert wheel.asked(rests("18")) == [SAID]


def test_it_is_told_though_bets_were_made_before_the_next_picture(wheel: Spun) -> None:
    wheel.shows(rests("18"))
    wheel.enters("17")
    wheel.table.do({"do": "bet", "player": "Ann", "on": "red", "amount": 1})
    assert wheel.asked(rests("18")) == [SAID]
    assert [choice.id for choice in wheel.questions[0].choices] == ["leave"]  # an undo would take the bet back instead


def test_it_is_told_though_the_ball_was_taken_out_at_once(wheel: Spun) -> None:
    wheel.shows(rests("18"))
    wheel.enters("17")
    assert wheel.asked(WatchReading(False, box=BOX, key=1)) == [SAID]


def test_what_was_entered_wrongly_is_undone_and_what_is_read_counts(wheel: Spun) -> None:
    wheel.shows(rests("18"))
    wheel.enters("17")
    wheel.asked(rests("18"))
    wheel.answer("undo")
    assert wheel.asked(rests("18")) == ["The camera reads 18. Does it count?"]
    wheel.answer("count")
    assert wheel.asked(rests("18")) == []
    assert wheel.table.situation().state.last == ("18",)


def test_another_wrong_entry_after_the_undo_is_told_too(wheel: Spun) -> None:
    wheel.shows(rests("18"))
    wheel.enters("19")
    wheel.asked(rests("18"))
    wheel.answer("undo")
    wheel.asked(rests("18"))
    wheel.enters("17")
    assert wheel.asked(rests("18")) == [SAID]


def test_it_is_not_told_any_more_once_it_is_undone_or_the_next_spin_counts(wheel: Spun) -> None:
    wheel.shows(rests("18"))
    wheel.enters("17")
    assert wheel.asked(rests("18")) == [SAID]
    wheel.table.do({"do": "undo"})
    assert wheel.asked(RUNS) == []
    wheel.enters("17")
    assert wheel.asked(rests("18")) == [SAID]
    wheel.closes()
    wheel.shows(runs(2))
    wheel.shows(rests("5", 2))
    wheel.enters("5")
    assert wheel.asked(rests("5", 2)) == []


def test_the_same_is_not_told(wheel: Spun) -> None:
    wheel.shows(rests("17"))
    wheel.enters("17")
    assert (wheel.asked(rests("17")), wheel.notes) == ([], [])


def test_a_ball_that_could_not_be_read_when_it_was_entered_is_not_told(wheel: Spun) -> None:
    wheel.shows(UNREAD)
    wheel.enters("17")
    assert (wheel.asked(rests("18")), wheel.notes) == ([], [])


def test_a_ball_that_cannot_be_read_at_first_is_not_told(wheel: Spun) -> None:
    wheel.enters("17")
    wheel.shows(UNREAD)
    assert (wheel.asked(rests("18")), wheel.notes) == ([], [])


def test_a_reading_that_the_dealer_has_refused_is_not_told(wheel: Spun) -> None:
    wheel.asked(rests("18"))
    wheel.answer("aside")
    wheel.asked(rests("18"))
    wheel.enters("17")
    assert (wheel.asked(rests("18")), wheel.notes) == ([], [])


def test_a_reading_that_the_dealer_has_taken_back_is_not_told(wheel: Spun) -> None:
    wheel.asked(rests("18"))
    wheel.answer("count")
    wheel.asked(rests("18"))
    wheel.table.do({"do": "undo"})
    wheel.asked(rests("18"))
    wheel.enters("17")
    assert (wheel.asked(rests("18")), wheel.notes) == ([], [])


def test_the_ball_of_the_spin_before_is_not_told(wheel: Spun) -> None:
    """The old result still lies there; the next spin is not seen by the camera."""
    wheel.shows(rests("18"))
    wheel.enters("18")
    wheel.shows(rests("18"))
    wheel.closes()
    wheel.shows(rests("18"))
    wheel.enters("17")
    assert (wheel.asked(rests("18")), wheel.notes) == ([], [])


def test_a_spin_that_began_while_the_one_before_was_open_is_not_told(wheel: Spun) -> None:
    """A late entry is for the previous event."""
    wheel.shows(UNREAD)
    wheel.shows(RUNS)
    wheel.enters("17")
    wheel.shows(runs(2))
    assert (wheel.asked(rests("18", 2)), wheel.notes) == ([], [])


def test_what_nobody_saw_come_is_not_told(wheel: Spun) -> None:
    """The camera was away after the entry, so there may have been another spin."""
    wheel.enters("17")
    wheel.shows(RUNS)
    wheel.t += 20
    assert (wheel.asked(rests("18")), wheel.notes) == ([], [])


def test_what_this_table_does_not_take_is_not_told(wheel: Spun) -> None:
    """The dealer had been asked to enter the result."""
    wheel.shows(rests("00"))
    wheel.enters("0")
    assert (wheel.asked(rests("00")), wheel.notes) == ([], [])


# ---- a bowl


def test_the_order_in_which_dice_are_named_makes_no_difference() -> None:
    bowl = Bowl()
    bowl.shows(EMPTY)
    bowl.throws([2, 5, 2], 1)
    bowl.table.do({"do": "throw", "dice": [5, 2, 2], "player": "Ann"})
    for _ in range(3):
        assert bowl.shows(bowl.next).questions == ()


@pytest.mark.parametrize(
    ("entered", "words"), [({"dice": [2, 2, 4]}, "2-2-4"), ({"out": True, "player": "Ann"}, "out")]
)
def test_a_wrong_throw_is_told(entered: dict[str, object], words: str) -> None:
    bowl = Bowl()
    bowl.shows(EMPTY)
    bowl.throws([2, 5, 2], 1)
    bowl.table.do({"do": "throw", **entered})
    bowl.shows(bowl.next)
    bowl.shows(bowl.next)
    (question,) = bowl.shows(bowl.next).questions
    assert question.text == (
        f"{words} was entered by hand, but the camera reads 2-5-2. {words} counts unless it is undone."
    )


# ---- in the journal


class Lens:
    """A camera whose pictures the fake watcher ignores."""

    name = "lens"

    def __init__(self, wheel: Spun) -> None:
        self.wheel = wheel

    def read(self, timeout_s: float) -> Frame | None:
        self.wheel.t += 0.1
        return Frame(np.full((120, 160, 3), 90, np.uint8), self.wheel.t, round(10 * self.wheel.t))

    def close(self) -> None: ...


def test_the_journal_tells_what_was_entered_what_was_read_and_what_was_decided(tmp_path) -> None:
    header = Header(ROULETTE.rules, (("Ann", 100),), {"bank": 1000})
    ring = EvidenceRing(tmp_path / "evidence")
    wheel = Spun(table=Table(header), evidence=ring)
    with TableService.open(tmp_path / "journal.sqlite", header, INSTALLED) as service:
        for record in wheel.table.records:
            service.submit(record, source="dealer")
        watch = TableWatch(Lens(wheel), wheel.sight, service, clock=lambda: wheel.t)
        for wheel.next in (RUNS, rests("18")):
            watch.turn(0)
        service.submit({"do": "spin", "pocket": "17"}, source="dealer")
        for _ in range(3):
            watch.turn(0)
        (question,) = service.view("dealer")["questions"]
        service.answer(question["id"], "leave", source="dealer")
        watch.turn(0)
        assert service.view("dealer")["questions"] == []
        notices = [entry["record"] for entry in service.events(limit=100) if entry["kind"] == "notice"]
        told = {notice["text"]: notice["data"] for notice in notices}
        data = told["17 was entered by hand, but the camera reads 18. What was entered counts."]
        assert (data["kind"], ring.get(data["evidence"]).facts["pocket"]) == ("differs", "18")
        assert f"{SAID} Decided: Leave it: 17 counts" in told
