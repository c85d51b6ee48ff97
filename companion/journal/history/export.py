"""Exports the hand history as CSV or JSON: one row per hand, or per transfer of coins."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from companion.journal.history.filter import EVERY_HAND, HandFilter
from companion.journal.history.hand_history import HandHistory, HandJson

PAGE: Final = 200
HAND_COLUMNS: Final = (
    "id", "session", "number", "game", "players", "begun", "ended", "first", "last", "decided", "head", "winner",
    "decided_by", "told", "result",
)  # fmt: skip
MOVE_COLUMNS: Final = ("hand", "game", "seq", "at", "from", "to", "coins", "why")
_RISKY: Final = tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")
"""First characters of formulas, which spreadsheets execute; some accept the full-width forms as well."""

Row = Mapping[str, object]


def all_hands(history: HandHistory, asked: HandFilter = EVERY_HAND) -> Iterator[HandJson]:
    """Yield the summaries of hands, latest first, fetched page by page."""
    before = None
    while page := history.hands(PAGE, before, asked):
        yield from page
        before = page[-1]["session"], page[-1]["number"]


def hand_rows(history: HandHistory, asked: HandFilter = EVERY_HAND) -> Iterator[Row]:
    """Yield a row for each matching hand, latest first."""
    for hand in all_hands(history, asked):
        outcome = history.outcome(hand["session"], hand["number"])
        named = {"winner": outcome.won_by, "decided_by": outcome.decided_by} if outcome else {}
        yield {**hand, "winner": None, "decided_by": None, **named}


def move_rows(history: HandHistory, asked: HandFilter = EVERY_HAND) -> Iterator[Row]:
    """Yield a row for each transfer of the matching hands, latest hand first."""
    for hand in all_hands(history, asked):
        for move in history.moves(hand["session"], hand["number"]):
            yield {"hand": hand["id"], "game": hand["game"], **move.to_json()}


def as_csv(rows: Iterable[Row], columns: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines of a CSV file, beginning with the header line.

    >>> list(as_csv([{"a": "=cmd()", "b": ["x", "y"]}], ("a", "b")))
    ['a,b\\n', "'=cmd(),x · y\\n"]
    """
    yield _line(columns)
    for row in rows:
        yield _line([_cell(row.get(name)) for name in columns])


def as_json(rows: Iterable[Row]) -> Iterator[str]:
    """Yield the chunks of one JSON list.

    >>> "".join(as_json([{"a": 1}, {"a": 2}]))
    '[{"a":1},\\n{"a":2}]\\n'
    """
    before = "["
    for row in rows:
        yield before + json.dumps(row, ensure_ascii=False, separators=(",", ":"))
        before = ",\n"
    yield "]\n" if before != "[" else "[]\n"


def _line(cells: Iterable[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def _cell(value: object) -> object:
    """Return a CSV cell: lists of texts joined with dots, other objects as JSON, formulas escaped."""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = " · ".join(value)
    elif isinstance(value, dict | list):
        value = json.dumps(value, ensure_ascii=False)
    return harmless(value)


def harmless(value: object) -> object:
    """Escape a cell that a spreadsheet would execute as a formula: a player may be called ``=cmd()``."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_RISKY) else value
