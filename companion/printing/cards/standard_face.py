"""The face of a standard card: index, pips or a crowned letter round the codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from companion.objects.cards import standard_words
from companion.objects.geometry import Box, CardGeometry
from companion.printing.cards.emblems import draw_sign
from companion.printing.cards.palette import INK, PAPER
from companion.printing.cards.window import column, index_middle, panel, plate, window
from companion.printing.fonts import BOLD, TITLE
from companion.printing.pen import Pen, circle, mix, polygon, rectangle

_RED: Final = "#B7202B"
_GOLD: Final = "#C8962E"

# Pips along (x) and across (y) the picture, each from 0 to 1: the usual patterns, lying down.
_ENDS: Final = ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0))
_THIRDS: Final = ((0.333, 0.0), (0.333, 1.0), (0.667, 0.0), (0.667, 1.0))
_PIPS: Final[dict[str, tuple[tuple[float, float], ...]]] = {
    "2": ((0.2, 0.5), (0.8, 0.5)),
    "3": ((0.1, 0.5), (0.5, 0.5), (0.9, 0.5)),
    "4": _ENDS,
    "5": (*_ENDS, (0.5, 0.5)),
    "6": (*_ENDS, (0.5, 0.0), (0.5, 1.0)),
    "7": (*_ENDS, (0.5, 0.0), (0.5, 1.0), (0.25, 0.5)),
    "8": (*_ENDS, (0.5, 0.0), (0.5, 1.0), (0.25, 0.5), (0.75, 0.5)),
    "9": (*_ENDS, *_THIRDS, (0.5, 0.5)),
    "T": (*_ENDS, *_THIRDS, (0.1667, 0.5), (0.8333, 0.5)),
}


@dataclass(frozen=True, slots=True)
class _Style:
    rank: str
    suit: str

    @property
    def color(self) -> str:
        return _RED if self.suit in "HD" else INK

    @property
    def index(self) -> str:
        return "10" if self.rank == "T" else self.rank

    @property
    def name(self) -> str:
        return standard_words(self.rank + self.suit)


def draw_standard_face(pen: Pen, geometry: CardGeometry, card_id: str) -> None:
    """Draw a card's face with its top-left corner at the origin."""
    style = _Style(*card_id)
    pen.fill(rectangle(0, 0, geometry.width, geometry.height), PAPER)
    inset = 2.0
    edge = rectangle(inset, inset, geometry.width - 2 * inset, geometry.height - 2 * inset)
    pen.stroke(edge, style.color, 0.3)
    pen.stroke(window(geometry), mix(style.color, PAPER, 0.55), 0.25)
    _index(pen, geometry, style)
    _corner(pen, geometry, style)
    _picture(pen, panel(geometry), style)
    _name(pen, geometry, style)


def _index(pen: Pen, geometry: CardGeometry, style: _Style) -> None:
    cx = index_middle(geometry)
    pen.text(cx, 9.0, style.index, 5.6, style.color, font=BOLD, align="center", fit=3.1)
    draw_sign(pen, style.suit, cx, 12.4, 1.5, style.color)


def _corner(pen: Pen, geometry: CardGeometry, style: _Style) -> None:
    """The large rank and suit under the first tag."""
    cx = column(geometry).x + column(geometry).width / 2
    pen.text(cx, 30.6, style.index, 13.0, style.color, font=TITLE, align="center", fit=11)
    draw_sign(pen, style.suit, cx, 35.8, 3.4, style.color)


def _picture(pen: Pen, box: Box, style: _Style) -> None:
    if style.rank in _PIPS:
        _pips(pen, box, style)
    elif style.rank == "A":
        radius = min(box.width, box.height) * 0.36
        middle = (box.x + box.width / 2, box.y + box.height / 2)
        pen.stroke(circle(*middle, radius * 1.25), _GOLD, 0.3)
        draw_sign(pen, style.suit, *middle, radius, style.color)
    else:
        _court(pen, box, style)


def _pips(pen: Pen, box: Box, style: _Style) -> None:
    upright = box.height > 0.8 * box.width
    radius = min(box.width, box.height) * 0.115 if not upright else box.width * 0.09
    margin = radius * 1.7
    for along, across in _PIPS[style.rank]:
        x, y = (across, along) if upright else (along, across)
        cx = box.x + margin + x * (box.width - 2 * margin)
        cy = box.y + margin + y * (box.height - 2 * margin)
        draw_sign(pen, style.suit, cx, cy, radius, style.color)


def _court(pen: Pen, box: Box, style: _Style) -> None:
    """A crowned letter between two pips, on a ground of lozenges."""
    cx, cy, size = box.x + box.width / 2, box.y + box.height / 2, min(box.width, box.height)
    pale = mix(_GOLD, PAPER, 0.72)
    with pen.clip(rectangle(box.x + 0.6, box.y + 0.6, box.width - 1.2, box.height - 1.2)):
        step = 4.2
        for i in range(int(box.width / step) + 2):
            for j in range(int(box.height / step) + 2):
                x, y = box.x + (i + 0.5 * (j % 2)) * step, box.y + j * step
                pen.fill(polygon([(x, y - 0.9), (x + 0.9, y), (x, y + 0.9), (x - 0.9, y)]), pale)
    pen.fill(circle(cx, cy, size * 0.46), PAPER)
    pen.stroke(circle(cx, cy, size * 0.46), _GOLD, 0.45)
    pen.stroke(circle(cx, cy, size * 0.43), style.color, 0.2)
    pen.numeral(cx, cy + size * 0.3, style.rank, size * 0.34, style.color, font=TITLE)
    crown = {"K": 0.17, "Q": 0.14, "J": 0.1}[style.rank]
    draw_sign(pen, "crown", cx, cy - size * 0.23, size * crown, _GOLD)
    for side in (-1, 1):
        x = cx + side * (size * 0.46 + (box.width / 2 - size * 0.46) / 2)
        if box.width > 1.4 * size:
            pen.fill(circle(x, cy, size * 0.2), PAPER)
            draw_sign(pen, style.suit, x, cy, size * 0.13, style.color)


def _name(pen: Pen, geometry: CardGeometry, style: _Style) -> None:
    box = plate(geometry)
    cx, foot = box.x + box.width / 2, box.y + box.height / 2 + 1.5
    pen.text(cx, foot, style.name, 4.2, style.color, font=TITLE, align="center", fit=box.width - 4)


def draw_standard_index(pen: Pen, geometry: CardGeometry, card_id: str) -> None:
    """Draw a card's index in the strip and under the tag: all a label has room for."""
    style = _Style(*card_id)
    _index(pen, geometry, style)
    _corner(pen, geometry, style)
