"""Log of recent motion on the mat: whose arm reached in, and over which zones it moved.

An arm enters over the mat's edge and is tracked from there (`arms` attributes it to a seat). The log shows who acted,
and whether a hand was at the deck before a card was laid.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.objects.mat import Mat
from companion.tracking.cards.arms import EDGE_MM, Arm, Floats, shoulders_of, tip_of
from companion.tracking.cards.observations import MotionLog, Movement
from companion.tracking.cards.zones import Zones
from companion.vision.live.change import CELL_PX, Cells
from companion.vision.sightings import Point

_LOG_DURATION_S: Final = 10.0
_MAX_PAUSE_S: Final = 1.2  # a hand still for at most this long is the same arm when it moves again
_MIN_CELLS: Final = 3
_MIN_ZONE_SHARE: Final = 0.1  # minimum share of a zone's cells to count as motion in it
_CONNECTING_KERNEL: Final = np.ones((5, 5), np.uint8)
"""Between frames, an arm moves by at most two cells or overlaps itself."""


@dataclass(slots=True)
class _ArmMotion:
    """One arm's motion in one frame; updated if its seat is identified later."""

    arm: Arm
    movement: Movement
    x: Floats
    y: Floats

    def told(self, shoulders: Mapping[int, Point]) -> Movement:
        """Return the movement with the arm's seat as known by now."""
        seat = self.arm.seat
        if seat != self.movement.seat:
            tip = None if seat is None else tip_of(self.x, self.y, shoulders[seat])
            self.movement = replace(self.movement, seat=seat, tip=tip)
        return self.movement


@dataclass(frozen=True, slots=True)
class _Map:
    """The picture's cells: position (mm), zone number and nearest seat at the edge; 0: none.

    Attributes:
        names: the zones' names; number n is ``names[n - 1]``.
        sizes: the number of cells of each zone, at least 1; index 0: of no zone.
    """

    mat: Mat
    x: Floats
    y: Floats
    shoulders: Mapping[int, Point]
    zones: NDArray[np.intp]
    names: tuple[str, ...]
    sizes: NDArray[np.intp]
    edges: NDArray[np.intp]


class MotionWatch:
    """Keeps a log of recent motion. Not thread-safe."""

    def __init__(self) -> None:
        self._log: deque[_ArmMotion] = deque()
        self._arms: list[tuple[Arm, Cells]] = []
        self._last = float("-inf")
        self._mapped: tuple[int, tuple[int, ...], _Map] | None = None

    def update(self, motion: Cells | None, zones: Zones, t: float) -> MotionLog:
        """Process the motion in a frame.

        Args:
            motion: the reading's moving cells; None if the reader does not report them.
            t: the frame's time in seconds, never going back.
        """
        self._arms = [(arm, cells) for arm, cells in self._arms if t - arm.seen <= _MAX_PAUSE_S]
        if motion is not None and int(np.count_nonzero(motion)) >= _MIN_CELLS:
            self._last = t
            table = self._map(motion.shape, zones)
            if table is not None:
                self._log.extend([self._follow(part, table, t) for part in _parts(motion)])
        while self._log and t - self._log[0].movement.t > _LOG_DURATION_S:
            self._log.popleft()
        if self._mapped is None:
            return MotionLog((), self._last)
        shoulders = self._mapped[2].shoulders
        return MotionLog(tuple(moved.told(shoulders) for moved in self._log), self._last)

    def _follow(self, part: Cells, table: _Map, t: float) -> _ArmMotion:
        near = cv2.dilate(part.astype(np.uint8), _CONNECTING_KERNEL) > 0
        known = [(arm, cells) for arm, cells in self._arms if (cells & near).any()]
        arm = Arm(t)
        if known:
            arm = max(known, key=lambda k: (k[0].seat is not None, int(np.count_nonzero(k[1] & near))))[0]
        x, y = table.x[part], table.y[part]
        arm.update(x, y, table.edges[part], table.shoulders, t)
        self._arms = [*((a, cells) for a, cells in self._arms if a is not arm), (arm, part)]
        return _ArmMotion(arm, Movement(t, None, _touched(part, table)), x, y)

    def _map(self, shape: tuple[int, ...], zones: Zones) -> _Map | None:
        """Return the cell map, rebuilt when the mat's position has changed; None without a mat."""
        mat = zones.mat
        if mat is None:
            return None
        if self._mapped is None or self._mapped[:2] != (zones.version, shape):
            if self._mapped is not None and self._mapped[2].mat is not mat:  # another mat's seats and zones
                self._arms, self._log = [], deque()
            table = mapped(mat, *zones.cell_mm((shape[0], shape[1]), CELL_PX))
            self._mapped = (zones.version, shape, table)
        return self._mapped[2]


def mapped(mat: Mat, x: Floats, y: Floats) -> _Map:
    """Return the cell map of a picture.

    Args:
        x, y: (rows, columns), the position of each cell's centre on the mat, mm.
    """
    labels = np.zeros(x.shape, np.intp)
    names = tuple(mat.zones)
    for number, box in enumerate(mat.zones.values(), start=1):
        labels[(box.x <= x) & (x <= box.x + box.width) & (box.y <= y) & (y <= box.y + box.height)] = number
    sizes = np.maximum(1, np.bincount(labels.ravel(), minlength=len(names) + 1))
    return _Map(mat, x, y, shoulders_of(mat), labels, names, sizes, _edges(mat, x, y))


def _edges(mat: Mat, x: Floats, y: Floats) -> NDArray[np.intp]:
    """Return the nearest seat for each cell in the strip along the mat's edge and beyond it; 0 elsewhere."""
    seats = [(int(name[5:]), box) for name, box in mat.zones.items() if name.startswith("seat/")]
    if not seats:
        return np.zeros(x.shape, np.intp)
    outside = np.maximum(np.maximum(-x, x - mat.width_mm), np.maximum(-y, y - mat.height_mm))
    far = [np.hypot(x - np.clip(x, b.x, b.x + b.width), y - np.clip(y, b.y, b.y + b.height)) for _, b in seats]
    nearest = np.array([seat for seat, _ in seats])[np.stack(far).argmin(axis=0)]
    return np.where(outside > -EDGE_MM, nearest, 0)


def _parts(motion: Cells) -> list[Cells]:
    """Return the connected parts of the motion; gaps of up to two cells do not separate parts."""
    joined = cv2.dilate(motion.astype(np.uint8), np.ones((3, 3), np.uint8))
    count, labels = cv2.connectedComponents(joined)
    parts = [motion & (labels == number) for number in range(1, count)]
    return [part for part in parts if int(np.count_nonzero(part)) >= _MIN_CELLS]


def _touched(part: Cells, table: _Map) -> tuple[tuple[str, float], ...]:
    """Return the zones in which a part moves, each with the share of the zone's cells."""
    counts = np.bincount(table.zones[part], minlength=len(table.names) + 1)
    shares = counts / table.sizes
    return tuple(
        (table.names[i - 1], float(shares[i])) for i in np.flatnonzero(shares >= _MIN_ZONE_SHARE).tolist() if i > 0
    )
