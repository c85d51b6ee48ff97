"""The Rugen tables in words for people: spots of House Rugen's layout, and commands for the undo button."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from companion.kernel.commands import Record
from companion.kernel.words import counted
from companion.objects.dice import DAY_NIGHT_FACES, half_of, number_of

_SPOTS: Final = {
    "center": "center {}",
    "day": "{} by day",
    "night": "{} by night",
    "chain": "chain {}",
    "chain-day": "chain {} all by day",
    "chain-night": "chain {} all by night",
}


_COUNTED: Final = ("first", "second", "third", "fourth")
_OF_NUMBER: Final = {1: "one", 2: "two twos", 3: "three threes", 4: "four fours"}


def face_words(face: str) -> str:
    """Return a face of the Rugen die; what is none stays as it is.

    >>> face_words("3n"), face_words("20")
    ('3 by night', '20')
    """
    return f"{number_of(face)} by {half_of(face)}" if face in DAY_NIGHT_FACES else face


def so_far_words(number: int, count: int) -> str:
    """Return how far a number has come in its chain: N breaks when it has been thrown N times.

    In Street a chain goes on behind that, for side bets, and an ignored number may come again and again.

    >>> so_far_words(4, 1), so_far_words(3, 3)
    ('the first of four fours', 'the third of three threes, the last it needs')
    >>> so_far_words(1, 1), so_far_words(2, 3)
    ('the only one it needs', 'there were two twos before')
    """
    if count > number:
        return f"there {'was' if number == 1 else 'were'} {_OF_NUMBER[number]} before"
    if number == 1:
        return "the only one it needs"
    done = ", the last it needs" if count == number else ""
    return f"the {_COUNTED[count - 1]} of {_OF_NUMBER[number]}{done}"


def breaker_words(face: str) -> str:
    """Return the throw that broke a chain.

    >>> breaker_words("3n"), breaker_words("1d")
    ('The third 3, by night,', 'A 1 by day')
    """
    number = number_of(face)
    return f"A {face_words(face)}" if number == 1 else f"The {_COUNTED[number - 1]} {number}, by {half_of(face)},"


def spot_words(on: str) -> str:
    """Return what a bet is on.

    >>> spot_words("center/3"), spot_words("day/4"), spot_words("chain-night/2")
    ('center 3', '4 by day', 'chain 2 all by night')
    """
    kind, _, number = on.partition("/")
    return _SPOTS[kind].format(number) if kind in _SPOTS else on


def describe(record: Record) -> str:
    """Say a command in a few words, to follow "Undo:".

    >>> describe({"do": "side-bet", "units": 2, "numbers": {"Ann": 1, "Bo": 4}})
    'the side bet of 2 units: Ann 1, Bo 4'
    >>> describe({"do": "bet", "player": "Ann", "on": "day/4", "amount": 8}), describe({"do": "throw", "d20": 14})
    ("Ann's bet of 8 on 4 by day", 'the throw of 14')
    """
    said = _COMMANDS.get(record["do"])
    return str(record["do"]).replace("-", " ") if said is None else said(record)


def _units(record: Record) -> str:
    return counted(record["units"], "unit")


_COMMANDS: Final[Mapping[str, Callable[[Record], str]]] = {
    "bet": lambda r: f"{r['player']}'s bet of {r['amount']} on {spot_words(r['on'])}",
    "take-back": lambda r: f"{r['player']} taking back {spot_words(r['on'])}",
    "throw": lambda r: f"the throw of {face_words(r['face']) if r.get('face') is not None else r.get('d20')}",
    "stake": lambda r: f"the stake of {_units(r)}",
    "take": lambda r: f"{r['player']} taking {r['number']}",
    "close": lambda r: "no more takers",
    "side-bet": lambda r: f"the side bet of {_units(r)}: {', '.join(f'{who} {n}' for who, n in r['numbers'].items())}",
    "join": lambda r: f"{r['player']} sitting down",
    "leave": lambda r: f"{r['player']} standing up",
}
