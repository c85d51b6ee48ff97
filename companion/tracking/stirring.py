"""What moved lately and where on the mat: whose arm reached in, over which zones hands went.

An arm comes into the picture over the mat's edge in front of whoever it belongs to. That says who acts, and whether
a hand was at the deck before a card came to lie.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.mat import Mat
from companion.tracking.observations import Stirring
from companion.tracking.zones import Zones
from companion.vision.change import CELL_PX, Cells

_KEPT_S: Final = 8.0
_EDGE_MM: Final = 45.0  # an arm crosses this strip along the mat's edge
_BEYOND_MM: Final = 60.0
_LEAST_CELLS: Final = 2
_SHARE: Final = 0.15  # of a zone's cells


class StirringWatch:
    """Keeps what moved in the last seconds. One thread's."""

    def __init__(self) -> None:
        self._arms: deque[tuple[float, int]] = deque()
        self._zones: deque[tuple[float, str]] = deque()
        self._last = float("-inf")
        self._version: tuple[int, tuple[int, ...]] = (-1, ())
        self._cells: Mapping[str, Cells] = {}
        self._edges: Mapping[int, Cells] = {}

    def update(self, motion: Cells | None, zones: Zones, t: float) -> Stirring:
        """Take in what moves in a frame.

        Args:
            motion: the reading's moving cells.
            t: seconds, never going back.
        """
        if motion is not None and int(np.count_nonzero(motion)) >= _LEAST_CELLS:
            self._last = t
            self._map(motion.shape, zones)
            self._zones.extend((t, name) for name, cells in self._cells.items() if _stirs(motion, cells))
            self._arms.extend((t, seat) for seat in arms_in(motion, self._edges))
        for kept in (self._arms, self._zones):
            while kept and t - kept[0][0] > _KEPT_S:
                kept.popleft()
        return Stirring(tuple(self._arms), tuple(self._zones), self._last)

    def _map(self, shape: tuple[int, ...], zones: Zones) -> None:
        """Reckon which cells of the picture are which zone, when the mat was found anew."""
        if self._version == (zones.version, shape) and (self._cells or zones.mat is None):
            return
        self._version = (zones.version, shape)
        size = (shape[0], shape[1])
        self._cells = zones.cell_zones(size, CELL_PX)
        self._edges = {} if zones.mat is None else edges_of(zones.mat, *zones.cell_mm(size, CELL_PX))


def edges_of(mat: Mat, x: NDArray[np.float64], y: NDArray[np.float64]) -> dict[int, Cells]:
    """Return for each seat the cells of the strip along the mat's edge that are nearest to its place.

    Args:
        x, y: where on the mat (mm) each cell lies.
    """
    seats = {int(name[5:]): box for name, box in mat.zones.items() if name.startswith("seat/")}
    if not seats:
        return {}
    outside = np.maximum(np.maximum(-x, x - mat.width_mm), np.maximum(-y, y - mat.height_mm))
    strip = (outside > -_EDGE_MM) & (outside < _BEYOND_MM)
    distance = np.stack(
        [np.hypot(x - np.clip(x, b.x, b.x + b.width), y - np.clip(y, b.y, b.y + b.height)) for b in seats.values()]
    )
    nearest = distance.argmin(axis=0)
    return {seat: strip & (nearest == i) for i, seat in enumerate(seats)}


def arms_in(motion: Cells, edges: Mapping[int, Cells]) -> list[int]:
    """Return the seats over whose edge something moves: those with the most of it, rarely more than one."""
    counts = {seat: int(np.count_nonzero(motion & cells)) for seat, cells in edges.items()}
    most = max(counts.values(), default=0)
    return [seat for seat, count in counts.items() if count >= max(_LEAST_CELLS, 0.6 * most)]


def _stirs(motion: Cells, cells: Cells) -> bool:
    return int(np.count_nonzero(motion & cells)) > _SHARE * int(np.count_nonzero(cells))
