"""Luck: what bets brought against what they could be expected to bring, with the error that pure chance makes.

The error is worked out from the exact odds, not from the results: it is as wide on the first evening as it has to be,
and a player who has never hit a bet at 35:1 does not look unlucky. With nothing but luck about 19 of 20 players end
within two standard deviations; in a few rounds of bets at long odds more do, as nearly all of them lose a little.
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
"""The error shown, in standard deviations."""
FEW_ROUNDS: Final = 30
"""With fewer, nobody should read anything into it."""


@dataclass(frozen=True, slots=True)
class Luck:
    """What some bets came to, seen from whoever made them.

    Attributes:
        bets: with known odds; so are all other figures but ``unknown``.
        expected: what they bring on average.
        variance: of what they bring.
        unknown: bets without exact odds, and ``unknown_net`` what those brought.
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
        """The coins that came beyond those expected, or fewer of them below zero."""
        return float(self.net - self.expected)

    @property
    def error(self) -> float:
        """So far off luck alone leads, to either side, 19 times of 20."""
        return DEVIATIONS * sqrt(self.variance)

    @property
    def is_unusual(self) -> bool:
        """Whether it is more than luck usually does."""
        return abs(self.luck) > self.error

    @property
    def is_little(self) -> bool:
        """Whether there are too few rounds to say anything."""
        return self.rounds < FEW_ROUNDS

    def __neg__(self) -> Luck:
        """Return the same from the other side: what the house had of it."""
        return Luck(
            self.rounds, self.bets, self.staked, -self.net, -self.expected, self.variance,
            self.unknown, -self.unknown_net,
        )  # fmt: skip

    def __add__(self, other: Luck) -> Luck:
        """Return both together; their rounds are different ones, so they are independent."""
        return Luck(
            self.rounds + other.rounds, self.bets + other.bets, self.staked + other.staked, self.net + other.net,
            self.expected + other.expected, self.variance + other.variance,
            self.unknown + other.unknown, self.unknown_net + other.unknown_net,
        )  # fmt: skip


def luck_in(bets: Iterable[Bet], variance: float) -> Luck:
    """Return what bets of one round came to.

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
    """Return what a player's bets came to. Names that nobody can tell apart are the same."""
    total, key = Luck(), alike(player)
    for one in rounds:
        mine = [bet for bet in one.bets if alike(bet.player) == key]
        if mine:
            total += luck_in(mine, sum(spread for name, spread in one.by_player.items() if alike(name) == key))
    return total


def by_spot(rounds: Iterable[PlayedRound]) -> Mapping[str, Luck]:
    """Return what the house had of each spot, those first that were bet on first."""
    found: dict[str, Luck] = {}
    for one in rounds:
        spots: dict[str, list[Bet]] = {}
        for bet in one.bets:
            spots.setdefault(bet.on, []).append(bet)
        for on, bets in spots.items():
            found[on] = found.get(on, Luck()) + -luck_in(bets, one.by_spot[on])
    return found


def of_house(rounds: Iterable[PlayedRound]) -> Luck:
    """Return what the house had of all bets, which were made against it."""
    total = Luck()
    for one in rounds:
        total += -luck_in(one.bets, one.of_all)
    return total
