"""Meaning of three dice: storms, scores, and nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Final, Literal

TRIES: Final = 3
"""Maximum number of throws of banker and player each; without a storm or score the score is 0."""
OUT: Final = "out"

Dice = tuple[int, int, int]
Throw = Dice | Literal["out"]
"""Three dice in reading order, or ``out`` if one left the bowl."""


class Kind(Enum):
    """Kind of a throw."""

    OUT = "out"
    "A die left the bowl."
    ONES = "ones"
    "1-1-1."
    TRIPLE = "triple"
    "Another triple."
    LOW = "low"
    "1-2-3."
    HIGH = "high"
    "4-5-6."
    SCORE = "score"
    "A pair; the third die is the score."
    NOTHING = "nothing"
    "None of these: throw again."


BANKERS: Final[Mapping[Kind, int]] = {Kind.OUT: -1, Kind.ONES: -3, Kind.TRIPLE: -2, Kind.LOW: -2, Kind.HIGH: 2}
"""Banker's throw -> multiple of each bet that the banker collects, or pays if negative."""
PLAYERS: Final[Mapping[Kind, int]] = {Kind.OUT: -1, Kind.ONES: -3, Kind.TRIPLE: 3, Kind.LOW: -2, Kind.HIGH: 2}
"""Player's throw -> multiple of each bet that the bettors collect, or pay if negative (rulings on chinchirorin)."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Meaning of a throw; only a pair has a score."""

    kind: Kind
    score: int | None = None


@cache
def reading(throw: Throw) -> Reading:
    """Return the meaning of a throw.

    >>> reading((6, 3, 6)), reading((2, 4, 1)).kind
    (Reading(kind=<Kind.SCORE: 'score'>, score=3), <Kind.NOTHING: 'nothing'>)
    """
    if isinstance(throw, str):
        return Reading(Kind.OUT)
    low, middle, high = sorted(throw)
    if low == high:
        return Reading(Kind.ONES if low == 1 else Kind.TRIPLE)
    if middle in (low, high):
        return Reading(Kind.SCORE, high if middle == low else low)
    return Reading({(1, 2, 3): Kind.LOW, (4, 5, 6): Kind.HIGH}.get((low, middle, high), Kind.NOTHING))
