"""Luck: the difference between bets' actual and expected results, with its standard deviation under pure chance.

The standard deviation is computed from the exact odds, not from the results, so it is correct from the first evening
on, and a player who has never hit a bet at 35:1 does not look unlucky. By chance about 19 of 20 players are within two
standard deviations; with few rounds at long odds more are, since nearly all of them lose a little.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Final

from companion.kernel.shared.names import alike
from companion.statistics.bets import Bet, PlayedRound

DEVIATIONS: Final = 2
"""Half-width of the displayed interval, in standard deviations."""
FEW_ROUNDS: Final = 30
"""Number of rounds below which the result is not meaningful."""


@dataclass(frozen=True, slots=True)
class Luck:
    """Results of some bets from the bettor's point of view.

    Attributes:
        bets: number of bets with known odds, to which all other figures but ``unknown…`` refer.
        expected: expected net gain.
        variance: variance of the net gain.
        unknown, unknown_net: number of bets without exact odds, and their net gain.
    """

    rounds: int = 0
    bets: int = 0
    staked: int = 0
    net: int = 0
    expected: Fraction = Fraction(0)
    variance: float = 0.0
    unknown: int = 0
    unknown_net: int = 0

    @property
    def luck(self) -> float:
        """Net gain minus expected net gain."""
        return float(self.net - self.expected)

    @property
    def error(self) -> float:
        """Half-width of the 95 % interval under pure chance."""
        return DEVIATIONS * sqrt(self.variance)

    @property
    def is_unusual(self) -> bool:
        """Whether the luck is outside the 95 % interval."""
        return abs(self.luck) > self.error

    @property
    def is_little(self) -> bool:
        """Whether there are too few rounds for a meaningful result."""
        return self.rounds < FEW_ROUNDS

    def __neg__(self) -> Luck:
        """Return the result from the house's point of view."""
        return Luck(
            self.rounds, self.bets, self.staked, -self.net, -self.expected, self.variance,
            self.unknown, -self.unknown_net,
        )  # fmt: skip

    def __add__(self, other: Luck) -> Luck:
        """Return the sum of results of different, so independent, rounds."""
        return Luck(
            self.rounds + other.rounds, self.bets + other.bets, self.staked + other.staked, self.net + other.net,
            self.expected + other.expected, self.variance + other.variance,
            self.unknown + other.unknown, self.unknown_net + other.unknown_net,
        )  # fmt: skip


def luck_in(bets: Iterable[Bet], variance: float) -> Luck:
    """Return the result of bets in one round.

    >>> luck_in([Bet("Ann", "a", 4, -4, Fraction(-1), 5.0), Bet("Ann", "b", 2, 6)], 25.0)
    ... # doctest: +NORMALIZE_WHITESPACE
    Luck(rounds=1, bets=1, staked=4, net=-4, expected=Fraction(-1, 1), variance=25.0, unknown=1, unknown_net=6)
    """
    known: list[Bet] = []
    unknown: list[Bet] = []
    for bet in bets:
        (unknown if bet.mean is None else known).append(bet)
    return Luck(
        rounds=int(bool(known)),
        bets=len(known),
        staked=sum(bet.amount for bet in known),
        net=sum(bet.net for bet in known),
        expected=sum((bet.mean for bet in known if bet.mean is not None), Fraction(0)),
        variance=variance,
        unknown=len(unknown),
        unknown_net=sum(bet.net for bet in unknown),
    )


def of_player(rounds: Iterable[PlayedRound], player: str) -> Luck:
    """Return the result of a player's bets. Names that look alike are the same player."""
    total, key = Luck(), alike(player)
    for one in rounds:
        mine = [bet for bet in one.bets if alike(bet.player) == key]
        if mine:
            total += luck_in(mine, sum(spread for name, spread in one.by_player.items() if alike(name) == key))
    return total


def by_spot(rounds: Iterable[PlayedRound]) -> Mapping[str, Luck]:
    """Return spot -> the house's result, in order of the first bets."""
    found: dict[str, Luck] = {}
    for one in rounds:
        spots: dict[str, list[Bet]] = {}
        for bet in one.bets:
            spots.setdefault(bet.on, []).append(bet)
        for on, bets in spots.items():
            found[on] = found.get(on, Luck()) + -luck_in(bets, one.by_spot[on])
    return found


def of_house(rounds: Iterable[PlayedRound]) -> Luck:
    """Return the house's result of all bets."""
    total = Luck()
    for one in rounds:
        total += -luck_in(one.bets, one.of_all)
    return total
