"""Cards at rest that cannot be read, while the camera runs: so that the table never passes one over in silence.

Two things tell of one: a code that is found where it lies and cannot be read, and paper of a card's size, shape and
print on which nothing is read. Either must have been so at two looks some time apart, and is forgotten where the bare
table shows, where something is read after all, or when it was long not found any more: a hand may rest on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from companion.vision.boxes import bounds, is_inside
from companion.vision.cards import Understood, is_explained
from companion.vision.change import Box, Cells, cells_of
from companion.vision.decode import is_same_place
from companion.vision.frame import Gray, Image
from companion.vision.ground import Ground
from companion.vision.objects import unread_cards
from companion.vision.sightings import CardSighting, Quad

LOOK_EVERY_S: Final = 0.5
_SURE_S: Final = 0.8  # from the first look that found it to the last
_LOST_S: Final = 10.0


@dataclass(slots=True)
class _Place:
    """Where something cannot be read; an outline, or a code's corners."""

    quad: Quad
    is_outline: bool
    first: float
    last: float

    @property
    def is_sure(self) -> bool:
        return self.last - self.first >= _SURE_S


class Unread:
    """What cannot be read on one camera's table."""

    def __init__(self) -> None:
        self._places: list[_Place] = []
        self._next = LOOK_EVERY_S

    @property
    def quads(self) -> list[Quad]:
        """Where things lie that cannot be read."""
        return [place.quad for place in self._places if place.is_sure]

    def note_codes(self, box: Box, broken: Sequence[Quad], t: float) -> None:
        """Take in the codes that were found in a box at time t (s) and could not be read."""
        self._places = [
            p
            for p in self._places
            if p.is_outline or not is_inside(bounds(p.quad), box) or any(is_same_place(p.quad, q) for q in broken)
        ]
        for quad in broken:
            self._note(quad, False, t)

    def is_due(self, t: float) -> bool:
        """Say whether it is time to look for paper again."""
        return t >= self._next

    def look(self, gray: Gray, still: Cells, found: Understood, t: float) -> None:
        """Look for paper on which nothing is read, where all lies still.

        Args:
            gray: uint8 (H, W).
            still: cells where nothing has moved for a while.
            found: what was read; another card is about as large as those.
        """
        self._next = t + LOOK_EVERY_S
        taken = [c.outline or c.corners for c in found.cards] + [k.corners for k in found.tokens]
        sizes = [c.outline for c in found.cards if c.outline is not None and c.status in ("ok", "tag")]
        for quad in unread_cards(gray, taken, sizes):
            if still[cells_of(bounds(quad), still.shape)].all():
                self._note(quad, True, t)

    def forget(self, image: Image, ground: Ground, found: Understood, t: float) -> None:
        """Forget what is gone, or read after all."""
        self._places = [
            p
            for p in self._places
            if t - p.last < _LOST_S
            and not is_explained(p.quad, found.cards, found.tokens)
            and not ground.is_bare(image, bounds(p.quad))
        ]

    def cards(self) -> tuple[CardSighting, ...]:
        """Return what cannot be read, each once: a code on paper is that card's."""
        sure = sorted((p for p in self._places if p.is_sure), key=lambda p: not p.is_outline)
        cards: list[CardSighting] = []
        for place in sure:
            if not is_explained(place.quad, cards, ()):
                outline = place.quad if place.is_outline else None
                cards.append(CardSighting(None, None, "unreadable", place.quad, outline))
        return tuple(cards)

    def _note(self, quad: Quad, is_outline: bool, t: float) -> None:
        for place in self._places:
            if place.is_outline == is_outline and is_same_place(place.quad, quad):
                place.quad, place.last = quad, t
                return
        self._places.append(_Place(quad, is_outline, t, t))
