"""Players' names: how they are compared, and which ones a new player may have."""

import unicodedata
from collections.abc import Iterable
from typing import Final

from companion.kernel.errors import BadName

LONGEST_NAME: Final = 40
_INVISIBLE: Final = frozenset(map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0))) | frozenset(
    map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
"""Characters that Python takes for printable but that nobody sees: fillers, variation selectors, Braille's blank."""


def same_name(text: str) -> str:
    """Return a name as it is written down: composed (NFC), without space at its ends.

    >>> same_name(" Rene\\u0301e ") == "Ren\\u00e9e"
    True
    """
    return text.strip() if text.isascii() else unicodedata.normalize("NFC", text).strip()


def seat_name(text: str, taken: Iterable[str] = ()) -> str:
    """Return the name under which a player sits down, as it is written down.

    The rules ask no more of it than this, ever: a journal has to open whoever it once let in, also where `new_name`
    has become stricter, or an older Python does not know a letter yet.

    Raises:
        BadName: it is empty, or somebody else's.
    """
    name = same_name(text)
    if not name:
        raise BadName.saying("A player needs a name.")
    if name.casefold() in map(str.casefold, taken):
        raise _taken(name)
    return name


def new_name(text: str, taken: Iterable[str] = ()) -> str:
    """Return the name of a new player as it is written down: what configuration, commands and scripts may bring.

    Args:
        taken: the names of those who sit at the table.

    Raises:
        BadName: it is empty, too long, taken, or has characters that cannot be seen.

    >>> new_name("  Ann ", ["Bo"])
    'Ann'
    """
    name = seat_name(text)
    if len(name) > LONGEST_NAME:
        raise BadName.saying("A name has at most {most} letters, this one has {n}.", most=LONGEST_NAME, n=len(name))
    if not name.isprintable() or not _INVISIBLE.isdisjoint(name):
        raise BadName.saying("{name} has a character that cannot be seen. Type the name again.", name=repr(name))
    if alike(name) in map(alike, taken):
        raise _taken(name)
    return name


def _taken(name: str) -> BadName:
    return BadName.saying("A player called {player} sits here already. Choose another name.", player=name)


def alike(name: str) -> str:
    """Return what is the same for names that nobody can tell apart: no page shows two spaces as more than one."""
    return " ".join(name.casefold().split())
