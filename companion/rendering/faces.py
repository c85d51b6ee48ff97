"""Art on a die's faces: numerals, pips, blanks and pictures, each a small square texture.

A texture is ``SIDE`` pixels wide and centred on the face; half its side is the distance to the farthest corner. Its top
points towards that corner (`Solid.heads`) unless rotated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import cos, radians, sin
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from companion.rendering.solids import Solid

SIDE: Final = 96
Mask = NDArray[np.uint8]
Colour = tuple[float, float, float]
"""BGR, 0 to 255."""
Mark = Literal["none", "bar", "dot"]
PipStyle = Literal["western", "asian"]

_GLYPH_PX: Final = 64
_MARKED: Final = frozenset({"6", "9"})
_RED: Final[Colour] = (40, 30, 190)


@dataclass(frozen=True, slots=True, eq=False)
class FaceArt:
    """The art of one face.

    Attributes:
        mask: uint8 (SIDE, SIDE), coverage of the face by ink (or the picture).
        ink: one colour, or a picture uint8 (SIDE, SIDE, 3).
        ground: the face's own colour if it differs from the die's, as on a two-coloured or a paper die.
        turn_deg: rotation of the art on the face, clockwise seen from outside.
        depth: engraving depth; 0 is printed, negative is raised.
    """

    mask: Mask
    ink: Colour | NDArray[np.uint8]
    ground: Colour | None = None
    turn_deg: float = 0.0
    depth: float = 1.0


def blank() -> FaceArt:
    """Return a blank face."""
    return FaceArt(np.zeros((SIDE, SIDE), np.uint8), (0, 0, 0))


def numeral(text: str, font: str, *, mark: Mark = "none") -> Mask:
    """Return a tightly cropped number, uint8 (h, w), ink 255.

    Args:
        font: path of a TrueType or OpenType file.
        mark: distinguishing mark of 6 and 9; ignored for other numbers.
    """
    return _numeral(text, font, mark if text in _MARKED else "none")


@lru_cache(maxsize=8192)
def _numeral(text: str, font: str, mark: Mark) -> Mask:
    drawn = _letters(text, font)
    if mark == "none":
        return drawn
    height, width = drawn.shape
    thick = max(4, round(0.11 * height))
    if mark == "bar":
        space, bar = np.zeros((thick, width), np.uint8), np.full((thick, width), 255, np.uint8)
        return np.vstack([drawn, space, bar])
    dotted = np.zeros((height, width + 2 * thick), np.uint8)
    dotted[:, :width] = drawn
    cv2.circle(dotted, (width + thick - 1, height - thick), max(3, round(0.8 * thick)), 255, -1, cv2.LINE_AA)
    return dotted


def _letters(text: str, font: str) -> Mask:
    face = _font(font)
    left, top, right, bottom = face.getbbox(text)
    image = Image.new("L", (max(1, round(right - left)) + 4, max(1, round(bottom - top)) + 4))
    ImageDraw.Draw(image).text((2 - left, 2 - top), text, fill=255, font=face)
    drawn = np.asarray(image)
    rows, columns = np.flatnonzero(drawn.max(axis=1) > 60), np.flatnonzero(drawn.max(axis=0) > 60)
    if not len(rows):
        return np.zeros((2, 2), np.uint8)
    return np.ascontiguousarray(drawn[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])


@lru_cache(maxsize=1024)
def _font(path: str) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, _GLYPH_PX)


def room_for(die: Solid, face: int, turn_deg: float, aspect: float, centre_y: float) -> float:
    """Return the height of the largest upright rectangle on a face, in units of half the art's side.

    Args:
        aspect: width divided by height.
        centre_y: offset of its centre below the face's.
    """
    outward, offset = _edges(die, face, turn_deg)
    need = (abs(outward[:, 0]) * aspect + abs(outward[:, 1])) / 2
    return float(((offset - outward[:, 1] * centre_y) / need).min())


@lru_cache(maxsize=4096)
def _edges(die: Solid, face: int, turn_deg: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the face's edges in art coordinates (y down): outward normals (n, 2) and distances (n,)."""
    right, down = art_axes(die, face, turn_deg)
    corners = die.vertices[list(die.faces[face])] - die.centres[face]
    flat = np.stack([corners @ right, corners @ down], axis=1) / die.reach[face]
    along = np.roll(flat, -1, axis=0) - flat
    outward = np.stack([along[:, 1], -along[:, 0]], axis=1) / np.linalg.norm(along, axis=1)[:, None]
    offset = (outward * flat).sum(axis=1)
    return outward * np.sign(offset)[:, None], abs(offset)


