"""Every way in which a bet can end, with its probability: what luck is measured against."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Ending:
    """One way in which a bet can end: its probability, and what it brings the player, the lost stake counted."""

    probability: Fraction
    net: int


@dataclass(frozen=True, slots=True)
class Played:
    """A decided bet of a game in which what it was worth is known for the whole round.

    Attributes:
        amount: its first stake.
        net: what it brought, with all that was staked later.
        mean: what such a bet brings on average.
        deviation: how far from that it usually ends: the standard deviation.
    """

    player: str
    on: str
    amount: int
    net: int
    mean: Fraction
    deviation: float


Endings = tuple[Ending, ...]
"""All the ways; their probabilities sum to 1."""

Staked = tuple[tuple[str, int], ...]
"""Bets that the same cards or the same throw decide: on what, and the coins there."""


@runtime_checkable
class Gamble(Protocol):
    """A bet all of whose endings are known."""

    @property
    def on(self) -> str: ...
    def endings(self, amount: int) -> Endings:
        """Return the ways in which a stake of so many coins can end."""
        ...


def won_or_lost(wins: Iterable[tuple[Fraction, int]], amount: int) -> Endings:
    """Return the endings of a bet that is otherwise lost.

    Args:
        wins: each way to win with what it brings beside the stake.

    >>> won_or_lost([(Fraction(1, 4), 6)], 2)
    (Ending(probability=Fraction(1, 4), net=6), Ending(probability=Fraction(3, 4), net=-2))
    """
    won = tuple(Ending(chance, coins) for chance, coins in wins)
    return (*won, Ending(1 - sum((one.probability for one in won), Fraction(0)), -amount))


def mean(endings: Sequence[Ending]) -> Fraction:
    """Return what a bet brings on average.

    >>> mean(won_or_lost([(Fraction(1, 4), 6)], 2))
    Fraction(0, 1)
    """
    return sum((one.probability * one.net for one in endings), Fraction(0))


def variance(endings: Sequence[Ending]) -> Fraction:
    """Return how far a bet's endings lie from their average: the mean square.

    >>> variance(won_or_lost([(Fraction(1, 4), 6)], 2))
    Fraction(12, 1)
    """
    middle = mean(endings)
    return sum((one.probability * (one.net - middle) ** 2 for one in endings), Fraction(0))


def as_endings(chances: Mapping[int, Fraction]) -> Endings:
    """Return endings from what they bring and how likely each is; what cannot happen is left out."""
    return tuple(Ending(chance, net) for net, chance in chances.items() if chance)
