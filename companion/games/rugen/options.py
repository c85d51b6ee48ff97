"""Options of the three Rugen games."""

from typing import Annotated, Any, Literal

from pydantic import Field

from companion.plugins.options import GameOptions, Setting


class StreetOptions(GameOptions):
    """``minimum``: minimum stake of the shooter, in units."""

    minimum: Annotated[int, Field(ge=1, le=10**9)] = 1


class HouseOptions(GameOptions):
    """Meaning of chain bets, and the half that pays more."""

    late_chain: bool = False
    chain_day_night: Literal["all", "own"] = "all"
    better_half: Literal["day", "night"] = "day"


class CapitalOptions(GameOptions):
    """``schedule``: low, high, or ``{ house = [7, 4, 3, 2], player = [8, 5, 4, 3] }``."""

    schedule: Annotated[Any, Setting(values=("low", "high"))] = "low"
