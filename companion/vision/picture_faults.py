"""What is wrong with a camera's pictures: covered, dazzled, frozen, garbled, out of focus, moved, too few.

A camera that sends pictures is not yet one that sees. Every frame is looked at cheaply (a small picture of it, a few
rows), some more closely; a fault counts after it has lasted, so that a hand before the lens is none.
"""

from collections import deque
from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Image

Kind = Literal["dark", "dazzled", "noise", "frozen", "garbled", "size", "slow", "blurred", "moved"]
BLIND: Final[frozenset[Kind]] = frozenset({"dark", "dazzled", "noise", "frozen", "garbled"})
"""Faults with which nothing can be read at all."""

_Grid = NDArray[np.float32]

_USUALLY_S: Final = 0.8
_LASTS_S: Final[dict[Kind, float]] = {"garbled": 0.4, "slow": 0.0, "blurred": 0.4, "moved": 0.4}
"""A fault that lasts so long is told; these are only seen over a while of their own."""
_STEP: Final = 4
_OUTLINES_WIDE: Final = 240
_SMALL: Final = (160, 90)
_DARK, _BRIGHT = 30, 235  # levels that 98 % of a covered picture stay below, or of a dazzled one above
_ALIKE: Final = 0.5  # correlation of neighboring pixels: above 0.9 in pictures of things, near 0 in noise
_ROUGH: Final = 20  # levels: the least spread of noise that covers everything

_DIFFERENT: Final = 15  # pictures in a row that differ: a sensor, whose noise never repeats
_NEVER_S: Final = 30.0  # the same for so long: no sensor, or one that hangs since before the first picture

_JUMP: Final = 25  # levels that a place changes from one picture to the next
_JUMPING: Final = 0.25  # of the picture; arms that move quickly change less
_JUMPS_S: Final = 0.7
_GRAY_ROWS: Final = 8  # rows of the small picture: what a cut-off JPEG leaves gray

_USUAL_S, _SOON_S = 4.0, 1.0
_FEW: Final = 0.25  # of the usual pictures
_GAP_S: Final = 2.0

_CLOSELY_S: Final = 0.25
_BLOCKS: Final = (32, 18)
_EDGE: Final = 30  # levels between two pixels of half the picture: an edge that focus can take away
_SAME_LEVEL: Final = 7
_SOFT: Final = 0.55  # of an edge's former height
_LEAST_BLOCKS: Final = 6
_LEAST_SIDE: Final = 120  # px: of a smaller picture there is nothing to see closely
_MOVED_PX: Final = 6.0
ACCEPTED_S: Final = 20.0
"""A camera that stands still so long at its new place, or keeps its new size, is believed to belong there."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a camera's pictures.

    Attributes:
        kind: what it is.
        amount: how far the camera has moved (px), or of how many pictures one comes; else 0.
        sizes: width and height, now and before, where the size has changed.
    """

    kind: Kind
    amount: int = 0
    sizes: tuple[int, int, int, int] = (0, 0, 0, 0)

    @property
    def is_blind(self) -> bool:
        """Whether nothing can be read."""
        return self.kind in BLIND


