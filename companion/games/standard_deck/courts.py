"""The court cards and the joker: figures of our own, told apart by crown, beard, collar and cap."""

import pathlib
from typing import Final

from companion.games.standard_deck.palette import GOLD, Inks
from companion.objects.geometry import Box
from companion.printing.cards.emblems import draw_sign
from companion.printing.cards.palette import PAPER
from companion.printing.drawings import Drawings
from companion.printing.pen import Pen, circle, mix, polygon, rectangle

_FIGURES: Final = Drawings(pathlib.Path(__file__).with_name("courts.svg"))
# In the file: the suit's three colours and the hair's two; what everybody has keeps its colour.
_MAIN, _DARK, _LIGHT, _HAIR, _LOCK = "#B3202C", "#5E0F1A", "#F7E3DC", "#4A2E1B", "#7A5233"
_KEPT: Final = (
    "#D9A93F", "#94681A", "#FFFFFF", "#F5DCC3", "#DDB08A", "#1B1A22", "#B5474B", "#A9764E", "#EFC0A2", "#EFA98E",
)  # fmt: skip
_FIELD: Final = (40.0, 42.0)  # the figures' own size, mm


def draw_court(pen: Pen, box: Box, name: str, suit: str, inks: Inks) -> None:
    """Draw a framed figure that fills a box from its foot.

    Args:
        name: the figure's symbol: a rank, or the joker.
        suit: what it holds and wears; an empty text for the joker.
    """
    scale, foot = box.width / _FIELD[0], box.y + box.height
    colors = {kept: kept for kept in _KEPT} | {
        _MAIN: inks.main, _DARK: inks.dark, _LIGHT: mix(inks.light, inks.main, 0.2), _HAIR: inks.hair, _LOCK: inks.lock,
    }  # fmt: skip
    field = rectangle(box.x, box.y, box.width, box.height)
    with pen.clip(field):
        pen.fill(field, inks.light)
        with pen.at(box.x + box.width / 2, foot - _FIELD[1] / 2 * scale, scale=scale):
            _ground(pen, suit, mix(inks.light, inks.main, 0.13))
        draw_frame(pen, box, inks)
        with pen.at(box.x + box.width / 2, foot - _FIELD[1] / 2 * scale, scale=scale):
            if suit:
                with pen.at(14.6, 4.4, scale=0.8):
                    _FIGURES.draw(pen, f"held-{suit}", colors)
            _FIGURES.draw(pen, name, colors)
        if suit:
            draw_sign(pen, suit, box.x + box.width - 5.6, box.y + 5.8, 3.4, inks.main)
    pen.stroke(field, inks.main, 0.45)


def draw_frame(pen: Pen, box: Box, inks: Inks) -> None:
    """Draw the double frame of a picture."""
    pen.stroke(rectangle(box.x, box.y, box.width, box.height), inks.main, 0.45)
    pen.stroke(rectangle(box.x + 1, box.y + 1, box.width - 2, box.height - 2), GOLD, 0.3)


def _ground(pen: Pen, suit: str, color: str) -> None:
    """Rays behind spades, rings behind hearts, lozenges behind diamonds, leaves behind clubs."""
    if suit in ("S", ""):
        for ray in range(-9, 10):
            with pen.at(0, 8, turn=ray * 14):
                pen.fill(polygon([(-0.2, 0), (0.2, 0), (3.6, -84), (-3.6, -84)]), color)
        return
    for row in range(-14, 7):
        for column in range(-6, 7):
            x, y = (column + row % 2 / 2) * 5.0, row * 4.2
            if suit == "H":
                pen.stroke(circle(x, y, 2.9), color, 0.5)
            elif suit == "D":
                pen.fill(polygon([(x, y - 1.7), (x + 1.1, y), (x, y + 1.7), (x - 1.1, y)]), color)
            else:
                for dx, dy in ((0, -0.9), (-0.85, 0.5), (0.85, 0.5)):
                    pen.fill(circle(x + dx, y + dy, 0.75), color)


def draw_cut_ground(pen: Pen, box: Box, inks: Inks) -> None:
    """Broad stripes: nobody takes it for a card to play."""
    field = rectangle(box.x, box.y, box.width, box.height)
    with pen.clip(field):
        pen.fill(field, GOLD)
        reach = box.width + box.height
        for start in range(-int(box.height), int(reach), 12):
            x = box.x + start
            pen.fill(polygon([(x, box.y), (x + 6, box.y), (x + 6 + reach, box.y + reach), (x + reach, box.y + reach)]),
                     inks.main)  # fmt: skip
        pen.fill(rectangle(box.x, box.y + box.height / 2 - 6, box.width, 12), PAPER)
    draw_frame(pen, box, inks)
