"""Reads the dice of a bowl in a still picture or a video."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import repeat
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.games.chinchirorin.camera.decision import BowlResult, DieResult, Reason, without_others
from companion.games.chinchirorin.camera.detection import Networks, shared_networks
from companion.games.chinchirorin.camera.reading import (
    is_worth_recoloring,
    read_bowl,
    read_in_other_colors,
    run,
)
from companion.games.chinchirorin.camera.watch import BowlWatch
from companion.vision.dice.decision_policy import DieReading
from companion.vision.dice.reader import DiceSeen, warnings_of
from companion.vision.frame import Image

WHY: Final[Mapping[Reason, str]] = {
    "count": "not three dice in the bowl",
    "doubtful": "something in the bowl may be another die",
    "cocked": "cocked or covered",
    "rim": "on the rim of the bowl",
    "out": "out of the bowl",
    "unsure": "not sure",
    "small": "too small",
    "steep": "seen too much from the side",
}
_IS_D6: Final = 0.2
"""Probability of a d6 that at least half of the dice in a bowl must have; otherwise another game is played."""
_CONCERNS_ALL: Final[frozenset[Reason]] = frozenset({"count", "doubtful", "rim", "out", "steep"})


class BowlReader:
    """Reads pictures of three dice in a bowl; thread-safe."""

    def __init__(self, networks: Networks | None = None) -> None:
        self._networks = networks

    def read(self, picture: Image) -> DiceSeen | None:
        """Return the dice in and around the bowl in a picture, uint8 (H, W, 3) BGR.

        None if there is no bowl, or no dice or other dice in it.
        """
        networks = self._networks or shared_networks()
        rim = networks.rim(picture)
        if rim is None:
            return None
        found = run(read_bowl(networks, rim, repeat(picture)))
        if is_worth_recoloring(found) and _are_thrown(found, _d6_probabilities(networks, picture, found)):
            found = run(read_in_other_colors(networks, picture, rim, found))
        return _seen(networks, picture, found)


class BowlFilm:
    """Reads the dice of a bowl in a video, once they have come to rest. Not thread-safe."""

    def __init__(self, watch: BowlWatch | None = None) -> None:
        self._watch = watch or BowlWatch()
        self._networks = shared_networks()
        self._last: tuple[BowlResult | None, DiceSeen | None] = None, None

    def see(self, picture: Image, t: float) -> DiceSeen | None:
        """Return the dice of the next picture, taken at a time in seconds; None while they move or without a bowl."""
        self._watch.see(picture, t)
        found = self._watch.at_rest
        if found is not self._last[0]:
            self._last = found, None if found is None else _seen(self._networks, picture, found)
        return self._last[1]


def _seen(networks: Networks, picture: Image, found: BowlResult) -> DiceSeen | None:
    """Return what the dice in a bowl show; None if there are no dice in it, or those of another game."""
    probabilities = _d6_probabilities(networks, picture, found)
    if not _are_thrown(found, probabilities):
        return None
    reason = without_others(found, probabilities).reason
    concerns_all = reason in _CONCERNS_ALL or (bool(reason) and not any(die.reason for die in found.dice))
    dice = tuple(_reading(die, reason if concerns_all else "") for die in found.dice)
    return DiceSeen(dice, warnings_of(dice))


def _d6_probabilities(networks: Networks, picture: Image, found: BowlResult) -> NDArray[np.float32]:
    return networks.d6_probabilities(picture, [die.box for die in found.dice])


def _are_thrown(found: BowlResult, d6_probabilities: NDArray[np.float32]) -> bool:
    """Whether the bowl has dice, at least half of them d6."""
    is_any = any(die.place == "in" for die in found.dice)
    return is_any and int((d6_probabilities > _IS_D6).sum()) * 2 >= len(found.dice)


def _reading(die: DieResult, reason: Reason) -> DieReading:
    likely = tuple(str(value) for value in die.likely)
    reading = DieReading("d6", die.value, None, die.confidence, die.box.box, WHY.get(die.reason, ""), likely)
    if reason:
        return replace(reading, value=None, reason=WHY[reason])
    return reading