class PictureFaults:
    """Looks at one camera's pictures in turn. Not thread-safe; its only clock is what it is told."""

    def __init__(self) -> None:
        self._small: NDArray[np.uint8] | None = None
        self._size: tuple[int, int] | None = None
        self._newest_size: tuple[tuple[int, int], float] = (0, 0), 0.0
        self._frozen = _Frozen()
        self._jumps: deque[tuple[float, bool]] = deque(maxlen=60)
        self._rate = _Rate()
        self._view = _View()
        self._closely_at = float("-inf")
        self._since: dict[Kind, float] = {}
        self._fault: Fault | None = None
        self.is_doubtful = False
        """Whether the newest picture is not to be read, though its fault has not lasted yet."""

    @property
    def fault(self) -> Fault | None:
        """What is wrong now, None if nothing."""
        return self._fault

    def see(self, image: Image, t: float, arrived: int, *, is_film: bool = False) -> Fault | None:
        """Look at the next picture.

        Args:
            image: uint8 (H, W, 3) BGR.
            t: seconds, never going back.
            arrived: how many pictures the camera has sent so far, those included that nobody unpacked.
            is_film: whether pictures of the same thing may be the same, as no sensor's are.

        Returns:
            What is wrong with the pictures since a while; None if nothing.
        """
        if image.size == 0:
            return self._fault
        small = _small(image)
        now: list[Fault] = []
        if (one := self._at_once(image, small, t, is_film)) is not None:
            now.append(one)
        elif (size := self._of_size(image, t)) is not None:
            now.append(size)
        elif (seen := self._closely(image, small, t)) is not None:
            now.append(seen)
        if (share := self._rate.see(t, arrived)) is not None:
            now.append(Fault("slow", share))
        self._small = small
        self.is_doubtful = any(fault.is_blind for fault in now)
        self._since = {fault.kind: self._since.get(fault.kind, t) for fault in now}
        lasting = [fault for fault in now if t - self._since[fault.kind] >= _LASTS_S.get(fault.kind, _USUALLY_S)]
        if not lasting:
            self._fault = None
        elif self._fault is None or self._fault.kind != lasting[0].kind:
            self._fault = lasting[0]  # and so it stays: figures that change with every picture tell nobody more
        return self._fault

    def skipped(self, t: float, arrived: int) -> Fault | None:
        """Count pictures that came and that nobody unpacked: even they may be too few. As `see`, without a picture."""
        share = self._rate.see(t, arrived)
        if share is not None and self._fault is None:
            self._fault = Fault("slow", share)
        return self._fault

    def _at_once(self, image: Image, small: NDArray[np.uint8], t: float, is_film: bool) -> Fault | None:
        """Return what a picture and the one before it show without looking closely."""
        is_frozen = self._frozen.see(image, t) and not is_film
        is_garbled = self._is_garbled(small, t)
        levels = np.cumsum(cv2.calcHist([small], [0], None, [256], [0.0, 256.0]))
        low, high = np.searchsorted(levels, (0.02 * small.size, 0.98 * small.size))
        if high < _DARK:
            return Fault("dark")
        if low > _BRIGHT:
            return Fault("dazzled")
        if _is_noise(image):
            return Fault("noise")
        if is_frozen:
            return Fault("frozen")
        return Fault("garbled") if is_garbled else None

    def _is_garbled(self, small: NDArray[np.uint8], t: float) -> bool:
        """Whether a JPEG was cut off, or most of the latest pictures have little to do with each other."""
        if self._small is not None:
            share = float((cv2.absdiff(small, self._small) > _JUMP).mean())
            self._jumps.append((t, share > _JUMPING))
        recent = [jumps for at, jumps in self._jumps if t - at <= _JUMPS_S]
        last = small[-_GRAY_ROWS:]
        if last.min() == last.max() and small[:_GRAY_ROWS].std() > 1 and 120 <= last[0, 0] <= 136:
            return True
        return len(recent) >= 4 and sum(recent) >= 0.6 * len(recent)

    def _of_size(self, image: Image, t: float) -> Fault | None:
        size = (image.shape[1], image.shape[0])
        self._size = self._size or size
        if size != self._newest_size[0]:
            self._newest_size = size, t
        elif size != self._size and t - self._newest_size[1] > ACCEPTED_S:
            self._size, self._view = size, _View()
        return None if size == self._size else Fault("size", sizes=(*size, *self._size))

    def _closely(self, image: Image, small: NDArray[np.uint8], t: float) -> Fault | None:
        if t - self._closely_at >= _CLOSELY_S and min(image.shape[:2]) >= _LEAST_SIDE:
            self._closely_at = t
            self._view.see(image, small, t)
        return self._view.fault


class _Frozen:
    """Tells a picture that is sent again and again from a sensor's, whose noise differs each time."""

    def __init__(self) -> None:
        self._last: NDArray[np.uint8] | None = None
        self._different = 0
        self._is_known = False
        self._since = 0.0

    def see(self, image: Image, t: float) -> bool:
        rows = image[::24].copy()
        is_same = self._last is not None and np.array_equal(rows, self._last)
        self._last = rows
        self._different = 0 if is_same else self._different + 1
        self._since = self._since if is_same else t
        self._is_known = self._is_known or self._different >= _DIFFERENT
        return is_same and (self._is_known or t - self._since >= _NEVER_S)


class _Rate:
    """Compares how many pictures come with how many used to."""

    def __init__(self) -> None:
        self._arrived: deque[tuple[float, int]] = deque()
        self._usual = 0.0

    def see(self, t: float, arrived: int) -> int | None:
        """Return of how many pictures one comes if they are far too few, else None."""
        if self._arrived and t - self._arrived[-1][0] > _GAP_S:
            self._arrived.clear()  # it was away
        self._arrived.append((t, arrived))
        while t - self._arrived[0][0] > _USUAL_S:
            self._arrived.popleft()
        before = [(at, count) for at, count in self._arrived if t - at >= _SOON_S]
        if not before:
            return None
        since, count = before[-1]
        rate = (arrived - count) / (t - since)
        if rate < _FEW * self._usual:
            return round(self._usual / max(rate, 0.1))
        if t - self._arrived[0][0] > 0.9 * _USUAL_S:
            whole = (arrived - self._arrived[0][1]) / (t - self._arrived[0][0])
            self._usual = max(whole, 0.98 * self._usual)
        return None