@lru_cache(maxsize=4096)
def art_axes(die: Solid, face: int, turn_deg: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the unit vectors on the face along the art's rows (right) and columns (down)."""
    up, normal = die.heads[face], die.normals[face]
    right = np.cross(up, normal)
    angle = radians(turn_deg)
    turned = cos(angle) * up + sin(angle) * right
    return np.cross(turned, normal), -turned


def place(drawn: Mask, height: float, *, centre_y: float = 0.0) -> Mask:
    """Return the art's mask with a drawing on it, uint8 (SIDE, SIDE).

    Args:
        height: height of the drawing, in units of half the art's side.
        centre_y: position of its centre in the same units, below the middle.
    """
    scale = height * SIDE / 2 / drawn.shape[0]
    small = cv2.resize(drawn, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else drawn
    where = np.array([[1.0, 0, 0], [0, 1, 0]])
    factor = scale if scale >= 1 else 1.0
    where[:, :2] *= factor
    where[0, 2] = SIDE / 2 - factor * small.shape[1] / 2
    where[1, 2] = SIDE / 2 * (1 + centre_y) - factor * small.shape[0] / 2
    return np.asarray(cv2.warpAffine(small, where, (SIDE, SIDE), flags=cv2.INTER_LINEAR), np.uint8)


_PIPS: Final[dict[int, tuple[tuple[int, int], ...]]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, 1), (-1, 1), (1, -1)),
    5: ((-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


def pips(value: int, *, radius: float, spread: float, one: float = 1.0, column: float = 1.0) -> Mask:
    """Return a d6's pips, uint8 (SIDE, SIDE).

    Args:
        radius: radius of a pip, in units of half the face's edge.
        spread: distance of the outer pips from the middle, in the same units.
        one: scale of the single pip (Asian dice: about 2).
        column: factor for the distance between the columns of the 4 and 6.
    """
    mask = np.zeros((SIDE, SIDE), np.uint8)
    unit = SIDE / 2 / np.sqrt(2)
    size = radius * unit * (one if value == 1 else 1.0)
    narrow = column if value in (4, 6) else 1.0
    for x, y in _PIPS[value]:
        centre = (SIDE / 2 + x * spread * narrow * unit, SIDE / 2 + y * spread * unit)
        cv2.circle(mask, (round(centre[0] * 16), round(centre[1] * 16)), round(size * 16), 255, -1, cv2.LINE_AA, 4)
    return mask


def pip_faces(
    layout: Sequence[int], style: PipStyle, ink: Colour, turns: Sequence[float], *, radius: float, spread: float,
    depth: float = 1.0, one: float = 1.0, column: float = 1.0,
) -> tuple[FaceArt, ...]:  # fmt: skip
    """Return all six faces; on Asian dice the 1 is large and, with the 4, red."""
    size = 1.9 if style == "asian" else one
    return tuple(
        FaceArt(
            pips(value, radius=radius, spread=spread, one=size, column=column),
            _RED if style == "asian" and value in (1, 4) else ink,
            turn_deg=45 + turn_deg,
            depth=depth,
        )
        for value, turn_deg in zip(layout, turns, strict=True)
    )


@cache
def printed_day_night_faces() -> tuple[FaceArt, ...]:
    """Return the faces of our own printed day-and-night die in d20 order, as printed."""
    from companion.printing.dice.face import HEIGHT, face_pieces
    from companion.printing.raster import render

    edge_mm = 24.0
    return tuple(_printed(np.asarray(image), HEIGHT) for image in render(face_pieces(edge_mm)))


def _printed(image: NDArray[np.uint8], height: float) -> FaceArt:
    """Return the art for a picture filled by its triangle (half the art's side is 2/3 of the triangle's height)."""
    scale = SIDE / (4 / 3 * height * image.shape[1])
    small = cv2.resize(image[..., ::-1], None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    picture = np.full((SIDE, SIDE, 3), 255, np.uint8)
    mask = np.zeros((SIDE, SIDE), np.uint8)
    left = (SIDE - small.shape[1]) // 2
    rows = min(small.shape[0], SIDE)
    picture[:rows, left : left + small.shape[1]] = small[:rows]
    corners = np.array([[SIDE / 2, 0], [left + small.shape[1], rows], [left, rows]])
    cv2.fillConvexPoly(mask, corners.round().astype(np.int32), 255, cv2.LINE_AA)
    return FaceArt(mask, picture, depth=0.0)
