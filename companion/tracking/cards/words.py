"""Words for card readings."""

from collections.abc import Mapping
from typing import Final

from companion.kernel.messages import Message, message
from companion.kernel.words import card_words

_STRANGERS: Final[Mapping[str, Message]] = {"forged": message("forged"), "foreign": message("foreign")}


def reading_words(read: str) -> str:
    """Return a reading in words: a card, a deck, or ``forged``/``foreign``.

    >>> reading_words("6D3"), reading_words("forged"), reading_words("K7QX")
    ('Kin day 3', 'forged', 'K7QX')
    """
    return _STRANGERS.get(read) or card_words(read)
