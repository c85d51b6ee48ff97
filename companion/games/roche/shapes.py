"""JSON shapes of Roche: its part of the table view, and results."""

from typing_extensions import TypedDict

from companion.kernel.events import PaidJson, Result
from companion.kernel.game import GameView
from companion.kernel.shared.banked import LimitsJson, StakeJson


class RocheResult(Result):
    """Result of a round."""

    cut: int
    "The suit that was cut."
    last: str
    "The card that cut it."
    half: str
    "``day``, ``night`` or ``neutral``."
    included: list[str]
    "The suit's face-up cards."


class RocheStack(TypedDict):
    """A suit's face-up cards."""

    suit: int
    name: str
    cards: list[str]
    count: int
    cut_at: int
    to_cut: int
    is_cut: bool


class PlacedBet(StakeJson):
    """An undecided bet."""

    pays: str
    wins: int


class SettledBet(PaidJson):
    """A decided bet, as explained on pages; an odd coin on an X:2 price may win nothing and still be returned."""

    pays: str


class RocheView(GameView):
    """Public view of Roche."""

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
    "Spot -> price."
    result: RocheResult | None
    settled: list[SettledBet]
