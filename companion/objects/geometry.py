"""Print geometry of cards and tokens in millimetres, shared by the printer and the camera.

The origin is the top-left corner, x to the right, y down. Boxes exclude quiet zones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

CardSize = Literal["poker", "tarot"]

QR_MM: Final = 30.0
QR_MODULES: Final = 21
QR_QUIET_MM: Final = 3.0  # 2.1 modules
TAG_MM: Final = 12.0  # the black square; 8 x 8 modules
TAG_QUIET_MM: Final = 1.5
MARGIN_MM: Final = 4.0  # border art; codes and their quiet zones stay inside
STAGGER_MM: Final = 21.0  # what must show of each card in a stack so that its first tag is seen


@dataclass(frozen=True, slots=True)
class Box:
    """An upright rectangle, mm."""

    x: float
    y: float
    width: float
    height: float

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """Clockwise from the top left."""
        right, bottom = self.x + self.width, self.y + self.height
        return ((self.x, self.y), (right, self.y), (right, bottom), (self.x, bottom))


@dataclass(frozen=True, slots=True)
class CardGeometry:
    """A card's size and where its codes lie.

    The second tag is printed upside down in the opposite corner: turned by 180 degrees the card's tags
    look the same, so either tag gives the card's outline.
    """

    size: CardSize
    width: float
    height: float

    @property
    def first_tag(self) -> Box:
        inset = MARGIN_MM + TAG_QUIET_MM
        return Box(inset, inset, TAG_MM, TAG_MM)

    @property
    def second_tag(self) -> Box:
        inset = MARGIN_MM + TAG_QUIET_MM + TAG_MM
        return Box(self.width - inset, self.height - inset, TAG_MM, TAG_MM)

    @property
    def qr(self) -> Box:
        """The code without its quiet zone, in the top right."""
        return Box(self.width - MARGIN_MM - QR_QUIET_MM - QR_MM, MARGIN_MM + QR_QUIET_MM, QR_MM, QR_MM)


POKER: Final = CardGeometry("poker", 63.0, 88.0)
TAROT: Final = CardGeometry("tarot", 70.0, 120.0)
CARD_GEOMETRY: Final[dict[CardSize, CardGeometry]] = {"poker": POKER, "tarot": TAROT}

TOKEN_MM: Final = 40.0
TOKEN_TAG_MM: Final = 16.0  # token face: tag and emblem; the QR code is on the back
TOKEN_QR_MM: Final = 23.0  # with two modules of quiet zone it just fits the 40 mm disk
