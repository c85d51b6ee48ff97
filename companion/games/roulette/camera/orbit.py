"""Tracks the ball on its track, the only moving object outside the rotor."""

from collections import deque
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.roulette.camera.finding import Plane
from companion.vision.frame import Image

_INNERMOST: Final = 1.32  # radii of the ring: outside the rotor
_OUTERMOST: Final = 2.4
_ROWS: Final = 22
_COLUMNS: Final = 180
_AGO_S: Final = (0.045, 0.095)
"""Ages of two earlier frames: a moving ball differs from both."""
_MIN_CHANGE: Final = 10.0
_CLEAR: Final = 1.7  # ratio to the second strongest change
_NEAR: Final = 14  # columns
_GAP_S: Final = 0.6
_SLOWEST: Final = 0.12  # revolutions a second
_FASTEST: Final = 4.0
_MAX_MISSES: Final = 4


class Orbit:
    """Counts the ball's revolutions. Times are seconds and never go back."""

    def __init__(self, plane: Plane) -> None:
        angle = (np.arange(_COLUMNS) + 0.5) * (2 * np.pi / _COLUMNS)
        radius = np.linspace(_INNERMOST, _OUTERMOST, _ROWS)[:, None]
        points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], -1).reshape(-1, 2).astype(np.float32)
        at = plane.to_picture(points).reshape(_ROWS, _COLUMNS, 2)
        self._maps = cv2.convertMaps(at[..., 0], at[..., 1], cv2.CV_16SC2)
        self._past: deque[tuple[float, NDArray[np.int16]]] = deque(maxlen=16)
        self._last: tuple[float, float] | None = None
        self._speed = 0.0
        self._misses = 0
        self.turns = 0.0
        "Revolutions in one direction since the count began."
        self.seen: float | None = None
        "When the ball was last seen to run."

    def reset(self) -> None:
        """Restart the count."""
        self.turns, self._speed, self._last, self._misses = 0.0, 0.0, None, 0

    def see(self, picture: Image, t: float) -> bool:
        """Process a frame and return whether a running ball is visible in it."""
        # a replicated border would seem to move where the track leaves the picture
        strip = cv2.remap(picture, *self._maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        now = strip.astype(np.int16)
        angle = self._moved_to(now, t)
        self._past.append((t, now))
        return angle is not None and self._follow(angle, t)

    def _moved_to(self, now: NDArray[np.int16], t: float) -> float | None:
        """Return the angle of the single change, in revolutions; None without one or with several."""
        changes = []
        for ago in _AGO_S:
            past = next((strip for at, strip in reversed(self._past) if t - at >= ago - 1e-3), None)
            if past is None:
                return None
            changes.append(np.abs(now - past).max(2))
        new = np.minimum(*changes).astype(np.float32)
        # changes all around come from the rotor's edge
        new = np.maximum(new - 2 * np.median(new, axis=1, keepdims=True), 0)
        wide = np.hstack([new[:, -3:], new, new[:, :3]])
        column = np.asarray(cv2.blur(wide, (3, 3))[:, 3:-3].max(0), np.float32)
        at = int(column.argmax())
        far = np.abs((np.arange(_COLUMNS) - at + _COLUMNS // 2) % _COLUMNS - _COLUMNS // 2) > _NEAR
        if column[at] < max(_MIN_CHANGE, _CLEAR * float(column[far].max())):
            return None
        near = np.arange(at - 4, at + 5)
        return float((near * column[near % _COLUMNS]).sum() / column[near % _COLUMNS].sum()) / _COLUMNS

    def _follow(self, angle: float, t: float) -> bool:
        """Add the ball's path since its last position; return whether it moves steadily."""
        last, self._last = self._last, (t, angle)
        if last is None or t - last[0] > _GAP_S or t <= last[0]:
            if last is not None:
                self.reset()
                self._last = (t, angle)
            return False
        gone, expected = t - last[0], self._speed * (t - last[0])
        way = expected + (angle - last[1] - expected + 0.5) % 1.0 - 0.5
        speed = way / gone
        steady = _SLOWEST < abs(speed) < _FASTEST and (self._speed == 0 or 0.3 < speed / self._speed < 2.5)
        if not steady:
            self._misses += 1
            if self._misses >= _MAX_MISSES:
                self.reset()
            self._last = last if self._misses and self._speed else (t, angle)
            return False
        self._misses = 0
        self._speed = speed if self._speed == 0 else 0.6 * self._speed + 0.4 * speed
        self.turns += abs(way)
        self.seen = t
        return True
