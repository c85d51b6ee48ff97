"""One face of the printed day-and-night die: the number for people, the tag for the camera, sun or moon for both.

Day is dark on light, night light on dark. Unit coordinates: the triangle's edge is 1, the origin its center, the
number's top towards the upper corner, y down.
"""

import math
from dataclasses import dataclass
from functools import partial
from typing import Final

from companion.objects.cards import DIE_FACE_TAGS
from companion.objects.dice import D20_FACES, half_of, number_of
from companion.objects.geometry import Box
from companion.printing.cards.emblems import draw_moon, draw_sun
from companion.printing.cards.marks import draw_tag
from companion.printing.cards.palette import BACK
from companion.printing.fonts import TITLE
from companion.printing.pen import Path, Pen, polygon
from companion.printing.pieces import Piece

HEIGHT: Final = math.sqrt(3) / 2
"""Height of the triangle, in edges."""
BELOW: Final = HEIGHT / 3
"""Distance from the triangle's center to an edge."""
TAG: Final = 0.28
"""Side of the tag's black square, in edges; one eighth of it is a module."""

DAY_GROUND: Final = BACK.light
NIGHT_GROUND: Final = BACK.dark
_DAY_INK: Final = "#14181F"
_NIGHT_INK: Final = "#FFFFFF"
_DAY_SUN: Final = "#A8620A"
_NIGHT_MOON: Final = BACK.accent
_TAG_FOOT: Final = 0.055  # white space between the tag and the margin of the lower edge
_QUIET: Final = 0.036  # slightly more than one module
_NUMBER_FOOT: Final = -0.118
_NUMBER_HEIGHT: Final = 0.255


@dataclass(frozen=True, slots=True)
class DieFace:
    """A face of the printed die. ``index``, 0 to 19, follows the values of the equivalent d20.

    >>> FACES[9]
    DieFace(index=9, face='3n', name='3n-1', tag=190)
    """

    index: int
    face: str
    name: str
    tag: int

    @property
    def value(self) -> int:
        """The equivalent value of a d20."""
        return self.index + 1


def _faces() -> tuple[DieFace, ...]:
    counted = [f"{face}-{D20_FACES[: i + 1].count(face)}" for i, face in enumerate(D20_FACES)]
    return tuple(DieFace(i, face, counted[i], DIE_FACE_TAGS[i]) for i, face in enumerate(D20_FACES))


FACES: Final[tuple[DieFace, ...]] = _faces()
"""All twenty faces, each with its own tag."""


def triangle() -> Path:
    """Return the face's outline in unit coordinates, upright."""
    return polygon([(0, BELOW - HEIGHT), (0.5, BELOW), (-0.5, BELOW)])


def draw_die_face(pen: Pen, face: DieFace, edge_mm: float) -> None:
    """Draw a face of this size, centered on the origin."""
    with pen.at(scale=edge_mm):
        pen.fill(triangle(), NIGHT_GROUND if half_of(face.face) == "night" else DAY_GROUND)
        _draw_unit(pen, face)


def _draw_unit(pen: Pen, face: DieFace) -> None:
    is_day = half_of(face.face) == "day"
    ink = _DAY_INK if is_day else _NIGHT_INK
    foot = BELOW - _TAG_FOOT
    draw_tag(pen, face.tag, Box(-TAG / 2, foot - TAG, TAG, TAG), quiet=_QUIET)
    pen.numeral(0, _NUMBER_FOOT, str(number_of(face.face)), _NUMBER_HEIGHT, ink, font=TITLE)
    for x in (-0.265, 0.265):
        if is_day:
            draw_sun(pen, x, foot - 0.075, 0.075, _DAY_SUN)
        else:
            draw_moon(pen, x - 0.022, foot - 0.075, 0.075, _NIGHT_MOON)


def face_pieces(edge_mm: float) -> tuple[Piece, ...]:
    """Return the twenty faces as pieces, each in its triangle's bounding box."""
    return tuple(
        Piece(face.name, edge_mm, edge_mm * HEIGHT, partial(_alone, face=face, edge=edge_mm)) for face in FACES
    )


def _alone(pen: Pen, *, face: DieFace, edge: float) -> None:
    with pen.at(edge / 2, edge * (HEIGHT - BELOW)):
        draw_die_face(pen, face, edge)
