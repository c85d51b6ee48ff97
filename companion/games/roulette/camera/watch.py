"""Watches a wheel: reports the pocket in which the ball comes to rest after it has run around its track.

A resting ball turns with the rotor, a lamp's reflection does not, and it was absent while the ball still ran. So the
rotor may keep turning, and the ball's color does not matter.
"""

from collections import deque
from collections.abc import Generator
from typing import Final

import numpy as np

from companion.games.roulette.camera.heat import shared_nets
from companion.games.roulette.camera.memory import Memory, Unroller, View
from companion.games.roulette.camera.orbit import Orbit
from companion.games.roulette.camera.reader import Wheel, find_wheel, read_wheel_of, surely_seen
from companion.games.roulette.camera.rest import even, pocket_of, weigh
from companion.kernel.messages import Message, message
from companion.plugins.perception import WatchReading
from companion.vision.frame import Image

_SEARCH_S: Final = 0.5
_LOST_S: Final = 1.0
_RUN: Final = 0.9  # revolutions; the visible part of one full revolution
_CALM_S: Final = 0.2
_PAUSE_S: Final = 0.03  # between two views that are kept
_JUDGE_S: Final = 0.12
_PLACED_S: Final = 0.2
_WINDOWS_S: Final = (0.9, 0.9, 1.3, 0.9, 1.9)
_AGAIN_S: Final = 0.6
_KEPT_S: Final = 2.0
_MIN_VIEWS: Final = 7
_GONE_S: Final = 1.0
_DOWN_S: Final = 6.0
"""Time after the last sighting of the running ball by which it has come down."""
_CONFIDENCE: Final = 0.99
Judgement = Generator[None, None, str | None]
_NO_WHEEL: Final = WatchReading(moving=False)
_UNSEEN: Final = message("The ball ran round the wheel, but is seen in no pocket. Tap its pocket, or spin again.")


