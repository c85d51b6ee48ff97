"""The test page: measures the offset between a printer's front and back sides, and its scale.

The face has five scales, the back a cross behind the center of each. Held against the light, each cross shows the
offset on its scale. Printed pages correct it with `Job.offset`.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from companion.kernel.messages import Message, message
from companion.printing.cards.palette import INK
from companion.printing.fonts import BOLD, TITLE
from companion.printing.pen import Pen, circle, polygon
from companion.printing.pieces import Piece
from companion.printing.sheets import PAPERS, Duplex, Paper, correction

Say = Callable[[Message], str]

_GREY: Final = "#6A6A72"
_BACK: Final = "#B3261E"
_REACH_MM: Final = 6
_APART_MM: Final = 7.0
"""Distance from a measuring point to its scales."""
_ARM_MM: Final = 12.0
"""Arm length of the crosses on the back: they extend across the scales."""
_INSET_MM: Final = 32.0
"""Distance from the paper's edges to the measuring points in the corners."""
_RULER_MM: Final = 10.0
"""Distance from the paper's edges to the corner lines, which show how the paper is fed."""
_STEPS: Final = (
    message("Print this page on both sides at 100 %, just as you will print the cards."),
    message(
        "Hold it against the light and look at the face: at each scale, read where the red cross of the back lies."
    ),
    message(
        "Take the middle of the five: so many millimetres to the right, and so many down (left and up are below 0)."
    ),
    message(
        "Give both numbers when you print, as the offset. Then print this page again with them: all crosses read 0."
    ),
    message(
        "The long lines are 100 mm. If yours are not, the printer scales: turn that off. The corners' lines are 10 mm "
        "from the paper's edges."
    ),
)


def offset_pages(paper: Paper, duplex: Duplex, offset: tuple[float, float], say: Say) -> tuple[Piece, Piece]:
    """Return the face and back of the test page.

    Args:
        offset: the offset to correct, mm; with the right one all crosses read 0.
    """
    width, height = PAPERS[paper]
    places = _places(width, height)
    shift = correction(offset, duplex)
    back = [(x, height - y) if duplex == "short" else (width - x, y) for x, y in places]
    return (
        Piece("test", width, height, partial(_draw_face, paper=paper, places=places, say=say)),
        Piece("test-back", width, height, partial(_draw_back, places=back, shift=shift)),
    )


def _places(width: float, height: float) -> list[tuple[float, float]]:
    left, right, top, bottom = _INSET_MM, width - _INSET_MM, _INSET_MM, height - _INSET_MM
    return [(left, top), (right, top), (width / 2, height / 2), (left, bottom), (right, bottom)]


def _draw_face(pen: Pen, *, paper: Paper, places: list[tuple[float, float]], say: Say) -> None:
    width, height = PAPERS[paper]
    for x, y in places:
        _scale(pen, x, y)
    _corners(pen, width, height)
    _rulers(pen, width, height)
    pen.text(width / 2, 26.0, say(message("Test page")), 7.0, INK, font=TITLE, align="center", fit=width - 90)
    left, y = 30.0, 62.0
    for number, step in enumerate(_STEPS, start=1):
        pen.text(left, y, str(number), 4.2, INK, font=BOLD)
        y = pen.paragraph(left + 7.0, y, say(step), 4.2, INK, width - 2 * left - 7.0) + 1.4


def _scale(pen: Pen, x: float, y: float) -> None:
    """Draw millimeter scales above (for the cross's vertical line) and left of (for the horizontal one) a point."""
    pen.stroke(circle(x, y, 1.0), _GREY, 0.15)
    for turn, sign in ((0, 1), (-90, -1)):
        with pen.at(x, y, turn=turn):
            pen.line(-_REACH_MM, -_APART_MM, _REACH_MM, -_APART_MM, INK, 0.15)
            for half in range(-2 * _REACH_MM, 2 * _REACH_MM + 1):
                long = 1.4 if half % 2 else (4.0 if half % 6 == 0 else 2.6)
                pen.line(half / 2, -_APART_MM, half / 2, -_APART_MM - long, INK, 0.12)
            for step in range(-_REACH_MM, _REACH_MM + 1, 3):
                pen.text(step, -_APART_MM - 4.8, f"{sign * step}".replace("-", "−"), 2.8, INK, align="center")


def _corners(pen: Pen, width: float, height: float) -> None:
    for turn, x, y in ((0, 0.0, 0.0), (90, width, 0.0), (180, width, height), (270, 0.0, height)):
        with pen.at(x, y, turn=turn):
            arm = polygon([(_RULER_MM, 18.0), (_RULER_MM, _RULER_MM), (18.0, _RULER_MM)], closed=False)
            pen.stroke(arm, INK, 0.25)


def _rulers(pen: Pen, width: float, height: float) -> None:
    with pen.at(width / 2 - 50, height - 20):
        _ruler(pen)
    with pen.at(20, height / 2 - 50, turn=90):
        _ruler(pen)


def _ruler(pen: Pen) -> None:
    pen.line(0, 0, 100, 0, INK, 0.2)
    for i in range(11):
        pen.line(10 * i, 0, 10 * i, 2.4 if i % 5 == 0 else 1.4, INK, 0.2)
    pen.text(50, -1.4, "100 mm", 3.0, _GREY, align="center")


def _draw_back(pen: Pen, *, places: list[tuple[float, float]], shift: tuple[float, float]) -> None:
    with pen.at(*shift):
        for x, y in places:
            pen.line(x - _ARM_MM, y, x + _ARM_MM, y, _BACK, 0.3)
            pen.line(x, y - _ARM_MM, x, y + _ARM_MM, _BACK, 0.3)
