"""Command names for undo and history. All secret commands share a name that does not reveal the player."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from companion.kernel.commands import Record
from companion.kernel.messages import Message, message


def given_together(records: Sequence[Record]) -> int:
    """Return how many of the last commands were sealed by one press: all but the first have ``follows`` set.

    Pages set it whatever was sealed: grouping by verbs and players would let an undo reveal whose bonus it is.

    >>> bet, bonus = {"do": "bet", "player": "Ann", "space": 3}, {"do": "use-bonus", "player": "Ann", "follows": True}
    >>> given_together([bet, bonus]), given_together([bonus, bet]), given_together([{**bet, "player": "Bo"}, bonus])
    (2, 1, 1)
    """
    together = 1
    while together < len(records) and _follows(*records[-together - 1 : len(records) - together + 1]):
        together += 1
    return together


def _follows(before: Record, record: Record) -> bool:
    """Whether a command was sealed together with the one before it, which may also be another player's."""
    return record.get(FOLLOWS) is True and record.get("player") == before.get("player")


FOLLOWS: Final = "follows"
"""A command's field: whether it was sealed together with the same player's previous command."""
COMMANDS: Final[Mapping[str, Callable[[Record], Message]]] = {
    **dict.fromkeys(("vote", "rule", "guess", "bet", "use-bonus"), lambda _: message("a secret choice")),
    "buy-bonus": lambda r: message("{player} buying a Double Bonus", player=r["player"]),
    "reveal": lambda r: message("the reveal"),
    "elect": lambda r: message("the election of {player}", player=r["player"]),
    "choose": lambda r: message("the choice of {player}", player=r["player"]),
    "new-game": lambda r: message("the new game"),
}
