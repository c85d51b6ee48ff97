"""Detects faults of a camera's pictures: covered, overexposed, frozen, corrupted, out of focus, moved, too few.

A camera that delivers pictures does not necessarily show the table. Every frame is checked cheaply (on a thumbnail and
some rows), some frames in detail. A fault is reported only after it has lasted, so that a hand in front of the lens is
none.
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
"""Faults with which nothing can be read."""

_Grid = NDArray[np.float32]

_REPORT_AFTER_S: Final = 0.8
_REPORT_SOONER_S: Final[dict[Kind, float]] = {"garbled": 0.4, "slow": 0.0, "blurred": 0.4, "moved": 0.4}
"""For faults that are detected only over some time anyway."""
_STEP: Final = 4  # every fourth row and column is used for the thumbnail
_OUTLINES_WIDTH: Final = 240
_THUMBNAIL: Final = (160, 90)
_DARK, _BRIGHT = 30, 235  # levels below which 98 % of a covered picture stay, and above which of an overexposed one
_MIN_CORRELATION: Final = 0.5  # of neighboring pixels: above 0.9 in real pictures, near 0 in noise
_MIN_NOISE: Final = 20  # standard deviation of pure noise, levels

_SENSOR_PICTURES: Final = 15  # consecutive pictures that differ: a sensor, whose noise never repeats
_FROZEN_S: Final = 30.0  # without a change: no sensor, or one that has been frozen since before the first picture

_JUMP_LEVELS: Final = 25  # change of a pixel from one picture to the next
_MAX_JUMPING: Final = 0.25  # share of the picture; fast arms change less
_JUMPS_S: Final = 0.7  # period in which such changes are counted
_GRAY_ROWS: Final = 8  # rows of the thumbnail; a truncated JPEG has gray ones at the bottom

_RATE_S, _CURRENT_RATE_S = 4.0, 1.0  # periods for the usual and the current frame rate
_MIN_RATE: Final = 0.25  # relative to the usual rate
_GAP_S: Final = 2.0

_DETAILED_INTERVAL_S: Final = 0.25
_BLOCKS: Final = (32, 18)
_MIN_EDGE: Final = 30  # levels between two pixels of the half-size picture: an edge that defocus would soften
_SAME_LEVEL: Final = 7
_SOFT: Final = 0.55  # height of a blurred edge relative to its former height
_MIN_BLOCKS: Final = 6
_MIN_SIDE: Final = 120  # px; smaller pictures are not checked in detail
_MIN_MOVE_PX: Final = 6.0
ACCEPTED_S: Final = 20.0
"""Time after which the new position of a moved camera, or a new picture size, is accepted."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a camera's pictures.

    Attributes:
        kind: the kind of fault.
        amount: for `moved` the distance (px), for `slow` the factor by which the frame rate has dropped; else 0.
        sizes: for `size` the current width and height, then the former ones.
    """

    kind: Kind
    amount: int = 0
    sizes: tuple[int, int, int, int] = (0, 0, 0, 0)

    @property
    def is_blind(self) -> bool:
        """Whether nothing can be read."""
        return self.kind in BLIND


class PictureFaults:
    """Checks one camera's pictures in order. Not thread-safe; has no clock of its own."""

    def __init__(self) -> None:
        self._thumbnail: NDArray[np.uint8] | None = None
        self._size: tuple[int, int] | None = None
        self._newest_size: tuple[tuple[int, int], float] = (0, 0), 0.0
        self._frozen = _Frozen()
        self._jumps: deque[tuple[float, bool]] = deque(maxlen=60)
        self._rate = _Rate()
        self._view = _View()
        self._detailed_at = float("-inf")
        self._since: dict[Kind, float] = {}
        self._fault: Fault | None = None
        self.is_doubtful = False
        """Whether the newest picture must not be read, even if its fault has not lasted long enough to be reported."""

    @property
    def fault(self) -> Fault | None:
        """The reported fault, or None."""
        return self._fault

    def see(self, image: Image, t: float, arrived: int, *, may_repeat_frames: bool = False) -> Fault | None:
        """Check the next picture.

        Args:
            image: uint8 (H, W, 3) BGR.
            t: seconds, monotonic.
            arrived: number of pictures that the camera has delivered so far, decoded or not.
            may_repeat_frames: whether identical pictures are normal, as in a video file but not from a sensor.

        Returns:
            the reported fault, or None.
        """
        if image.size == 0:
            return self._fault
        small = _thumbnail(image)
        now: list[Fault] = []
        if (one := self._cheap_checks(image, small, t, may_repeat_frames)) is not None:
            now.append(one)
        elif (size := self._size_fault(image, t)) is not None:
            now.append(size)
        elif (seen := self._detailed_checks(image, small, t)) is not None:
            now.append(seen)
        if (share := self._rate.see(t, arrived)) is not None:
            now.append(Fault("slow", share))
        self._thumbnail = small
        self.is_doubtful = any(fault.is_blind for fault in now)
        self._since = {fault.kind: self._since.get(fault.kind, t) for fault in now}
        lasting = [
            fault for fault in now if t - self._since[fault.kind] >= _REPORT_SOONER_S.get(fault.kind, _REPORT_AFTER_S)
        ]
        if not lasting:
            self._fault = None
        elif self._fault is None or self._fault.kind != lasting[0].kind:
            self._fault = lasting[0]  # keeps its first amount, which would change with every picture
        return self._fault

    def skipped(self, t: float, arrived: int) -> Fault | None:
        """Check only the frame rate, for pictures that are not decoded; arguments and result as for `see`."""
        share = self._rate.see(t, arrived)
        if share is not None and self._fault is None:
            self._fault = Fault("slow", share)
        return self._fault

    def _cheap_checks(self, image: Image, small: NDArray[np.uint8], t: float, may_repeat_frames: bool) -> Fault | None:
        """Return a fault that the cheap checks of a picture and the previous one show."""
        is_frozen = self._frozen.see(image, t) and not may_repeat_frames
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
        """Whether a JPEG was truncated, or most of the latest pictures have little in common."""
        if self._thumbnail is not None:
            share = float((cv2.absdiff(small, self._thumbnail) > _JUMP_LEVELS).mean())
            self._jumps.append((t, share > _MAX_JUMPING))
        recent = [jumps for at, jumps in self._jumps if t - at <= _JUMPS_S]
        last = small[-_GRAY_ROWS:]
        if last.min() == last.max() and small[:_GRAY_ROWS].std() > 1 and 120 <= last[0, 0] <= 136:
            return True
        return len(recent) >= 4 and sum(recent) >= 0.6 * len(recent)

    def _size_fault(self, image: Image, t: float) -> Fault | None:
        size = (image.shape[1], image.shape[0])
        self._size = self._size or size
        if size != self._newest_size[0]:
            self._newest_size = size, t
        elif size != self._size and t - self._newest_size[1] > ACCEPTED_S:
            self._size, self._view = size, _View()
        return None if size == self._size else Fault("size", sizes=(*size, *self._size))

    def _detailed_checks(self, image: Image, small: NDArray[np.uint8], t: float) -> Fault | None:
        if t - self._detailed_at >= _DETAILED_INTERVAL_S and min(image.shape[:2]) >= _MIN_SIDE:
            self._detailed_at = t
            self._view.see(image, small, t)
        return self._view.fault


