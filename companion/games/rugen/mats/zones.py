"""Zones of the printed House Rugen mat, in millimetres (see `companion.objects.mat`).

Bet zones are named after their bets, as ``bet/chain-day/3``; ``chain/3`` holds a chain's markers, ``d20/17`` the number
of an ordinary d20.
"""

from typing import Final

from companion.objects.dice import D20_FACES, NUMBERS
from companion.objects.geometry import Box
from companion.objects.mat import Mat, corner_tags
from companion.on_demand import OnDemand

_ART: Final = OnDemand("companion.games.rugen.mats.art:draw_rugen")
_SIZE: Final = (760.0, 550.0)

_LEFT: Final = 62.0
_COLUMN: Final = 150.0
_GAP: Final = 12.0
_MARKERS: Final = (56.0, 44.0)  # y and height of each row
_CHAINS: Final = (106.0, 96.0)
_CENTER: Final = (236.0, 118.0)
_HALVES: Final = (360.0, 92.0)
_VALUES: Final = (456.0, 22.0)


def _column_x(number: int) -> float:
    """Return the left edge of a number's column."""
    return _LEFT + (_COLUMN + _GAP) * (number - 1)


def _zones() -> dict[str, Box]:
    """Return the zones of the House Rugen mat; from the dealer's side: markers, chain bets, center, day and night."""
    return {name: box for number in NUMBERS for name, box in _zones_of(number).items()}


def _zones_of(number: int) -> dict[str, Box]:
    x, half = _column_x(number), (_COLUMN - 2) / 2
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


MAT: Final = Mat("rugen-house", *_SIZE, corner_tags(12, *_SIZE), _zones(), _ART.get)
