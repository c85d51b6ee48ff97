"""Events of roulette, in addition to those of any table."""

from dataclasses import dataclass
from typing import Final

from companion.games.roulette.shapes import RouletteResult
from companion.games.roulette.words import pocket_words
from companion.kernel.events import Decided, EndedBet, bet_gains, paid_words
from companion.kernel.messages import Message, message, plural
from companion.kernel.shared.banked import Stakes

RELEASED: Final = "released"
"""Outcome of an imprisoned bet that wins: its stake is returned."""


@dataclass(frozen=True, slots=True)
class BallRested(Decided):
    """The ball came to rest in a pocket, which settles all bets except imprisoned ones."""

    pocket: str
    paid: tuple[EndedBet, ...]
    imprisoned: Stakes = ()
    "Imprisoned bets after the spin."

    @property
    def sentence(self) -> Message:
        fresh = [bet for bet in self.paid if bet.outcome != RELEASED]
        said = message("{pocket}. {paid:capital}", pocket=pocket_words(self.pocket), paid=paid_words(fresh))
        released = sum(bet.back for bet in self.paid if bet.outcome == RELEASED)
        if released:
            said = message("{said}. Of bets released from prison {coins} back", said=said, coins=released)
        halves = sum(bet.back for bet in self.paid if not bet.is_won)
        if halves:
            said = message("{said}. Of surrendered bets {coins} back", said=said, coins=halves)
        if not self.imprisoned:
            return said
        return plural("{said}. {n} bet in prison", "{said}. {n} bets in prison", len(self.imprisoned), said=said)

    @property
    def result(self) -> RouletteResult:
        return {
            "pocket": self.pocket,
            "paid": [bet.to_json() for bet in self.paid],
            "imprisoned": [stake.to_json() for stake in self.imprisoned],
        }

    @property
    def gains(self) -> dict[str, int]:
        return bet_gains(self.paid)

    @property
    def decided_by(self) -> str:
        return self.pocket
