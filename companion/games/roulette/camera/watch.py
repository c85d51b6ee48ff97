"""Watches a wheel: says when the ball rests, and in which pocket, once it has run round the bowl.

A ball that rests turns with the rotor, a lamp's reflection does not. So the wheel need not stand still, and what no
single picture tells is told by some that agree.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from companion.games.roulette.camera.ball import Blob
from companion.games.roulette.camera.orbit import Orbit
from companion.games.roulette.camera.reader import Sighting, Wheel, find_wheel, sight
from companion.kernel.messages import Message, message
from companion.plugins.perception import WatchReading
from companion.vision.frame import Image

_SEARCH_S: Final = 0.5
_LOST_S: Final = 1.0
_RUN: Final = 0.9  # revolutions that are seen of a proper one
_CALM_S: Final = 0.2
_PAUSE_S: Final = 0.06  # from one look for the ball to the next
_RESTING_S: Final = 0.15
_WINDOW_S: Final = 0.7
_LONG_S: Final = 1.6
_LEAST_FRAMES: Final = 7
_AGREE: Final = 0.85
_SAME: Final = 0.35  # pockets
_SPREAD: Final = 0.16
_BORDER: Final = 0.25
_TURNED: Final = 1.3  # pockets: a rotor that turned so far left reflections behind
_LEAST_CONTRAST: Final = 32.0
_FADING: Final = 0.6
_LEARN_S: Final = 0.2
_MORE: Final = 1.6
_GONE_S: Final = 1.0
_NO_WHEEL: Final = WatchReading(moving=False)


@dataclass(frozen=True, slots=True)
class _Frame:
    """A picture's time, how far the rotor is turned (pockets), and what stood out in which pocket."""

    t: float
    turn: float
    seen: Sighting
    blobs: tuple[Blob, ...]


@dataclass(frozen=True, slots=True)
class _Rest:
    """A ball that turns with the rotor: its pocket and how much agrees on it, to 1."""

    pocket: str
    share: float


class WheelWatch:
    """Follows one wheel through a camera's pictures; a `companion.plugins.perception.Watcher`."""

    def __init__(self) -> None:
        self._wheel: Wheel | None = None
        self._orbit: Orbit | None = None
        self._searched = self._good = self._looked = self._seen = -np.inf
        self._frames: deque[_Frame] = deque()
        self._usual: deque[tuple[Blob, ...]] = deque(maxlen=12)
        self._rest: _Rest | None = None
        self._has_run = False
        self._spins = 0

    def see(self, picture: Image, t: float) -> WatchReading:
        """Process a picture, uint8 (H, W, 3) BGR; ``t`` is its time in seconds, never going back."""
        if self._wheel is None and not self._search(picture, t):
            return _NO_WHEEL
        assert self._wheel is not None
        assert self._orbit is not None
        running = self._orbit.see(picture, t)
        if self._orbit.turns >= _RUN and (self._rest is not None or not self._has_run):
            self._has_run, self._rest = True, None
            self._spins += 1
        if running or (self._orbit.seen is not None and t - self._orbit.seen < _CALM_S and self._rest is None):
            self._frames.clear()
            self._learn(picture, t, self._wheel)
            return WatchReading(moving=True, box=self._wheel.box, key=self._spins)
        if t - self._looked >= (_RESTING_S if self._rest is not None else _PAUSE_S) - 1e-3:
            self._looked = t
            self._look(picture, t, self._wheel)
        if t - self._good > _LOST_S:
            self._forget()
            return _NO_WHEEL
        return self._reading(t)

    def _search(self, picture: Image, t: float) -> bool:
        if t - self._searched < _SEARCH_S:
            return False
        self._searched = t
        self._wheel = find_wheel(picture)
        if self._wheel is None:
            return False
        self._orbit, self._good = Orbit(self._wheel.ring.plane), t
        return True

    def _forget(self) -> None:
        """The wheel is not where it was: look for it again. A ball that ran has to run again."""
        self._wheel = self._orbit = self._rest = None
        self._has_run = False
        self._frames.clear()
        self._usual.clear()

    def _learn(self, picture: Image, t: float, wheel: Wheel) -> None:
        """Note what stands out in the pockets while the ball still runs: it is no ball."""
        if t - self._looked >= _LEARN_S:
            self._looked = t
            seen = sight(picture, wheel)
            if not {"order", "zero"} & set(seen.doubts):
                self._good = t
                self._usual.append(tuple(seen.blobs))

    def _is_usual(self, blob: Blob, pockets: int) -> bool:
        """Whether something stood out there before, in more than one picture."""
        times = sum(
            any(
                abs(_apart(old.place, blob.place, pockets)) < _SAME and old.contrast * _MORE > blob.contrast
                for old in blobs
            )
            for blobs in self._usual
        )
        return times >= 2

    def _look(self, picture: Image, t: float, wheel: Wheel) -> None:
        seen = sight(picture, wheel)
        if not {"order", "zero"} & set(seen.doubts):
            self._good = t
            blobs = tuple(
                blob
                for blob in seen.blobs
                if blob.contrast >= _LEAST_CONTRAST and blob.fading < _FADING
                if not self._is_usual(blob, len(seen.strip.rim))
            )
            turn = wheel.turn_rad(seen.strip) * len(seen.strip.rim) / (2 * np.pi)
            self._frames.append(_Frame(t, turn, seen, blobs))
        while self._frames and t - self._frames[0].t > _LONG_S:
            self._frames.popleft()

    # ---- at rest

    def _reading(self, t: float) -> WatchReading:
        assert self._wheel is not None
        assert self._orbit is not None
        rest = resting(self._frames, t)
        box = self._wheel.box
        if rest is not None:
            if self._rest is not None and rest.pocket != self._rest.pocket:
                self._has_run = False  # two answers for one ball: neither is sure
            self._rest, self._seen = rest, t
            self._orbit.reset()
        elif self._rest is not None and t - self._seen > _GONE_S:
            self._rest, self._has_run = None, False  # taken out
        if self._rest is None:
            return WatchReading(moving=self._has_run, box=box, key=self._spins)
        if self._has_run:
            answer = {"pocket": self._rest.pocket}
            return WatchReading(False, answer, self._rest.share, box, key=self._spins)
        return WatchReading(False, None, 0.0, box, _unspun(self._rest.pocket), self._spins)


