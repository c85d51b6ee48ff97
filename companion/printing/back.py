"""The back of the cards: point-symmetric, the same for every deck, and without any code."""

from __future__ import annotations

from companion.geometry import CardGeometry
from companion.printing.pen import Pen, rectangle


def draw_back(pen: Pen, geometry: CardGeometry) -> None:
    """Draw the back with its top-left corner at the origin."""
    pen.fill(rectangle(0, 0, geometry.width, geometry.height), "#FFFFFF")
    pen.fill(rectangle(2.5, 2.5, geometry.width - 5, geometry.height - 5), "#22304F")
