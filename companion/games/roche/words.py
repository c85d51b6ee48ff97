"""Readable text for Roche's spots, and for commands on the undo button."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from companion.games.six_suits import pot_name
from companion.kernel.commands import Record
from companion.kernel.messages import Message, message, plural
from companion.kernel.words import SUITS, card_words, command_words
from companion.objects.cards import SUIT_CARDS

_OF_SUIT: Final[Mapping[str, Callable[[str], Message]]] = {
    "cut": lambda suit: message("{suit} to cut", suit=suit),
    "day": lambda suit: message("{suit} by day", suit=suit),
    "night": lambda suit: message("{suit} by night", suit=suit),
    "starlight": lambda suit: message("no {suit} at all", suit=suit),
}
_OF_CARD: Final[Mapping[str, Callable[[str], Message]]] = {
    "card": lambda card: message("{card} in the cut", card=card),
    "terminus": lambda card: message("{card} to come last", card=card),
    "oscura": lambda card: message("{card} not in the cut", card=card),
}


@lru_cache(maxsize=512)  # more than the spots of every layout
def spot_words(on: str) -> str:
    """Return what a bet is on; what is no spot stays as it is.

    >>> spot_words("cut/6"), spot_words("terminus/6N2"), spot_words("cavalry")
    ('Kin to cut', 'Kin night 2 to come last', 'cavalry')
    """
    kind, _, what = on.partition("/")
    if kind in _OF_SUIT and what.isascii() and what.isdigit() and int(what) in SUITS:
        return _OF_SUIT[kind](SUITS[int(what)])
    if kind in _OF_CARD and what in SUIT_CARDS:
        return _OF_CARD[kind](card_words(what))
    return message("cavalry") if on == "cavalry" else on


def describe(record: Record) -> Message:
    """Return an accepted command in a few words, to follow "Undo:".

    >>> describe({"do": "bet", "player": "Ann", "on": "cut/6", "amount": 5}), describe({"do": "burn", "count": 1})
    ("Ann's bet of 5 on Kin to cut", 'burning 1 card')
    >>> describe({"do": "deal", "card": "6D3"}), describe({"do": "no-more-bets"})
    ('the deal of Kin day 3', 'no more bets')
    """
    if record["do"] == "burn":
        return plural("burning {n} card", "burning {n} cards", record["count"])
    return command_words(record, spot_words, pot_name)
