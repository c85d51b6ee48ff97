"""Decided bets with what they could be expected to bring."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from companion.odds.endings import Gamble, mean, variance


@dataclass(frozen=True, slots=True)
class Lot:
    """Coins put on a spot at once, and the game's state then."""

    amount: int
    state: Any
    round: int = 0
    "How many rounds had been decided."


@dataclass(frozen=True, slots=True)
class Bet:
    """A decided bet of one player on one spot.

    Attributes:
        net: what it brought, the lost stake counted.
        mean: what it brings on average at the odds that it was made at; None where no exact odds are known.
        deviation: how far from that it usually ends: the standard deviation.
    """

    player: str
    on: str
    amount: int
    net: int
    mean: Fraction | None = None
    deviation: float = 0.0


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """The bets that one decision settled.

    Bets of a round hang together: the variances say how much all of a player's can differ from their average, all on a
    spot, and all against the house. Those without exact odds are left out of them.
    """

    seq: int
    at: str
    bets: tuple[Bet, ...]
    by_player: Mapping[str, float]
    by_spot: Mapping[str, float]
    of_all: float


def expectation(lots: Sequence[tuple[int, Gamble]]) -> tuple[Fraction, float]:
    """Return average and standard deviation of a bet whose coins were put down in lots, each at odds of its own.

    A price such as 7:2 pays for every full 2 coins of the whole bet, so a lot adds what the bet is worth with it, less
    what it was worth before. Lots at different odds are decided together: their deviations add up at most.

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
