"""Unread objects that arrive and are removed, in small drawn pictures of a table."""

import cv2
import numpy as np

from companion.vision.live.change import CELL_PX
from companion.vision.live.unread_objects import UnreadObjectTracker
from companion.vision.sightings import CardSighting, Quad

WIDTH, HEIGHT = 640, 360
CARD, STEP = (56, 78), 22


class Table:
    """A cloth, brighter to the right, under constant light; ten pictures per second."""

    def __init__(self) -> None:
        shade = np.linspace(40, 110, WIDTH)[None, :, None] * np.array([0.5, 1.0, 0.6])
        self.picture = np.repeat(shade, HEIGHT, axis=0).astype(np.uint8)
        self.tracker = UnreadObjectTracker((WIDTH, HEIGHT))
        self.cards: list[CardSighting] = []
        self.moved = np.full((-(-HEIGHT // CELL_PX), -(-WIDTH // CELL_PX)), -np.inf)
        self.t = 0.0
        self.run(1.0)

    def run(self, seconds: float) -> None:
        ends = self.t + seconds
        while self.t < ends:
            self.t += 0.1
            self.tracker.update(self.picture, self.cards, self.moved, self.t)

    def paint(self, x: int, y: int, size: tuple[int, int], bgr: tuple[int, int, int]) -> np.ndarray:
        """Paint over a part of the picture; return the former picture."""
        before = self.picture.copy()
        cv2.rectangle(self.picture, (x, y), (x + size[0], y + size[1]), bgr, cv2.FILLED)
        self._note_motion(before)
        return before

    def put_back(self, picture: np.ndarray) -> None:
        before, self.picture = self.picture, picture
        self._note_motion(before)

    def read(self, name: str, x: int, y: int, bgr: tuple[int, int, int] = (215, 220, 225)) -> None:
        """Lay down a card that is read."""
        self.paint(x, y, CARD, bgr)
        right, below = x + CARD[0], y + CARD[1]
        quad: Quad = ((x, y), (right, y), (right, below), (x, below))
        self.cards.append(CardSighting(name, "K7QX", "ok", quad, quad, rest_since=self.t))

    def _note_motion(self, before: np.ndarray) -> None:
        rows, columns = np.nonzero((before != self.picture).any(axis=2))
        self.moved[rows // CELL_PX, columns // CELL_PX] = self.t


def test_a_back_that_is_taken_off_a_card_is_gone_after_many_hands():
    """Under constant light what was below it looks as before, however much else came and went."""
    table = Table()
    table.read("5D3", 60, 40)
    table.run(1.5)
    for k in range(12):
        still = table.paint(40 * (k % 3), 200, (260, 159), (120, 160, 210))  # a hand
        table.run(0.6)
        table.put_back(still)
        table.run(0.6)
    still = table.paint(60, 40 + STEP, CARD, (130, 50, 40))
    table.cards = [CardSighting(c.id, c.deck, c.status, c.corners, c.outline, visible=0.4) for c in table.cards]
    table.run(1.0)
    assert [thing.status for thing in table.tracker.objects] == ["unreadable"]
    table.put_back(still)
    table.cards = [CardSighting(c.id, c.deck, c.status, c.corners, c.outline) for c in table.cards]
    table.run(0.8)
    assert table.tracker.objects == ()


BACK = (130, 50, 40)


def covered(cards: list[CardSighting], visible: float) -> list[CardSighting]:
    return [CardSighting(c.id, c.deck, c.status, c.corners, c.outline, visible=visible) for c in cards]


def test_a_deck_that_becomes_card_shaped_came_when_it_came():
    """With a card half off it a deck is not card-shaped. It is once that card is dealt, but no new object then."""
    table = Table()
    table.read("5D3", 60, 40)
    table.run(1.5)
    before = table.picture.copy()
    table.paint(400, 150, (CARD[0] + 18, CARD[1]), BACK)
    table.run(1.0)
    came = table.t - 1.0
    assert table.tracker.objects == ()
    without = table.paint(300, 140, (260, 219), (120, 160, 210))  # a hand
    table.run(0.5)
    beside = (slice(150, 150 + CARD[1] + 1), slice(400 + CARD[0] + 1, 500))
    without[beside] = before[beside]
    table.put_back(without)
    table.run(1.0)
    [deck] = table.tracker.objects
    assert deck.rest_since is not None
    assert abs(deck.rest_since - came) < 0.2


def test_a_back_taken_from_between_two_cards_is_gone():
    """The previous card was dealt a moment ago but lies below it: what shows in its place is that card."""
    table = Table()
    table.read("7N5", 60, 40)
    table.run(1.5)
    without = table.picture.copy()
    table.paint(60, 40 + STEP, CARD, BACK)
    table.cards = covered(table.cards, 0.4)
    table.run(1.0)
    assert len(table.tracker.objects) == 1
    table.read("7N2", 60, 40 + 2 * STEP)
    table.run(1.0)
    lower = table.picture[40 + 2 * STEP : 40 + 2 * STEP + CARD[1] + 1].copy()
    without[40 + 2 * STEP : 40 + 2 * STEP + CARD[1] + 1] = lower
    table.put_back(without)
    table.cards = covered(table.cards[:1], 1.0) + table.cards[1:]
    table.run(1.0)
    assert table.tracker.objects == ()


def test_a_back_is_seen_upon_cards_of_which_one_was_read_again():
    """The lower card was lost for a moment. Read again below the upper one, it does not hide an object laid on both."""
    table = Table()
    table.read("6N2", 60, 40)
    table.run(1.5)
    table.read("6D3", 60, 40 + STEP, (160, 200, 160))
    table.run(1.5)
    lower, upper = table.cards
    table.cards = [upper]
    still = table.paint(40, 30, (100, 130), (120, 160, 210))  # a hand
    table.run(0.5)
    table.put_back(still)
    table.run(0.5)
    table.cards = [*covered([lower], 0.5), upper]
    table.run(1.0)
    table.paint(60, 40 + 2 * STEP, CARD, BACK)
    table.cards = covered(table.cards, 0.4)
    table.run(1.0)
    assert [thing.status for thing in table.tracker.objects] == ["unreadable"]
