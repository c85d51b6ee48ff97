"""The face of a Roche card: an index for the hand, two tags, the signed code, and a picture.

The index (suit, half and number) stands outermost, in a column of 14 mm that a fan of cards shows; inside of it comes
the first tag, then the code. Turned round the card has index and tag in the same places. The picture is one window that
leaves index and codes, and half a millimetre round their quiet zones, alone. Day cards have a thin double border, night
cards one thick one.
"""

from typing import Final

from companion.games.roche_deck.emblems import draw_emblem
from companion.games.roche_deck.landscapes import draw_landscape
from companion.games.roche_deck.names import CARD_NAMES
from companion.kernel.messages import joined
from companion.kernel.words import HALVES, SUITS
from companion.objects.cards import SUIT_CARDS, SuitCard
from companion.objects.geometry import HAND_MARGIN_MM, HAND_POKER, TAG_QUIET_MM, Box, CardGeometry
from companion.printing.cards.emblems import draw_moon, draw_sun
from companion.printing.cards.palette import PALETTES, PAPER, Palette
from companion.printing.cards.window import CLEAR_MM, column, index_middle, outline
from companion.printing.fonts import BOLD, TITLE
from companion.printing.pen import Path, Pen, rectangle

INDEX_TALL_MM: Final = 21.4
"""The index shows in a staggered stack, too: it ends where the tag's quiet zone does, or a little below."""
_INDEX_LEFT: Final = 2.6
_INSET_MM: Final = HAND_MARGIN_MM + 1.0
"""The window's frame from the card's edge."""
PLATE_MM: Final = 10.6
"""The name's plate, at the foot of the window."""


def draw_face(pen: Pen, geometry: CardGeometry, card_id: str) -> None:
    """Draw a card's face with its top-left corner at the origin."""
    card = SUIT_CARDS[card_id]
    palette = PALETTES[card.rank]
    frame = window(geometry)
    pen.fill(rectangle(0, 0, geometry.width, geometry.height), PAPER)
    _border(pen, geometry, card, palette)
    with pen.clip(frame):
        draw_landscape(pen, panel(geometry), card, palette)
        _plate_ground(pen, geometry, card, palette)
    pen.stroke(frame, palette.main if card.half == "day" else palette.dark, 0.35)
    _rank(pen, geometry, card, palette)
    _name(pen, geometry, card, palette)
    draw_hand_index(pen, card, palette)
    with pen.at(geometry.width, geometry.height, turn=180):
        draw_hand_index(pen, card, palette)


# ---- what index and codes leave


def panel(geometry: CardGeometry) -> Box:
    """Return the widest part of the window: below the code, above the turned index."""
    top = geometry.qr.y + geometry.qr.height + geometry.qr_quiet + CLEAR_MM
    return Box(_INSET_MM, top, geometry.width - 2 * _INSET_MM, geometry.height - INDEX_TALL_MM - CLEAR_MM - top)


def shoulder(geometry: CardGeometry) -> Box:
    """Return the window's part under the first index and tag, left of the code."""
    top = INDEX_TALL_MM + CLEAR_MM
    right = geometry.qr.x - geometry.qr_quiet - CLEAR_MM
    return Box(_INSET_MM, top, right - _INSET_MM, panel(geometry).y - top)


def foot(geometry: CardGeometry) -> Box:
    """Return the window's part left of the second tag: the name stands at its end."""
    wide = panel(geometry)
    right = geometry.second_tag.x - TAG_QUIET_MM - CLEAR_MM
    top = wide.y + wide.height
    return Box(_INSET_MM, top, right - _INSET_MM, geometry.height - _INSET_MM - top)


def window(geometry: CardGeometry) -> Path:
    """Return the outline of shoulder, panel and foot together."""
    return outline(shoulder(geometry), panel(geometry), foot(geometry))


# ---- parts


