"""Betting layout: spots, the numbers they cover, and their payouts (the seed's payout table).

A chip can touch one number, the edge between two, a row's end, or a crossing of lines; zeros take part in straight
bets and splits only (contract, rulings on roulette).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from companion.games.roulette.wheel import NUMBERS, POCKETS, RED, Wheel
from companion.kernel.price import Price

PRICES: Final[Mapping[str, Price]] = {
    "straight": Price(35),
    "split": Price(17),
    "street": Price(11),
    "corner": Price(8),
    "line": Price(5),
    "dozen": Price(2),
    "column": Price(2),
    **dict.fromkeys(("red", "black", "odd", "even", "low", "high"), Price(1)),
}

EVEN_MONEY: Final[Mapping[str, frozenset[str]]] = {
    "red": frozenset(str(n) for n in NUMBERS if n in RED),
    "black": frozenset(str(n) for n in NUMBERS if n not in RED),
    "odd": frozenset(str(n) for n in NUMBERS if n % 2),
    "even": frozenset(str(n) for n in NUMBERS if not n % 2),
    "low": frozenset(str(n) for n in NUMBERS if n <= 18),
    "high": frozenset(str(n) for n in NUMBERS if n > 18),
}

_ZERO_SPLITS: Final[Mapping[Wheel, tuple[str, ...]]] = {
    "european": ("0/1", "0/2", "0/3"),
    "american": ("0/00", "0/1", "0/2", "00/2", "00/3"),
}


@dataclass(frozen=True, slots=True)
class Spot:
    """One place to bet."""

    on: str
    pockets: frozenset[str]
    "Winning pockets."
    price: Price

    @property
    def is_even_money(self) -> bool:
        return self.on in EVEN_MONEY


@cache
def layout(wheel: Wheel) -> Mapping[str, Spot]:
    """Return name -> spot of a wheel's layout, inside bets first.

    >>> len(layout("european")), len(layout("american"))
    (154, 157)
    >>> sorted(layout("european")["corner/17"].pockets)
    ['17', '18', '20', '21']
    """
    found = (*_inside(wheel), *_outside())
    return {on: Spot(on, pockets, PRICES[on.partition("/")[0]]) for on, pockets in found}


def _inside(wheel: Wheel) -> Iterator[tuple[str, frozenset[str]]]:
    for pocket in POCKETS[wheel]:
        yield f"straight/{pocket}", frozenset({pocket})
    for pair in (*_ZERO_SPLITS[wheel], *_splits()):
        yield f"split/{pair}", frozenset(pair.split("/"))
    for n in range(1, 35, 3):
        yield f"street/{n}", _run(n, 3)
    for n in range(1, 33):
        if n % 3:
            yield f"corner/{n}", _run(n, 2) | _run(n + 3, 2)
    for n in range(1, 32, 3):
        yield f"line/{n}", _run(n, 6)


def _splits() -> Iterator[str]:
    """Yield the splits of neighbouring numbers, the lower first: in a row, or in adjacent rows."""
    for n in NUMBERS:
        if n % 3:
            yield f"{n}/{n + 1}"
        if n + 3 in NUMBERS:
            yield f"{n}/{n + 3}"


def _outside() -> Iterator[tuple[str, frozenset[str]]]:
    for dozen in (1, 2, 3):
        yield f"dozen/{dozen}", _run(12 * dozen - 11, 12)
    for column in (1, 2, 3):
        yield f"column/{column}", frozenset(str(n) for n in range(column, 37, 3))
    yield from EVEN_MONEY.items()


def _run(first: int, count: int) -> frozenset[str]:
    return frozenset(str(n) for n in range(first, first + count))
