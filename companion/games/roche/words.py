"""User-visible names of Roche's spots, and of commands for undo."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from companion.kernel.commands import Record
from companion.kernel.messages import Message, message, plural
from companion.kernel.words import SUITS, card_words
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
    """Return a spot's name; other text unchanged.

    >>> spot_words("cut/6"), spot_words("terminus/6N2"), spot_words("cavalry")
    ('Kin to cut', 'Kin night 2 to come last', 'cavalry')
    """
    kind, _, what = on.partition("/")
    if kind in _OF_SUIT and what.isascii() and what.isdigit() and int(what) in SUITS:
        return _OF_SUIT[kind](SUITS[int(what)])
    if kind in _OF_CARD and what in SUIT_CARDS:
        return _OF_CARD[kind](card_words(what))
    return message("cavalry") if on == "cavalry" else on


COMMANDS: Final[Mapping[str, Callable[[Record], Message]]] = {
    "burn": lambda r: plural("burning {n} card", "burning {n} cards", r["count"]),
}