class _Frozen:
    """Detects a repeated picture; the noise of a working sensor differs every time."""

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
        self._is_known = self._is_known or self._different >= _SENSOR_PICTURES
        return is_same and (self._is_known or t - self._since >= _FROZEN_S)


class _Rate:
    """Compares the current frame rate with the usual one."""

    def __init__(self) -> None:
        self._arrived: deque[tuple[float, int]] = deque()
        self._usual = 0.0

    def see(self, t: float, arrived: int) -> int | None:
        """Return the factor by which the frame rate has dropped if it is far too low, else None."""
        if self._arrived and t - self._arrived[-1][0] > _GAP_S:
            self._arrived.clear()  # the camera was disconnected
        self._arrived.append((t, arrived))
        while t - self._arrived[0][0] > _RATE_S:
            self._arrived.popleft()
        before = [(at, count) for at, count in self._arrived if t - at >= _CURRENT_RATE_S]
        if not before:
            return None
        since, count = before[-1]
        rate = (arrived - count) / (t - since)
        if rate < _MIN_RATE * self._usual:
            return round(self._usual / max(rate, 0.1))
        if t - self._arrived[0][0] > 0.9 * _RATE_S:
            whole = (arrived - self._arrived[0][1]) / (t - self._arrived[0][0])
            self._usual = max(whole, 0.98 * self._usual)
        return None


