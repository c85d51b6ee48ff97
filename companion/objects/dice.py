"""The day-and-night die: twenty faces with the numbers 1 to 4 by day and by night, and its mapping to an ordinary d20.

Each number N is on N day faces and N night faces. Face ids are those of the public contract: ``3n`` is night 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from companion.kernel.messages import Message, message
from companion.objects.cards import Half

DieKind = Literal["d20", "rugen", "d6"]
DIE_KINDS: Final[tuple[DieKind, ...]] = ("d20", "rugen", "d6")
TWENTY_FACES: Final[tuple[DieKind, ...]] = DIE_KINDS[:2]
"""The kinds with twenty faces."""
DAY_NIGHT: Final = "rugen"
"""The kind with day and night faces."""
DIE_WORDS: Final[dict[DieKind, str]] = {"d20": "d20", "rugen": "Rugen die", "d6": "d6"}
DIE_NAMES: Final[dict[DieKind, Message]] = {"d20": message("d20"), "rugen": message("rugen"), "d6": message("d6")}
"""Names of the kinds within a sentence."""

NUMBERS: Final = (1, 2, 3, 4)
HALVES: Final[tuple[Half, Half]] = ("day", "night")


@dataclass(frozen=True, slots=True, order=True)
class DayNightFace:
    """A face: a number and its half; the die has ``number`` such faces.

    >>> DayNightFace(3, "night").id, DAY_NIGHT_FACES["3n"]
    ('3n', DayNightFace(number=3, half='night'))
    """

    number: int
    half: Half

    @property
    def id(self) -> str:
        return f"{self.number}{self.half[0]}"


DAY_NIGHT_FACES: Final[dict[str, DayNightFace]] = {
    face.id: face for face in (DayNightFace(number, half) for number in NUMBERS for half in HALVES)
}
"""The eight distinct faces by id, by ascending number, day before night."""

D20_FACES: Final[tuple[str, ...]] = tuple(face.id for face in DAY_NIGHT_FACES.values() for _ in range(face.number))
"""The faces for the d20's values 1 to 20, in this order; equally all twenty faces of a day-and-night die."""


def face_of_d20(value: Any) -> str | None:
    """Return the face for a d20's value; None for anything else.

    >>> [face_of_d20(value) for value in (1, 2, 14, 17, 21)]
    ['1d', '1n', '4d', '4n', None]
    """
    return D20_FACES[value - 1] if type(value) is int and 1 <= value <= 20 else None


def number_of(face: str) -> int:
    """Return the number on a face.

    >>> number_of("3n")
    3
    """
    return DAY_NIGHT_FACES[face].number


def half_of(face: str) -> Half:
    """Return the half of a face.

    >>> half_of("3n")
    'night'
    """
    return DAY_NIGHT_FACES[face].half


def breaks(chain: Sequence[str]) -> bool:
    """Whether the latest throw broke its number: N breaks when it has been thrown N times.

    >>> breaks(["3d", "2n", "3n", "2d"]), breaks(["3d", "3n"]), breaks([])
    (True, False, False)
    """
    if not chain:
        return False
    number = number_of(chain[-1])
    return sum(number_of(face) == number for face in chain) == number
