"""The face of a standard card: the usual index and pips round the codes."""

from __future__ import annotations

from companion.codes import Code
from companion.geometry import CardGeometry
from companion.printing.palette import PAPER
from companion.printing.pen import Pen, rectangle
from companion.printing.roche_face import draw_codes


def draw_standard_face(pen: Pen, geometry: CardGeometry, code: Code) -> None:
    """Draw a card's face with its top-left corner at the origin."""
    pen.fill(rectangle(0, 0, geometry.width, geometry.height), PAPER)
    draw_codes(pen, geometry, code)
