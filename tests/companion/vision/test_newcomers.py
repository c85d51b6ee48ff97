"""What comes to lie and goes again, told from small drawn pictures of a table."""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision.live.change import CELL_PX
from companion.vision.newcomers import Newcomers
from companion.vision.sightings import CardSighting, Quad

WIDTH, HEIGHT = 640, 360
CARD, STEP = (56, 78), 22


class Table:
    """A cloth, lighter to the right, under a lamp that does not change; ten pictures a second."""

    def __init__(self) -> None:
        shade = np.linspace(40, 110, WIDTH)[None, :, None] * np.array([0.5, 1.0, 0.6])
        self.picture = np.repeat(shade, HEIGHT, axis=0).astype(np.uint8)
        self.newcomers = Newcomers((WIDTH, HEIGHT))
        self.cards: list[CardSighting] = []
        self.moved = np.full((-(-HEIGHT // CELL_PX), -(-WIDTH // CELL_PX)), -np.inf)
        self.t = 0.0
        self.run(1.0)

    def run(self, seconds: float) -> None:
        ends = self.t + seconds
        while self.t < ends:
            self.t += 0.1
            self.newcomers.look(self.picture, self.cards, self.moved, self.t)

    def paint(self, x: int, y: int, size: tuple[int, int], bgr: tuple[int, int, int]) -> np.ndarray:
        """Change a part of the picture; return how it looked before."""
        before = self.picture.copy()
        cv2.rectangle(self.picture, (x, y), (x + size[0], y + size[1]), bgr, cv2.FILLED)
        self._note_motion(before)
        return before

    def put_back(self, picture: np.ndarray) -> None:
        before, self.picture = self.picture, picture
        self._note_motion(before)

    def read(self, name: str, x: int, y: int) -> None:
        """Lay a card down that is read."""
        self.paint(x, y, CARD, (215, 220, 225))
        right, below = x + CARD[0], y + CARD[1]
        quad: Quad = ((x, y), (right, y), (right, below), (x, below))
        self.cards.append(CardSighting(name, "K7QX", "ok", quad, quad, lain_since=self.t))

    def _note_motion(self, before: np.ndarray) -> None:
        rows, columns = np.nonzero((before != self.picture).any(axis=2))
        self.moved[rows // CELL_PX, columns // CELL_PX] = self.t


def test_a_back_that_is_taken_off_a_card_is_gone_after_many_hands():
    """Under a constant lamp what was under it looks as it did, however much else came and went."""
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
    assert [thing.status for thing in table.newcomers.things] == ["unreadable"]
    table.put_back(still)
    table.cards = [CardSighting(c.id, c.deck, c.status, c.corners, c.outline) for c in table.cards]
    table.run(0.8)
    assert table.newcomers.things == ()
