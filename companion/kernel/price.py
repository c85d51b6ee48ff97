"""Payout odds of a bet, such as 7:2."""

import re
from dataclasses import dataclass
from typing import Final, Self

_PRICE: Final = re.compile(r"(?P<win>[0-9]{1,9}):(?P<per>[0-9]{1,9})")
_HIGHEST: Final = 999_999_999


@dataclass(frozen=True, slots=True)
class Price:
    """Pays ``win`` coins for every full ``per`` coins bet; the stake itself is returned as well.

    Prices are not reduced: 8:2 is not 4:1, because it pays nothing for an odd coin.

    >>> print(Price.parse("7:2"), Price.parse(15))
    7:2 15:1
    >>> [Price(7, 2).winnings(amount) for amount in (1, 2, 5)]
    [0, 7, 14]
    """

    win: int
    per: int = 1

    def __post_init__(self) -> None:
        if not (1 <= self.win <= _HIGHEST and 1 <= self.per <= _HIGHEST):
            raise ValueError(f"a price has numbers from 1 to {_HIGHEST}, not {self.win}:{self.per}")

    def __str__(self) -> str:
        return f"{self.win}:{self.per}"

    @classmethod
    def parse(cls, text: object) -> Self:
        """Return the price of ``"7:2"``, or of the whole number 15 for 15:1.

        Raises:
            ValueError: neither form; the message quotes the value.
        """
        if isinstance(text, int) and not isinstance(text, bool):
            return cls(text, 1)
        found = _PRICE.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            raise ValueError(f'{text!r} is not a price like "7:2" or 15')
        return cls(int(found["win"]), int(found["per"]))

    def winnings(self, amount: int) -> int:
        """Return the winnings of a bet of this many coins, without the returned stake."""
        return self.win * (amount // self.per)
