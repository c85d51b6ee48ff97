"""The 40 mm disks: a suit's emblem round the tag on the face and round the signed code on the back."""

from typing import Final

from companion.games.roche_deck.emblems import draw_emblem
from companion.kernel.messages import Message, message
from companion.kernel.words import SUITS
from companion.objects.cards import LEADER_BUTTON
from companion.objects.geometry import TOKEN_MM, TOKEN_TAG_MM
from companion.printing.cards.emblems import draw_sun
from companion.printing.cards.marks import TAG_WHITE_MM
from companion.printing.cards.palette import PALETTES, PAPER, Palette
from companion.printing.fonts import TITLE
from companion.printing.pen import Pen, circle, rectangle, star

_MIDDLE: Final = TOKEN_MM / 2
LEADER: Final = Palette("#1B1A22", "#000000", "#F6E7BE", "#D9A436")
"""The leader button's black and gold."""


def draw_token_face(pen: Pen, token: str) -> None:
    """Draw a token's face in a 40 mm square, round its tag: emblem above and below, rank beside."""
    palette = _palette(token)
    with pen.at(_MIDDLE, _MIDDLE):
        _disk(pen, palette)
        white = TOKEN_TAG_MM / 2 + TAG_WHITE_MM
        pen.fill(rectangle(-white, -white, 2 * white, 2 * white), PAPER)
        for turn in (0, 180):
            with pen.at(turn=turn):
                _sign(pen, token, 0, -14.75, 3.0, palette)
        if token != LEADER_BUTTON:
            for x in (-14.9, 14.9):
                pen.numeral(x, 2.2, token[1], 4.4, palette.light, font=TITLE)
        else:
            for x in (-14.9, 14.9):
                draw_sun(pen, x, 0, 2.6, palette.accent, rays=12)


def draw_token_back(pen: Pen, token: str) -> None:
    """Draw a token's back in a 40 mm square, round its code: the suit's name above it, its emblem below."""
    palette = _palette(token)
    with pen.at(_MIDDLE, _MIDDLE):
        _disk(pen, palette)
        pen.text(0, -14.9, token_name(token), 2.7, palette.light, font=TITLE, align="center", fit=17, capitals=True)
        _sign(pen, token, 0, 16.6, 1.9, palette)


def token_name(token: str) -> Message:
    """Return what people call a token.

    >>> token_name("T6"), token_name("LDR")
    ('Kin', 'Leader')
    """
    return message("Leader") if token == LEADER_BUTTON else SUITS[int(token[1])]


def _palette(token: str) -> Palette:
    return LEADER if token == LEADER_BUTTON else PALETTES[int(token[1])]


def _disk(pen: Pen, palette: Palette) -> None:
    pen.fill(circle(0, 0, _MIDDLE), palette.main)
    pen.stroke(circle(0, 0, _MIDDLE - 0.7), palette.accent, 0.35)


def _sign(pen: Pen, token: str, x: float, y: float, radius: float, palette: Palette) -> None:
    if token == LEADER_BUTTON:
        pen.fill(star(x, y, radius, radius * 0.42, 5), palette.accent)
    else:
        draw_emblem(pen, int(token[1]), x, y, radius, palette.light, palette.main)
