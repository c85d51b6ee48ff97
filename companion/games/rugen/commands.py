"""Commands of the Rugen games, and parsing of a throw."""

from dataclasses import dataclass
from typing import Any

from companion.kernel.commands import Command
from companion.kernel.errors import BadScript, NotOffered
from companion.objects.dice import DAY_NIGHT_FACES, NUMBERS, face_of_d20


@dataclass(frozen=True, slots=True)
class Throw(Command):
    """The die came to rest: a Rugen face (``"3n"``), or the value of a d20."""

    face: Any = None
    d20: Any = None


@dataclass(frozen=True, slots=True)
class StakeUnits(Command):
    """Street: the shooter stakes on the point."""

    verb = "stake"
    units: Any


@dataclass(frozen=True, slots=True)
class Take(Command):
    """Street and Capital: bet on a free number; in Capital the first taker sets the units."""

    player: str
    number: Any
    units: Any = None


@dataclass(frozen=True, slots=True)
class SideBet(Command):
    """Street: 2 to 4 players bet among themselves; ``numbers`` is {player: number}."""

    units: Any
    numbers: Any


@dataclass(frozen=True, slots=True)
class Close(Command):
    """Street and Capital: no more takers, the chain begins with the next throw."""


def thrown_face(throw: Throw) -> str:
    """Return the thrown face.

    Raises:
        BadScript: no valid face or d20 value, or the two disagree.

    >>> thrown_face(Throw(face="3n")), thrown_face(Throw(d20=14))
    ('3n', '4d')
    """
    if throw.face is None and throw.d20 is None:
        raise BadScript('A throw says the face, {"face": "3n"}, or the value of a d20, {"d20": 17}.')
    from_d20 = face_of_d20(throw.d20)
    if throw.d20 is not None and from_d20 is None:
        raise BadScript.saying(
            "A d20 shows a number from 1 to 20, got {value}. Read the die again.", value=repr(throw.d20)
        )
    face = from_d20 if throw.face is None else throw.face
    if not isinstance(face, str) or face not in DAY_NIGHT_FACES:
        raise BadScript.saying(
            "A Rugen die has no face {face}. It has {faces}; read the die again.",
            face=repr(face),
            faces=" ".join(DAY_NIGHT_FACES),
        )
    if from_d20 is not None and face != from_d20:
        raise BadScript.saying(
            "A {d20} on a d20 is {shown}, not {face}. Read the die again.", d20=throw.d20, shown=from_d20, face=face
        )
    return face


def checked_number(value: Any) -> int:
    """Check that a value is a number of the Rugen die, and return it.

    Raises:
        BadScript: not an integer.
        NotOffered: not a number of the die.
    """
    if type(value) is not int:
        raise BadScript(f"A number to bet on is 1, 2, 3 or 4, got {value!r}.")
    if value not in NUMBERS:
        raise NotOffered.saying("The die has no {number}. Bet on 1, 2, 3 or 4.", number=value)
    return value
