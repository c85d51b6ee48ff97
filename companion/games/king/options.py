"""Table options of King of Roulette."""

from typing import Annotated

from pydantic import Field

from companion.games.king.state import BUY_IN, ROUNDS
from companion.plugins.options import GameOptions


class KingOptions(GameOptions):
    """``rounds``: number of rounds; ``buy_in``: everybody's garnets after another game."""

    rounds: Annotated[int, Field(ge=1, le=100)] = ROUNDS
    buy_in: Annotated[int, Field(ge=1, le=10**6)] = BUY_IN
