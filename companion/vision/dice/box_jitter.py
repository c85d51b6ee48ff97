"""Box-jitter test-time augmentation for doubtful dice.

A box that is slightly off, or that includes a shadow, makes the networks unsure. Two jittered boxes rarely mislead them
in the same way, so agreement of several is an answer.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from companion.objects.dice import DAY_NIGHT
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.decision_policy import NETWORK_DOUBTS, DieReading

MIN_AGREEING: Final = 3
"""Minimum number of boxes with an answer, all the same. Of 61 path-traced dice doubtful in their own box, twelve are
answered this way, all correctly; of 14 with one or two answered boxes six would be wrong."""
_SCALES: Final = (0.92, 0.84, 0.76)  # relative to the die's box
_LARGER_SCALE: Final = 1.08
_CONTRADICTS_P: Final = 0.9
"""A box with another value at this confidence vetoes the answer, even if rejected itself: a clear die's four was read
as a five in several boxes, and as a four with 0.94 in one, where the pip count disagreed."""


def reread_jittered(die: DieBox, reading: DieReading, judge: Callable[[DieBox], DieReading | None]) -> DieReading:
    """Return a die's reading, re-read in jittered boxes if the networks were unsure.

    Args:
        reading: the reading in its own box.
        judge: reads the die in another box; None if no die is recognized there.
    """
    if not reading.reason.startswith(NETWORK_DOUBTS) or _may_be_both_halves(reading):
        return reading
    answered: list[DieReading] = []
    contradicting: set[str] = set()
    for box in jittered_boxes(die):
        seen = judge(box)
        if seen is not None and seen.confidence > _CONTRADICTS_P:
            contradicting.update(seen.likely[:1])
        if seen is None or seen.value is None:
            continue
        if (seen.kind, seen.value) == ("d6", 1):
            return reading  # any printed patch with a spot in it looks like a one: a card's 6 has one
        if answered and _shown(seen) != _shown(answered[0]):
            return reading
        answered.append(seen)
    if len(answered) < MIN_AGREEING or contradicting - set(answered[0].likely[:1]):
        return reading
    return replace(answered[0], box=die.box, confidence=min(each.confidence for each in answered))


def _may_be_both_halves(reading: DieReading) -> bool:
    """Return whether day and night faces of one number compete: a lamp reflection causing it is in every box."""
    return reading.kind == DAY_NIGHT and len({face[0] for face in reading.likely}) < len(reading.likely)


def _shown(reading: DieReading) -> tuple[str, int | None, str | None]:
    return reading.kind, reading.value, reading.face


def jittered_boxes(die: DieBox) -> Iterator[DieBox]:
    """Yield smaller boxes at the center and at each corner of a die's box, and one larger box.

    >>> len(list(jittered_boxes(DieBox((0, 0, 100, 100), 0.9))))
    16
    """
    x, y, w, h = die.box
    for side in _SCALES:
        for right, down in ((0.5, 0.5), (0, 0), (0, 1), (1, 0), (1, 1)):
            left, top = x + right * w * (1 - side), y + down * h * (1 - side)
            yield replace(die, box=(round(left), round(top), round(w * side), round(h * side)))
    off = (_LARGER_SCALE - 1) / 2
    yield replace(die, box=(round(x - off * w), round(y - off * h), round(w * _LARGER_SCALE), round(h * _LARGER_SCALE)))