class _View:
    """Compares the still scene with its former appearance: detects defocus and a moved camera."""

    def __init__(self) -> None:
        self.fault: Fault | None = None
        self._levels: _Grid | None = None
        self._edges: _Grid = np.zeros(0, np.float32)
        self._gradient: NDArray[np.float32] | None = None
        self._previous: NDArray[np.uint8] | None = None
        self._steady_since = 0.0

    def see(self, image: Image, small: NDArray[np.uint8], t: float) -> None:
        level, edge = _blocks(image)
        if self._levels is None:
            self._levels, self._edges, self._gradient, self._previous = level, edge, _gradient(image), small
            return
        is_still = self._previous is not None and float(cv2.absdiff(small, self._previous).mean()) < 2
        self._previous = small
        if not is_still:
            self._steady_since = t
        gain = float(np.clip(np.median(level) / max(1.0, float(np.median(self._levels))), 0.5, 2.0))
        same = np.abs(level - gain * self._levels) < _SAME_LEVEL
        if self._is_blurred(edge / gain, same):
            self.fault = Fault("blurred")
            return
        if not is_still:
            self.fault = None if self.fault is not None and self.fault.kind == "blurred" else self.fault
            return
        lines = _gradient(image)
        moved = self._moved(lines, image.shape[1] / _OUTLINES_WIDTH)
        if moved is None or t - self._steady_since > ACCEPTED_S:
            self.fault = None
            self._edges = np.where(same, np.maximum(0.999 * self._edges, edge), edge).astype(np.float32)
            self._levels, self._gradient = level, lines  # edges of unchanged blocks keep their maximum
        else:
            self.fault = Fault("moved", round(moved))

    def _is_blurred(self, edge: _Grid, same: NDArray[np.bool_]) -> bool:
        had = self._edges >= _MIN_EDGE
        kept = had & same
        if kept.sum() < max(_MIN_BLOCKS, 0.4 * had.sum()):
            return False
        return float((edge[kept] < _SOFT * self._edges[kept]).mean()) > 0.7

    def _moved(self, now: NDArray[np.float32], scale: float) -> float | None:
        """Return the distance (px) by which the whole scene has moved, or None."""
        before = self._gradient
        assert before is not None
        size = (now.shape[1], now.shape[0])
        window = cv2.createHanningWindow(size, cv2.CV_32F)
        (x, y), _ = cv2.phaseCorrelate(before * window, now * window)  # given a window, it would overwrite the pictures
        distance = scale * float(np.hypot(x, y))
        if distance < _MIN_MOVE_PX:
            return None  # new and removed objects cause differences, but no shift
        there = cv2.warpAffine(before, np.array([[1, 0, x], [0, 1, y]], np.float32), size)
        inner = (slice(10, -10), slice(10, -10))
        apart = float(np.abs(now - there)[inner].mean())
        return distance if apart < 0.8 * float(np.abs(now - before)[inner].mean()) else None


def _thumbnail(image: Image) -> NDArray[np.uint8]:
    """Return the thumbnail of a picture's green channel: uint8 (90, 160)."""
    few = np.ascontiguousarray(image[::_STEP, ::_STEP, 1])
    return np.asarray(cv2.resize(few, _THUMBNAIL, interpolation=cv2.INTER_AREA), np.uint8)


def _is_noise(image: Image) -> bool:
    """Whether neighboring pixels are uncorrelated."""
    rows = image[:: max(1, image.shape[0] // 24), :, 1].astype(np.float32)
    rows -= rows.mean()
    spread = float((rows * rows).mean())
    if spread < _MIN_NOISE**2:
        return False
    return float((rows[:, 1:] * rows[:, :-1]).mean()) < _MIN_CORRELATION * spread


def _blocks(image: Image) -> tuple[_Grid, _Grid]:
    """Return mean level and strongest edge of each block of a picture, float32 (18, 32) each."""
    wide, high = _BLOCKS
    half = np.ascontiguousarray(image[::2, ::2, 1])
    rows, columns = half.shape[0] // high * high, half.shape[1] // wide * wide
    half = half[:rows, :columns]
    level = cv2.resize(half, _BLOCKS, interpolation=cv2.INTER_AREA).astype(np.float32)
    smooth = cv2.blur(half, (2, 2))  # suppresses the sensor's noise
    step = cv2.max(cv2.absdiff(smooth[:-2, :-2], smooth[:-2, 2:]), cv2.absdiff(smooth[:-2, :-2], smooth[2:, :-2]))
    step = cv2.copyMakeBorder(step, 0, 2, 0, 2, cv2.BORDER_CONSTANT, value=0)
    edge = step.reshape(high, rows // high, wide, columns // wide).max(axis=(1, 3)).astype(np.float32)
    return level, edge


def _gradient(image: Image) -> NDArray[np.float32]:
    """Return the gradient magnitude of a reduced picture, float32 (h, 240)."""
    green = cv2.extractChannel(image, 1)
    size = (_OUTLINES_WIDTH, max(2, round(_OUTLINES_WIDTH * green.shape[0] / green.shape[1])))
    gray = cv2.resize(green, size, interpolation=cv2.INTER_AREA).astype(np.float32)
    slope = cv2.magnitude(cv2.Sobel(gray, cv2.CV_32F, 1, 0), cv2.Sobel(gray, cv2.CV_32F, 0, 1))
    return np.asarray(cv2.GaussianBlur(slope, (0, 0), 1.0), np.float32)
