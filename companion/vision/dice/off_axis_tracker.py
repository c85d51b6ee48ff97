"""Accumulates evidence over several dice that the camera is off-axis, while its axis is unknown.

One picture may show no cue of an off-axis view; the next die, lying differently, does. The camera does not move between
throws, so the dice of all throws are evidence on the same hypothesis.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.objects.dice import TWENTY_FACES
from companion.vision.dice.decision_policy import DieReading, Evidence

_AT_FIRST: Final = 2.0
"""Prior: off-axis is suspected until one or two dice show that the camera is overhead."""
_MAX_EACH: Final = 2.0
_BIAS: Final = 0.5  # 10 degrees off still counts as overhead, and the network is unsure there
_LEAST, _MOST = -4.0, 10.0
_MAX_TRUST: Final = -1.0  # the current die always counts as well: the camera may have been moved


class OffAxisTracker:
    """Sums the log-odds of an off-axis camera, die by die. Not thread-safe.

    Attributes:
        last_die: thumbnail and center of the last die added; reading the same throw again is no new evidence.
    """

    def __init__(self) -> None:
        self.last_die: tuple[NDArray[np.float32], tuple[float, float]] | None = None
        self._sum = _AT_FIRST

    @property
    def log_odds(self) -> float:
        """Log-odds so far that the camera is off-axis; 0 is neutral."""
        return max(_MAX_TRUST, self._sum)

    def add(self, seen: Sequence[Evidence], reading: DieReading) -> None:
        """Add the evidence from all pictures of one resting die; only twenty-faced dice carry any.

        A die read as leaning counts too: off-axis, most dice seem to lean.
        """
        log_odds = [each.off_axis.off_axis for each in seen if each.off_axis is not None]
        if log_odds and reading.is_known_kind and reading.kind in TWENTY_FACES:
            evidence = float(np.clip(np.mean(log_odds) - _BIAS, -_MAX_EACH, _MAX_EACH))
            self._sum = float(np.clip(self._sum + evidence, _LEAST, _MOST))
