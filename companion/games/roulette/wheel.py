"""The two wheels: their pockets, in numerical and in wheel order."""

from collections.abc import Mapping
from typing import Final, Literal

Wheel = Literal["european", "american"]

NUMBERS: Final = range(1, 37)
RED: Final = frozenset((1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36))

ZEROS: Final[Mapping[Wheel, tuple[str, ...]]] = {"european": ("0",), "american": ("0", "00")}
POCKETS: Final[Mapping[Wheel, tuple[str, ...]]] = {
    wheel: (*zeros, *map(str, NUMBERS)) for wheel, zeros in ZEROS.items()
}

_EUROPEAN: Final = (
    "0 32 15 19 4 21 2 25 17 34 6 27 13 36 11 30 8 23 10 5 24 16 33 1 20 14 31 9 22 18 29 7 28 12 35 3 26"
)
_AMERICAN: Final = (
    "0 28 9 26 30 11 7 20 32 17 5 22 34 15 3 24 36 13 1 00 27 10 25 29 12 8 19 31 18 6 21 33 16 4 23 35 14 2"
)
RIMS: Final[Mapping[Wheel, tuple[str, ...]]] = {
    "european": tuple(_EUROPEAN.split()),
    "american": tuple(_AMERICAN.split()),
}
"""The pockets clockwise from the zero."""


def color_of(pocket: str) -> str:
    """Return a pocket's color.

    >>> color_of("17"), color_of("36"), color_of("00")
    ('black', 'red', 'green')
    """
    if pocket in ZEROS["american"]:
        return "green"
    return "red" if int(pocket) in RED else "black"
