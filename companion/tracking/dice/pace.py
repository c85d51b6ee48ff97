"""Frame rate of the tray's camera, and whether it suffices to tell a throw from a die put down by hand."""

from collections import deque
from itertools import pairwise
from statistics import median
from typing import Final

from companion.kernel.messages import Message, message

NEEDED: Final = 5.0
"""Minimum frame rate to recognise throws; below it each throw is asked about."""
_HYSTERESIS: Final = 0.85  # hysteresis: a briefly busy machine should not cause a warning
_WINDOW_S: Final = 8.0
_MIN_FRAMES: Final = 6


class Pace:
    """Measures a camera's frame rate from the frame times (s, never going back)."""

    def __init__(self) -> None:
        self._times: deque[float] = deque()
        self.slow: Message | None = None
        "The warning while the frame rate is too low; None otherwise."

    def frame(self, t: float) -> None:
        """Add a frame's time."""
        self._times.append(t)
        while len(self._times) > _MIN_FRAMES + 1 and t - self._times[0] > _WINDOW_S:
            self._times.popleft()
        rate = self.per_second
        if rate is None:
            return
        if self.slow is None and rate < NEEDED * _HYSTERESIS:
            self.slow = slow_words(rate)
        elif rate >= NEEDED:
            self.slow = None

    @property
    def per_second(self) -> float | None:
        """Frames per second, from the median interval; None until there are enough frames.

        >>> pace = Pace()
        >>> for t in range(8): pace.frame(2.0 * t)
        >>> pace.per_second, pace.slow is None
        (0.5, False)
        """
        times = list(self._times)
        if len(times) <= _MIN_FRAMES or times[-1] - times[0] < _WINDOW_S / 2:
            return None
        return 1 / max(1e-3, median(b - a for a, b in pairwise(times)))


def slow_words(per_second: float) -> Message:
    """Return the warning about a camera that is too slow.

    >>> slow_words(0.72)[:38]
    'The camera gives 0.7 pictures a second'
    """
    return message(
        "The camera gives {rate} pictures a second, the die needs {needed}: until then each throw is "
        "asked about. Give it more light, or a smaller picture ([camera] width and height).",
        rate=f"{per_second:.1f}",
        needed=f"{NEEDED:.0f}",
    )
