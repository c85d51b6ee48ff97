"""Print geometry of cards and tokens in millimetres, shared by the printer and the camera.

The origin is the top-left corner, x to the right, y down. Boxes exclude quiet zones.
"""

from dataclasses import dataclass
from typing import Final, Literal

CardSize = Literal["poker", "tarot"]
CardLayout = Literal["corner", "hand"]
"""Placement of the codes: ``corner``: the first tag in the corner; ``hand``: with a column outside it for the index."""

QR_MM: Final = 30.0
QR_MODULES: Final = 21
QR_QUIET_MM: Final = 3.0  # 2.1 modules
HAND_QR_QUIET_MM: Final = 2.86  # 2 modules
TAG_MM: Final = 12.0  # the black square; 8 x 8 modules
TAG_QUIET_MM: Final = 1.5
MARGIN_MM: Final = 4.0  # border art; codes and their quiet zones stay inside
STAGGER_MM: Final = 21.0  # minimum visible part of each card in a staggered stack, so that its first tag is seen
HAND_MARGIN_MM: Final = 2.1  # border art of the ``hand`` layout, narrower because the index is outermost
INDEX_MM: Final = 14.0  # width of the index: what shows of each card in a hand held as a fan


@dataclass(frozen=True, slots=True)
class Box:
    """An axis-parallel rectangle, mm."""

    x: float
    y: float
    width: float
    height: float

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """The corners, clockwise from the top left."""
        right, bottom = self.x + self.width, self.y + self.height
        return ((self.x, self.y), (right, self.y), (right, bottom), (self.x, bottom))


@dataclass(frozen=True, slots=True)
class CardGeometry:
    """A card's size and the positions of its codes.

    The second tag is printed upside down in the opposite corner: rotated by 180 degrees, the card's tags look the same,
    so either tag determines the card's outline.
    """

    size: CardSize
    width: float
    height: float
    layout: CardLayout = "corner"

    @property
    def first_tag(self) -> Box:
        inset = MARGIN_MM + TAG_QUIET_MM
        return Box(inset if self.layout == "corner" else _HAND_TAG_X, inset, TAG_MM, TAG_MM)

    @property
    def second_tag(self) -> Box:
        first = self.first_tag
        return Box(self.width - first.x - TAG_MM, self.height - first.y - TAG_MM, TAG_MM, TAG_MM)

    @property
    def qr_quiet(self) -> float:
        """The width of the code's quiet zone, mm."""
        return QR_QUIET_MM if self.layout == "corner" else HAND_QR_QUIET_MM

    @property
    def qr(self) -> Box:
        """The code without its quiet zone, in the top right."""
        if self.layout == "corner":
            return Box(self.width - MARGIN_MM - QR_QUIET_MM - QR_MM, MARGIN_MM + QR_QUIET_MM, QR_MM, QR_MM)
        inset = HAND_MARGIN_MM + HAND_QR_QUIET_MM
        return Box(self.width - inset - QR_MM, inset, QR_MM, QR_MM)


_HAND_TAG_X: Final = 13.1
"""The maximum on a poker card: leaves two white modules between tag and code; all the rest is for the index."""

POKER: Final = CardGeometry("poker", 63.0, 88.0)
TAROT: Final = CardGeometry("tarot", 70.0, 120.0)
CARD_GEOMETRY: Final[dict[CardSize, CardGeometry]] = {"poker": POKER, "tarot": TAROT}
HAND_POKER: Final = CardGeometry("poker", 63.0, 88.0, "hand")
HAND_TAROT: Final = CardGeometry("tarot", 70.0, 120.0, "hand")
GEOMETRIES: Final = (POKER, TAROT, HAND_POKER, HAND_TAROT)
"""All geometries of printed cards."""


def geometry_of(size: CardSize, layout: CardLayout) -> CardGeometry:
    """Return the geometry of a card.

    >>> geometry_of("tarot", "hand").first_tag.x
    13.1
    """
    return next(one for one in GEOMETRIES if (one.size, one.layout) == (size, layout))


TOKEN_MM: Final = 40.0
TOKEN_TAG_MM: Final = 16.0  # token face: tag and emblem; the QR code is on the back
TOKEN_QR_MM: Final = 23.0  # with a quiet zone of two modules it just fits the 40 mm disk
