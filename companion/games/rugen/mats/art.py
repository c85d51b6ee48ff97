"""Artwork of the House Rugen mat, printed to the layout in `zones`."""

from collections.abc import Callable
from typing import Final

from companion.games.rugen.prices import spot_price
from companion.kernel.messages import message
from companion.objects.dice import NUMBERS
from companion.objects.geometry import Box
from companion.objects.mat import Mat
from companion.printing.cards.emblems import draw_moon, draw_sun
from companion.printing.cards.palette import PALETTES, PAPER, Palette
from companion.printing.fonts import BOLD, CAP_HEIGHT, TITLE
from companion.printing.mats.art import INK, ornament, outline, shrunk, space
from companion.printing.pen import Pen, circle, mix

_OF_NUMBER: Final = {1: PALETTES[3], 2: PALETTES[4], 3: PALETTES[6], 4: PALETTES[5]}
_HALVES: Final = {True: message("Day"), False: message("Night")}
_ALL: Final = {True: message("All day"), False: message("All night")}
_MARKER_MM: Final = 27.0  # for a penny or a chip


def draw_rugen(pen: Pen, mat: Mat, _deck: str | None) -> None:
    """Draw the contents of the House Rugen mat, inside the frame."""
    for name, box in mat.zones.items():
        kind, _, rest = name.partition("/")
        _RUGEN[kind](pen, box, rest)
    for number in NUMBERS:
        _headline(pen, mat, number)
    pen.text(mat.width_mm / 2, 34, message("House Rugen"), 17, INK, font=TITLE, align="center", spacing=4, fit=270)
    for x in (mat.width_mm / 2 - 150, mat.width_mm / 2 + 150):
        ornament(pen, x, 28, 9)
    _legend(pen, mat)


def _headline(pen: Pen, mat: Mat, number: int) -> None:
    """Draw the number, and below the halves its d20 values, between the chain bets and the center."""
    x, palette = mat.zones[f"bet/center/{number}"].x, _OF_NUMBER[number]
    cx = x + 75.0
    pen.line(x, 218, x + 46, 218, palette.main, 0.6)
    pen.line(x + 104, 218, x + 150, 218, palette.main, 0.6)
    pen.numeral(cx, 230, str(number), 23, palette.main, font=TITLE)
    pen.text(cx, 487, message("on an ordinary d20"), 5.2, INK, align="center")


def _markers(pen: Pen, box: Box, rest: str) -> None:
    """Draw a place for each throw of the number, the last of which breaks the chain."""
    number = int(rest)
    palette = _OF_NUMBER[number]
    pen.stroke(outline(box), palette.main, 0.5)
    step = _MARKER_MM + 6
    first = box.x + box.width / 2 - step * (number - 1) / 2
    for i in range(number):
        cx, cy = first + step * i, box.y + box.height / 2
        last = i == number - 1
        pen.fill(circle(cx, cy, _MARKER_MM / 2), mix(palette.light, palette.main, 0.25) if last else palette.light)
        pen.stroke(circle(cx, cy, _MARKER_MM / 2), palette.main, 0.9 if last else 0.4)
        if last:
            size, words = 4.2 / CAP_HEIGHT[BOLD], message("breaks")
            pen.text(cx, cy + 4, words, size, palette.main, font=BOLD, align="center", fit=_MARKER_MM - 3)
        else:
            pen.numeral(cx, cy + 4, str(i + 1), 8, palette.main, font=BOLD)


def _d20(pen: Pen, box: Box, rest: str) -> None:
    pen.stroke(outline(shrunk(box, 0.6)), mix(INK, PAPER, 0.55), 0.3)
    pen.numeral(box.x + box.width / 2, box.y + box.height / 2 + 4.5, rest, 9.0, INK, font=BOLD)


def _bet(pen: Pen, box: Box, rest: str) -> None:
    kind, _, number = rest.partition("/")
    _BETS[kind](pen, box, int(number))


