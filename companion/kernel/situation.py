"""The table's situation, and "what if" queries to the rules, for camera interpreters and the panel."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from companion.kernel.cashier import AtTheCage, over_the_counter
from companion.kernel.commands import TABLE_VERBS, Record, parse_command
from companion.kernel.errors import TableError
from companion.kernel.game import Game
from companion.kernel.ledger import Ledger

Undos: TypeAlias = tuple[tuple[int, int], ...]
"""Undos by the table's revision, each with how many commands counted after it: those that no later one goes beyond."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """The table's current position, and the rules to query about it.

    Attributes:
        state: the game's.
        expected: the verbs that can be done now.
        latest: what an undo names as the latest command: ``number``, ``do`` and ``card``.
        recent: the latest few commands that count, oldest first.
        hold: why the table is on hold; None if it is not.
        seq: the journal's entry that has brought the table here; 0 without a journal. It only grows, also by an undo.
        began: the command that began the latest round; None in a first one that nothing began. A round that is begun
            anew, such as after a misdeal, has another one, though it may say the same; what is done again stays itself.
        rounds: how many rounds are decided. Fewer than before: the decision of one was undone.
        revision: grows with each command, undo and redo since the table was opened. As many commands count after an
            undo and another command as before; the revision is another one.
        undos: what `undone_since` is worked out from.
    """

    rules: Game[Any]
    state: Any
    ledger: Ledger
    latest: Record
    recent: tuple[Record, ...] = ()
    expected: frozenset[str] = frozenset()
    hold: str | None = None
    seq: int = 0
    began: Record | None = None
    rounds: int = 0
    revision: int = 0
    undos: Undos = ()

    def undone_since(self, revision: int) -> int | None:
        """Return how many commands counted when the most was undone since a revision; None if nothing was.

        That many of the commands that counted then have counted ever since; those beyond were undone, and each of them
        may have been done again, or another one in its place.
        """
        return next((count for at, count in self.undos if at > revision), None)

    def takes(self, record: Record) -> bool:
        """Ask the rules whether they would take a command now. Nothing is done."""
        if record["do"] not in self.expected:
            return False
        try:
            command = parse_command(record, {**TABLE_VERBS, **self.rules.verbs})
            if isinstance(command, AtTheCage):
                over_the_counter(self.rules, self.state, command, self.ledger)
            elif command.verb not in TABLE_VERBS:
                self.rules.apply(self.state, command, self.ledger)
        except TableError:
            return False
        return True
