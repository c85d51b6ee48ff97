"""User-visible names of cards, hand ranks, pots, and of commands for undo."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from companion.games.holdem.hands import RankId
from companion.kernel.commands import Record
from companion.kernel.messages import Message, joined, message

RANK_WORDS: Final[Mapping[RankId, Message]] = {
    "high-card": message("high card"),
    "pair": message("a pair"),
    "two-pair": message("two pairs"),
    "three-of-a-kind": message("three of a kind"),
    "straight": message("a straight"),
    "flush": message("a flush"),
    "full-house": message("a full house"),
    "four-of-a-kind": message("four of a kind"),
    "straight-flush": message("a straight flush"),
    "royal-flush": message("a royal flush"),
}
_SIGNS: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


def rank_words(rank: RankId) -> Message:
    """Return the name of a hand rank."""
    return RANK_WORDS[rank]


def card_sign(card: str) -> str:
    """Return a card with its suit symbol.

    >>> card_sign("TD")
    '10♦'
    """
    return card[0].replace("T", "10") + _SIGNS[card[1]]


def cards_words(cards: Iterable[str]) -> Message:
    """Return cards with suit symbols, separated by spaces.

    >>> cards_words(["AS", "TD"])
    'A♠ 10♦'
    """
    return joined(map(card_sign, cards), " ")


def pot_name(pot: str) -> Message:
    """Return a pot's name for use within a sentence.

    >>> pot_name("main"), pot_name("side-2"), pot_name("race")
    ('the main pot', 'side pot 2', 'the race for odd chips')
    """
    if pot.startswith("side-"):
        return message("side pot {number}", number=pot.removeprefix("side-"))
    return message("the race for odd chips") if pot == "race" else message("the main pot")


def did_words(what: str, player: str, coins: int, to: int) -> Message:
    """Return a sentence for a betting action."""
    if what == "check":
        return message("{player} checks", player=player)
    if what == "call":
        return message("{player} calls {coins}", player=player, coins=coins)
    if what == "bet":
        return message("{player} bets {to}", player=player, to=to)
    if what == "raise":
        return message("{player} raises to {to}", player=player, to=to)
    return message("{player} folds", player=player)


COMMANDS: Final[Mapping[str, Callable[[Record], Message]]] = {
    "post": lambda r: message("the start of the hand"),
    "hole": lambda r: message("{player}'s two cards", player=r["player"]),
    "check": lambda r: message("the check"),
    "call": lambda r: message("the call"),
    "bet": lambda r: message("the bet of {to}", to=r["to"]),
    "raise": lambda r: message("the raise to {to}", to=r["to"]),
    "fold": lambda r: message("the fold"),
    "all-in": lambda r: message("the all-in"),
    "board": lambda r: message("the board cards {cards}", cards=cards_words(r["cards"])),
    "table": lambda r: message("{player}'s {cards}", player=r["player"], cards=cards_words(r["cards"])),
    "show": lambda r: message("{player}'s {cards}", player=r["player"], cards=cards_words(r["cards"])),
    "muck": lambda r: message("{player}'s muck", player=r["player"]),
}
