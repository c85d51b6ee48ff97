"""A shareable picture of an evening: results, and a chart of the players' coins."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from companion.printing.fonts import BOLD, TEXT, TITLE, printable

WIDTH: Final = 1080
HEIGHT: Final = 1350
MAX_ROWS: Final = 12
_MARGIN: Final = 72
_GROUND: Final = "#0c1613"
_FELT: Final = "#172c25"
_EDGE: Final = "#2f4b40"
_INK: Final = "#f6f0e2"
_SOFT: Final = "#b9c4ba"
_GOLD: Final = "#f0c667"
_GOOD: Final = "#7fdba0"
_BAD: Final = "#ff9d94"
_LINES: Final = ("#f0c05a", "#86c5f2", "#f49ccb", "#82d6a0", "#c6aef0", "#ffab8a", "#ff9a94", "#d8d0bf")
_ROWS_TOP, _CHART_TOP, _CHART_BOTTOM = 330, 940, 1220

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Row:
    """One player's line: place, name, and result in words and coins."""

    place: int
    name: str
    result: str
    coins: int


@dataclass(frozen=True, slots=True)
class EveningCard:
    """Localized contents of the picture.

    Attributes:
        lines: each player's coins after each hand, for the chart; None before they joined.
    """

    title: str
    about: str
    rows: Sequence[Row]
    lines: Mapping[str, Sequence[int | None]]
    chart: str
    foot: str
    more: str = ""
    "Text below the rows if there are more players than rows."


def evening_png(card: EveningCard) -> bytes:
    """Return the picture as PNG, 1080 by 1350 pixels."""
    image = Image.new("RGB", (WIDTH, HEIGHT), _GROUND)
    pen = ImageDraw.Draw(image)
    pen.rounded_rectangle((32, 32, WIDTH - 32, HEIGHT - 32), 36, fill=_FELT, outline=_EDGE, width=3)
    _fitted(pen, (_MARGIN, 84), card.title, TITLE, 72, _GOLD)
    _fitted(pen, (_MARGIN, 196), card.about, TEXT, 40, _SOFT)
    pen.line((_MARGIN, 282, WIDTH - _MARGIN, 282), fill=_EDGE, width=3)
    colours = {name: _LINES[number % len(_LINES)] for number, name in enumerate(card.lines)}
    _chart(pen, card, colours, _rows(pen, card, colours) + 90)
    _fitted(pen, (_MARGIN, 1250), card.foot, TEXT, 32, _SOFT)
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def _rows(pen: ImageDraw.ImageDraw, card: EveningCard, colours: Mapping[str, str]) -> float:
    """Draw the players' rows; return the y of their lower end."""
    shown = card.rows[:MAX_ROWS]
    height = min((_CHART_TOP - 60 - _ROWS_TOP) / max(len(shown), 1), 92)
    size = round(min(height * 0.62, 50))
    for number, row in enumerate(shown):
        y = _ROWS_TOP + number * height
        pen.text((_MARGIN, y), str(row.place), font=_font(TITLE, size), fill=_GOLD)
        if row.name in colours:
            middle = y + size * 0.62
            pen.ellipse((_MARGIN + 76, middle - 9, _MARGIN + 94, middle + 9), fill=colours[row.name])
        result, font = printable(row.result, BOLD), _font(BOLD, size)
        colour = _GOOD if row.coins > 0 else _BAD if row.coins < 0 else _SOFT
        pen.text((WIDTH - _MARGIN, y), result, font=font, fill=colour, anchor="ra")
        room = WIDTH - 2 * _MARGIN - 150 - font.getlength(result)
        _fitted(pen, (_MARGIN + 116, y), row.name, BOLD, size, _INK, room)
    if len(card.rows) > len(shown):
        pen.text((_MARGIN + 116, _CHART_TOP - 74), printable(card.more, TEXT), font=_font(TEXT, 28), fill=_SOFT)
    return min(_ROWS_TOP + len(shown) * height, _CHART_TOP - 90)


def _chart(pen: ImageDraw.ImageDraw, card: EveningCard, colours: Mapping[str, str], head: float) -> None:
    """Draw the chart of the players' coins over time."""
    values = [value for line in card.lines.values() for value in line if value is not None]
    count = max((len(line) for line in card.lines.values()), default=0)
    if count < 2 or not values:
        return
    pen.text((_MARGIN, head - 30), printable(card.chart, TEXT), font=_font(TEXT, 28), fill=_SOFT)
    low, high = min(*values, 0), max(*values, 1)
    top = head + 20
    for y in (top, _CHART_BOTTOM):
        pen.line((_MARGIN, y, WIDTH - _MARGIN, y), fill=_EDGE, width=2)

    def at(place: int, value: int) -> Point:
        x = _MARGIN + (WIDTH - 2 * _MARGIN) * place / (count - 1)
        return x, _CHART_BOTTOM - (_CHART_BOTTOM - top) * (value - low) / (high - low)

    for name, line in card.lines.items():
        points = [at(place, value) for place, value in enumerate(line) if value is not None]
        if len(points) > 1:
            pen.line(points, fill=colours[name], width=5, joint="curve")


def _fitted(
    pen: ImageDraw.ImageDraw, at: Point, text: str, font: str, size: int, colour: str, room: float = WIDTH - 2 * _MARGIN
) -> None:
    """Draw a text in the largest size that fits, truncated if it is still too long."""
    told = printable(text, font)
    while size > 22 and _font(font, size).getlength(told) > room:
        size -= 2
    while len(told) > 1 and _font(font, size).getlength(told) > room:
        told = told[:-2].rstrip() + "…"
    pen.text(at, told, font=_font(font, size), fill=colour)


@cache
def _font(name: str, size: int) -> ImageFont.FreeTypeFont:
    body = resources.files("companion.printing.fonts").joinpath(f"{name}.ttf").read_bytes()
    return ImageFont.truetype(io.BytesIO(body), size)
