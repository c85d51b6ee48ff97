"""The Rugen die on paper: stickers for an existing d20, and a net to cut, fold and glue."""

import io
from typing import Final

from companion.kernel.messages import Message, Translate, message
from companion.printing.dice import net as dice_net
from companion.printing.dice.face import BELOW, FACES, HEIGHT, DieFace, draw_die_face, triangle
from companion.printing.fonts import BOLD, TITLE
from companion.printing.pen import Pen, polygon
from companion.printing.rules_card import figures
from companion.printing.sheets import PAPERS, SCALE_NOTE, Paper, new_canvas

STICKER_EDGES: Final = (11.5, 12.5, 14.0, 17.0)
"""Edge lengths of the stickers, mm: a typical d20, 20 mm from face to face, has edges of 13.2 mm."""
PICTURE_EDGE: Final = STICKER_EDGES[1]
"""Edge of a face written as a separate picture, mm."""
NET_EDGE: Final = 31.0
"""Edge of the paper die, mm: it is 47 mm from face to face."""
ACROSS: Final = 1.5115
"""An icosahedron's width from face to face, in edges."""

_GREY: Final = "#6A6A72"
_CUT: Final = "#9A9AA2"
_FOLD: Final = "#8C6A2E"
_INK: Final = "#1B1A22"
_MARGIN: Final = 15.0


def dice_pdf(paper: Paper = "a4", say: Translate = str) -> bytes:
    """Return a PDF of two pages: stickers in four sizes, and the paper die."""
    width, height = PAPERS[paper]
    buffer = io.BytesIO()
    canvas = new_canvas(buffer, say(message("Rugen die")), (width, height))
    with Pen(canvas, height).page() as pen:
        _stickers_page(pen, width, height, say)
    with Pen(canvas, height).page() as pen:
        _net_page(pen, width, height, say)
    canvas.save()
    return buffer.getvalue()


# ---- stickers


def _stickers_page(pen: Pen, width: float, height: float, say: Translate) -> None:
    _head(pen, width, say(message("Rugen die · stickers for a d20")), 1, say)
    lines = (
        message(
            "Stick each triangle on the d20's face of the number beside it, on the die that you have. Any d20 will do."
        ),
        message("Measure one edge of a face, take the largest set that is not larger, and cut along the grey lines."),
    )
    _lines(pen, 24.0, width, lines, say)
    y = 42.0
    for edge in STICKER_EDGES:
        y = _sticker_set(pen, width, y, edge, say)
    _scale(pen, (width - 100) / 2, height - 12, say(SCALE_NOTE))


def _sticker_set(pen: Pen, width: float, top: float, edge: float, say: Translate) -> float:
    """Draw twenty stickers of a size and return the position of the next set."""
    across = f"{edge * ACROSS:.0f}"
    title = message(
        "Edge {edge} mm · for a die of about {across} mm from face to face, or a little more",
        edge=figures(f"{edge:g}", say),
        across=across,
    )
    pen.text(_MARGIN, top, say(title), 3.6, _INK, font=BOLD, fit=width - 2 * _MARGIN)
    step, row = (width - 2 * _MARGIN) / 10, edge * HEIGHT + 9.5
    for i, face in enumerate(FACES):
        x, y = _MARGIN + step * (i % 10 + 0.5), top + 5.0 + row * (i // 10)
        _sticker(pen, x, y, edge, face)
    return top + 5.0 + 2 * row + 8.0


def _sticker(pen: Pen, x: float, top: float, edge: float, face: DieFace) -> None:
    with pen.at(x, top + edge * (HEIGHT - BELOW)):
        draw_die_face(pen, face, edge)
        with pen.at(scale=edge):
            pen.stroke(triangle(), _CUT, 0.12 / edge)
    pen.text(x, top + edge * HEIGHT + 4.0, str(face.value), 3.4, _GREY, font=BOLD, align="center")


# ---- the net


def _net_page(pen: Pen, width: float, height: float, say: Translate) -> None:
    _head(pen, width, say(message("Rugen die · to cut, fold and glue")), 2, say)
    left = (width - dice_net.WIDTH * NET_EDGE) / 2
    top = 50.0
    _lines(
        pen,
        24.0,
        width,
        (
            message(
                "Print on card of 160 to 200 g. Score all inner lines with a blunt point, then cut along the outline."
            ),
            message(
                "Fold every edge backwards, so that the print stays outside. Glue the white tabs from left to right;"
            ),
            message(
                "close the lower caps last. The die is {across} mm from face to face. Throw it gently.",
                across=f"{NET_EDGE * ACROSS:.0f}",
            ),
        ),
        say,
    )
    with pen.at(left, top, scale=NET_EDGE):
        _tabs(pen)
        for face in dice_net.net():
            with pen.at(*face.middle, turn=face.turn):
                draw_die_face(pen, face.face, 1.0)
        _edges(pen)
    _arrangement(pen, top + dice_net.TALL * NET_EDGE + 22.0, width, say)
    _scale(pen, (width - 100) / 2, height - 12, say(SCALE_NOTE))


def _tabs(pen: Pen) -> None:
    for tab in dice_net.tabs():
        pen.fill(polygon(tab), "#FFFFFF")
        pen.stroke(polygon(tab, closed=False), _CUT, 0.2 / NET_EDGE)


def _edges(pen: Pen) -> None:
    for (x1, y1), (x2, y2) in dice_net.folds():
        pen.line(x1, y1, x2, y2, _FOLD, 0.25 / NET_EDGE)
    for (x1, y1), (x2, y2) in dice_net.cuts():
        pen.line(x1, y1, x2, y2, _CUT, 0.25 / NET_EDGE)


def _arrangement(pen: Pen, top: float, width: float, say: Translate) -> None:
    lines = (
        message("One face each of day 1 and night 1, two of each 2, three of each 3, four of each 4."),
        message(
            "A day face always has a night face opposite, and the five faces round each corner add up to 14, 15 or 16."
        ),
        message(
            "Day is dark on light with suns, night light on dark with moons. The small squares are for the camera."
        ),
    )
    _lines(pen, top, width, lines, say)


# ---- the page


def _head(pen: Pen, width: float, title: str, page: int, say: Translate) -> None:
    pen.text(_MARGIN, 13.0, title, 5.6, _INK, font=TITLE, fit=width - 2 * _MARGIN - 52)
    hint = say(message("Page {page} of {pages} · print at 100 %", page=page, pages=2))
    pen.text(width - _MARGIN, 13.0, hint, 3.2, _GREY, align="right")


def _lines(pen: Pen, top: float, width: float, lines: tuple[Message, ...], say: Translate) -> None:
    for i, line in enumerate(lines):
        pen.text(_MARGIN, top + 5.0 * i, say(line), 3.7, _INK, fit=width - 2 * _MARGIN)


def _scale(pen: Pen, x: float, y: float, note: str) -> None:
    pen.line(x, y, x + 100, y, _GREY, 0.2)
    for i in range(11):
        pen.line(x + 10 * i, y, x + 10 * i, y - (1.6 if i % 5 == 0 else 0.9), _GREY, 0.2)
    pen.text(x + 50, y + 3.6, note, 2.6, _GREY, align="center")
