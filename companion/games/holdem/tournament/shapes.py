"""JSON shapes of a tournament."""

from typing_extensions import TypedDict

from companion.kernel.events import Result


class PlaceJson(TypedDict):
    """A player's place and prize."""

    place: int
    player: str
    coins: int


class TournamentResult(Result):
    """Result of a tournament."""

    places: list[PlaceJson]


class LevelJson(TypedDict):
    """A level, or a break, with null blinds."""

    level: int
    blinds: list[int] | None
    ante: int
    chip: int
    minutes: int


class ClockJson(TypedDict):
    """The level clock."""

    seconds: int
    "Duration of the level."
    used: int
    "Seconds elapsed when the clock was last started or paused."
    runs: bool
    since: str | None
    "Time of the last start; null while paused."


class RaceJson(TypedDict):
    """A chip race: ``chips`` chips of value ``chip`` among the players with odd coins, at most one each."""

    chip: int
    chips: int
    odd: dict[str, int]


class TourJson(TypedDict):
    """Public view of a tournament."""

    clock: ClockJson
    level: LevelJson
    following: LevelJson | None
    "The next level or break; null in the last."
    has_begun: bool
    rebuys_open: bool
    rebuy_until: int
    rebuys: int
    may_come_in: list[str]
    "Players without coins who may buy a stack."
    big_blind_ante: bool
    "Whether the big blind posts the ante for the whole table."
    may_add: list[str]
    "Players who may buy an add-on."
    stack: int
    add_on: int
    entrants: int
    left: int
    "Number of players with coins."
    pool: int
    average: int
    prizes: list[int]
    "Prizes in coins, first place first."
    shares: list[int]
    "Prizes in percent of all coins, first place first."
    out: list[str]
    "Eliminated players, latest first."
    race: RaceJson | None
    places: list[PlaceJson]
    "Empty until the tournament is decided."
