"""A player's card: the name, and the signed code with which a table's camera or dealer identifies them."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final

from companion.kernel.messages import Message, message
from companion.objects.geometry import Box
from companion.objects.player_code import PlayerCode
from companion.objects.qr_modules import qr_modules
from companion.printing.cards.marks import draw_modules
from companion.printing.cards.palette import BACK, INK, PAPER
from companion.printing.fonts import BOLD, TITLE, can_write, text_width
from companion.printing.pen import Pen, rectangle
from companion.printing.pieces import Piece

WIDTH_MM: Final = 85.6
HEIGHT_MM: Final = 54.0
"""The size of a bank card."""
_QR_MM: Final = 33.6  # 1.6 mm per module, readable by a camera over a table of one meter
_QUIET_MM: Final = 6.4  # four modules
_EDGE_MM: Final = 6.0
_SOFT: Final = "#5A5A66"
_NAME_MM: Final = (7.0, 6.2, 5.4, 4.6, 4.0)
"""Type sizes of the name, largest first."""
_BROKEN_MM: Final = (4.0, 3.4, 2.8)
"""Type sizes of a name with a word longer than a line, which is broken anywhere."""
_NAME_BEGINS_MM: Final = 6.0
_NAME_ENDS_MM: Final = 24.5
_PARTS: Final = re.compile(r"\s*[^\s-]*-+|\s*[^\s-]+")
"""The unbreakable parts of a name: lines break at spaces and after hyphens."""
_LEADING: Final = 1.1


def player_card(player: str, code: PlayerCode, say: Callable[[Message], str] = str) -> Piece:
    """Return a player's card; ``say`` translates its text."""
    return Piece(f"player-{code.number}", WIDTH_MM, HEIGHT_MM, partial(_draw, player=player, code=code, say=say))


def _draw(pen: Pen, *, player: str, code: PlayerCode, say: Callable[[Message], str]) -> None:
    column = WIDTH_MM - _QR_MM - 2 * _QUIET_MM - _EDGE_MM
    pen.fill(rectangle(0, 0, WIDTH_MM, HEIGHT_MM), PAPER)
    pen.fill(rectangle(0, 0, 2.4, HEIGHT_MM), BACK.dark)
    _name(pen, player, column)
    y = 30.0
    for group in code.spaced.split():
        pen.text(_EDGE_MM, y, group, 5.2, INK, font=BOLD, spacing=0.4, fit=column)
        y += 6.6
    pen.text(_EDGE_MM, HEIGHT_MM - 4.0, say(message("No. {n}", n=code.number)), 2.8, _SOFT)
    box = Box(WIDTH_MM - _QUIET_MM - _QR_MM, (HEIGHT_MM - _QR_MM) / 2, _QR_MM, _QR_MM)
    draw_modules(pen, qr_modules(code.text), box, _QUIET_MM)


def _name(pen: Pen, player: str, column: float) -> None:
    """Write the name in the largest type in which it fits."""
    if can_write(player, TITLE):
        size, lines = next(found for found in _set_names(player, column) if _has_room(*found, column))
    else:  # the pen draws a line to write on
        size, lines = _NAME_MM[0], [player]
    y = _NAME_BEGINS_MM + 0.86 * size
    for line in lines:
        pen.name(_EDGE_MM, y, line, size, INK, font=TITLE, fit=column)
        y += _LEADING * size


def _set_names(player: str, column: float) -> Iterator[tuple[float, list[str]]]:
    for size in _NAME_MM:
        yield size, list(_lines(_PARTS.findall(player), size, column))
    for size in _BROKEN_MM:
        yield size, list(_lines(player, size, column))


def _lines(parts: Iterable[str], size: float, column: float) -> Iterator[str]:
    """Yield the name's lines; parts are not broken."""
    line = ""
    for part in parts:
        if line and text_width(line + part, TITLE, size) > column:
            yield line
            line = part.lstrip()
        else:
            line += part
    yield line


def _has_room(size: float, lines: list[str], column: float) -> bool:
    is_high = _NAME_BEGINS_MM + _LEADING * size * len(lines) > _NAME_ENDS_MM
    is_smallest = size == _BROKEN_MM[-1]
    return is_smallest or not (is_high or any(text_width(one, TITLE, size) > column for one in lines))
