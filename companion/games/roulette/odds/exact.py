"""Exact odds of roulette, by counting pockets, including the zero rule for even-money bets."""

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
"""Expected share of an even-money bet that the player keeps on a zero.

An imprisoned bet is released as often as it is lost, and a further zero restarts the wait: half. Surrender is for even
stakes; with odd ones the player keeps the larger half.
"""


@dataclass(frozen=True, slots=True)
class ZeroOdds(BetOdds):
    """A bet that may keep part of its stake on a zero. ``fair`` is the fair price of an immediate win, as usual.

    >>> from companion.kernel.price import Price
    >>> ZeroOdds("red", Fraction(18, 37), Price(1), Fraction(1, 74)).edge
    Fraction(1, 74)
    """

    left: Fraction
    "Share of the stake kept on a zero, times the probability of a zero."
    wheel: Wheel = "european"
    rule: ZeroRule = "none"

    def endings(self, amount: int) -> Endings:
        """Return the possible results of a stake in coins; an imprisoned bet is followed to its release or loss."""
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
    """Return the odds at a table, which are the same for every spin."""
    return exact(state.rules.wheel, state.rules.zero_rule)
