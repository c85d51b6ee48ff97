"""User-visible names of hands, outcomes, and of commands for undo."""

from collections.abc import Callable, Mapping
from typing import Final

from companion.games.blackjack.commands import DEALER
from companion.games.blackjack.hands import MAX_TOTAL, total
from companion.kernel.commands import Record
from companion.kernel.messages import Message, joined, message
from companion.kernel.words import playing_card_words


def total_words(cards: tuple[str, ...]) -> Message:
    """Return a hand's total as text.

    >>> total_words(("AS", "6D")), total_words(("KS", "6D")), total_words(("KS", "6D", "9D"))
    ('soft 17', '16', '25, bust')
    """
    points, is_soft = total(cards)
    if points > MAX_TOTAL:
        return message("{points}, bust", points=points)
    return message("soft {points}", points=points) if is_soft and len(cards) > 1 else message("{points}", points=points)


def hand_words(player: str, number: int, hands: int) -> str:
    """Return a hand's owner, with its number if there are several.

    >>> hand_words("Ann", 1, 1), hand_words("Ann", 2, 3)
    ('Ann', "Ann's hand 2")
    """
    return player if hands == 1 else message("{player}'s hand {number}", player=player, number=number)


def outcome_words(outcome: str) -> Message:
    """Return a bet's outcome as text.

    >>> outcome_words("push")
    'push'
    """
    return _OUTCOMES[outcome]


_OUTCOMES: Final[Mapping[str, Message]] = {
    "win": message("wins"),
    "lose": message("loses"),
    "push": message("push"),
    "blackjack": message("blackjack"),
    "bust": message("bust"),
    "surrender": message("surrendered"),
}


def _dealt(record: Record) -> Message:
    card = playing_card_words(record["card"])
    if record["to"] == DEALER:
        return message("{card} for the dealer", card=card)
    return message("{card} for {player}", card=card, player=record["to"])


COMMANDS: Final[Mapping[str, Callable[[Record], Message]]] = {
    "bet": lambda r: message("{player}'s bet of {amount}", player=r["player"], amount=r["amount"]),
    "take-back": lambda r: message("{player} taking the bet back", player=r["player"]),
    "deal": _dealt,
    "hole": lambda r: message("the face-down card"),
    "hit": lambda r: message("the hit, {card}", card=playing_card_words(r["card"])),
    "stand": lambda r: message("the stand"),
    "double": lambda r: message("the double, {card}", card=playing_card_words(r["card"])),
    "split": lambda r: message("the split, {cards}", cards=joined(playing_card_words(card) for card in r["cards"])),
    "surrender": lambda r: message("the surrender"),
    "insure": lambda r: message("{player}'s insurance", player=r["player"]),
    "reveal": lambda r: message("the face-down card, {card}", card=playing_card_words(r["card"])),
    "dealer-hit": lambda r: message("{card} for the dealer", card=playing_card_words(r["card"])),
}
