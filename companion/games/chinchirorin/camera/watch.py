"""Follows the bowl through the camera's pictures: a throw counts once, when its dice have come to rest."""

from collections.abc import Sequence
from dataclasses import replace
from math import hypot
from typing import Final

import cv2
import numpy as np

from companion.games.chinchirorin.camera.reading import (
    Steps,
    in_other_colors,
    may_be_read_in_other_colors,
    second_opinion,
)
from companion.games.chinchirorin.camera.rim import Rim
from companion.games.chinchirorin.camera.sight import (
    AT_ONCE,
    FIRST,
    PARTS,
    PARTS_AT_ONCE,
    VIEWS,
    Looker,
    Sight,
    Spot,
    View,
    joined,
    next_spots,
    shared_eyes,
    worth_a_look,
)
from companion.games.chinchirorin.camera.verdict import (
    ReadDie,
    Trouble,
    Verdict,
    upright,
    verdict,
    without_others,
)
from companion.games.chinchirorin.commands import DICE
from companion.kernel.messages import Message, message
from companion.plugins.perception import WatchReading
from companion.vision.frame import Image, to_gray

STILL_S: Final = 0.25
"""Without motion so long before the first look."""
ENOUGH: Final = len(VIEWS)
"""Looks that must agree before there is an answer."""
MOST: Final = 9
"""Looks after which the dealer is asked."""
_THUMB_PX: Final = 128
_CHANGED: Final = 9.0  # grey levels
_MOVING: Final = 0.004  # of the picture
_GAP_S: Final = 1.5  # between pictures: what came between is not known
_MOVED: Final = 0.2  # of a die's size
_SURE_OUT: Final = 0.9
_FEW_S: Final = 3.0
"""Fewer than three dice lie there so long before that is a question: they are often picked up one by one."""

QUESTIONS: Final[dict[Trouble, Message]] = {
    "count": message("There are not exactly three dice in the bowl. Put three in and throw again, or enter the throw."),
    "doubtful": message("Something in the bowl may be another die. Take it out, or enter the throw."),
    "cocked": message("A die is cocked or covered. Throw again, or enter the throw."),
    "rim": message("A die lies on the rim of the bowl. Throw again, or enter the throw."),
    "out": message("Is a die out of the bowl? Enter the throw."),
    "unsure": message("A die in the bowl cannot be read. Enter the throw."),
    "small": message("The dice are too small to be read. Bring the camera closer, or enter the throw."),
    "steep": message("The camera looks too much from the side. Put it higher, or enter the throw."),
}


