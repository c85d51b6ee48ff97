"""The face of a standard card.

Tags and code leave a column under the first tag, the same column turned round above the second one, and a picture
beside it. A large index stands in each column, so a fan shows it from either end, and a small one between tag and
code, which shows in a staggered stack.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from companion.games.standard_deck.cards import CUT_CARD, EXTRAS, JOKER
from companion.games.standard_deck.courts import draw_court, draw_cut_ground, draw_frame
from companion.games.standard_deck.palette import FOUR_COLORS, GOLD, TWO_COLORS, Inks
from companion.kernel.messages import message
from companion.objects.designs import DeckArt
from companion.objects.geometry import TAG_QUIET_MM, Box, CardGeometry
from companion.printing.cards.emblems import draw_sign
from companion.printing.cards.palette import PAPER
from companion.printing.cards.window import CLEAR_MM, column, index_middle, panel
from companion.printing.fonts import BOLD, CAP_HEIGHT, TITLE
from companion.printing.pen import Pen, circle, mix, polygon, rectangle, star

_NAMES: Final = {JOKER: message("JOKER"), CUT_CARD: message("CUT")}
_EDGE_MM: Final = 2.2
_INDEX_X: Final = 10.0  # the middle of the large index, from the card's edge
_RANK_MM: Final = 11.0
_TAILED: Final = "JQ"  # their tails reach below the line
_PIP_ROWS: Final[Mapping[str, tuple[tuple[float, float], ...]]] = {
    "2": ((0.5, 0.0),),
    "3": ((0.5, 0.0), (0.5, 0.5)),
    "4": ((0.0, 0.0), (1.0, 0.0)),
    "5": ((0.0, 0.0), (1.0, 0.0), (0.5, 0.5)),
    "6": ((0.0, 0.0), (1.0, 0.0), (0.0, 0.5), (1.0, 0.5)),
    "7": ((0.0, 0.0), (1.0, 0.0), (0.0, 0.5), (1.0, 0.5)),
    "8": ((0.0, 0.0), (1.0, 0.0), (0.0, 0.5), (1.0, 0.5), (0.5, 0.25)),
    "9": ((0.0, 0.0), (1.0, 0.0), (0.0, 1 / 3), (1.0, 1 / 3), (0.5, 0.5)),
    "T": ((0.0, 0.0), (1.0, 0.0), (0.0, 1 / 3), (1.0, 1 / 3), (0.5, 1 / 6)),
}
"""The upper half of a card's pips, across and down its picture; the lower half is the same turned round."""


@dataclass(frozen=True, slots=True)
class _Style:
    inks: Mapping[str, Inks]
    is_large: bool = False


_CLASSIC: Final = _Style(TWO_COLORS)
STYLES: Final = {"four-color": _Style(FOUR_COLORS), "large": _Style(FOUR_COLORS, is_large=True)}
"""Other ways to print the deck: four colours; nothing but a rank and a suit as large as the card allows."""


def art(style: str | None = None) -> DeckArt:
    """Return the deck's artist."""
    chosen = _CLASSIC if style is None else STYLES[style]
    return DeckArt(partial(draw_face, chosen), partial(draw_label, chosen), mark=draw_mark)


def draw_face(style: _Style, pen: Pen, geometry: CardGeometry, card_id: str) -> None:
    """Draw a card's face with its top-left corner at the origin."""
    width, height = geometry.width, geometry.height
    inks = _inks(style, card_id)
    pen.fill(rectangle(0, 0, width, height), PAPER)
    pen.stroke(rectangle(_EDGE_MM, _EDGE_MM, width - 2 * _EDGE_MM, height - 2 * _EDGE_MM), inks.main, 0.25)
    _small_index(pen, geometry, card_id, inks)
    _large_index(pen, geometry, card_id, inks)
    with pen.at(width, height, turn=180):
        _large_index(pen, geometry, card_id, inks)
    _picture(pen, picture(geometry), card_id, style)


def draw_label(style: _Style, pen: Pen, geometry: CardGeometry, card_id: str) -> None:
    """Draw both indices of the upper corner: all that a label has room for."""
    inks = _inks(style, card_id)
    _small_index(pen, geometry, card_id, inks)
    _large_index(pen, geometry, card_id, inks)


def draw_mark(pen: Pen, geometry: CardGeometry, deck_id: str) -> None:
    """Write the deck's id below the code: it says to people of which deck a card is."""
    right, top = geometry.width - column(geometry).x, panel(geometry).y
    pen.text(right - 0.6, top + 2.6, deck_id, 2.5, "#8A8A92", font=BOLD, align="right", spacing=0.3)


def picture(geometry: CardGeometry) -> Box:
    """Return the field left of the second tag, from below the code to the card's foot."""
    top, left = panel(geometry).y + 0.7, column(geometry).x
    right = geometry.second_tag.x - TAG_QUIET_MM - CLEAR_MM
    return Box(left, top, right - left, geometry.height - left - top)


def _inks(style: _Style, card_id: str) -> Inks:
    return style.inks["H" if card_id == JOKER else "S" if card_id == CUT_CARD else card_id[1]]


