"""Background model of the rotor in its own rotating frame; the difference from it reveals the ball.

In the rotor's frame, numbers, frets and the resting ball are fixed, while reflections of lamps move through it. The
persistent difference between the rotor now and the rotor while the ball still ran is therefore the ball.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.roulette.camera.ball import kernels, median, unlikeness
from companion.games.roulette.camera.finding import Floats, redness
from companion.games.roulette.camera.reader import Wheel
from companion.games.roulette.camera.rotor import INNERMOST, OUTERMOST, ROWS, color_patterns
from companion.vision.frame import Image

STEPS: Final = 12
"""Columns of a view for each pocket."""
_FIRST: Final = 6
_LAST: Final = 60
"""Rows of the unrolled ring that belong to the rotor."""
_POCKETS: Final = slice(10 - _FIRST, 54 - _FIRST)
_ROW: Final = (OUTERMOST - INNERMOST) / (ROWS - 1)
_GREEN: Final = 1.0  # weight of green against the order of red and black
_FIT: Final = 1.0  # minimum correlation, of about 2
_CLEAR: Final = 0.4  # minimum lead over any other rotation
_MAX_VIEWS: Final = 15
_MIN_VIEWS: Final = 5
_STALE_S: Final = 8.0
_PAUSE_S: Final = 0.11
_WIDE: Final = 12  # columns
_HIGH: Final = 5  # rows
_DISC: Final = 3.5  # columns
_SIZES: Final = (0.045, 0.06)
_CLOSE: Final = 2  # columns
_DARK: Final = 0.5  # weight of darker values


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The rotor in its own frame.

    Attributes:
        t: time of the frame, s.
        turn: start of the zero's pocket, in pockets on the ring's plane.
        colors: uint8 (rows, columns, 3) BGR, or int16 without fixed reflections; the zero's pocket comes first.
    """

    t: float
    turn: float
    colors: NDArray[np.uint8] | NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference from the background, and its place.

    Attributes:
        place: angle, in pockets clockwise from the start of the zero's pocket.
        radius: in radii of the ring.
        contrast: against its surroundings, gray levels.
        clear: ratio of its contrast to the second strongest on the rotor.
        noise: median contrast on the rotor.
    """

    place: float
    radius: float
    contrast: float
    clear: float
    noise: float


@dataclass(frozen=True, slots=True, eq=False)
class DifferenceMap:
    """The difference map of the rotor.

    Attributes:
        odd: difference from the background, float32 (rows, columns).
        contrast: difference of a ball-sized disc against its surroundings, for the rows where a ball can be.
    """

    odd: Floats
    contrast: Floats

    def strongest(self) -> Difference:
        """Return the strongest difference."""
        return self._news(int(self.contrast.max(0).argmax()))

    def near(self, place: float) -> Difference:
        """Return the difference at a place, in pockets."""
        return self._news(_highest_near(self.contrast.max(0), place))

    def _news(self, at: int) -> Difference:
        columns = self.contrast.max(0)
        row = _POCKETS.start + int(self.contrast[:, at].argmax())
        away = np.abs((np.arange(len(columns)) - at + len(columns) // 2) % len(columns) - len(columns) // 2)
        rival = max(1e-3, float(columns[away > STEPS].max()))
        return Difference(
            _middle(self.odd, row, at),
            INNERMOST + (row + _FIRST) * _ROW,
            float(columns[at]),
            float(columns[at]) / rival,
            float(np.median(columns)),
        )


class Unroller:
    """Unrolls frames of one wheel into views of its rotor."""

    def __init__(self, wheel: Wheel, rows: NDArray[np.bool_]) -> None:
        self._maps = wheel.maps
        self.pockets = len(wheel.rim)
        self._rows = rows[_FIRST:_LAST]
        columns = self.pockets * STEPS
        red, green = color_patterns(wheel.ring.wheel, columns)
        self._red, self._green = np.conj(np.fft.rfft(red)), np.conj(np.fft.rfft(green))
        self._level = 8.0

    def view(self, picture: Image, t: float) -> View | None:
        """Return the rotor in a frame, or None if its rotation is uncertain."""
        one, two = self._maps
        strip = cv2.remap(picture, one[_FIRST:_LAST], two[_FIRST:_LAST], cv2.INTER_LINEAR)
        half = cv2.resize(strip, (strip.shape[1] // 2, strip.shape[0]), interpolation=cv2.INTER_AREA)
        small = np.asarray(half, np.uint8)
        turn = self._turn(small[self._rows])
        if turn is None:
            return None
        colors = np.roll(small, -turn, 1)
        return View(t, (turn + 0.25) / STEPS, colors)

    def _turn(self, part: Image) -> int | None:
        red = np.maximum(redness(part), 0).mean(0)
        green = np.maximum(redness(np.ascontiguousarray(part[..., [0, 2, 1]])), 0).mean(0)
        columns = len(red)
        near = STEPS * 4 + 1
        wide = np.concatenate([red[-near:], red, red[:near]])[None]
        mean = cv2.blur(wide, (near, 1))
        spread = np.sqrt(np.maximum(cv2.blur(wide * wide, (near, 1)) - mean * mean, 0)) + 4
        red = np.clip((wide - mean) / spread, -1.5, 1.5)[0, near:-near]
        green = green / max(self._level, float(np.percentile(green, 99)))
        fits = np.fft.irfft(np.fft.rfft(red) * self._red + _GREEN * np.fft.rfft(green) * self._green, columns)
        turn = int(fits.argmax())
        away = np.abs((np.arange(columns) - turn + columns // 2) % columns - columns // 2) > STEPS * 0.8
        if fits[turn] < _FIT or fits[turn] - fits[away].max() < _CLEAR:
            return None
        return turn


class Memory:
    """The rotor's background model, without a ball."""

    def __init__(self) -> None:
        self._views: deque[View] = deque(maxlen=_MAX_VIEWS)
        self._usual: Floats | None = None
        self._lit: NDArray[np.int16] | None = None

    def __bool__(self) -> bool:
        """Whether it has enough views."""
        return len(self._views) >= _MIN_VIEWS

    def forget(self) -> None:
        self._views.clear()
        self._usual = self._lit = None

    def learn(self, view: View) -> None:
        """Add a view without a ball in any pocket."""
        while self._views and view.t - self._views[0].t > _STALE_S:
            self._views.popleft()
        if not self._views or view.t - self._views[-1].t >= _PAUSE_S:
            self._views.append(view)
            self._usual = self._lit = None

    def prepare(self) -> None:
        """Compute one of the two cached arrays for the comparison ahead of time; each takes milliseconds."""
        if self:
            _ = self.usual if self._usual is None else self.lit

    @property
    def usual(self) -> Floats:
        """The rotor without a ball, float32 (rows, columns, 3)."""
        if self._usual is None:
            self._usual = _median([view.colors for view in self._views]).astype(np.float32)
        return self._usual

    @property
    def lit(self) -> NDArray[np.int16]:
        """Fixed lamps and shadows, added to the rotor's colors: int16 (rows, columns, 3), in the picture's frame."""
        if self._lit is None:
            usual = self.usual.astype(np.int16)
            self._lit = _median([_turned(view.colors - usual, view) for view in self._views])
        return self._lit

    def unlit(self, view: View) -> View:
        """Return a view without fixed lamps and shadows."""
        return replace(view, colors=np.subtract(view.colors, _turned(self.lit, view, -1), dtype=np.int16))

    def difference_map(self, now: Floats) -> DifferenceMap:
        """Return the difference map of the current rotor."""
        return _difference_map(now - self.usual)

    def traces(self, views: Sequence[View], difference: Difference) -> tuple[Floats, Floats]:
        """Return its offset in each view, in pockets, and its contrast relative to the median."""
        columns = self.usual.shape[1]
        at, row = int(difference.place * STEPS), round((difference.radius - INNERMOST) / _ROW) - _FIRST
        near = np.arange(at - _WIDE, at + _WIDE + 1) % columns
        rows = slice(max(0, row - _HIGH), row + _HIGH + 1)
        seen = np.stack([view.colors[rows][:, near] for view in views]).astype(np.float32)
        odd = unlikeness(seen - self.usual[rows][:, near], _DARK)
        ends = np.concatenate([odd[..., :3], odd[..., -3:]], -1).mean((1, 2))
        odd = np.maximum(odd - ends[:, None, None], 0)
        weight = np.maximum(odd - 0.4 * odd.max((1, 2), keepdims=True), 0).sum(1)
        where = np.arange(at - _WIDE, at + _WIDE + 1) + 0.5
        places = (weight @ where) / np.maximum(weight.sum(1), 1e-6) / STEPS - difference.place
        middle = np.abs(where / STEPS - difference.place) * STEPS < _DISC
        levels = odd[:, max(0, _HIGH - 2) : _HIGH + 3][..., middle].mean((1, 2))
        return places.astype(np.float32), (levels / max(float(np.median(levels)), 1e-3)).astype(np.float32)


