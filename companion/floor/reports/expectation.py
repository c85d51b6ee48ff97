"""What the house had of decided bets, against what it could expect of them. Pure."""

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
    """What the house had of decided bets with known odds, and what it could expect of them.

    Attributes:
        won: what it won by them; on average it is `expected`, and `variance` says how far off it may be.
        unknown: bets without known odds, which the others leave out.
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
        """Return what the house had of a decided round."""
        luck = of_house((one,))
        return cls(luck.rounds, luck.bets, luck.staked, luck.net, luck.expected, luck.variance, luck.unknown)

    def __add__(self, other: Expected) -> Expected:
        """Return both together; their rounds are different ones, so they are independent."""
        return Expected(
            self.rounds + other.rounds, self.bets + other.bets, self.staked + other.staked, self.won + other.won,
            self.expected + other.expected, self.variance + other.variance, self.unknown + other.unknown,
        )  # fmt: skip

    def times(self, sign: int) -> Expected:
        """Return it, or what takes it back again."""
        return Expected(
            sign * self.rounds, sign * self.bets, sign * self.staked, sign * self.won, sign * self.expected,
            sign * self.variance, sign * self.unknown,
        )  # fmt: skip

    def to_text(self) -> str:
        """Return it as it is kept, exactly."""
        return json.dumps(
            [self.rounds, self.bets, self.staked, self.won, str(self.expected), self.variance, self.unknown]
        )

    @classmethod
    def of_text(cls, text: str) -> Expected:
        """Return what `to_text` wrote."""
        rounds, bets, staked, won, expected, variance, unknown = json.loads(text)
        return cls(rounds, bets, staked, won, Fraction(expected), variance, unknown)


NOTHING: Final = Expected()


def expected_json(one: Expected) -> dict[str, Any]:
    """Return it for pages and day closes: two standard deviations are the error that luck alone makes."""
    return {
        "rounds": one.rounds, "bets": one.bets, "staked": one.staked, "won": one.won,
        "expected": round(float(one.expected), 2), "error": round(DEVIATIONS * sqrt(max(one.variance, 0.0)), 2),
        "unknown": one.unknown,
    }  # fmt: skip


def together(told: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what `expected_json` gave of several tables as one: errors of independent bets add as squares.

    >>> one = {"rounds": 1, "bets": 2, "staked": 3, "won": 1, "expected": 0.5, "error": 3.0, "unknown": 0}
    >>> two = together([one, {**one, "error": 4.0}])
    >>> two["bets"], two["expected"], two["error"]
    (4, 1.0, 5.0)
    """
    every = list(told)
    sums = {name: sum(one[name] for one in every) for name in ("rounds", "bets", "staked", "won", "unknown")}
    average = round(sum(one["expected"] for one in every), 2)
    return {**sums, "expected": average, "error": round(sqrt(sum(one["error"] ** 2 for one in every)), 2)}
