"""Looks at a doubtful die again in many boxes: one that is a little off, or that has a shadow in it, makes the networks
doubt. Hardly any two boxes mislead them in the same way, so several that agree are an answer.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from companion.objects.dice import DAY_NIGHT
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.decision_policy import DOUBTS_OF_NETWORKS, DieReading

LEAST_AGREEING: Final = 3
"""So many boxes must be answered, and none otherwise. Of 61 path-traced dice that are doubtful in their own box twelve
are answered so, all rightly; of 14 with one or two answered boxes six would be wrong."""
_SCALES: Final = (0.92, 0.84, 0.76)  # of the die's box
_LARGER_SCALE: Final = 1.08
_CONTRADICTS_P: Final = 0.9
"""A box that makes another value so likely forbids the answer, whatever else it doubts: a clear die's four was read as
a five in several boxes, and as a four by 0.94 in one, whose pips said otherwise."""


def reread_jittered(die: DieBox, reading: DieReading, judge: Callable[[DieBox], DieReading | None]) -> DieReading:
    """Return what a die shows, looked at in further boxes if the networks doubt it.

    Args:
        reading: what it shows in its own box.
        judge: says what it shows in another box, None if it is no die there.
    """
    if not reading.reason.startswith(DOUBTS_OF_NETWORKS) or _may_be_both_halves(reading):
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
            return reading  # so looks any part of print with a spot in it: a card's 6 has one
        if answered and _shown(seen) != _shown(answered[0]):
            return reading
        answered.append(seen)
    if len(answered) < LEAST_AGREEING or contradicting - set(answered[0].likely[:1]):
        return reading
    return replace(answered[0], box=die.box, confidence=min(each.confidence for each in answered))


def _may_be_both_halves(reading: DieReading) -> bool:
    """Say whether a number may be by day or by night: the lamp that is mirrored in it is so in every box."""
    return reading.kind == DAY_NIGHT and len({face[0] for face in reading.likely}) < len(reading.likely)


def _shown(reading: DieReading) -> tuple[str, int | None, str | None]:
    return reading.kind, reading.value, reading.face


def jittered_boxes(die: DieBox) -> Iterator[DieBox]:
    """Return smaller boxes in the middle and in each corner of a die's box, and one that is larger.

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
