"""A game's rules cards with prices: half a page each, to be folded or cut, in the largest type that fits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from companion.kernel.messages import Message, message
from companion.printing.cards.emblems import draw_sun
from companion.printing.cards.palette import BACK, INK, PAPER
from companion.printing.fonts import BOLD, TEXT, TITLE, text_width
from companion.printing.pen import LEADING, Pen, lines_of, mix, rectangle
from companion.printing.pieces import Piece

if TYPE_CHECKING:
    from companion.plugins.rules_text import PriceLine, RulesText

Say = Callable[[Message], str]

WIDTH_MM: Final = 186.0
HEIGHT_MM: Final = 130.0
_INSET: Final = 7.0
_TOP: Final = 19.0
_GUTTER: Final = 7.0
_COLUMNS: Final = 2
_COLUMN: Final = (WIDTH_MM - 2 * _INSET - (_COLUMNS - 1) * _GUTTER) / _COLUMNS
_TALL: Final = HEIGHT_MM - _TOP - _INSET
_LARGEST: Final = 4.0
_ENOUGH: Final = {1: 3.4, 2: 2.8}
"""Number of cards -> minimum type size, mm; if the text does not fit on two, there are more cards."""
_STEP: Final = 0.1
_TOGETHER: Final = 3
"""Minimum number of prices kept together in a column."""
_HEAD_GAP: Final = 0.6
"""Space above a heading, in ems; not at the top of a column."""
_SOFT: Final = "#5A5A66"
_STRIPE: Final = mix(BACK.light, PAPER, 0.55)


@dataclass(frozen=True, slots=True)
class _Row:
    """An unbreakable element of a column; ``stays`` keeps it with the next one."""

    height: float
    draw: Callable[[Pen, float, float], None]
    stays: bool = False
    is_heading: bool = False


_Column = list[tuple[float, _Row]]
"""Rows, each with its top edge in mm below the column's top."""


def rules_cards(text: RulesText, say: Say) -> tuple[Piece, ...]:
    """Return a game's cards; a single card is returned twice, to fill the page."""
    size, columns = _fitted(text, say)
    cards = [columns[at : at + _COLUMNS] for at in range(0, len(columns), _COLUMNS)]
    title = say(text.title)
    pieces = tuple(
        Piece(
            f"rules-{number}",
            WIDTH_MM,
            HEIGHT_MM,
            partial(_draw, title=title, columns=card, number=number, of=len(cards), size=size),
        )
        for number, card in enumerate(cards, start=1)
    )
    return pieces * 2 if len(pieces) == 1 else pieces


def _said(text: str, say: Say) -> str:
    return say(text) if isinstance(text, Message) else text


def _fitted(text: RulesText, say: Say) -> tuple[float, list[_Column]]:
    """Return the largest type size for the smallest possible number of cards, and the columns."""
    for cards, enough in _ENOUGH.items():
        size = _LARGEST
        while size >= enough - 1e-9:
            columns = _columns(tuple(_rows(text, say, size)), size)
            if len(columns) <= cards * _COLUMNS:
                return size, columns
            size -= _STEP
    size = _ENOUGH[2]
    return size, _columns(tuple(_rows(text, say, size)), size)


def _columns(rows: Sequence[_Row], size: float) -> list[_Column]:
    columns: list[_Column] = [[]]
    y = 0.0
    for i, row in enumerate(rows):
        if y == 0.0 and row.is_heading:
            y = -_HEAD_GAP * size
        needed = _height_with_next(rows[i:])
        if y + needed > _TALL and columns[-1]:
            columns.append([])
            y = -_HEAD_GAP * size if row.is_heading else 0.0
        columns[-1].append((y, row))
        y += row.height
    return columns


def _height_with_next(rows: Sequence[_Row]) -> float:
    """Return the height of the first row and the rows it stays with, such as a heading, table header and prices.

    >>> row, head = _Row(2.0, print), _Row(2.5, print, stays=True)
    >>> _height_with_next([row, row]), _height_with_next([head, head, row, row])
    (2.0, 7.0)
    """
    last = next((i for i, row in enumerate(rows) if not row.stays), len(rows) - 1)
    return sum(row.height for row in rows[: last + 1])


# ---- rows


def _rows(text: RulesText, say: Say, size: float) -> Iterator[_Row]:
    if text.steps:
        yield _heading(say(message("How it goes")), size)
        yield from (_paragraph(_said(step, say), size, number) for number, step in enumerate(text.steps, start=1))
    if text.prices or text.limits:
        yield _heading(say(message("What it pays")), size)
        if text.limits:
            yield _paragraph(" · ".join(_said(limit, say) for limit in text.limits), size)
        yield from _price_rows(text.prices, say, size)
    if text.terms:
        yield _heading(say(message("Words")), size)
        yield from (_term(_said(word, say), _said(means, say), size) for word, means in text.terms)


def _heading(words: str, size: float) -> _Row:
    def draw(pen: Pen, x: float, y: float) -> None:
        pen.text(x, y + 1.7 * size, words, 1.25 * size, BACK.main, font=TITLE, fit=_COLUMN)

    return _Row(2.3 * size, draw, stays=True, is_heading=True)


def _paragraph(words: str, size: float, number: int | None = None) -> _Row:
    indent = 0.0 if number is None else 1.5 * size
    lines = lines_of(words, TEXT, size, _COLUMN - indent)

    def draw(pen: Pen, x: float, y: float) -> None:
        if number is not None:
            pen.text(x, y + size, str(number), size, BACK.main, font=BOLD)
        pen.paragraph(x + indent, y + size, words, size, INK, _COLUMN - indent)

    return _Row(len(lines) * LEADING * size + 0.4 * size, draw)


