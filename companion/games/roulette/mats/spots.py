"""Maps a chip's position on the mat to its bet: on a number, or on a line between several."""

from typing import Final, Literal

from companion.games.roulette.layout import layout
from companion.games.roulette.mats.zones import AMERICAN, CELL, EUROPEAN, FIRST, LINE
from companion.games.roulette.wheel import Wheel
from companion.objects.mat import Mat

UNSURE: Final = "unsure"
MATS: Final[dict[Wheel, Mat]] = {"european": EUROPEAN, "american": AMERICAN}
ON_LINE_MM: Final = 8.0
"""Maximum distance of a chip's centre from a line to count as on it."""
OFF_LINE_MM: Final = 11.5
"""Minimum distance to count as beside the line; in between it is ambiguous."""
_COLUMNS: Final = 12
_ROWS: Final = 3


def spot_at(x: float, y: float, wheel: Wheel) -> str | Literal["unsure"] | None:
    """Return the bet of a chip with its centre at a point of the mat (mm).

    `UNSURE` if ambiguous, or on a line without a bet; None outside the layout.

    >>> spot_at(104 + 4.5 * 46, 70 + 1.5 * 62, "european")  # the middle of 14
    'straight/14'
    >>> spot_at(104 + 5 * 46, 70 + 1.5 * 62, "european")  # right of it
    'split/14/17'
    """
    (left, top), (wide, high) = FIRST, CELL
    column, row = (x - left) / wide, (y - top) / high
    if -1 <= column < _COLUMNS + OFF_LINE_MM / wide and -OFF_LINE_MM / high <= row < _ROWS + OFF_LINE_MM / high:
        return _inside(column, row, wheel)
    return _outside(x, y, wheel)


def _inside(column: float, row: float, wheel: Wheel) -> str:
    """Return a bet on or between numbers; columns and rows are counted from the corner of number 3."""
    across, down = _step(column, CELL[0]), _step(row, CELL[1])
    if across is None or down is None or (down[1] and down[0] == 0):  # there is no bet above the first row
        return UNSURE
    found = _named(across, down, row, wheel)
    return found if found in layout(wheel) else UNSURE


def _step(at: float, size: float) -> tuple[int, bool] | None:
    """Return a cell, and whether the line before it is touched; None if ambiguous."""
    nearest = round(at)
    distance = abs(at - nearest) * size
    if distance <= ON_LINE_MM:
        return nearest, True
    return (int(at // 1), False) if distance >= OFF_LINE_MM else None


def _named(across: tuple[int, bool], down: tuple[int, bool], row: float, wheel: Wheel) -> str:
    """Return the name of the bet, which may not be offered."""
    (column, is_between), (line, is_below) = across, down
    if column < 0 or (column == 0 and is_between):
        return UNSURE if column < 0 and is_between else _zeros(is_between, row, wheel)
    if column == _COLUMNS:
        return UNSURE
    low = 3 * column + _ROWS - line  # the number in this cell, or below a touched line
    first = 3 * column + 1
    if is_below and line == _ROWS:
        return f"line/{first - 3}" if is_between else f"street/{first}"
    if is_between:
        return f"corner/{low - 3}" if is_below else f"split/{low - 3}/{low}"
    return f"split/{low}/{low + 1}" if is_below else f"straight/{low}"


def _zeros(is_between: bool, row: float, wheel: Wheel) -> str:
    """Return a bet on a zero, between two, or between a zero and a number beside it."""
    middle = abs(row - _ROWS / 2) * CELL[1]
    is_double = wheel == "american"
    if is_double and ON_LINE_MM < middle < OFF_LINE_MM:
        return UNSURE
    zero = "00" if is_double and row < _ROWS / 2 else "0"
    if is_double and middle <= ON_LINE_MM:
        return UNSURE if is_between else "split/0/00"
    if not is_between:
        return f"straight/{zero}"
    beside = _step(row, CELL[1])
    return UNSURE if beside is None or beside[1] else f"split/{zero}/{_ROWS - beside[0]}"


def _outside(x: float, y: float, wheel: Wheel) -> str | None:
    """Return the outside bet whose space contains the chip's centre, away from its edges."""
    mat = MATS[wheel]
    here = mat.zone_at(x, y) or mat.zone_at(x + LINE, y) or mat.zone_at(x, y + LINE)
    if here is None:
        return UNSURE if any(mat.zone_at(x + dx, y + dy) for dx in (-8, 0, 8) for dy in (-8, 0, 8)) else None
    box, edge = mat.zones[here], OFF_LINE_MM / 2
    is_in = box.x + edge <= x <= box.x + box.width - edge and box.y + edge <= y <= box.y + box.height - edge
    return here.removeprefix("bet/") if is_in else UNSURE
