"""Classifies motion in the dice tray by frame differences: a rolling die, a hand, or nothing.

A small grey copy of the tray is compared with the previous frame, with a slightly older one (for slow motion), and with
the background model: whatever has been still for long enough counts as the tray itself.
"""

from collections import deque
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Gray, Image, to_gray

Rect = tuple[int, int, int, int]
"""x, y, width, height, px."""

_SMALL_WIDTH_PX: Final = 320  # of the small copy: a die of 90 px in a tray of 900 px becomes 32 px wide
_MIN_DIFFERENCE: Final = 12.0  # grey levels: sensor noise and JPEG artefacts stay below
_NOISE_FACTOR: Final = 6.0  # as a multiple of the frame's own noise
_FOREGROUND_DIFFERENCE: Final = 24.0  # grey levels: minimum difference from the background
_COMPARISON_AGE_S: Final = 0.15
_ASSUMED_DIE_SIZE: Final = 0.16  # of the tray's shorter side: assumed until a die was measured
_LEARN_SMALL_S: Final = 1.5
_LEARN_LARGE_S: Final = 10.0  # a hand has to stay perfectly still for this long to become background
_MIN_HAND_AREA: Final = 2.2  # die areas
_LARGE_OBJECT_AREA: Final = 6.0
_MIN_PART_AREA: Final = 0.04


Mask = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class TrayMovement:
    """Motion in the tray, in px of the tray's picture.

    Attributes:
        die: bounding box of something die-sized that moves apart from any hand.
        hand: bounding box of something larger, or reaching in from the edge; it may be still.
        moves: whether anything moves, hands included.
        shape: mask of the hand, at ``scale`` times the size of the tray's picture; None: the whole box.
        scale: the scale of ``shape``.
    """

    die: Rect | None = None
    hand: Rect | None = None
    moves: bool = False
    shape: Mask | None = None
    scale: float = 1.0

    def covers(self, point: tuple[float, float]) -> bool:
        """Whether the hand is over this point."""
        if self.hand is None:
            return False
        if self.shape is None:
            x, y, w, h = self.hand
            return x <= point[0] <= x + w and y <= point[1] <= y + h
        row, column = (int(value * self.scale) for value in point[::-1])
        inside = 0 <= row < self.shape.shape[0] and 0 <= column < self.shape.shape[1]
        return inside and bool(self.shape[row, column])


STILL: Final = TrayMovement()


