"""Change detection on a quarter-size picture: about a millisecond per frame.

The picture is divided into cells of 32 pixels. A cell is *moving* while it differs from the previous frame, *changed*
while it differs from its state at the last scan, and *due* for a scan once it has changed and is still. A change of
the light over the whole picture is compensated.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Gray, median_of
from companion.vision.sightings import Quad

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; right and bottom are exclusive."""

Cells = NDArray[np.bool_]
"""bool (rows, columns), one value for each cell."""

SHRINK: Final = 4
CELL_PX: Final = 32
_STILL_S: Final = 0.06  # how long a cell must be still before it is scanned
_MAX_WAIT_S: Final = 0.5  # a cell that keeps moving is scanned after this time anyway
_DIFFERENT: Final = 12  # gray levels by which a differing pixel must differ
_CHANGED_SHARE: Final = 0.04  # share of a cell's pixels that must differ
_MIN_DETAIL: Final = 6.0
# Relative to paper white: felt, wood and woven cloth have less than 0.03, wood at times 0.1, tags more than 0.15.
_MIN_RELATIVE_DETAIL: Final = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """The result of comparing one frame.

    Attributes:
        small: uint8 (h, w), the picture at a quarter of its size, its light matched to the reference.
        moving: cells that differ from the previous frame.
        changed: cells that differ from the last scan.
        due: changed cells that are still, or have been changing for too long to wait.
    """

    small: Gray
    moving: Cells
    changed: Cells
    due: Cells


