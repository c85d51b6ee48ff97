"""Table options of a tournament."""

from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import Field

from companion.games.holdem.state import MAX_PLAYERS
from companion.games.holdem.tournament.levels import BREAK_MINUTES, CHIP, LADDER, MAX_MINUTES, MINUTES, ladder
from companion.games.holdem.tournament.rules import started
from companion.kernel.errors import BadScript
from companion.kernel.game import Options
from companion.plugins.options import GameOptions, OptionError, Setting

SHARES: Final = {"winner": [100], "two": [65, 35], "three": [50, 30, 20], "four": [45, 27, 18, 10]}


class TournamentOptions(GameOptions):
    """Default levels scaled by ``min_chip``; custom ``levels`` and ``shares`` only in the configuration file."""

    has_turns: ClassVar[bool] = True

    min_chip: Annotated[int, Field(ge=1)] = CHIP
    minutes: Annotated[int, Field(ge=1, le=MAX_MINUTES)] = MINUTES
    antes: bool = False
    big_blind_ante: bool = False
    breaks_after: Annotated[int, Field(ge=0)] = 4
    break_minutes: Annotated[int, Field(ge=1, le=MAX_MINUTES)] = BREAK_MINUTES
    rebuy_until: Annotated[int, Field(ge=0, lt=len(LADDER))] = 0
    add_on: Annotated[int | None, Field(ge=1)] = None
    buy_in: Annotated[int | None, Field(ge=1)] = None
    prizes: Literal["winner", "two", "three", "four"] = "three"
    button: Annotated[int | None, Field(ge=1, le=MAX_PLAYERS)] = None
    levels: Annotated[list[dict[str, Any]] | None, Setting(by_hand=True)] = None
    shares: Annotated[list[int] | None, Setting(by_hand=True)] = None

    def header(self, folder: Path) -> Options:
        levels = self.levels or ladder(
            self.min_chip,
            self.minutes,
            antes=self.antes,
            by_big_blind=self.big_blind_ante,
            breaks_after=self.breaks_after,
            rest=self.break_minutes,
        )
        found: dict[str, Any] = {"levels": levels, "prizes": self.shares or SHARES[self.prizes]}
        more = {
            "rebuy_until": self.rebuy_until or None,
            "add_on": self.add_on,
            "buy_in": self.buy_in,
            "button": self.button,
            "big_blind_ante": self.big_blind_ante or None,
        }
        options = found | {key: value for key, value in more.items() if value is not None}
        try:
            started(options)
        except BadScript as error:
            raise OptionError((_named(error.message),), error.message) from None
        return options


def _named(why: str) -> str:
    """Return the option named in an error message."""
    own = {"levels": "levels", "prizes": "shares", "add_on": "add_on", "buy_in": "buy_in"}
    return next((option for word, option in own.items() if f"'{word}'" in why), "rebuy_until")
