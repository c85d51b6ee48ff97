"""Exact odds of both sides of a chinchirorin round, by enumerating all throws of up to three tries."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Final

from companion.games.chinchirorin.commands import PIPS
from companion.games.chinchirorin.throws import BANKERS, OUT, PLAYERS, TRIES, Kind, Reading, reading
from companion.odds.bet_odds import BetOddsJson, PriceWhen, odds_json

Chances = Mapping[Reading, Fraction]
BETTORS: Final = "bettors"
BANKER: Final = "banker"
WASH: Final = "wash"
ONE: Final = Fraction(1)


@dataclass(frozen=True, slots=True)
class Way:
    """An outcome of a round: probability, and the bettors' gain per coin bet.

    ``when`` names the deciding throw, ``banker/ones``, or ``score`` for compared scores.
    """

    when: str
    probability: Fraction
    times: int


@dataclass(frozen=True, slots=True)
class SideOdds:
    """Odds of one side of a round, per coin bet against the bank."""

    on: str
    ways: tuple[Way, ...]
    "From this side's perspective: positive multiples are collected, negative ones paid."

    @property
    def probability(self) -> Fraction:
        """Probability of collecting."""
        return sum((way.probability for way in self.ways if way.times > 0), Fraction(0))

    @property
    def edge(self) -> Fraction:
        """Expected payment to the other side per coin bet; negative if this side has the edge."""
        return -sum((way.probability * way.times for way in self.ways), Fraction(0))

    @property
    def fair(self) -> Fraction | None:
        """The fair price, x to 1, with losses unchanged; None if this side cannot collect."""
        paid = sum((-way.probability * way.times for way in self.ways if way.times < 0), Fraction(0))
        return paid / self.probability if self.probability else None

    @property
    def pays(self) -> str:
        """Possible payouts to this side: "1:1/2:1/3:1"."""
        return "/".join(f"{times}:1" for times in sorted({way.times for way in self.ways if way.times > 0})) or "0:1"

    def as_json(self) -> BetOddsJson:
        """Return the `companion odds --json` form."""
        won: list[PriceWhen] = [{"when": way.when, "pays": f"{way.times}:1"} for way in self.ways if way.times > 0]
        return odds_json(self, won or self.pays)


# ---- one thrower


@cache
def throw_chances(out: Fraction = Fraction(0)) -> Chances:
    """Return the distribution of a single throw.

    Args:
        out: probability that a die leaves the bowl.
    """
    counted = Counter(reading(dice) for dice in product(PIPS, repeat=3))
    inside = (1 - out) / sum(counted.values())
    return {**{read: count * inside for read, count in counted.items()}, reading(OUT): out}


@cache
def turn_chances(tries: int = TRIES, out: Fraction = Fraction(0)) -> Chances:
    """Return the distribution of a turn's result with ``tries`` throws left; none at all counts as a score of 0.

    >>> turn_chances()[Reading(Kind.ONES)]
    Fraction(7, 864)
    """
    if not tries:
        return {Reading(Kind.SCORE, 0): ONE}
    one, later = throw_chances(out), turn_chances(tries - 1, out)
    again = one[Reading(Kind.NOTHING)]
    reads = [read for read in {**one, **later} if read.kind is not Kind.NOTHING]
    return {read: one.get(read, Fraction(0)) + again * later.get(read, Fraction(0)) for read in reads}


# ---- a round


def sides(
    banker_tries: int = TRIES, player_tries: int = TRIES, score: int | None = None, out: Fraction = Fraction(0)
) -> tuple[SideOdds, SideOdds]:
    """Return the odds of the bettors' side and of the banker's.

    Args:
        banker_tries: the banker's throws left.
        player_tries: the player's throws left.
        score: the banker's score, once there is one.
        out: probability that a die leaves the bowl.
    """
    banker = {Reading(Kind.SCORE, score): ONE} if score is not None else turn_chances(banker_tries, out)
    found: dict[tuple[str, int], Fraction] = {}
    for read, chance in banker.items():
        for when, times, share in _after(read, player_tries, out):
            found[when, times] = found.get((when, times), Fraction(0)) + chance * share
    ways = tuple(Way(when, chance, times) for (when, times), chance in found.items() if chance)
    mirrored = tuple(Way(way.when, way.probability, -way.times) for way in ways)
    return SideOdds(BETTORS, ways), SideOdds(BANKER, mirrored)


def _after(banker: Reading, tries: int, out: Fraction) -> list[tuple[str, int, Fraction]]:
    """Return the outcomes after the banker's turn: (when, multiple for the bettors, probability)."""
    if banker.score is None:
        return [(f"{BANKER}/{banker.kind.value}", -BANKERS[banker.kind], ONE)]
    return [(*_met(banker.score, read), chance) for read, chance in turn_chances(tries, out).items()]


def _met(score: int, player: Reading) -> tuple[str, int]:
    if player.score is None:
        return f"player/{player.kind.value}", PLAYERS[player.kind]
    times = (player.score > score) - (player.score < score)
    return "score" if times else WASH, times
