"""Stable observations: what the tracker reports, and the resulting `TrackedTable`.

Positions are pixels of the camera's picture, times are seconds of the camera's clock.
"""

from dataclasses import dataclass, field
from typing import Final, Literal

from companion.tracking.chips import TrackedChip
from companion.vision.sightings import CardStatus, Point, Quad

_SAME_S: Final = 0.02  # plus one frame: the order of rests that close together is unknown

Whereabouts = Literal["open", "covered", "hidden"]
"""``open``: seen; ``covered``: under another card; ``hidden``: out of sight (hand, glare) but not known to be gone."""

Found = Literal["", "start", "return"]
"""Whether the card's arrival was unseen: it was there when the camera started, or when it returned. Empty: seen."""


@dataclass(frozen=True, slots=True)
class Observation:
    """Base of all observations. ``track`` is the number of the physical card for as long as it is tracked."""

    track: int
    id: str | None
    t: float


@dataclass(frozen=True, slots=True)
class CardSettled(Observation):
    """A card came to rest, or a resting card known only by its tags was verified by its code."""

    deck: str | None
    status: CardStatus
    corners: Quad
    outline: Quad | None
    votes: int
    rest_since: float


@dataclass(frozen=True, slots=True)
class CardMoved(Observation):
    """A settled card now rests somewhere else."""

    corners: Quad
    outline: Quad | None


@dataclass(frozen=True, slots=True)
class CardCovered(Observation):
    """A card is covered by a later one, track ``by``."""

    by: int


@dataclass(frozen=True, slots=True)
class CardGone(Observation):
    """A settled card or stranger was removed from the table."""


@dataclass(frozen=True, slots=True)
class StrangerSeen(Observation):
    """Something card-like rests on the table that must not be played."""

    deck: str | None
    status: CardStatus
    corners: Quad
    outline: Quad | None


@dataclass(frozen=True, slots=True)
class Duplicate(Observation):
    """Two cards with the same identity lie on the table at the same time. ``track`` is the later one."""

    tracks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Conflict(Observation):
    """One card reads in two ways. ``other`` is the second reading: a card, a deck, or ``forged``/``foreign``."""

    other: str


@dataclass(frozen=True, slots=True)
class LyingCard:
    """A card, or a card-like object, at rest on the table.

    Attributes:
        track: the track's number.
        status: of the whole track: `ok` once its signed code was read.
        first_seen: when it came into view, moving or not.
        rest_since: when it came to rest, read or not.
        settled: when the rest was certain.
        moved: when it last came to rest somewhere else, or `settled`.
        twin_of: an earlier track with the same identity that lies there at the same time.
        disputed: the second reading, if it reads in two ways.
        zone: its mat zone; None outside all zones, or without a known mat.
        astride: the zones that it straddles, if its zone is ambiguous.
        cover: the track of the card that covers it.
        is_under: whether that card lies in almost the same place, not offset as in a staggered stack.
        is_absent: whether it is neither seen nor remembered by the reader.
        buried_s: how long it was completely out of sight under `cover`; time with motion counts less.
        on_mat: its corners on the mat, mm; None without a known mat.
    """

    track: int
    id: str | None
    deck: str | None
    status: CardStatus
    corners: Quad
    outline: Quad | None
    first_seen: float
    rest_since: float
    settled: float
    moved: float
    votes: int
    where: Whereabouts = "open"
    found: Found = ""
    twin_of: int | None = None
    disputed: str | None = None
    zone: str | None = None
    astride: tuple[str, ...] = ()
    cover: int | None = None
    is_under: bool = False
    is_absent: bool = False
    buried_s: float = 0.0
    on_mat: Quad | None = None


@dataclass(frozen=True, slots=True)
class LyingToken:
    """A suit token or the leader button.

    Attributes:
        track: the token's number, which it keeps.
        id: ``T6`` or ``LDR``.
        corners: of its tag, or of the code on its back, px.
        rest_since: when it came to rest in its present place.
        settled: when its first rest was certain.
        moved: when it last came to rest somewhere else, or when it first did.
        where: `hidden` under a hand or in glare, `covered` by a card.
        zone: its mat zone; None outside all zones, or without a known mat.
        way: distance of its latest move, in its own widths; 0 if it never moved.
        twin: whether another token with the same id is on the table.
    """

    track: int
    id: str
    corners: Quad
    rest_since: float
    settled: float
    moved: float
    where: Whereabouts = "open"
    zone: str | None = None
    way: float = 0.0
    twin: bool = False


@dataclass(frozen=True, slots=True)
class Movement:
    """Motion in one frame, mostly of an arm.

    Attributes:
        t: the frame's time.
        seat: the seat it is attributed to; None if unknown.
        zones: the zones with motion, each with the share of its area that moved.
        tip: its end farthest from that seat, mm on the mat: the fingers or what they hold; None without a seat.
    """

    t: float
    seat: int | None
    zones: tuple[tuple[str, float], ...] = ()
    tip: Point | None = None

    def share(self, zone: str) -> float:
        """Return the share of a zone that moved."""
        return next((share for name, share in self.zones if name == zone), 0.0)


@dataclass(frozen=True, slots=True)
class MotionLog:
    """Motion of the last seconds, oldest first; ``last`` is the time of the latest motion anywhere in the picture."""

    log: tuple[Movement, ...] = ()
    last: float = float("-inf")


@dataclass(frozen=True, slots=True)
class Arriving:
    """A card-like object that has not settled. ``rest_since`` is updated while it moves."""

    track: int
    id: str | None
    status: CardStatus
    first_seen: float
    rest_since: float
    seen: float
    votes: int
    corners: Quad | None = None


@dataclass(frozen=True, slots=True)
class TrackedTable:
    """Everything on the table at one moment; cards in the order in which they came to rest."""

    t: float = 0.0
    lying: tuple[LyingCard, ...] = ()
    arriving: tuple[Arriving, ...] = ()
    tokens: tuple[LyingToken, ...] = ()
    lost: tuple[LyingToken, ...] = ()
    "Tokens removed from the table, in their last positions."
    chips: tuple[TrackedChip, ...] = ()
    "Printed chips on the mat, in games that use them."
    mat: str | None = None
    "The mat whose zones are known."
    motion: MotionLog = field(default_factory=MotionLog)
    step_s: float = 0.0
    "Time since the previous frame."
    unread_since: float | None = None
    "Rest time of the earliest region that may be a card and is not decoded yet."

    def came_at_once(self, card: LyingCard, other: LyingCard) -> bool:
        """Whether two cards came to rest in the same frame, or in consecutive frames."""
        return abs(other.rest_since - card.rest_since) <= self.step_s + _SAME_S

    def hides_before(self, card: LyingCard, within_s: float = 0.0) -> bool:
        """Whether an undecoded region came to rest before this card or together with it.

        It may be a card, so the order is unknown until it is decoded.

        Args:
            within_s: a region up to this much later still counts as together.
        """
        together_s = max(within_s, self.step_s + _SAME_S)
        return self.unread_since is not None and self.unread_since <= card.rest_since + together_s
