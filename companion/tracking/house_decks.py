"""Cards of the house's other tables, as a table's sight names them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from companion.kernel.messages import Message, message
from companion.kernel.words import card_words
from companion.service.questions import Question
from companion.tracking.cards.observations import Lying
from companion.vision.frame import Image
from companion.vision.sightings import Quad


class HouseDecks(Protocol):
    """What the floor has told of the decks of other tables."""

    def owner(self, deck: str) -> tuple[str, str] | None:
        """Return the table that a deck belongs to, and the deck's name; None if no other table has it."""
        ...

    def met(self, image: Image, corners: Quad, deck: str) -> None:
        """Hear that a card of another deck lies in a picture (uint8 (H, W, 3) BGR), its code at these corners."""
        ...


class NoHouse:
    """A table on its own: every deck that it does not know is foreign."""

    def owner(self, deck: str) -> None:
        return None

    def met(self, image: Image, corners: Quad, deck: str) -> None:
        return None


def stranger_words(house: HouseDecks, card: str | None, deck: str | None) -> Message | None:
    """Say of which table a card claims to be; None if no table of the house has such a deck."""
    owner = house.owner(deck) if deck is not None else None
    if owner is None or card is None:
        return None
    table, name = owner
    return message(
        "{card} says that it is a card of {table}'s deck {deck}. Take it off the table, and bring it back there.",
        card=card_words(card), table=table, deck=repr(name),
    )  # fmt: skip


def named(house: HouseDecks, questions: Sequence[Question], lying: Sequence[Lying]) -> tuple[Question, ...]:
    """Return questions in which cards of the house's other tables are called what they are."""
    decks = {card.id: card.deck for card in lying if card.status == "foreign" and card.id is not None}
    found = []
    for one in questions:
        card = one.card
        said = stranger_words(house, card, decks.get(card)) if one.kind == "foreign" and card is not None else None
        found.append(one if said is None else replace(one, text=said))
    return tuple(found)
