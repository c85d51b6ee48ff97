"""Hand scripts: JSON Lines with a header and commands, replayed through the live table's code."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from companion.kernel.errors import BadScript, TableError
from companion.kernel.game import Rulebook
from companion.kernel.messages import plural
from companion.kernel.shared.names import new_name
from companion.kernel.table import Header, Table, TableResult, error_json

_MAX_DIGITS: Final = 1000
_DEEPEST: Final = 50
"""Maximum nesting: a value at the decoder's own limit could not be written into an error report."""


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of a script: the contract's result object, even after an error."""

    result: TableResult

    @property
    def is_complete(self) -> bool:
        return self.result["error"] is None


def replay(lines: Iterable[str], games: Rulebook) -> Replay:
    """Replay a script. It stops at the first refused command, with the state before it."""
    objects = _objects(lines)
    line, table = 1, None
    try:
        line, header = next(objects, (1, None))
        table = Table(_header(header, games))
        for line, record in objects:  # noqa: B007 (the error handlers below use the line)
            table.check_newcomer(_valid(record))
            table.do(record)
    except TableError as error:
        return Replay(_result(table, error, line))
    except _BrokenLine as broken:
        return Replay(_result(table, BadScript(broken.message), broken.line))
    return Replay(table.result())


def _header(record: Any, games: Rulebook) -> Header:
    header = Header.parse(_valid(record), games)
    fewest = header.rules.min_players
    if len(header.players) < fewest:
        raise BadScript(
            plural(
                "{game} is for {n} player or more, and {count} sit here. Add some.",
                "{game} is for {n} players or more, and {count} sit here. Add some.",
                fewest,
                game=header.rules.title,
                count=len(header.players),
            )
        )
    names: list[str] = []
    for name, _ in header.players:
        names.append(new_name(name, names))
    return header


def _valid(record: Any) -> Any:
    if not isinstance(record, dict):
        raise BadScript("A line of a script is one JSON object. This one is something else, or there is none.")
    return record


class _BrokenLine(Exception):
    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line, self.message = line, message


def _objects(lines: Iterable[str]) -> Iterator[tuple[int, Any]]:
    """Yield each value with its line number; numbering starts at 1 and includes blank lines and comments."""
    for number, line in enumerate(lines, start=1):
        text = line.strip().removeprefix("\ufeff")
        if not text or text.startswith("#"):
            continue
        try:
            yield number, parse_line(text)
        except UnicodeEncodeError as error:
            raise _BrokenLine(number, "This line is not UTF-8 text, or has half a character. Correct it.") from error
        except (ValueError, RecursionError) as error:
            raise _BrokenLine(number, f"This line is not JSON: {error}. Correct it.") from error


def parse_line(text: str) -> Any:
    """Return a line's value. Lone surrogates, raw or as ``\\ud800``, are refused: a result could not be encoded.

    Raises:
        ValueError, RecursionError: not JSON, or JSON that a result could not contain.
    """
    if not text.isascii():
        text.encode()
    value = _DECODER.decode(text)
    if text.count("[") + text.count("{") > _DEEPEST and _is_deeper(value, _DEEPEST):
        raise ValueError(f"more than {_DEEPEST} lists or objects lie within one another")
    if "\\u" in text and "\\ud" in text.lower():
        json.dumps(value, ensure_ascii=False).encode()
    return value


def _is_deeper(value: Any, levels: int) -> bool:
    """Whether lists and objects are nested deeper than this."""
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return not levels or any(_is_deeper(one, levels - 1) for one in inner)


def _whole(digits: str) -> int:
    """Parse an integer. Python prints at most 4300 digits, so sums of coins must stay well below."""
    if len(digits) > _MAX_DIGITS:
        raise ValueError(f"a number has more than {_MAX_DIGITS} digits")
    return int(digits)


_DECODER: Final = json.JSONDecoder(parse_int=_whole)


def _result(table: Table | None, error: TableError, line: int) -> TableResult:
    problem = error_json(error, line)
    if table is not None:
        return table.result(problem)
    empty: TableResult = {"game": None, "phase": None, "balances": {}, "house": 0, "staked": 0, "pots": {},
                          "results": [], "state": {}, "error": problem}  # fmt: skip
    return empty
