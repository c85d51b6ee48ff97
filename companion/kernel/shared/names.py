"""Players' names: normalization, comparison, and validation of new ones."""

import unicodedata
from collections.abc import Iterable
from typing import Final

from companion.kernel.errors import BadName

LONGEST_NAME: Final = 40
_INVISIBLE: Final = frozenset(map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0))) | frozenset(
    map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
"""Invisible characters that `str.isprintable` accepts: fillers, variation selectors, the Braille blank."""


def same_name(text: str) -> str:
    """Return a name in normal form: composed (NFC), without surrounding whitespace.

    >>> same_name(" Rene\\u0301e ") == "Ren\\u00e9e"
    True
    """
    return text.strip() if text.isascii() else unicodedata.normalize("NFC", text).strip()


def seat_name(text: str, taken: Iterable[str] = ()) -> str:
    """Return the normalized name of a player who sits down.

    The rules must never check more than this. Old journals have to open even if `new_name` has become stricter since,
    or an older Python's Unicode tables lack a character.

    Raises:
        BadName: the name is empty or taken.
    """
    name = same_name(text)
    if not name:
        raise BadName.saying("A player needs a name.")
    if name.casefold() in map(str.casefold, taken):
        raise _taken(name)
    return name


def new_name(text: str, taken: Iterable[str] = ()) -> str:
    """Return the normalized name of a new player, from configuration, a command or a script.

    Args:
        taken: the names of the seated players.

    Raises:
        BadName: the name is empty, too long, taken, or has invisible characters.

    >>> new_name("  Ann ", ["Bo"])
    'Ann'
    """
    name = seat_name(text)
    if len(name) > LONGEST_NAME:
        raise BadName.saying("A name has at most {most} letters, this one has {n}.", most=LONGEST_NAME, n=len(name))
    if not name.isprintable() or not _INVISIBLE.isdisjoint(name):
        raise BadName.saying(
            "{name} has a character that cannot be seen. Some emoji contain one: leave them out.", name=repr(name)
        )
    if alike(name) in map(alike, taken):
        raise _taken(name)
    return name


def _taken(name: str) -> BadName:
    return BadName.saying("A player called {player} sits here already. Choose another name.", player=name)


def alike(name: str) -> str:
    """Return a comparison key, equal for names that look alike on a page, where runs of spaces collapse."""
    return " ".join(name.casefold().split())
