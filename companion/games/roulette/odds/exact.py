"""The exact odds of roulette: pockets counted, with what a zero leaves of even-money bets."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Final

from companion.games.roulette.layout import layout
from companion.games.roulette.odds.spins import on_a_spin
from companion.games.roulette.settlement import ZeroRule
from companion.games.roulette.wheel import POCKETS, ZEROS, Wheel
from companion.odds.bet_odds import BetOdds
from companion.odds.endings import Endings

_LEFT: Final[Mapping[ZeroRule, Fraction]] = {
    "en-prison": Fraction(1, 2),
    "surrender": Fraction(1, 2),
    "none": Fraction(0),
}
"""The share of an even-money bet that a zero leaves its player, on average.

In prison a bet comes free as often as it is lost, and a further zero begins the wait anew: so half. Surrender is that
of an even stake; of an odd one the player keeps the larger half.
"""


@dataclass(frozen=True, slots=True)
class ZeroOdds(BetOdds):
    """A bet of which a zero may leave something. ``fair`` is the price of winning at once, as anywhere.

    >>> from companion.kernel.price import Price
    >>> ZeroOdds("red", Fraction(18, 37), Price(1), Fraction(1, 74)).edge
    Fraction(1, 74)
    """

    left: Fraction
    "What a zero leaves of each coin, times its chance."
    wheel: Wheel = "european"
    rule: ZeroRule = "none"

    def endings(self, amount: int) -> Endings:
        """Return the ways in which a stake of so many coins can end; one in prison waits until it is free or lost."""
        return on_a_spin(self.wheel, self.rule, ((self.on, amount),))

    @property
    def edge(self) -> Fraction:
        return 1 - self.probability * (self.pays.win + 1) - self.left


@cache
def exact(wheel: Wheel, zero_rule: ZeroRule) -> tuple[BetOdds, ...]:
    """Return the odds of every bet of a layout."""
    pockets = len(POCKETS[wheel])
    left = Fraction(len(ZEROS[wheel]), pockets) * _LEFT[zero_rule]
    return tuple(
        ZeroOdds(
            spot.on,
            Fraction(len(spot.pockets), pockets),
            spot.price,
            left if spot.is_even_money else Fraction(0),
            wheel,
            zero_rule,
        )
        for spot in layout(wheel).values()
    )


def bets_now(state: Any) -> tuple[BetOdds, ...]:
    """Return the odds at a table: a wheel remembers nothing."""
    return exact(state.rules.wheel, state.rules.zero_rule)
