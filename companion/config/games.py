"""The configuration's tables of the games: ``[rochi]``, ``[rugen-street]``, ``[rugen-house]``, ``[rugen-capital]``.

A house may keep them all in one file; the table takes those of the game that is played. What several games share
stands under ``[table]``: ``deck`` (Roche, Rochi, Captain's Rochi), ``min``, ``max`` and ``cap`` (against the house).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from companion.service.settings import CHIPS


class GamePart(BaseModel):
    """Base of the games' tables: frozen, strict about types, no unknown keys."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    def options(self) -> dict[str, Any]:
        """Return what goes into a header's options."""
        return self.model_dump()


class RochiConfig(GamePart):
    """``[rochi]``: house rules of Rochi; without a leader the first one is drawn by lot when a session is new."""

    credit: bool = False
    locked_discards: bool = False
    join_fee: bool = True
    marker: bool = False
    leader: Annotated[int, Field(ge=1, le=6)] | None = None

    def options(self) -> dict[str, Any]:
        return self.model_dump(exclude_none=True)


class StreetConfig(GamePart):
    """``[rugen-street]``: ``minimum`` is the fewest units that a shooter may stake."""

    minimum: Annotated[int, Field(ge=1, le=10**9)] = 1


class HouseConfig(GamePart):
    """``[rugen-house]``: what chain bets mean here, and which half pays better."""

    late_chain: bool = False
    chain_day_night: Literal["all", "own"] = "all"
    better_half: Literal["day", "night"] = "day"


class CapitalConfig(GamePart):
    """``[rugen-capital]``: ``schedule`` is low, high, or ``{ house = [7, 4, 3, 2], player = [8, 5, 4, 3] }``."""

    schedule: Any = "low"


class CoinsConfig(GamePart):
    """``[coins]``: the values of the chips, such as 1, 5, 10, or 1, 5, 25 in the older edition."""

    chips: list[Annotated[int, Field(ge=1, le=10**9)]] = list(CHIPS)

    @field_validator("chips")
    @classmethod
    def _rising_from_one(cls, chips: list[int]) -> list[int]:
        if not chips or chips[0] != 1 or any(a >= b for a, b in pairwise(chips)):
            raise ValueError("this should be rising values that begin with 1, like [1, 5, 10]")
        return chips


OWN_TABLES = {
    "rochi": "rochi",
    "rugen-street": "rugen_street",
    "rugen-house": "rugen_house",
    "rugen-capital": "rugen_capital",
}
"""Game -> the field of the configuration that holds its own table."""
