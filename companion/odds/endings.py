"""All possible results of a bet with their probabilities, the baseline for measuring luck."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Ending:
    """A possible result of a bet: its probability, and the player's net gain including a lost stake."""

    probability: Fraction
    net: int


@dataclass(frozen=True, slots=True)
class Played:
    """A decided bet of a game whose odds are known for the whole round.

    Attributes:
        amount: the initial stake.
        net: net gain, including later stakes.
        mean: expected net gain.
        deviation: standard deviation of the net gain.
    """

    player: str
    on: str
    amount: int
    net: int
    mean: Fraction
    deviation: float


Endings = tuple[Ending, ...]
"""All possible results; their probabilities sum to 1."""

Staked = tuple[tuple[str, int], ...]
"""(Spot, coins) of bets decided by the same cards or throw."""


@runtime_checkable
class Gamble(Protocol):
    """A bet with known results."""

    @property
    def on(self) -> str: ...
    def endings(self, amount: int) -> Endings:
        """Return the possible results of a stake in coins."""
        ...


def won_or_lost(wins: Iterable[tuple[Fraction, int]], amount: int) -> Endings:
    """Return the results of a bet that is otherwise lost.

    Args:
        wins: (probability, winnings without the stake) of each way to win.

    >>> won_or_lost([(Fraction(1, 4), 6)], 2)
    (Ending(probability=Fraction(1, 4), net=6), Ending(probability=Fraction(3, 4), net=-2))
    """
    won = tuple(Ending(chance, coins) for chance, coins in wins)
    return (*won, Ending(1 - sum((one.probability for one in won), Fraction(0)), -amount))


def mean(endings: Sequence[Ending]) -> Fraction:
    """Return a bet's expected net gain.

    >>> mean(won_or_lost([(Fraction(1, 4), 6)], 2))
    Fraction(0, 1)
    """
    return sum((one.probability * one.net for one in endings), Fraction(0))


def variance(endings: Sequence[Ending]) -> Fraction:
    """Return the variance of a bet's net gain.

    >>> variance(won_or_lost([(Fraction(1, 4), 6)], 2))
    Fraction(12, 1)
    """
    middle = mean(endings)
    return sum((one.probability * (one.net - middle) ** 2 for one in endings), Fraction(0))


def as_endings(chances: Mapping[int, Fraction]) -> Endings:
    """Return the results for net gain -> probability, without impossible ones."""
    return tuple(Ending(chance, net) for net, chance in chances.items() if chance)
