"""Table options of chinchirorin."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from companion.games.chinchirorin.state import MAX_PLAYERS
from companion.plugins.options import GameOptions, Setting


class ChinchirorinOptions(GameOptions):
    """``stakes``: payouts of storms; ``banker``: seat of the first banker, instead of a draw."""

    has_turns: ClassVar[bool] = True

    stakes: Annotated[Literal["seed"], Setting(in_form=False)] = "seed"
    banker: Annotated[int | None, Field(ge=1, le=MAX_PLAYERS)] = None
