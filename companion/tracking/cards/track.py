"""One card followed from frame to frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from companion.tracking.cards.card_geometry import apart, middle_of, turn_of, width_of
from companion.tracking.cards.observations import Arriving, Found, Lying, Whereabouts
from companion.vision.sightings import CardSighting, CardStatus, Point, Quad

REFUTED: Final = ("forged", "foreign")
STRANGERS: Final = (*REFUTED, "unreadable")
_FRESH: Final = 0.9  # share of a card that must be unchanged, to count as seen


@dataclass(frozen=True, slots=True)
class Patience:
    """How long something must be stable before it is reported: seconds and frames.

    With 30 frames a second a card is reported three frames after the first that shows it at rest. (The reader itself
    decodes only what has been still for two.)
    """

    rest_s: float = 0.1
    votes: int = 3
    tag_votes: int = 4
    unreadable_s: float = 2.0
    unreadable_votes: int = 8
    thing_s: float = 0.5  # the reader has watched it already before it told of it
    thing_votes: int = 3
    still: float = 0.06  # of a card's width: what shaking is still called lying
    moved: float = 0.2  # of a card's width: what is called moved
    gone_s: float = 0.6  # the reader has tried twice before it stops reporting a card
    gone_moving_s: float = 1.5  # while something moves in the picture
    drop_s: float = 0.7  # unsettled, and not seen any more
    gap_s: float = 1.0  # without a picture for so long, nobody saw what happened
    found_s: float = 1.0
    twin_frames: int = 4


@dataclass(slots=True)
class Track:
    """A tracked physical card: identity, position and times. Once known, the identity never changes."""

    number: int
    id: str | None
    deck: str | None
    status: CardStatus
    corners: Quad
    outline: Quad | None
    middle: Point
    width: float
    first_seen: float
    seen: float
    before: float
    rest_since: float
    anchor: Point
    lain: float
    "Since when nothing has moved there: before it was read, if it had to wait for that."
    found: Found = ""
    votes: int = 0
    settled: float | None = None
    settled_rest: float = 0.0
    moved: float = 0.0
    home: Point = (0.0, 0.0)
    missing_s: float = 0.0
    missing_still_s: float = 0.0
    where: Whereabouts = "open"
    cover: int | None = None
    twin_of: int | None = None
    twin_frames: int = 0
    flips: int = 0
    contradicted: int = 0
    disputed: str | None = None
    reported: CardStatus | None = field(default=None)
    is_thing: bool = False
    "The reader saw it come and rest, and cannot read it."
    buried_s: float = 0.0
    is_absent: bool = False
    "Nothing of it is seen or remembered."
    is_under: bool = False
    "The card over it lies just where it lay."
    "How long nothing of it was seen under another card, while nothing moved."

    @classmethod
    def begin(cls, number: int, card: CardSighting, t: float, found: Found) -> Track:
        """Follow a card that was not there before."""
        middle, lain = middle_of(card), lain_of(card, t)
        return cls(
            number, card.id, card.deck, card.status, card.corners, card.outline, middle, width_of(card),
            lain, t, t, t, middle, lain, found, is_thing=card.id is None and card.lain_since is not None,
        )  # fmt: skip

    @property
    def is_stranger(self) -> bool:
        return self.status in STRANGERS

    def see(self, card: CardSighting, t: float, patience: Patience) -> None:
        """Add a new sighting of the card."""
        self.corners, self.outline = card.corners, card.outline or self.outline
        self.middle, self.width = middle_of(card), width_of(card)
        self.before, self.seen, self.where, self.cover = self.seen, t, "open", None
        self.missing_s = self.missing_still_s = self.buried_s = 0.0
        if apart(self.middle, self.anchor) > patience.still * self.width:
            self.anchor, self.rest_since, self.votes = self.middle, t, 0
            self.lain = lain_of(card, t)
        self.votes += 1

    def rests(self, t: float, patience: Patience) -> bool:
        """Say whether the card lies still for long enough, and was read often enough, to be sure."""
        if self.is_thing and self.id is None:
            needed, still_s = patience.thing_votes, patience.thing_s
        elif self.status == "unreadable":
            needed, still_s = patience.unreadable_votes, patience.unreadable_s
        else:
            needed, still_s = (patience.tag_votes if self.status == "tag" else patience.votes), patience.rest_s
        return self.where == "open" and self.votes >= needed and t - self.rest_since >= still_s - 1e-6

    def shift(self, move: tuple[tuple[float, float, float], tuple[float, float, float]]) -> None:
        """Follow a bump of the camera: all positions go through a (2, 3) affine map."""
        self.middle, self.anchor, self.home = (mapped(move, p) for p in (self.middle, self.anchor, self.home))
        self.corners = _mapped_quad(move, self.corners)
        self.outline = None if self.outline is None else _mapped_quad(move, self.outline)

    def is_same_lay(self, card: CardSighting) -> bool:
        """Say whether a card lies just as this one did: nobody lays one down again that exactly."""
        if apart(middle_of(card), self.middle) > 0.08 * self.width:
            return False
        if card.outline is None or self.outline is None:
            return True
        turned = abs(turn_of(card.outline) - turn_of(self.outline))
        return min(turned, 180 - turned) < 3.0

    def lying(self) -> Lying:
        """Return the settled card as others see it."""
        assert self.settled is not None, "only settled cards lie"
        return Lying(
            self.number, self.id, self.deck, self.status, self.corners, self.outline, self.first_seen,
            self.settled_rest, self.settled, self.moved, self.votes, self.where, self.found, self.twin_of,
            self.disputed, cover=self.cover if self.where == "covered" else None, buried_s=self.buried_s,
            is_under=self.is_under and self.where == "covered",
            is_absent=self.is_absent,
        )  # fmt: skip

    def arriving(self) -> Arriving:
        """Return the card that has not settled as others see it."""
        return Arriving(
            self.number, self.id, self.status, self.first_seen, self.lain, self.seen, self.votes, self.corners
        )


def is_fresh(card: CardSighting) -> bool:
    """Say whether the card is really seen, not only remembered under something that covers it."""
    return card.visible >= _FRESH


def lain_of(card: CardSighting, t: float) -> float:
    """Return since when a card lies that is read at time t (s) where it was not before."""
    return t if card.lain_since is None else min(card.lain_since, t)


Affine = tuple[tuple[float, float, float], tuple[float, float, float]]


def mapped(move: Affine, p: Point) -> Point:
    """Return a point after an affine map."""
    (a, b, c), (d, e, f) = move
    return (a * p[0] + b * p[1] + c, d * p[0] + e * p[1] + f)


def _mapped_quad(move: Affine, quad: Quad) -> Quad:
    a, b, c, d = (mapped(move, p) for p in quad)
    return (a, b, c, d)
