"""JSON shapes of the Rugen games: their parts of the table view, and results."""

from typing_extensions import TypedDict

from companion.kernel.events import PaidJson, Result
from companion.kernel.game import GameView
from companion.kernel.shared.banked import LimitsJson, StakeJson


class ClaimJson(TypedDict):
    """A number, its holder (null: the house) and the coins staked on it."""

    number: int
    player: str | None
    amount: int


class WagerJson(TypedDict):
    """Stakes on numbers, won by the first of them to break; the house is null."""

    units: int
    claims: list[ClaimJson]
    winner: str | None
    number: int | None


class HouseChainResult(Result):
    """Result of a House Rugen chain."""

    number: int
    face: str
    chain: list[str]


class ChainResult(Result):
    """Result of a Street or Capital chain; a null winner is the house."""

    number: int
    face: str
    chain: list[str]
    winner: str | None


class RugenSpace(TypedDict):
    """A number's space with the markers on it."""

    number: int
    markers: list[str]
    count: int
    to_break: int


class CapitalSpace(RugenSpace):
    """A number's space and its holder."""

    player: str | None
    staked: int


class RugenBet(StakeJson):
    """An undecided bet."""

    pays: str


class ThrowsView(GameView):
    """Parts of the view common to all Rugen games."""

    throws: int
    chain: list[str]
    last: str | None


class RugenHouseView(ThrowsView):
    """Public view of House Rugen."""

    late_chain: bool
    chain_day_night: str
    better_half: str
    limits: LimitsJson
    spaces: list[RugenSpace]
    bets: list[RugenBet]
    spots: dict[str, str]
    "Spot -> price."
    settled: list[PaidJson]
    paid_now: list[PaidJson]
    result: HouseChainResult | None


class ScheduleJson(TypedDict):
    """Costs of a unit on 1, 2, 3 and 4."""

    house: list[int]
    player: list[int]


class RugenCapitalView(ThrowsView):
    """Public view of Capital Rugen."""

    schedule: ScheduleJson
    limits: LimitsJson
    wager: WagerJson
    free: list[int]
    spaces: list[CapitalSpace]
    result: ChainResult | None
    stake_back: int


class RugenStreetView(ThrowsView):
    """Public view of Street Rugen."""

    shooter: str | None
    point: int | None
    minimum: int
    units: dict[str, int]
    wager: WagerJson
    free: list[int]
    side_bets: list[WagerJson]
    result: ChainResult | None
    stake_back: int
