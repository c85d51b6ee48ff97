"""Table options of King of Roulette."""

from typing import Annotated

from pydantic import Field

from companion.games.king.state import ROUNDS
from companion.plugins.options import GameOptions


class KingOptions(GameOptions):
    """``rounds``: number of rounds."""

    rounds: Annotated[int, Field(ge=1, le=100)] = ROUNDS
