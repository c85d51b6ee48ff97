"""JSON shapes of roulette: its part of the table view, and results."""

from typing_extensions import TypedDict

from companion.kernel.events import PaidJson, Result
from companion.kernel.game import GameView
from companion.kernel.messages import Words
from companion.kernel.shared.banked import LimitsJson, StakeJson


class RouletteResult(Result):
    """Result of a spin."""

    pocket: str
    imprisoned: list[StakeJson]
    "Imprisoned bets after the spin."


class RouletteBet(StakeJson):
    """An undecided bet."""

    pays: str
    wins: int


class RouletteSettled(PaidJson):
    """A bet decided by the last spin."""

    pays: str


class PocketCount(TypedDict):
    """A pocket and its count."""

    pocket: str
    count: int


class WheelTest(TypedDict):
    """Fairness test of the wheel's spins so far, valid at any time."""

    spins: int
    e_value: float
    "Current value of one coin bet on biased wheels at a fair wheel's odds."
    verdict: Words


class RouletteView(GameView):
    """Public view of roulette."""

    wheel: str
    zero_rule: str
    limits: LimitsJson
    bets: list[RouletteBet]
    imprisoned: list[StakeJson]
    "Even-money bets imprisoned by a zero."
    spots: dict[str, str]
    "Spot -> price."
    last: list[str]
    "Recent pockets, newest first."
    hot: list[PocketCount]
    "The most frequent pockets, with counts above 1."
    wheel_test: WheelTest
    result: RouletteResult | None
    "Result of the last spin."
    settled: list[RouletteSettled]
