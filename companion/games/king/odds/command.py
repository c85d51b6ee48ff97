"""``companion odds`` for King of Roulette."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from companion.games.king.odds.chances import EVENLY, PointOdds, chances
from companion.games.king.spaces import KING
from companion.games.king.state import BUY_IN, MAX_PLAYERS, MIN_PLAYERS, ROUNDS
from companion.kernel.errors import BadScript
from companion.kernel.messages import Message, message, plural
from companion.kernel.shared.options import whole_number
from companion.odds.asked import parse_options, share_in, whole_number_in
from companion.odds.table import percent

if TYPE_CHECKING:
    import numpy as np

USUAL: Final = 7
"""Default number of players, from the rules."""


@dataclass(frozen=True, slots=True)
class KingAsked:
    """An odds query: number of players, and share of bets on the king space."""

    players: int
    king: Fraction

    @property
    def played(self) -> str:
        return "rounds"

    def odds(self) -> tuple[PointOdds, ...]:
        return chances(self.players, self.king)

    def lines(self) -> Iterable[tuple[str, ...]]:
        for one in self.odds():
            whole, _, part = f"{float(one.average):.4f}".partition(".")
            average = message("{whole}.{part}", whole=whole, part=part)  # lets translations use a decimal comma
            points = plural(
                "{n} point, {average} on average", "{n} points, {average} on average", one.points, average=average
            )
            pays = points if one.points else message("the crown")
            yield one.on, _wins_if(one.on), percent(one.probability, 4), "—", pays, "—"

    def simulate(self, rounds: int, random: np.random.Generator, progress: Callable[[int], object]) -> dict[str, int]:
        from companion.games.king.odds.simulation import simulate

        return simulate(self.players, float(self.king), rounds, random, progress)


def _wins_if(on: str) -> Message:
    kind, _, what = on.partition("/")
    if on == KING:
        return message("nobody else bets on the king space")
    if kind == "range":
        return message("{count} of the others earn points", count=what)
    return message("a rule that favours no space gives it {points}", points=what)


def ask(seen: str, pairs: Iterable[str]) -> KingAsked:
    """Parse the options ``players`` and ``king`` (share of bets on the king space).

    Raises:
        BadScript: an unknown option or an invalid value.
    """
    if seen:
        raise BadScript("Rule and bets are secret: leave --seen out.")
    given = parse_options("king-of-roulette", pairs, ("players", "king", "rounds", "buy_in"), "players=5")
    whole_number({"rounds": whole_number_in(given.get("rounds", str(ROUNDS)))}, "rounds", "rounds")
    whole_number({"buy_in": whole_number_in(given.get("buy_in", str(BUY_IN)))}, "buy_in", "garnets")
    return KingAsked(_players(given.get("players", str(USUAL))), _share(given.get("king", str(EVENLY))))


def _players(text: str) -> int:
    number = whole_number_in(text)
    if isinstance(number, str) or not MIN_PLAYERS <= number <= MAX_PLAYERS:
        raise BadScript(f"players is {text!r}. Say how many play, {MIN_PLAYERS} to {MAX_PLAYERS}.")
    return number


def _share(text: str) -> Fraction:
    share = share_in(text)
    if share is None or share > 1:
        raise BadScript(f"king is {text!r}. Say the share of bets on the king space, like 1/7 or 0.")
    return share
