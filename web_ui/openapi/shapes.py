"""JSON objects of ``/api/v1`` that only the web layer has: request bodies, and envelopes around the table's own."""

from collections.abc import Mapping, Sequence
from typing import NotRequired

from typing_extensions import TypedDict

from companion.app.game_offers import GameOffers, PlanRow
from companion.app.setup.shapes import LimitsFound, StepWorth
from companion.journal.hash_chain import EntryJson
from companion.journal.history.hand_history import HandJson, StepJson
from companion.journal.receipt import ReceiptJson
from companion.kernel.events import EventJson
from companion.kernel.messages import Words
from companion.service.glossary import TermJson
from companion.service.questions import Intention as Next

# ---- what a request brings


class Command(TypedDict):
    """An object of a hand script: a verb and its fields."""

    do: str
    key: NotRequired[str]
    "As the header Idempotency-Key."


class Answer(TypedDict):
    """Which way out of a question is taken, both by their ids."""

    question: str
    choice: str
    mark: NotRequired[str]
    "The choice's mark as it was seen: refused once that choice does something else."


class Intention(TypedDict):
    """What the next card will be."""

    next: Next


class Ticked(TypedDict):
    """Steps of the pay sheet that are done, or are not after all."""

    sheet: str
    "The sheet's id: refused once another is on."
    steps: list[str]
    "Their keys."
    paid: bool


class Changes(TypedDict):
    """Settings by their dotted keys."""

    changes: Mapping[str, object]


class MaybeChanges(TypedDict, total=False):
    """Settings by their dotted keys."""

    changes: Mapping[str, object]


class EdgesAsked(TypedDict):
    """A game and its options."""

    game: str
    options: NotRequired[Mapping[str, object]]


class GameChange(TypedDict, total=False):
    """What to play: a game with settings for this time, a place in the night's plan, or the game before this one.

    With a place the game is the one that stood there: refused once the plan has another.
    """

    game: str
    changes: Mapping[str, object]
    place: int
    back: bool
    key: str
    "As the header Idempotency-Key."


class Offers(GameOffers):
    """What the dealer can change to, with the page's texts for the settings."""

    texts: Mapping[str, object]


class Plan(TypedDict):
    """The plan of the night."""

    plan: Sequence[PlanRow]


class NewDeck(TypedDict):
    """What deck to make."""

    kind: str
    name: NotRequired[str]


class Source(TypedDict):
    """A camera."""

    source: str


class MatAsked(TypedDict, total=False):
    """Which mat to find; without it whichever lies there."""

    mat: str | None


class PanelAsked(TypedDict, total=False):
    """A line to blink, or ``test: false`` to end the test."""

    line: str | None
    test: bool


class Language(TypedDict, total=False):
    """A language, by its two letters."""

    language: str | None


class DecksToCheck(TypedDict):
    """Printed decks, by their ids."""

    decks: list[str]


class SetupStep(TypedDict):
    """A step of the set-up: to verify, or to skip."""

    step: str
    skip: NotRequired[bool]
    results: NotRequired[dict[str, bool]]
    "Of the panel: whether each line and `button/NAME` works."


class NewDie(TypedDict):
    """A die to teach."""

    name: str
    kind: str
    replace: NotRequired[bool]
    "Whether a die of this name is taught anew."


class KindOfDie(TypedDict):
    """A kind of die: d20, d6, or the day-and-night die."""

    kind: str


class Face(TypedDict):
    """A face of a die."""

    face: str
    "What is up: 1 to 20, 1 to 6, or a face by day or by night, such as 3n."


class MaybeNumber(TypedDict, total=False):
    """A picture by its number, or the latest one."""

    number: int | None


class AngleOfView(TypedDict):
    """A camera's horizontal angle of view."""

    view: int | None
    "Whole degrees; null where it is not set."


class MaybeFace(TypedDict, total=False):
    """A face of a die, or the latest one."""

    face: str | None


class NewOwnDeck(TypedDict):
    """An ordinary deck to teach."""

    name: str
    replace: NotRequired[bool]
    "Whether a deck of this name is taught anew."


class Card(TypedDict):
    """A card of an ordinary deck."""

    card: str


class MaybeCard(TypedDict, total=False):
    """A card of an ordinary deck, or the latest one."""

    card: str | None


class KnownDie(TypedDict):
    """One of the house's dice, or decks."""

    name: str


class PlayerCardCode(TypedDict):
    """A player's card that was shown."""

    code: str
    "As it is printed on the card; gaps and small letters do not matter."


class Sign(TypedDict):
    """Who signs on; null: nobody is on duty any more."""

    dealer: str | None
    pin: NotRequired[str]
    "Their PIN at the floor."


class PurseMove(TypedDict):
    """Coins between a player's purse in the house and the table."""

    do: str
    "``buy-in``, or ``cash-out`` for all that the player has."
    player: str
    purse: int
    coins: NotRequired[int]
    "Of a buy-in."
    key: NotRequired[str]
    "As the header Idempotency-Key."


# ---- answers


class Accepted(TypedDict):
    """A command that is durable, and what it did."""

    seq: int | None
    "Its number in the journal."
    events: Sequence[EventJson]


class Events(TypedDict):
    """Entries of the journal, and where the next page begins."""

    events: list[EntryJson]
    next: int


class Hands(TypedDict):
    """A page of hands."""

    hands: list[HandJson]
    next: str | None
    "Null on the last page."


class HandInSteps(HandJson):
    """A hand, step by step."""

    receipt: ReceiptJson | None
    steps: list[StepJson]


class Glossary(TypedDict):
    """Words in alphabetical order."""

    terms: list[TermJson]


class Evidence(TypedDict, total=False):
    """What was read; each kind of piece has further keys."""

    id: str
    at: str


class LimitsWorded(LimitsFound):
    """The limits that would hold, and the words for the spots that they speak of."""

    spots: dict[str, str]


class Said(TypedDict):
    """The language that was spoken."""

    language: str


class Done(TypedDict):
    """The steps that were verified or skipped."""

    steps: list[StepWorth]


class Status(TypedDict):
    """What goes on."""

    status: str


class Problem(TypedDict):
    """Why something was refused. The code never changes; the message is for people."""

    type: str
    title: str
    status: int
    detail: Words
    code: str
    message: Words
