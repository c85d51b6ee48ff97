"""The face of a Roche card: two tags, the signed code, an index that shows in a stagger, and a picture.

The picture is one L-shaped window that leaves the codes and half a millimetre round their quiet zones
alone. Day cards have a thin double border, night cards one thick one.
"""

from __future__ import annotations

from typing import Final

from companion.cards import ROCHE_CARDS, TAG_OF, RocheCard
from companion.codes import Code
from companion.geometry import MARGIN_MM, QR_QUIET_MM, TAG_MM, TAG_QUIET_MM, CardGeometry
from companion.printing.emblems import draw_emblem, draw_moon, draw_sun
from companion.printing.fonts import BOLD, TITLE
from companion.printing.marks import draw_qr, draw_tag
from companion.printing.names import CARD_NAMES
from companion.printing.palette import PALETTES, PAPER, Palette
from companion.printing.pen import Path, Pen, polygon, rectangle
from companion.printing.scenes import draw_scene

CLEAR_MM: Final = 0.6  # between art and a quiet zone
_TAG_END: Final = MARGIN_MM + TAG_MM + 2 * TAG_QUIET_MM  # 19 mm: where the first tag's quiet zone ends
_INDEX_TOP: Final = 4.6


def draw_roche_face(pen: Pen, geometry: CardGeometry, code: Code) -> None:
    """Draw a card's face with its top-left corner at the origin."""
    card = ROCHE_CARDS[code.id]
    palette = PALETTES[card.rank]
    pen.fill(rectangle(0, 0, geometry.width, geometry.height), PAPER)
    _border(pen, geometry, card, palette)
    with pen.clip(window(geometry)):
        draw_scene(pen, geometry, card, palette)
    _window_frame(pen, geometry, card, palette)
    _column(pen, geometry, card, palette)
    _name_plate(pen, geometry, card, palette)
    _index(pen, geometry, card, palette)
    draw_codes(pen, geometry, code)


def draw_codes(pen: Pen, geometry: CardGeometry, code: Code) -> None:
    """Draw the signed code and both tags of any card."""
    tag = TAG_OF[code.id]
    draw_tag(pen, tag, geometry.first_tag)
    draw_tag(pen, tag, geometry.second_tag, upside_down=True)
    draw_qr(pen, code, geometry.qr)


def window(geometry: CardGeometry) -> Path:
    """Return the picture's outline: all that the codes leave, inside the border."""
    left, right = MARGIN_MM + 0.3, geometry.width - MARGIN_MM - 0.3
    bottom = geometry.height - MARGIN_MM - 0.3
    top = _TAG_END + CLEAR_MM
    qr_left = geometry.qr.x - QR_QUIET_MM - CLEAR_MM
    qr_bottom = geometry.qr.y + geometry.qr.height + QR_QUIET_MM + CLEAR_MM
    tag_left = geometry.second_tag.x - TAG_QUIET_MM - CLEAR_MM
    tag_top = geometry.second_tag.y - TAG_QUIET_MM - CLEAR_MM
    return polygon(
        [
            (left, top),
            (qr_left, top),
            (qr_left, qr_bottom),
            (right, qr_bottom),
            (right, tag_top),
            (tag_left, tag_top),
            (tag_left, bottom),
            (left, bottom),
        ]
    )


def _border(pen: Pen, geometry: CardGeometry, card: RocheCard, palette: Palette) -> None:
    def ring(inset: float, width: float, color: str) -> None:
        box = rectangle(inset, inset, geometry.width - 2 * inset, geometry.height - 2 * inset)
        pen.stroke(box, color, width)

    if card.half == "day":
        ring(1.5, 0.4, palette.main)
        ring(2.6, 0.4, palette.main)
    else:
        ring(2.05, 1.9, palette.dark)


def _window_frame(pen: Pen, geometry: CardGeometry, card: RocheCard, palette: Palette) -> None:
    color = palette.main if card.half == "day" else palette.dark
    pen.stroke(window(geometry), color, 0.35)


def _column(pen: Pen, geometry: CardGeometry, card: RocheCard, palette: Palette) -> None:
    """The big rank, over the sky under the first tag."""
    color = palette.main if card.half == "day" else palette.light
    left = MARGIN_MM + 0.3
    right = geometry.qr.x - QR_QUIET_MM - CLEAR_MM
    pen.numeral((left + right) / 2, 33.4, str(card.rank), 11.5, color, font=TITLE)


def _index(pen: Pen, geometry: CardGeometry, card: RocheCard, palette: Palette) -> None:
    """Rank, emblem, day or night and number between tag and code: it shows in a staggered stack."""
    cx = (_TAG_END + geometry.qr.x - QR_QUIET_MM) / 2
    color = palette.main if card.half == "day" else palette.dark
    pen.numeral(cx, _INDEX_TOP + 3.2, str(card.rank), 3.2, color, font=BOLD)
    draw_emblem(pen, card.rank, cx, _INDEX_TOP + 5.6, 1.45, color, PAPER)
    sign = draw_sun if card.half == "day" else draw_moon
    sign(pen, cx, _INDEX_TOP + 9.1, 1.4, color)
    pen.numeral(cx, _INDEX_TOP + 13.9, str(card.number), 2.6, color, font=BOLD)


def _name_plate(pen: Pen, geometry: CardGeometry, card: RocheCard, palette: Palette) -> None:
    """Name, suit and number in the window's foot, left of the second tag."""
    left, right = MARGIN_MM + 0.3, geometry.second_tag.x - TAG_QUIET_MM - CLEAR_MM
    cx, bottom = (left + right) / 2, geometry.height - MARGIN_MM - 0.3
    ink, soft = (palette.dark, palette.main) if card.half == "day" else (palette.light, palette.accent)
    pen.text(cx, bottom - 6.6, CARD_NAMES[card.id], 4.1, ink, font=TITLE, align="center", fit=right - left - 3)
    half = card.half.upper()
    line = f"{card.suit_name.upper()}  ·  {half} {card.number}"
    pen.text(cx, bottom - 2.6, line, 2.7, soft, font=BOLD, align="center", spacing=0.25)
