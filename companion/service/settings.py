"""Settings beyond a game's rules: chips, turn timer, chances, practice, waiting for payments, responsible play.

No rule depends on them.
"""

from dataclasses import dataclass
from typing import Final

CHIPS: Final = (1, 5, 10)
"""The values of the chips, as the current edition of the rules suggests; the older one says 1, 5, 25."""


@dataclass(frozen=True, slots=True)
class TableSettings:
    """Display settings of the table; the defaults are those of a serious table."""

    chips: tuple[int, ...] = CHIPS
    "Values of the chips, the lowest first; the lowest is 1, so that every amount can be paid."
    turn_seconds: int | None = None
    "How long a turn may take; None for no timer. Nothing happens when it runs out: the table shows it."
    chances: bool = False
    "Whether the exact chance of each suit to cut on the next deal is shown."
    practice: bool = False
    "Whether each step is explained to new players."
    wait_for_payments: bool = False
    "Whether the game goes on only once the dealer has ticked every payment of a decision."
    remind_minutes: int = 60
    "After how many minutes of play a phone says how long its player has played; 0 for never."
    most_brought: int = 0
    "Coins that a player may bring in an evening, less those that they cash out; 0 for no limit."
    notice: str | None = None
    "The owner's own sentence about playing for money; None for the pages' own."


DEFAULTS: Final = TableSettings()
