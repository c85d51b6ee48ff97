"""Detections in one picture, as small frozen values without pixels."""

from dataclasses import dataclass, field
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Points

CardStatus = Literal["ok", "tag", "forged", "foreign", "unreadable"]
Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]
"""Four points, pixels (x, y), clockwise from the printed thing's own top left."""


@dataclass(frozen=True, slots=True)
class CodeSeen:
    """A decoded QR code: its text and its corners."""

    text: str
    corners: Quad


@dataclass(frozen=True, slots=True)
class TagSeen:
    """A decoded corner tag.

    Attributes:
        number: 0-586.
        corners: of the black square.
        errors: bits that had to be corrected, 0-2.
    """

    number: int
    corners: Quad
    errors: int = 0


@dataclass(frozen=True, slots=True)
class CardSighting:
    """A card in the picture.

    Attributes:
        id: the card's id; None for `unreadable`.
        deck: the deck's id as the code claims it; None where no code was read.
        status: the contract's word. Only `ok` proves anything.
        corners: of the QR code if that was read, else of the tag, else the outline.
        outline: the whole card, None where its size is not known.
        tags: numbers of the corner tags that were read on it.
        visible: 1.0 if it was read now or nothing has changed there since; less while something
            covers it, the share that is unchanged.
        lain_since: when something moved last where its code or tag lies, before it was first read there, seconds;
            told for a moment after that only, by a reader that knows.
    """

    id: str | None
    deck: str | None
    status: CardStatus
    corners: Quad
    outline: Quad | None = None
    tags: tuple[int, ...] = ()
    visible: float = 1.0
    lain_since: float | None = field(default=None, compare=False)

    @property
    def center(self) -> Point:
        """The middle of the card, or of its code where the outline is not known."""
        return center_of(self.outline or self.corners)


@dataclass(frozen=True, slots=True)
class TokenSighting:
    """A suit token or the leader button. `deck` is None if only its tag was decoded."""

    id: str
    corners: Quad
    deck: str | None = None
    visible: float = 1.0

    @property
    def center(self) -> Point:
        return center_of(self.corners)


@dataclass(frozen=True, slots=True)
class FrameReading:
    """Everything one picture shows.

    Attributes:
        size: (width, height) in pixels.
        warnings: for people, each begins with its kind: "forged: …", "duplicate: …".
        moving: something moves in the picture.
        mat_tags: tags of the mat, for calibration.
        chip_tags: tags of printed chips.
        motion: bool (rows, columns), what moves, in cells of `companion.vision.live.change.CELL_PX` pixels; None if the
            reader does not tell.
        unread_since: rest time, seconds, of the first object that may be a card and was not
            decoded yet; None if there are none.
        unsure: places (px) of codes and tags that may lie there yet though nothing of them can be seen: the picture
            changed abruptly, or paper lies over them. Their cards are not among ``cards``, and not gone either.
        cut: the picture does not continue the one before it; nothing can have been followed from there.
        things: card-like new objects without a reading, `unreadable`: a back, a blank or spoilt card. A deck that
            is put down is one, too.
    """

    size: tuple[int, int]
    cards: tuple[CardSighting, ...] = ()
    tokens: tuple[TokenSighting, ...] = ()
    warnings: tuple[str, ...] = ()
    moving: bool = False
    mat_tags: tuple[TagSeen, ...] = ()
    chip_tags: tuple[TagSeen, ...] = ()
    motion: NDArray[np.bool_] | None = field(default=None, compare=False, repr=False)
    unread_since: float | None = field(default=None, compare=False)
    unsure: tuple[Quad, ...] = field(default=(), compare=False)
    cut: bool = field(default=False, compare=False)
    things: tuple[CardSighting, ...] = field(default=(), compare=False)


def center_of(quad: Quad) -> Point:
    """Return the mean of four points.

    >>> center_of(((0, 0), (4, 0), (4, 2), (0, 2)))
    (2.0, 1.0)
    """
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad
    return ((ax + bx + cx + dx) / 4, (ay + by + cy + dy) / 4)


def scaled(quad: Quad, factor: float) -> Quad:
    """Return four points moved away from their mean, or towards it.

    >>> scaled(((0, 0), (4, 0), (4, 2), (0, 2)), 2)
    ((-2.0, -1.0), (6.0, -1.0), (6.0, 3.0), (-2.0, 3.0))
    """
    x, y = center_of(quad)
    a, b, c, d = ((x + factor * (px - x), y + factor * (py - y)) for px, py in quad)
    return a, b, c, d


def is_within(point: Point, quad: Quad) -> bool:
    """Say whether a point lies in a convex quad, or on its rim.

    >>> is_within((1, 2), ((0, 0), (4, 0), (4, 2), (0, 2)))
    True
    """
    return cv2.pointPolygonTest(to_points(quad), point, False) >= 0


def to_quad(points: Points) -> Quad:
    """Return float32 (4, 2) points as plain numbers, rounded to a hundredth of a pixel."""
    a, b, c, d = ((round(float(x), 2), round(float(y), 2)) for x, y in np.asarray(points).reshape(4, 2))
    return (a, b, c, d)


def to_points(quad: Quad) -> Points:
    """Return a quad as float32 (4, 2)."""
    return np.array(quad, np.float32)


def moved(quad: Quad, dx: float, dy: float, scale: float = 1.0) -> Quad:
    """Return a quad found in an enlarged crop in the whole picture's pixels.

    >>> moved(((0, 0), (8, 0), (8, 8), (0, 8)), 100, 10, 2.0)
    ((100.0, 10.0), (104.0, 10.0), (104.0, 14.0), (100.0, 14.0))
    """
    return to_quad(to_points(quad) / scale + np.array([dx, dy], np.float32))
