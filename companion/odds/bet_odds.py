"""Odds of one bet: exact probability, payout and house edge."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from typing_extensions import TypedDict

from companion.kernel.price import Price
from companion.odds.endings import Endings, won_or_lost


class PriceWhen(TypedDict):
    """A price that a bet pays when it wins in one way."""

    when: str
    pays: str


class BetOddsJson(TypedDict):
    on: str
    probability: str
    float: float
    fair: str | None
    pays: str | list[PriceWhen]
    edge: float


"""One bet, as `companion odds --json` prints it."""


class OddsJson(TypedDict):
    on: str
    probability: str
    float: float
    pays: str
    edge: float


"""One bet, as the table's view shows it: its chance to win as "p/q" and as a number."""


class AnyBet(Protocol):
    """A bet with its exact probability to win, and any number of prices; `BetOdds` has one."""

    @property
    def on(self) -> str: ...
    @property
    def probability(self) -> Fraction: ...
    @property
    def fair(self) -> Fraction | None: ...
    @property
    def pays(self) -> object: ...
    @property
    def edge(self) -> Fraction: ...
    def as_json(self) -> BetOddsJson: ...


@dataclass(frozen=True, slots=True)
class BetOdds:
    """One bet of a layout, its exact probability of winning, and the price it pays.

    >>> odds = BetOdds("number/6", Fraction(1, 10), Price(8))
    >>> odds.fair, odds.edge
    (Fraction(9, 1), Fraction(1, 10))
    """

    on: str
    probability: Fraction
    pays: Price

    @property
    def fair(self) -> Fraction | None:
        """The fair price, x to 1; None for a bet that cannot win."""
        p, q = self.probability.numerator, self.probability.denominator
        return Fraction(q - p, p) if p else None

    @property
    def edge(self) -> Fraction:
        """House edge per coin bet; negative if the players have the edge.

        For a price such as 7:2 this is the edge of an even stake, since an odd coin earns nothing.
        """
        p, q, per = self.probability.numerator, self.probability.denominator, self.pays.per
        return Fraction(q * per - p * (self.pays.win + per), q * per)

    def endings(self, amount: int) -> Endings:
        """Return the possible results of a stake in coins."""
        return won_or_lost([(self.probability, self.pays.winnings(amount))], amount)

    def as_json(self) -> BetOddsJson:
        """Return the `companion odds --json` form."""
        return odds_json(self, str(self.pays))


def odds_json(bet: AnyBet, pays: str | list[PriceWhen]) -> BetOddsJson:
    """Return a bet's `companion odds --json` form, with its price, or its prices by condition."""
    return {
        "on": bet.on,
        "probability": fraction_text(bet.probability),
        "float": float(bet.probability),
        "fair": None if bet.fair is None else fraction_text(bet.fair),
        "pays": pays,
        "edge": float(bet.edge),
    }


def fraction_text(value: Fraction) -> str:
    """Return a fraction as "p/q", also for whole numbers.

    >>> fraction_text(Fraction(0)), fraction_text(Fraction(89, 10))
    ('0/1', '89/10')
    """
    return f"{value.numerator}/{value.denominator}"


def shown_odds(bet: AnyBet) -> OddsJson:
    """Return a bet in the form of the table's view."""
    return {
        "on": bet.on,
        "probability": fraction_text(bet.probability),
        "float": float(bet.probability),
        "pays": str(bet.pays),
        "edge": float(bet.edge),
    }
