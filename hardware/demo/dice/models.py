"""The dice of the demo tray: an ordinary d20, the printed day-and-night die, and a d12 that belongs to no game."""

from functools import cache
from importlib import resources
from typing import Final, Literal

from companion.objects import dice
from companion.objects.dice import D20_FACES, DAY_NIGHT
from companion.printing.fonts import BOLD
from companion.rendering.faces import FaceArt, numeral, place, printed_day_night_faces, room_for
from companion.rendering.layouts import standard_d20
from companion.rendering.materials import Material
from companion.rendering.painter import Die
from companion.rendering.solids import SolidName, solid

DieKind = dice.DieKind | Literal["d12"]
"""The kinds of dice in the tray; no d6."""

RADIUS_MM: Final[dict[DieKind, float]] = {"d20": 13.0, DAY_NIGHT: 13.0, "d12": 12.0}
"""Distance from a die's centre to its corners."""

_BLUE: Final = Material((120, 52, 24), second=(150, 78, 40), pattern="marbled", amount=0.35, gloss=0.55, rounding=0.035)
_PAPER: Final = Material((235, 238, 240), gloss=0.1, rounding=0.02)
_RED: Final = Material((36, 30, 150), gloss=0.6, rounding=0.04)
_WHITE: Final = (244, 246, 246)


@cache
def model(kind: DieKind) -> Die:
    """Return the model of a die; cached."""
    if kind == DAY_NIGHT:
        faces = printed_day_night_faces()
        return Die(solid("d20"), tuple(faces[value - 1] for value in standard_d20()), _PAPER)
    shape: SolidName = "d20" if kind == "d20" else "d12"
    values = standard_d20() if kind == "d20" else tuple(range(1, 13))
    material = _BLUE if kind == "d20" else _RED
    return Die(solid(shape), tuple(_number(shape, i, value) for i, value in enumerate(values)), material)


def _number(shape: SolidName, face: int, value: int) -> FaceArt:
    with resources.as_file(resources.files("companion.printing.fonts") / f"{BOLD}.ttf") as path:
        drawn = numeral(str(value), str(path), mark="bar")
    aspect = drawn.shape[1] / drawn.shape[0]
    height = 0.80 * room_for(solid(shape), face, 0.0, aspect, 0.04)
    return FaceArt(place(drawn, height, centre_y=0.04), _WHITE, depth=0.8)


def face_index(kind: DieKind, shown: str) -> int:
    """Return the index of a face of the solid that shows this value, or this number by day or night.

    Raises:
        ValueError: the die has no such face.

    >>> face_index("d20", "20") == standard_d20().index(20)
    True
    """
    values = [shown_by(kind, face) for face in range(12 if kind == "d12" else 20)]
    if shown not in values:
        raise ValueError(f"a {kind} has no face {shown!r}")
    return values.index(shown)


def shown_by(kind: DieKind, face: int) -> str:
    """Return the value shown by a face of the solid, or its number by day or night."""
    value = face + 1 if kind == "d12" else standard_d20()[face]
    return D20_FACES[value - 1] if kind == DAY_NIGHT else str(value)
