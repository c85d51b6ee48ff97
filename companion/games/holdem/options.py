"""Table options of hold'em."""

from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from companion.games.holdem.state import BLINDS, MAX_PLAYERS, MIN_CHIP
from companion.kernel.game import Options
from companion.kernel.messages import message
from companion.plugins.options import GameOptions, OptionError


class HoldemOptions(GameOptions):
    """Blinds in multiples of ``min_chip``; ``button`` is the seat with the first button."""

    has_turns: ClassVar[bool] = True

    small_blind: Annotated[int, Field(ge=1)] = BLINDS[0]
    big_blind: Annotated[int, Field(ge=1)] = BLINDS[1]
    min_chip: Annotated[int, Field(ge=1)] = MIN_CHIP
    button: Annotated[int | None, Field(ge=1, le=MAX_PLAYERS)] = None

    def header(self, folder: Path) -> Options:
        if self.small_blind > self.big_blind:
            what = message("the small blind is no larger than the big blind. Correct one of them.")
            raise OptionError(("small_blind",), what)
        for name, blind in (("small_blind", self.small_blind), ("big_blind", self.big_blind)):
            if blind % self.min_chip:
                what = message("{blind} cannot be laid in chips of {chip}. Correct one of them.", blind=blind,
                               chip=self.min_chip)  # fmt: skip
                raise OptionError((name,), what)
        button = {} if self.button is None else {"button": self.button}
        return {"blinds": [self.small_blind, self.big_blind], "min_chip": self.min_chip, **button}
