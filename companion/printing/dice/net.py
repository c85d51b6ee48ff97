"""The paper icosahedron: the layout of its twenty triangles in the flat net, and the face printed on each.

Unit coordinates: an edge is 1, y down, the printed side up; it becomes the outside. The net is five upper caps, a
band of ten triangles and five lower caps. Twenty-two of its edges are cut; eleven of those carry a glue tab.
"""

import math
from dataclasses import dataclass
from typing import Final, Literal

from companion.printing.dice.face import FACES, HEIGHT, DieFace

Point = tuple[float, float]
Corner = tuple[str, int]
"""A corner of the solid: ``("top", 0)``, ``("upper", 0..4)``, ``("lower", 0..4)``, ``("bottom", 0)``."""

WIDTH: Final = 5.5
TALL: Final = 3 * HEIGHT
TAB: Final = 0.2
_TAB_SLOPE: Final = 0.26  # less than the 60 degrees that are free between two caps

SPREAD: Final = (
    "4d", "2n", "4n", "2d", "3d",
    "4n", "1d", "3d", "3n", "2n",
    "3d", "4d", "4d", "4n", "3n",
    "4n", "3n", "1n", "4d", "2d",
)  # fmt: skip
"""The face on each triangle, balanced: the faces around each corner add up to 14, 15 or 16, two or three of the five
are day, and a day face is always opposite a night face."""


@dataclass(frozen=True, slots=True)
class NetFace:
    """A triangle of the net: ``points`` and the corresponding corners of the solid, clockwise as printed, top first."""

    points: tuple[Point, Point, Point]
    corners: tuple[Corner, Corner, Corner]
    face: DieFace

    @property
    def middle(self) -> Point:
        xs, ys = zip(*self.points, strict=True)
        return sum(xs) / 3, sum(ys) / 3

    @property
    def turn(self) -> Literal[0, 180]:
        """Rotation of the face in degrees: half of the triangles are upside down."""
        return 0 if self.points[0][1] < self.points[1][1] else 180


def net() -> tuple[NetFace, ...]:
    """Return the twenty triangles: upper caps, the band's downward ones, its upward ones, lower caps."""
    shapes = [shape for row in (_upper, _hanging, _standing, _lower) for shape in map(row, range(5))]
    return tuple(
        NetFace(points, corners, face) for (points, corners), face in zip(shapes, _spread_faces(), strict=True)
    )


Shape = tuple[tuple[Point, Point, Point], tuple[Corner, Corner, Corner]]


def _upper(i: int) -> Shape:
    points = ((i + 0.5, 0.0), (i + 1.0, HEIGHT), (float(i), HEIGHT))
    return points, (("top", 0), ("upper", (i + 1) % 5), ("upper", i))


def _hanging(i: int) -> Shape:
    points = ((i + 0.5, 2 * HEIGHT), (float(i), HEIGHT), (i + 1.0, HEIGHT))
    return points, (("lower", i), ("upper", i), ("upper", (i + 1) % 5))


def _standing(i: int) -> Shape:
    points = ((i + 1.0, HEIGHT), (i + 1.5, 2 * HEIGHT), (i + 0.5, 2 * HEIGHT))
    return points, (("upper", (i + 1) % 5), ("lower", (i + 1) % 5), ("lower", i))


def _lower(i: int) -> Shape:
    points = ((i + 1.0, 3 * HEIGHT), (i + 0.5, 2 * HEIGHT), (i + 1.5, 2 * HEIGHT))
    return points, (("bottom", 0), ("lower", i), ("lower", (i + 1) % 5))


def _spread_faces() -> tuple[DieFace, ...]:
    left = {face.name: face for face in FACES}
    found = []
    for wanted in SPREAD:
        name = next(name for name, face in left.items() if face.face == wanted)
        found.append(left.pop(name))
    return tuple(found)


Edge = tuple[Point, Point]


def folds() -> tuple[Edge, ...]:
    """Return the nineteen edges between two triangles of the net, to be scored and folded."""
    return tuple(edge for edge, count in _counted().items() if count == 2)


def cuts() -> tuple[Edge, ...]:
    """Return the twenty-two edges on the net's outline."""
    return tuple(edge for edge, count in _counted().items() if count == 1)


def _counted() -> dict[Edge, int]:
    found: dict[Edge, int] = {}
    for face in net():
        for i in range(3):
            edge = _ordered(face.points[i], face.points[(i + 1) % 3])
            found[edge] = found.get(edge, 0) + 1
    return found


def _ordered(a: Point, b: Point) -> Edge:
    a, b = ((round(x, 9), round(y, 9)) for x, y in (a, b))
    return (a, b) if a <= b else (b, a)


def tabs() -> tuple[tuple[Point, Point, Point, Point], ...]:
    """Return the eleven glue tabs: at the right side of each cap, and at the band's right end."""
    edges = [((i + 0.5, 0.0), (i + 1.0, HEIGHT)) for i in range(5)]
    edges += [((i + 1.5, 2 * HEIGHT), (i + 1.0, 3 * HEIGHT)) for i in range(5)]
    edges.append(((5.0, HEIGHT), (5.5, 2 * HEIGHT)))
    return tuple(_tab(a, b) for a, b in edges)


def _tab(a: Point, b: Point) -> tuple[Point, Point, Point, Point]:
    """Return a trapezoid to the left of the direction from a to b as printed, which is outside the net."""
    (ax, ay), (bx, by) = a, b
    dx, dy = bx - ax, by - ay
    length = math.hypot(dx, dy)
    ox, oy = dy / length * TAB, -dx / length * TAB
    s = _TAB_SLOPE
    return a, (ax + dx * s + ox, ay + dy * s + oy), (bx - dx * s + ox, by - dy * s + oy), b
