"""Prints betting chips: discs in the seat's colour with seat, value and tag."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from companion.objects.chips import CHIP_MM, CHIP_TAG_MM, CHIPS, Chip
from companion.objects.geometry import Box
from companion.printing.cards.marks import WHITE, draw_tag
from companion.printing.fonts import BOLD
from companion.printing.pen import Pen, circle, rectangle
from companion.printing.pieces import Piece, PrintError

PER_VALUE: Final = {1: 12, 5: 12, 25: 12, 100: 12, 500: 6}
"""Value -> number of chips per seat; together they fill a page of A4."""
_SEATS: Final = range(1, 7)
_COLORS: Final = ("#7D4E00", "#0F5C94", "#8B1D5A", "#1E6A3D", "#5F3690", "#A03412")
"""The seats' colors, as on the pages; seats 7 to 12 reuse them with twice as many marks on the rim."""
_WHITE_MM: Final = 1.6


def chip_pieces(only: Sequence[str] = ()) -> tuple[Piece, ...]:
    """Return a set of chips for seats 1 to 6, or for the named seats (``C7``) and single chips (``C7-25``).

    Raises:
        PrintError: an unknown name.
    """
    wanted = only or [f"C{seat}" for seat in _SEATS]
    return tuple(_piece(chip) for name in wanted for chip in _chips(name))


def _chips(name: str) -> list[Chip]:
    if name in CHIPS:
        return [CHIPS[name]]
    chips = [chip for chip in CHIPS.values() if f"C{chip.seat}" == name for _ in range(PER_VALUE[chip.value])]
    if not chips:
        raise PrintError(f"There is no chip {name}. Name a seat, C1 to C12, or a chip such as C3-25.")
    return chips


def _piece(chip: Chip) -> Piece:
    return Piece(chip.id, CHIP_MM, CHIP_MM, partial(draw_chip, chip=chip))


def seat_color(seat: int) -> str:
    """Return the color of a seat's chips and card."""
    return _COLORS[(seat - 1) % len(_COLORS)]


def draw_chip(pen: Pen, chip: Chip) -> None:
    """Draw a chip with its top-left corner at the origin."""
    radius, color = CHIP_MM / 2, seat_color(chip.seat)
    half = CHIP_TAG_MM / 2
    with pen.at(radius, radius):
        pen.fill(circle(0, 0, radius), color)
        for turn in range(45, 360, 90):
            for more in (0,) if chip.seat <= len(_COLORS) else (-13, 13):
                with pen.at(turn=turn + more):
                    pen.fill(rectangle(-1.1, -radius, 2.2, 1.9), WHITE)
        draw_tag(pen, chip.tag, Box(-half, -half, CHIP_TAG_MM, CHIP_TAG_MM), quiet=_WHITE_MM)
        for turn in (0, 180):
            with pen.at(turn=turn):
                pen.numeral(0, -half - _WHITE_MM - 1.2, str(chip.value), 4.4, WHITE, font=BOLD)
        for turn in (90, 270):
            with pen.at(turn=turn):
                pen.numeral(0, -half - _WHITE_MM - 1.4, f"({chip.seat})", 3.4, WHITE, font=BOLD)
