"""JSON objects of the enrollment page for the house's own decks."""

from typing_extensions import TypedDict

from companion.kernel.messages import Words


class OwnDeckName(TypedDict):
    """An enrolled deck of the house."""

    id: str
    name: str
    in_play: bool
    "Whether the running table is set up with it."


class CardShown(TypedDict):
    """A card, and whether it has been shown."""

    card: str
    shown: bool


class DeckEnrollmentJson(TypedDict):
    """Progress of a deck's enrollment."""

    name: str
    cards: list[CardShown]
    wanted: list[str]
    "The missing cards, the next one first."
    last: str | None
    "The card taken last."
    taken: int
    "The number of pictures taken since it was opened; a change means that card pictures may have changed."


class UnfinishedDeck(TypedDict):
    """An interrupted enrollment, which can be continued."""

    name: str
    shown: int


class OwnDecksJson(TypedDict):
    """The house's own decks, and the enrollment that is open or was interrupted."""

    decks: list[OwnDeckName]
    enrollment: DeckEnrollmentJson | None
    unfinished: UnfinishedDeck | None


class CardSeen(TypedDict):
    """The card to enroll as the camera sees it now."""

    picture: str
    "A data: URL of a JPEG of the table; a usable card is outlined."
    trouble: Words
    "Why the picture is unusable; empty if it is usable."
    is_last: bool
    "Whether the card taken last still lies there."
