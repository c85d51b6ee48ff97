"""Actual against expected (theoretical) house win of decided bets. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any, Final

from companion.statistics.bets import PlayedRound
from companion.statistics.luck import DEVIATIONS, of_house


@dataclass(frozen=True, slots=True)
class Expected:
    """Actual and expected house win of decided bets with known odds.

    Attributes:
        won: actual win; its mean is `expected`, its variance `variance`.
        unknown: number of bets without known odds, excluded from the other figures.
    """

    rounds: int = 0
    bets: int = 0
    staked: int = 0
    won: int = 0
    expected: Fraction = Fraction(0)
    variance: float = 0.0
    unknown: int = 0

    @classmethod
    def of(cls, one: PlayedRound) -> Expected:
        """Return the figures of a decided round."""
        luck = of_house((one,))
        return cls(luck.rounds, luck.bets, luck.staked, luck.net, luck.expected, luck.variance, luck.unknown)

    def __add__(self, other: Expected) -> Expected:
        """Return the sum; the two cover different, hence independent, rounds."""
        return Expected(
            self.rounds + other.rounds, self.bets + other.bets, self.staked + other.staked, self.won + other.won,
            self.expected + other.expected, self.variance + other.variance, self.unknown + other.unknown,
        )  # fmt: skip

    def times(self, sign: int) -> Expected:
        """Return the figures, negated for ``sign`` -1."""
        return Expected(
            sign * self.rounds, sign * self.bets, sign * self.staked, sign * self.won, sign * self.expected,
            sign * self.variance, sign * self.unknown,
        )  # fmt: skip

    def to_text(self) -> str:
        """Return the exact stored form."""
        return json.dumps(
            [self.rounds, self.bets, self.staked, self.won, str(self.expected), self.variance, self.unknown]
        )

    @classmethod
    def of_text(cls, text: str) -> Expected:
        """Parse the result of `to_text`."""
        rounds, bets, staked, won, expected, variance, unknown = json.loads(text)
        return cls(rounds, bets, staked, won, Fraction(expected), variance, unknown)


NOTHING: Final = Expected()


def expected_json(one: Expected) -> dict[str, Any]:
    """Return the figures for pages and day closes; ``error`` is two standard deviations."""
    return {
        "rounds": one.rounds, "bets": one.bets, "staked": one.staked, "won": one.won,
        "expected": round(float(one.expected), 2), "error": round(DEVIATIONS * sqrt(max(one.variance, 0.0)), 2),
        "unknown": one.unknown,
    }  # fmt: skip


def together(told: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Sum the `expected_json` of several tables; errors of independent bets add in quadrature.

    >>> one = {"rounds": 1, "bets": 2, "staked": 3, "won": 1, "expected": 0.5, "error": 3.0, "unknown": 0}
    >>> two = together([one, {**one, "error": 4.0}])
    >>> two["bets"], two["expected"], two["error"]
    (4, 1.0, 5.0)
    """
    every = list(told)
    sums = {name: sum(one[name] for one in every) for name in ("rounds", "bets", "staked", "won", "unknown")}
    average = round(sum(one["expected"] for one in every), 2)
    return {**sums, "expected": average, "error": round(sqrt(sum(one["error"] ** 2 for one in every)), 2)}
