"""JSON objects of the page on which a house's own deck is enrolled."""

from typing_extensions import TypedDict

from companion.kernel.messages import Words


class OwnDeckName(TypedDict):
    """A house's own deck."""

    id: str
    name: str
    in_play: bool
    "Whether the running table is set up to play with it."


class CardShown(TypedDict):
    """A card, and whether it was shown."""

    card: str
    shown: bool


class DeckEnrollmentJson(TypedDict):
    """How far the enrollment of a deck is."""

    name: str
    cards: list[CardShown]
    wanted: list[str]
    "The cards that are missing, the next one first."
    last: str | None
    "The card that was taken last."
    taken: int
    "How many pictures were taken since it was opened: a card's picture is a new one after each."


class UnfinishedDeck(TypedDict):
    """An enrollment that was broken off."""

    name: str
    shown: int


class OwnDecksJson(TypedDict):
    """The house's own decks, and the enrollment that goes on or was broken off."""

    decks: list[OwnDeckName]
    enrollment: DeckEnrollmentJson | None
    unfinished: UnfinishedDeck | None


class CardSeen(TypedDict):
    """What the camera sees of a card to enroll."""

    picture: str
    "A data: address of a JPEG of the table; a card that will do is outlined."
    trouble: Words
    "Why the picture will not do; empty if it will."
    is_last: bool
    "Whether the card that was taken last still lies there."
