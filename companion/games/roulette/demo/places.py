"""Positions on the mat for chips, so that each touches exactly the spots of its bet."""

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from math import dist
from typing import Final

from companion.games.roulette.mats.spots import MATS, UNSURE, spot_at
from companion.games.roulette.mats.zones import CELL, FIRST
from companion.games.roulette.wheel import Wheel
from companion.objects.chips import CHIP_MM

Point = tuple[float, float]
_STEP_MM: Final = 4
_ASIDE: Final = (0.0, -14.5, 14.5, -29.0, 29.0)
_APART_MM: Final = CHIP_MM + 1.0
_SURE_MM: Final = 2.0
_BETWEEN_MM: Final = 9.7
"""Distance from a line at which it is ambiguous whether a chip touches it."""


@cache
def middles(wheel: Wheel) -> dict[str, Point]:
    """Return the centre of each bet's area on the mat, mm."""
    found = defaultdict[str, list[Point]](list)
    (left, top), (wide, high) = FIRST, CELL
    for x in range(round(left - wide), round(left + 12 * wide), _STEP_MM):
        for y in range(round(top), round(top + 3 * high) + 2 * _STEP_MM, _STEP_MM):
            on = spot_at(x, y, wheel)
            if on is not None and on != UNSURE:
                found[on].append((x, y))
    spaces = {zone.removeprefix("bet/"): box for zone, box in MATS[wheel].zones.items()}
    outside = {on: (box.x + box.width / 2, box.y + box.height / 2) for on, box in spaces.items() if on not in found}
    return outside | {on: _middle(points) for on, points in found.items()}


def _middle(points: Sequence[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def place_of(on: str, wheel: Wheel, taken: Sequence[Point]) -> Point | None:
    """Return a free position on the mat for a chip on a bet (mm), or None.

    >>> place_of("straight/14", "european", ()), place_of("corner/14", "european", [(334, 132)])
    ((312.0, 164.0), None)
    """
    x, y = middles(wheel)[on]
    for dx, dy in sorted(((a, b) for a in _ASIDE for b in _ASIDE), key=lambda off: dist(off, (0, 0))):
        at = x + dx, y + dy
        if _is_surely(on, at, wheel) and all(dist(at, other) >= _APART_MM for other in taken):
            return at
    return None


def between(on: str, wheel: Wheel) -> Point:
    """Return a position beside a number's right edge where it is ambiguous whether the chip is on the line."""
    x, y = middles(wheel)[on]
    while spot_at(x, y, wheel) == on:
        x += 1
    return x + _BETWEEN_MM - 8.0, y


def _is_surely(on: str, at: Point, wheel: Wheel) -> bool:
    around = ((0.0, 0.0), (_SURE_MM, 0.0), (-_SURE_MM, 0.0), (0.0, _SURE_MM), (0.0, -_SURE_MM))
    return all(spot_at(at[0] + dx, at[1] + dy, wheel) == on for dx, dy in around)
