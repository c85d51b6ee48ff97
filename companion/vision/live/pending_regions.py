"""Regions that have settled but are not decoded yet, with the time they settled, so that decoding order never
changes the order of cards: a busy machine may read two cards of one picture far apart, or the later one first.
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

_PAPER_CELLS: Final = 4  # with detail: more than a finger or a printed line has


class PendingRegions:
    """Cells that settled after a change and were not scanned since.

    Args:
        shape: (rows, columns) of cells.
    """

    def __init__(self, shape: tuple[int, int]) -> None:
        self._since = np.full(shape, np.inf)
        self._scanned = np.zeros(shape, bool)
        self._busy = np.zeros(shape, bool)

    def __bool__(self) -> bool:
        return bool(np.isfinite(self._since).any())

    def came(self, due: Cells, last_motion: NDArray[np.float64]) -> None:
        """Note cells that are due for a scan; ``last_motion`` is when (s) each of all cells moved last."""
        self._since[due] = np.minimum(self._since[due], last_motion[due])
        self._scanned[due] = False

    def mark_scanned(self, box: Box, moving: Cells) -> None:
        """Note that a box (px) was scanned; where something moves over it, nothing was seen."""
        part = cells_of(box, self._since.shape)
        self._scanned[part] |= ~moving[part]

    def bare(self, cells: Cells) -> None:
        """Nothing lies there."""
        self._since[cells] = np.inf

    def done(self, waiting: Iterable[Box]) -> None:
        """Forget scanned cells, except in the boxes (px) that will be rescanned."""
        self._busy[:] = False
        for box in waiting:
            self._busy[cells_of(box, self._busy.shape)] = True
        self._since[self._scanned & ~self._busy] = np.inf

    def missed(self, still: Cells) -> Cells:
        """Return the still cells for which no scan is planned."""
        return np.asarray(np.isfinite(self._since) & ~self._busy & still)

    def first(self, detailed: Cells, moving: Cells) -> float | None:
        """Return the earliest time (s) since which one of these places is still, None if there is none.

        An arm that paused and was scanned on its way back is ignored: it would delay every card until it is gone.

        Args:
            detailed: cells with the detail of a card that is not known.
            moving: cells in which something moves now.
        """
        places = np.isfinite(self._since) & detailed & (self._busy | ~moving)
        if np.count_nonzero(places) < _PAPER_CELLS:
            return None
        count, labels, stats, _ = cv2.connectedComponentsWithStats(places.astype(np.uint8))
        large = [i for i in range(1, count) if stats[i, cv2.CC_STAT_AREA] >= _PAPER_CELLS]
        return min((float(self._since[labels == i].max()) for i in large), default=None)


class RestTimes:
    """Since when each card has been at rest: it may have waited to be decoded.

    Args:
        fresh_s: how long after a card's first reading its rest time is reported.
    """

    def __init__(self, fresh_s: float) -> None:
        self._fresh_s = fresh_s
        self._cards: Sequence[CardSighting] = ()
        self._known: dict[Quad, tuple[float, float]] = {}
        self._now: dict[Quad, float] = {}

    @property
    def fresh(self) -> set[Quad]:
        """The corners of the cards that were first read a moment ago."""
        return set(self._now)

    def note(self, cards: Sequence[CardSighting], last_motion: NDArray[np.float64], t: float) -> None:
        """Process the cards known at time t (s)."""
        if cards is self._cards and not self._now:
            return
        self._cards = cards
        known, self._known = self._known, {}
        for corners in (card.corners for card in cards):
            self._known[corners] = known.get(corners) or (t, lain_since(last_motion, corners))
        self._now = {quad: lain for quad, (read, lain) in self._known.items() if t - read < self._fresh_s}

    def told(self, cards: tuple[CardSighting, ...]) -> tuple[CardSighting, ...]:
        """Return the cards, the fresh ones with since when they lie."""
        if not self._now:
            return cards
        return tuple(replace(c, lain_since=self._now[c.corners]) if c.corners in self._now else c for c in cards)


def lain_since(last_motion: NDArray[np.float64], corners: Quad) -> float:
    """Return when (s) something moved last where a code or tag lies: in its own cells, not in those at its edge.

    >>> lain_since(np.array([[9.0, 1.0, 9.0]]), ((20, 0), (70, 0), (70, 32), (20, 32)))
    1.0
    """
    x0, y0, x1, y1 = bounds(corners)
    within = last_motion[-(-y0 // CELL_PX) : y1 // CELL_PX, -(-x0 // CELL_PX) : x1 // CELL_PX]
    if not within.size:
        within = last_motion[cells_of((x0, y0, x1, y1), last_motion.shape)]
    return float(within.max(initial=-np.inf))
