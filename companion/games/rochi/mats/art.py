"""Artwork of the Rochi mat, printed to the layout in `companion.games.rochi.mats.zones`."""

from collections.abc import Callable
from typing import Final

from companion.games.roche_deck.design import RED, RED_RANKS
from companion.games.roche_deck.emblems import draw_emblem
from companion.games.roche_deck.mat_zones import DECK, DISCARD, draw_stack, pile
from companion.kernel.messages import message
from companion.objects.cards import RANKS
from companion.objects.geometry import Box
from companion.objects.mat import Mat
from companion.printing.cards.palette import PALETTES, PAPER
from companion.printing.fonts import BOLD, TITLE
from companion.printing.mats.art import INK, ornament, outline, shrunk
from companion.printing.pen import Pen, circle, mix


def draw_mat(pen: Pen, mat: Mat, deck: str | None) -> None:
    """Draw the mat's contents, inside the frame; for the red deck without the Mages' stack and pot."""
    ranks = RED_RANKS if deck == RED.kind else RANKS
    for name, box in mat.zones.items():
        kind, _, rest = name.partition("/")
        if kind not in ("stack", "pot") or int(rest) in ranks:
            _ZONES[kind](pen, box, rest)
    pen.text(157, 362, "Rochi", 17, INK, font=TITLE, align="center", fit=68)
    ornament(pen, 157, 396, 18)


def _pot(pen: Pen, box: Box, rank_text: str) -> None:
    rank = int(rank_text)
    palette, cx, cy = PALETTES[rank], box.x + box.width / 2, box.y + box.height / 2
    radius = min(box.width, box.height) / 2 - 2
    pen.fill(circle(cx, cy, radius), palette.light)
    pen.stroke(circle(cx, cy, radius), palette.main, 0.9)
    pen.stroke(circle(cx, cy, radius - 1.8), palette.main, 0.25)
    draw_emblem(pen, rank, cx, cy - 4, 15, mix(palette.light, palette.main, 0.4), palette.light)
    pen.numeral(cx, cy + 25, rank_text, 8, palette.main, font=TITLE)


def _seat(pen: Pen, box: Box, number: str) -> None:
    """Draw a player's place, readable from that side of the table."""
    pen.stroke(outline(box), INK, 0.7)
    pen.stroke(outline(shrunk(box, 1.8)), INK, 0.25)
    turn = {"3": 90, "4": 180, "5": 180, "6": -90}.get(number, 0)
    wide, high = (box.width, box.height) if turn in (0, 180) else (box.height, box.width)
    with pen.at(box.x + box.width / 2, box.y + box.height / 2, turn=turn):
        pen.numeral(0, 10, number, 24, mix(INK, PAPER, 0.78), font=TITLE)
        label = message("Seat {number}  ·  Shields and tokens", number=number)
        pen.text(0, high / 2 - 8, label, 6, INK, font=BOLD, align="center", fit=wide - 8)


_ZONES: Final[dict[str, Callable[[Pen, Box, str], None]]] = {
    "stack": draw_stack,
    "deck": pile(DECK),
    "discard": pile(DISCARD),
    "pot": _pot,
    "seat": _seat,
}
