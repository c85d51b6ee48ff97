"""User-visible names of House Rugen's spots, and of the Rugen games' commands for undo."""

from collections.abc import Callable, Mapping
from typing import Final

from companion.kernel.commands import Record
from companion.kernel.messages import Message, joined, message, plural
from companion.kernel.words import HALVES
from companion.objects.dice import DAY_NIGHT_FACES, half_of, number_of

_SPOTS: Final[Mapping[str, Callable[[str], Message]]] = {
    "center": lambda number: message("center {number}", number=number),
    "day": lambda number: message("{number} by {half}", number=number, half=HALVES["day"]),
    "night": lambda number: message("{number} by {half}", number=number, half=HALVES["night"]),
    "chain": lambda number: message("chain {number}", number=number),
    "chain-day": lambda number: message("chain {number} all by day", number=number),
    "chain-night": lambda number: message("chain {number} all by night", number=number),
}
_CODES: Final[Mapping[str, Callable[[str], Message]]] = {
    "center": lambda number: message("center/{number}", number=number),
    "day": lambda number: message("day/{number}", number=number),
    "night": lambda number: message("night/{number}", number=number),
    "chain": lambda number: message("chain/{number}", number=number),
    "chain-day": lambda number: message("chain-day/{number}", number=number),
    "chain-night": lambda number: message("chain-night/{number}", number=number),
}
_SO_FAR: Final[Mapping[tuple[int, int], Message]] = {
    (1, 1): message("the only one it needs"),
    (2, 1): message("the first of two twos"),
    (2, 2): message("the second of two twos, the last it needs"),
    (3, 1): message("the first of three threes"),
    (3, 2): message("the second of three threes"),
    (3, 3): message("the third of three threes, the last it needs"),
    (4, 1): message("the first of four fours"),
    (4, 2): message("the second of four fours"),
    (4, 3): message("the third of four fours"),
    (4, 4): message("the fourth of four fours, the last it needs"),
}
"""(Number, count in the chain) -> text."""
_BEFORE: Final[Mapping[int, Message]] = {
    1: message("there was one before"),
    2: message("there were two twos before"),
    3: message("there were three threes before"),
    4: message("there were four fours before"),
}
_BREAKERS: Final[Mapping[int, Callable[[Message], Message]]] = {
    1: lambda half: message("A 1 by {half}", half=half),
    2: lambda half: message("The second 2, by {half},", half=half),
    3: lambda half: message("The third 3, by {half},", half=half),
    4: lambda half: message("The fourth 4, by {half},", half=half),
}


def face_words(face: str) -> str:
    """Return a face's name; unknown faces unchanged.

    >>> face_words("3n"), face_words("20")
    ('3 by night', '20')
    """
    if face not in DAY_NIGHT_FACES:
        return face
    return message("{number} by {half}", number=number_of(face), half=HALVES[half_of(face)])


def so_far_words(number: int, count: int) -> Message:
    """Return a number's progress in its chain: N breaks when it has been thrown N times.

    In Street the chain continues after that for side bets, and an ignored number may come any number of times.

    >>> so_far_words(4, 1), so_far_words(3, 3)
    ('the first of four fours', 'the third of three threes, the last it needs')
    >>> so_far_words(1, 1), so_far_words(2, 3)
    ('the only one it needs', 'there were two twos before')
    """
    return _BEFORE[number] if count > number else _SO_FAR[number, count]


def breaker_words(face: str) -> Message:
    """Return the breaking throw as text.

    >>> breaker_words("3n"), breaker_words("1d")
    ('The third 3, by night,', 'A 1 by day')
    """
    return _BREAKERS[number_of(face)](HALVES[half_of(face)])


def spot_words(on: str) -> str:
    """Return a spot's name.

    >>> spot_words("center/3"), spot_words("day/4"), spot_words("chain-night/2")
    ('center 3', '4 by day', 'chain 2 all by night')
    """
    kind, _, number = on.partition("/")
    return _SPOTS[kind](number) if kind in _SPOTS else on


def code_words(on: str) -> str:
    """Return a spot's code, translatable into a name.

    >>> code_words("center/3")
    'center/3'
    """
    kind, _, number = on.partition("/")
    return _CODES[kind](number) if kind in _CODES else on


def units_words(count: int) -> Message:
    """Return a number of units as text."""
    return plural("{n} unit", "{n} units", count)


def numbers_taken(what: Message) -> Message:
    """Return the message that something must wait for the close."""
    return message("{what} has to wait: numbers are still being taken. Close first.", what=what)


def is_taken(number: int, player: str | None) -> Message:
    """Return the message that a number is already taken."""
    return message("{number} is {player}'s already. Take another number.", number=number, player=str(player))


def _thrown(record: Record) -> Message:
    thrown = record.get("d20") if record.get("face") is None else face_words(record["face"])
    return message("the throw of {thrown}", thrown=thrown if isinstance(thrown, str) else str(thrown))


def _side_bet(record: Record) -> Message:
    numbers = record["numbers"].items()
    whose = joined(message("{player} {number}", player=player, number=number) for player, number in numbers)
    return message("the side bet of {units}: {numbers}", units=units_words(record["units"]), numbers=whose)


COMMANDS: Final[Mapping[str, Callable[[Record], Message]]] = {
    "throw": _thrown,
    "stake": lambda r: message("the stake of {units}", units=units_words(r["units"])),
    "take": lambda r: message("{player} taking {number}", player=r["player"], number=r["number"]),
    "close": lambda r: message("no more takers"),
    "side-bet": _side_bet,
    "buy-in": lambda r: message("buy in"),
    "cash-out": lambda r: message("cash out"),
    "recount": lambda r: message("recount"),
    "hold": lambda r: message("hold"),
    "release": lambda r: message("release"),
}
