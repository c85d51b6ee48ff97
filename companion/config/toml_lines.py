"""Finds the line of a key in a TOML text, for error messages."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

KeyPath = tuple[str | int, ...]
"""Keys from the outermost in; an index, from 0, for each array of tables."""

_HEADER: Final = re.compile(r"\s*(?P<open>\[\[?)\s*(?P<path>[^\[\]]+?)\s*\]")
_KEY: Final = re.compile(r"\s*(?P<path>(?:[\w.\s-]|\"[^\"]*\"|'[^']*')+?)\s*=(?P<value>.*)")
_PART: Final = re.compile(r"\"([^\"]*)\"|'([^']*)'|([\w-]+)")


def line_of(text: str, path: Sequence[str | int]) -> int:
    """Return the line of a key, counted from 1; if it has no line, that of the nearest enclosing table.

    >>> line_of('[table]\\nmin = 5\\n[[players]]\\nname = "Ann"', ("players", 0, "name"))
    4
    >>> line_of('[table]\\nmin = 5', ("table", "max"))
    1
    """
    places = dict(reversed(list(_places(text))))
    wanted = tuple(path)
    while wanted:
        if wanted in places:
            return places[wanted]
        wanted = wanted[:-1]
    return 1


def _places(text: str) -> Iterator[tuple[KeyPath, int]]:
    """Yield the path and line number of every table header and key at the start of a line."""
    table: KeyPath = ()
    counts: dict[KeyPath, int] = {}
    closing = None
    for number, line in enumerate(text.splitlines(), start=1):
        if closing is not None:  # inside a multi-line string
            closing = None if closing in line else closing
        elif header := _HEADER.match(line):
            table = _numbered(_parts(header["path"]), counts)
            if header["open"] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            yield table, number
        elif key := _KEY.match(line):
            yield (*table, *_parts(key["path"])), number
            closing = _opened(key["value"])


def _numbered(path: KeyPath, counts: dict[KeyPath, int]) -> KeyPath:
    """Return the path with the current index of each array of tables inserted."""
    out: KeyPath = ()
    for depth, part in enumerate(path, start=1):
        out = (*out, part)
        if depth < len(path) and out in counts:
            out = (*out, counts[out])
    return out


def _parts(dotted: str) -> KeyPath:
    return tuple(next(filter(None, found.groups()), "") for found in _PART.finditer(dotted))


def _opened(value: str) -> str | None:
    """Return the closing quotes of a multi-line string that starts in a value; None if none does."""
    return next((quotes for quotes in ('"""', "'''") if value.count(quotes) == 1), None)