class BowlWatch:
    """Watches one bowl; see `companion.plugins.perception.Watcher`. Not thread-safe.

    The dice must be moved before they are another throw: what lies there in the first picture is none, nor are dice
    that a hand only passed over.

    Args:
        eyes: those of this process if not given.
    """

    def __init__(self, eyes: Looker | None = None) -> None:
        self._eyes = eyes or shared_eyes()
        self._rim: Rim | None = None
        self._thumb: np.ndarray | None = None
        self._moved_at = -STILL_S
        self._seen_at = float("-inf")
        self._is_disturbed = False
        self._found: list[tuple[Spot, ...]] = []
        self._spots: tuple[Spot, ...] | None = None
        self._parts: list[Sight] = []
        self._first: list[Sight] = []
        self._looks: list[Sight] = []
        self._second: Steps[Verdict] | None = None
        "The steps that are left of hearing a second opinion."
        self._again: Steps[Verdict] | None = None
        "The steps that are left of reading doubtful dice in other colors."
        self._missed = 0
        self._at_rest: WatchReading | None = None
        self._ask_at = 0.0
        self._lying: Verdict | None = None
        self._key = self._last = 0
        self._thrown: tuple[int, Verdict] | None = None
        "The last throw, read or not, and its key, while its dice may still lie there."

    @property
    def at_rest(self) -> Verdict | None:
        """What lies in the bowl, once it was looked at often enough; None while it moves or no bowl is seen."""
        return None if self._at_rest is None else self._lying

    def see(self, picture: Image, t: float) -> WatchReading:
        """Process a picture, uint8 (H, W, 3) BGR, at a time in seconds that never goes back."""
        if self._has_moved(picture, t):
            self._moved_at, self._rim, self._spots, self._missed = t, None, None, 0
            self._found, self._parts, self._first, self._looks = [], [], [], []
            self._second = self._again = None
            self._at_rest = None
            self._is_disturbed = True
        if t - self._moved_at < STILL_S:
            return WatchReading(moving=True, box=self._lying.bowl if self._lying else None, key=self._key)
        if self._at_rest is None:
            self._look(picture, t)
        elif self._again is not None:
            self._look_again(self._again, picture)
        if self._at_rest is not None and self._at_rest.question is not None and t < self._ask_at:
            return replace(self._at_rest, question=None)
        return self._at_rest or WatchReading(moving=True, box=self._rim.box if self._rim else None, key=self._key)

    def _has_moved(self, picture: Image, t: float) -> bool:
        """Whether the picture differs from the one before, apart from its light; a gap in time counts as motion."""
        scale = _THUMB_PX / max(picture.shape[:2])
        size = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
        thumb = to_gray(np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)).astype(
            np.float32
        )
        before, self._thumb = self._thumb, thumb
        gap, self._seen_at = t - self._seen_at, t
        if before is None or before.shape != thumb.shape:
            return False
        change = thumb - before
        return gap > _GAP_S or float(np.mean(np.abs(change - np.median(change)) > _CHANGED)) > _MOVING

    def _look(self, picture: Image, t: float) -> None:
        """Find the bowl, then the dice, then the tilt; then look again and again, a little differently.

        Each picture is used for one step only, which takes no longer than a camera's pictures are apart.
        """
        if self._rim is None:
            self._rim = self._eyes.rim(picture)
            self._missed += self._rim is None
            if self._missed >= ENOUGH:
                self._lying, self._at_rest = None, WatchReading(moving=False, key=self._key)
            return
        if self._spots is None:
            for part in PARTS[len(self._found) :][:PARTS_AT_ONCE]:
                self._found.append(self._eyes.spots(picture, self._rim, part))
            if len(self._found) == len(PARTS):
                self._spots = worth_a_look(self._found)
                if not self._spots:
                    self._at_rest = self._decided(verdict([Sight(self._rim, ())]))
            return
        if self._second is not None:
            self._hear(self._second, picture, self._rim, t)
            return
        is_first = len(self._first) < len(FIRST)
        view = FIRST[len(self._first)] if is_first else VIEWS[len(self._looks) % ENOUGH]
        sight = self._whole_look(picture, self._rim, self._spots, view)
        if sight is None:
            return
        self._spots = next_spots(sight, len(self._first))
        if is_first:
            self._first.append(sight)
            if len(self._first) == len(FIRST):
                self._rim = upright(self._rim, self._first)
            return
        self._looks.append(sight)
        if len(self._looks) < ENOUGH:
            return
        found = verdict(self._looks[-ENOUGH:], self._first)
        if found.trouble and len(self._looks) < MOST:
            return
        self._second = second_opinion(self._eyes, picture, found)
        self._hear(self._second, picture, self._rim, t)

    def _hear(self, steps: Steps[Verdict], picture: Image, rim: Rim, t: float) -> None:
        """Take the next step of hearing a second opinion; after the last it is decided what lies there."""
        try:
            next(steps)
            return
        except StopIteration as end:
            found: Verdict = end.value
        few = sum(die.place == "in" for die in found.dice) < DICE and found.trouble == "count"
        self._ask_at = self._moved_at + _FEW_S if few else t
        if may_be_read_in_other_colors(found):
            self._again = in_other_colors(self._eyes, picture, rim, found)
        self._at_rest = self._decided(self._of_d6(picture, found))

    def _look_again(self, steps: Steps[Verdict], picture: Image) -> None:
        """Take the next step of reading what lies there in other colors, while the dealer is asked already."""
        try:
            next(steps)
        except StopIteration as end:
            self._again = None
            if not end.value.trouble:
                self._at_rest = self._decided(self._of_d6(picture, end.value))

    def _of_d6(self, picture: Image, found: Verdict) -> Verdict:
        if found.trouble:
            return found
        return without_others(found, self._eyes.d6_chances(picture, [die.box for die in found.dice]))

    def _whole_look(self, picture: Image, rim: Rim, spots: Sequence[Spot], view: View) -> Sight | None:
        """Look at the next few spots; return the whole look with the last of them, None before."""
        done = AT_ONCE * len(self._parts)
        self._parts.append(self._eyes.look(picture, rim, spots[done : done + AT_ONCE], view))
        if done + AT_ONCE < len(spots):
            return None
        parts, self._parts = self._parts, []
        return joined(parts)

    def _decided(self, found: Verdict) -> WatchReading:
        before, self._lying = self._lying, found
        if not any(die.place == "in" for die in found.dice):
            self._is_disturbed = False
            return WatchReading(moving=False, box=found.bowl, key=self._key)
        if self._thrown is not None and _is_same(self._thrown[1], found):
            key = self._thrown[0]
        elif self._is_disturbed and (self._is_thrown_again(found) or not (before and _is_same(before, found))):
            self._last += 1
            key = self._key = self._last
        else:
            key = self._key
        if len(found.dice) >= DICE:
            self._thrown = key, found
        self._is_disturbed = False
        return self._reading(found, key)

    def _is_thrown_again(self, found: Verdict) -> bool:
        """Whether three dice lie there that are not those of the last throw, though what was left of it meanwhile lies
        among them: whoever takes up two dice and throws them again has thrown."""
        is_left_of_it = self._thrown is not None and self._thrown[0] == self._key
        return is_left_of_it and len(found.dice) >= DICE

    def _reading(self, found: Verdict, key: int) -> WatchReading:
        self._key = key
        if not key:
            return WatchReading(moving=False, box=found.bowl)
        least = min(die.confidence for die in found.dice)
        answer: dict[str, object] | None = None
        if found.values is not None:
            answer = {"dice": list(found.values)}
        elif found.trouble == "out" and least > _SURE_OUT:
            answer = {"out": True}
        if answer is None:
            return WatchReading(False, None, 0.0, found.bowl, QUESTIONS[found.trouble], key)
        return WatchReading(False, answer, least, found.bowl, key=key)


def _is_same(before: Verdict, now: Verdict) -> bool:
    """Whether these are the same resting dice: all but one at most lie where they lay, showing what they showed.

    A throw moves all three, and no two land as they did before; a sleeve may move one. A hand may hide some or all,
    or take some up.
    """
    alike = sum(any(_is_same_die(old, new) for old in before.dice) for new in now.dice)
    fewer = min(len(before.dice), len(now.dice))
    return alike >= max(1, fewer - 1 if len(before.dice) == len(now.dice) else fewer)


def _is_same_die(old: ReadDie, new: ReadDie) -> bool:
    away = hypot(old.box.center[0] - new.box.center[0], old.box.center[1] - new.box.center[1])
    return away < _MOVED * new.box.size_px and (old.value is None or new.value is None or old.value == new.value)
