"""Printed basic strategy card for the rules in force, in credit card size or A5."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from companion.games.blackjack.odds.advice import rules_of
from companion.games.blackjack.odds.card import CardJson, PartJson, letters, strategy_card
from companion.games.blackjack.odds.strategy import Action
from companion.games.blackjack.state import parse_rules
from companion.kernel.messages import Message
from companion.plugins.slips import SlipSettings
from companion.printing.cards.palette import INK
from companion.printing.fonts import BOLD, CAP_HEIGHT, TEXT, TITLE, text_width
from companion.printing.pen import Pen, rectangle
from companion.printing.pieces import Piece

SIZES: Final = {"card": (53.98, 85.6, 9), "a5": (148.0, 210.0, 1)}
"""Size -> width and height in mm, and number of cards per page."""
_GREY: Final = "#8A8A92"
_COLORS: Final[dict[Action, str]] = {
    "hit": "#FFFFFF", "stand": "#D9CFB4", "double": "#8FC7EE", "split": "#9FD89A", "surrender": "#F2B3A6",
}  # fmt: skip
_LABEL: Final = 2.4
"""Width of a row's label, in columns."""
_BETWEEN: Final = " · "  # rules
_SMALLEST: Final = 0.75
"""Minimum size of the line with the rules, relative to the other text; otherwise it is split into two lines."""
_IN_A_LINE: Final = 3
"""Number of legend entries per line."""


def slips(settings: SlipSettings) -> tuple[Piece, ...]:
    """Return a page of strategy cards."""
    width, height, count = SIZES[settings.size]
    card = strategy_card(rules_of(parse_rules(settings.options)))
    return (Piece("strategy", width, height, partial(_draw, page=_Page(card, settings.say, width, height))),) * count


@dataclass(frozen=True, slots=True)
class _Page:
    """Layout of a card; all heights are multiples of a line."""

    card: CardJson
    say: Callable[[Message], str]
    width: float
    height: float

    @property
    def inset(self) -> float:
        return self.width / 27

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules in force, in one line or two."""
        words = self.text(self.card["rules"])
        if text_width(words, TEXT, self._line(1)) * _SMALLEST <= self.width - 2 * self.inset:
            return (words,)
        parts = words.split(_BETWEEN)
        ways = [(_BETWEEN.join(parts[:at]), _BETWEEN.join(parts[at:])) for at in range(1, len(parts))]
        return min(ways, key=lambda two: max(text_width(line, TEXT, 1.0) for line in two))

    @property
    def line(self) -> float:
        """Line height at which all lines fill the card."""
        return self._line(len(self.rules))

    def _line(self, rules: int) -> float:
        rows = sum(len(part["rows"]) + 1.3 for part in self.card["parts"])
        legend = -(-len(self.card["legend"]) // _IN_A_LINE)
        return (self.height - 2 * self.inset) / (2.1 + rules + rows + legend + 0.4 + len(self.card["notes"]))

    @property
    def column(self) -> float:
        return (self.width - 2 * self.inset) / (len(self.card["heads"]) + _LABEL)

    def text(self, words: str) -> str:
        return self.say(words) if isinstance(words, Message) else words


def _draw(pen: Pen, *, page: _Page) -> None:
    card, line, inset = page.card, page.line, page.inset
    wide = page.width - 2 * inset
    pen.stroke(rectangle(0, 0, page.width, page.height), _GREY, 0.15)
    pen.text(page.width / 2, inset + 1.3 * line, page.text(card["title"]), 1.5 * line, INK, font=TITLE, align="center")
    y = inset + 2.5 * line
    for words in page.rules:
        pen.text(page.width / 2, y, words, line, INK, align="center", fit=wide)
        y += line
    y -= 0.4 * line
    for part in card["parts"]:
        _table(pen, page, part, y)
        y += (len(part["rows"]) + 1.3) * line
    _legend(pen, page, y)
    y += -(-len(card["legend"]) // _IN_A_LINE) * line + 0.4 * line
    for number, note in enumerate(card["notes"]):
        pen.text(inset, y + (number + 0.8) * line, page.text(note), line, INK, fit=wide)


def _table(pen: Pen, page: _Page, part: PartJson, y: float) -> None:
    line, left = page.line, page.inset
    _words(pen, page, (left, y), _LABEL * page.column, page.text(part["title"]))
    for number, head in enumerate(page.card["heads"]):
        _words(pen, page, (_x(page, number), y), page.column, head)
    for place, row in enumerate(part["rows"], start=1):
        top = y + place * line
        _words(pen, page, (left, top), _LABEL * page.column, row["label"])
        for number, cell in enumerate(row["cells"]):
            _cell(pen, page, _x(page, number), top, cell)


def _x(page: _Page, number: int) -> float:
    """Return the left edge of a column."""
    return page.inset + (_LABEL + number) * page.column


def _cell(pen: Pen, page: _Page, x: float, y: float, cell: Sequence[Action]) -> None:
    box = rectangle(x, y, page.column, page.line)
    pen.fill(box, _COLORS[cell[0]])
    pen.stroke(box, _GREY, page.line / 25)
    _words(pen, page, (x, y), page.column, letters(cell, page.say))


def _words(pen: Pen, page: _Page, at: tuple[float, float], width: float, words: str) -> None:
    """Write a centred word into a cell."""
    size = 0.92 * page.line
    foot = at[1] + (page.line + CAP_HEIGHT[BOLD] * size) / 2
    pen.text(at[0] + width / 2, foot, words, size, INK, font=BOLD, align="center", fit=0.92 * width)


def _legend(pen: Pen, page: _Page, y: float) -> None:
    width = (page.width - 2 * page.inset) / _IN_A_LINE
    for number, (action, words) in enumerate(page.card["legend"].items()):
        row, column = divmod(number, _IN_A_LINE)
        x, top = page.inset + column * width, y + row * page.line
        box = rectangle(x, top, width, page.line)
        pen.fill(box, _COLORS[action])
        pen.stroke(box, _GREY, page.line / 25)
        foot = top + (page.line + CAP_HEIGHT[TEXT] * 0.92 * page.line) / 2
        pen.text(x + 0.3 * page.line, foot, page.text(words), 0.92 * page.line, INK, fit=width - 0.6 * page.line)
