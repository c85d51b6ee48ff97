"""Blackjack hands: totals, and how they ended."""

from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

from companion.games.standard_cards import CARDS
from companion.kernel.values import quick

MAX_TOTAL: Final = 21
"""Highest total that is not bust."""
DEALER_STANDS: Final = 17
"""Total at which the dealer stops drawing."""
_POINTS: Final = {card: int(card[0]) if card[0].isdigit() else 1 if card[0] == "A" else 10 for card in CARDS}
_points: Final = _POINTS.__getitem__


class Total(NamedTuple):
    """A hand's best total; ``is_soft`` if an ace counts 11."""

    points: int
    is_soft: bool


def total(cards: Sequence[str]) -> Total:
    """Return a hand's best total: an ace counts 11 if that does not bust.

    >>> total(["AS", "6D"]), total(["AS", "6D", "KC"]), total(["KS", "QD", "2C"])
    (Total(points=17, is_soft=True), Total(points=17, is_soft=False), Total(points=22, is_soft=False))
    """
    low = sum(map(_points, cards))
    if low <= MAX_TOTAL - 10 and any(card[0] == "A" for card in cards):
        return Total(low + 10, True)
    return Total(low, False)


def is_blackjack(cards: Sequence[str]) -> bool:
    """Whether a hand is an ace and a ten-value card. The caller must exclude split hands.

    >>> is_blackjack(["AS", "KD"]), is_blackjack(["7S", "7D", "7H"])
    (True, False)
    """
    return len(cards) == 2 and total(cards).points == MAX_TOTAL


def is_short(cards: Sequence[str], soft17: str) -> bool:
    """Whether the dealer's total requires a draw: below 17, or a soft 17 if the house hits it.

    >>> is_short(["AS", "6D"], "hit"), is_short(["AS", "6D"], "stand"), is_short(["KS", "6D"], "stand")
    (True, False, True)
    """
    points, is_soft = total(cards)
    return points < DEALER_STANDS or (is_soft and points == DEALER_STANDS and soft17 == "hit")


class End(Enum):
    """How a hand ended."""

    BLACKJACK = "blackjack"
    "Natural: nothing to decide."
    STOOD = "stood"
    "Stood, doubled, or a split ace with its one card. It is compared with the dealer's hand."
    BUST = "bust"
    "Over 21; the stake is lost at once."
    SURRENDERED = "surrendered"
    "Late surrender; the stake stays until the hole card is turned."
    GIVEN_UP = "given-up"
    "Early surrender; half the stake was lost at once, half returned."


def end_of_split(cards: Sequence[str], split_aces: str) -> End | None:
    """Return a split hand's end: a split ace stands after one card if the house says so; otherwise None.

    >>> end_of_split(["AS", "9D"], "one-card"), end_of_split(["AS", "9D"], "play-on")
    (<End.STOOD: 'stood'>, None)
    """
    return End.STOOD if split_aces == "one-card" and cards[0][0] == "A" and len(cards) == 2 else None


_SETTLED: Final = (End.BUST, End.GIVEN_UP)


@quick
class Hand:
    """A player's hand and its stake."""

    cards: tuple[str, ...]
    amount: int
    "Total amount staked, including a double; kept after settlement."
    end: End | None = None
    is_split: bool = False

    @property
    def stake(self) -> int:
        """Coins still on the table; 0 after settlement."""
        return 0 if self.end in _SETTLED else self.amount

    @property
    def is_waiting(self) -> bool:
        """Whether this is a split hand without its second card."""
        return self.is_split and len(self.cards) == 1


@quick
class Box:
    """A player's bet: one hand, or several after splits."""

    seat: int
    player: str
    hands: tuple[Hand, ...]
    insured: int = 0
