"""What a player's phone may do at a game's table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from companion.kernel.commands import Record
from companion.plugins.words import View


def nothing_more(record: Record, player: str, view: View) -> bool:
    """Allow nothing."""
    return False


@dataclass(frozen=True, slots=True)
class Phone:
    """What a player's phone may do. Everything else is the dealer's.

    Attributes:
        own: what players do for themselves: verb -> its fields besides ``player``, who is always the phone's own.
        may: whether a player may give another command just as it is; is told the room's view.
    """

    own: Mapping[str, frozenset[str]]
    may: Callable[[Record, str, View], bool] = nothing_more
