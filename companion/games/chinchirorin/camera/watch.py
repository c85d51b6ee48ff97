"""Follows the bowl through the camera's frames: a throw counts once, when its dice have come to rest."""

from collections.abc import Iterator
from dataclasses import replace
from math import hypot
from typing import Final

import cv2
import numpy as np

from companion.games.chinchirorin.camera.decision import BowlResult, DieResult, Reason, without_others
from companion.games.chinchirorin.camera.detection import Networks, shared_networks
from companion.games.chinchirorin.camera.reading import (
    MIN_PASSES,
    Steps,
    is_worth_recoloring,
    read_bowl,
    read_in_other_colors,
)
from companion.games.chinchirorin.camera.rim import Rim
from companion.games.chinchirorin.commands import DICE
from companion.kernel.messages import Message, message
from companion.plugins.perception import WatchReading
from companion.vision.frame import Image, to_gray

STILL_S: Final = 0.25
"""Time without motion before the bowl is read."""
MAX_PASSES: Final = 9
"""Passes before the dealer is asked."""
_THUMB_PX: Final = 128
_CHANGED: Final = 9.0
"""Grey levels by which a pixel must differ from the previous frame to have changed."""
_MOVING: Final = 0.004
"""Share of changed pixels that is motion."""
_MAX_GAP_S: Final = 1.5
"""A longer gap between two frames counts as motion."""
_MOVED: Final = 0.2
"""Distance in die sizes from which a die has moved."""
_SURE_OUT: Final = 0.9
_FEW_S: Final = 3.0
"""Time before fewer than three dice become a question: they are often picked up one by one."""

