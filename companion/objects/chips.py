"""Printed betting chips: each shows its seat and value, and an AprilTag that encodes both.

All chips of a seat and value have the same tag. Tag numbers (family 36h11) never change: chips are already in print.
"""

from dataclasses import dataclass
from typing import Final

CHIP_MM: Final = 27.0
CHIP_TAG_MM: Final = 12.0
VALUES: Final = (1, 5, 25, 100, 500)
SEATS: Final = range(1, 13)
_FIRST_TAG: Final = 300


@dataclass(frozen=True, slots=True, order=True)
class Chip:
    """A chip with its seat and value (coins).

    >>> Chip(3, 25).id, Chip(3, 25).tag, CHIP_OF_TAG[312]
    ('C3-25', 312, Chip(seat=3, value=25))
    """

    seat: int
    value: int

    @property
    def id(self) -> str:
        return f"C{self.seat}-{self.value}"

    @property
    def tag(self) -> int:
        return _FIRST_TAG + (self.seat - 1) * len(VALUES) + VALUES.index(self.value)


CHIPS: Final = {chip.id: chip for seat in SEATS for value in VALUES for chip in (Chip(seat, value),)}
"""All chips by id, by ascending seat."""
CHIP_OF_TAG: Final = {chip.tag: chip for chip in CHIPS.values()}
