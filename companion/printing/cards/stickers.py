"""Labels that turn an ordinary card into one the camera knows.

The large label is exactly the codes' part of a poker card: tag and QR code lie on it as far apart as on a
printed card, so stuck on 4 mm from the card's top and left edges it makes one. The small label is the
second tag, for the opposite corner, 4 mm from both edges.
"""

from __future__ import annotations

from typing import Final

from companion.objects.decks import Deck
from companion.objects.designs import DeckArt
from companion.objects.geometry import MARGIN_MM, POKER, QR_MM, QR_QUIET_MM, TAG_MM, TAG_QUIET_MM, Box
from companion.printing.cards.marks import draw_qr, draw_tag
from companion.printing.pen import Pen, polygon, rectangle

LABEL_WIDTH: Final = POKER.width - 2 * MARGIN_MM
LABEL_HEIGHT: Final = QR_MM + 2 * QR_QUIET_MM
TAG_LABEL: Final = TAG_MM + 2 * TAG_QUIET_MM
LABEL_GAP: Final = 3.0
STICKER_WIDTH: Final = LABEL_WIDTH + LABEL_GAP + TAG_LABEL
STICKER_HEIGHT: Final = LABEL_HEIGHT
HOW_TO_STICK: Final = (
    "Stick the large label 4 mm from the card's left and top edges, "
    "the small one 4 mm from its right and bottom edges, arrow up."
)
_CUT_GREY: Final = "#B9B9C0"


def draw_sticker(pen: Pen, *, deck: Deck, art: DeckArt, card: str) -> None:
    """Draw both labels of a card, the large one with its top-left corner at the origin."""
    tag = deck.tag(card)
    small = Box(LABEL_WIDTH + LABEL_GAP, LABEL_HEIGHT - TAG_LABEL, TAG_LABEL, TAG_LABEL)
    with pen.at(-MARGIN_MM, -MARGIN_MM):
        art.index(pen, POKER, card)
        draw_tag(pen, tag, POKER.first_tag)
        draw_qr(pen, deck.code(card), POKER.qr)
    inner = Box(small.x + TAG_QUIET_MM, small.y + TAG_QUIET_MM, TAG_MM, TAG_MM)
    draw_tag(pen, tag, inner, upside_down=True)
    for label in (Box(0, 0, LABEL_WIDTH, LABEL_HEIGHT), small):
        pen.stroke(rectangle(label.x, label.y, label.width, label.height), _CUT_GREY, 0.12)
    _arrow(pen, small.x + TAG_LABEL / 2, small.y - 2.2, card)


def _arrow(pen: Pen, x: float, y: float, name: str) -> None:
    """Outside the small label: which card it belongs to, and which of its sides is up."""
    pen.text(x, y - 2.4, name, 3.0, "#6A6A72", align="center")
    pen.fill(polygon([(x - 1.1, y), (x + 1.1, y), (x, y - 1.6)]), "#6A6A72")
