"""Table settings that no rule of a game depends on: chips, turn timer, chances, practice, payments, loss cap."""

from dataclasses import dataclass
from typing import Final

CHIPS: Final = (1, 5, 10)
"""Default chip values, from the current edition of the rules; the older edition suggests 1, 5, 25."""


@dataclass(frozen=True, slots=True)
class TableSettings:
    """A table's settings. By default it shows no chances and no explanations."""

    chips: tuple[int, ...] = CHIPS
    "Chip values in ascending order; the lowest is 1, so that every amount can be paid."
    turn_seconds: int | None = None
    "Time limit of a turn; None for no timer. It is only displayed: nothing happens when the time is up."
    chances: bool = False
    "Whether the exact chances of the next card or throw are shown."
    practice: bool = False
    "Whether each step is explained to new players."
    wait_for_payments: bool = False
    "Whether the game continues only after the dealer has ticked every payment of a decision."
    remind_minutes: int = 60
    "Minutes of play after which a phone reminds its player how long they have played; 0 for never."
    most_brought: int = 0
    "Loss cap: coins that a player may buy in one evening, minus those cashed out; 0 for no limit."
    notice: str | None = None
    "The owner's own sentence about playing for money; None for the default one."


DEFAULTS: Final = TableSettings()
