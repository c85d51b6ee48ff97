"""The JSON objects that a tournament shows."""

from typing_extensions import TypedDict

from companion.kernel.events import Result


class PlaceJson(TypedDict):
    """Where a player finished, and the prize."""

    place: int
    player: str
    coins: int


class TournamentResult(Result):
    """A decided tournament."""

    places: list[PlaceJson]


class LevelJson(TypedDict):
    """A level, or a break, which has no blinds."""

    level: int
    blinds: list[int] | None
    ante: int
    chip: int
    minutes: int


class ClockJson(TypedDict):
    """The level's clock."""

    seconds: int
    "How long the level is."
    used: int
    "How much of that was over when the clock was last started or paused."
    runs: bool
    since: str | None
    "Since when it runs."


class RaceJson(TypedDict):
    """A chip race: so many chips, at most one each, for those who have odd coins."""

    chip: int
    chips: int
    odd: dict[str, int]


class TourJson(TypedDict):
    """A tournament as the room may see it."""

    clock: ClockJson
    level: LevelJson
    following: LevelJson | None
    "The level or break after this one; null in the last."
    has_begun: bool
    rebuys_open: bool
    rebuy_until: int
    rebuys: int
    may_come_in: list[str]
    "Who has no coins, and may come in for a stack."
    big_blind_ante: bool
    "Whether the big blind puts in the ante for all."
    may_add: list[str]
    "Who may have an add-on."
    stack: int
    add_on: int
    entrants: int
    left: int
    "How many have coins."
    pool: int
    average: int
    prizes: list[int]
    "The first place's first."
    shares: list[int]
    "The same in hundredths of all coins."
    out: list[str]
    "Who has no coins, the latest first."
    race: RaceJson | None
    places: list[PlaceJson]
    "Once it is decided."
