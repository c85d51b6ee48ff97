"""Coins as chips of 1, 5 and 10: their artwork, and the composition of amounts."""

from functools import partial
from typing import Final

from companion.printing.fonts import TITLE
from companion.printing.pen import Pen, circle, rectangle
from companion.printing.pieces import Piece
from hardware.demo.block import Bgr
from hardware.demo.faces import CHIP, CHIP_MM

VALUES: Final = (1, 5, 10)
CHIP_THICKNESS_MM: Final = 2.6

_COLOURS: Final = {1: "#8C5A2B", 5: "#8F97A3", 10: "#C79A2E"}
_INK: Final = {1: "#F3DDB8", 5: "#20242C", 10: "#3A2A08"}
EDGES: Final[dict[int, tuple[Bgr, Bgr]]] = {
    1: ((38, 78, 120), (20, 44, 72)),
    5: ((150, 140, 132), (96, 88, 82)),
    10: ((44, 138, 184), (22, 84, 116)),
}
"""Colours of a stack's edge and of the lines between its chips, by value."""


def chip_name(value: int) -> str:
    """Return a chip's name in `Faces`."""
    return f"{CHIP}{value}"


def chip_piece(value: int) -> Piece:
    """Return a chip's face as a printable piece."""
    return Piece(chip_name(value), CHIP_MM, CHIP_MM, partial(_draw, value=value))


def _draw(pen: Pen, value: int) -> None:
    radius = CHIP_MM / 2
    with pen.at(radius, radius):
        pen.fill(circle(0, 0, radius), _COLOURS[value])
        for turn in range(0, 360, 60):
            with pen.at(turn=turn):
                pen.fill(rectangle(-1.6, -radius + 0.3, 3.2, 2.6), _INK[value])
        pen.stroke(circle(0, 0, radius - 3.4), _INK[value], 0.5)
        pen.numeral(0, 3.0, str(value), 6.4, _INK[value], font=TITLE)


def chips_for(coins: int) -> dict[int, int]:
    """Return the number of chips of each value in a player's stack: some ones to pay with, some fives, the rest tens.

    >>> chips_for(3), chips_for(107)
    ({1: 3, 5: 0, 10: 0}, {1: 7, 5: 4, 10: 8})
    """
    ones = coins if coins < 10 else coins % 5 + 5
    fives = min((coins - ones) // 5, 4 + (coins - ones) // 5 % 2)
    tens, left = divmod(coins - ones - 5 * fives, 10)
    return {1: ones, 5: fives + left // 5, 10: tens}


def payment(coins: int) -> tuple[int, ...]:
    """Return the smallest set of chips that makes an amount, largest first.

    >>> payment(7)
    (5, 1, 1)
    """
    chips: list[int] = []
    for value in reversed(VALUES):
        chips += [value] * ((coins - sum(chips)) // value)
    return tuple(chips)
