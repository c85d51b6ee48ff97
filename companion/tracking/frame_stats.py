"""Performance figures of the camera thread: frames per second, milliseconds per frame, latency from rest to event."""

import math
from collections import deque
from collections.abc import Iterable

_RATE_S = 5.0


class FrameStats:
    """Statistics of recent frames and events. Written by one thread, read by any."""

    def __init__(self) -> None:
        self.frames = 0
        self.failed = 0
        self.failed_in_a_row = 0
        self.deals = 0
        self.refused = 0
        self._times: deque[float] = deque(maxlen=600)
        self._work_ms: deque[float] = deque(maxlen=300)
        self._latency_ms: deque[float] = deque(maxlen=300)

    def frame(self, now: float, work_s: float) -> None:
        """A frame was processed."""
        self.frames += 1
        self.failed_in_a_row = 0
        self._times.append(now)
        self._work_ms.append(1000 * work_s)

    def failure(self) -> None:
        """A frame failed."""
        self.failed += 1
        self.failed_in_a_row += 1

    def latency(self, seconds: float) -> None:
        """Record the latency from rest to event."""
        self._latency_ms.append(1000 * seconds)

    def numbers(self, now: float) -> dict[str, float]:
        """Return all figures; 0 where there is no data yet."""
        recent = [t for t in self._times.copy() if now - t <= _RATE_S]
        work, latency = self._work_ms.copy(), self._latency_ms.copy()
        return {
            "fps": round((len(recent) - 1) / max(1e-3, recent[-1] - recent[0]), 1) if len(recent) > 1 else 0.0,
            "frames": self.frames,
            "frames_failed": self.failed,
            "ms_median": round(percentile(work, 50), 2),
            "ms_p99": round(percentile(work, 99), 2),
            "latency_ms_median": round(percentile(latency, 50), 1),
            "latency_ms_p99": round(percentile(latency, 99), 1),
            "deals": self.deals,
            "refused": self.refused,
        }


def percentile(values: Iterable[float], percent: float) -> float:
    """Return the percentile by the nearest-rank method; 0.0 of no values.

    >>> percentile([5, 1, 4, 2, 3], 50), percentile([5, 1, 4, 2, 3], 99), percentile([], 50)
    (3, 5, 0.0)
    """
    ordered = sorted(values)
    if not ordered:
        return 0.0
    return ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)]
