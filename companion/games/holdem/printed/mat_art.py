"""Artwork of the hold'em mat, drawn to the layout in `mat`, and of the dealer button."""

from typing import Final

from companion.games.holdem.printed.measures import BOARD_CARDS, BOARD_STEP_MM
from companion.kernel.messages import message
from companion.objects.geometry import POKER, TOKEN_MM, Box
from companion.objects.mat import Mat
from companion.printing.cards.emblems import draw_sign
from companion.printing.cards.palette import BACK, PAPER
from companion.printing.fonts import BOLD, TITLE
from companion.printing.mats.art import INK, ornament, outline, shrunk
from companion.printing.pen import Pen, circle, mix, rectangle
from companion.printing.pieces import Piece

_GOLD: Final = "#C8962E"
_GROUND: Final = mix(BACK.light, PAPER, 0.45)
_PILES: Final = {"deck": message("Deck"), "burn": message("Burn"), "muck": "Muck"}
_BOARD_SAYS: Final = ("Flop", "Flop", "Flop", "Turn", "River")
"""Not translated: standard poker terms in all languages, like "Muck"."""


def draw_holdem(pen: Pen, mat: Mat, _deck: str | None) -> None:
    """Draw the mat's contents, inside the frame."""
    zones = mat.zones
    for name, box in zones.items():
        kind, _, number = name.partition("/")
        if kind == "seat":
            _seat(pen, box, number)
        elif kind == "button":
            pen.stroke(circle(*_middle(box), box.width / 2), _GOLD, 0.4, dash=(2, 2))
        elif kind == "pot":
            _pot(pen, box, number)
    for name, says in _PILES.items():
        _pile(pen, zones[name], says)
    _board(pen, zones["board"])
    pen.text(mat.width_mm / 2, 131, message("Texas hold'em"), 11, INK, font=TITLE, align="center", spacing=3)
    for x in (mat.width_mm / 2 - 130, mat.width_mm / 2 + 130):
        ornament(pen, x, 127, 5)


def _middle(box: Box) -> tuple[float, float]:
    return box.x + box.width / 2, box.y + box.height / 2


def _seat(pen: Pen, box: Box, number: str) -> None:
    cx, cy = _middle(box)
    pen.fill(outline(box), _GROUND)
    pen.stroke(outline(shrunk(box, 0.4)), BACK.main, 0.6)
    pen.numeral(cx, cy + 9, number, 18, mix(BACK.main, PAPER, 0.45), font=TITLE)


def _pile(pen: Pen, box: Box, says: str) -> None:
    pen.stroke(outline(shrunk(box, 0.4)), BACK.main, 0.5, dash=(3, 2))
    pen.text(box.x + box.width / 2, box.y + box.height - 4, says, 6, INK, font=BOLD, align="center")


def _board(pen: Pen, box: Box) -> None:
    pen.fill(outline(box), _GROUND)
    pen.stroke(outline(shrunk(box, 0.4)), _GOLD, 0.7)
    first = box.x + box.width / 2 - BOARD_STEP_MM * (BOARD_CARDS - 1) / 2
    for place, says in enumerate(_BOARD_SAYS):
        x = first + place * BOARD_STEP_MM - POKER.width / 2
        card = rectangle(x, box.y + (box.height - POKER.height) / 2, POKER.width, POKER.height)
        pen.stroke(card, mix(INK, PAPER, 0.4), 0.3, dash=(2, 2))
        pen.text(x + POKER.width / 2, box.y + box.height / 2 + 2, says, 6, INK, font=BOLD, align="center")


def _pot(pen: Pen, box: Box, number: str) -> None:
    cx, cy = _middle(box)
    pen.stroke(circle(cx, cy, box.width / 2 - 0.4), _GOLD, 0.6)
    says = message("Pot") if number == "main" else message("Side {number}", number=number.removeprefix("side-"))
    pen.text(cx, cy + 2, says, 6, INK, font=BOLD, align="center", fit=box.width - 4)


# ---- the button


def button_pieces() -> tuple[Piece, ...]:
    """Return the dealer button twice, one as a spare."""
    return (Piece("dealer-button", TOKEN_MM, TOKEN_MM, draw_button),) * 2


def draw_button(pen: Pen) -> None:
    """Draw the dealer button, a round cut-out."""
    radius = TOKEN_MM / 2
    with pen.at(radius, radius):
        pen.fill(circle(0, 0, radius - 0.4), PAPER)
        pen.stroke(circle(0, 0, radius - 1.4), INK, 1.2)
        for turn, sign in enumerate("SHCD"):
            with pen.at(turn=90 * turn):
                draw_sign(pen, sign, 0, -radius + 5.6, 2.6, BACK.main)
        pen.numeral(0, 2.1, "DEALER", 4.2, INK, font=BOLD)
