"""Amounts as chips, the biggest chips first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from typing_extensions import TypedDict

MOST_CHIPS: Final = 40
"""Maximum number of chips side by side; above it only the amount is shown."""


class PileJson(TypedDict):
    """Chips of one value."""

    value: int
    count: int


@dataclass(frozen=True, slots=True)
class Pile:
    """Chips of one value."""

    value: int
    count: int

    @property
    def coins(self) -> int:
        """What they are worth together."""
        return self.value * self.count

    def to_json(self) -> PileJson:
        """Return the pile for a page."""
        return {"value": self.value, "count": self.count}


def piles(coins: int, chips: Sequence[int]) -> tuple[Pile, ...]:
    """Return the fewest chips that make up an amount when the biggest are taken first, a pile for each value.

    Args:
        chips: their values, with 1 among them.

    >>> piles(44, (1, 5, 10))
    (Pile(value=10, count=4), Pile(value=1, count=4))
    """
    found: list[Pile] = []
    left = coins
    for value in sorted(chips, reverse=True):
        if left >= value:
            found.append(Pile(value, left // value))
            left %= value
    return tuple(found)


def broken_down(coins: int, chips: Sequence[int]) -> tuple[int, ...]:
    """Return the chips that make up an amount, the biggest first; none for an amount of too many chips.

    Args:
        chips: their values, with 1 among them.

    >>> broken_down(7, (1, 5, 10)), broken_down(0, (1, 5, 10)), broken_down(10**6, (1, 5, 10))
    ((5, 1, 1), (), ())
    """
    counted = piles(coins, chips)
    if sum(pile.count for pile in counted) > MOST_CHIPS:
        return ()
    return tuple(pile.value for pile in counted for _ in range(pile.count))


def chip_words(counted: Sequence[int]) -> str:
    """Return chips as dealers say them.

    >>> chip_words((5, 1, 1)), chip_words(())
    ('5+1+1', '')
    """
    return "+".join(map(str, counted))
