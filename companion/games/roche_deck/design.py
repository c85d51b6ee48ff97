"""Designs of the full deck and of the red deck (without Mages), with each card's tag number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from companion.games.roche_deck.names import CARD_NAMES
from companion.kernel.messages import message
from companion.objects.cards import LEADER_BUTTON, RANKS, SUIT_CARDS, SUIT_NAMES, TOKENS
from companion.objects.designs import DeckArt, DeckDesign

if TYPE_CHECKING:
    from companion.objects.geometry import Box
    from companion.printing.pen import Pen

FULL_DECK: Final[tuple[str, ...]] = tuple(SUIT_CARDS)
RED_RANKS: Final = RANKS[1:]
RED_DECK: Final[tuple[str, ...]] = tuple(c for c in FULL_DECK if SUIT_CARDS[c].rank in RED_RANKS)
CARDS_OF: Final[Mapping[str, tuple[str, ...]]] = {"full": FULL_DECK, "red": RED_DECK}
"""A deck's cards, by the option ``deck``."""

EMBLEMS: Final = Path(__file__).with_name("emblems.svg")
"""What pages show and cards are printed with: symbols of paths in `currentColor` on a ground."""

# Printed decks keep their tags for ever: never renumber.
_TAG_OF: Final = {piece: tag for tag, piece in enumerate((*FULL_DECK, *TOKENS, LEADER_BUTTON))}
_RED_PIECES: Final = (*RED_DECK, *TOKENS[1:], LEADER_BUTTON)


def card_words(card: str) -> str:
    """Return a card in words.

    >>> card_words("6D3")
    'Kin day 3'
    """
    known = SUIT_CARDS[card]
    return f"{known.suit_name} {known.half} {known.number}"


def _art() -> DeckArt:
    from companion.games.roche_deck.face import draw_face, draw_index
    from companion.games.roche_deck.tokens import draw_token_back, draw_token_face

    return DeckArt(draw_face, draw_index, draw_token_face, draw_token_back)


def _picture(pen: Pen, box: Box, card: str) -> None:
    from companion.games.roche_deck.landscapes import draw_landscape
    from companion.printing.cards.palette import PALETTES

    known = SUIT_CARDS[card]
    draw_landscape(pen, box, known, PALETTES[known.rank])


def _suit(card: str) -> str:
    return SUIT_NAMES[int(card[0])]


FULL: Final = DeckDesign(
    kind="roche",
    title=message("Roche deck"),
    cards=FULL_DECK,
    tokens=(*TOKENS, LEADER_BUTTON),
    tag_of=MappingProxyType(_TAG_OF),
    art=_art,
    words=card_words,
    suit=_suit,
    emblems=EMBLEMS,
    picture=_picture,
    names=CARD_NAMES,
    layouts=("hand", "corner"),
)
RED: Final = replace(
    FULL,
    kind="red",
    title=message("Red deck"),
    cards=RED_DECK,
    tokens=(*TOKENS[1:], LEADER_BUTTON),
    tag_of=MappingProxyType({piece: _TAG_OF[piece] for piece in _RED_PIECES}),
    part_of=FULL.kind,
)
DECKS: Final = (FULL, RED)
"""Both, the full one first: what a game that is played with either brings."""
