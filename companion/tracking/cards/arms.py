"""Attributes an arm to a seat, by where it crosses the mat's edge and where it points back to.

A far-reaching arm may cross the edge in front of a neighbour, but it still points back to its own shoulder. One frame
is unreliable, so scores are accumulated over the arm's lifetime.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.objects.geometry import Box
from companion.objects.mat import Mat
from companion.vision.sightings import Point

Floats = NDArray[np.float64]

EDGE_MM: Final = 40.0  # width of the strip along the mat's edge that arms enter over
_SHOULDER_DISTANCE_MM: Final = 450.0  # assumed distance of shoulders from the mat's edge
_DIRECTION_SCALE_MM: Final = 70.0  # scale of the score's fall-off with the distance of the shoulder's line
_FULL_REACH_MM: Final = 300.0
"""From this reach on, an arm is scored by its direction alone; the shorter, the more by the edge."""
_TIP_CELLS: Final = 3
_CROSSING_DECAY: Final = 0.6  # weight of the edge crossing decays by this factor per frame


@dataclass(slots=True, eq=False)
class Arm:
    """A tracked arm: its score for each seat, when it was last seen, and in how many frames."""

    seen: float
    frames: int = 0
    scores: dict[int, float] = field(default_factory=dict)

    @property
    def seat(self) -> int | None:
        """Its most likely seat; None until it was seen at the edge."""
        return max(self.scores, key=lambda seat: self.scores[seat]) if self.scores else None

    def update(self, x: Floats, y: Floats, edges: NDArray[np.intp], shoulders: Mapping[int, Point], t: float) -> None:
        """Add one frame's motion (see `seat_scores`).

        An arm enters over its own edge; a hand wandering along the edge later counts less and less.
        """
        for seat, score in seat_scores(x, y, edges, shoulders, _CROSSING_DECAY**self.frames).items():
            self.scores[seat] = self.scores.get(seat, 0.0) + score
        self.frames, self.seen = self.frames + 1, t


def shoulders_of(mat: Mat) -> dict[int, Point]:
    """Return the assumed positions of the players' shoulders by seat, mm on the mat."""
    return {int(name[5:]): _shoulder(box, mat) for name, box in mat.zones.items() if name.startswith("seat/")}


def seat_scores(
    x: Floats, y: Floats, edges: NDArray[np.intp], shoulders: Mapping[int, Point], edge_weight: float = 1.0
) -> dict[int, float]:
    """Return a moving part's score for each seat, 0 to 1; empty if the part does not touch the edge.

    Args:
        x, y: positions of its cells, mm.
        edges: for each cell the seat whose edge it lies on, 0 off the edge.
        shoulders: positions of the shoulders by seat, mm.
        edge_weight: weight of the place where the part crosses the edge, 0 to 1.
    """
    on_edge = edges > 0
    if not on_edge.any():
        return {}
    shares = np.bincount(edges[on_edge]) / np.count_nonzero(on_edge)
    crossing = (float(x[on_edge].mean()), float(y[on_edge].mean()))
    found = {}
    for seat, shoulder in shoulders.items():
        share = float(shares[seat]) if seat < len(shares) else 0.0
        tip = tip_of(x, y, shoulder)
        reach = float(np.hypot(tip[0] - crossing[0], tip[1] - crossing[1]))
        far = min(1.0, reach / _FULL_REACH_MM)
        line = float(np.exp(-((_beside(crossing, tip, shoulder) / _DIRECTION_SCALE_MM) ** 2)))
        found[seat] = (1 - far) * share * edge_weight + far * line
    return found


def tip_of(x: Floats, y: Floats, origin: Point) -> Point:
    """Return the centre of the `_TIP_CELLS` cells farthest from a point."""
    farthest = np.argsort(np.hypot(x - origin[0], y - origin[1]))[-_TIP_CELLS:]
    return float(x[farthest].mean()), float(y[farthest].mean())


def _beside(point: Point, a: Point, b: Point) -> float:
    """Return the distance of a point from the line through two others."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    return abs(dx * (point[1] - a[1]) - dy * (point[0] - a[0])) / max(1e-6, float(np.hypot(dx, dy)))


def _shoulder(box: Box, mat: Mat) -> Point:
    """Return the assumed shoulder of a seat: beyond the mat's edge nearest to the seat's box."""
    x, y = box.x + box.width / 2, box.y + box.height / 2
    ways = {
        x: (-_SHOULDER_DISTANCE_MM, y), mat.width_mm - x: (mat.width_mm + _SHOULDER_DISTANCE_MM, y),
        y: (x, -_SHOULDER_DISTANCE_MM), mat.height_mm - y: (x, mat.height_mm + _SHOULDER_DISTANCE_MM),
    }  # fmt: skip
    return ways[min(ways)]