def _center(pen: Pen, box: Box, number: int) -> None:
    """Draw the space with as many white dots as the number, since bets are multiples of it."""
    palette = _OF_NUMBER[number]
    space(pen, box, palette.main, palette.dark)
    cx, cy = box.x + box.width / 2, box.y + 42
    for i in range(number):
        pen.fill(circle(cx + 22 * (i - (number - 1) / 2), cy, 8.0), PAPER)
    day, night = (spot_price(f"center/{number}", half, "day") for half in ("day", "night"))
    pen.text(cx, box.y + 80, message("Center"), 12, palette.light, font=TITLE, align="center")
    prices = message("day {day}  ·  night {night}", day=str(day), night=str(night))
    pen.text(cx, box.y + 98, prices, 9.5, palette.light, font=BOLD, align="center", fit=142)
    many = message("in multiples of {number}", number=number) if number > 1 else message("any amount")
    wins = message("the next throw is a {number}; {many}", number=number, many=many)
    pen.text(cx, box.y + 110, wins, 5.2, palette.light, align="center", fit=142)


def _half(is_day: bool, label: str, size: float) -> Callable[[Pen, Box, int], None]:
    def draw(pen: Pen, box: Box, number: int) -> None:
        palette: Palette = _OF_NUMBER[number]
        ground, ink = (palette.light, palette.main) if is_day else (palette.dark, palette.light)
        space(pen, box, ground, palette.main)
        cx, radius = box.x + box.width / 2, min(box.width * 0.28, 18.0)
        if is_day:
            draw_sun(pen, cx, box.y + box.height * 0.3, radius, palette.accent, rays=12)
        else:
            draw_moon(pen, cx, box.y + box.height * 0.3, radius * 0.85, palette.accent)
        on = "/".join((f"{label}-{'day' if is_day else 'night'}".lstrip("-"), str(number)))
        words = _HALVES[is_day] if not label else _ALL[is_day]
        pen.text(cx, box.y + box.height * 0.7, words, size, ink, font=TITLE, align="center", fit=box.width - 3)
        price = str(spot_price(on, "day", "day"))
        pen.text(cx, box.y + box.height * 0.9, price, size * 1.1, ink, font=BOLD, align="center")

    return draw


def _chain(pen: Pen, box: Box, number: int) -> None:
    palette = _OF_NUMBER[number]
    space(pen, box, mix(palette.main, palette.dark, 0.35), palette.accent)
    cx = box.x + box.width / 2
    pen.numeral(cx, box.y + 42, str(number), 26, palette.accent, font=TITLE)
    pen.text(
        cx, box.y + 60, message("breaks the chain"), 6.4, palette.light, font=TITLE, align="center", fit=box.width - 4
    )
    day, night = (spot_price(f"chain/{number}", half, "day") for half in ("day", "night"))
    pen.text(cx, box.y + 76, message("day {price}", price=str(day)), 7.6, palette.light, font=BOLD, align="center")
    pen.text(cx, box.y + 87, message("night {price}", price=str(night)), 7.6, palette.light, font=BOLD, align="center")


def _legend(pen: Pen, mat: Mat) -> None:
    lines = (
        message(
            "A number breaks the chain when it has come as many times as it says. "
            "Mark each throw; then clear all marks."
        ),
        message(
            "Chain bets before a chain's first throw or, where the house allows it, on a number without a marker; they "
            "stay until it breaks. All day, all night: ask the house."
        ),
        message("Center, day and night: the next throw decides."),
    )
    for i, line in enumerate(lines):
        pen.text(mat.width_mm / 2, 504 + 9 * i, line, 6.2, INK, align="center", fit=620)


_BETS: Final[dict[str, Callable[[Pen, Box, int], None]]] = {
    "center": _center,
    "day": _half(True, "", 11.0),
    "night": _half(False, "", 11.0),
    "chain": _chain,
    "chain-day": _half(True, "chain", 8.0),
    "chain-night": _half(False, "chain", 8.0),
}
_RUGEN: Final[dict[str, Callable[[Pen, Box, str], None]]] = {"chain": _markers, "d20": _d20, "bet": _bet}
