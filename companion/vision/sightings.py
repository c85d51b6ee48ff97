"""What was detected in one picture, as small frozen values without pixels."""

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
    """A decoded QR code."""

    text: str
    corners: Quad


@dataclass(frozen=True, slots=True)
class TagSeen:
    """A decoded corner tag.

    Attributes:
        number: 0-586.
        corners: of the black square.
        errors: number of corrected bits, 0-2.
    """

    number: int
    corners: Quad
    errors: int = 0


@dataclass(frozen=True, slots=True)
class CardSighting:
    """A card in the picture.

    Attributes:
        id: the card's id; None if it is `unreadable`.
        deck: the deck's id as claimed by the code; None if no code was read.
        status: as defined in the contract. Only `ok` proves that the card is genuine.
        corners: of the QR code if it was read, else of the tag, else the outline.
        outline: of the whole card; None if its size is unknown.
        tags: numbers of the corner tags that were read on it.
        visible: 1.0 if it was read now or nothing has changed there since; while something covers it, the unchanged
            share.
        rest_since: time (s) of the last motion over it before it was first read, in a video. For a card with a code or
            tag it is set only for a moment after the first reading.
    """

    id: str | None
    deck: str | None
    status: CardStatus
    corners: Quad
    outline: Quad | None = None
    tags: tuple[int, ...] = ()
    visible: float = 1.0
    rest_since: float | None = field(default=None, compare=False)

    @property
    def center(self) -> Point:
        """The center of the card, or of its code if the outline is unknown."""
        return center_of(self.outline or self.corners)


@dataclass(frozen=True, slots=True)
class TokenSighting:
    """A suit token or the leader button. `deck` is None if only the tag was decoded."""

    id: str
    corners: Quad
    deck: str | None = None
    visible: float = 1.0

    @property
    def center(self) -> Point:
        return center_of(self.corners)


@dataclass(frozen=True, slots=True)
class FrameReading:
    """Everything that was detected in one picture.

    Attributes:
        size: (width, height) in pixels.
        warnings: for people, each begins with its kind: "forged: …", "duplicate: …".
        moving: whether something moves in the picture.
        mat_tags: tags of the mat, for calibration.
        chip_tags: tags of printed chips.
        motion: bool (rows, columns), the moving cells of `companion.vision.live.change.CELL_PX` pixels; None if not
            measured, as in a still picture.
        unread_since: time (s) at which the first possible card that is not decoded yet came to rest, or None.
        unsure: outlines (px) of codes and tags that may still be there although nothing of them is visible: the
            picture changed abruptly, or paper covers them. Their cards are not in ``cards``, but not gone either.
        cut: whether the picture does not continue the previous one, so that no object can be tracked across.
        unread_objects: new card-shaped objects without a reading, status `unreadable`: a back, a blank or damaged
            card, a deck that was put down.
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
    unread_objects: tuple[CardSighting, ...] = field(default=(), compare=False)


def center_of(quad: Quad) -> Point:
    """Return the mean of four points.

    >>> center_of(((0, 0), (4, 0), (4, 2), (0, 2)))
    (2.0, 1.0)
    """
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad
    return ((ax + bx + cx + dx) / 4, (ay + by + cy + dy) / 4)


def scaled(quad: Quad, factor: float) -> Quad:
    """Return a quad scaled about the mean of its points.

    >>> scaled(((0, 0), (4, 0), (4, 2), (0, 2)), 2)
    ((-2.0, -1.0), (6.0, -1.0), (6.0, 3.0), (-2.0, 3.0))
    """
    x, y = center_of(quad)
    a, b, c, d = ((x + factor * (px - x), y + factor * (py - y)) for px, py in quad)
    return a, b, c, d


def is_within(point: Point, quad: Quad) -> bool:
    """Whether a point lies in a convex quad or on its border.

    >>> is_within((1, 2), ((0, 0), (4, 0), (4, 2), (0, 2)))
    True
    """
    return cv2.pointPolygonTest(to_points(quad), point, False) >= 0


def to_quad(points: Points) -> Quad:
    """Return float32 (4, 2) points as a quad, rounded to a hundredth of a pixel."""
    a, b, c, d = ((round(float(x), 2), round(float(y), 2)) for x, y in np.asarray(points).reshape(4, 2))
    return (a, b, c, d)


def to_points(quad: Quad) -> Points:
    """Return a quad as float32 (4, 2)."""
    return np.array(quad, np.float32)


def moved(quad: Quad, dx: float, dy: float, scale: float = 1.0) -> Quad:
    """Return a quad of an enlarged crop in pixels of the whole picture.

    Args:
        dx, dy: position of the crop in the picture, px.
        scale: enlargement of the crop.

    >>> moved(((0, 0), (8, 0), (8, 8), (0, 8)), 100, 10, 2.0)
    ((100.0, 10.0), (104.0, 10.0), (104.0, 14.0), (100.0, 14.0))
    """
    return to_quad(to_points(quad) / scale + np.array([dx, dy], np.float32))
