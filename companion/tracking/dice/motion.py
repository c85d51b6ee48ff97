"""Classifies motion in the dice tray by frame differences: a rolling die, a hand, or nothing.

A small grey copy of the tray is compared with the previous frame, with a slightly older one (for slow creeping), and
with the background: whatever has been unchanged long enough to count as the tray itself.
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

_WIDTH: Final = 320  # of the small copy; a die of 90 px in a tray of 900 px is 32 px wide then
_LEAST: Final = 12.0  # grey levels; sensors and JPEG stay below
_NOISE: Final = 6.0  # times the frame's own noise
_GROUND: Final = 24.0  # grey levels that something differs from the ground by
_OLDER_S: Final = 0.15
_USUAL_DIE: Final = 0.16  # of the tray's shorter side, until a die was measured
_LEARN_SMALL_S: Final = 1.5
_LEARN_LARGE_S: Final = 10.0  # so long must a hand lie without a tremor to be taken for the tray
_HAND: Final = 2.2  # die areas
_SWARM: Final = 6.0
_SPECK: Final = 0.04


Mask = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class TrayMovement:
    """Motion in the tray, in px of the tray's picture.

    Attributes:
        die: where something of about a die's size moves by itself.
        hand: where something larger is, or something that reaches in from the edge; it may hold still.
        moves: whether anything moves, a hand too.
        shape: the hand itself in a picture ``scale`` times as large as the tray's; None where it is the whole box.
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
    """Compares the frames of one tray; pictures of one size, times never going back."""

    def __init__(self) -> None:
        self._before: deque[tuple[float, Gray]] = deque()
        self._ground: NDArray[np.float32] | None = None
        self._calm_since: NDArray[np.float32] | None = None
        self._die_px: float | None = None
        self._scale = 1.0

    def measured(self, size_px: float) -> None:
        """A die of this size was seen lying: what moves is judged by it from now on."""
        self._die_px = size_px

    def forget(self) -> None:
        """Time passed unseen: compare with nothing older."""
        self._before.clear()
        self._ground = self._calm_since = None

    def update(self, image: Image, t: float) -> TrayMovement:
        """Process the tray's picture and return the movement."""
        small = self._small(image)
        if self._ground is None or self._ground.shape != small.shape:
            self.forget()
            self._ground, self._calm_since = small.astype(np.float32), np.full(small.shape, t, np.float32)
            self._before.append((t, small))
            return STILL
        moving = self._moving(small)
        movement = self._sort(small, moving, t)
        self._remember(small, t)
        return movement

    # ---- comparing

    def _small(self, image: Image) -> Gray:
        self._scale = min(1.0, _WIDTH / max(1, image.shape[1]))
        size = (max(1, round(image.shape[1] * self._scale)), max(1, round(image.shape[0] * self._scale)))
        if image.shape[1] > 2 * size[0]:  # averaging all pixels would cost more than everything else here
            image = np.asarray(cv2.resize(image, (2 * size[0], 2 * size[1]), interpolation=cv2.INTER_LINEAR), np.uint8)
        gray = cv2.resize(to_gray(image), size, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.GaussianBlur(gray, (3, 3), 0), np.uint8)

    def _moving(self, small: Gray) -> NDArray[np.bool_]:
        mask = np.zeros(small.shape, bool)
        for _, older in (self._before[0], self._before[-1]):
            shift = _middle(
                small[::4, ::4].astype(np.int16) - older[::4, ::4]
            )  # a lamp or the exposure changes all alike
            change = cv2.absdiff(small, older) if shift == 0 else np.abs(small.astype(np.int16) - older - shift)
            mask |= change > max(_LEAST, _NOISE * 1.5 * _middle(change[::4, ::4]))
        return mask

    def _remember(self, small: Gray, t: float) -> None:
        self._before.append((t, small))
        while len(self._before) > 2 and t - self._before[1][0] >= _OLDER_S:
            self._before.popleft()

    # ---- what it is

    def _sort(self, small: Gray, moving: NDArray[np.bool_], t: float) -> TrayMovement:
        assert self._ground is not None
        assert self._calm_since is not None
        self._calm_since[moving] = t
        moves, other = _closed(moving), _closed(np.abs(small - self._ground) > _GROUND)
        hand, shape = self._hand(np.maximum(moves, other))
        self._learn(small, other, t)
        least = _SPECK * self._die_area(small)
        parts = [rect for rect, area in _parts(moves) if area >= least]
        free = [rect for rect in parts if not self._is_large(rect, small) and not _overlaps(shape, rect)]
        die = max(free, key=lambda r: r[2] * r[3], default=None)
        return TrayMovement(self._full(die), self._full(hand), bool(parts), shape, self._scale)

    def _hand(self, mask: Mask) -> tuple[Rect | None, Mask | None]:
        """Return the largest thing that is no die, and its shape: it reaches in from the edge, or is far too large."""
        if not mask.any():
            return None, None
        h, w = mask.shape
        die = self._die_area(mask)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
        found = []
        for label in range(1, count):
            x, y, wide, high, area = (int(value) for value in stats[label])
            reaches = area > _HAND * die and _at_edge((x, y, wide, high), w, h)
            if area > _SWARM * die or reaches:
                found.append((area, label, (x, y, wide, high)))
        if not found:
            return None, None
        _, label, rect = max(found)
        shape = np.asarray(cv2.dilate((labels == label).astype(np.uint8), np.ones((7, 7), np.uint8)), np.uint8)
        return rect, shape

    def _is_large(self, rect: Rect, small: Gray) -> bool:
        return rect[2] * rect[3] > 1.5 * _SWARM * self._die_area(small)

    def _die_area(self, small: Gray | Mask) -> float:
        side = _USUAL_DIE * min(small.shape[:2]) if self._die_px is None else self._die_px * self._scale
        return 0.8 * side * side

    def _learn(self, small: Gray, other: Mask, t: float) -> None:
        """Take for ground what has been calm for long enough; large things have to lie there for much longer."""
        assert self._ground is not None
        assert self._calm_since is not None
        calm = t - self._calm_since
        slow = np.zeros(small.shape, bool)
        for (x, y, w, h), area in _parts(other):
            if area > _HAND * self._die_area(small):
                slow[y : y + h, x : x + w] = True
        ready = calm >= np.where(slow, _LEARN_LARGE_S, _LEARN_SMALL_S)
        self._ground[ready] = small[ready]

    def _full(self, rect: Rect | None) -> Rect | None:
        if rect is None:
            return None
        x, y, w, h = (round(value / self._scale) for value in rect)
        return x, y, w, h


def _middle(values: NDArray[Any]) -> int:
    return int(np.median(values))


def _closed(mask: NDArray[np.bool_]) -> Mask:
    """Close the gaps that a numeral or a blur leaves in one thing, then drop single pixels."""
    kernel = np.ones((5, 5), np.uint8)
    closed = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, kernel)
    return np.asarray(cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)


def _parts(mask: Mask) -> list[tuple[Rect, int]]:
    """Return bounding box and area of each connected part."""
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
