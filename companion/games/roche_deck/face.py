"""The face of a Roche card: two tags, the signed code, an index that shows in a stagger, and a picture.

The picture is one L-shaped window that leaves the codes and half a millimetre round their quiet zones
alone. Day cards have a thin double border, night cards one thick one.
"""

from __future__ import annotations

from typing import Final

from companion.games.roche_deck.emblems import draw_emblem
from companion.games.roche_deck.landscapes import draw_landscape
from companion.games.roche_deck.names import CARD_NAMES
from companion.objects.cards import SUIT_CARDS, SuitCard
from companion.objects.geometry import CardGeometry
from companion.printing.cards.emblems import draw_moon, draw_sun
from companion.printing.cards.palette import PALETTES, PAPER, Palette
from companion.printing.cards.window import INSET_MM, column, index_middle, panel, plate, window
from companion.printing.fonts import BOLD, TITLE
from companion.printing.pen import Pen, rectangle

_INDEX_TOP: Final = 4.6
PLATE_MM: Final = 16.4  # name plate, from the card's foot


def draw_face(pen: Pen, geometry: CardGeometry, card_id: str) -> None:
    """Draw a card's face with its top-left corner at the origin."""
    card = SUIT_CARDS[card_id]
    palette = PALETTES[card.rank]
    pen.fill(rectangle(0, 0, geometry.width, geometry.height), PAPER)
    _border(pen, geometry, card, palette)
    with pen.clip(window(geometry)):
        draw_landscape(pen, panel(geometry), card, palette)
        _plate_ground(pen, geometry, card, palette)
    pen.stroke(window(geometry), palette.main if card.half == "day" else palette.dark, 0.35)
    _rank(pen, geometry, card, palette)
    _name(pen, geometry, card, palette)
    _index(pen, geometry, card, palette)


def _border(pen: Pen, geometry: CardGeometry, card: SuitCard, palette: Palette) -> None:
    def ring(inset: float, width: float, color: str) -> None:
        pen.stroke(rectangle(inset, inset, geometry.width - 2 * inset, geometry.height - 2 * inset), color, width)

    if card.half == "day":
        ring(1.5, 0.4, palette.main)
        ring(2.6, 0.4, palette.main)
    else:
        ring(2.05, 1.9, palette.dark)


def _rank(pen: Pen, geometry: CardGeometry, card: SuitCard, palette: Palette) -> None:
    """The large rank, and under it as many suns or moons as the card's number."""
    box, day = column(geometry), card.half == "day"
    color = palette.main if day else palette.light
    cx = box.x + box.width / 2
    pen.numeral(cx, box.y + 13.6, str(card.rank), 11.2, color, font=TITLE)
    for i in range(card.number):
        x = cx + (i - (card.number - 1) / 2) * 2.35
        (draw_sun if day else draw_moon)(pen, x, box.y + 17.2, 1.05, color)


def _index(pen: Pen, geometry: CardGeometry, card: SuitCard, palette: Palette) -> None:
    """Rank, emblem, day or night and number between tag and code: it shows in a staggered stack."""
    cx, day = index_middle(geometry), card.half == "day"
    color = palette.main if day else palette.dark
    pen.numeral(cx, _INDEX_TOP + 3.2, str(card.rank), 3.2, color, font=TITLE)
    draw_emblem(pen, card.rank, cx, _INDEX_TOP + 5.6, 1.45, color, PAPER)
    (draw_sun if day else draw_moon)(pen, cx, _INDEX_TOP + 9.1, 1.4, color)
    pen.numeral(cx, _INDEX_TOP + 13.9, str(card.number), 2.7, color, font=TITLE)


def _plate_ground(pen: Pen, geometry: CardGeometry, card: SuitCard, palette: Palette) -> None:
    top, day = geometry.height - PLATE_MM, card.half == "day"
    pen.fill(rectangle(0, top, geometry.width, PLATE_MM), palette.light if day else palette.dark)
    pen.line(0, top, geometry.width, top, palette.main if day else palette.accent, 0.3)


def _name(pen: Pen, geometry: CardGeometry, card: SuitCard, palette: Palette) -> None:
    """Name, suit, half and number on the plate."""
    box, day = plate(geometry), card.half == "day"
    ink, soft = (palette.dark, palette.main) if day else (palette.light, palette.accent)
    cx, bottom = box.x + box.width / 2, geometry.height - INSET_MM
    pen.text(cx, bottom - 6.4, CARD_NAMES[card.id], 4.1, ink, font=TITLE, align="center", fit=box.width - 3)
    line = f"{card.suit_name.upper()}  ·  {card.half.upper()} {card.number}"
    pen.text(cx, bottom - 2.5, line, 2.7, soft, font=BOLD, align="center", spacing=0.25)


def draw_index(pen: Pen, geometry: CardGeometry, card_id: str) -> None:
    """Draw a card's index, the small one in the strip and a larger one under the tag: all a label has room for."""
    card = SUIT_CARDS[card_id]
    palette = PALETTES[card.rank]
    color = palette.main if card.half == "day" else palette.dark
    box = column(geometry)
    _index(pen, geometry, card, palette)
    pen.numeral(box.x + 4.6, box.y + 9.6, str(card.rank), 7.6, color, font=TITLE)
    draw_emblem(pen, card.rank, box.x + 12.4, box.y + 6.0, 3.4, color, PAPER)
    cx = box.x + 8.2
    for i in range(card.number):
        x = cx + (i - (card.number - 1) / 2) * 2.2
        (draw_sun if card.half == "day" else draw_moon)(pen, x, box.y + 12.6, 1.0, color)
    pen.text(cx, box.y + 17.6, CARD_NAMES[card.id], 2.6, color, font=TITLE, align="center", fit=16.4)
