"""Exact odds of guesses and spaces, assuming that nobody favours a space.

Human choices have no odds. The model is a round in which the king's rule is uniformly random and the others bet
uniformly on all seven spaces, or on the king space with a given probability. Secrets are never used.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Final

from companion.games.king.spaces import KING, RIGGED, SPACES
from companion.games.king.state import MIN_PLAYERS, State, range_points, ranges
from companion.odds.bet_odds import BetOddsJson, odds_json

EVENLY: Final = Fraction(1, len(SPACES))
"""Share of bets on the king space under uniform betting."""
EARNING: Final = Fraction(3, len(RIGGED))
"""Share of the riggable spaces that earn points."""


@dataclass(frozen=True, slots=True)
class PointOdds:
    """Odds of winning points or the crown.

    ``on`` is ``range/2-3`` (a guess), ``space/1`` or ``space/2`` (a space earns that many points), or ``king`` (being
    alone on the king space).
    """

    on: str
    probability: Fraction
    points: int

    @property
    def average(self) -> Fraction:
        """Expected points."""
        return self.probability * self.points

    @property
    def fair(self) -> None:
        """No coins are bet, so there is no price."""

    @property
    def pays(self) -> str:
        return str(self.points)

    @property
    def edge(self) -> Fraction:
        """Always 0: no coins are bet."""
        return Fraction(0)

    def as_json(self) -> BetOddsJson:
        """Return the `companion odds --json` form; payouts are points."""
        return odds_json(self, self.pays)


def earners(others: int, king: Fraction = EVENLY) -> tuple[Fraction, ...]:
    """Return the probabilities that 0, 1, … of the others earn points.

    Args:
        others: number of players without the king.
        king: share of bets on the king space.

    >>> earners(1), sum(earners(6))
    ((Fraction(4, 7), Fraction(3, 7)), Fraction(1, 1))
    """
    p = (1 - king) * EARNING
    return tuple(comb(others, k) * p**k * (1 - p) ** (others - k) for k in range(others + 1))


def chances(players: int, king: Fraction = EVENLY) -> tuple[PointOdds, ...]:
    """Return the odds of all guesses and spaces for a number of players, including the king."""
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
    """Return the odds at a table, which depend only on the number of players."""
    return chances(len(state.players)) if len(state.players) >= MIN_PLAYERS else ()
