"""JSON shapes of the dealer's "Change game"."""

from collections.abc import Mapping
from typing import NotRequired

from typing_extensions import TypedDict

from companion.kernel.messages import Words
from companion.plugins.options import FormFieldJson


class GameOfferJson(TypedDict):
    """A game that could be played next."""

    id: str
    title: str
    fields: list[FormFieldJson]
    "Its settings, as on the set-up page."
    values: Mapping[str, object]
    "What each field has in the configuration."
    refused: Words | None
    "Why those who sit here cannot play it now; null if they can."
    buy_in: int | None
    "The coins with which everybody begins, where it has coins of its own; null where all that somebody has counts."
    floor: list[str]
    "The settings that the house's floor has set, which cannot be changed here."


class PlanRow(TypedDict):
    """A game of the night's plan, as it is edited."""

    game: str
    at: NotRequired[str | None]
    "HH:MM."
    minutes: NotRequired[int | None]
    "Or so long after the game before it."


class GameOffers(TypedDict):
    """What the dealer can change to."""

    session: int
    "The session that would end."
    game: str
    refused: Words | None
    "Why the game cannot be changed now; null if it can."
    takes_back: Words | None
    "What is undone first, at a demo table with a round under way; null if nothing is."
    back: str | None
    "The game before this one, while nothing was played since: changing back to it loses nothing."
    games: list[GameOfferJson]
    plan: list[PlanRow]


class Changed(TypedDict):
    """The game that is on now."""

    session: int
    game: str
    seq: int
