"""Command names for undo and history. All secret commands have the same name, which tells no player."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from companion.kernel.commands import Record
from companion.kernel.messages import Message, message


def given_together(records: Sequence[Record]) -> int:
    """Return how many of the last commands belong to one sealed submission, including the decoy for an unused bonus.

    >>> bet, bonus = {"do": "bet", "player": "Ann", "space": 3}, {"do": "use-bonus", "player": "Ann"}
    >>> given_together([bet, bet]), given_together([bet, bonus]), given_together([bet])
    (2, 2, 1)
    >>> given_together([{"do": "rule"}, {"do": "guess"}, {"do": "guess"}])
    3
    """
    verbs = tuple(record["do"] for record in records)
    together = next((len(ends) for n in (3, 2) if (ends := verbs[-n:]) in _SEALED), 1)
    who = {record.get("player") for record in records[-together:]}
    return together if len(who - {None}) <= 1 else 1


_SEALED: Final = frozenset(
    {("rule", "guess", "guess"), ("rule", "guess", "use-bonus"), ("bet", "bet"), ("bet", "use-bonus")}
)
COMMANDS: Final[Mapping[str, Callable[[Record], Message]]] = {
    **dict.fromkeys(("vote", "rule", "guess", "bet", "use-bonus"), lambda _: message("a secret choice")),
    "buy-bonus": lambda r: message("{player} buying a Double Bonus", player=r["player"]),
    "reveal": lambda r: message("the reveal"),
    "elect": lambda r: message("the election of {player}", player=r["player"]),
    "choose": lambda r: message("the choice of {player}", player=r["player"]),
    "new-game": lambda r: message("the new game"),
}
