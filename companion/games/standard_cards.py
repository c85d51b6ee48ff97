"""Shared by the games with standard cards: their text, rank then suit, such as ``AS`` or ``TD``."""

from typing import Final

from companion.objects.cards import STANDARD_CARDS

RANKS: Final = "23456789TJQKA"
SUITS: Final = "SHDC"
CARDS: Final = STANDARD_CARDS
_KNOWN: Final = frozenset(CARDS)


def is_card(text: str) -> bool:
    """Say whether a text names a standard card.

    >>> is_card("AS"), is_card("1S")
    (True, False)
    """
    return text in _KNOWN
