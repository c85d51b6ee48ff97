"""Dice shapes with circumscribed radius 1, and adjacency of faces."""

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from math import atan2, cos, pi, sin, sqrt, tan
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
SolidName = Literal["d4", "d6", "d8", "d10", "d12", "d20"]

_GOLDEN: Final = (1 + sqrt(5)) / 2
_FLAT: Final = 1e-9


@dataclass(frozen=True, eq=False)
class Solid:
    """A convex polyhedron around the origin.

    Attributes:
        vertices: float64 (n, 3), the farthest one at distance 1.
        faces: each face's vertex indices, counter-clockwise seen from outside.

    >>> die = solid("d20")
    >>> len(die.vertices), len(die.faces), {len(face) for face in die.faces}
    (12, 20, {3})
    """

    name: SolidName
    vertices: Points
    faces: tuple[tuple[int, ...], ...]

    @cached_property
    def normals(self) -> Points:
        """Outward unit normals, (faces, 3)."""
        return np.array([_normal(self.vertices[list(face)]) for face in self.faces])

    @cached_property
    def centres(self) -> Points:
        """Foot of the perpendicular from the origin to each face, (faces, 3); on a kite not the mean of its corners."""
        heights = [
            float(self.vertices[face[0]] @ normal) for face, normal in zip(self.faces, self.normals, strict=True)
        ]
        return np.array(heights)[:, None] * self.normals

    @cached_property
    def reach(self) -> tuple[float, ...]:
        """Distance from each face's centre to its farthest corner."""
        return tuple(
            float(np.linalg.norm(self.vertices[list(face)] - centre, axis=1).max())
            for face, centre in zip(self.faces, self.centres, strict=True)
        )

    @cached_property
    def heads(self) -> Points:
        """Unit vectors from each face's centre to its farthest corner, (faces, 3): the up direction of its art."""
        ways = [_farthest(self.vertices[list(face)] - c) for face, c in zip(self.faces, self.centres, strict=True)]
        return np.array(ways)

    def opposite(self, face: int) -> int | None:
        """Return the opposite face; None on a d4."""
        towards = self.normals @ self.normals[face]
        other = int(towards.argmin())
        return other if towards[other] < -1 + 1e-6 else None

    def neighbours(self, face: int) -> tuple[int, ...]:
        """Return the faces adjacent to this one, counter-clockwise seen from outside."""
        ring = self.faces[face]
        edges = [{ring[i], ring[(i + 1) % len(ring)]} for i in range(len(ring))]
        return tuple(
            next(i for i, other in enumerate(self.faces) if i != face and edge <= set(other)) for edge in edges
        )


@cache
def solid(name: SolidName) -> Solid:
    """Return the solid with this name; cached."""
    corners = np.array(_CORNERS[name]())
    corners = corners / np.linalg.norm(corners, axis=1).max()
    return Solid(name, corners, tuple(_hull_faces(corners)))


def _farthest(ways: Points) -> Points:
    lengths = np.linalg.norm(ways, axis=1)
    best = int(np.round(lengths, 6).argmax())
    return np.asarray(ways[best] / lengths[best])


def _normal(corners: Points) -> Points:
    normal: Points = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    return normal / np.linalg.norm(normal)


def _hull_faces(corners: Points) -> list[tuple[int, ...]]:
    """Return the faces of a convex hull: every plane through three corners with no corner outside."""
    found: set[frozenset[int]] = set()
    for three in combinations(range(len(corners)), 3):
        normal = np.cross(corners[three[1]] - corners[three[0]], corners[three[2]] - corners[three[0]])
        side = (corners - corners[three[0]]) @ normal
        if side.max() < _FLAT or side.min() > -_FLAT:
            found.add(frozenset(np.flatnonzero(abs(side) < _FLAT).tolist()))
    return [_ring(corners, face) for face in sorted(found, key=sorted)]


def _ring(corners: Points, face: frozenset[int]) -> tuple[int, ...]:
    """Order a face's corners counter-clockwise seen from outside."""
    members = sorted(face)
    centre = corners[members].mean(axis=0)
    right = corners[members[0]] - centre
    up = np.cross(centre, right)
    turns = [atan2((corners[i] - centre) @ up, (corners[i] - centre) @ right) % (2 * pi) for i in members]
    return tuple(member for _, member in sorted(zip(turns, members, strict=True)))


def _signs(*lengths: float) -> list[tuple[float, ...]]:
    signed: list[tuple[float, ...]] = [()]
    for length in lengths:
        signed = [(*point, sign * length) for point in signed for sign in ((1, -1) if length else (1,))]
    return signed


def _tetrahedron() -> list[tuple[float, ...]]:
    return [(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]


def _octahedron() -> list[tuple[float, ...]]:
    return [point for i in range(3) for point in _signs(*(float(i == axis) for axis in range(3)))]


def _trapezohedron() -> list[tuple[float, ...]]:
    """Return the corners of a d10; the zigzag of its ring makes its ten kites flat."""
    zigzag = tan(pi / 10) ** 2
    ring = [(cos(pi * k / 5), sin(pi * k / 5), zigzag * (-1) ** k) for k in range(10)]
    return [*ring, (0, 0, 1), (0, 0, -1)]


def _dodecahedron() -> list[tuple[float, ...]]:
    return [*_signs(1, 1, 1), *_turned(_signs(0, 1 / _GOLDEN, _GOLDEN))]


def _icosahedron() -> list[tuple[float, ...]]:
    return _turned(_signs(0, 1, _GOLDEN))


def _turned(points: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
    return [(*point[turn:], *point[:turn]) for point in points for turn in range(3)]


_CORNERS: Final = {
    "d4": _tetrahedron,
    "d6": lambda: _signs(1, 1, 1),
    "d8": _octahedron,
    "d10": _trapezohedron,
    "d12": _dodecahedron,
    "d20": _icosahedron,
}
