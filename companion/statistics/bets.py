"""Decided bets with their expected results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from companion.odds.endings import Gamble, mean, variance


@dataclass(frozen=True, slots=True)
class Lot:
    """Coins staked at once on a spot, and the game's state at that time."""

    amount: int
    state: Any
    round: int = 0
    "Number of rounds decided before."


@dataclass(frozen=True, slots=True)
class Bet:
    """A decided bet of one player on one spot.

    Attributes:
        net: net gain, including a lost stake.
        mean: expected net gain at the odds at which it was made; None without exact odds.
        deviation: standard deviation of the net gain.
    """

    player: str
    on: str
    amount: int
    net: int
    mean: Fraction | None = None
    deviation: float = 0.0


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """The bets settled by one decision.

    Bets of a round are correlated, hence the variances of a player's total, a spot's total, and the house's total. Bets
    without exact odds are excluded.
    """

    seq: int
    at: str
    bets: tuple[Bet, ...]
    by_player: Mapping[str, float]
    by_spot: Mapping[str, float]
    of_all: float


def expectation(lots: Sequence[tuple[int, Gamble]]) -> tuple[Fraction, float]:
    """Return mean and standard deviation of a bet staked in lots, each with its own odds.

    A price such as 7:2 pays for every full 2 coins of the whole bet, so a lot adds the difference of the bet's value
    with and without it. Lots are decided together, so their deviations add up at most.

    >>> from companion.kernel.price import Price
    >>> from companion.odds.bet_odds import BetOdds
    >>> bet = BetOdds("a", Fraction(1, 4), Price(6, 2))
    >>> expectation([(1, bet), (1, bet)])
    (Fraction(0, 1), 3.4641016151377544)
    """
    whole = sum(amount for amount, _ in lots)
    middle, deviation, before = Fraction(0), 0.0, 0
    for amount, gamble in lots:
        middle += mean(gamble.endings(before + amount)) - (mean(gamble.endings(before)) if before else 0)
        deviation += sqrt(variance(gamble.endings(whole))) * amount / whole
        before += amount
    return middle, deviation
