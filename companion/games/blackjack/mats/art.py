"""Artwork of the blackjack mat, drawn to the layout in `zones`."""

from typing import Final

from companion.games.blackjack.mats.places import BET, BOX, DEALER, INSURANCE
from companion.kernel.messages import Message, message
from companion.objects.geometry import Box
from companion.objects.mat import Mat
from companion.printing.cards.palette import BACK, PAPER
from companion.printing.fonts import BOLD, TITLE
from companion.printing.mats.art import INK, ornament, outline, shrunk, space
from companion.printing.pen import Pen, circle, mix

_GROUND: Final = mix("#17734F", PAPER, 0.2)
_SOFT: Final = mix(BACK.light, PAPER, 0.55)
_WHITE: Final = "#FFFFFF"
_LABELS: Final = {"discard": message("Discard"), "shoe": message("Shoe")}


def draw_blackjack(pen: Pen, mat: Mat, _deck: str | None) -> None:
    """Draw the mat's contents, inside the frame."""
    for name, box in mat.zones.items():
        if name.startswith(BOX):
            _box(pen, box)
        elif name.startswith(BET):
            _bet(pen, box, name.removeprefix(BET))
        elif name == INSURANCE:
            _insurance(pen, box)
        else:
            _dashed(pen, box, _LABELS.get(name))
    _title(pen, mat)


def _box(pen: Pen, box: Box) -> None:
    pen.fill(outline(box), _SOFT)
    pen.stroke(outline(shrunk(box, 0.4)), BACK.main, 0.5)


def _bet(pen: Pen, box: Box, seat: str) -> None:
    space(pen, box, _GROUND, BACK.accent)
    x, y = box.x + box.width / 2, box.y + box.height / 2
    pen.stroke(circle(x, y, 19.0), mix(_WHITE, _GROUND, 0.6), 0.5)
    pen.numeral(x, y + 6, seat, 13, mix(_WHITE, _GROUND, 0.75), font=TITLE)


def _insurance(pen: Pen, box: Box) -> None:
    space(pen, box, mix("#8E1F2B", PAPER, 0.1), BACK.accent)
    middle = box.y + box.height / 2
    text = message("Insurance pays 2 to 1")
    pen.text(box.x + box.width / 2, middle + 4, text, 10, _WHITE, font=TITLE, align="center", spacing=3)


def _dashed(pen: Pen, box: Box, says: Message | None) -> None:
    pen.fill(outline(box), _SOFT)
    pen.stroke(outline(shrunk(box, 0.4)), BACK.main, 0.5, dash=(3, 2))
    if says is not None:
        middle = box.y + box.height / 2
        pen.text(box.x + box.width / 2, middle, says, 7, INK, font=BOLD, align="center", fit=box.width - 6)


def _title(pen: Pen, mat: Mat) -> None:
    left = mat.zones["discard"].x + mat.zones["discard"].width
    right, dealer = mat.zones["shoe"].x, mat.zones[DEALER]
    for x, lines in (
        ((left + dealer.x) / 2, (message("Blackjack"), message("pays 3 to 2"))),
        ((dealer.x + dealer.width + right) / 2, (message("A card across"), message("a hand doubles"))),
    ):
        pen.text(x, 70, lines[0], 13, INK, font=TITLE, align="center", spacing=1.5, fit=150)
        pen.text(x, 88, lines[1], 9, INK, font=TITLE, align="center", fit=150)
        ornament(pen, x, 112, 8)
    text = message("The two cards of a split lie side by side, each with its own hand. Chips on the number bet.")
    pen.text(mat.width_mm / 2, 542, text, 6.2, INK, align="center", fit=800)
