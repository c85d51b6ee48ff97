"""Prints paper chips: play money for tables without chips, the same on both sides, without tags for the camera."""

from functools import partial
from typing import Final

from companion.printing.cards.palette import PAPER, Palette
from companion.printing.fonts import BOLD, TITLE
from companion.printing.pen import Pen, circle, polygon
from companion.printing.pieces import Piece, PrintError

COIN_MM: Final = 30.0
GAP_MM: Final = 2.4
PER_VALUE: Final = (24, 12, 12)
"""Number of chips of each value, lowest first; together they fill a page of A4. Further values use the last number."""
HIGHEST: Final = 100_000
_COLORS: Final = (
    Palette("#5B606B", "#2B2E36", "#F2F0EA", "#C9CCD3"),
    Palette("#B3261E", "#5E0F0B", "#FBE9E4", "#F0B9A8"),
    Palette("#1457A8", "#0A2C58", "#E4EFFA", "#A9CBEE"),
    Palette("#1B7A45", "#0B3D22", "#E3F4EA", "#A8DDBE"),
    Palette("#22222A", "#000000", "#F1E9D2", "#D9B45B"),
)
"""By rank of the value. Values also differ in lightness, the number of marks, and always the numeral."""


def coin_pieces(values: tuple[int, ...], only: tuple[str, ...] = ()) -> tuple[Piece, ...]:
    """Return paper chips of these values, more of the lowest; ``only`` limits them to the named values.

    Raises:
        PrintError: a name is not the value of a chip.
    """
    wanted = tuple(map(_value, only)) or values
    counts = PER_VALUE + PER_VALUE[-1:] * len(wanted)
    return tuple(_piece(value, _color(value, values, i)) for i, value in enumerate(wanted) for _ in range(counts[i]))


def _value(name: str) -> int:
    if not (name.isascii() and name.isdigit() and 1 <= int(name) <= HIGHEST):
        raise PrintError(f"There is no paper chip {name}. Name values from 1 to {HIGHEST:,}, such as --only 1,5,25.")
    return int(name)


def _color(value: int, values: tuple[int, ...], place: int) -> int:
    """Return a value's color index, the same as in the whole set even if only this value is printed."""
    return (values.index(value) if value in values else place) % len(_COLORS)


def _piece(value: int, color: int) -> Piece:
    return Piece(f"coin-{value}", COIN_MM, COIN_MM, partial(draw_coin, value=value, color=color))


def draw_coin(pen: Pen, *, value: int, color: int) -> None:
    """Draw a paper chip with its top-left corner at the origin."""
    palette, radius = _COLORS[color], COIN_MM / 2
    with pen.at(radius, radius):
        pen.fill(circle(0, 0, radius), palette.main)
        _marks(pen, palette, 4 + 2 * color, radius)
        pen.fill(circle(0, 0, radius * 0.7), palette.light)
        pen.stroke(circle(0, 0, radius * 0.64), palette.main, 0.35)
        pen.text(0, 4.9, str(value), 14.0, palette.dark, font=TITLE, align="center", fit=radius * 1.1)
        for turn in (90, 270):
            with pen.at(turn=turn):
                pen.text(0, -radius * 0.78, str(value), 3.4, palette.light, font=BOLD, align="center")


def _marks(pen: Pen, palette: Palette, count: int, radius: float) -> None:
    """Draw the rim marks, two more for each step in value, visible in a stack. The numerals are between them."""
    first = 0.5 if count % 4 == 0 else 0.0
    for i in range(count):
        with pen.at(turn=360 * (i + first) / count):
            pen.fill(polygon([(-1.4, -radius), (1.4, -radius), (1.0, -radius * 0.82), (-1.0, -radius * 0.82)]), PAPER)
