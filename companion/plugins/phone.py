"""The commands that a player's phone may give at a game's table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from companion.kernel.commands import Record
from companion.plugins.words import View


def no_other_commands(record: Record, player: str, view: View) -> bool:
    """Allow nothing."""
    return False


@dataclass(frozen=True, slots=True)
class Phone:
    """The commands that a player's phone may give; all others are reserved for the dealer.

    Attributes:
        own_commands: commands of players for themselves: verb -> its fields besides ``player``, which is always the
            phone's own.
        is_allowed: takes any other record, the player and the room's view; returns whether the player may give it as
            it is.
    """

    own_commands: Mapping[str, frozenset[str]]
    is_allowed: Callable[[Record, str, View], bool] = no_other_commands
