"""Background model: the appearance of the empty table, learned while the picture is still, to detect removed cards.

A blurred color picture at a quarter of the size. Only still cells without a known card are learned. A learned cell is
replaced only after it has differed for a long time: a resting hand is not background.
"""

from collections.abc import Iterable
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Image
from companion.vision.live.change import CELL_PX, SHRINK, Box, Cells, cells_of
from companion.vision.sightings import Quad

_LEARN_INTERVAL_S: Final = 0.25
_RELEARN_AFTER_S: Final = 20.0
_DIFFERENCE: Final = 16  # levels of a color channel; the sensor noise of the blurred picture is below
_MAX_CELL_SHARE: Final = 0.04  # share of differing pixels in a cell that still matches
_MAX_BOX_SHARE: Final = 0.08  # the same for a box
_GAIN_LIMITS: Final = (0.75, 1.33)  # the shadow beside a hand, the camera's exposure
_DARK: Final = 12.0  # mean level below which the light cannot be compared
_OVEREXPOSED: Final = 245.0  # mean level of glare, which looks like a white cloth


class BackgroundModel:
    """The background model of one camera's table.

    Args:
        size: (width, height) of the full picture.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        self.shape = (max(1, -(-size[1] // CELL_PX)), max(1, -(-size[0] // CELL_PX)))
        self._small_size = (max(1, size[0] // SHRINK), max(1, size[1] // SHRINK))
        self._model = np.zeros((self._small_size[1], self._small_size[0], 3), np.uint8)
        self._known = np.zeros(self.shape, bool)
        self._differs_since = np.full(self.shape, np.inf)
        self._next_learning: float | None = None

    def learn(self, image: Image, still: Cells, covers: Iterable[Quad], sure: Iterable[Quad], t: float) -> None:
        """Learn the visible parts of the table at time t (s).

        Args:
            image: uint8 (H, W, 3).
            still: cells where nothing has moved for a while.
            covers: outlines (px) of everything that lies, or may lie, on the table.
            sure: outlines (px) of the cards that are fully visible: what was learned there is forgotten.
        """
        self._next_learning = t + _LEARN_INTERVAL_S
        small = _blurred(image, self._small_size)
        differs = self._by_cell(_difference(small, self._model, 1.0)) > _MAX_CELL_SHARE
        free = still & (self._covered_share(covers) == 0)
        self._known &= differs | (self._covered_share(sure) < 1)
        self._differs_since[free & self._known & differs & np.isinf(self._differs_since)] = t
        self._differs_since[~(free & self._known & differs)] = np.inf
        new = free & (~self._known | (t - self._differs_since >= _RELEARN_AFTER_S))
        self._write(small, new)
        mixed = np.asarray(cv2.addWeighted(self._model, 0.9, small, 0.1, 0), np.uint8)
        self._write(mixed, free & self._known & ~differs & ~new)
        self._known |= new
        self._differs_since[new] = np.inf

    def is_due(self, t: float) -> bool:
        """Whether it is time to learn again."""
        return self._next_learning is None or t >= self._next_learning

    def knows(self, box: Box) -> bool:
        """Whether the background is known everywhere in a box (px)."""
        return bool(self._known[cells_of(box, self.shape)].all())

    def is_bare(self, image: Image, box: Box) -> bool:
        """Whether a box (px) as a whole matches the background; False where that is unknown."""
        difference = self._difference_in(image, box)
        return difference is not None and float(difference.mean()) < _MAX_BOX_SHARE * 255

    def is_all_bare(self, image: Image, box: Box) -> bool:
        """Whether every cell of a box (px) matches the background, so that not even a corner of a card lies in it."""
        difference = self._difference_in(image, box)
        if difference is None:
            return False
        side = CELL_PX // SHRINK
        shape = (max(1, round(difference.shape[0] / side)), max(1, round(difference.shape[1] / side)))
        return not (_cell_shares(difference, shape) > _MAX_CELL_SHARE).any()

    def _difference_in(self, image: Image, box: Box) -> NDArray[np.uint8] | None:
        """Return the difference of a box from the background at a quarter of its size: 255 where they differ, else 0.

        It is None if the background is unknown, or the difference in brightness cannot be the light's.
        """
        if not self.knows(box):
            return None
        x0, y0, x1, y1 = max(0, box[0] // SHRINK), max(0, box[1] // SHRINK), -(-box[2] // SHRINK), -(-box[3] // SHRINK)
        then = self._model[y0:y1, x0:x1]
        if then.size == 0:
            return None
        h, w = then.shape[:2]
        left, top = min(x0, 1), min(y0, 1)  # one more pixel on each side, for the blur
        part = image[(y0 - top) * SHRINK : (y0 + h + 1) * SHRINK, (x0 - left) * SHRINK : (x0 + w + 1) * SHRINK]
        size = (max(1, round(part.shape[1] / SHRINK)), max(1, round(part.shape[0] / SHRINK)))
        now = _blurred(part, size)[top : top + h, left : left + w]
        then = then[: now.shape[0], : now.shape[1]]
        gain = _gain(now, then)
        return None if gain is None else _difference(now, then, gain)

    def _write(self, small: Image, cells: Cells) -> None:
        mask = cv2.resize(cells.astype(np.uint8), None, fx=8, fy=8, interpolation=cv2.INTER_NEAREST)
        h, w = self._model.shape[:2]
        cv2.copyTo(small, np.ascontiguousarray(mask[:h, :w]), self._model)

    def _covered_share(self, quads: Iterable[Quad]) -> NDArray[np.float64]:
        """Return the covered share of each cell, (rows, columns)."""
        mask = np.zeros(self._model.shape[:2], np.uint8)
        for quad in quads:
            cv2.fillConvexPoly(mask, np.round(np.array(quad) / SHRINK).astype(np.int32), 255)
        return self._by_cell(mask)

    def _by_cell(self, mask: NDArray[np.uint8]) -> NDArray[np.float64]:
        side = CELL_PX // SHRINK
        below, right = self.shape[0] * side - mask.shape[0], self.shape[1] * side - mask.shape[1]
        whole = cv2.copyMakeBorder(mask, 0, max(0, below), 0, max(0, right), cv2.BORDER_REPLICATE)
        return _cell_shares(np.asarray(whole, np.uint8), self.shape)


def _blurred(image: Image, size: tuple[int, int]) -> Image:
    """Return a picture resized to (width, height) and blurred: 4 of 16 pixels and a blur suppress the noise enough."""
    return np.asarray(cv2.blur(cv2.resize(image, size, interpolation=cv2.INTER_LINEAR), (3, 3)), np.uint8)


def _gain(now: Image, then: Image) -> float | None:
    """Return the gain that matches the light of `now` to `then`; None if it is too large to be the light's."""
    a, b = float(np.mean(cv2.mean(now)[:3])), float(np.mean(cv2.mean(then)[:3]))
    if a > _OVEREXPOSED:
        return None
    if a < _DARK or b < _DARK:
        return 1.0
    return b / a if _GAIN_LIMITS[0] <= b / a <= _GAIN_LIMITS[1] else None


def _difference(now: Image, then: Image, gain: float) -> NDArray[np.uint8]:
    level = now if gain == 1.0 else cv2.convertScaleAbs(now, alpha=gain)
    blue, green, red = cv2.split(cv2.absdiff(level, then))
    return np.asarray(
        cv2.threshold(cv2.max(cv2.max(blue, green), red), _DIFFERENCE, 255, cv2.THRESH_BINARY)[1], np.uint8
    )


def _cell_shares(difference: NDArray[np.uint8], shape: tuple[int, ...]) -> NDArray[np.float64]:
    return np.asarray(cv2.resize(difference, shape[::-1], interpolation=cv2.INTER_AREA) / 255.0)
