"""The card back: the same for all decks, point-symmetric, and without codes."""

from typing import Final

from companion.objects.geometry import CardGeometry
from companion.printing.cards.emblems import moon
from companion.printing.cards.palette import BACK, PAPER
from companion.printing.pen import Pen, circle, polygon, rectangle, star

EDGE_MM: Final = 2.6  # white border, which hides small cutting and duplex errors
_PITCH: Final = 5.2  # pitch of the scale pattern, mm; about a dozen fit across the field


def draw_back(pen: Pen, geometry: CardGeometry) -> None:
    """Draw the back with its top-left corner at the origin."""
    width, height = geometry.width, geometry.height
    pen.fill(rectangle(0, 0, width, height), PAPER)
    field = rectangle(EDGE_MM, EDGE_MM, width - 2 * EDGE_MM, height - 2 * EDGE_MM)
    pen.fill(field, BACK.dark)
    inner = rectangle(EDGE_MM + 2, EDGE_MM + 2, width - 2 * EDGE_MM - 4, height - 2 * EDGE_MM - 4)
    with pen.clip(inner):
        _lattice(pen, width, height)
    pen.stroke(inner, BACK.accent, 0.35)
    inset = EDGE_MM + 1.0
    pen.stroke(rectangle(inset, inset, width - 2 * inset, height - 2 * inset), BACK.accent, 0.7)
    for turn in (0, 180):
        with pen.at(width / 2, height / 2, turn=turn):
            _corners(pen, width / 2 - EDGE_MM - 2, height / 2 - EDGE_MM - 2)
    with pen.at(width / 2, height / 2):
        _medallion(pen, width * 0.3)


def _lattice(pen: Pen, width: float, height: float) -> None:
    """Draw interlaced circles with a spark in each gap, mirrored about the center."""
    columns, rows = int(width / _PITCH / 2) + 2, int(height / _PITCH / 2) + 2
    with pen.at(width / 2, height / 2):
        for i in range(-columns, columns + 1):
            for j in range(-rows, rows + 1):
                x, y = i * _PITCH, j * _PITCH
                pen.stroke(circle(x, y, _PITCH * 0.707), BACK.main, 0.32)
                pen.fill(star(x, y, 0.8, 0.26, 4), BACK.accent if (i + j) % 2 == 0 else BACK.main)


def _corners(pen: Pen, half_width: float, half_height: float) -> None:
    """Draw two fans in opposite corners; the caller draws them again, rotated."""
    for side in (-1, 1):
        x = side * half_width
        with pen.clip(rectangle(-half_width, -half_height, 2 * half_width, half_height)):
            for radius, color in ((13.0, BACK.accent), (12.4, BACK.dark)):
                pen.fill(circle(x, -half_height, radius), color)
            for ray in range(5):
                with pen.at(x, -half_height, turn=side * (22.5 * ray)):
                    pen.fill(polygon([(-0.75, 4.4), (0.75, 4.4), (0, 11.4)]), BACK.accent)
            pen.fill(circle(x, -half_height, 3.4), BACK.accent)


def _medallion(pen: Pen, radius: float) -> None:
    """Draw a sixteen-pointed star between two facing moons."""
    for share, color in ((1.0, BACK.accent), (0.96, BACK.dark), (0.9, BACK.accent), (0.885, BACK.dark)):
        pen.fill(circle(0, 0, radius * share), color)
    for i in range(24):
        with pen.at(turn=360 * i / 24):
            pen.fill(circle(0, -radius * 0.8, radius * (0.035 if i % 2 else 0.022)), BACK.accent)
    for turn in (0, 180):
        with pen.at(turn=turn):
            pen.fill(moon(0, 0, radius * 0.7, 0.22), BACK.light)
    pen.fill(star(0, 0, radius * 0.5, radius * 0.22, 16), BACK.accent)
    pen.fill(star(0, 0, radius * 0.5, radius * 0.12, 8), BACK.light)
    pen.fill(circle(0, 0, radius * 0.15), BACK.dark)
    pen.fill(circle(0, 0, radius * 0.08), BACK.accent)
