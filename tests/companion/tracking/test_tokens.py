"""Tracking tokens: position, occlusion by a hand, removal."""

import pytest

from companion.tracking.cards.observations import LyingCard
from companion.tracking.cards.tokens import TokenTracker
from companion.vision.sightings import FrameReading, TokenSighting

FPS = 10


def square(x: float, y: float, side: float = 27.0):
    return ((x, y), (x + side, y), (x + side, y + side), (x, y + side))


class Table:
    """Tokens by id, read by a camera ten times a second."""

    def __init__(self):
        self.tracker, self.t = TokenTracker(), 0.0
        self.seen: dict[str, TokenSighting] = {}
        self.cards: list[LyingCard] = []
        self.moving = False

    def put(self, id_, x, y, *, name="", **more):
        self.seen[id_ + name] = TokenSighting(id_, square(x, y), **more)

    def run(self, seconds):
        for _ in range(round(seconds * FPS)):
            self.t += 1 / FPS
            reading = FrameReading((1920, 1080), (), tuple(self.seen.values()), moving=self.moving)
            self.tracker.update(reading, self.cards, self.t)

    def one(self, id_="T6"):
        return next((token for token in self.tracker.lying if token.id == id_), None)


@pytest.fixture
def table():
    made = Table()
    made.put("T6", 500, 300)
    made.run(1)
    return made


def test_an_empty_table_has_no_tokens():
    made = Table()
    made.run(1)
    assert made.tracker.lying == made.tracker.lost == ()


def test_a_token_that_rests_lies_there(table):
    assert (table.one().where, table.one().way) == ("open", 0.0)


def test_a_token_that_was_moved_says_when_and_how_far(table):
    table.put("T6", 800, 300)
    table.run(1)
    assert table.one().moved == pytest.approx(1.2, abs=0.15)
    assert table.one().way == pytest.approx(300 / (27 * 40 / 16), rel=0.05)


def test_a_shaking_reading_is_no_move(table):
    for dx in (1, -1, 2, -2, 1):
        table.put("T6", 500 + dx, 300)
        table.run(0.1)
    assert table.one().way == 0.0


def test_a_token_under_a_hand_is_hidden_and_not_lost(table):
    del table.seen["T6"]
    table.moving = True
    table.run(3)
    assert table.one().where == "hidden"
    assert table.tracker.lost == ()


def test_a_half_hidden_token_is_not_followed_to_where_it_was(table):
    table.put("T6", 500, 300, visible=0.3)
    table.run(1)
    assert table.one().where == "hidden"


def test_a_token_that_is_gone_from_a_still_table_was_taken_away(table):
    del table.seen["T6"]
    table.run(3)
    assert table.one() is None
    assert [token.id for token in table.tracker.lost] == ["T6"]


def test_a_token_that_comes_back_is_the_same_one_and_was_moved(table):
    number = table.one().track
    del table.seen["T6"]
    table.run(3)
    table.put("T6", 900, 700)
    table.run(1)
    assert table.one().track == number
    assert table.one().way > 2
    assert table.tracker.lost == ()


def test_a_token_under_a_card_is_covered_for_as_long_as_it_lies(table):
    del table.seen["T6"]
    outline = ((480, 280), (590, 280), (590, 430), (480, 430))
    table.cards = [LyingCard(1, "6D1", "K7QX", "ok", outline, outline, 1, 1, 1.2, 1.2, 9)]
    table.run(20)
    assert table.one().where == "covered"


def test_two_tokens_of_one_suit_are_told(table):
    table.put("T6", 900, 700, name="again")
    table.run(1)
    assert table.one().twin
    assert table.one().corners == square(500, 300)
    del table.seen["T6again"]
    table.run(0.5)
    assert not table.one().twin


def test_a_lost_token_that_only_shows_in_a_hand_stays_lost(table):
    """A lost token seen only for a moment is still lost: the question about it must remain."""
    del table.seen["T6"]
    table.run(4)
    (lost,) = table.tracker.lost
    table.put("T6", 900, 700)
    table.run(0.1)
    assert table.tracker.lost == (), "it may come to rest"
    del table.seen["T6"]
    table.run(4)
    assert table.tracker.lost == (lost,)
