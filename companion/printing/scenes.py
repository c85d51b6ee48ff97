"""The pictures: a landscape for each suit, with as many of its motif as the card's number."""

from __future__ import annotations

from companion.cards import RocheCard
from companion.geometry import CardGeometry
from companion.printing.palette import Palette
from companion.printing.pen import Pen, rectangle


def draw_scene(pen: Pen, geometry: CardGeometry, card: RocheCard, palette: Palette) -> None:
    """Draw a card's picture; the caller clips it to the window."""
    pen.fill(rectangle(0, 0, geometry.width, geometry.height), palette.light if card.half == "day" else palette.dark)
