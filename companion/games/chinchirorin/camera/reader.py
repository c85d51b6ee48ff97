"""Reads the dice of a bowl in a still picture or a video."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import repeat
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.games.chinchirorin.camera.reading import (
    finished,
    in_other_colors,
    may_be_read_in_other_colors,
    reading,
)
from companion.games.chinchirorin.camera.sight import Looker, shared_eyes
from companion.games.chinchirorin.camera.verdict import ReadDie, Trouble, Verdict, without_others
from companion.games.chinchirorin.camera.watch import BowlWatch
from companion.vision.dice.decision_policy import DieReading
from companion.vision.dice.reader import DiceSeen, warnings_of
from companion.vision.frame import Image

WHY: Final[Mapping[Trouble, str]] = {
    "count": "not three dice in the bowl",
    "doubtful": "something in the bowl may be another die",
    "cocked": "cocked or covered",
    "rim": "on the rim of the bowl",
    "out": "out of the bowl",
    "unsure": "not sure",
    "small": "too small",
    "steep": "seen too much from the side",
}
_IS_D6: Final = 0.2  # the chance of a d6 that half of all dice in a bowl have, else it is thrown with others
_OF_ALL: Final[frozenset[Trouble]] = frozenset({"count", "doubtful", "rim", "out", "steep"})


class BowlReader:
    """Reads pictures of three dice in a bowl; thread-safe."""

    def __init__(self, eyes: Looker | None = None) -> None:
        self._eyes = eyes

    def read(self, picture: Image) -> DiceSeen | None:
        """Return the dice in and around a bowl of a picture, uint8 (H, W, 3) BGR.

        None where there is no bowl, or one with no or other dice in it.
        """
        eyes = self._eyes or shared_eyes()
        rim = eyes.rim(picture)
        if rim is None:
            return None
        found = finished(reading(eyes, rim, repeat(picture)))
        if may_be_read_in_other_colors(found) and _are_thrown(found, _d6_chances(eyes, picture, found)):
            found = finished(in_other_colors(eyes, picture, rim, found))
        return _seen(eyes, picture, found)


class BowlFilm:
    """Reads the dice of a bowl in a video, once they have come to rest. Not thread-safe."""

    def __init__(self, watch: BowlWatch | None = None) -> None:
        self._watch = watch or BowlWatch()
        self._eyes = shared_eyes()
        self._last: tuple[Verdict | None, DiceSeen | None] = None, None

    def see(self, picture: Image, t: float) -> DiceSeen | None:
        """Return the dice of the next picture, seen at a time in seconds; None while they move, or in no bowl."""
        self._watch.see(picture, t)
        found = self._watch.at_rest
        if found is not self._last[0]:
            self._last = found, None if found is None else _seen(self._eyes, picture, found)
        return self._last[1]


def _seen(eyes: Looker, picture: Image, found: Verdict) -> DiceSeen | None:
    """Return what a bowl's dice show; None where there are none in it, or other ones than it is thrown with."""
    chances = _d6_chances(eyes, picture, found)
    if not _are_thrown(found, chances):
        return None
    trouble = without_others(found, chances).trouble
    is_of_all = trouble in _OF_ALL or (bool(trouble) and not any(die.trouble for die in found.dice))
    dice = tuple(_reading(die, trouble if is_of_all else "") for die in found.dice)
    return DiceSeen(dice, warnings_of(dice))


def _d6_chances(eyes: Looker, picture: Image, found: Verdict) -> NDArray[np.float32]:
    return eyes.d6_chances(picture, [die.box for die in found.dice])


def _are_thrown(found: Verdict, d6_chances: NDArray[np.float32]) -> bool:
    """Say whether dice lie in a bowl that it is thrown with: most of them have six sides."""
    is_any = any(die.place == "in" for die in found.dice)
    return is_any and int((d6_chances > _IS_D6).sum()) * 2 >= len(found.dice)


def _reading(die: ReadDie, trouble: Trouble) -> DieReading:
    likely = tuple(str(value) for value in die.likely)
    reading = DieReading("d6", die.value, None, die.confidence, die.box.box, WHY.get(die.trouble, ""), likely)
    if trouble:
        return replace(reading, value=None, reason=WHY[trouble])
    return reading
