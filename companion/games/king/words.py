"""Command names for undo and history. All secret commands have the same name, which tells no player."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from companion.kernel.commands import Record
from companion.kernel.messages import Message, message


def given_together(records: Sequence[Record]) -> int:
    """Return how many of the last commands one press sealed: each but the first ``follows`` the one before.

    Only a page says so, whatever its player sealed: by verbs and players alone, an undo would tell whose bonus it is.

    >>> bet, bonus = {"do": "bet", "player": "Ann", "space": 3}, {"do": "use-bonus", "player": "Ann", "follows": True}
    >>> given_together([bet, bonus]), given_together([bonus, bet]), given_together([{**bet, "player": "Bo"}, bonus])
    (2, 1, 1)
    """
    together = 1
    while together < len(records) and _follows(*records[-together - 1 : len(records) - together + 1]):
        together += 1
    return together


def _follows(before: Record, record: Record) -> bool:
    """Whether a command was sealed together with the one before, which may be another player's by now."""
    return record.get(FOLLOWS) is True and record.get("player") == before.get("player")


FOLLOWS: Final = "follows"
"""A command's field: whether it was sealed together with its player's command before."""
COMMANDS: Final[Mapping[str, Callable[[Record], Message]]] = {
    **dict.fromkeys(("vote", "rule", "guess", "bet", "use-bonus"), lambda _: message("a secret choice")),
    "buy-bonus": lambda r: message("{player} buying a Double Bonus", player=r["player"]),
    "reveal": lambda r: message("the reveal"),
    "elect": lambda r: message("the election of {player}", player=r["player"]),
    "choose": lambda r: message("the choice of {player}", player=r["player"]),
    "new-game": lambda r: message("the new game"),
}
