"""Finds the line of a key in a TOML text, so that an error can point at it."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

KeyPath = tuple[str | int, ...]
"""Keys from the outside in; the place within a list of tables is a number from 0."""

_HEADER: Final = re.compile(r"\s*(?P<open>\[\[?)\s*(?P<path>[^\[\]]+?)\s*\]")
_KEY: Final = re.compile(r"\s*(?P<path>(?:[\w.\s-]|\"[^\"]*\"|'[^']*')+?)\s*=(?P<value>.*)")
_PART: Final = re.compile(r"\"([^\"]*)\"|'([^']*)'|([\w-]+)")


def line_of(text: str, path: Sequence[str | int]) -> int:
    """Return the line, counted from 1, of a key; of the nearest table around it where the key has no line of its own.

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
    """Yield the path and line of every table and key that begins a line."""
    table: KeyPath = ()
    counts: dict[KeyPath, int] = {}
    closing = None
    for number, line in enumerate(text.splitlines(), start=1):
        if closing is not None:  # inside a long string: nothing here is a key
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
    """Return the path with the place of each list of tables that it leads through."""
    out: KeyPath = ()
    for depth, part in enumerate(path, start=1):
        out = (*out, part)
        if depth < len(path) and out in counts:
            out = (*out, counts[out])
    return out


def _parts(dotted: str) -> KeyPath:
    return tuple(next(filter(None, found.groups()), "") for found in _PART.finditer(dotted))


def _opened(value: str) -> str | None:
    """Return the quotes of a long string that begins in a value and does not end there."""
    return next((quotes for quotes in ('"""', "'''") if value.count(quotes) == 1), None)