def _median(layers: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return the lower median of arrays; ten times as fast as NumPy's.

    >>> _median([np.array([3, 9]), np.array([1, 8]), np.array([2, 7])]).tolist()
    [2, 8]
    """
    rows = [layer.copy() for layer in layers]
    for end in range(len(rows) - 1, (len(rows) - 1) // 2 - 1, -1):  # bubble the maximum to the end
        for low, high in pairwise(rows[: end + 1]):
            low[:], high[:] = np.minimum(low, high), np.maximum(low, high)
    return rows[(len(rows) - 1) // 2]


def _turned(colors: NDArray[np.int16], view: View, way: int = 1) -> NDArray[np.int16]:
    """Rotate an array from the rotor's frame to the picture's, or back."""
    return np.roll(colors, way * int(view.turn * STEPS), 1)


def thirds_of(views: Sequence[View]) -> tuple[Floats, Floats, Floats]:
    """Return the mean rotor over the first, middle and last third of the views."""
    n = len(views)
    parts = views[: n // 3], views[n // 3 : n - n // 3], views[n - n // 3 :]
    a, b, c = (_mean([view.colors for view in part]) for part in parts)
    return a, b, c


def _mean(layers: Sequence[NDArray[Any]]) -> Floats:
    total = layers[0].astype(np.int16)
    for layer in layers[1:]:
        total += layer
    return np.asarray(total / np.float32(len(layers)), np.float32)


def lasting(a: Floats, b: Floats, c: Floats) -> Floats:
    """Return the median of three: what persists."""
    return np.asarray(np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c)), np.float32)


def _difference_map(more: Floats) -> DifferenceMap:
    pockets = more.shape[1] // STEPS
    near = STEPS * 5 + 1
    wide = np.hstack([more[:, -near:], more, more[:, :near]])
    more = more - cv2.blur(wide, (near, 3))[:, near:-near]  # removes uneven light
    odd = unlikeness(more, _DARK)
    odd = np.maximum(odd - median(odd), 0)
    wide = np.hstack([odd[:, -STEPS:], odd, odd[:, :STEPS]])
    best = np.full(wide.shape, -np.inf, np.float32)
    for size in _SIZES:
        within, about = (cv2.filter2D(wide, cv2.CV_32F, kernel) for kernel in kernels(size, pockets))
        best = np.maximum(best, np.asarray(within - about, np.float32))
    return DifferenceMap(odd, best[:, STEPS:-STEPS][_POCKETS])


def _highest_near(columns: Floats, place: float) -> int:
    near = np.arange(-_CLOSE, _CLOSE + 1) + round(place * STEPS - 0.5)
    return int(near[columns[near % len(columns)].argmax()]) % len(columns)


def _middle(odd: Floats, row: int, at: int) -> float:
    near = np.arange(at - 6, at + 7)
    part = odd[max(0, row - 4) : row + 5][:, near % odd.shape[1]]
    weight = np.maximum(part - 0.4 * part.max(), 0).sum(0)
    return float(((weight * near).sum() / max(weight.sum(), 1e-6) + 0.5) / STEPS % (odd.shape[1] // STEPS))
