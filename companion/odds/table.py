"""Formats odds as table cells, the same for every game."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from companion.odds.bet_odds import AnyBet

HEADINGS: Final = ("bet", "wins if", "chance", "fair", "pays", "edge")


def cells(bet: AnyBet, label: str, wins_if: str) -> tuple[str, ...]:
    """Return the texts for the columns of `HEADINGS`."""
    fair = "—" if bet.fair is None else f"{figures(bet.fair)}:1"
    return label, wins_if, percent(bet.probability, 4), fair, str(bet.pays), two_decimals(bet.edge)


def markdown_table(lines: Iterable[tuple[str, ...]]) -> str:
    """Return a Markdown table with these lines under `HEADINGS`, ending with a newline."""
    whole = [HEADINGS, ("---", "---", "---:", "---:", "---:", "---:"), *lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in whole)


def percent(value: Fraction | float, digits: int) -> str:
    """Return a share in per cent with this many significant digits, without exponents.

    >>> percent(0.33, 4), percent(0.00000123, 3), percent(1, 4), percent(0, 4)
    ('33.00 %', '0.000123 %', '100.0 %', '0 %')
    """
    share = 100 * float(value)
    if not share:
        return "0 %"
    decimals = digits - 1 - int(f"{share:.{digits - 1}e}".partition("e")[2])
    return f"{share:.{max(decimals, 0)}f} %"


def two_decimals(edge: Fraction) -> str:
    """Return an edge in per cent with two decimals."""
    return f"{100 * float(edge):,.2f} %"


def figures(fair: Fraction) -> str:
    """Return a price with four significant digits."""
    value = float(fair)
    return f"{value:,.0f}" if value >= 999.95 else f"{value:#.4g}"
