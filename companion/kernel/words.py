"""Readable text for codes: a card, an amount, and a short form of a command for the undo button."""

from collections.abc import Callable, Mapping
from typing import Final

from companion.kernel.commands import Record
from companion.kernel.messages import Message, message, plural
from companion.objects.cards import SUIT_CARDS
from companion.objects.dice import half_of, number_of

SUITS: Final[Mapping[int, Message]] = {
    2: message("Mages"),
    3: message("Realm"),
    4: message("World"),
    5: message("Valor"),
    6: message("Kin"),
    7: message("Commons"),
}
"""Suit -> name: `companion.objects.cards.SUIT_NAMES` as translatable messages."""
HALVES: Final[Mapping[str, Message]] = {"day": message("day"), "night": message("night")}


def card_words(card: str) -> str:
    """Return a card of the six suits in words; any other text unchanged.

    >>> card_words("6D3"), card_words("TS")
    ('Kin day 3', 'TS')
    """
    known = SUIT_CARDS.get(card)
    if known is None:
        return card
    return message("{suit} {half} {number}", suit=SUITS[known.rank], half=HALVES[known.half], number=known.number)


def face_words(face: str) -> Message:
    """Return a day-and-night die's face in words.

    >>> face_words("3n")
    'night 3'
    """
    return message("{half} {number}", half=HALVES[half_of(face)], number=number_of(face))


_RANKS: Final[Mapping[str, Message]] = {
    "A": message("Ace"),
    "K": message("King"),
    "Q": message("Queen"),
    "J": message("Jack"),
    "T": message("Ten"),
    "9": message("Nine"),
    "8": message("Eight"),
    "7": message("Seven"),
    "6": message("Six"),
    "5": message("Five"),
    "4": message("Four"),
    "3": message("Three"),
    "2": message("Two"),
}
_PLAYING_SUITS: Final[Mapping[str, Message]] = {
    "S": message("Spades"),
    "H": message("Hearts"),
    "D": message("Diamonds"),
    "C": message("Clubs"),
}


def playing_card_words(card: str) -> Message:
    """Return a standard playing card in words.

    >>> playing_card_words("TD")
    'Ten of Diamonds'
    """
    return message("{rank} of {suit}", rank=_RANKS[card[0]], suit=_PLAYING_SUITS[card[1]])


def bets_words(count: int) -> Message:
    """Return a number of bets in words."""
    return plural("{n} bet", "{n} bets", count)


def coins_words(count: int) -> Message:
    """Return a number of coins in words."""
    return plural("{n} coin", "{n} coins", count)


def win_words(won: int, stake: int, bets: int = 1) -> Message:
    """Return winnings, returned stakes and their sum in words.

    >>> win_words(40, 4)
    '40 won, stake of 4 back: 44 in all'
    """
    if bets == 1:
        return message("{won} won, stake of {stake} back: {sum} in all", won=won, stake=stake, sum=won + stake)
    return message("{won} won, stakes of {stake} back: {sum} in all", won=won, stake=stake, sum=won + stake)


def pot_words(pot: int | str) -> Message:
    """Return a pot's default name.

    >>> pot_words(2)
    'pot 2'
    """
    return message("pot {pot}", pot=pot)


def command_words(record: Record, spot: Callable[[str], str] = str, pot: Callable[[int], str] = pot_words) -> Message:
    """Return an accepted command in a few words, to follow "Undo:" or "Done again:".

    Other verbs than the common ones are written out with their fields.

    Args:
        spot: returns a spot in words.
        pot: returns a pot's name.

    >>> command_words({"do": "bet", "player": "Ann", "on": "red", "amount": 5})
    "Ann's bet of 5 on red"
    >>> command_words({"do": "no-more-bets"}), command_words({"do": "spin", "number": 17})
    ('no more bets', 'spin (number 17)')
    """
    verb = record["do"]
    if verb == "recount":
        whose = record["player"] if record.get("player") else pot(record["pot"])
        return message("the recount of {whose} to {coins}", whose=whose, coins=record["coins"])
    if verb in ("bet", "take-back"):
        whose, on = record["player"], spot(record["on"])
        if verb == "take-back":
            return message("{player} taking back {spot}", player=whose, spot=on)
        return message("{player}'s bet of {amount} on {spot}", player=whose, amount=record["amount"], spot=on)
    template = _COMMANDS.get(verb)
    if template is not None:
        return template(record)
    fields = ", ".join(f"{name} {value}" for name, value in record.items() if name != "do")
    return Message(str(verb).replace("-", " ") + (f" ({fields})" if fields else ""))


_COMMANDS: Final[Mapping[str, Callable[[Record], Message]]] = {
    "deal": lambda r: message("the deal of {card}", card=card_words(r["card"])),
    "no-more-bets": lambda r: message("no more bets"),
    "new-round": lambda r: message("the new round"),
    "join": lambda r: message("{player} sitting down", player=r["player"]),
    "leave": lambda r: message("{player} standing up", player=r["player"]),
    "buy-in": lambda r: message("{player} buying in for {coins}", player=r["player"], coins=r["coins"]),
    "cash-out": lambda r: message("{player} cashing out", player=r["player"]),
    "hold": lambda r: message("the hold"),
    "release": lambda r: message("the release"),
}
