"""Odds of chinchirorin at a table, and for `companion odds`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING, Final

from companion.games.chinchirorin.commands import PIPS
from companion.games.chinchirorin.events import RoundDecided
from companion.games.chinchirorin.odds.chances import BANKER, BETTORS, SideOdds, sides
from companion.games.chinchirorin.state import Phase, State, started
from companion.games.chinchirorin.throws import TRIES
from companion.kernel.errors import BadScript
from companion.kernel.events import Decided
from companion.kernel.messages import message
from companion.odds.asked import Asked, parse_options, share_in, whole_number_in
from companion.odds.endings import Endings, Played, Staked, as_endings
from companion.odds.table import cells

if TYPE_CHECKING:
    import numpy as np

OPTIONS: Final = ("stakes", "banker", "score", "out")
MEANINGS: Final = {
    BETTORS: message("a storm goes against the banker, or the player's score is higher"),
    BANKER: message("a storm goes against the bettors, or the banker's score is higher"),
}


def bets_now(state: State) -> tuple[SideOdds, ...]:
    """Return the current odds of both sides; empty once the game is over."""
    if state.phase is Phase.OVER:
        return ()
    left = TRIES - len(state.throws)
    if state.phase is Phase.PLAYER:
        return sides(player_tries=left, score=state.banker_score)
    return sides(banker_tries=left)


class Sides:
    """Expected results of a round for bettors and banker, ignoring that a short banker pays less."""

    def has_begun(self, state: State) -> bool:
        return state.phase is Phase.BANKER and not state.throws and bool(state.stakes)

    def bets(self, state: State, decided: Decided) -> Iterable[Played]:
        """Yield each bet against the banker, and the bank with the opposite result."""
        assert isinstance(decided, RoundDecided)
        bettors, _ = sides()
        squares = sum((way.probability * way.times**2 for way in bettors.ways), Fraction(0))
        spread = sqrt(squares - bettors.edge**2)
        nets: Counter[str] = Counter()
        for paid in decided.payments:
            nets[paid.payee] += paid.coins
            nets[paid.payer] -= paid.coins
        for stake in state.stakes:
            mean = -bettors.edge * stake.amount
            yield Played(stake.player, BETTORS, stake.amount, nets[stake.player], mean, spread * stake.amount)
        whole = sum(stake.amount for stake in state.stakes)
        yield Played(decided.banker, BANKER, whole, nets[decided.banker], bettors.edge * whole, spread * whole)


def together(state: State, bets: Staked) -> Endings:
    """Return the joint results of bets in a round, all decided by the same throws, the bank inversely."""
    bettors, _ = sides()
    coins = sum(amount if on == BETTORS else -amount for on, amount in bets)
    found: dict[int, Fraction] = {}
    for way in bettors.ways:
        found[way.times * coins] = found.get(way.times * coins, Fraction(0)) + way.probability
    return as_endings(found)


@dataclass(frozen=True, slots=True)
class ChinchirorinAsked:
    """An odds query: a round from its start, or against the banker's score."""

    score: int | None
    out: Fraction
    played = "rounds thrown"

    def odds(self) -> tuple[SideOdds, ...]:
        return sides(score=self.score, out=self.out)

    def lines(self) -> Iterable[tuple[str, ...]]:
        return (cells(side, side.on, MEANINGS[side.on]) for side in self.odds())

    def simulate(self, rounds: int, random: np.random.Generator, progress: Callable[[int], object]) -> dict[str, int]:
        from companion.games.chinchirorin.odds.simulation import simulate

        return simulate(rounds, random, self.score, self.out, progress)


def ask(seen: str, pairs: Iterable[str]) -> Asked:
    """Parse a `companion odds chinchirorin` query.

    In addition to the header's options: ``score``, the banker's, 0 to 6; ``out``, the probability that a die leaves the
    bowl, such as 1/50.

    Raises:
        BadScript: an unknown option or an invalid value.
    """
    if seen:
        raise BadScript("Name the banker's score with --option score=3, and leave --seen out.")
    given = parse_options("chinchirorin", pairs, OPTIONS, "score=3")
    header = {key: given[key] for key in ("stakes", "banker") if key in given}
    started((), {key: whole_number_in(text) for key, text in header.items()})
    return ChinchirorinAsked(_score(given.get("score")), _share(given.get("out", "0")))


def _score(text: str | None) -> int | None:
    if text is None:
        return None
    if text not in map(str, (0, *PIPS)):
        raise BadScript(f"score is {text!r}. Say the banker's score, 0 to 6.")
    return int(text)


def _share(text: str) -> Fraction:
    share = share_in(text)
    if share is None or share >= 1:
        raise BadScript(f"out is {text!r}. Say the share of throws that leave the bowl, like 1/50.")
    return share
