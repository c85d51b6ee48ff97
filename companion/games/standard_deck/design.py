"""The standard deck: the 52 cards that everybody knows, a joker and a cut card, as a kind of deck of its own.

It belongs to no game: it is listed in the entry-point group ``table_companion.decks``.
"""

from functools import partial
from types import MappingProxyType
from typing import Final

from companion.games.standard_deck.cards import ALL_CARDS, EXTRAS, card_words
from companion.kernel.messages import message
from companion.objects.cards import STANDARD_CARDS
from companion.objects.designs import DeckDesign
from companion.on_demand import OnDemand

_ART: Final = OnDemand("companion.games.standard_deck.face:art")
# Printed decks keep their tags for ever: never renumber. A second deck of the same table has numbers of its own.
_TAGS: Final = dict(zip(ALL_CARDS, (*range(61, 113), 217, 218), strict=True))
_SECOND_TAGS: Final = dict(zip(ALL_CARDS, (*range(113, 165), 219, 220), strict=True))


STANDARD: Final = DeckDesign(
    kind="standard",
    title=message("Standard deck"),
    cards=STANDARD_CARDS,
    extras=EXTRAS,
    tag_of=MappingProxyType(_TAGS),
    more_tags=(MappingProxyType(_SECOND_TAGS),),
    art=_ART,
    styles=MappingProxyType({style: partial(_ART, style) for style in ("four-color", "large")}),
    words=card_words,
    suit=lambda card: card[-1],
)
"""Any number of these decks may be on one table: their ids tell them apart, and the tags of two of them."""
