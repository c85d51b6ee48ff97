"""Artwork of the King of Roulette mat, drawn to the layout in `mat`."""

from typing import Final

from companion.games.king.spaces import KING
from companion.kernel.messages import Message, message
from companion.objects.geometry import Box
from companion.objects.mat import Mat
from companion.printing.cards.emblems import draw_sign
from companion.printing.cards.palette import BACK, PAPER
from companion.printing.fonts import BOLD, TITLE
from companion.printing.mats.art import INK, ornament, outline, shrunk, space
from companion.printing.pen import Pen, mix

_GOLD: Final = "#C8962E"
_RED: Final = "#8E1F2B"
_BLACK: Final = "#1C1B20"
_LABELS: Final = {
    "rule/1": message("The rule: 1 point each"), "rule/2": message("2 points"), "guess": message("The guess"),
}  # fmt: skip


def draw_king(pen: Pen, mat: Mat, _deck: str | None) -> None:
    """Draw the mat's contents, inside the frame."""
    for name, box in mat.zones.items():
        if name in _LABELS:
            _face_down(pen, box, _LABELS[name])
        else:
            _bet(pen, box, name.partition("/")[2])
    pen.text(mat.width_mm / 2, 36, message("King of Roulette"), 17, INK, font=TITLE, align="center", spacing=4, fit=310)
    for x in (mat.width_mm / 2 - 170, mat.width_mm / 2 + 170):
        ornament(pen, x, 30, 9)
    line = message(
        "Cards lie face down, chips stay in the hand until all have chosen. "
        "One alone on the king space is the next king."
    )
    pen.text(mat.width_mm / 2, 396, line, 6.2, INK, align="center", fit=600)


def _face_down(pen: Pen, box: Box, says: Message) -> None:
    pen.fill(outline(box), mix(BACK.light, PAPER, 0.5))
    pen.stroke(outline(shrunk(box, 0.4)), BACK.main, 0.5, dash=(3, 2))
    pen.text(box.x + box.width / 2, box.y + box.height + 9, says, 6.2, INK, font=BOLD, align="center", fit=box.width)


def _bet(pen: Pen, box: Box, on: str) -> None:
    cx = box.x + box.width / 2
    ground = mix(_GOLD, PAPER, 0.55) if on == KING else _RED if int(on) % 2 else _BLACK
    space(pen, box, ground, _GOLD)
    if on == KING:
        draw_sign(pen, "crown", cx, box.y + 26, 16, INK)
        pen.text(cx, box.y + 56, message("King"), 9, INK, font=TITLE, align="center")
    else:
        pen.numeral(cx, box.y + 36, on, 24, "#FFFFFF", font=TITLE)
