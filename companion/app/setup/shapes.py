"""JSON objects exchanged between the set-up page and its back end."""

from collections.abc import Mapping
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from companion.config.setup_keys import GameForm
from companion.kernel.messages import Words
from companion.odds.exposure import TableLimits
from companion.odds.house_edges import EdgeJson
from companion.tracking.cards.deck_check import DeckReport

Status = Literal["passed", "skipped", "not-good"]
"""What a step of the set-up is worth."""
Grade = Literal["good", "fair", "poor"]
"""How good a figure of a picture is; fair still does."""


class StepWorth(TypedDict):
    """A step of the set-up that was verified or skipped."""

    step: str
    status: Status
    why: list[Words]
    "What was found, or what is wrong and what to do about it."


class FloorSets(TypedDict):
    """What the house's floor has set: it holds in place of the table's own."""

    value: object
    version: int
    "Of the house's price list."
    who: str


class SettingsJson(TypedDict):
    """The settings as the file has them."""

    values: Mapping[str, object]
    "By their dotted keys."
    file: str
    waiting: list[str]
    "The keys that count after a new start."
    written: dict[str, object]
    "What the file says, by dotted keys; nothing while there is no file."
    floor: Mapping[str, Mapping[str, FloorSets]]
    "By game, the settings that the house's floor sets."
    usual_buy_in: int
    "The coins with which a player usually comes to the game as the file has it."


class EdgeOfChoice(TypedDict):
    """What the house keeps of a coin if an option had this value; null where it plays no part."""

    value: str
    least: float | None
    most: float | None


class EdgesJson(TypedDict):
    """Shares of a coin, exact to a float."""

    now: list[EdgeJson]
    choices: dict[str, list[EdgeOfChoice]]
    "By option."


class LimitsFound(TypedDict):
    """The limits that would hold; null in a game without a house."""

    limits: TableLimits | None


class DeckJson(TypedDict):
    """A deck, without its key."""

    id: str
    kind: str
    name: str
    created: str


class Checking(TypedDict):
    """Decks that are being checked, and what was seen of them."""

    decks: list[DeckReport]


class CheckState(TypedDict):
    """The printed decks, and those that are being checked."""

    decks: list[DeckJson]
    enrollment: Checking | None
    "Null while none is."


class CheckLook(Checking):
    """A look at the table while decks are being checked."""

    picture: str
    "A data: address of a JPEG."
    new: list[str]
    "The cards that were seen for the first time."


class DeckKind(TypedDict):
    """A kind of deck that can be made."""

    kind: str
    title: str
    cards: int


class CameraSource(TypedDict):
    """A camera that can be chosen."""

    source: str
    name: str


class Meters(TypedDict):
    """Glare, flicker, focus and, where tags are seen, the scale of a picture."""

    size: list[int]
    glare_percent: float
    flicker_percent: float | None
    "By how much the light wavers; null while that is not known."
    edge_px: float | None
    px_per_mm: float | None
    tags: int


class LookJson(Meters):
    """A picture through a camera, and its meters."""

    picture: str
    "A data: address of a JPEG."
    grades: dict[str, Grade]
    "By figure; those that are not known are left out."


class CardShown(TypedDict):
    """What was read of a card that was shown to try the reading out."""

    status: Literal["ok", "tag", "forged", "foreign", "unreadable", "none"]
    "As `companion read` has it; none: no card was seen."
    card: str | None
    deck: str | None
    is_own: bool
    "Whether it is of a house's own enrolled deck."
    text: Words
    picture: str | None
    "A data: address of a JPEG; null without a picture."


class MatFound(TypedDict):
    """Whether the mat was found, and what to mend; where it lies if it was."""

    ok: bool
    troubles: list[Words]
    px_per_module: NotRequired[float]
    mat: NotRequired[str]
    px_per_mm: NotRequired[float]
    error_px: NotRequired[float]
    shake_px: NotRequired[float]


class PanelState(TypedDict):
    """What the panel has, what blinks, and which buttons were pressed in this test."""

    lines: list[str]
    buttons: list[str]
    troubles: list[Words]
    testing: bool
    line: str | None
    pressed: list[str]
    down: list[str]


class Setup(TypedDict):
    """How far the house is set up."""

    settings: SettingsJson
    games: list[GameForm]
    decks: list[DeckJson]
    deck_kinds: list[DeckKind]
    cameras: list[CameraSource]
    panel: PanelState | None
    steps: list[StepWorth]
    "Those that were verified or skipped."