class ChangeWatch:
    """Compares each frame with the previous one and with the last scan.

    Args:
        size: (width, height) of the full picture.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        self.small_size = (max(1, size[0] // SHRINK), max(1, size[1] // SHRINK))
        shape = (max(1, -(-size[1] // CELL_PX)), max(1, -(-size[0] // CELL_PX)))
        self.shape = shape
        self._before: Gray | None = None
        self._reference: Gray | None = None
        self._last_motion = np.full(shape, -1e9)
        self._last_scan = np.full(shape, -1e9)

    def update(self, gray: Gray, t: float) -> Changes:
        """Compare the next frame at time t (s).

        Args:
            gray: uint8 (h, w), the frame or a smaller version of it.
        """
        wide = (2 * self.small_size[0], self.small_size[1])  # in two steps it takes a tenth of the time
        halved = cv2.resize(gray, wide, interpolation=cv2.INTER_AREA)
        small = np.asarray(cv2.resize(halved, self.small_size, interpolation=cv2.INTER_LINEAR), np.uint8)
        if self._before is None or self._reference is None:
            self._before, self._reference = small, small.copy()
            everything = np.ones(self.shape, bool)
            self._last_motion[:] = t - _STILL_S
            self._last_scan[:] = t
            return Changes(small, np.zeros(self.shape, bool), everything, everything)
        moving = self._differ(_same_light(small, self._before), self._before)
        level = _same_light(small, self._reference)
        changed = self._differ(level, self._reference)
        self._before = small
        self._last_motion[moving] = t
        self._last_scan[~changed] = t
        overdue = t - self._last_scan >= _MAX_WAIT_S
        self._drift(level, changed)
        return Changes(level, moving, changed, changed & (self.still(t) | overdue))

    def still(self, t: float, for_s: float = _STILL_S) -> Cells:
        """Return the cells where nothing has moved for this time (s) at time t (s)."""
        return np.asarray(t - self._last_motion >= for_s - 1e-6)

    @property
    def last_motion(self) -> NDArray[np.float64]:
        """Time (s) of the last motion in each cell; not to be modified."""
        return self._last_motion

    def accept(self, box: Box, small: Gray, t: float) -> None:
        """Mark a box (px) as scanned: it becomes the reference for later changes."""
        assert self._reference is not None
        x0, y0, x1, y1 = (v // SHRINK for v in box)
        self._reference[y0 : y1 + 1, x0 : x1 + 1] = small[y0 : y1 + 1, x0 : x1 + 1]
        self._last_scan[cells_of(box, self.shape)] = t

    def _differ(self, a: Gray, b: Gray) -> Cells:
        far = cv2.threshold(cv2.absdiff(a, b), _DIFFERENT, 255, cv2.THRESH_BINARY)[1]
        share = cv2.resize(far, self.shape[::-1], interpolation=cv2.INTER_AREA)
        return np.asarray(share > _CHANGED_SHARE * 255)

    def _drift(self, small: Gray, changed: Cells) -> None:
        """Let the reference follow slow changes of the light in the unchanged cells."""
        assert self._reference is not None
        mask = cv2.resize((~changed).astype(np.uint8), self.small_size, interpolation=cv2.INTER_NEAREST)
        mixed = cv2.addWeighted(self._reference, 0.9, small, 0.1, 0)
        cv2.copyTo(mixed, mask, self._reference)


def boxes_of(cells: Cells, size: tuple[int, int], pad: int = 1) -> list[Box]:
    """Return the bounding boxes (px) of connected groups of cells, widened by `pad` cells.

    >>> cells = np.zeros((4, 6), bool); cells[1, 1:3] = True
    >>> boxes_of(cells, (192, 128), pad=0)
    [(32, 32, 96, 64)]
    """
    if not cells.any():
        return []
    grown = cells.astype(np.uint8)
    if pad:
        grown = np.asarray(cv2.dilate(grown, np.ones((2 * pad + 1, 2 * pad + 1), np.uint8)), np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(grown)
    out = []
    for x, y, w, h, _area in stats[1:].tolist():
        box = (x * CELL_PX, y * CELL_PX, min((x + w) * CELL_PX, size[0]), min((y + h) * CELL_PX, size[1]))
        out.append(box)
    return out


def cells_of(box: Box, shape: tuple[int, int]) -> tuple[slice, slice]:
    """Return the rows and columns of the cells that a box (px) touches."""
    x0, y0, x1, y1 = box
    rows = slice(max(0, y0 // CELL_PX), min(shape[0], -(-y1 // CELL_PX)))
    return rows, slice(max(0, x0 // CELL_PX), min(shape[1], -(-x1 // CELL_PX)))


def textured(small: Gray, shape: tuple[int, int], explained: Iterable[Quad] = ()) -> Cells:
    """Return the cells with enough fine detail to hold a tag or a code; bare cloth and wood have none.

    Args:
        small: the picture at a quarter of its size.
        explained: outlines (px of the full picture) of known objects, whose detail does not count.
    """
    edges = cv2.convertScaleAbs(cv2.Laplacian(cv2.GaussianBlur(small, (3, 3), 0), cv2.CV_16S))
    detail = np.asarray(cv2.boxFilter(edges, -1, (3, 3)), np.uint8)
    for quad in explained:
        points = np.round(np.array(quad) / SHRINK).astype(np.int32)
        cv2.fillConvexPoly(detail, points, 0)
        cv2.polylines(detail, [points], True, 0, 5)  # the card's own edge against the cloth
    paper = float(np.percentile(small[::4, ::4], 98))
    return np.asarray(by_cell(detail, shape).max(axis=(1, 3)) > max(_MIN_DETAIL, _MIN_RELATIVE_DETAIL * paper))


def by_cell(values: Gray, shape: tuple[int, int]) -> Gray:
    """Return a quarter-size picture split into cells, (rows, pixels, columns, pixels), padded with 0."""
    side = CELL_PX // SHRINK
    room = ((0, max(0, shape[0] * side - values.shape[0])), (0, max(0, shape[1] * side - values.shape[1])))
    full = np.pad(values, room)[: shape[0] * side, : shape[1] * side]
    return np.asarray(full.reshape(shape[0], side, shape[1], side))


def _same_light(now: Gray, then: Gray) -> Gray:
    """Return `now` with its brightness matched to `then`, against clouds, lamps and the camera's exposure."""
    a, b = median_of(now[::4, ::4]), median_of(then[::4, ::4])
    if abs(a - b) < 1.5 or a < 4:
        return now
    return np.asarray(cv2.convertScaleAbs(now, alpha=min(4.0, max(0.25, b / a))), np.uint8)