QUESTIONS: Final[dict[Reason, Message]] = {
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

    Only dice that have moved are a new throw, unlike dice in the first frame or dice that a hand merely passed over.

    Args:
        networks: the process's shared ones if None.
    """

    def __init__(self, networks: Networks | None = None) -> None:
        self._networks = networks or shared_networks()
        self._rim: Rim | None = None
        self._thumb: np.ndarray | None = None
        self._moved_at = -STILL_S
        self._seen_at = float("-inf")
        self._is_disturbed = False
        self._picture: Image
        self._steps: Steps[BowlResult] | None = None
        "Remaining steps of reading the bowl."
        self._recolored_steps: Steps[BowlResult] | None = None
        "Remaining steps of reading uncertain dice in other colors."
        self._missed = 0
        self._at_rest: WatchReading | None = None
        self._ask_at = 0.0
        self._lying: BowlResult | None = None
        self._key = self._last = 0
        self._thrown: tuple[int, BowlResult] | None = None
        "Key and result of the last throw, read or not, while its dice may still be there."

    @property
    def at_rest(self) -> BowlResult | None:
        """The result for the dice at rest, once it is complete; None during motion or without a bowl."""
        return None if self._at_rest is None else self._lying

    def see(self, picture: Image, t: float) -> WatchReading:
        """Process a frame, uint8 (H, W, 3) BGR, taken at a time in seconds that never decreases.

        Each frame is used for one step, which is short enough for the time between two frames.
        """
        if self._has_moved(picture, t):
            self._moved_at, self._missed = t, 0
            self._rim = self._steps = self._recolored_steps = self._at_rest = None
            self._is_disturbed = True
        if t - self._moved_at < STILL_S:
            return WatchReading(moving=True, box=self._lying.bowl if self._lying else None, key=self._key)
        self._picture = picture
        if self._at_rest is not None:
            self._recolor()
        elif self._steps is not None:
            self._read(self._steps, t)
        else:
            self._find_bowl()
        if self._at_rest is not None and self._at_rest.question is not None and t < self._ask_at:
            return replace(self._at_rest, question=None)
        return self._at_rest or WatchReading(moving=True, box=self._rim.box if self._rim else None, key=self._key)

    def _has_moved(self, picture: Image, t: float) -> bool:
        """Whether the frame differs from the previous one by more than its brightness; a gap counts as motion."""
        scale = _THUMB_PX / max(picture.shape[:2])
        size = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
        small = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
        before, self._thumb = self._thumb, to_gray(small).astype(np.float32)
        gap, self._seen_at = t - self._seen_at, t
        if before is None or before.shape != self._thumb.shape:
            return False
        change = self._thumb - before
        return gap > _MAX_GAP_S or float(np.mean(np.abs(change - np.median(change)) > _CHANGED)) > _MOVING

    def _find_bowl(self) -> None:
        self._rim = self._networks.rim(self._picture)
        if self._rim is not None:
            self._steps = read_bowl(self._networks, self._rim, self._pictures(), MAX_PASSES)
            next(self._steps)
            return
        self._missed += 1
        if self._missed >= MIN_PASSES:
            self._lying, self._at_rest = None, WatchReading(moving=False, key=self._key)

    def _pictures(self) -> Iterator[Image]:
        while True:
            yield self._picture

    def _read(self, steps: Steps[BowlResult], t: float) -> None:
        try:
            next(steps)
            return
        except StopIteration as end:
            result: BowlResult = end.value
        few = sum(die.place == "in" for die in result.dice) < DICE and result.reason == "count"
        self._ask_at = self._moved_at + _FEW_S if few else t
        if self._rim is not None and is_worth_recoloring(result):
            self._recolored_steps = read_in_other_colors(self._networks, self._picture, self._rim, result)
        self._at_rest = self._decided(self._of_d6(result))

    def _recolor(self) -> None:
        """Take the next step of reading the dice in other colors, while the dealer is already asked."""
        if self._recolored_steps is None:
            return
        try:
            next(self._recolored_steps)
        except StopIteration as end:
            self._recolored_steps = None
            if not end.value.reason:
                self._at_rest = self._decided(self._of_d6(end.value))

    def _of_d6(self, result: BowlResult) -> BowlResult:
        if result.reason:
            return result
        boxes = [die.box for die in result.dice]
        return without_others(result, self._networks.d6_probabilities(self._picture, boxes))

    def _decided(self, result: BowlResult) -> WatchReading:
        before, self._lying = self._lying, result
        if not any(die.place == "in" for die in result.dice):
            self._is_disturbed = False
            return WatchReading(moving=False, box=result.bowl, key=self._key)
        if self._thrown is not None and _is_same(self._thrown[1], result):
            key = self._thrown[0]
        elif self._is_disturbed and (self._is_thrown_again(result) or not (before and _is_same(before, result))):
            self._last += 1
            key = self._key = self._last
        else:
            key = self._key
        if len(result.dice) >= DICE:
            self._thrown = key, result
        self._is_disturbed = False
        return self._reading(result, key)

    def _is_thrown_again(self, result: BowlResult) -> bool:
        """Whether these three dice are another throw, although one die of the last throw was not moved.

        Picking up and rethrowing two dice is a throw.
        """
        is_left_of_it = self._thrown is not None and self._thrown[0] == self._key
        return is_left_of_it and len(result.dice) >= DICE

    def _reading(self, result: BowlResult, key: int) -> WatchReading:
        self._key = key
        if not key:
            return WatchReading(moving=False, box=result.bowl)
        least = min(die.confidence for die in result.dice)
        answer: dict[str, object] | None = None
        if result.values is not None:
            answer = {"dice": list(result.values)}
        elif result.reason == "out" and least > _SURE_OUT:
            answer = {"out": True}
        if answer is None:
            return WatchReading(False, None, 0.0, result.bowl, QUESTIONS[result.reason], key)
        return WatchReading(False, answer, least, result.bowl, key=key)


def _is_same(before: BowlResult, now: BowlResult) -> bool:
    """Whether these are the same dice at rest: all but at most one have kept their place and value.

    A throw moves all three, and no two land exactly as before; a sleeve may move one. A hand may hide or remove some.
    """
    alike = sum(any(_is_same_die(old, new) for old in before.dice) for new in now.dice)
    fewer = min(len(before.dice), len(now.dice))
    return alike >= max(1, fewer - 1 if len(before.dice) == len(now.dice) else fewer)


def _is_same_die(old: DieResult, new: DieResult) -> bool:
    away = hypot(old.box.center[0] - new.box.center[0], old.box.center[1] - new.box.center[1])
    return away < _MOVED * new.box.size_px and (old.value is None or new.value is None or old.value == new.value)
