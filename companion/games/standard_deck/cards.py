"""The cards of a standard deck: the 52 that games are played with, and the two that come with them."""

from typing import Final

from companion.objects.cards import STANDARD_CARDS, standard_words

JOKER: Final = "JKR"
CUT_CARD: Final = "CUT"
EXTRAS: Final = (JOKER, CUT_CARD)
ALL_CARDS: Final = (*STANDARD_CARDS, *EXTRAS)
_EXTRA_WORDS: Final = {JOKER: "Joker", CUT_CARD: "Cut card"}


def card_words(card: str) -> str:
    """Return a card in words.

    >>> card_words("TD"), card_words("CUT")
    ('Ten of Diamonds', 'Cut card')
    """
    return _EXTRA_WORDS.get(card) or standard_words(card)