def draw_hand_index(pen: Pen, card: SuitCard, palette: Palette) -> None:
    """Draw suit, half and number into the column that shows in a hand, its corner at the origin."""
    color = palette.main if card.half == "day" else palette.dark
    right = HAND_POKER.first_tag.x - TAG_QUIET_MM
    radius = (right - _INDEX_LEFT) / 2
    draw_emblem(pen, card.rank, _INDEX_LEFT + radius, 4.2 + radius, radius, color, PAPER)
    if card.half == "day":
        draw_sun(pen, _INDEX_LEFT + 1.9, 17.6, 2.0, color)
    else:
        draw_moon(pen, _INDEX_LEFT + 1.6, 17.6, 2.3, color)
    pen.numeral(right - 2.3, 20.6, str(card.number), 5.8, color, font=TITLE)


def _border(pen: Pen, geometry: CardGeometry, card: SuitCard, palette: Palette) -> None:
    def ring(inset: float, width: float, color: str) -> None:
        pen.stroke(rectangle(inset, inset, geometry.width - 2 * inset, geometry.height - 2 * inset), color, width)

    if card.half == "day":
        ring(1.15, 0.3, palette.main)
        ring(1.9, 0.3, palette.main)
    else:
        ring(1.5, 1.1, palette.dark)


def _rank(pen: Pen, geometry: CardGeometry, card: SuitCard, palette: Palette) -> None:
    """The large rank, and under it as many suns or moons as the card's number."""
    box, day = shoulder(geometry), card.half == "day"
    color = palette.main if day else palette.light
    cx = box.x + box.width / 2
    pen.numeral(cx, box.y + 10.8, str(card.rank), 8.6, color, font=TITLE)
    for i in range(card.number):
        x = cx + (i - (card.number - 1) / 2) * 2.6
        (draw_sun if day else draw_moon)(pen, x, box.y + 13.6, 1.15, color)


def _plate_ground(pen: Pen, geometry: CardGeometry, card: SuitCard, palette: Palette) -> None:
    top, day = geometry.height - _INSET_MM - PLATE_MM, card.half == "day"
    pen.fill(rectangle(0, top, geometry.width, geometry.height - top), palette.light if day else palette.dark)
    pen.line(0, top, geometry.width, top, palette.main if day else palette.accent, 0.3)


def _name(pen: Pen, geometry: CardGeometry, card: SuitCard, palette: Palette) -> None:
    """Name, suit, half and number on the plate."""
    box, day = foot(geometry), card.half == "day"
    ink, soft = (palette.dark, palette.main) if day else (palette.light, palette.accent)
    cx, bottom = box.x + box.width / 2, box.y + box.height
    pen.text(cx, bottom - 5.7, CARD_NAMES[card.id], 4.4, ink, font=TITLE, align="center", fit=box.width - 2)
    line = joined((SUITS[card.rank], joined((HALVES[card.half], card.number), " ")), "  ·  ")
    fit = box.width - 2
    pen.text(cx, bottom - 1.9, line, 2.7, soft, font=BOLD, align="center", spacing=0.2, fit=fit, capitals=True)


# ---- labels


def draw_index(pen: Pen, geometry: CardGeometry, card_id: str) -> None:
    """Draw a card's index on a label: small beside the code, where it shows in a stack, and large under the tag."""
    card = SUIT_CARDS[card_id]
    palette = PALETTES[card.rank]
    day, box = card.half == "day", column(geometry)
    color = palette.main if day else palette.dark
    sign = draw_sun if day else draw_moon
    _strip(pen, index_middle(geometry), card, color)
    draw_emblem(pen, card.rank, box.x + 5.6, box.y + 6.0, 4.9, color, PAPER)
    sign(pen, box.x + 14.4, box.y + 3.0, 2.2, color)
    pen.numeral(box.x + 14.4, box.y + 12.6, str(card.number), 6.6, color, font=TITLE)
    pen.text(box.x + 8.7, box.y + 17.6, SUITS[card.rank], 4.4, color, font=TITLE, align="center", fit=16.6)


def _strip(pen: Pen, cx: float, card: SuitCard, color: str) -> None:
    pen.numeral(cx, 7.8, str(card.rank), 3.2, color, font=TITLE)
    draw_emblem(pen, card.rank, cx, 10.2, 1.45, color, PAPER)
    (draw_sun if card.half == "day" else draw_moon)(pen, cx, 13.7, 1.4, color)
    pen.numeral(cx, 18.5, str(card.number), 2.7, color, font=TITLE)
