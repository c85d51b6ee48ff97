"""JSON objects of Roche: its part of the table view, and its results."""

from typing_extensions import TypedDict

from companion.kernel.events import PaidJson, Result
from companion.kernel.game import GameView
from companion.kernel.shared.banked import LimitsJson, StakeJson


class RocheResult(Result):
    """A suit was cut."""

    cut: int
    "The suit."
    last: str
    "The card that cut it."
    half: str
    "``day``, ``night`` or ``neutral``."
    included: list[str]
    "The suit's cards that lay open."


class RocheStack(TypedDict):
    """A suit's open cards."""

    suit: int
    name: str
    cards: list[str]
    count: int
    cut_at: int
    to_cut: int
    is_cut: bool


class PlacedBet(StakeJson):
    """A bet that is not decided."""

    pays: str
    wins: int


class SettledBet(PaidJson):
    """A bet that was decided, as pages explain it: an odd coin on an X:2 price may win nothing and yet come back."""

    pays: str


class RocheView(GameView):
    """Roche as the room may see it."""

    round: int
    layout: str
    deck: str
    limits: LimitsJson
    stacks: list[RocheStack]
    dealt: list[str]
    last: str | None
    burned: int
    left: int
    bets: list[PlacedBet]
    spots: dict[str, str]
    "What each spot of the layout pays."
    result: RocheResult | None
    settled: list[SettledBet]
