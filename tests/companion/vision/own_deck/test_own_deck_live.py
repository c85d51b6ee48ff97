"""Cards of an enrolled deck in a running camera: reported once two pictures agree, until they are removed."""

from collections.abc import Callable

import numpy as np
import pytest

from companion.testing import DECKS
from companion.vision.frame import Frame
from companion.vision.live.reader import Reader
from companion.vision.own_deck.live import OwnDeckReader
from companion.vision.own_deck.reader import DeckReader
from companion.vision.sightings import FrameReading

Lay = Callable[..., np.ndarray]
LAID = [("AS", -35.0, 0.0, 5.0), ("9H", 35.0, 0.0, 175.0)]


class Film:
    """Feeds pictures to a reader, ten per second."""

    def __init__(self, reader: DeckReader) -> None:
        self.reader = OwnDeckReader(Reader({}, DECKS), reader, "K7QX", budget_s=60.0)
        self.count = 0

    def show(self, image: np.ndarray, frames: int) -> FrameReading:
        for _ in range(frames):
            self.count += 1
            reading = self.reader.read(Frame(image, self.count / 10, self.count))
        return reading


@pytest.fixture
def film(reader: DeckReader) -> Film:
    return Film(reader)


def cards(reading: FrameReading) -> list[tuple[str | None, str | None, str]]:
    return sorted((card.id, card.deck, card.status) for card in reading.cards)


@pytest.mark.thorough
def test_cards_are_said_with_the_decks_id_and_go_when_they_are_taken(film: Film, lay: Lay) -> None:
    bare, laid = lay([]), lay(LAID)
    assert cards(film.show(bare, 8)) == []
    assert cards(film.show(laid, 10)) == [("9H", "K7QX", "tag"), ("AS", "K7QX", "tag")]
    assert cards(film.show(lay(LAID[:1]), 10)) == [("AS", "K7QX", "tag")]
    assert cards(film.show(bare, 10)) == []


def test_one_picture_is_not_enough(film: Film, lay: Lay) -> None:
    film.show(lay([]), 8)
    laid = lay(LAID[:1])
    first = [len(film.show(laid, 1).cards) for _ in range(10)]
    assert first[0] == 0
    assert first[-1] == 1


@pytest.mark.thorough
def test_nothing_is_read_again_while_nothing_changes(film: Film, lay: Lay, monkeypatch: pytest.MonkeyPatch) -> None:
    laid = lay(LAID)
    film.show(laid, 14)
    asked: list[object] = []
    monkeypatch.setattr(DeckReader, "reading", lambda *given: asked.append(given))
    assert cards(film.show(laid, 20)) == [("9H", "K7QX", "tag"), ("AS", "K7QX", "tag")]
    assert not asked
