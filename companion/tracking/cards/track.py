"""One card followed from frame to frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from companion.tracking.cards.card_geometry import apart, card_center, card_width, quad_rotation
from companion.tracking.cards.observations import Arriving, Found, LyingCard, Whereabouts
from companion.vision.sightings import CardSighting, CardStatus, Point, Quad

REFUTED: Final = ("forged", "foreign")
STRANGERS: Final = (*REFUTED, "unreadable")
_MIN_UNCHANGED: Final = 0.9  # minimum unchanged share of a card to count as seen


@dataclass(frozen=True, slots=True)
class StabilityThresholds:
    """How long something must be stable before it is reported: seconds and frames.

    At 30 frames per second a card is reported three frames after the first one that shows it at rest. (The reader
    itself decodes only regions that have been still for two frames.)
    """

    rest_s: float = 0.1
    votes: int = 3
    tag_votes: int = 4
    unreadable_s: float = 2.0
    unreadable_votes: int = 8
    unread_object_s: float = 0.5  # the reader has already watched it for a while before reporting it
    unread_object_votes: int = 3
    still: float = 0.06  # of a card's width: maximum jitter of a card at rest
    moved: float = 0.2  # of a card's width: minimum distance of a move
    gone_s: float = 0.6  # the reader retries twice before it stops reporting a card
    gone_moving_s: float = 1.5  # while something moves in the picture
    drop_s: float = 0.7  # unsettled and no longer seen
    gap_s: float = 1.0  # after a longer gap between frames, what happened is unknown
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
    rest_start: float
    "Start of the rest, even if the card was decoded only later."
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
    is_unread_object: bool = False
    "Whether the reader saw it arrive and come to rest, but cannot read it."
    buried_s: float = 0.0
    "How long it was completely out of sight under another card; time with motion counts less."
    is_absent: bool = False
    "Whether it is missing from the latest reading, which also has covered cards that the reader remembers."
    is_under: bool = False
    "Whether the card over it lies in almost the same place."

    @classmethod
    def begin(cls, number: int, card: CardSighting, t: float, found: Found) -> Track:
        """Return a track for a new card."""
        middle, rest_start = card_center(card), rest_start_of(card, t)
        return cls(
            number, card.id, card.deck, card.status, card.corners, card.outline, middle, card_width(card),
            rest_start, t, t, t, middle, rest_start, found,
            is_unread_object=card.id is None and card.rest_since is not None,
        )  # fmt: skip

    @property
    def is_stranger(self) -> bool:
        return self.status in STRANGERS

    def see(self, card: CardSighting, t: float, thresholds: StabilityThresholds) -> None:
        """Add a new sighting of the card."""
        self.corners, self.outline = card.corners, card.outline or self.outline
        self.middle, self.width = card_center(card), card_width(card)
        self.before, self.seen, self.where, self.cover = self.seen, t, "open", None
        self.missing_s = self.missing_still_s = self.buried_s = 0.0
        if apart(self.middle, self.anchor) > thresholds.still * self.width:
            self.anchor, self.rest_since, self.votes = self.middle, t, 0
            self.rest_start = rest_start_of(card, t)
        self.votes += 1

    def rests(self, t: float, thresholds: StabilityThresholds) -> bool:
        """Whether the card has been still for long enough, and seen often enough, to be certain."""
        if self.is_unread_object and self.id is None:
            needed, still_s = thresholds.unread_object_votes, thresholds.unread_object_s
        elif self.status == "unreadable":
            needed, still_s = thresholds.unreadable_votes, thresholds.unreadable_s
        else:
            needed, still_s = (thresholds.tag_votes if self.status == "tag" else thresholds.votes), thresholds.rest_s
        return self.where == "open" and self.votes >= needed and t - self.rest_since >= still_s - 1e-6

    def shift(self, move: tuple[tuple[float, float, float], tuple[float, float, float]]) -> None:
        """Compensate a bump of the camera: map all positions by a (2, 3) affine transform."""
        self.middle, self.anchor, self.home = (mapped(move, p) for p in (self.middle, self.anchor, self.home))
        self.corners = _mapped_quad(move, self.corners)
        self.outline = None if self.outline is None else _mapped_quad(move, self.outline)

    def is_in_same_pose(self, card: CardSighting) -> bool:
        """Whether a card lies exactly as this one did: nobody puts a card down again that precisely."""
        if apart(card_center(card), self.middle) > 0.08 * self.width:
            return False
        if card.outline is None or self.outline is None:
            return True
        turned = abs(quad_rotation(card.outline) - quad_rotation(self.outline))
        return min(turned, 180 - turned) < 3.0

    def lying(self) -> LyingCard:
        """Return the public value of the settled card."""
        assert self.settled is not None, "only settled cards lie"
        return LyingCard(
            self.number, self.id, self.deck, self.status, self.corners, self.outline, self.first_seen,
            self.settled_rest, self.settled, self.moved, self.votes, self.where, self.found, self.twin_of,
            self.disputed, cover=self.cover if self.where == "covered" else None, buried_s=self.buried_s,
            is_under=self.is_under and self.where == "covered",
            is_absent=self.is_absent,
        )  # fmt: skip

    def arriving(self) -> Arriving:
        """Return the public value of the card while it has not settled."""
        return Arriving(
            self.number, self.id, self.status, self.first_seen, self.rest_start, self.seen, self.votes, self.corners
        )


def is_fresh(card: CardSighting) -> bool:
    """Whether the card is really seen, not only remembered under something that covers it."""
    return card.visible >= _MIN_UNCHANGED


def rest_start_of(card: CardSighting, t: float) -> float:
    """Return when a card that is first read at time t (s) came to rest."""
    return t if card.rest_since is None else min(card.rest_since, t)


Affine = tuple[tuple[float, float, float], tuple[float, float, float]]


def mapped(move: Affine, p: Point) -> Point:
    """Return a point mapped by an affine transform."""
    (a, b, c), (d, e, f) = move
    return (a * p[0] + b * p[1] + c, d * p[0] + e * p[1] + f)


def _mapped_quad(move: Affine, quad: Quad) -> Quad:
    a, b, c, d = (mapped(move, p) for p in quad)
    return (a, b, c, d)
