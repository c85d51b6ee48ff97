"""Zones of the printed roulette mats, in millimetres (see `companion.objects.mat`).

Zone names are the bets' own, as ``bet/straight/17`` or ``bet/dozen/2``. Bets on several numbers lie on the lines
between zones. The zeros are at the left, as a dealer at the top sees them.
"""

from collections.abc import Iterator
from typing import Final

from companion.games.roulette.wheel import NUMBERS, ZEROS, Wheel
from companion.objects.geometry import Box
from companion.objects.mat import Mat, corner_tags
from companion.on_demand import OnDemand

_ART: Final = OnDemand("companion.games.roulette.mats.art:draw_roulette")
SIZE: Final = (760.0, 400.0)
CELL: Final = (46.0, 62.0)
"""Width and height of a number's cell, including lines."""
FIRST: Final = (104.0, 70.0)
"""Top-left corner of number 3."""
LINE: Final = 2.0
_OUTSIDE: Final = 40.0
_SIMPLE: Final = ("low", "even", "red", "black", "odd", "high")


def _zones(wheel: Wheel) -> dict[str, Box]:
    return {f"bet/{on}": Box(x, y, w - LINE, h - LINE) for on, x, y, w, h in (*_inside(wheel), *_outside())}


def _inside(wheel: Wheel) -> Iterator[tuple[str, float, float, float, float]]:
    (left, top), (wide, high) = FIRST, CELL
    zeros = ZEROS[wheel]
    tall = 3 * high / len(zeros)
    for place, zero in enumerate(reversed(zeros)):
        yield f"straight/{zero}", left - wide, top + place * tall, wide, tall
    for n in NUMBERS:
        yield f"straight/{n}", left + (n - 1) // 3 * wide, top + (2 - (n - 1) % 3) * high, wide, high


def _outside() -> Iterator[tuple[str, float, float, float, float]]:
    (left, top), (wide, high) = FIRST, CELL
    below = top + 3 * high
    for row in range(3):
        yield f"column/{3 - row}", left + 12 * wide, top + row * high, wide, high
    for place in range(3):
        yield f"dozen/{place + 1}", left + 4 * place * wide, below, 4 * wide, _OUTSIDE + LINE
    for place, on in enumerate(_SIMPLE):
        yield on, left + 2 * place * wide, below + _OUTSIDE + LINE, 2 * wide, _OUTSIDE + LINE


EUROPEAN: Final = Mat("roulette", *SIZE, corner_tags(16, *SIZE), _zones("european"), _ART.get)
AMERICAN: Final = Mat("roulette-american", *SIZE, corner_tags(20, *SIZE), _zones("american"), _ART.get)