class _View:
    """Compares what stands still before the camera with how it used to look: is it as sharp, is it in its place?"""

    def __init__(self) -> None:
        self.fault: Fault | None = None
        self._level: _Grid | None = None
        self._edge: _Grid = np.zeros(0, np.float32)
        self._lines: NDArray[np.float32] | None = None
        self._newest: NDArray[np.uint8] | None = None
        self._steady_since = 0.0

    def see(self, image: Image, small: NDArray[np.uint8], t: float) -> None:
        level, edge = _blocks(image)
        if self._level is None:
            self._level, self._edge, self._lines, self._newest = level, edge, _lines(image), small
            return
        is_still = self._newest is not None and float(cv2.absdiff(small, self._newest).mean()) < 2
        self._newest = small
        if not is_still:
            self._steady_since = t
        gain = float(np.clip(np.median(level) / max(1.0, float(np.median(self._level))), 0.5, 2.0))
        same = np.abs(level - gain * self._level) < _SAME_LEVEL
        if self._is_blurred(edge / gain, same):
            self.fault = Fault("blurred")
            return
        if not is_still:
            self.fault = None if self.fault is not None and self.fault.kind == "blurred" else self.fault
            return
        lines = _lines(image)
        moved = self._moved(lines, image.shape[1] / _OUTLINES_WIDE)
        if moved is None or t - self._steady_since > ACCEPTED_S:
            self.fault = None
            self._edge = np.where(same, np.maximum(0.999 * self._edge, edge), edge).astype(np.float32)
            self._level, self._lines = level, lines  # an edge at an unchanged place may only have become sharper
        else:
            self.fault = Fault("moved", round(moved))

    def _is_blurred(self, edge: _Grid, same: NDArray[np.bool_]) -> bool:
        had = self._edge >= _EDGE
        kept = had & same
        if kept.sum() < max(_LEAST_BLOCKS, 0.4 * had.sum()):
            return False
        return float((edge[kept] < _SOFT * self._edge[kept]).mean()) > 0.7

    def _moved(self, now: NDArray[np.float32], scale: float) -> float | None:
        """Return by how many pixels everything has moved, None if it has not."""
        before = self._lines
        assert before is not None
        size = (now.shape[1], now.shape[0])
        window = cv2.createHanningWindow(size, cv2.CV_32F)
        (x, y), _ = cv2.phaseCorrelate(before * window, now * window)  # given the window, it overwrites the pictures
        distance = scale * float(np.hypot(x, y))
        if distance < _MOVED_PX:
            return None  # what has come or gone since changes much, but moves nothing
        there = cv2.warpAffine(before, np.array([[1, 0, x], [0, 1, y]], np.float32), size)
        inner = (slice(10, -10), slice(10, -10))
        apart = float(np.abs(now - there)[inner].mean())
        return distance if apart < 0.8 * float(np.abs(now - before)[inner].mean()) else None


def _small(image: Image) -> NDArray[np.uint8]:
    """Return the picture's green in small: uint8 (90, 160)."""
    few = np.ascontiguousarray(image[::_STEP, ::_STEP, 1])
    return np.asarray(cv2.resize(few, _SMALL, interpolation=cv2.INTER_AREA), np.uint8)


def _is_noise(image: Image) -> bool:
    """Whether neighboring pixels have nothing to do with each other."""
    rows = image[:: max(1, image.shape[0] // 24), :, 1].astype(np.float32)
    rows -= rows.mean()
    spread = float((rows * rows).mean())
    if spread < _ROUGH**2:
        return False
    return float((rows[:, 1:] * rows[:, :-1]).mean()) < _ALIKE * spread


def _blocks(image: Image) -> tuple[_Grid, _Grid]:
    """Return mean level and highest edge of each block of a picture, float32 (18, 32) each."""
    wide, high = _BLOCKS
    half = np.ascontiguousarray(image[::2, ::2, 1])
    rows, columns = half.shape[0] // high * high, half.shape[1] // wide * wide
    half = half[:rows, :columns]
    level = cv2.resize(half, _BLOCKS, interpolation=cv2.INTER_AREA).astype(np.float32)
    smooth = cv2.blur(half, (2, 2))  # a sensor's noise is no edge
    step = cv2.max(cv2.absdiff(smooth[:-2, :-2], smooth[:-2, 2:]), cv2.absdiff(smooth[:-2, :-2], smooth[2:, :-2]))
    step = cv2.copyMakeBorder(step, 0, 2, 0, 2, cv2.BORDER_CONSTANT, value=0)
    edge = step.reshape(high, rows // high, wide, columns // wide).max(axis=(1, 3)).astype(np.float32)
    return level, edge


def _lines(image: Image) -> NDArray[np.float32]:
    """Return the outlines in a small picture, float32 (h, 240)."""
    green = cv2.extractChannel(image, 1)
    size = (_OUTLINES_WIDE, max(2, round(_OUTLINES_WIDE * green.shape[0] / green.shape[1])))
    gray = cv2.resize(green, size, interpolation=cv2.INTER_AREA).astype(np.float32)
    slope = cv2.magnitude(cv2.Sobel(gray, cv2.CV_32F, 1, 0), cv2.Sobel(gray, cv2.CV_32F, 0, 1))
    return np.asarray(cv2.GaussianBlur(slope, (0, 0), 1.0), np.float32)
