"""Seat cards: the seat's number, and the code with which a phone joins it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import segno

from companion.kernel.messages import Message, message
from companion.objects.geometry import Box
from companion.printing.cards.marks import draw_modules
from companion.printing.cards.palette import BACK, INK, PAPER
from companion.printing.chips import seat_color
from companion.printing.fonts import BOLD, TEXT, TITLE
from companion.printing.pen import LEADING, Pen, lines_of, rectangle
from companion.printing.pieces import Piece

Say = Callable[[Message], str]

WIDTH_MM: Final = 95.0
HEIGHT_MM: Final = 66.0
_QR_MM: Final = 40.0
_QUIET_MODULES: Final = 4
_SOFT: Final = "#5A5A66"
_STEPS_MM: Final = (3.7, 3.4, 3.1, 2.8)
"""Type sizes of the instructions, largest first; the first that leaves room for address and code is used."""
_STEPS_END_MM: Final = 45.2


@dataclass(frozen=True, slots=True)
class SeatCode:
    """What a phone needs to join a seat.

    Attributes:
        address: the URL of the seat's page, where the code is typed; the QR code appends it after a ``#``.
        code: the one-time code, as displayed.
        player: the seated player, or None.
    """

    seat: int
    address: str
    code: str
    player: str | None = None

    @property
    def link(self) -> str:
        """The content of the QR code."""
        return f"{self.address}#{self.code.replace('-', '')}"


def seat_cards(codes: Iterable[SeatCode], say: Say) -> tuple[Piece, ...]:
    """Return a card for each seat."""
    return tuple(Piece(f"seat-{one.seat}", WIDTH_MM, HEIGHT_MM, partial(_draw, code=one, say=say)) for one in codes)


def _draw(pen: Pen, *, code: SeatCode, say: Say) -> None:
    color, left = seat_color(code.seat), 7.0
    pen.fill(rectangle(0, 0, WIDTH_MM, HEIGHT_MM), PAPER)
    pen.fill(rectangle(0, 0, WIDTH_MM, 17.0), color)
    pen.text(left, 12.6, say(message("Seat {seat}", seat=code.seat)), 11.0, PAPER, font=TITLE, fit=WIDTH_MM - 14)
    column = WIDTH_MM - _QR_MM - 2 * left - 4.0
    y = 26.0
    if code.player:
        pen.name(left, y, code.player, 5.6, INK, font=BOLD, fit=column)
        y += 6.4
    steps = say(message("Scan with your phone, in the same network as the table. The code works once."))
    size = next((one for one in _STEPS_MM if _foot(y, steps, one, column) <= _STEPS_END_MM), _STEPS_MM[-1])
    y = pen.paragraph(left, y, steps, size, INK, column) + 2.2
    pen.text(left, y, say(message("Or open")), 3.2, _SOFT)
    pen.text(left, y + 4.6, code.address.partition("://")[2] or code.address, 3.7, INK, font=BOLD, fit=column)
    pen.text(left, y + 9.4, say(message("and type")), 3.2, _SOFT)
    pen.text(left, y + 15.2, code.code, 5.8, BACK.dark, font=BOLD, spacing=0.3, fit=column)
    _qr(pen, code.link, WIDTH_MM - left - _QR_MM, 21.0)


def _foot(y: float, text: str, size: float, width: float) -> float:
    """Return the baseline after a paragraph."""
    return y + LEADING * size * len(lines_of(text, TEXT, size, width))


def _qr(pen: Pen, text: str, x: float, y: float) -> None:
    modules: Any = segno.make(text, micro=False, error="m").matrix
    rows = tuple(tuple(bool(cell) for cell in row) for row in modules)
    quiet = _QR_MM * _QUIET_MODULES / (len(rows) + 2 * _QUIET_MODULES)
    draw_modules(pen, rows, Box(x + quiet, y + quiet, _QR_MM - 2 * quiet, _QR_MM - 2 * quiet), quiet)
