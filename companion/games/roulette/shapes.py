"""The JSON objects that roulette shows: its part of the table view, and its results."""

from typing_extensions import TypedDict

from companion.kernel.events import PaidJson, Result
from companion.kernel.game import GameView
from companion.kernel.messages import Words
from companion.kernel.shared.banked import LimitsJson, StakeJson


class RouletteResult(Result):
    """The ball came to rest."""

    pocket: str
    imprisoned: list[StakeJson]
    "Who sits in prison after the spin."


class RouletteBet(StakeJson):
    """A bet that is not decided."""

    pays: str
    wins: int


class RouletteSettled(PaidJson):
    """A bet that the latest spin decided."""

    pays: str


class PocketCount(TypedDict):
    """How often a pocket came."""

    pocket: str
    count: int


class WheelTest(TypedDict):
    """Whether the wheel is fair, as far as its spins say; valid whenever one looks."""

    spins: int
    e_value: float
    "What a doubter's coin, bet on biased wheels at a fair one's odds, is worth by now."
    verdict: Words


class RouletteView(GameView):
    """Roulette as the room may see it."""

    wheel: str
    zero_rule: str
    limits: LimitsJson
    bets: list[RouletteBet]
    imprisoned: list[StakeJson]
    "Even-money bets that wait for another spin, since the ball lay in a zero."
    spots: dict[str, str]
    "What each spot of the layout pays."
    last: list[str]
    "The latest pockets, the newest first."
    hot: list[PocketCount]
    "The pockets that came most often, more than once."
    wheel_test: WheelTest
    result: RouletteResult | None
    "Of the latest spin."
    settled: list[RouletteSettled]
