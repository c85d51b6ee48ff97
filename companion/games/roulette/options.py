"""Table options of roulette."""

from pathlib import Path
from typing import Literal

from companion.kernel.game import Options
from companion.plugins.options import GameOptions


class RouletteOptions(GameOptions):
    """``zero_rule``: treatment of even-money bets on a zero; ``usual`` is the wheel's default."""

    wheel: Literal["european", "american"] = "european"
    zero_rule: Literal["usual", "en-prison", "surrender", "none"] = "usual"

    def header(self, folder: Path) -> Options:
        return self.for_edges(self.model_dump())

    def for_edges(self, chosen: Options) -> Options:
        return {key: value for key, value in chosen.items() if (key, value) != ("zero_rule", "usual")}
