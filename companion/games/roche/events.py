"""What happened at a table of Roche, beside what happens at any table."""

from __future__ import annotations

from dataclasses import dataclass

from companion.games.roche.shapes import RocheResult
from companion.kernel.events import Decided, Event, Paid, bet_gains, paid_words
from companion.kernel.words import card_words, counted
from companion.objects.cards import SUIT_NAMES


@dataclass(frozen=True, slots=True)
class CardsBurned(Event):
    """Cards were discarded face down."""

    count: int

    @property
    def sentence(self) -> str:
        return f"{counted(self.count, 'card')} burned"


@dataclass(frozen=True, slots=True)
class SuitCut(Decided):
    """A suit of the deck was half revealed, which settles every bet."""

    cut: int
    last: str
    half: str
    included: tuple[str, ...]
    paid: tuple[Paid, ...]

    @property
    def sentence(self) -> str:
        halves = "" if self.half == "neutral" else f", all {self.half}"
        return f"{SUIT_NAMES[self.cut]} cut with {card_words(self.last)}{halves}. {paid_words(self.paid)}"

    @property
    def result(self) -> RocheResult:
        return {
            "cut": self.cut,
            "last": self.last,
            "half": self.half,
            "included": list(self.included),
            "paid": [bet.to_json() for bet in self.paid],
        }

    @property
    def gains(self) -> dict[str, int]:
        return bet_gains(self.paid)

    @property
    def decided_by(self) -> int:
        return self.cut
