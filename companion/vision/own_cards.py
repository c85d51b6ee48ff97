"""Reads the cards of enrolled decks in the pictures and videos of ``companion read``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from companion.vision.frame import Frame, Image
from companion.vision.own_deck.live import FrameReader, OwnDeckReader
from companion.vision.own_deck.reader import CardRead, DeckReader
from companion.vision.own_deck.store import OwnDecks
from companion.vision.sightings import (
    CardSighting,
    CardStatus,
    FrameReading,
    Point,
    Quad,
    center_of,
    to_points,
    to_quad,
)

_BUDGET_S: Final = 60.0  # effectively unlimited: every picture of a file is read completely
_UNSIGNED: Final[CardStatus] = "tag"  # an ordinary face proves nothing, as at the table

_SAME_PLACE: Final = 0.1  # relative to a card's width


@dataclass(frozen=True, slots=True)
class OwnCards:
    """Reads the cards of enrolled decks in addition to signed ones. Decks of one design cannot be distinguished."""

    decks: tuple[tuple[str, DeckReader], ...]

    @classmethod
    def of(cls, data_dir: Path, shoe: Sequence[str] = ()) -> OwnCards:
        """Load the enrolled decks of a shoe, given by id; all decks if it is empty.

        Raises:
            OwnDeckError: a deck of the shoe, or a deck's picture, is damaged.
        """
        store = OwnDecks(data_dir)
        played = [store.get(deck_id) for deck_id in dict.fromkeys(shoe) if store.has(deck_id)] if shoe else store.all()
        return cls(tuple((deck.id, DeckReader(store.load(deck))) for deck in played))

    def in_picture(self, image: Image, reading: FrameReading) -> FrameReading:
        """Return the reading of a still picture with its ordinary cards; uncertain ones are ``unreadable``."""
        cards: list[CardSighting] = []
        for deck, reader in self.decks if image.size else ():
            cards += (_sighting(read, deck) for read in reader.read(image))
        cards = [card for card in cards if not any(_is_covered(card, signed) for signed in reading.cards)]
        return replace(reading, cards=(*reading.cards, *_agreed(cards)))

    def over(self, reader: FrameReader) -> FrameReader:
        """Return a reader of a video that also reads the ordinary cards."""
        for deck, own in self.decks:
            reader = OwnDeckReader(reader, own, deck, budget_s=_BUDGET_S)
        return _WithUnreadObjects(reader) if self.decks else reader


NO_OWN_CARDS: Final = OwnCards(())


@dataclass(frozen=True, slots=True)
class _WithUnreadObjects:
    """Adds the unread objects to the cards, as ``unreadable`` ones."""

    reader: FrameReader

    def read(self, frame: Frame) -> FrameReading:
        reading = self.reader.read(frame)
        return replace(reading, cards=(*reading.cards, *reading.unread_objects))


def _sighting(read: CardRead, deck: str) -> CardSighting:
    place = to_quad(read.outline)
    if read.card is None:
        return CardSighting(None, None, "unreadable", place, place)
    return CardSighting(read.card, deck, _UNSIGNED, place, place)


def _agreed(cards: Sequence[CardSighting]) -> Iterator[CardSighting]:
    """Yield one card per place, an identified one if possible; ``unreadable`` if two decks identify it differently."""
    sure = [card for card in cards if card.id is not None]
    yielded: list[CardSighting] = []
    for card in (*sure, *(card for card in cards if card.id is None)):
        if any(_is_same_place(card.corners, other.corners) for other in yielded):
            continue
        yielded.append(card)
        others = {other.id for other in sure if _is_same_place(other.corners, card.corners)}
        is_doubtful = card.id is not None and others != {card.id}
        yield replace(card, id=None, deck=None, status="unreadable") if is_doubtful else card


def _is_covered(card: CardSighting, signed: CardSighting) -> bool:
    """Whether a card is the same as one that was read by its code or tags."""
    place = signed.outline or signed.corners
    return _is_in(center_of(place), card.corners) and (card.id is None or _is_in(card.center, place))


def _is_in(point: Point, quad: Quad) -> bool:
    return bool(cv2.pointPolygonTest(to_points(quad), point, False) >= 0)


def _is_same_place(a: Quad, b: Quad) -> bool:
    """Whether two outlines belong to the same card, ignoring a half turn."""
    first, second = to_points(a), to_points(b)
    apart = min(float(np.abs(first - np.roll(second, by, axis=0)).mean()) for by in (0, 2))
    return apart < _SAME_PLACE * float(np.linalg.norm(first[1] - first[0]))
