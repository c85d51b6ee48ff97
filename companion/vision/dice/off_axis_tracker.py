"""Where the camera's axis is not known: what the dice so far say about where it stands.

One die's picture may hide that it is seen from aside; the next one, lying otherwise, betrays it. A camera stays where
it is, so the dice of all throws speak about the same thing.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.objects.dice import TWENTY_FACES
from companion.vision.dice.decision_policy import DieReading, Evidence

_AT_FIRST: Final = 2.0
"""A camera is under some suspicion until a die or two have shown that it stands above."""
_MOST_EACH: Final = 2.0
_BIAS: Final = 0.5  # a camera 10 degrees off stands above, and the network is not sure of that
_LEAST, _MOST = -4.0, 10.0
_MOST_TRUST: Final = -1.0  # the die at hand is always asked, too: the camera may have been moved


class OffAxisTracker:
    """Adds up the log-odds that the camera stands aside, one die after another. Not thread-safe.

    Attributes:
        told: the die that it was told of last, shrunk; the same throw tells no more when it is read again.
    """

    def __init__(self) -> None:
        self.last_die: NDArray[np.float32] | None = None
        self._sum = _AT_FIRST

    @property
    def log_odds(self) -> float:
        """The log-odds so far that the camera stands aside; 0 says nothing."""
        return max(_MOST_TRUST, self._sum)

    def add(self, seen: Sequence[Evidence], reading: DieReading) -> None:
        """Take in what one die at rest said in all its pictures; only one of twenty faces says anything.

        One that seems to lean counts: seen from aside most dice seem to.
        """
        says = [each.off_axis.off_axis for each in seen if each.off_axis is not None]
        if says and reading.is_known_kind and reading.kind in TWENTY_FACES:
            said = float(np.clip(np.mean(says) - _BIAS, -_MOST_EACH, _MOST_EACH))
            self._sum = float(np.clip(self._sum + said, _LEAST, _MOST))