class WheelWatch:
    """Follows one wheel through the camera's frames; a `companion.plugins.perception.Watcher`."""

    def __init__(self) -> None:
        self._heat = shared_nets()
        self._wheel: Wheel | None = None
        self._orbit: Orbit | None = None
        self._unroller: Unroller | None = None
        self._memory = Memory()
        self._searched = self._good = self._located_at = self._seen = -np.inf
        self._views: deque[View] = deque()
        self._stills: deque[str | None] = deque(maxlen=5)
        self._windows = deque(_WINDOWS_S)
        self._weighing: Judgement | None = None
        self._found: str | None = None
        self._found_at = -np.inf
        self._rest: str | None = None
        self._has_run = False
        self._ran = -np.inf
        self._is_another = False
        "Whether the ball that runs now started after the previous one had come down."
        self._spins = 0

    def see(self, picture: Image, t: float) -> WatchReading:
        """Process a frame, uint8 (H, W, 3) BGR; ``t`` is its time in seconds, which never decreases."""
        if self._wheel is None and not self._search(picture, t):
            return _NO_WHEEL
        assert self._wheel is not None
        assert self._orbit is not None
        assert self._unroller is not None
        running = self._orbit.see(picture, t)
        if running:
            self._is_another |= t - self._ran > _DOWN_S
            self._ran = t
        if self._orbit.turns >= _RUN and (self._rest is not None or not self._has_run or self._is_another):
            self._has_run, self._is_another, self._rest = True, False, None
            self._spins += 1
        view = self._unroller.view(picture, t)
        if view is not None:
            self._good = t
        if running or (self._orbit.seen is not None and t - self._orbit.seen < _CALM_S and self._rest is None):
            self._views.clear()
            self._weighing = None
            if not running:
                self._memory.prepare()
            elif view is not None:
                self._memory.learn(view)
            return WatchReading(moving=True, box=self._wheel.box, key=self._spins)
        if t - self._good > _LOST_S:
            self._forget()
            return _NO_WHEEL
        if view is not None and (not self._views or t - self._views[-1].t >= _PAUSE_S):
            self._views.append(self._memory.unlit(view) if self._memory else view)
        while self._views and t - self._views[0].t > _KEPT_S:
            self._views.popleft()
        self._locate(self._wheel, self._orbit, picture, t)
        return self._reading(t)

    def _search(self, picture: Image, t: float) -> bool:
        if t - self._searched < _SEARCH_S:
            return False
        self._searched = t
        wheel = find_wheel(picture)
        strip = wheel.unroll(picture) if wheel is not None else None
        if wheel is None or strip is None or not surely_seen(strip):
            return False
        self._wheel, self._good = wheel, t
        self._orbit, self._unroller = Orbit(wheel.ring.plane), Unroller(wheel, strip.rows)
        return True

    def _forget(self) -> None:
        """The wheel was moved: search for it again. A running ball has to run again."""
        self._wheel = self._orbit = self._unroller = self._rest = None
        self._has_run, self._weighing = False, None
        self._views.clear()
        self._stills.clear()
        self._memory.forget()

    # ---- at rest

    def _locate(self, wheel: Wheel, orbit: Orbit, picture: Image, t: float) -> None:
        """Take one step of locating the resting ball; all steps would take too long for one frame."""
        if self._weighing is None:
            if t - self._located_at < (_JUDGE_S if self._has_run else _PLACED_S) - 1e-3:
                return
            self._located_at = t
            self._weighing = self._resting(wheel, t) if self._has_run else self._placed(picture, wheel)
        try:
            next(self._weighing)
        except StopIteration as end:
            self._weighing = None
            self._conclude(end.value, orbit, self._located_at)

    def _conclude(self, rest: str | None, orbit: Orbit, t: float) -> None:
        """Accept a pocket that was found twice in a row; ``t`` is the time of the second sighting."""
        again = rest is not None and rest == self._found and t - self._found_at < _AGAIN_S
        if rest is not None:
            self._found, self._found_at = rest, t
        if again and rest is not None:
            if self._rest is not None and rest != self._rest:
                self._has_run = False  # contradictory answers: neither counts
            self._rest, self._seen = rest, t
            orbit.reset()
        elif self._rest is not None and t - self._seen > _GONE_S:
            self._rest, self._has_run = None, False  # taken out

    def _resting(self, wheel: Wheel, t: float) -> Judgement:
        """Return the pocket of the ball that has come down and turns with the rotor, or None."""
        self._windows.rotate(-1)
        window = self._windows[0]
        views = even([view for view in self._views if t - view.t <= window], len(wheel.rim))
        if len(views) < _MIN_VIEWS or views[-1].t - views[0].t < 0.85 * window or not self._memory:
            return None
        return pocket_of((yield from weigh(wheel, self._memory, views, self._heat)), wheel.rim)

    def _placed(self, picture: Image, wheel: Wheel) -> Judgement:
        """Return the pocket of a ball that was not seen running, from single frames."""
        self._stills.append((yield from read_wheel_of(picture, wheel, self._heat)))
        pocket = self._stills[0]
        if pocket is None or len(self._stills) < 5 or set(self._stills) != {pocket}:
            return None
        return pocket

    def _reading(self, t: float) -> WatchReading:
        assert self._wheel is not None
        box = self._wheel.box
        if self._rest is None and self._has_run and t - self._ran > _DOWN_S:
            return WatchReading(False, None, 0.0, box, _UNSEEN, self._spins)
        if self._rest is None:
            return WatchReading(moving=self._has_run, box=box, key=self._spins)
        if self._has_run:
            answer = {"pocket": self._rest}
            return WatchReading(False, answer, _CONFIDENCE, box, key=self._spins)
        return WatchReading(False, None, 0.0, box, _unspun(self._rest), self._spins)


def _unspun(pocket: str) -> Message:
    return message(
        "The ball lies in {pocket}, but nobody saw it run round the wheel. Tap its pocket if it counts.", pocket=pocket
    )
