"""House edge by family of bets, shown on the setup page beside every choice."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from typing_extensions import TypedDict

from companion.odds.bet_odds import AnyBet


class EdgeJson(TypedDict):
    """The least and the most that the house keeps of a coin, over the bets of one family."""

    family: str
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class EdgeRange:
    """Minimum and maximum house edge per coin, over the bets of one family (the part before a slash)."""

    family: str
    least: Fraction
    most: Fraction

    def to_json(self) -> EdgeJson:
        return {"family": self.family, "least": float(self.least), "most": float(self.most)}


def edge_ranges(odds: Iterable[AnyBet]) -> tuple[EdgeRange, ...]:
    """Return the edges of bets by family, in order of first appearance.

    >>> from companion.kernel.price import Price
    >>> from companion.odds.bet_odds import BetOdds
    >>> coin = [BetOdds(on, Fraction(1, 2), Price(win)) for on, win in (("side/heads", 1), ("side/tails", 2))]
    >>> edge_ranges(coin)
    (EdgeRange(family='side', least=Fraction(-1, 2), most=Fraction(0, 1)),)
    """
    families: dict[str, list[Fraction]] = {}
    for bet in odds:
        families.setdefault(bet.on.partition("/")[0], []).append(bet.edge)
    return tuple(EdgeRange(family, min(edges), max(edges)) for family, edges in families.items())
