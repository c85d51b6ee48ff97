"""Breaks amounts down into chips, largest chips first."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from typing_extensions import TypedDict

MAX_CHIPS: Final = 40
"""Maximum number of chips shown side by side; for more, only the amount is shown."""


class PileJson(TypedDict):
    """A pile of chips of one value."""

    value: int
    count: int


def piles(coins: int, chips: Sequence[int], smallest: int = 1) -> tuple[PileJson, ...]:
    """Return an amount as chips, one pile for each value, taking the largest chips first.

    Args:
        chips: the chip values, 1 among them.
        smallest: the smallest chip in play. Smaller chips are used only for the remainder below it, such as the last
            coins of a player who has bought in for an odd amount.

    >>> piles(44, (1, 5, 10))
    ({'value': 10, 'count': 4}, {'value': 1, 'count': 4})
    >>> piles(75, (1, 5, 10), smallest=25), piles(52, (1, 5, 10), smallest=10)
    (({'value': 25, 'count': 3},), ({'value': 10, 'count': 5}, {'value': 1, 'count': 2}))
    """
    rest = coins % smallest
    played = {smallest, *(value for value in chips if value % smallest == 0)}
    return (*_biggest_first(coins - rest, played), *_biggest_first(rest, chips))


def _biggest_first(coins: int, chips: Iterable[int]) -> Iterator[PileJson]:
    left = coins
    for value in sorted(chips, reverse=True):
        if left >= value:
            yield {"value": value, "count": left // value}
            left %= value


def broken_down(coins: int, chips: Sequence[int], smallest: int = 1) -> tuple[int, ...]:
    """Return the chips that make up an amount, largest first; empty if there are more than `MAX_CHIPS`.

    Args:
        chips: the chip values, 1 among them.
        smallest: the smallest chip in play; see `piles`.

    >>> broken_down(7, (1, 5, 10)), broken_down(0, (1, 5, 10)), broken_down(10**6, (1, 5, 10))
    ((5, 1, 1), (), ())
    """
    counted = piles(coins, chips, smallest)
    if sum(pile["count"] for pile in counted) > MAX_CHIPS:
        return ()
    return tuple(pile["value"] for pile in counted for _ in range(pile["count"]))


def chip_words(counted: Sequence[int]) -> str:
    """Return chips in the notation of dealers.

    >>> chip_words((5, 1, 1)), chip_words(())
    ('5+1+1', '')
    """
    return "+".join(map(str, counted))
