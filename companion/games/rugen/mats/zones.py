"""Zones of the printed House Rugen and roulette mats, in millimetres (see `companion.objects.mat`).

Zone names are the bets' own, as ``bet/chain-day/3`` or ``bet/straight/17``; ``chain/3`` holds the markers of a
chain, ``d20/17`` the number of an ordinary d20.
"""

from __future__ import annotations

from typing import Final

from companion.objects.dice import D20_FACES, NUMBERS
from companion.objects.geometry import Box

RUGEN_SIZE: Final = (760.0, 550.0)
ROULETTE_SIZE: Final = (760.0, 400.0)

_LEFT: Final = 62.0
_COLUMN: Final = 150.0
_GAP: Final = 12.0
_MARKERS: Final = (56.0, 44.0)  # y and height of each row
_CHAINS: Final = (106.0, 96.0)
_CENTER: Final = (236.0, 118.0)
_HALVES: Final = (360.0, 92.0)
_VALUES: Final = (456.0, 22.0)


def rugen_column_x(number: int) -> float:
    """Return the left edge of a number's column."""
    return _LEFT + (_COLUMN + _GAP) * (number - 1)


def rugen_zones() -> dict[str, Box]:
    """Return the zones of the House Rugen mat; from the dealer's side: markers, chain bets, center, day and night."""
    return {name: box for number in NUMBERS for name, box in _rugen_column(number).items()}


def _rugen_column(number: int) -> dict[str, Box]:
    x, half = rugen_column_x(number), (_COLUMN - 2) / 2
    side, middle = 44.0, _COLUMN - 2 * 46.0
    zones = {
        f"chain/{number}": Box(x, _MARKERS[0], _COLUMN, _MARKERS[1]),
        f"bet/chain-day/{number}": Box(x, _CHAINS[0], side, _CHAINS[1]),
        f"bet/chain/{number}": Box(x + side + 2, _CHAINS[0], middle, _CHAINS[1]),
        f"bet/chain-night/{number}": Box(x + _COLUMN - side, _CHAINS[0], side, _CHAINS[1]),
        f"bet/center/{number}": Box(x, _CENTER[0], _COLUMN, _CENTER[1]),
        f"bet/day/{number}": Box(x, _HALVES[0], half, _HALVES[1]),
        f"bet/night/{number}": Box(x + half + 2, _HALVES[0], half, _HALVES[1]),
    }
    for i, letter in enumerate("dn"):
        values = [value for value, face in enumerate(D20_FACES, start=1) if face == f"{number}{letter}"]
        wide = half / len(values)
        for place, value in enumerate(values):
            left = x + i * (half + 2) + place * wide
            zones[f"d20/{value}"] = Box(left, _VALUES[0], wide, _VALUES[1])
    return zones


RED: Final = frozenset({1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36})
_CELL: Final = (46.0, 62.0)
_TABLE: Final = (104.0, 70.0)


def roulette_zones() -> dict[str, Box]:
    """Return the zones of the roulette mat: zeros on the left, the numbers in three rows, the simple chances below.

    A European wheel leaves the 00 unused.
    """
    (wide, high), (left, top) = _CELL, _TABLE
    zones = {
        "bet/straight/00": Box(left - wide, top, wide - 2, 1.5 * high - 2),
        "bet/straight/0": Box(left - wide, top + 1.5 * high, wide - 2, 1.5 * high - 2),
    }
    for n in range(1, 37):
        column, row = (n - 1) // 3, 2 - (n - 1) % 3
        zones[f"bet/straight/{n}"] = Box(left + column * wide, top + row * high, wide - 2, high - 2)
    for row in range(3):
        zones[f"bet/column/{3 - row}"] = Box(left + 12 * wide, top + row * high, wide - 2, high - 2)
    for i in range(3):
        zones[f"bet/dozen/{i + 1}"] = Box(left + 4 * i * wide, top + 3 * high, 4 * wide - 2, 40)
    for i, name in enumerate(("low", "even", "red", "black", "odd", "high")):
        zones[f"bet/{name}"] = Box(left + 2 * i * wide, top + 3 * high + 42, 2 * wide - 2, 40)
    return zones
