"""Labels that turn an ordinary card into one the camera knows.

The large label is exactly the codes' part of a poker card: tag and QR code lie on it as far apart as on a
printed card, so stuck on 4 mm from the card's top and left edges it makes one. The small label is the
second tag, for the opposite corner.
"""

from __future__ import annotations

from typing import Final

from companion.cards import TAG_OF
from companion.codes import Code
from companion.geometry import MARGIN_MM, POKER, QR_MM, QR_QUIET_MM, TAG_MM, TAG_QUIET_MM, Box
from companion.printing.marks import draw_qr, draw_tag
from companion.printing.pen import Pen

LABEL_WIDTH: Final = POKER.width - 2 * MARGIN_MM
LABEL_HEIGHT: Final = QR_MM + 2 * QR_QUIET_MM
TAG_LABEL: Final = TAG_MM + 2 * TAG_QUIET_MM
LABEL_GAP: Final = 3.0
STICKER_WIDTH: Final = LABEL_WIDTH + LABEL_GAP + TAG_LABEL
STICKER_HEIGHT: Final = LABEL_HEIGHT


def draw_sticker(pen: Pen, code: Code) -> None:
    """Draw both labels of a card, the large one with its top-left corner at the origin."""
    with pen.at(-MARGIN_MM, -MARGIN_MM):
        draw_tag(pen, TAG_OF[code.id], POKER.first_tag)
        draw_qr(pen, code, POKER.qr)
    x = LABEL_WIDTH + LABEL_GAP + TAG_QUIET_MM
    draw_tag(pen, TAG_OF[code.id], Box(x, LABEL_HEIGHT - TAG_LABEL + TAG_QUIET_MM, TAG_MM, TAG_MM), upside_down=True)
