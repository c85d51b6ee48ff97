"""Prices of Rugen: the House layout, the units of Street, the schedules of Capital.

From the Rugen chapter of the rules and the rulings on Rugen. A price X:N pays X coins for every N bet.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from companion.kernel.messages import message
from companion.kernel.price import Price
from companion.objects.cards import Half
from companion.objects.dice import NUMBERS

ONE_ROLL: Final = ("center", "day", "night")
CHAIN: Final = ("chain", "chain-day", "chain-night")
SPOTS: Final[tuple[str, ...]] = tuple(f"{kind}/{n}" for n in NUMBERS for kind in (*ONE_ROLL, *CHAIN))
"""All bets of the House layout, number by number."""

Prices = Mapping[int, Price]

CENTER_BETTER: Final[Prices] = {1: Price(9, 1), 2: Price(8, 2), 3: Price(7, 3), 4: Price(6, 4)}
CENTER_WORSE: Final[Prices] = {1: Price(8, 1), 2: Price(7, 2), 3: Price(6, 3), 4: Price(5, 4)}
ONE_FACE: Final[Prices] = {1: Price(18, 1), 2: Price(17, 2), 3: Price(16, 3), 4: Price(15, 4)}
CHAIN_BETTER: Final[Prices] = {1: Price(1), 2: Price(3), 3: Price(4), 4: Price(5)}
CHAIN_WORSE: Final[Prices] = {1: Price(1), 2: Price(2), 3: Price(3), 4: Price(4)}
CHAIN_HALF: Final[Prices] = {1: Price(3), 2: Price(12), 3: Price(35), 4: Price(90)}

STREET_UNIT: Final[Mapping[int, int]] = {1: 8, 2: 5, 3: 4, 4: 3}
"""Number -> cost of one unit in coins."""


def spot_parts(on: str) -> tuple[str, int]:
    """Return the kind and the number of a spot of the House layout.

    >>> spot_parts("chain-day/3")
    ('chain-day', 3)
    """
    kind, _, number = on.partition("/")
    return kind, int(number)


def spot_price(on: str, half: Half, better_half: Half) -> Price:
    """Return a House bet's price if the deciding throw is in this half.

    >>> str(spot_price("center/3", "night", better_half="day"))
    '6:3'
    """
    kind, number = spot_parts(on)
    if kind == "center":
        return (CENTER_BETTER if half == better_half else CENTER_WORSE)[number]
    if kind == "chain":
        return (CHAIN_BETTER if half == better_half else CHAIN_WORSE)[number]
    return (CHAIN_HALF if kind in CHAIN else ONE_FACE)[number]


def layout_price(on: str, better_half: Half) -> str:
    """Return the price in the layout's format: day and night if they differ.

    >>> layout_price("center/3", "day"), layout_price("chain/1", "day"), layout_price("day/3", "day")
    ('7:3 by day, 6:3 by night', '1:1', '16:3')
    """
    day, night = (spot_price(on, half, better_half) for half in ("day", "night"))
    return str(day) if day == night else message("{day} by day, {night} by night", day=str(day), night=str(night))


@dataclass(frozen=True, slots=True)
class Schedule:
    """Costs of a unit of Capital Rugen on the numbers 1 to 4: the bank's and the players'."""

    house: tuple[int, ...]
    player: tuple[int, ...]

    def house_price(self, number: int) -> int:
        """Return the bank's stake per unit on an untaken number, in coins."""
        return self.house[number - 1]

    def player_price(self, number: int) -> int:
        """Return a player's stake per unit on a number, in coins."""
        return self.player[number - 1]


LOW: Final = Schedule(house=(7, 4, 3, 2), player=(8, 5, 4, 3))
HIGH: Final = Schedule(house=(75, 45, 35, 25), player=(80, 50, 40, 30))
SCHEDULES: Final[Mapping[str, Schedule]] = {"low": LOW, "high": HIGH}
