"""What a guess and a space are worth if nobody favours a space: every way to bet counted, exactly.

People choose, and choices have no odds. What is reckoned here is a round in which the king's rule favours no space and
the others bet on all seven spaces evenly, or on the king space as often as one says. Nobody's secrets are looked at.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Final

from companion.games.king.spaces import KING, RIGGED, SPACES
from companion.games.king.state import FEWEST, State, range_points, ranges
from companion.odds.bet_odds import BetOddsJson, odds_json

EVENLY: Final = Fraction(1, len(SPACES))
"""The share of bets on the king space if all seven are bet on evenly."""
EARNING: Final = Fraction(3, len(RIGGED))
"""Of the spaces that a rule can name, so many earn points."""


@dataclass(frozen=True, slots=True)
class PointOdds:
    """A way to get points, or the crown: ``range/2-3`` (a guess), ``space/1`` and ``space/2`` (a space earns so much).

    ``king``: the king space, for one who is alone on it.
    """

    on: str
    probability: Fraction
    points: int

    @property
    def average(self) -> Fraction:
        """The points that it brings on average."""
        return self.probability * self.points

    @property
    def fair(self) -> None:
        """No coins are bet, so there is no price."""

    @property
    def pays(self) -> str:
        return str(self.points)

    @property
    def edge(self) -> Fraction:
        """Nobody's: no coins are bet."""
        return Fraction(0)

    def as_json(self) -> BetOddsJson:
        """Return it as `companion odds --json` prints it; it pays points."""
        return odds_json(self, self.pays)


def earners(others: int, king: Fraction = EVENLY) -> tuple[Fraction, ...]:
    """Return how likely it is that 0, 1, … of the others earn points.

    Args:
        others: how many they are.
        king: the share of bets on the king space.

    >>> earners(1), sum(earners(6))
    ((Fraction(4, 7), Fraction(3, 7)), Fraction(1, 1))
    """
    p = (1 - king) * EARNING
    return tuple(comb(others, k) * p**k * (1 - p) ** (others - k) for k in range(others + 1))


def chances(players: int, king: Fraction = EVENLY) -> tuple[PointOdds, ...]:
    """Return what guesses and spaces are worth at a table of so many players, the king one of them."""
    return (*_guesses(players, king), *_spaces(players, king))


def _guesses(players: int, king: Fraction) -> Iterator[PointOdds]:
    counts = earners(players - 1, king)
    for guess in ranges(players):
        low, _, high = guess.partition("-")
        share = sum(counts[int(low) : int(high or low) + 1], Fraction(0))
        yield PointOdds(f"range/{guess}", share, range_points(guess, players))


def _spaces(players: int, king: Fraction) -> Iterator[PointOdds]:
    yield PointOdds("space/1", Fraction(2, len(RIGGED)), 1)
    yield PointOdds("space/2", Fraction(1, len(RIGGED)), 2)
    yield PointOdds(KING, (1 - king) ** (players - 2), 0)


def bets_now(state: State) -> tuple[PointOdds, ...]:
    """Return the odds at a table; they depend on nothing but how many sit there."""
    return chances(len(state.players)) if len(state.players) >= FEWEST else ()
