"""A seat for which the mat has no place: its cards could not be read, and the dealer is told what to do."""

import numpy as np
import pytest

from companion.games.blackjack.camera.interpreter import BlackjackInterpreter
from companion.kernel.table import Table
from companion.plugins.perception import CardSettings
from companion.testing import MATS, new_header
from companion.tracking.cards.sight import CardSight
from companion.tracking.cards.zones import Zones
from companion.vision.frame import Frame
from companion.vision.sightings import FrameReading, TagSeen

SIZE = (1920, 1080)


class Lies:
    """A reader that sees a mat and nothing else."""

    def __init__(self, mat: str | None) -> None:
        boxes = MATS[mat].tags.items() if mat is not None else ()
        self.tags = tuple(TagSeen(number, tuple((1.5 * x, 1.5 * y) for x, y in box.corners)) for number, box in boxes)

    def read(self, frame: Frame) -> FrameReading:
        return FrameReading(SIZE, mat_tags=self.tags)


def sight_of(mat: str | None) -> CardSight:
    sight = CardSight(Lies(mat), BlackjackInterpreter(CardSettings()), zones=Zones(MATS))
    for count in range(4):
        sight.see(Frame(np.zeros((8, 8, 3), np.uint8), count / 30, count), count / 30)
    return sight


def table_with(seat: int) -> Table:
    table = Table(new_header("blackjack", (("Ann", 1000),)))
    table.do({"do": "join", "player": "Bo", "coins": 1000, "seat": seat})
    return table


@pytest.mark.parametrize(("name", "seats"), [("blackjack", 7), ("holdem", 10), ("rochi", 6), ("roche", 0)])
def test_a_mat_says_which_seats_have_a_place(name: str, seats: int) -> None:
    assert MATS[name].seats == tuple(range(1, seats + 1))


def test_a_seat_beyond_the_mat_is_told_with_what_to_do_until_that_is_understood() -> None:
    sight, now = sight_of("blackjack"), table_with(99).situation()
    (question,) = sight.propose(now).questions
    assert question.text == (
        "Bo sits at seat 99, but the mat has places 1 to 7 only. Let them sit there (Players, Name or seat), or enter "
        "their cards by hand."
    )
    assert not question.blocks
    sight.answered(question, question.choices[0])
    assert sight.propose(now).questions == ()


@pytest.mark.parametrize(("mat", "seat"), [("blackjack", 7), (None, 99)])
def test_a_seat_with_a_place_or_a_table_without_a_mat_is_no_question(mat: str | None, seat: int) -> None:
    """By the contract seats have no highest number: where no mat lies, everything is entered by hand."""
    assert sight_of(mat).propose(table_with(seat).situation()).questions == ()