def _rank(card_id: str) -> str:
    return "10" if card_id[0] == "T" else card_id[0]


def _small_index(pen: Pen, geometry: CardGeometry, card_id: str, inks: Inks) -> None:
    cx = index_middle(geometry)
    if card_id in EXTRAS:
        pen.fill(star(cx, 9.0, 1.6, 0.65, 5), inks.main)
        return
    pen.text(cx, 9.0, _rank(card_id), 5.6, inks.main, font=BOLD, align="center", fit=3.3)
    draw_sign(pen, card_id[1], cx, 11.9, 1.6, inks.main)


def _large_index(pen: Pen, geometry: CardGeometry, card_id: str, inks: Inks) -> None:
    """Rank over suit under the first tag; the joker and the cut card have their name there, letter below letter."""
    top = column(geometry).y + 0.6
    if card_id in EXTRAS:
        word = pen.said(_NAMES[card_id])
        step = 19.6 / len(word)
        for i, letter in enumerate(word):
            pen.numeral(_INDEX_X, top + (i + 1) * step - 0.9, letter, step - 0.9, inks.main, font=BOLD)
        return
    high = _RANK_MM * (0.86 if card_id[0] in _TAILED else 1)
    size = high / CAP_HEIGHT[BOLD]
    pen.text(_INDEX_X, top + high, _rank(card_id), size, inks.main, font=BOLD, align="center", fit=11.0)
    draw_sign(pen, card_id[1], _INDEX_X, top + _RANK_MM + 4.8, 3.5, inks.main)


def _picture(pen: Pen, box: Box, card_id: str, style: _Style) -> None:
    inks = _inks(style, card_id)
    middle = (box.x + box.width / 2, box.y + box.height / 2)
    if card_id == JOKER:
        draw_court(pen, box, JOKER, "", inks)
    elif card_id == CUT_CARD:
        draw_cut_ground(pen, box, inks)
        size = 4.4 / CAP_HEIGHT[TITLE]
        words = message("CUT CARD")
        pen.text(middle[0], middle[1] + 2.2, words, size, inks.main, font=TITLE, align="center", fit=box.width - 2.4)
    elif style.is_large:
        _only_index(pen, box, card_id, inks)
    elif card_id[0] in "JQK":
        draw_court(pen, box, card_id[0], card_id[1], inks)
    else:
        draw_frame(pen, box, inks)
        if card_id[0] == "A":
            _ace(pen, middle, min(box.width, box.height) / 2 - 1.6, card_id[1], inks)
        else:
            _pips(pen, box, card_id, inks)


def _pips(pen: Pen, box: Box, card_id: str, inks: Inks) -> None:
    rank, suit = card_id[0], card_id[1]
    radius = min(box.width, box.height) * (0.12 if rank in "2345" else 0.094)
    across, down = box.width - 5 * radius, box.height - 4 * radius
    cx, cy = box.x + box.width / 2, box.y + box.height / 2
    for turn in (0, 180):
        with pen.at(cx, cy, turn=turn):
            for x, y in _PIP_ROWS[rank]:
                if turn == 0 or y != 0.5:
                    draw_sign(pen, suit, (x - 0.5) * across, (y - 0.5) * down, radius, inks.main)
            if rank == "7" and turn == 0:
                draw_sign(pen, suit, 0, -0.25 * down, radius, inks.main)


def _ace(pen: Pen, middle: tuple[float, float], reach: float, suit: str, inks: Inks) -> None:
    """One large pip in a wreath of rays and beads."""
    pale = mix(GOLD, PAPER, 0.35)
    with pen.at(*middle, scale=reach / 20):
        for i in range(48):
            with pen.at(turn=7.5 * i):
                pen.fill(polygon([(-0.28, -14.6), (0.28, -14.6), (0, -19.2 if i % 2 == 0 else -17)]), pale)
                if i % 4 == 0:
                    pen.fill(circle(0, -19.4, 0.42), inks.main)
        pen.stroke(circle(0, 0, 14.0), GOLD, 0.45)
        pen.stroke(circle(0, 0, 13.1), inks.main, 0.2)
        draw_sign(pen, suit, 0, 0, 10.8, inks.main)
        draw_sign(pen, suit, 0, 0, 3.4, inks.light)


def _only_index(pen: Pen, box: Box, card_id: str, inks: Inks) -> None:
    """Rank and suit that fill the picture, for eyes that cannot make out pips."""
    cx, high = box.x + box.width / 2, min(box.height * 0.4, box.width * 0.6)
    shown = high * (0.84 if card_id[0] in _TAILED else 1)
    foot = box.y + box.height * 0.06 + high
    size = shown / CAP_HEIGHT[BOLD]
    pen.text(
        cx, foot - (high - shown) / 2, _rank(card_id), size, inks.main, font=BOLD, align="center", fit=box.width - 2
    )
    radius = min(box.height * 0.23, box.width * 0.3)
    draw_sign(pen, card_id[1], cx, box.y + box.height - radius - 0.8, radius, inks.main)
