"""JSON objects of the Rugen games: their parts of the table view, and their results."""

from typing_extensions import TypedDict

from companion.kernel.events import PaidJson, Result
from companion.kernel.game import GameView
from companion.kernel.shared.banked import LimitsJson, StakeJson


class ClaimJson(TypedDict):
    """A number, who has it (null: the house) and the coins staked on it."""

    number: int
    player: str | None
    amount: int


class WagerJson(TypedDict):
    """Stakes on some of the numbers, for the first of them to break; the house goes by null."""

    units: int
    claims: list[ClaimJson]
    winner: str | None
    number: int | None


class HouseChainResult(Result):
    """A number broke the chain of House Rugen."""

    number: int
    face: str
    chain: list[str]


class ChainResult(Result):
    """A number broke, and whoever has it takes all; a winner of null is the house."""

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
    """A number's space, and who has it."""

    player: str | None
    staked: int


class RugenBet(StakeJson):
    """A bet that is not decided."""

    pays: str


class ThrowsView(GameView):
    """What all Rugens show."""

    throws: int
    chain: list[str]
    last: str | None


class RugenHouseView(ThrowsView):
    """House Rugen as the room may see it."""

    late_chain: bool
    chain_day_night: str
    better_half: str
    limits: LimitsJson
    spaces: list[RugenSpace]
    bets: list[RugenBet]
    spots: dict[str, str]
    "What each spot of the layout pays."
    settled: list[PaidJson]
    paid_now: list[PaidJson]
    result: HouseChainResult | None


class ScheduleJson(TypedDict):
    """What a unit costs on 1, 2, 3 and 4."""

    house: list[int]
    player: list[int]


class RugenCapitalView(ThrowsView):
    """Capital Rugen as the room may see it."""

    schedule: ScheduleJson
    limits: LimitsJson
    wager: WagerJson
    free: list[int]
    spaces: list[CapitalSpace]
    result: ChainResult | None
    stake_back: int


class RugenStreetView(ThrowsView):
    """Street Rugen as the room may see it."""

    shooter: str | None
    point: int | None
    minimum: int
    units: dict[str, int]
    wager: WagerJson
    free: list[int]
    side_bets: list[WagerJson]
    result: ChainResult | None
    stake_back: int
