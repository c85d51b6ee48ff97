"""What a hand of blackjack is worth, and how it ended."""

from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

from companion.games.standard_cards import CARDS
from companion.kernel.values import quick

MOST: Final = 21
"""A hand above it is bust."""
DEALER_STANDS: Final = 17
"""The dealer draws until there."""
_POINTS: Final = {card: int(card[0]) if card[0].isdigit() else 1 if card[0] == "A" else 10 for card in CARDS}
_points: Final = _POINTS.__getitem__


class Total(NamedTuple):
    """The best total of a hand; ``is_soft`` while an ace counts 11 in it."""

    points: int
    is_soft: bool


def total(cards: Sequence[str]) -> Total:
    """Return what cards are worth: an ace counts 11 wherever that fits.

    >>> total(["AS", "6D"]), total(["AS", "6D", "KC"]), total(["KS", "QD", "2C"])
    (Total(points=17, is_soft=True), Total(points=17, is_soft=False), Total(points=22, is_soft=False))
    """
    low = sum(map(_points, cards))
    if low <= MOST - 10 and any(card[0] == "A" for card in cards):
        return Total(low + 10, True)
    return Total(low, False)


def is_blackjack(cards: Sequence[str]) -> bool:
    """Say whether two cards are an ace and a ten-value. A hand after a split never counts as one.

    >>> is_blackjack(["AS", "KD"]), is_blackjack(["7S", "7D", "7H"])
    (True, False)
    """
    return len(cards) == 2 and total(cards).points == MOST


def is_short(cards: Sequence[str], soft17: str) -> bool:
    """Say whether the dealer has less than the hand to stand on: 17 or more, a soft 17 by the rule of the house.

    >>> is_short(["AS", "6D"], "hit"), is_short(["AS", "6D"], "stand"), is_short(["KS", "6D"], "stand")
    (True, False, True)
    """
    points, is_soft = total(cards)
    return points < DEALER_STANDS or (is_soft and points == DEALER_STANDS and soft17 == "hit")


class End(Enum):
    """How a hand ended."""

    BLACKJACK = "blackjack"
    "Ace and ten-value in the first two cards: nothing to decide."
    STOOD = "stood"
    "No more cards: said, doubled, or a split ace with its one card. It is compared with the dealer's."
    BUST = "bust"
    "Over 21: the stake is lost at once."
    SURRENDERED = "surrendered"
    "Given up; the stake waits for the dealer's face-down card."
    GIVEN_UP = "given-up"
    "Given up early: half went to the house, half came back, at once."


def end_of_split(cards: Sequence[str], split_aces: str) -> End | None:
    """Return how a split hand ends with the cards it has: an ace with its second one where the house gives no other.

    >>> end_of_split(["AS", "9D"], "one-card"), end_of_split(["AS", "9D"], "play-on")
    (<End.STOOD: 'stood'>, None)
    """
    return End.STOOD if split_aces == "one-card" and cards[0][0] == "A" and len(cards) == 2 else None


_SETTLED: Final = (End.BUST, End.GIVEN_UP)


@quick
class Hand:
    """Cards in front of a player, with their stake."""

    cards: tuple[str, ...]
    amount: int
    "What was staked on it, a doubled stake counted; also once that was settled."
    end: End | None = None
    is_split: bool = False

    @property
    def stake(self) -> int:
        """The coins that lie there now: none once they were settled."""
        return 0 if self.end in _SETTLED else self.amount

    @property
    def is_waiting(self) -> bool:
        """Whether it came of a split and has no second card yet."""
        return self.is_split and len(self.cards) == 1


@quick
class Box:
    """A player with a bet, with one hand or, after a split, several."""

    seat: int
    player: str
    hands: tuple[Hand, ...]
    insured: int = 0
