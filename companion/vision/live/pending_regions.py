"""Regions that have settled but are not decoded yet, with the time they settled.

The order of cards follows these times, not the order of decoding: a busy machine may decode two cards of one picture
far apart, or the later one first_settled.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.boxes import bounds
from companion.vision.live.change import CELL_PX, Box, Cells, cells_of
from companion.vision.sightings import CardSighting, Quad

_MIN_CARD_CELLS: Final = 4  # with detail; a finger or a printed line has fewer


class PendingRegions:
    """Cells that settled after a change and have not been scanned since.

    Args:
        shape: (rows, columns) of cells.
    """

    def __init__(self, shape: tuple[int, int]) -> None:
        self._since = np.full(shape, np.inf)
        self._scanned = np.zeros(shape, bool)
        self._busy = np.zeros(shape, bool)

    def __bool__(self) -> bool:
        return bool(np.isfinite(self._since).any())

    def add(self, due: Cells, last_motion: NDArray[np.float64]) -> None:
        """Add cells that are due for a scan; ``last_motion``: time (s) of the last motion in each cell."""
        self._since[due] = np.minimum(self._since[due], last_motion[due])
        self._scanned[due] = False

    def mark_scanned(self, box: Box, moving: Cells) -> None:
        """Mark a box (px) as scanned, except for its moving cells, in which nothing could be decoded."""
        part = cells_of(box, self._since.shape)
        self._scanned[part] |= ~moving[part]

    def discard(self, cells: Cells) -> None:
        """Remove cells that show the bare table."""
        self._since[cells] = np.inf

    def clear_scanned(self, waiting: Iterable[Box]) -> None:
        """Remove scanned cells, except in the boxes (px) that will be rescanned."""
        self._busy[:] = False
        for box in waiting:
            self._busy[cells_of(box, self._busy.shape)] = True
        self._since[self._scanned & ~self._busy] = np.inf

    def unplanned(self, still: Cells) -> Cells:
        """Return the still pending cells without a planned scan."""
        return np.asarray(np.isfinite(self._since) & ~self._busy & still)

    def first_settled(self, detailed: Cells, moving: Cells) -> float | None:
        """Return the time (s) at which the first pending region as large as a card settled, or None.

        An arm that paused, was scanned and moves again is ignored: it would delay every card until it is gone.

        Args:
            detailed: cells with detail that no known card explains.
            moving: cells in which something moves now.
        """
        places = np.isfinite(self._since) & detailed & (self._busy | ~moving)
        if np.count_nonzero(places) < _MIN_CARD_CELLS:
            return None
        count, labels, stats, _ = cv2.connectedComponentsWithStats(places.astype(np.uint8))
        large = [i for i in range(1, count) if stats[i, cv2.CC_STAT_AREA] >= _MIN_CARD_CELLS]
        return min((float(self._since[labels == i].max()) for i in large), default=None)


class RestTimes:
    """The time since which each card has been at rest; decoding may be much later.

    Args:
        fresh_s: how long the rest time is reported after a card's first reading.
    """

    def __init__(self, fresh_s: float) -> None:
        self._fresh_s = fresh_s
        self._cards: Sequence[CardSighting] = ()
        self._known: dict[Quad, tuple[float, float]] = {}
        self._now: dict[Quad, float] = {}

    @property
    def fresh(self) -> set[Quad]:
        """The corners of the cards that were first read within the last ``fresh_s`` seconds."""
        return set(self._now)

    def note(self, cards: Sequence[CardSighting], last_motion: NDArray[np.float64], t: float) -> None:
        """Update the rest times with the cards known at time t (s)."""
        if cards is self._cards and not self._now:
            return
        self._cards = cards
        known, self._known = self._known, {}
        for corners in (card.corners for card in cards):
            self._known[corners] = known.get(corners) or (t, at_rest_since(last_motion, corners))
        self._now = {quad: rest_since for quad, (read, rest_since) in self._known.items() if t - read < self._fresh_s}

    def annotated(self, cards: tuple[CardSighting, ...]) -> tuple[CardSighting, ...]:
        """Return the cards, the recently read ones with their ``rest_since``."""
        if not self._now:
            return cards
        return tuple(replace(c, rest_since=self._now[c.corners]) if c.corners in self._now else c for c in cards)


def at_rest_since(last_motion: NDArray[np.float64], corners: Quad) -> float:
    """Return the time (s) of the last motion over a code, a tag or an object: in the cells completely
    inside it, or if there are none in all that it touches.

    >>> at_rest_since(np.array([[9.0, 1.0, 9.0]]), ((20, 0), (70, 0), (70, 32), (20, 32)))
    1.0
    """
    x0, y0, x1, y1 = bounds(corners)
    within = last_motion[-(-y0 // CELL_PX) : y1 // CELL_PX, -(-x0 // CELL_PX) : x1 // CELL_PX]
    if not within.size:
        within = last_motion[cells_of((x0, y0, x1, y1), last_motion.shape)]
    return float(within.max(initial=-np.inf))
