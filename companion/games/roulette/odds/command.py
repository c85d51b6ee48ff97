"""``companion odds`` for roulette."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from companion.games.roulette.layout import layout
from companion.games.roulette.odds.exact import exact
from companion.games.roulette.rules import Rules, parse_rules
from companion.games.roulette.wheel import POCKETS
from companion.kernel.errors import BadScript
from companion.kernel.messages import message
from companion.kernel.shared.banked import LIMITS
from companion.odds.asked import limit_options, parse_options
from companion.odds.bet_odds import BetOdds
from companion.odds.table import cells

if TYPE_CHECKING:
    import numpy as np

CHOICES: Final = ("wheel", "zero_rule")
WINS_WITH: Final = {
    "straight": message("the number"),
    "split": message("two that touch"),
    "street": message("a row of three"),
    "corner": message("four that meet"),
    "line": message("two rows, six numbers"),
    "dozen": message("twelve in a run"),
    "column": message("twelve in a column"),
    "red": message("18 red numbers"),
    "black": message("18 black numbers"),
    "odd": message("18 odd numbers"),
    "even": message("18 even numbers"),
    "low": message("1 to 18"),
    "high": message("19 to 36"),
}


@dataclass(frozen=True, slots=True)
class RouletteAsked:
    """An odds query: wheel and zero rule."""

    rules: Rules

    @property
    def played(self) -> str:
        return "spins"

    def odds(self) -> tuple[BetOdds, ...]:
        return exact(self.rules.wheel, self.rules.zero_rule)

    def lines(self) -> Iterable[tuple[str, ...]]:
        """Return one line per kind of bet, since bets of a kind have equal odds."""
        for kind, bets in groupby(self.odds(), lambda bet: bet.on.partition("/")[0]):
            first, *more = bets
            label = f"{first.on}…{more[-1].on.partition('/')[2]}" if more else first.on
            yield cells(first, label, WINS_WITH[kind])

    def simulate(self, rounds: int, random: np.random.Generator, progress: Callable[[int], object]) -> dict[str, int]:
        pockets = POCKETS[self.rules.wheel]
        came = dict(zip(pockets, random.multinomial(rounds, [1 / len(pockets)] * len(pockets)).tolist(), strict=True))
        progress(rounds)
        return {spot.on: sum(came[pocket] for pocket in spot.pockets) for spot in layout(self.rules.wheel).values()}


def ask(seen: str, pairs: Iterable[str]) -> RouletteAsked:
    """Parse a query about roulette.

    Raises:
        BadScript: an unknown option or an invalid value.
    """
    if seen:
        raise BadScript("A wheel remembers nothing: leave --seen out.")
    given = parse_options("roulette", pairs, (*CHOICES, *LIMITS), "wheel=american")
    chosen = {key: given[key] for key in CHOICES if key in given}
    return RouletteAsked(parse_rules(chosen | limit_options(given)))
