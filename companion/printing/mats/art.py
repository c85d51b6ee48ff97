"""Common artwork of all mats: paper, frame and corner tags, and helpers for zones and ornaments."""

from typing import Final

from companion.objects.geometry import Box
from companion.objects.mat import MAT_TAG_QUIET_MM, Mat
from companion.printing.cards.emblems import moon
from companion.printing.cards.marks import draw_tag
from companion.printing.cards.palette import BACK, PAPER
from companion.printing.pen import Path, Pen, circle, rectangle, star

INK: Final = BACK.dark


def draw_mat(pen: Pen, mat: Mat, deck: str | None = None) -> None:
    """Draw a mat with its top-left corner at the origin.

    Args:
        deck: the kind of deck whose prices it shows; None for the default one.
    """
    _ground(pen, mat)
    mat.art()(pen, mat, deck)
    for number, box in mat.tags.items():
        draw_tag(pen, number, box, quiet=MAT_TAG_QUIET_MM)


def _ground(pen: Pen, mat: Mat) -> None:
    """Draw a mat's background: paper and frame."""
    pen.fill(rectangle(0, 0, mat.width_mm, mat.height_mm), PAPER)
    for inset, width in ((3.0, 1.2), (5.4, 0.4)):
        edge = rectangle(inset, inset, mat.width_mm - 2 * inset, mat.height_mm - 2 * inset)
        pen.stroke(edge, INK, width)


def space(pen: Pen, box: Box, ground: str, edge: str) -> None:
    """Fill a betting space, with a border in another color."""
    pen.fill(outline(box), ground)
    pen.stroke(outline(shrunk(box, 0.4)), edge, 0.5)


def outline(box: Box) -> Path:
    """Return a box as a path."""
    return rectangle(box.x, box.y, box.width, box.height)


def shrunk(box: Box, by: float) -> Box:
    """Return a box shrunk by this much on every side."""
    return Box(box.x + by, box.y + by, box.width - 2 * by, box.height - 2 * by)


def ornament(pen: Pen, cx: float, cy: float, radius: float) -> None:
    """Draw the star between two moons, as on the card back."""
    for turn in (0, 180):
        with pen.at(cx, cy, turn=turn):
            pen.fill(moon(0, 0, radius, 0.2), INK)
    pen.fill(star(cx, cy, radius * 0.62, radius * 0.26, 16), BACK.accent)
    pen.fill(circle(cx, cy, radius * 0.16), PAPER)
