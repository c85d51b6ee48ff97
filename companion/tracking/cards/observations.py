"""Stable observations: what the tracker reports, and the resulting `TrackedTable`.

Positions are pixels of the camera's picture, times are seconds of the camera's clock.
"""

from dataclasses import dataclass, field
from typing import Final, Literal

from companion.tracking.chips import ChipLying
from companion.vision.sightings import CardStatus, Point, Quad

_SAME_S: Final = 0.02  # and a frame: what comes to rest that close together cannot be told apart

Whereabouts = Literal["open", "covered", "hidden"]
"""Read now; under another card; out of sight (under a hand, in glare) but not known to be gone."""

Found = Literal["", "start", "return"]
"""Whether nobody saw the card arrive: it lay there when the camera started, or when it came back."""


@dataclass(frozen=True, slots=True)
class Observation:
    """Base of all observations. ``track`` numbers the physical card for as long as it is followed."""

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
    """A card lies under a later one."""

    by: int


@dataclass(frozen=True, slots=True)
class CardGone(Observation):
    """A settled card, or a stranger, was taken off the table."""


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
    """One card reads two ways. ``other`` is what it also reads as (an id, or ``forged``/``foreign``)."""

    other: str


@dataclass(frozen=True, slots=True)
class Lying:
    """A card, or a card-like object, at rest on the table.

    Attributes:
        track: its number.
        status: of the whole track: `ok` once its signed code was read on it.
        first_seen: when it came into view, moving or not.
        rest_since: when it came to rest, read or not.
        settled: when that was certain.
        moved: when it last came to rest somewhere else, or `settled`.
        twin_of: another track of the same identity that lies open at the same time.
        disputed: what it also reads as, if it reads two ways.
        zone: the mat's zone that it lies in; None beside all zones, or where no mat is known.
        astride: the zones that it lies half on, if it is not clear in which it lies.
        cover: the track of the card that it lies under.
        is_under: that card lies just where this one lay, not one step further.
        is_absent: nothing of it is seen or remembered by the reader.
        buried_s: how long nothing at all was seen of it there, in time in which nothing moved.
        on_mat: its corners on the mat, mm; None where no mat is known.
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
class TokenLying:
    """A suit token or the leader button.

    Attributes:
        track: its number; the same token keeps it.
        id: ``T6`` or ``LDR``.
        corners: of its tag (or of the code on its back).
        rest_since: when it came to rest where it is.
        settled: when that was certain.
        moved: when it last came to rest somewhere else, or `settled`.
        where: `hidden` under a hand or in glare, `covered` by a card.
        zone: the mat's zone that it lies in; None beside all zones, or where no mat is known.
        way: how far it moved the last time, in its own widths; 0 if it never did.
        twin: another one with the same id lies on the table too.
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
        seat: where it came into the picture; None if that is not known.
        zones: where it moved, with the share of the zone that moved.
        tip: where on the mat (mm) its far end was, seen from that seat: the fingers, or what they held.
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
    """Motion of the last seconds, oldest first; ``last`` is the time of any motion at all."""

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
    """Everything on the table at one moment, the first to settle first."""

    t: float = 0.0
    lying: tuple[Lying, ...] = ()
    arriving: tuple[Arriving, ...] = ()
    tokens: tuple[TokenLying, ...] = ()
    lost: tuple[TokenLying, ...] = ()
    "Tokens that were taken off the table, where they lay last."
    chips: tuple[ChipLying, ...] = ()
    "Printed chips on the mat, where they are followed."
    mat: str | None = None
    "The mat whose zones are known."
    motion: MotionLog = field(default_factory=MotionLog)
    step_s: float = 0.0
    "From the frame before to this one."
    unread_since: float | None = None
    "Rest time of the first region that may be a card and is not decoded yet."

    def came_at_once(self, card: Lying, other: Lying) -> bool:
        """Say whether two cards came to rest on the same picture, or on two that follow each other."""
        return abs(other.rest_since - card.rest_since) <= self.step_s + _SAME_S

    def hides_before(self, card: Lying, within_s: float = 0.0) -> bool:
        """Say whether an undecoded region settled before this card or together with it.

        It may be a card, so the order is unknown until it is decoded.

        Args:
            within_s: what comes so much later came together, too.
        """
        together_s = max(within_s, self.step_s + _SAME_S)
        return self.unread_since is not None and self.unread_since <= card.rest_since + together_s
