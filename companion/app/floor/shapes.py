"""JSON objects of the link to a floor."""

from typing import NotRequired

from typing_extensions import TypedDict

from companion.kernel.messages import Words


class PurseJson(TypedDict):
    """A player's purse in the house."""

    purse: int
    player: str


class PursesJson(TypedDict):
    """The house's purses."""

    purses: list[PurseJson]
    cut_off: NotRequired[Words]
    "Why nothing but cashing out can be done now; the purses are then those that were known before."


class OpenTransferJson(TypedDict):
    """Coins on their way between a purse and this table."""

    id: str
    kind: str
    "``buy-in`` or ``cash-out``."
    coins: int
    state: str
    "``reserved``: out of the purse, and the table has not taken them yet. ``owed``: the table has to give them again."


class PurseHeldJson(PurseJson):
    """A purse, with what it holds."""

    coins: int
    open: list[OpenTransferJson]
    "Its transfers with this table that are not finished."


class CardReadJson(TypedDict):
    """Whose a player card is, as the dealer is asked."""

    player: str
    purse: int
    question: str
    "The id of the question."


class DutyJson(TypedDict):
    """Who is on duty at this table."""

    dealer: str | None
    dealers: list[str]
    "Who may sign on, as the floor named them last."
