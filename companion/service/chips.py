"""Amounts as chips, the biggest chips first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MOST_CHIPS: Final = 40
"""Maximum number of chips; above it only the amount is shown."""


def broken_down(coins: int, chips: Sequence[int]) -> tuple[int, ...]:
    """Return the chips that make up an amount, the biggest first; none for an amount of too many chips.

    Args:
        chips: their values, with 1 among them.

    >>> broken_down(7, (1, 5, 10)), broken_down(0, (1, 5, 10)), broken_down(10**6, (1, 5, 10))
    ((5, 1, 1), (), ())
    """
    counted: list[tuple[int, int]] = []
    left = coins
    for value in sorted(chips, reverse=True):
        counted.append((value, left // value))
        left %= value
    if sum(count for _, count in counted) > MOST_CHIPS:
        return ()
    return tuple(value for value, count in counted for _ in range(count))


def chip_words(counted: Sequence[int]) -> str:
    """Return chips as dealers say them.

    >>> chip_words((5, 1, 1)), chip_words(())
    ('5+1+1', '')
    """
    return "+".join(map(str, counted))
