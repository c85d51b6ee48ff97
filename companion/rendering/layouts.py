"""Face layouts: the usual d20 and its mirror image, spindown, random ones, and both d6."""

import random
from functools import cache
from typing import Final, Literal

from companion.objects.dice import D20_FACES
from companion.rendering.solids import Solid, solid

D20Layout = Literal["standard", "mirrored", "spindown", "random"]
D6Layout = Literal["western", "asian"]
Layout = tuple[int, ...]
"""The value of each face of a solid, in the order of its faces."""

STANDARD_NEIGHBOURS: Final[dict[int, tuple[int, int, int]]] = {
    1: (7, 13, 19), 2: (12, 18, 20), 3: (16, 17, 19), 4: (11, 14, 18), 5: (13, 15, 18),
    6: (9, 14, 16), 7: (1, 15, 17), 8: (10, 16, 20), 9: (6, 11, 19), 10: (8, 12, 17),
    11: (4, 9, 13), 12: (2, 10, 15), 13: (1, 5, 11), 14: (4, 6, 20), 15: (5, 7, 12),
    16: (3, 6, 8), 17: (3, 7, 10), 18: (2, 4, 5), 19: (1, 3, 9), 20: (2, 8, 14),
}  # fmt: skip
"""Value -> its three neighbours on the usual d20; opposite values add up to 21."""


@cache
def standard_d20(*, mirrored: bool = False) -> Layout:
    """Return the usual d20: its values placed on the solid, in one of two chiralities.

    >>> layout = standard_d20()
    >>> die = solid("d20")
    >>> {layout[face] + layout[die.opposite(face)] for face in range(20)}
    {21}
    """
    die = solid("d20")
    around = die.neighbours(0)
    low, middle, high = STANDARD_NEIGHBOURS[20]
    first = (low, high, middle) if mirrored else (low, middle, high)
    placed = _filled(die, {0: 20, **dict(zip(around, first, strict=True))})
    assert placed is not None  # the table above describes an icosahedron, as verified by a test
    return tuple(placed[face] for face in range(20))


def _filled(die: Solid, placed: dict[int, int]) -> dict[int, int] | None:
    """Assign the remaining values consistently by backtracking; None if impossible."""
    beside = {other: face for face in placed for other in die.neighbours(face) if other not in placed}
    if not beside:
        return placed
    face, known = next(iter(beside.items()))
    for value in set(STANDARD_NEIGHBOURS[placed[known]]) - set(placed.values()):
        if _fits(die, placed, face, value) and (done := _filled(die, {**placed, face: value})):
            return done
    return None


def _fits(die: Solid, placed: dict[int, int], face: int, value: int) -> bool:
    """Whether a value's placed neighbours on a face are exactly those required."""
    beside = {placed[other] for other in die.neighbours(face) if other in placed}
    return beside == set(STANDARD_NEIGHBOURS[value]) & set(placed.values())


def d20_layout(name: D20Layout, rng: random.Random) -> Layout:
    """Return a d20's values in face order."""
    if name in ("standard", "mirrored"):
        return standard_d20(mirrored=name == "mirrored")
    values = list(range(1, 21))
    if name == "random":
        rng.shuffle(values)
        return tuple(values)
    path = _walk(solid("d20"), rng)
    return tuple(20 - path.index(face) for face in range(20))


def _walk(die: Solid, rng: random.Random) -> list[int]:
    """Return a Hamiltonian path over the faces, the order of a spindown d20's numbers."""
    path = [rng.randrange(len(die.faces))]
    while len(path) < len(die.faces):
        path = _walk_on(die, path, rng) or [rng.randrange(len(die.faces))]
    return path


def _walk_on(die: Solid, path: list[int], rng: random.Random) -> list[int] | None:
    if len(path) == len(die.faces):
        return path
    ways = [face for face in die.neighbours(path[-1]) if face not in path]
    for face in rng.sample(ways, len(ways)):
        found = _walk_on(die, [*path, face], rng)
        if found:
            return found
    return None


def d6_layout(name: D6Layout) -> Layout:
    """Return a d6's values: opposites add up to 7; 1, 2, 3 run counter-clockwise (western) or clockwise."""
    die = solid("d6")
    two, three = die.neighbours(0)[:2] if name == "western" else die.neighbours(0)[1::-1]
    placed = {0: 1, two: 2, three: 3}
    values = placed | {die.opposite(face): 7 - value for face, value in placed.items()}
    return tuple(values[face] for face in range(6))


def day_night_layout(rng: random.Random | None = None) -> Layout:
    """Return the index into `D20_FACES` of each face: as on the usual d20, or shuffled."""
    if rng is None:
        return tuple(value - 1 for value in standard_d20())
    faces = list(range(len(D20_FACES)))
    rng.shuffle(faces)
    return tuple(faces)