def resting(frames: Sequence[_Frame], t: float) -> _Rest | None:
    """Return the ball that turns with the rotor in the latest pictures; None where none is sure."""
    recent = sum(t - frame.t <= _WINDOW_S for frame in frames)
    for some in (list(frames)[-max(recent, _LEAST_FRAMES) :], list(frames)):
        if len(some) < _LEAST_FRAMES or some[-1].t - some[0].t < 0.7 * _WINDOW_S:
            continue
        found = _followed(some)
        if found is not None:
            return found
    return None


def _followed(frames: Sequence[_Frame]) -> _Rest | None:
    rim = frames[-1].seen.strip.rim
    pockets = len(rim)
    places = [blob.place for frame in frames for blob in frame.blobs]
    best: tuple[int, float, float] | None = None
    rival = 0
    for start in places:
        offs = np.array(
            [min((_apart(blob.place, start, pockets) for blob in f.blobs), key=abs, default=9.0) for f in frames]
        )
        near = np.abs(offs) < _SAME
        count, middle = int(near.sum()), start + float(offs[near].mean())
        if best is None or count > best[0]:
            if best is not None and abs(_apart(best[1], middle, pockets)) > 0.7:
                rival = best[0]
            best = count, middle, float(offs[near].std())
        elif abs(_apart(best[1], middle, pockets)) > 0.7:
            rival = max(rival, count)
    if best is None or best[0] < _AGREE * len(frames) or best[2] > _SPREAD or rival > 0.5 * best[0]:
        return None
    middle = best[1] % pockets
    pocket = rim[int(middle)]
    if abs(middle % 1 - 0.5) > _BORDER:
        return None
    turned = max(abs(_apart(f.turn, frames[0].turn, pockets)) for f in frames)
    if turned < _TURNED:  # it may be a reflection: each picture has to be sure on its own
        sure = sum(not f.seen.doubts and f.seen.pocket == pocket for f in frames)
        if sure < _AGREE * len(frames):
            return None
    return _Rest(pocket, best[0] / len(frames))


def _apart(a: float, b: float, pockets: int) -> float:
    return (a - b + pockets / 2) % pockets - pockets / 2


def _unspun(pocket: str) -> Message:
    return message(
        "The ball lies in {pocket}, but nobody saw it run round the wheel. Tap its pocket if it counts.", pocket=pocket
    )
