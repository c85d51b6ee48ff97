"""Background model: the appearance of the empty table, learnt while the picture is still, to notice removed cards.

A blurred colour picture at a quarter of the size. Only cells that are still and not covered by a known card are learnt.
A learnt cell is replaced only after it has differed for long: a resting hand is not background.
"""

from collections.abc import Iterable
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Image
from companion.vision.live.change import CELL_PX, SHRINK, Box, Cells, cells_of
from companion.vision.sightings import Quad

_LEARN_EVERY_S: Final = 0.25
_RELEARN_S: Final = 20.0
_FAR: Final = 16  # levels of a colour channel that make a difference; sensors' noise is below, blurred
_CELL_SHARE: Final = 0.04
_PLACE_SHARE: Final = 0.08
_GAIN: Final = (0.75, 1.33)  # a shadow beside a hand, the camera's exposure
_DARK: Final = 12.0
_BLOWN: Final = 245.0  # glare looks like a white cloth


class BackgroundModel:
    """The background model of the bare table.

    Args:
        size: (width, height) of the full picture.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        self.shape = (max(1, -(-size[1] // CELL_PX)), max(1, -(-size[0] // CELL_PX)))
        self._small_size = (max(1, size[0] // SHRINK), max(1, size[1] // SHRINK))
        self._model = np.zeros((self._small_size[1], self._small_size[0], 3), np.uint8)
        self._known = np.zeros(self.shape, bool)
        self._other_since = np.full(self.shape, np.inf)
        self._next: float | None = None

    def learn(self, image: Image, still: Cells, covers: Iterable[Quad], sure: Iterable[Quad], t: float) -> None:
        """Learn the visible parts of the table at time t (s).

        Args:
            image: uint8 (H, W, 3).
            still: cells where nothing has moved for a while.
            covers: what lies on the table or may lie there, px.
            sure: the cards that are plainly seen: these are not background.
        """
        self._next = t + _LEARN_EVERY_S
        small = _blurred(image, self._small_size)
        other = self._by_cell(_far(small, self._model, 1.0)) > _CELL_SHARE
        free = still & (self._inside(covers) == 0)
        self._known &= other | (self._inside(sure) < 1)
        self._other_since[free & self._known & other & np.isinf(self._other_since)] = t
        self._other_since[~(free & self._known & other)] = np.inf
        new = free & (~self._known | (t - self._other_since >= _RELEARN_S))
        self._write(small, new)
        mixed = np.asarray(cv2.addWeighted(self._model, 0.9, small, 0.1, 0), np.uint8)
        self._write(mixed, free & self._known & ~other & ~new)
        self._known |= new
        self._other_since[new] = np.inf

    def is_due(self, t: float) -> bool:
        """Say whether it is time to learn again."""
        return self._next is None or t >= self._next

    def knows(self, box: Box) -> bool:
        """Say whether all the ground in a box (px) is known."""
        return bool(self._known[cells_of(box, self.shape)].all())

    def is_bare(self, image: Image, box: Box) -> bool:
        """Say whether a place (px) matches the background; False where that is unknown."""
        far = self._compare(image, box)
        return far is not None and float(far.mean()) < _PLACE_SHARE * 255

    def is_all_bare(self, image: Image, box: Box) -> bool:
        """Say whether not even a corner of anything lies in a box (px) as large as some cells."""
        far = self._compare(image, box)
        if far is None:
            return False
        side = CELL_PX // SHRINK
        shape = (max(1, round(far.shape[0] / side)), max(1, round(far.shape[1] / side)))
        return not (_share(far, shape) > _CELL_SHARE).any()

    def _compare(self, image: Image, box: Box) -> NDArray[np.uint8] | None:
        """Return 255 where the picture differs from the known ground in a box, at a quarter of the size."""
        if not self.knows(box):
            return None
        x0, y0, x1, y1 = max(0, box[0] // SHRINK), max(0, box[1] // SHRINK), -(-box[2] // SHRINK), -(-box[3] // SHRINK)
        then = self._model[y0:y1, x0:x1]
        if then.size == 0:
            return None
        h, w = then.shape[:2]
        left, top = min(x0, 1), min(y0, 1)  # a pixel more all round, for the blur
        part = image[(y0 - top) * SHRINK : (y0 + h + 1) * SHRINK, (x0 - left) * SHRINK : (x0 + w + 1) * SHRINK]
        size = (max(1, round(part.shape[1] / SHRINK)), max(1, round(part.shape[0] / SHRINK)))
        now = _blurred(part, size)[top : top + h, left : left + w]
        then = then[: now.shape[0], : now.shape[1]]
        gain = _gain(now, then)
        return None if gain is None else _far(now, then, gain)

    def _write(self, small: Image, cells: Cells) -> None:
        mask = cv2.resize(cells.astype(np.uint8), None, fx=8, fy=8, interpolation=cv2.INTER_NEAREST)
        h, w = self._model.shape[:2]
        cv2.copyTo(small, np.ascontiguousarray(mask[:h, :w]), self._model)

    def _inside(self, quads: Iterable[Quad]) -> NDArray[np.float64]:
        """Return how much of each cell the quads (px) cover."""
        mask = np.zeros(self._model.shape[:2], np.uint8)
        for quad in quads:
            cv2.fillConvexPoly(mask, np.round(np.array(quad) / SHRINK).astype(np.int32), 255)
        return self._by_cell(mask)

    def _by_cell(self, mask: NDArray[np.uint8]) -> NDArray[np.float64]:
        side = CELL_PX // SHRINK
        below, right = self.shape[0] * side - mask.shape[0], self.shape[1] * side - mask.shape[1]
        whole = cv2.copyMakeBorder(mask, 0, max(0, below), 0, max(0, right), cv2.BORDER_REPLICATE)
        return _share(np.asarray(whole, np.uint8), self.shape)


def _blurred(image: Image, size: tuple[int, int]) -> Image:
    """Return a picture at this (width, height): four pixels of each sixteen, and a blur, are enough against noise."""
    return np.asarray(cv2.blur(cv2.resize(image, size, interpolation=cv2.INTER_LINEAR), (3, 3)), np.uint8)


def _gain(now: Image, then: Image) -> float | None:
    """Return how much brighter the ground was than it is now; None if that cannot be the light."""
    a, b = float(np.mean(cv2.mean(now)[:3])), float(np.mean(cv2.mean(then)[:3]))
    if a > _BLOWN:
        return None
    if a < _DARK or b < _DARK:
        return 1.0
    return b / a if _GAIN[0] <= b / a <= _GAIN[1] else None


def _far(now: Image, then: Image, gain: float) -> NDArray[np.uint8]:
    level = now if gain == 1.0 else cv2.convertScaleAbs(now, alpha=gain)
    blue, green, red = cv2.split(cv2.absdiff(level, then))
    return np.asarray(cv2.threshold(cv2.max(cv2.max(blue, green), red), _FAR, 255, cv2.THRESH_BINARY)[1], np.uint8)


def _share(far: NDArray[np.uint8], shape: tuple[int, ...]) -> NDArray[np.float64]:
    return np.asarray(cv2.resize(far, shape[::-1], interpolation=cv2.INTER_AREA) / 255.0)