class TrayMotion:
    """Compares successive frames of one tray. Times never go back."""

    def __init__(self) -> None:
        self._before: deque[tuple[float, Gray]] = deque()
        self._background: NDArray[np.float32] | None = None
        self._calm_since: NDArray[np.float32] | None = None
        self._die_px: float | None = None
        self._scale = 1.0

    def measured(self, size_px: float) -> None:
        """Set the die's size, measured on a resting die; moving objects are classified by it from now on."""
        self._die_px = size_px

    def forget(self) -> None:
        """Discard all history, after a gap between frames."""
        self._before.clear()
        self._background = self._calm_since = None

    def update(self, image: Image, t: float) -> TrayMovement:
        """Process the tray's picture and return the movement."""
        small = self._small(image)
        if self._background is None or self._background.shape != small.shape:
            self.forget()
            self._background, self._calm_since = small.astype(np.float32), np.full(small.shape, t, np.float32)
            self._before.append((t, small))
            return STILL
        moving = self._changed(small)
        movement = self._classify(small, moving, t)
        self._remember(small, t)
        return movement

    # ---- comparing

    def _small(self, image: Image) -> Gray:
        self._scale = min(1.0, _SMALL_WIDTH_PX / max(1, image.shape[1]))
        size = (max(1, round(image.shape[1] * self._scale)), max(1, round(image.shape[0] * self._scale)))
        if image.shape[1] > 2 * size[0]:  # area-averaging all pixels would cost more than everything else here
            image = np.asarray(cv2.resize(image, (2 * size[0], 2 * size[1]), interpolation=cv2.INTER_LINEAR), np.uint8)
        gray = cv2.resize(to_gray(image), size, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.GaussianBlur(gray, (3, 3), 0), np.uint8)

    def _changed(self, small: Gray) -> NDArray[np.bool_]:
        mask = np.zeros(small.shape, bool)
        for _, older in (self._before[0], self._before[-1]):
            shift = _median(
                small[::4, ::4].astype(np.int16) - older[::4, ::4]
            )  # a change of lighting or exposure shifts all pixels alike
            change = cv2.absdiff(small, older) if shift == 0 else np.abs(small.astype(np.int16) - older - shift)
            mask |= change > max(_MIN_DIFFERENCE, _NOISE_FACTOR * 1.5 * _median(change[::4, ::4]))
        return mask

    def _remember(self, small: Gray, t: float) -> None:
        self._before.append((t, small))
        while len(self._before) > 2 and t - self._before[1][0] >= _COMPARISON_AGE_S:
            self._before.popleft()

    # ---- classifying

    def _classify(self, small: Gray, moving: NDArray[np.bool_], t: float) -> TrayMovement:
        assert self._background is not None
        assert self._calm_since is not None
        self._calm_since[moving] = t
        moves, other = _closed(moving), _closed(np.abs(small - self._background) > _FOREGROUND_DIFFERENCE)
        hand, shape = self._hand(np.maximum(moves, other))
        self._update_background(small, other, t)
        least = _MIN_PART_AREA * self._die_area(small)
        parts = [rect for rect, area in _parts(moves) if area >= least]
        free = [rect for rect in parts if not self._is_large(rect, small) and not _overlaps(shape, rect)]
        die = max(free, key=lambda r: r[2] * r[3], default=None)
        return TrayMovement(self._full(die), self._full(hand), bool(parts), shape, self._scale)

    def _hand(self, mask: Mask) -> tuple[Rect | None, Mask | None]:
        """Return the box and mask of the largest object that is not a die: from the edge, or far too large."""
        if not mask.any():
            return None, None
        h, w = mask.shape
        die = self._die_area(mask)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
        found = []
        for label in range(1, count):
            x, y, wide, high, area = (int(value) for value in stats[label])
            reaches = area > _MIN_HAND_AREA * die and _at_edge((x, y, wide, high), w, h)
            if area > _LARGE_OBJECT_AREA * die or reaches:
                found.append((area, label, (x, y, wide, high)))
        if not found:
            return None, None
        _, label, rect = max(found)
        shape = np.asarray(cv2.dilate((labels == label).astype(np.uint8), np.ones((7, 7), np.uint8)), np.uint8)
        return rect, shape

    def _is_large(self, rect: Rect, small: Gray) -> bool:
        return rect[2] * rect[3] > 1.5 * _LARGE_OBJECT_AREA * self._die_area(small)

    def _die_area(self, small: Gray | Mask) -> float:
        side = _ASSUMED_DIE_SIZE * min(small.shape[:2]) if self._die_px is None else self._die_px * self._scale
        return 0.8 * side * side

    def _update_background(self, small: Gray, other: Mask, t: float) -> None:
        """Add to the background what has been still for long enough; large objects need much longer."""
        assert self._background is not None
        assert self._calm_since is not None
        calm = t - self._calm_since
        slow = np.zeros(small.shape, bool)
        for (x, y, w, h), area in _parts(other):
            if area > _MIN_HAND_AREA * self._die_area(small):
                slow[y : y + h, x : x + w] = True
        ready = calm >= np.where(slow, _LEARN_LARGE_S, _LEARN_SMALL_S)
        self._background[ready] = small[ready]

    def _full(self, rect: Rect | None) -> Rect | None:
        if rect is None:
            return None
        x, y, w, h = (round(value / self._scale) for value in rect)
        return x, y, w, h


def _median(values: NDArray[Any]) -> int:
    return int(np.median(values))


def _closed(mask: NDArray[np.bool_]) -> Mask:
    """Close the gaps that a numeral or blur leaves within one object, then drop single pixels."""
    kernel = np.ones((5, 5), np.uint8)
    closed = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, kernel)
    return np.asarray(cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)


def _parts(mask: Mask) -> list[tuple[Rect, int]]:
    """Return the bounding box and the area (px) of each connected part."""
    if not mask.any():
        return []
    count, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    return [((int(x), int(y), int(w), int(h)), int(area)) for x, y, w, h, area in stats[1:count]]


def _at_edge(rect: Rect, width: int, height: int) -> bool:
    x, y, w, h = rect
    return x <= 1 or y <= 1 or x + w >= width - 1 or y + h >= height - 1


def _overlaps(shape: Mask | None, rect: Rect) -> bool:
    x, y, w, h = rect
    return shape is not None and bool(shape[y : y + h, x : x + w].any())
