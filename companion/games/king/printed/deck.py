"""Deck of King of Roulette: each player's bet cards, and the king's rule and guess cards."""

from types import MappingProxyType
from typing import Final

from companion.games.king.printed.cards import CARDS, card_words, heading
from companion.kernel.messages import message
from companion.objects.designs import DeckArt, DeckDesign

# Never renumber: decks already printed keep their tags.
_FIRST_TAG: Final = 480


def _art() -> DeckArt:
    from companion.games.king.printed.face import draw_face, draw_index

    return DeckArt(draw_face, draw_index)


KING_DECK: Final = DeckDesign(
    kind="king",
    title=message("King of Roulette cards"),
    cards=CARDS,
    tag_of=MappingProxyType({card: _FIRST_TAG + place for place, card in enumerate(CARDS)}),
    art=_art,
    words=card_words,
    suit=heading,
)
