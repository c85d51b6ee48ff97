"""Events of Roche besides those of every table."""

from dataclasses import dataclass

from companion.games.roche.shapes import RocheResult
from companion.kernel.events import Decided, Event, Paid, bet_gains, paid_words
from companion.kernel.messages import Message, message, plural
from companion.kernel.words import HALVES, SUITS, card_words


@dataclass(frozen=True, slots=True)
class CardsBurned(Event):
    """Cards were discarded face down."""

    count: int

    @property
    def sentence(self) -> Message:
        return plural("{n} card burned", "{n} cards burned", self.count)


@dataclass(frozen=True, slots=True)
class SuitCut(Decided):
    """A suit of the deck was half revealed, which settles every bet."""

    cut: int
    last: str
    half: str
    included: tuple[str, ...]
    paid: tuple[Paid, ...]

    @property
    def sentence(self) -> Message:
        suit, card = SUITS[self.cut], card_words(self.last)
        if self.half == "neutral":
            cut = message("{suit} cut with {card}", suit=suit, card=card)
        else:
            cut = message("{suit} cut with {card}, all {half}", suit=suit, card=card, half=HALVES[self.half])
        return message("{cut}. {paid:capital}", cut=cut, paid=paid_words(self.paid))

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
