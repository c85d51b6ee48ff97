"""Recognises cards that belong to other tables of the house."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from companion.kernel.messages import Message, message
from companion.kernel.words import card_words
from companion.service.questions import Question
from companion.tracking.cards.observations import LyingCard
from companion.vision.frame import Image
from companion.vision.sightings import Quad


class HouseDecks(Protocol):
    """The decks of the house's other tables, as known from the floor."""

    def owner(self, deck: str) -> tuple[str, str] | None:
        """Return the name of the table that owns a deck, and the deck's name; None if no other table owns it."""
        ...

    def met(self, image: Image, corners: Quad, deck: str) -> None:
        """Report a card of another deck in a picture, uint8 (H, W, 3) BGR; ``corners``: of its code, px."""
        ...


class NoHouse:
    """For a single table: every unknown deck is foreign."""

    def owner(self, deck: str) -> None:
        return None

    def met(self, image: Image, corners: Quad, deck: str) -> None:
        return None


def stranger_words(house: HouseDecks, card: str | None, deck: str | None) -> Message | None:
    """Return the message naming the table that a card claims to belong to; None if no table has its deck."""
    owner = house.owner(deck) if deck is not None else None
    if owner is None or card is None:
        return None
    table, name = owner
    return message(
        "{card} says that it is a card of {table}'s deck {deck}. Take it off the table, and bring it back there.",
        card=card_words(card), table=table, deck=repr(name),
    )  # fmt: skip


def named(house: HouseDecks, questions: Sequence[Question], lying: Sequence[LyingCard]) -> tuple[Question, ...]:
    """Return the questions, those about a foreign card of another table of the house with that table's name."""
    decks = {card.id: card.deck for card in lying if card.status == "foreign" and card.id is not None}
    found = []
    for one in questions:
        card = one.card
        said = stranger_words(house, card, decks.get(card)) if one.kind == "foreign" and card is not None else None
        found.append(one if said is None else replace(one, text=said))
    return tuple(found)
