"""Card faces of King of Roulette: the space or guess in large type, and the owner."""

from typing import Final

from companion.games.king.printed.cards import BETS, GUESSES, PLAYERS, RULES, heading
from companion.kernel.messages import Message, message
from companion.objects.geometry import Box, CardGeometry
from companion.printing.cards.emblems import draw_sign
from companion.printing.cards.palette import INK, PAPER
from companion.printing.cards.window import column, index_middle, panel, plate, window
from companion.printing.fonts import BOLD, TITLE
from companion.printing.pen import Pen, circle, mix, rectangle

_COLORS: Final = (
    "#B7202B", "#1F5FA8", "#17734F", "#8A5A00", "#6A2C91", "#0B7285",
    "#A61E63", "#4A4D5A", "#5C7A00", "#C24A00", "#3B3FA0", "#7A4A2B",
)  # fmt: skip
"""One colour per player; the letter keeps the cards distinguishable without colour."""
_GOLD: Final = "#A8781C"


def draw_face(pen: Pen, geometry: CardGeometry, card: str) -> None:
    """Draw a card's face with its top-left corner at the origin."""
    color = _color(card)
    pen.fill(rectangle(0, 0, geometry.width, geometry.height), PAPER)
    pen.stroke(rectangle(2, 2, geometry.width - 4, geometry.height - 4), color, 0.6)
    with pen.clip(window(geometry)):
        pen.fill(window(geometry), mix(color, PAPER, 0.9))
    pen.stroke(window(geometry), color, 0.35)
    draw_index(pen, geometry, card)
    _picture(pen, panel(geometry), card)
    _words(pen, plate(geometry), card)


def draw_index(pen: Pen, geometry: CardGeometry, card: str) -> None:
    """Draw the index beside the codes: the owner's sign in the strip, and large under the tag."""
    cx, box = index_middle(geometry), column(geometry)
    if card in BETS:
        pen.text(cx, 9.0, card[0], 4.6, _color(card), font=BOLD, align="center", fit=3.1)
    else:
        draw_sign(pen, "crown", cx, 8.0, 1.5, _GOLD)
    pen.text(cx, 14.0, _short(card), 3.4, _color(card), font=BOLD, align="center", fit=3.1)
    _sign(pen, card, Box(box.x, box.y + 0.5, box.width, 13.0))


def _sign(pen: Pen, card: str, box: Box) -> None:
    """Draw the player's letter; on the king's cards a crown with points or guess, since labels have no picture."""
    cx, cy = box.x + box.width / 2, box.y + box.height / 2
    if card in BETS:
        pen.numeral(cx, cy + 5.0, card[0], 10.0, _color(card), font=TITLE)
        return
    draw_sign(pen, "crown", cx, cy - 1.0, 4.6, _GOLD)
    if card in RULES:
        _points(pen, cx, cy + 6.0, int(card[1]))
    else:
        pen.numeral(cx, cy + 7.8, GUESSES[card], 3.2, INK, font=BOLD)


def _points(pen: Pen, cx: float, cy: float, points: int) -> None:
    """Draw one coin per point."""
    for i in range(points):
        pen.fill(circle(cx + 4.4 * (i - (points - 1) / 2), cy, 1.7), _GOLD)


def _picture(pen: Pen, box: Box, card: str) -> None:
    cx, cy = box.x + box.width / 2, box.y + box.height / 2
    if card[-1] == "K" and card in BETS:
        draw_sign(pen, "crown", cx, cy, box.height * 0.4, _GOLD)
        return
    text = GUESSES.get(card, card[-1])
    pen.text(cx, cy + 6.5, text, 26.0, _color(card), font=TITLE, align="center", fit=box.width - 8)


def _words(pen: Pen, box: Box, card: str) -> None:
    cx, foot = box.x + box.width / 2, box.y + box.height
    first, second = _lines(card)
    pen.text(cx, foot - 6.2, first, 4.1, _color(card), font=TITLE, align="center", fit=box.width - 3)
    pen.text(cx, foot - 2.3, second, 2.8, INK, font=BOLD, align="center", fit=box.width - 3)


def _lines(card: str) -> tuple[Message, Message]:
    if card in GUESSES:
        return message("The guess"), message("so many others earn points")
    if card in RULES:
        return message("1 point") if card[1] == "1" else message("2 points"), message("for this space")
    seat = PLAYERS.index(card[0]) + 1
    if card[1] == "K":
        return heading(card), message("seat {seat}, on the king space", seat=seat)
    return heading(card), message("seat {seat}, on space {space}", seat=seat, space=card[1])


def _short(card: str) -> str:
    """Return the card's short label."""
    return GUESSES.get(card, card[-1])


def _color(card: str) -> str:
    return _COLORS[PLAYERS.index(card[0])] if card in BETS else INK