def _term(word: str, means: str, size: float) -> _Row:
    """Return a term in bold, followed by its meaning on the same line."""
    indent = text_width(f"{word}  ", BOLD, size)
    first, rest = _first_line(means, size, _COLUMN - indent)
    lines = lines_of(rest, TEXT, size, _COLUMN) if rest else []

    def draw(pen: Pen, x: float, y: float) -> None:
        pen.text(x, y + size, word, size, INK, font=BOLD)
        pen.text(x + indent, y + size, first, size, INK)
        pen.paragraph(x, y + (1 + LEADING) * size, rest, size, INK, _COLUMN)

    return _Row((1 + len(lines)) * LEADING * size + 0.4 * size, draw)


def _first_line(words: str, size: float, width: float) -> tuple[str, str]:
    """Return the part of a text that fits on a line, and the rest."""
    first = lines_of(words, TEXT, size, width)[0]
    return first, words[len(first) :].strip()


# ---- prices


def _price_rows(prices: Sequence[PriceLine], say: Say, size: float) -> Iterator[_Row]:
    if not prices:
        return
    cells = [(_said(p.wins_if, say), figures(p.pays, say), figures(p.edge or "", say)) for p in prices]
    heads = (say(message("Wins if")), say(message("Pays")), say(message("House keeps")))
    pays = _widest((heads[1], *(row[1] for row in cells)), size)
    edge = _widest((heads[2], *(row[2] for row in cells)), size) if any(p.edge for p in prices) else 0.0
    pays = min(pays, 0.5 * (_COLUMN - edge))
    yield _price(heads, (pays, edge), size, font=BOLD, striped=False, stays=True)
    for number, row in enumerate(cells):
        is_at_an_end = number < _TOGETHER - 1 or len(cells) - _TOGETHER <= number < len(cells) - 1
        yield _price(row, (pays, edge), size, striped=number % 2 == 0, stays=is_at_an_end)


def figures(text: str, say: Say) -> str:
    """Return a text with localized numbers: 10.000:1 and 0,025 % in German.

    >>> figures("10000:1, 2.5 %", str)
    '10,000:1, 2.5 %'
    """
    if isinstance(text, Message):  # localizes its own numbers
        return say(text)
    mark = "," if say(message("{n}", n=1000))[1] == "." else "."

    def written(found: re.Match[str]) -> str:
        whole, _, part = found[0].partition(".")
        return say(message("{n}", n=int(whole))) + (mark + part if part else "")

    return re.sub(r"\d+(?:\.\d+)?", written, text)


def _widest(texts: Iterable[str], size: float) -> float:
    return max(text_width(text, BOLD, size) for text in texts) + 0.8 * size


def _price(
    cells: tuple[str, str, str],
    widths: tuple[float, float],
    size: float,
    *,
    striped: bool,
    font: str = TEXT,
    stays: bool = False,
) -> _Row:
    words, pays, edge = cells
    pays_width, edge_width = widths
    left = _COLUMN - pays_width - edge_width - 0.4 * size
    lines = lines_of(words, font, size, left)
    pay_lines = lines_of(pays, BOLD, size, pays_width)
    height = max(len(lines), len(pay_lines)) * LEADING * size

    def draw(pen: Pen, x: float, y: float) -> None:
        if striped:
            pen.fill(rectangle(x - 0.8, y, _COLUMN + 1.6, height), _STRIPE)
        pen.paragraph(x, y + 0.95 * size, words, size, INK, left, font=font)
        for i, line in enumerate(pay_lines):
            right = _COLUMN - edge_width
            pen.text(x + right, y + (0.95 + i * LEADING) * size, line, size, INK, font=BOLD, align="right")
        if edge_width:
            pen.text(x + _COLUMN, y + 0.95 * size, edge, size, _SOFT, font=font, align="right", fit=edge_width)

    return _Row(height, draw, stays)


# ---- the card


def _draw(pen: Pen, *, title: str, columns: Sequence[_Column], number: int, of: int, size: float) -> None:
    pen.fill(rectangle(0, 0, WIDTH_MM, HEIGHT_MM), PAPER)
    pen.stroke(rectangle(2.4, 2.4, WIDTH_MM - 4.8, HEIGHT_MM - 4.8), BACK.main, 0.5)
    pen.stroke(rectangle(3.4, 3.4, WIDTH_MM - 6.8, HEIGHT_MM - 6.8), BACK.accent, 0.25)
    wide = pen.text(WIDTH_MM / 2, 13.0, title, 7.6, BACK.dark, font=TITLE, align="center", fit=WIDTH_MM - 60)
    for side in (-1, 1):
        draw_sun(pen, WIDTH_MM / 2 + side * (wide / 2 + 6.0), 10.4, 2.6, BACK.accent, rays=12)
    if of > 1:
        pen.text(WIDTH_MM - _INSET, 12.0, f"{number} / {of}", 3.2, _SOFT, font=BOLD, align="right")
    pen.line(_INSET, 16.0, WIDTH_MM - _INSET, 16.0, BACK.accent, 0.3)
    for place, column in enumerate(columns):
        x = _INSET + place * (_COLUMN + _GUTTER)
        for y, row in column:
            row.draw(pen, x, _TOP + y)
